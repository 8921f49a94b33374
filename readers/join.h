/* SPDX-License-Identifier: Apache-2.0
 * join.h: vectors of leaves to the columns of a batch. A flat column is its leaf's vector; of a
 * nested one, each leaf brought lists, maps and structs of its own, which must agree. */
#ifndef WEIR_READERS_JOIN_H
#define WEIR_READERS_JOIN_H

#include "readers/exchange.h"
#include "readers/plan.h"

/* The next vector of a leaf of the result, and how many rows of it are gone. */
typedef struct weir_piece {
    const weir_vector *vector; /* NULL: the file lacks it */
    int64_t taken;
    int64_t first; /* join.c's own */
    const weir_vector *at;
} weir_piece;

/* Fills lot->columns with `rows` rows; what they point into is kept by the pieces' holds and by
 * what the lot is given to keep. CORRUPT where leaves of a column disagree, naming both: `*good`
 * rows before that can be joined. */
weir_status weir_join(const weir_opened *opened, weir_piece *pieces, int64_t rows, weir_lot *lot,
                      int64_t *good, weir_error *err);

#endif
