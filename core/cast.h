/* SPDX-License-Identifier: Apache-2.0
 * cast.h: widening values of one file to the type the dataset or the pick asks for. A value that
 * would not survive exactly is an error at its row, never rounded. */
#ifndef WEIR_CORE_CAST_H
#define WEIR_CORE_CAST_H

#include "core/simd/kernels.h"
#include <weir/data.h>

typedef enum weir_cast_kind {
    WEIR_CAST_NONE, /* the same bytes */
    WEIR_CAST_I32_I64,
    WEIR_CAST_U32_I64, /* UINT_32 on I32, zero-extended; also to U64 */
    WEIR_CAST_I32_F64,
    WEIR_CAST_U32_F64,
    WEIR_CAST_I64_F64, /* |value| <= 2^53 or exactly representable */
    WEIR_CAST_U64_F64,
    WEIR_CAST_F32_F64,   /* a signalling NaN keeps its payload's top bits */
    WEIR_CAST_SCALE_I64, /* times `factor`: a timestamp's or time's finer unit */
    WEIR_CAST_SCALE_I32_I64,
    WEIR_CAST_DECIMAL, /* I32, I64, FIXED or BYTES to I64 or FIXED, sign-extended */
    WEIR_CAST_NULL     /* from NULL to any type: no value can come, so the column counts as missing
                          (target.from NULL); a value that comes all the same is refused */
} weir_cast_kind;

typedef struct weir_cast {
    weir_cast_kind kind;
    weir_type from, to;
    uint32_t from_width, to_width;
    int64_t factor;
} weir_cast;

/* How values of `from` become `to`: false when no exact way exists, with the words in `why`
 * ("timestamp(us) has no exact double"). Fields of the same meaning give WEIR_CAST_NONE, and so
 * does a `to` without logical type but of the same physical type, unless it changes the sign of an
 * integer. */
bool weir_cast_plan(const weir_field *from, const weir_field *to, weir_cast *out, char *why,
                    size_t room);
/* The narrowest field that holds both exactly (unify): false: there is none. Name and repetition
 * are `a`'s. Integers: the wider, a signed one if either is; a double for 64 bits without sign
 * beside a sign, and for an integer beside a float or double, value by value if exact. Times and
 * timestamps of one UTC flag: the finer unit. Decimals of one scale: the higher precision, on the
 * same physical type if they share it, else I64 to 18 digits, FIXED 16 to 38, FIXED 32 to 76.
 * STRING, ENUM, JSON: STRING; any of these beside BSON or plain BYTES: plain BYTES. */
bool weir_cast_common(const weir_field *a, const weir_field *b, weir_field *out);
/* Casts `count` values of fixed size; the number done is less than `count` when the value at that
 * place does not survive. `text` gets the value and why. */
size_t weir_cast_run(const weir_cast *cast, const weir_kernels *kernels, const void *from,
                     size_t count, void *to, char *text, size_t room);
/* The same for one decimal of any length (BYTES). */
bool weir_cast_decimal(const weir_cast *cast, weir_view from, void *to);

#endif
