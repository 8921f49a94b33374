/* SPDX-License-Identifier: Apache-2.0
 * exchange.h: batches going out to the caller and coming back empty. A batch holds its columns'
 * memory and the result's schema, and nothing of the reader: it may outlive all of it. */
#ifndef WEIR_READERS_EXCHANGE_H
#define WEIR_READERS_EXCHANGE_H

#include "core/hold.h"
#include "core/schema.h"
#include <weir/data.h>

typedef struct weir_exchange weir_exchange; /* counted; any thread */

typedef struct weir_lot { /* a batch and what it keeps */
    weir_batch batch;     /* first: weir_batch_keep gets this address */
    _Atomic(int32_t) refs;
    weir_exchange *exchange;
    int32_t file;      /* of its rows */
    int64_t group_end; /* the dataset row after its group */
    struct weir_lot *next;
    weir_vector *nodes; /* a vector a field of the result below its columns */
    weir_hold **holds;  /* what the columns keep; NULL or one count each */
    size_t hold_count, hold_room;
    weir_vector columns[];
} weir_lot;

/* The row of the dataset after its last one. */
static inline int64_t weir_lot_end(const weir_lot *lot)
{
    return weir_batch_number(&lot->batch, lot->batch.rows - 1) + 1;
}

/* For batches of `schema`'s columns. */
weir_status weir_exchange_open(const weir_schema *schema, weir_exchange **out, weir_error *err);
void weir_exchange_release(weir_exchange *exchange);
/* An empty batch with one count; its columns are the taker's to fill. */
weir_status weir_exchange_take(weir_exchange *exchange, weir_lot **out, weir_error *err);
/* The batch lets go of `hold` when it is released. There is room for one a leaf, one a field,
 * and one for the numbers of rows. */
void weir_lot_keep(weir_lot *lot, weir_hold *hold);

#endif
