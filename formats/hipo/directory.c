/* SPDX-License-Identifier: Apache-2.0
 * directory.c: step 3 of the line for records by bank and by column: what stands before the
 * streams. A section begins with 20 bytes: version, number of banks and of events, sizes of the
 * directory packed (always lz4) and plain. The directory has, each an array:
 *
 *   by bank                                  by column
 *   banks     u16 group, u8 item, u8 type    the same: ascending
 *   packed    u32 a bank                     columns   u16 a bank; 0: one stream as by bank
 *   plain     u32 a bank
 *   tags      u32 an event                   the same
 *   presence  a bit a bank, a row an event   the same
 *   sizes     u32 an event, bank by bank     the same
 *                                            packed, plain  u32 each, a stream
 *   formats   u8 a bank, or left out         the same; in version 3 always there, and then
 *                                            encodings u8, sums u32 a stream */
#include "formats/hipo/span.h"

#include "core/error.h"
#include <inttypes.h>

enum {
    SECTION = 20,
    SPLIT = 1 /* low half of an encoding byte; the high one is the width */
};

typedef struct directory {
    const weir_hipo_record *record;
    uint32_t version, bank_count, packed_size, plain_size;
    uint64_t event_count;
    const uint8_t *banks, *columns, *tags, *presence, *sizes;
    const uint8_t *packed, *plain; /* of the streams; `stride` bytes from one to the next */
    size_t stride;
    const uint8_t *formats, *encodings, *sums; /* NULL: left out */
    uint64_t presence_stride, stream_count;
    uint64_t streams, end; /* where the streams begin and end in the file */
} directory;

static weir_status fail(const directory *d, weir_error *err, const char *why)
{
    return weir_fail_at(err, WEIR_CORRUPT, d->record->offset, "directory: %s", why);
}

/* ---- the section's head ---- */

static weir_status read_head(const weir_file *file, directory *d, weir_hipo_layout layout,
                             weir_error *err)
{
    const uint64_t begin = d->record->offset + d->record->header_size;
    uint8_t bytes[SECTION];

    d->end = d->record->offset + d->record->size - d->record->filler;
    if (d->record->is_swapped)
        return weir_fail_at(err, WEIR_UNSUPPORTED, d->record->offset,
                            "a big-endian record of streams, which nobody writes");
    if (d->end - begin < SECTION)
        return fail(d, err, "the record ends before it");
    WEIR_TRY(weir_source_read(file->source, begin, bytes, sizeof bytes, err));
    d->version = bytes[0];
    d->bank_count = weir_load32(bytes + 4);
    d->event_count = weir_load32(bytes + 8);
    d->packed_size = weir_load32(bytes + 12);
    d->plain_size = weir_load32(bytes + 16);
    d->streams = begin + SECTION + d->packed_size;
    if (layout == WEIR_HIPO_BY_BANK ? d->version < 2 || d->version > 3
                                    : d->version < 1 || d->version > 3)
        return weir_fail_at(err, WEIR_UNSUPPORTED, begin, "directory: version %" PRIu32,
                            d->version);
    if (d->event_count != d->record->event_count)
        return fail(d, err, "it has another number of events than the record");
    if (d->streams > d->end)
        return fail(d, err, "it is longer than the record");
    return WEIR_OK;
}

static weir_status unpack(const weir_file *file, const directory *d, weir_work *work,
                          weir_hold **hold, weir_view *out, weir_error *err)
{
    const weir_chain *chain;
    weir_chain room;
    weir_page page = {
        .kind = WEIR_PAGE_DATA,
        .offset = d->streams - d->packed_size,
        .next = d->streams,
        .packed_size = d->packed_size,
        .plain_size = d->plain_size,
    };

    WEIR_TRY(weir_hipo_chain(file, d->record, WEIR_HIPO_LZ4, &room, &chain, err));
    page.chain = chain;
    WEIR_TRY(weir_blame(err, weir_page_unpack_alone(&page, file->source, work, err), "directory"));
    *hold = page.hold;
    *out = page.plain;
    return page.plain.size == d->plain_size ? WEIR_OK : fail(d, err, "it is cut short");
}

/* ---- its arrays ---- */

/* The next `count` times `size` bytes; NULL: there are not so many. */
static const uint8_t *take(weir_view *left, uint64_t count, uint64_t size)
{
    const uint8_t *at = left->data;
    uint64_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > left->size)
        return NULL;
    *left = (weir_view){ left->data + bytes, left->size - (size_t)bytes };
    return at;
}

static uint32_t columns_of(const directory *d, uint32_t bank)
{
    return d->columns ? weir_load16(d->columns + 2 * (size_t)bank) : 0;
}

static uint32_t streams_of(const directory *d, uint32_t bank)
{
    const uint32_t columns = columns_of(d, bank);

    return columns ? columns : 1;
}

