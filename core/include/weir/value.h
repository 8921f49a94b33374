/* SPDX-License-Identifier: Apache-2.0
 * value.h: the values of a vector, as they lie and as what they mean. Part of weir.h. */
#ifndef WEIR_VALUE_H
#define WEIR_VALUE_H

#include <weir/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values in a vector; row counts from 0 in the batch ---- */

WEIR_INLINE bool weir_is_null(const weir_vector *v, int64_t row)
{
    const int64_t slot = v->first + (v->form == WEIR_ONE ? 0 : row);

    return v->validity && !(v->validity[slot >> 3] >> (slot & 7) & 1);
}

/* PLAIN values as a C array of v->rows; the type must be the vector's. */
WEIR_INLINE const int32_t *weir_i32s(const weir_vector *v)
{
    return (const int32_t *)v->values + v->first;
}

WEIR_INLINE const int64_t *weir_i64s(const weir_vector *v)
{
    return (const int64_t *)v->values + v->first;
}

WEIR_INLINE const float *weir_f32s(const weir_vector *v)
{
    return (const float *)v->values + v->first;
}

WEIR_INLINE const double *weir_f64s(const weir_vector *v)
{
    return (const double *)v->values + v->first;
}

WEIR_INLINE bool weir_bool(const weir_vector *v, int64_t row)
{
    const int64_t slot = v->first + row;

    return ((const uint8_t *)v->values)[slot >> 3] >> (slot & 7) & 1;
}

/* BYTES or FIXED; good as long as the batch. A null is empty (BYTES) or zero bytes (FIXED). */
WEIR_INLINE weir_view weir_bytes(const weir_vector *v, int64_t row)
{
    weir_view view;
    const int64_t slot = v->first + row;

    if (v->type == WEIR_BYTES) {
        view.data = (const uint8_t *)v->values + v->offsets[slot];
        view.size = (size_t)(v->offsets[slot + 1] - v->offsets[slot]);
    } else {
        view.data = (const uint8_t *)v->values + (size_t)slot * v->width;
        view.size = v->width;
    }
    return view;
}

/* ---- what a value means. Any form but SHAPE; a null gives false. ---- */

/* 256 bits, two's complement, least significant word first. */
typedef struct weir_i256 {
    uint64_t word[4];
} weir_i256;

/* Any integer, boolean, date, time or timestamp as stored, sign or no sign by its logical type;
 * false: no integer, or a U64 beyond INT64_MAX. */
WEIR_API bool weir_value_i64(const weir_vector *v, int64_t row, int64_t *out);
/* Integers, floats, float16 and decimals (nearest double). */
WEIR_API bool weir_value_f64(const weir_vector *v, int64_t row, double *out);
/* A TIME, TIMESTAMP, DATE or INT96 in `unit` (rounded down; since midnight or since 1970); false:
 * another type, or it does not fit 64 bits: never wrapped. */
WEIR_API bool weir_value_time(const weir_vector *v, int64_t row, weir_unit unit, int64_t *out);
/* A DECIMAL's unscaled value; false: another type, or more than 256 bits. */
WEIR_API bool weir_value_decimal(const weir_vector *v, int64_t row, weir_i256 *out);

typedef enum weir_text_style {
    WEIR_TEXT_PLAIN, /* as a person reads it */
    WEIR_TEXT_JSON   /* a JSON value */
} weir_text_style;

/* The value's text, as snprintf: the length it needs, at most `room` - 1 bytes written and
 * terminated (it may hold zero bytes all the same). In both styles:
 * - integers exact; floats in the shortest form that reads back to the same bits (of their own
 *   width), as 0.1, 1.0, 1e+16; NaN, Infinity, -Infinity; decimals with all digits;
 * - dates and times ISO 8601 and exact, with the digits of their unit: 2024-02-29,
 *   2024-02-29T12:00:00.123456, with Z at the end where UTC; years outside 0 to 9999 get a sign and
 *   at least five digits; a time of day beyond 24 hours keeps counting;
 * - interval P1M2DT3.004S; UUID in its usual form.
 * JSON: numbers and booleans bare, all else, NaN and infinities and decimals too, as strings; a
 * null is null. Bytes that are UTF-8 are a string, whether marked STRING, ENUM, JSON or not at all;
 * other bytes, and BSON, VARIANT, GEOMETRY, GEOGRAPHY always, are base64.
 * PLAIN: a null is empty; STRING, ENUM, JSON and any other UTF-8 as they are; other bytes, and BSON
 * and its like always, as ASCII with \xHH for what is not printable and for the backslash. */
WEIR_API size_t weir_value_text(const weir_vector *v, int64_t row, weir_text_style style, char *out,
                                size_t room);

#ifdef __cplusplus
}
#endif
#endif
