/* SPDX-License-Identifier: Apache-2.0
 * values.h: the values of one data page whatever their encoding: opened on the first one that is
 * present, since a page of nulls may hold nothing at all, not even a width. */
#ifndef WEIR_PARQUET_VALUES_H
#define WEIR_PARQUET_VALUES_H

#include "core/builder.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/plain.h"
#include "formats/parquet/rle.h"
#include "formats/parquet/split.h"
#include "formats/parquet/strings.h"

typedef enum weir_values_kind {
    WEIR_VALUES_PLAIN_FIXED,
    WEIR_VALUES_PLAIN_BOOLS,
    WEIR_VALUES_PLAIN_VIEWS,
    WEIR_VALUES_CODES,
    WEIR_VALUES_RLE_BOOLS,
    WEIR_VALUES_DELTA_32,
    WEIR_VALUES_DELTA_64,
    WEIR_VALUES_STRINGS,
    WEIR_VALUES_STRINGS_FIXED,
    WEIR_VALUES_SPLIT
} weir_values_kind;

/* How they come out. */
typedef enum weir_values_way {
    WEIR_VALUES_AS_SLOTS, /* fixed size, or a byte a boolean */
    WEIR_VALUES_AS_CODES,
    WEIR_VALUES_AS_VIEWS
} weir_values_way;

typedef struct weir_values {
    weir_values_kind kind;
    weir_values_way way;
    size_t width;
    bool has_prefixes; /* strings: DELTA_BYTE_ARRAY */
    union {
        weir_plain plain;
        weir_rle rle;
        weir_delta delta;
        weir_split split;
        weir_strings *strings; /* the cursor's, since it may outlive the page */
    } in;
    const char *why; /* set by a call that gave too few: see its comment */
} weir_values;

/* "DELTA_BYTE_ARRAY"; for an unknown number "an unknown encoding". */
const char *weir_encoding_name(int32_t encoding);

/* Which kind `encoding` is on `leaf`; UNSUPPORTED: there is no such, or it can't be read yet. */
weir_status weir_values_choose(weir_values *values, const weir_parquet_leaf *leaf, int32_t encoding,
                               weir_error *err);
/* Begins at the page's bytes after the levels; `strings` is used by kinds that need it, `count`,
 * the values of the whole page, by SPLIT. False: `why` says what is wrong with the bytes. */
bool weir_values_open(weir_values *values, weir_view body, weir_strings *strings, size_t count);

/* The next `count` values to dst, which has room for WEIR_SLACK bytes more; fewer before the end
 * or a bad one. A status only for want of memory. */
weir_status weir_values_slots(weir_values *values, weir_work *work, size_t count, void *dst,
                              size_t *done, weir_error *err);
/* Fewer are not yet trouble: none are. */
size_t weir_values_codes(weir_values *values, const weir_kernels *kernels, size_t count,
                         uint32_t *dst);
/* The same; views are valid until the next call. */
weir_status weir_values_views(weir_values *values, weir_work *work, size_t count, weir_view *dst,
                              size_t *done, weir_error *err);
/* Whether views would only be made to be copied: the values may go right from the page to `out`. */
bool weir_values_go_straight(const weir_values *values, const weir_builder *out);
/* The values of the next `rows` rows, see weir_builder_append_prefixed; where nothing is done and
 * the builder isn't full, `why` says what is wrong with the first. */
weir_status weir_values_append(weir_values *values, weir_builder *out, weir_work *work,
                               int64_t rows, const uint8_t *present, int64_t *done,
                               weir_error *err);
/* Passes over the next `count`, fewer before the end or a bad one; `room` takes as many as
 * WEIR_STRINGS_SLICE views where these have to be put together. */
weir_status weir_values_skip(weir_values *values, weir_work *work, size_t count, weir_view *room,
                             size_t *done, weir_error *err);

#endif