static bool take_streams(directory *d, weir_view *left)
{
    if (d->columns) {
        d->packed = take(left, d->stream_count, 8);
        if (!d->packed)
            return false;
        d->plain = d->packed + 4;
        d->stride = 8;
    }
    d->formats = left->size >= d->bank_count ? take(left, d->bank_count, 1) : NULL;
    if (!d->columns || d->version < 3)
        return true;
    d->encodings = take(left, d->stream_count, 1);
    d->sums = d->encodings ? take(left, d->stream_count, 4) : NULL;
    return d->formats && d->sums;
}

static bool take_arrays(directory *d, weir_view left, weir_hipo_layout layout)
{
    d->banks = take(&left, d->bank_count, 4);
    if (layout == WEIR_HIPO_BY_BANK) {
        d->packed = take(&left, d->bank_count, 4);
        d->plain = take(&left, d->bank_count, 4);
        d->stride = 4;
    } else {
        d->columns = take(&left, d->bank_count, 2);
    }
    if (!d->banks || (layout == WEIR_HIPO_BY_BANK ? !d->plain : !d->columns))
        return false;
    for (uint32_t b = 0; b < d->bank_count; b++)
        d->stream_count += streams_of(d, b);
    d->presence_stride = ((uint64_t)d->bank_count + 7) / 8;
    d->tags = take(&left, d->event_count, 4);
    d->presence = d->tags ? take(&left, d->event_count, d->presence_stride) : NULL;
    d->sizes = d->presence ? take(&left, d->event_count * d->bank_count, 4) : NULL;
    return d->sizes && take_streams(d, &left);
}

/* ---- what is wanted of it ---- */

static uint32_t id_of(const directory *d, uint32_t bank)
{
    const uint8_t *at = d->banks + 4 * (size_t)bank;

    return (uint32_t)weir_load16(at) << 8 | at[2];
}

static weir_hipo_stream stream_at(const directory *d, uint64_t index, uint64_t offset)
{
    const uint8_t encoding = d->encodings ? d->encodings[index] : 0;

    return (weir_hipo_stream){
        .offset = offset,
        .packed_size = weir_load32(d->packed + index * d->stride),
        .plain_size = weir_load32(d->plain + index * d->stride),
        .sum = d->sums ? weir_load32(d->sums + 4 * index) : 0,
        .planes = (encoding & 15) == SPLIT && encoding >> 4 > 1 ? encoding >> 4 : 0,
    };
}

/* A stream of no bytes is no page. */
static int32_t add_stream(weir_hipo_span *span, weir_hipo_stream stream)
{
    if (stream.plain_size == 0)
        return -1;
    span->streams[span->stream_count] = stream;
    return (int32_t)span->stream_count++;
}

/* Bytes of the bank in all events, and the rows in them. */
static uint64_t add_up(const directory *d, const weir_hipo_wanted *wanted, uint64_t *rows)
{
    uint64_t bytes = 0;

    *rows = 0;
    for (uint64_t e = 0; e < d->event_count; e++) {
        const uint32_t size = weir_load32(wanted->sizes + 4 * e);

        bytes += size;
        *rows += weir_hipo_rows(wanted->bank, size);
    }
    return bytes;
}

/* Streams from `first` on hold as many bytes as the bank's sizes add up to, each column's those of
 * its own rows. An event with two banks of one name, which some writers can't deal with, shows
 * here. NULL: they do. */
static const char *check_streams(const directory *d, const weir_hipo_wanted *wanted, uint64_t first,
                                 uint32_t columns)
{
    const weir_hipo_bank *bank = wanted->bank;
    uint64_t rows;
    const uint64_t bytes = add_up(d, wanted, &rows);

    if (columns == 0)
        return weir_load32(d->plain + first * d->stride) == bytes
                   ? NULL
                   : "a bank's sizes are not those of its stream";
    if (columns != bank->column_count)
        return "a bank has another number of columns than in the dictionary";
    if (bytes != rows * bank->row_size)
        return "a bank's size is no number of rows";
    for (uint32_t c = 0; c < columns; c++)
        if (weir_load32(d->plain + (first + c) * d->stride) !=
            rows * bank->columns[c].size * bank->columns[c].count)
            return "a bank's sizes are not those of its streams";
    return NULL;
}

/* What is split is as wide as the column's numbers, or so that its rows are whole. */
static bool can_join(const weir_hipo_output *output, const weir_hipo_stream *stream)
{
    return stream->planes == 0 ||
           (uint64_t)output->column->size * output->column->count % stream->planes == 0;
}

/* Streams are raw or split; what a later version's numbers mean nobody knows yet. */
static bool is_known(const directory *d, uint64_t stream)
{
    return !d->encodings || (d->encodings[stream] & 15) <= SPLIT;
}

