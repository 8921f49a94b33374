/* SPDX-License-Identifier: Apache-2.0
 * nested_levels.c: levels as they lie in a page (parquet-format README.md, "Data Pages"). */
#include "formats/parquet/nested_levels.h"

#include "core/bits.h"

/* parquet-format Encodings.md, "BIT_PACKED". */
static size_t next_packed(weir_level_stream *in, size_t count, uint8_t *to)
{
    size_t n = 0;

    for (; n < count && in->at + in->width <= in->end; n++) {
        uint32_t value = 0;

        for (uint32_t i = 0; i < in->width; i++, in->at++)
            value = value << 1 | (in->bits[in->at / 8] >> (7 - in->at % 8) & 1);
        to[n] = (uint8_t)value;
    }
    return n;
}

bool weir_level_stream_is_run(weir_level_stream *in, size_t count, int level)
{
    uint32_t value;

    if (in->width == 0)
        return level == 0;
    return !in->is_packed && weir_rle_is_run(&in->rle, count, &value) && value == (uint32_t)level;
}

size_t weir_level_stream_next(weir_level_stream *in, const weir_kernels *kernels, size_t count,
                              uint32_t *room, uint8_t *to)
{
    uint32_t value;
    size_t n;

    if (in->width == 0) {
        memset(to, 0, count);
        return count;
    }
    if (in->is_packed)
        return next_packed(in, count, to);
    if (weir_rle_is_run(&in->rle, count, &value)) {
        memset(to, value < 255 ? (int)value : 255, count);
        return weir_rle_skip(&in->rle, count);
    }
    n = weir_rle_next(&in->rle, kernels, count, room);
    if (in->width <= 8)
        kernels->low_bytes(room, n, to);
    for (size_t i = 0; in->width > 8 && i < n; i++)
        to[i] = (uint8_t)(room[i] < 255 ? room[i] : 255);
    return n;
}

/* A v1 page's levels of one kind, in front of `rest`. */
static bool open_v1(weir_level_stream *in, int16_t most, int8_t encoding, int64_t count,
                    weir_view *rest)
{
    size_t size;

    *in = (weir_level_stream){ .width = weir_parquet_level_width(most) };
    if (in->width == 0)
        return true;
    if (encoding == WEIR_PARQUET_BIT_PACKED) {
        const uint64_t bits = (uint64_t)count * in->width;

        size = (size_t)((bits + 7) / 8);
        if (size > rest->size)
            return false;
        in->is_packed = true;
        in->bits = rest->data;
        in->end = bits;
    } else {
        if (rest->size < 4 || weir_load32(rest->data) > rest->size - 4)
            return false;
        size = weir_load32(rest->data) + (size_t)4;
        weir_rle_init(&in->rle, rest->data + 4, size - 4, in->width);
    }
    rest->data += size;
    rest->size -= size;
    return true;
}

static bool open_v2(weir_level_stream *in, int16_t most, uint32_t size, weir_view *rest)
{
    *in = (weir_level_stream){ .width = weir_parquet_level_width(most) };
    if (size > rest->size)
        return false;
    if (in->width)
        weir_rle_init(&in->rle, rest->data, size, in->width);
    rest->data += size;
    rest->size -= size;
    return true;
}

bool weir_nested_levels_open(weir_nested_levels *levels, const weir_parquet_leaf *leaf,
                             const weir_page *page, weir_view *body)
{
    const weir_parquet_note note = weir_parquet_page_note(page);

    *body = page->plain;
    if (note.version == 2)
        return open_v2(&levels->repetition, leaf->max_repetition, note.repetition_size, body) &&
               open_v2(&levels->definition, leaf->max_definition, note.definition_size, body);
    return open_v1(&levels->repetition, leaf->max_repetition, note.repetition_encoding,
                   page->value_count, body) &&
           open_v1(&levels->definition, leaf->max_definition, note.definition_encoding,
                   page->value_count, body);
}
