/* SPDX-License-Identifier: Apache-2.0
 * stat_bytes.c: decimals that are stored as bytes, and what only has an order: strings, INT96. */
#include "stat_column.h"

#include <string.h>

/* The vector that holds a row's value, and where: that of the dictionary for codes. */
typedef struct stat_source {
    const weir_vector *values;
    const uint32_t *codes; /* NULL: the row itself */
} stat_source;

static stat_source source_of(const weir_vector *v)
{
    stat_source source = { v, NULL };

    if (v->form == WEIR_CODES) {
        source.values = v->dictionary;
        source.codes = (const uint32_t *)v->values + v->first;
    }
    return source;
}

static inline weir_view value_at(const stat_source *source, int64_t row)
{
    return weir_bytes(source->values, source->codes ? source->codes[row] : row);
}

/* ---- decimals ---- */

static void wide_take(stat_column *column, const cli_wide *least, const cli_wide *most)
{
    if (!column->as.wide.is_set || cli_wide_compare(least, &column->as.wide.least) < 0)
        column->as.wide.least = *least;
    if (!column->as.wide.is_set || cli_wide_compare(most, &column->as.wide.most) > 0)
        column->as.wide.most = *most;
    column->as.wide.is_set = true;
}

/* More than 16 bytes: as the library understands them. */
static void wide_add_long(stat_column *column, const stat_source *source, int64_t row)
{
    weir_i256 unscaled;
    cli_wide value;

    if (!weir_value_decimal(source->values, source->codes ? source->codes[row] : row, &unscaled)) {
        column->as.wide.is_lost = true;
        return;
    }
    value = cli_wide_of_256(&unscaled);
    cli_wide_add(&column->as.wide.sum, &value);
    wide_take(column, &value, &value);
}

static inline uint64_t load_big_endian(const uint8_t *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof(word));
    return __builtin_bswap64(word);
}

/* Big-endian two's complement of at most 16 bytes; 64 bytes past a vector's end can be read. */
static inline cli_i128 decimal_of(weir_view bytes)
{
    const unsigned size = (unsigned)bytes.size;
    int64_t high;
    uint64_t low;

    if (size == 0)
        return 0;
    high = (int64_t)load_big_endian(bytes.data);
    if (size <= 8)
        return high >> (64 - 8 * size);
    low = load_big_endian(bytes.data + size - 8);
    if (size < 16)
        low &= ((uint64_t)1 << 8 * (size - 8)) - 1;
    return (cli_i128)((cli_u128)high << 8 * (size - 8) | low);
}

/* Sums in 128 bits as long as they fit, which is nearly always a whole vector. */
void stat_wide_add(stat_column *column, const weir_vector *v)
{
    const stat_source source = source_of(v);
    cli_i128 sum = 0, least = 0, most = 0;
    bool is_set = false;
    cli_wide wide;
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        weir_view bytes;
        cli_i128 value;

        if (weir_is_null(v, row))
            continue;
        bytes = value_at(&source, row);
        if (bytes.size > 16) {
            wide_add_long(column, &source, row);
            continue;
        }
        value = decimal_of(bytes);
        if (__builtin_add_overflow(sum, value, &sum)) {
            wide = cli_wide_of((cli_i128)((cli_u128)sum - (cli_u128)value));
            cli_wide_add(&column->as.wide.sum, &wide);
            sum = value;
        }
        least = !is_set || value < least ? value : least;
        most = !is_set || value > most ? value : most;
        is_set = true;
    }
    if (is_set) {
        const cli_wide a = cli_wide_of(least), b = cli_wide_of(most);

        wide = cli_wide_of(sum);
        cli_wide_add(&column->as.wide.sum, &wide);
        wide_take(column, &a, &b);
    }
}

void stat_wide_merge(stat_column *into, const stat_column *from)
{
    into->as.wide.is_lost |= from->as.wide.is_lost;
    if (from->as.wide.is_set) {
        cli_wide_add(&into->as.wide.sum, &from->as.wide.sum);
        wide_take(into, &from->as.wide.least, &from->as.wide.most);
    }
}

