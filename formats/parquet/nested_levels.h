/* SPDX-License-Identifier: Apache-2.0
 * nested_levels.h: the repetition and definition levels of a page of a nested leaf, a byte a level.
 */
#ifndef WEIR_PARQUET_NESTED_LEVELS_H
#define WEIR_PARQUET_NESTED_LEVELS_H

#include "core/work.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/rle.h"

/* One of the two kinds of levels of a page. */
typedef struct weir_level_stream {
    bool is_packed; /* BIT_PACKED, deprecated: most significant bit first */
    uint32_t width; /* bits; 0: all are 0 */
    weir_rle rle;
    const uint8_t *bits;
    uint64_t at, end; /* of the bits */
} weir_level_stream;

typedef struct weir_nested_levels {
    weir_level_stream repetition, definition;
} weir_nested_levels;

/* Finds them in the plain bytes of a DATA page of `leaf`; `body` is what follows them. False: they
 * reach past the page's end. */
bool weir_nested_levels_open(weir_nested_levels *levels, const weir_parquet_leaf *leaf,
                             const weir_page *page, weir_view *body);
/* Whether the next `count` levels are all `level`; takes nothing. */
bool weir_level_stream_is_run(weir_level_stream *in, size_t count, int level);
/* The next `count` levels, fewer at the end. Those beyond 255 are told as 255: above any maximum
 * that is read. `room` takes as many numbers; it and `to` have WEIR_SLACK bytes more. */
size_t weir_level_stream_next(weir_level_stream *in, const weir_kernels *kernels, size_t count,
                              uint32_t *room, uint8_t *to);

#endif
