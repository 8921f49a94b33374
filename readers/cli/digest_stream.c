/* SPDX-License-Identifier: Apache-2.0
 * digest_stream.c: what goes into a leaf's CRC: for each slot its repetition level and definition
 * level, a byte each, then the value if there is one: its bytes, of BYTES after their number. */
#include "digest.h"

#include <string.h>

#define DIGEST_BUFFER 16384

typedef struct digest_stream {
    const cli_crc_table *table;
    digest_leaf *leaf;
    size_t used;
    uint8_t data[DIGEST_BUFFER];
} digest_stream;

static void stream_flush(digest_stream *stream)
{
    stream->leaf->crc = cli_crc(stream->table, stream->leaf->crc, stream->data, stream->used);
    stream->leaf->bytes += stream->used;
    stream->used = 0;
}

static void stream_put(digest_stream *stream, const void *data, size_t size)
{
    if (stream->used + size > DIGEST_BUFFER)
        stream_flush(stream);
    if (size > DIGEST_BUFFER) {
        stream->leaf->crc = cli_crc(stream->table, stream->leaf->crc, data, size);
        stream->leaf->bytes += size;
    } else if (size > 0) {
        memcpy(stream->data + stream->used, data, size);
        stream->used += size;
    }
}

static void stream_put_levels(digest_stream *stream, int repetition, int definition)
{
    const uint8_t levels[2] = { (uint8_t)repetition, (uint8_t)definition };

    stream_put(stream, levels, sizeof(levels));
}

static void stream_put_bytes(digest_stream *stream, weir_view value)
{
    const uint32_t size = (uint32_t)value.size;

    stream_put(stream, &size, sizeof(size));
    stream_put(stream, value.data, value.size);
}

/* ---- rows ---- */

/* Values of `width` bytes; a constant width at the call makes a copy of it a single move. */
static inline void put_fixed(digest_stream *stream, const weir_vector *v, int definition,
                             size_t width)
{
    const uint8_t *values = (const uint8_t *)v->values + (size_t)v->first * width;
    int64_t row;

    for (row = 0; row < v->rows; row++, values += width) {
        if (weir_is_null(v, row)) {
            stream_put_levels(stream, 0, definition - 1);
        } else {
            stream_put_levels(stream, 0, definition);
            stream_put(stream, values, width);
        }
    }
}

static void put_bools(digest_stream *stream, const weir_vector *v, int definition)
{
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        const bool is_null = weir_is_null(v, row);
        const uint8_t value = weir_bool(v, row);

        stream_put_levels(stream, 0, definition - is_null);
        stream_put(stream, &value, !is_null);
    }
}

static void put_bytes(digest_stream *stream, const weir_vector *v, int definition)
{
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        const bool is_null = weir_is_null(v, row);

        stream_put_levels(stream, 0, definition - is_null);
        if (!is_null)
            stream_put_bytes(stream, weir_bytes(v, row));
    }
}

static void stream_begin(digest_stream *stream, digest_leaf *leaf, const cli_crc_table *table)
{
    stream->table = table;
    stream->leaf = leaf;
    stream->used = 0;
}

void digest_add_rows(digest_leaf *leaf, const weir_vector *v, int definition,
                     const cli_crc_table *table)
{
    digest_stream stream;

    stream_begin(&stream, leaf, table);
    if (v->type == WEIR_BOOL)
        put_bools(&stream, v, definition);
    else if (v->type == WEIR_BYTES)
        put_bytes(&stream, v, definition);
    else if (v->width == 8)
        put_fixed(&stream, v, definition, 8);
    else if (v->width == 4)
        put_fixed(&stream, v, definition, 4);
    else
        put_fixed(&stream, v, definition, v->width);
    stream_flush(&stream);
    leaf->slots += v->rows;
    leaf->nulls += v->nulls;
    if (definition == 0 && v->nulls > 0)
        leaf->is_confused = true;
}

/* ---- slots ---- */

static inline void put_slot_value(digest_stream *stream, const weir_vector *v, int64_t row,
                                  size_t width)
{
    if (v->type == WEIR_BYTES) {
        stream_put_bytes(stream, weir_bytes(v, row));
    } else if (v->type == WEIR_BOOL) {
        const uint8_t value = weir_bool(v, row);

        stream_put(stream, &value, 1);
    } else {
        stream_put(stream, (const uint8_t *)v->values + (size_t)(v->first + row) * width, width);
    }
}

static inline void put_slots(digest_stream *stream, const weir_vector *v, const digest_slots *slots,
                             bool is_optional, size_t width)
{
    size_t i;

    for (i = 0; i < slots->count; i++) {
        const int64_t row = slots->rows[i];

        if (row < 0 || weir_is_null(v, row)) {
            stream_put_levels(stream, slots->repetition[i], slots->definition[i]);
            stream->leaf->nulls++;
            stream->leaf->is_confused |= row >= 0 && !is_optional;
        } else {
            stream_put_levels(stream, slots->repetition[i], slots->definition[i] + is_optional);
            put_slot_value(stream, v, row, width);
        }
    }
}

void digest_add_slots(digest_leaf *leaf, const weir_vector *v, const digest_slots *slots,
                      bool is_optional, const cli_crc_table *table)
{
    digest_stream stream;

    stream_begin(&stream, leaf, table);
    if (v->width == 8)
        put_slots(&stream, v, slots, is_optional, 8);
    else if (v->width == 4)
        put_slots(&stream, v, slots, is_optional, 4);
    else
        put_slots(&stream, v, slots, is_optional, v->width);
    stream_flush(&stream);
    leaf->slots += (int64_t)slots->count;
}