/* ---- bytes ---- */

static void bytes_keep(stat_bytes *kept, weir_view value)
{
    if (value.size > kept->room) {
        kept->room = value.size * 2;
        kept->data = cli_alloc(kept->data, kept->room, 1);
    }
    if (value.size > 0)
        memcpy(kept->data, value.data, value.size);
    kept->size = value.size;
}

static weir_view bytes_view(const stat_bytes *kept)
{
    const weir_view view = { kept->data, kept->size };

    return view;
}

static void bytes_take(stat_column *column, const weir_field *field, weir_view value)
{
    if (!column->as.bytes.is_set ||
        cli_compare(field, value, bytes_view(&column->as.bytes.least)) < 0)
        bytes_keep(&column->as.bytes.least, value);
    if (!column->as.bytes.is_set ||
        cli_compare(field, value, bytes_view(&column->as.bytes.most)) > 0)
        bytes_keep(&column->as.bytes.most, value);
    column->as.bytes.is_set = true;
}

/* The first eight bytes as a number that orders as they do; a shorter value goes on with zeros. */
static inline uint64_t prefix_of(weir_view value)
{
    if (value.size >= 8)
        return load_big_endian(value.data);
    return value.size ? load_big_endian(value.data) & (UINT64_MAX << (64 - 8 * value.size)) : 0;
}

static uint64_t prefix_of_kept(const stat_bytes *kept)
{
    uint8_t head[8] = { 0 };
    const weir_view view = { head, sizeof(head) };

    if (kept->size > 0)
        memcpy(head, kept->data, kept->size < 8 ? kept->size : 8);
    return prefix_of(view);
}

typedef struct bytes_bound {
    uint64_t prefix;
    size_t size;
} bytes_bound;

static bytes_bound bound_of(const stat_bytes *kept)
{
    const bytes_bound bound = { prefix_of_kept(kept), kept->size };

    return bound;
}

/* Short values are what their prefix and size say. */
static inline bool is_bound(bytes_bound bound, uint64_t prefix, size_t size)
{
    return prefix == bound.prefix && size == bound.size && size <= 8;
}

/* A value whose prefix lies between those of the bounds needs no other look. */
static void bytes_add_by_prefix(stat_column *column, const weir_vector *v)
{
    const stat_source source = source_of(v);
    bytes_bound least = bound_of(&column->as.bytes.least);
    bytes_bound most = bound_of(&column->as.bytes.most);
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        weir_view value;
        uint64_t prefix;

        if (weir_is_null(v, row))
            continue;
        value = value_at(&source, row);
        prefix = prefix_of(value);
        if (column->as.bytes.is_set &&
            ((prefix > least.prefix && prefix < most.prefix) ||
             is_bound(least, prefix, value.size) || is_bound(most, prefix, value.size)))
            continue;
        bytes_take(column, v->field, value);
        least = bound_of(&column->as.bytes.least);
        most = bound_of(&column->as.bytes.most);
    }
}

void stat_bytes_add(stat_column *column, const weir_vector *v)
{
    const stat_source source = source_of(v);
    int64_t row;

    if (!(v->type == WEIR_FIXED && v->field->logical == WEIR_LOGICAL_TIMESTAMP)) {
        bytes_add_by_prefix(column, v);
        return;
    }
    for (row = 0; row < v->rows; row++) /* INT96, which is not in the order of its bytes */
        if (!weir_is_null(v, row))
            bytes_take(column, v->field, value_at(&source, row));
}

void stat_bytes_merge(stat_column *into, const stat_column *from, const weir_field *field)
{
    if (from->as.bytes.is_set) {
        bytes_take(into, field, bytes_view(&from->as.bytes.least));
        bytes_take(into, field, bytes_view(&from->as.bytes.most));
    }
}
