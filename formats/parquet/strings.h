/* SPDX-License-Identifier: Apache-2.0
 * strings.h: DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY (parquet-format Encodings.md): lengths
 * packed by themselves, then the bytes of all values; the second leaves out what a value begins
 * with as the one before it did. */
#ifndef WEIR_PARQUET_STRINGS_H
#define WEIR_PARQUET_STRINGS_H

#include "core/work.h"
#include "formats/parquet/delta.h"

#include <weir/base.h>

enum {
    WEIR_STRINGS_SLICE = 512,   /* values given by one call: a cursor is kept for each column */
    WEIR_STRINGS_ROOM = 1 << 20 /* bytes put together by one call, or a single value */
};

typedef struct weir_strings {
    bool has_prefixes;          /* DELTA_BYTE_ARRAY */
    weir_delta prefixes, sizes; /* lengths of what is shared and of what follows */
    const uint8_t *begin;       /* of the page's values */
    const uint8_t *at, *end;    /* bytes of the values to come */
    uint32_t prefix[WEIR_STRINGS_SLICE + WEIR_SLACK / 4];
    uint32_t size[WEIR_STRINGS_SLICE + WEIR_SLACK / 4];
    size_t used, have; /* lengths at hand, and how many of them are done with */
    weir_view last;    /* the value before the next one */
    bool last_is_ours; /* it lies in `scratch`, not in the page */
    weir_hold *scratch;
    const char *why; /* set once a call with status OK gave none, or open failed */
} weir_strings;

/* Begins a page. What was `last` stays so; a stream of its own begins after weir_strings_forget. */
bool weir_strings_open(weir_strings *strings, const uint8_t *data, size_t size, bool has_prefixes);
void weir_strings_forget(weir_strings *strings);
/* Keeps the last value beyond the page it may lie in (PARQUET-246). */
weir_status weir_strings_keep(weir_strings *strings, weir_work *work, weir_error *err);
/* Frees the scratch. */
void weir_strings_fini(weir_strings *strings);

/* The next `count` values, valid until the next call: fewer when they would take too much room, or
 * before a bad one; none at the end or at a bad one. A status only for want of memory. */
weir_status weir_strings_views(weir_strings *strings, weir_work *work, size_t count, weir_view *dst,
                               size_t *done, weir_error *err);
/* The same for values of `width` bytes each (DELTA_BYTE_ARRAY of FIXED_LEN_BYTE_ARRAY); fewer only
 * before a bad one or the end. */
weir_status weir_strings_fixed(weir_strings *strings, weir_work *work, size_t count, size_t width,
                               uint8_t *dst, size_t *done, weir_error *err);

#endif
