/* SPDX-License-Identifier: Apache-2.0
 * plain.h: PLAIN (parquet-format Encodings.md) of all eight physical types: values of one width
 * one behind the other, bits, and bytes behind a length of four. */
#ifndef WEIR_PARQUET_PLAIN_H
#define WEIR_PARQUET_PLAIN_H

#include "core/simd/kernels.h"

#include <weir/base.h>

typedef struct weir_plain {
    const uint8_t *at, *end; /* 64 readable bytes after `end` */
    size_t width;            /* of a value; 0: BOOLEAN or BYTE_ARRAY */
    size_t bit;              /* BOOLEAN: the next bit, from `at` */
    const char *why;         /* set by the call that gave too few */
} weir_plain;

void weir_plain_init(weir_plain *plain, const uint8_t *data, size_t size, size_t width);

/* Each gives the next `count` values, fewer at the end. */
size_t weir_plain_fixed(weir_plain *plain, size_t count, uint8_t *dst);
/* Bytes of 0 or 1; dst has room for WEIR_SLACK bytes more. */
size_t weir_plain_bools(weir_plain *plain, const weir_kernels *kernels, size_t count, uint8_t *dst);
/* Views into the page. */
size_t weir_plain_views(weir_plain *plain, size_t count, weir_view *dst);

size_t weir_plain_skip_fixed(weir_plain *plain, size_t count);
size_t weir_plain_skip_bools(weir_plain *plain, size_t count);
size_t weir_plain_skip_views(weir_plain *plain, size_t count);

#endif
