/* SPDX-License-Identifier: Apache-2.0
 * split.h: BYTE_STREAM_SPLIT (parquet-format Encodings.md): byte k of all values stands together.
 * Any width, since format 2.11 on FLOAT, DOUBLE, INT32, INT64 and FIXED_LEN_BYTE_ARRAY. */
#ifndef WEIR_PARQUET_SPLIT_H
#define WEIR_PARQUET_SPLIT_H

#include "core/simd/kernels.h"

#include <stdbool.h>

typedef struct weir_split {
    const uint8_t *data; /* 64 readable bytes after the last stream */
    size_t width;        /* of a value: the number of streams */
    size_t count;        /* values: the length of a stream */
    size_t at;           /* the next value */
} weir_split;

/* False: the bytes are not those of `count` values, so that nobody knows where streams begin. */
bool weir_split_init(weir_split *split, const uint8_t *data, size_t size, size_t width,
                     size_t count);
/* The next `count` values, fewer at the end; dst has room for WEIR_SLACK bytes more. */
size_t weir_split_next(weir_split *split, const weir_kernels *kernels, size_t count, uint8_t *dst);
size_t weir_split_skip(weir_split *split, size_t count);

#endif
