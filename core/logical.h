/* SPDX-License-Identifier: Apache-2.0
 * logical.h: what physical values mean: decimals, times, INT96, float16, UUID, and their text; for
 * rows, command and Arrow alike. weir.h has weir_value_*, defined here. */
#ifndef WEIR_CORE_LOGICAL_H
#define WEIR_CORE_LOGICAL_H

#include <weir/data.h>
#include <weir/value.h>

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
/* Whether the digits of `value` fit `precision`. */
bool weir_i256_fits(const weir_i256 *value, int32_t precision);

#endif
