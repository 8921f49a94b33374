/* SPDX-License-Identifier: Apache-2.0
 * levels.h: definition levels of a flat column (the maximum is 0 or 1) as presence, a bit a row. */
#ifndef WEIR_PARQUET_LEVELS_H
#define WEIR_PARQUET_LEVELS_H

#include "core/work.h"
#include "formats/parquet/rle.h"

#include <weir/base.h>

typedef enum weir_levels_kind {
    WEIR_LEVELS_NONE,   /* there are none: every row is present */
    WEIR_LEVELS_NULL,   /* there are none: every row is null */
    WEIR_LEVELS_HYBRID, /* RLE/bit-packing hybrid of width 1 */
    WEIR_LEVELS_MSB,    /* BIT_PACKED, deprecated: most significant bit first */
    WEIR_LEVELS_LSB     /* the same as Impala wrote it, least significant bit first */
} weir_levels_kind;

typedef struct weir_levels {
    weir_levels_kind kind;
    weir_rle rle;        /* HYBRID */
    const uint8_t *bits; /* MSB, LSB */
    uint64_t at, left;   /* of them: the next bit, and how many there are from it on */
    const char *why;     /* set by the call that failed or gave too few */
} weir_levels;

/* What a page's header says of its levels. */
typedef struct weir_levels_page {
    bool is_optional; /* the column's maximum definition level is 1, else 0 */
    bool is_v2;
    bool is_bit_packed;       /* v1 */
    uint32_t repetition_size; /* v2: bytes before the definition levels, none of our concern */
    uint32_t definition_size; /* v2 */
    int64_t null_count;       /* v2; -1: not said */
    int64_t slot_count;
} weir_levels_page;

/* Finds the levels in a page's plain bytes, and the values after them. */
bool weir_levels_init(weir_levels *levels, const weir_levels_page *page, weir_view plain,
                      weir_view *values);
/* Presence of the next `rows` rows, fewer at the end; `count` tells how many are present. When all
 * are, `present` may be left as it was. It has room for `rows` bits and WEIR_SLACK bytes; at most
 * WEIR_SLICE rows. */
size_t weir_levels_next(weir_levels *levels, const weir_kernels *kernels, size_t rows,
                        uint8_t *present, size_t *count);

#endif
