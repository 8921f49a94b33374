/* SPDX-License-Identifier: Apache-2.0
 * rle.h: runs of one value and runs of packed ones (parquet-format Encodings.md, "Run Length
 * Encoding / Bit-Packing Hybrid"), pulled in slices: levels, dictionary codes, booleans. A stream
 * that ends too soon gives the values it has; `why` says what was wrong then. */
#ifndef WEIR_PARQUET_RLE_H
#define WEIR_PARQUET_RLE_H

#include "core/simd/kernels.h"

#include <stdbool.h>

enum {
    WEIR_RLE_WIDTH = 32 /* the widest values */
};

typedef struct weir_rle {
    const uint8_t *at, *end; /* the next run's header; 64 readable bytes after `end` */
    uint32_t width;
    bool is_packed;        /* of the current run */
    uint32_t value;        /* of every one in it, unless it is packed */
    const uint8_t *packed; /* its bytes, if it is */
    uint64_t taken;        /* values of it that were given already */
    uint64_t left;         /* values of it still to come */
    const char *why;       /* set by the call that gave too few; none come after it */
} weir_rle;

/* `width` is at most WEIR_RLE_WIDTH. Width 0 needs no stream: every value is 0, for ever. */
void weir_rle_init(weir_rle *rle, const uint8_t *data, size_t size, uint32_t width);
/* The next `count` values, fewer at the end; dst has room for WEIR_SLACK bytes more. */
size_t weir_rle_next(weir_rle *rle, const weir_kernels *kernels, size_t count, uint32_t *dst);
/* The next `count` codes' entries in `table`, which has one at least; fewer before the end. Where
 * `*most` is not below `entries` some code has none, and what came out is of no use. */
size_t weir_rle_look_up_64(weir_rle *rle, const weir_kernels *kernels, size_t count,
                           const uint64_t *table, size_t entries, uint64_t *dst, uint32_t *most);
size_t weir_rle_skip(weir_rle *rle, size_t count);
/* Whether the next `count` values are one run, of which `value` tells the value; takes nothing. */
bool weir_rle_is_run(weir_rle *rle, size_t count, uint32_t *value);

/* Width 1 only. A run of anything but 0 and 1 ends the stream. */
/* To bits, from bit `at` on; the bits after the last are 0 to the end of its byte, and there is
 * room for WEIR_SLACK bytes more. A packed run is a bitmap as it lies. */
size_t weir_rle_bits(weir_rle *rle, const weir_kernels *kernels, size_t count, uint8_t *bits,
                     size_t at);
/* To bytes of 0 or 1; dst has room for WEIR_SLACK bytes more. */
size_t weir_rle_bools(weir_rle *rle, const weir_kernels *kernels, size_t count, uint8_t *dst);

/* Values `first` to `first + count` of a packed run; at most `ceil((first + count) * width / 8)`
 * bytes of src and the slack after them are read. */
void weir_unpack_from(const weir_kernels *kernels, const uint8_t *src, uint32_t width,
                      uint64_t first, size_t count, uint32_t *dst);
/* A ULEB128 number of at most 64 bits at `*at`, which moves on; false: cut, or more bits. */
bool weir_varint(const uint8_t **at, const uint8_t *end, uint64_t *out);

#endif
