/* SPDX-License-Identifier: Apache-2.0
 * logical.h: what physical values mean: decimals, times, INT96, float16, UUID, and their text; for
 * rows, command and Arrow alike. weir.h has weir_value_*, defined here. */
#ifndef WEIR_CORE_LOGICAL_H
#define WEIR_CORE_LOGICAL_H

#include <weir/data.h>
#include <weir/value.h>

/* A value that is there, settled once, so that nothing below asks for a vector's form. */
typedef struct weir_cell {
    const weir_field *field;
    weir_type type;
    uint32_t width;
    const weir_vector *vector; /* PLAIN or ONE: where the value lies */
    int64_t row;               /* in `vector`, as the inline getters of value.h count */
} weir_cell;

/* false: null, or a vector without values. */
bool weir_cell_find(const weir_vector *v, int64_t row, weir_cell *out);
/* The stored integer, whatever it means, with a sign or without by its logical type; a U64 comes as
 * the same bits. false: not stored as an integer. */
bool weir_cell_integer(const weir_cell *cell, int64_t *out);
/* A DECIMAL's unscaled value; false: another type, or more than 256 bits. */
bool weir_cell_decimal(const weir_cell *cell, weir_i256 *out);
bool weir_cell_is_unsigned(const weir_cell *cell);
bool weir_cell_is_int96(const weir_cell *cell);
bool weir_cell_is_half(const weir_cell *cell);

/* Of fixed size. */
static inline const uint8_t *weir_cell_bytes(const weir_cell *cell)
{
    const size_t slot = (size_t)(cell->vector->first + cell->row);

    return (const uint8_t *)cell->vector->values + slot * cell->width;
}

/* How many of `unit` a second has; 0: no such unit. */
int64_t weir_unit_rate(weir_unit unit);
/* Rounded down, also below zero; `divisor` > 0. */
int64_t weir_floor_div(int64_t value, int64_t divisor);
/* Days since 1970-01-01 and nanoseconds of the day; never overflows. parquet-format Encodings,
 * INT96: u64 nanoseconds, u32 Julian day, little-endian; nanoseconds may exceed a day. */
void weir_int96_split(const uint8_t value[12], int64_t *days, int64_t *nanos);
/* Since 1970 in `unit`, rounded down; false: does not fit. */
bool weir_int96_time(const uint8_t value[12], weir_unit unit, int64_t *out);
/* Big-endian two's complement of any length, leading sign bytes ignored; empty is 0. */
bool weir_i256_from_be(weir_view bytes, weir_i256 *out);
double weir_f16_to_f64(uint16_t half);
/* The first byte that is not UTF-8 (surrogates and overlong forms are not); `size` if none. */
size_t weir_utf8_check(const uint8_t *data, size_t size);
bool weir_i256_is_negative(const weir_i256 *value);
/* Without sign; 2^255 stays itself. */
weir_i256 weir_i256_magnitude(const weir_i256 *value);
/* Whether the digits of `value` fit `precision`. */
bool weir_i256_fits(const weir_i256 *value, int32_t precision);

#endif