/* Bank `b` of the directory, whose first stream is `first`. */
static const char *want_bank(const directory *d, weir_hipo_span *span, weir_hipo_wanted *wanted,
                             uint32_t b, uint64_t first, const uint64_t *offsets)
{
    const bool is_text = d->banks[4 * (size_t)b + 3] == WEIR_HIPO_STRING;
    const uint32_t columns = columns_of(d, b);
    const char *why;

    if (is_text || (d->formats && d->formats[b] > 0)) /* in a bank's place, and none */
        return NULL;
    wanted->sizes = d->sizes + 4 * (uint64_t)b * d->event_count;
    wanted->presence = d->presence + b / 8;
    wanted->presence_bit = (uint8_t)(1u << b % 8);
    why = check_streams(d, wanted, first, columns);
    if (why)
        return why;
    if (columns == 0 && !is_known(d, first))
        return "a bank's stream has an unknown encoding";
    if (columns == 0 && stream_at(d, first, 0).planes)
        return "a bank's stream is split, as if it were one column's";
    if (columns == 0 && wanted->value_size > 0)
        wanted->stream = add_stream(span, stream_at(d, first, offsets[first]));
    for (int32_t i = wanted->first_output; columns > 0 && i >= 0; i = span->outputs[i].next) {
        weir_hipo_output *output = &span->outputs[i];

        if (output->column) {
            const uint64_t stream = first + (uint64_t)(output->column - wanted->bank->columns);

            if (!is_known(d, stream))
                return "a column's stream has an unknown encoding";
            output->stream = add_stream(span, stream_at(d, stream, offsets[stream]));
            if (output->stream >= 0 && !can_join(output, &span->streams[output->stream]))
                return "a column's stream is split into numbers of another size";
        }
    }
    return NULL;
}

/* The streams lie one after another. */
static bool place_streams(const directory *d, uint64_t *offsets)
{
    uint64_t at = d->streams;

    for (uint64_t i = 0; i < d->stream_count; i++) {
        offsets[i] = at;
        at += weir_load32(d->packed + i * d->stride);
    }
    return at <= d->end;
}

static const char *find_wanted(const directory *d, weir_hipo_span *span, uint64_t *offsets)
{
    uint64_t first = 0;

    if (!place_streams(d, offsets))
        return "its streams reach past the record's end";
    for (uint32_t b = 0; b < d->bank_count; first += streams_of(d, b++)) {
        const int32_t wanted = weir_hipo_span_find(span, id_of(d, b));
        const char *why = NULL;

        if (b > 0 && id_of(d, b) <= id_of(d, b - 1))
            return "its banks are not in ascending order";
        if (wanted >= 0)
            why = want_bank(d, span, &span->wanted[wanted], b, first, offsets);
        if (why)
            return why;
    }
    span->tags = d->tags;
    span->presence_stride = (uint32_t)d->presence_stride;
    return NULL;
}

static bool passes(const weir_hipo_span *span, size_t event)
{
    for (uint32_t i = 0; i < span->asked_count; i++) {
        const weir_hipo_wanted *wanted = &span->wanted[span->asked[i]];

        if (!wanted->sizes ||
            !(wanted->presence[event * span->presence_stride] & wanted->presence_bit))
            return false;
    }
    return weir_hipo_passes_tag(span->filter, weir_load32(span->tags + 4 * event));
}

/* Nothing is read of a record in which no event passes. */
static bool has_event(const weir_hipo_span *span)
{
    for (uint32_t e = 0; e < span->record->event_count; e++)
        if (passes(span, e))
            return true;
    return false;
}

weir_status weir_hipo_directory_read(const weir_file *file, weir_hipo_span *span, weir_work *work,
                                     weir_error *err)
{
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    directory d = { .record = span->record };
    const char *why = "it is shorter than its arrays";
    weir_view plain = { NULL, 0 };
    uint64_t *offsets;

    WEIR_TRY(read_head(file, &d, span->layout, err));
    WEIR_TRY(weir_hipo_chain(file, d.record, weir_hipo_codec_of(d.record->tag), &span->chain_room,
                             &span->chain, err));
    if (d.plain_size > 0)
        WEIR_TRY(unpack(file, &d, work, &span->directory, &plain, err));
    if (take_arrays(&d, plain, span->layout)) {
        offsets = weir_arena_array(&work->scratch, d.stream_count, sizeof *offsets);
        if (!offsets)
            return weir_fail_memory(err, d.stream_count * sizeof *offsets);
        why = find_wanted(&d, span, offsets);
        weir_arena_reset(&work->scratch, mark);
    }
    if (!why && span->filter && !has_event(span))
        span->stream_count = 0;
    return why ? fail(&d, err, why) : WEIR_OK;
}
