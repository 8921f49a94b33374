/* SPDX-License-Identifier: Apache-2.0
 * delta.h: DELTA_BINARY_PACKED (parquet-format Encodings.md), pulled in slices: integers, and the
 * lengths of the two byte array encodings. */
#ifndef WEIR_PARQUET_DELTA_H
#define WEIR_PARQUET_DELTA_H

#include "core/simd/kernels.h"

#include <stdbool.h>

typedef struct weir_delta {
    const uint8_t *at, *end; /* what follows the current miniblock; 64 readable bytes after `end` */
    uint64_t total;          /* values of the stream, as it says */
    uint64_t left;           /* of these still to come */
    uint64_t mini_size;      /* values of a miniblock */
    uint64_t mini_count;     /* miniblocks of a block */
    uint64_t mini;           /* the next miniblock of the current block */
    const uint8_t *widths;   /* of the current block's miniblocks */
    const uint8_t *packed;   /* the current miniblock */
    uint32_t width;          /* of its deltas */
    bool is_first;           /* the first value, which stands in the header, is still to come */
    uint64_t mini_taken, mini_left;
    uint64_t last, least; /* value before the next one; the block's smallest delta */
    const char *why;      /* set by the call that failed or gave too few; none come after it */
} weir_delta;

/* Reads the header. */
bool weir_delta_init(weir_delta *delta, const uint8_t *data, size_t size);
/* The next `count` values, fewer at the end; sums wrap. dst has room for WEIR_SLACK bytes more. A
 * stream is read by one of the two all along. */
size_t weir_delta_next_32(weir_delta *delta, const weir_kernels *kernels, size_t count,
                          uint32_t *dst);
size_t weir_delta_next_64(weir_delta *delta, const weir_kernels *kernels, size_t count,
                          uint64_t *dst);
size_t weir_delta_skip(weir_delta *delta, const weir_kernels *kernels, size_t count);
/* Where the bytes after the whole stream begin; false: the stream is cut before its end. Looks at
 * block headers alone. */
bool weir_delta_find_end(const weir_delta *delta, const uint8_t **out);

#endif
