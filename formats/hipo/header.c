/* SPDX-License-Identifier: Apache-2.0
 * header.c: the headers of files and records, 14 words each or more, in the byte order that their
 * magic word tells. */
#include "formats/hipo/hipo.h"

#include "core/error.h"
#include <inttypes.h>

enum {
    MAGIC_AT = 28,
    HEADER_WORDS = 14,
    /* Plain bytes a packed one, at most: a zstd block of 4 bytes makes 128 KB. */
    EXPANSION = 32768,
    SMALL = 64 * 1024
};

static const uint32_t magic = 0xc0da0100;

/* ---- compression tags ---- */

static const struct {
    const char *codec;
    uint32_t id;
    weir_hipo_layout layout;
} tags[WEIR_HIPO_TAGS] = {
    { "none", WEIR_HIPO_NONE, WEIR_HIPO_WHOLE },     { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_WHOLE },
    { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_WHOLE },       { "gzip", WEIR_HIPO_GZIP, WEIR_HIPO_WHOLE },
    { "zstd", WEIR_HIPO_ZSTD, WEIR_HIPO_WHOLE },     { "zstd", WEIR_HIPO_ZSTD, WEIR_HIPO_BY_BANK },
    { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_BY_BANK },     { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_BY_COLUMN },
    { "zstd", WEIR_HIPO_ZSTD, WEIR_HIPO_BY_COLUMN }, { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_BY_BANK },
    { "lz4", WEIR_HIPO_LZ4, WEIR_HIPO_BY_COLUMN },   { "gzip", WEIR_HIPO_GZIP, WEIR_HIPO_BY_BANK },
    { "gzip", WEIR_HIPO_GZIP, WEIR_HIPO_BY_COLUMN }, { "none", WEIR_HIPO_NONE, WEIR_HIPO_BY_BANK },
    { "none", WEIR_HIPO_NONE, WEIR_HIPO_BY_COLUMN },
};

uint32_t weir_hipo_codec_of(uint8_t tag)
{
    return tags[tag].id;
}

weir_hipo_layout weir_hipo_layout_of(uint8_t tag)
{
    return tags[tag].layout;
}

const char *weir_hipo_codec_name(uint8_t tag)
{
    return tag < WEIR_HIPO_TAGS ? tags[tag].codec : "unknown";
}

const char *weir_hipo_layout_name(uint8_t tag)
{
    static const char *const names[] = { "whole", "by bank", "by column" };

    return tag < WEIR_HIPO_TAGS ? names[tags[tag].layout] : "unknown";
}

/* ---- the file ---- */

/* HREC is what C++ wrote until 2022; the other two are those that a big-endian writer puts. */
weir_status weir_hipo_probe(weir_source *source, bool *is_it, weir_error *err)
{
    static const char words[4][5] = { "HIPO", "HREC", "OPIH", "CERH" };
    char id[4];

    *is_it = false;
    if (weir_source_size(source) < sizeof id)
        return WEIR_OK;
    WEIR_TRY(weir_source_read(source, 0, id, sizeof id, err));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *is_it = *is_it || memcmp(id, words[i], sizeof id) == 0;
    return WEIR_OK;
}

/* False: the magic word is in neither byte order. */
static bool find_order(const uint8_t *bytes, bool *is_swapped)
{
    *is_swapped = weir_load32(bytes + MAGIC_AT) == __builtin_bswap32(magic);
    return *is_swapped || weir_load32(bytes + MAGIC_AT) == magic;
}

weir_status weir_hipo_header_read(weir_file *file, weir_error *err)
{
    const uint64_t file_size = weir_source_size(file->source);
    weir_hipo_file *own = file->own;
    uint8_t bytes[WEIR_HIPO_HEADER];

    if (file_size < sizeof bytes)
        return weir_fail_at(err, WEIR_CORRUPT, 0,
                            "the file ends at byte %" PRIu64 ", within its header", file_size);
    WEIR_TRY(weir_source_read(file->source, 0, bytes, sizeof bytes, err));
    if (!find_order(bytes, &own->is_swapped))
        return weir_fail_at(err, WEIR_CORRUPT, MAGIC_AT,
                            "file header: %08" PRIx32 " in place of its magic word",
                            weir_load32(bytes + MAGIC_AT));
    own->number = weir_hipo_32(bytes + 4, own->is_swapped);
    own->dictionary = 4 * (uint64_t)weir_hipo_32(bytes + 8, own->is_swapped);
    own->bits = weir_hipo_32(bytes + 20, own->is_swapped);
    own->dictionary_size = weir_hipo_32(bytes + 24, own->is_swapped);
    own->trailer = weir_hipo_64(bytes + 40, own->is_swapped);
    own->first_record = own->dictionary + own->dictionary_size + (own->bits >> 20 & 3);
    if (own->dictionary < sizeof bytes || own->first_record > file_size)
        return weir_fail_at(err, WEIR_CORRUPT, 0,
                            "file header: it has %" PRIu64 " bytes and its dictionary %" PRIu64
                            " in a file of %" PRIu64,
                            own->dictionary, own->dictionary_size, file_size);
    return WEIR_OK;
}

/* ---- records ---- */

/* Whether so many events can come out: each needs four bytes, of its length or of its tag. */
static bool can_hold(const weir_hipo_record *record)
{
    const uint64_t packed = record->size - record->header_size;

    return 4 * (uint64_t)record->event_count <= packed * EXPANSION + SMALL;
}

const char *weir_hipo_record_read(const uint8_t *bytes, uint64_t offset, uint64_t file_size,
                                  weir_hipo_record *out)
{
    uint32_t header_words, bits, user_size;
    bool is_swapped;

    if (!find_order(bytes, &is_swapped))
        return "no magic word";
    header_words = weir_hipo_32(bytes + 8, is_swapped);
    bits = weir_hipo_32(bytes + 20, is_swapped);
    user_size = weir_hipo_32(bytes + 24, is_swapped);
    *out = (weir_hipo_record){
        .offset = offset,
        .size = 4 * (uint64_t)weir_hipo_32(bytes, is_swapped),
        .words = { weir_hipo_64(bytes + 40, is_swapped), weir_hipo_64(bytes + 48, is_swapped) },
        .event_count = weir_hipo_32(bytes + 12, is_swapped),
        .filler = bits >> 24 & 3,
        .data_size = weir_hipo_32(bytes + 32, is_swapped),
        .tag = (uint8_t)(weir_hipo_32(bytes + 36, is_swapped) >> 28),
        .is_swapped = is_swapped,
    };
    out->row_count = out->event_count;
    if (header_words < HEADER_WORDS)
        return "a header of fewer than 14 words";
    if (4 * (uint64_t)header_words > out->size)
        return "the header is longer than the record";
    if (out->size > file_size - offset)
        return "the record reaches past the end of the file";
    if (user_size > UINT32_MAX - 3)
        return "a user header of 4 GiB";
    out->header_size = 4 * header_words;
    out->user_size = user_size + (bits >> 20 & 3);
    if (out->filler > out->size - out->header_size)
        return "more filler than bytes";
    return can_hold(out) ? NULL : "more events than its bytes can hold";
}
