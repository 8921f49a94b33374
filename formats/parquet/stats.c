/* SPDX-License-Identifier: Apache-2.0
 * stats.c: what the footer says of the file, its row groups and chunks, as weir.h gives it. Bounds
 * are told only where the format's rules make them true (parquet.thrift: Statistics, ColumnOrder).
 */
#include "formats/parquet/meta.h"

#include "core/bits.h"
#include "formats/parquet/words.h"
#include <stdio.h>

void weir_parquet_inform(const weir_file *file, weir_file_info *out)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);

    out->path = weir_source_name(file->source);
    out->format = "parquet";
    out->writer = own->writer.data ? (const char *)own->writer.data : "";
    out->bytes = weir_source_size(file->source);
    out->metadata_bytes = own->metadata_size;
    out->rows = file->row_count;
    out->group_count = file->group_count;
    out->schema = file->schema;
    out->written = file->written;
    out->key_value_count = own->key_value_count;
    out->key_values = own->key_values;
}

static uint64_t positive(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

void weir_parquet_inform_group(const weir_file *file, int64_t group, weir_group_info *out)
{
    weir_group g = { .file = file };

    weir_parquet_group(file, group, &g);
    out->first_row = g.first_row;
    out->rows = g.row_count;
    out->offset = g.offset;
    out->bytes = g.size;
    out->plain_bytes = positive(weir_parquet_file_own(file)->groups[group].plain_size);
}

/* Appends a word, with ", " before it unless it is the first; what doesn't fit is left out. */
static void append(char *out, size_t room, const char *word)
{
    const size_t used = strlen(out);

    snprintf(out + used, room - used, "%s%s", used ? ", " : "", word);
}

static void write_encodings(const weir_parquet_chunk *chunk, char *out, size_t room)
{
    uint64_t seen = 0;
    weir_compact in;
    uint8_t type;
    uint32_t count;

    out[0] = '\0';
    if (!chunk->encodings.data)
        return;
    weir_compact_init(&in, chunk->encodings.data, chunk->encodings.size);
    count = weir_compact_read_list(&in, &type);
    for (uint32_t i = 0; i < count && type == WEIR_COMPACT_I32 && !in.why; i++) {
        const int64_t encoding = weir_compact_read_int(&in);
        const char *word = weir_parquet_word(&weir_parquet_encodings, encoding);
        char text[40];

        if (encoding >= 0 && encoding < 64) {
            if (seen >> encoding & 1)
                continue;
            seen |= (uint64_t)1 << encoding;
        }
        if (!word)
            snprintf(text, sizeof text, "encoding %lld", (long long)encoding);
        append(out, room, word ? word : text);
    }
}

/* ---- bounds ---- */

/* The deprecated pair was made by signed comparison, and so are bounds whose order isn't said. */
static bool is_signed_order(const weir_field *field)
{
    switch (field->type) {
    case WEIR_BOOL:
    case WEIR_F32:
    case WEIR_F64:
        return true;
    case WEIR_I32:
    case WEIR_I64:
        return field->logical != WEIR_LOGICAL_INTEGER || field->is_signed;
    default:
        return false;
    }
}

/* Whether min_value and max_value mean something: ColumnOrder, and the types without an order. */
static bool has_order(const weir_parquet_leaf *leaf, uint8_t order)
{
    const weir_field *field = leaf->field;
    const bool is_float = field->type == WEIR_F32 || field->type == WEIR_F64 ||
                          field->logical == WEIR_LOGICAL_FLOAT16;

    if (leaf->type == WEIR_PARQUET_INT96)
        return order == WEIR_PARQUET_INT96_ORDER;
    switch (field->logical) {
    case WEIR_LOGICAL_INTERVAL:
    case WEIR_LOGICAL_NULL:
    case WEIR_LOGICAL_GEOMETRY:
    case WEIR_LOGICAL_GEOGRAPHY:
        return false;
    default:
        break;
    }
    switch (order) {
    case 0:
        return is_signed_order(field);
    case WEIR_PARQUET_TYPE_ORDER:
        return true;
    case WEIR_PARQUET_TOTAL_ORDER:
        return is_float;
    default:
        return false;
    }
}

/* Exponent all ones, mantissa not zero: by bits, so that no signalling NaN is touched as a number.
 */
static bool is_nan(const weir_field *field, weir_view value)
{
    if (field->type == WEIR_F32)
        return (weir_load32(value.data) & 0x7fffffff) > 0x7f800000;
    if (field->type == WEIR_F64)
        return (weir_load64(value.data) & 0x7fffffffffffffff) > 0x7ff0000000000000;
    if (field->logical == WEIR_LOGICAL_FLOAT16)
        return (weir_load16(value.data) & 0x7fff) > 0x7c00;
    return false;
}

static bool is_value(const weir_field *field, weir_view value)
{
    const size_t size = field->type == WEIR_BOOL ? 1 : field->width;

    if (!value.data || field->type == WEIR_ANY)
        return false;
    return field->type == WEIR_BYTES || (value.size == size && !is_nan(field, value));
}

static void write_bounds(const weir_parquet_leaf *leaf, uint8_t order,
                         const weir_parquet_stats *stats, weir_chunk_info *out)
{
    const weir_field *field = leaf->field;

    if (stats->min_value.data && stats->max_value.data) {
        out->has_bounds = has_order(leaf, order);
        out->min = stats->min_value;
        out->max = stats->max_value;
        out->min_is_exact = stats->is_min_exact == 1;
        out->max_is_exact = stats->is_max_exact == 1;
    } else {
        out->has_bounds = is_signed_order(field) && has_order(leaf, 0);
        out->min = stats->min;
        out->max = stats->max;
        out->min_is_exact = out->max_is_exact = false;
    }
    out->has_bounds = out->has_bounds && is_value(field, out->min) && is_value(field, out->max);
    if (!out->has_bounds) {
        out->min = out->max = (weir_view){ 0 };
        out->min_is_exact = out->max_is_exact = false;
    }
}

static int64_t count_of(int64_t said, int64_t values)
{
    return said >= 0 && said <= values ? said : -1;
}

weir_status weir_parquet_inform_chunk(const weir_file *file, int64_t group, int32_t leaf,
                                      weir_chunk_info *out, weir_error *err)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    const uint8_t order = (uint32_t)leaf < own->order_count ? own->orders[leaf] : 0;
    weir_parquet_chunk chunk;
    const char *codec;

    WEIR_TRY(weir_parquet_chunk_find(file, group, leaf, &chunk, err));
    codec = weir_parquet_word(&weir_parquet_codecs, chunk.codec);
    if (codec)
        snprintf(out->codec, sizeof out->codec, "%s", codec);
    else
        snprintf(out->codec, sizeof out->codec, "codec %d", chunk.codec);
    write_encodings(&chunk, out->encodings, sizeof out->encodings);
    out->offset = positive(weir_parquet_chunk_begin(&chunk));
    out->bytes = positive(chunk.size);
    out->plain_bytes = positive(chunk.plain_size);
    out->values = chunk.value_count < 0 ? -1 : chunk.value_count;
    out->nulls = count_of(chunk.stats.null_count, out->values);
    out->distinct = count_of(chunk.stats.distinct_count, out->values);
    write_bounds(&own->leaves[leaf], order, &chunk.stats, out);
    return WEIR_OK;
}
