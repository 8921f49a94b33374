/* SPDX-License-Identifier: Apache-2.0
 * page.h: a page, the least that is unpacked at once, and step 5 of the line: through its codecs.
 */
#ifndef WEIR_CORE_PAGE_H
#define WEIR_CORE_PAGE_H

#include "core/chain.h"
#include "core/window.h"
#include "core/work.h"

typedef enum weir_page_kind {
    WEIR_PAGE_END, /* the one sign for "no more" */
    WEIR_PAGE_DATA,
    WEIR_PAGE_SHARED /* a dictionary: needed by all pages after it */
} weir_page_kind;

enum {
    WEIR_SUM_NONE,
    WEIR_SUM_CRC32,
    WEIR_SUM_XXH3 /* its low 32 bits */
};

/* Described by scan and handed on; from unpack on counted and frozen. */
typedef struct weir_page {
    weir_page_kind kind;
    uint32_t ordinal;        /* in its span, dictionaries not counted; for messages */
    int64_t first_row;       /* in the group; -1: not known */
    int64_t row_count;       /* -1: not known */
    int64_t value_count;     /* slots */
    uint64_t offset;         /* of the packed body in the file */
    uint64_t next;           /* where the next page's header begins */
    uint64_t packed_size;    /* bytes at offset, bare ones included */
    uint64_t plain_size;     /* as declared, bare ones included */
    uint32_t bare_size;      /* leading bytes that no codec touched (v2 levels) */
    const weir_chain *chain; /* NULL: plain as it lies: lent, not copied */
    uint32_t sum_kind, sum;  /* over the packed bytes */
    uint64_t note[4];        /* the format's */
    /* NULL: all of the page is wanted. Else how many plain bytes are, as far as those so far tell:
     * none of them yet, then some. */
    uint64_t (*need)(const struct weir_page *page, weir_view so_far);
    weir_view plain; /* set by unpack; 64 readable bytes follow */
    weir_hold *hold; /* set by unpack; one count */
} weir_page;

/* Reads the page's packed bytes through `window`, verifies its sum, copies the bare bytes, runs
 * the chain, and sets plain and hold (one count, the caller's). An END page passes through. A
 * result longer than declared is CORRUPT; a shorter one is given as it is: decode tells whether
 * the values suffice. */
weir_status weir_page_unpack(weir_page *page, weir_window *window, weir_work *work,
                             weir_error *err);

/* The same through a window of its own. */
weir_status weir_page_unpack_alone(weir_page *page, weir_source *source, weir_work *work,
                                   weir_error *err);
/* What the window read goes to the worker's counters. */
void weir_window_count(weir_window *window, weir_work *work);

#endif
