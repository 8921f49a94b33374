/* SPDX-License-Identifier: Apache-2.0
 * exchange.c: recycled batches. */
#include "readers/exchange.h"

#include "core/error.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

struct weir_exchange {
    _Atomic(int32_t) refs; /* the reader's, and one a batch given out */
    const weir_schema *schema;
    size_t column_count, field_count, leaf_count;
    pthread_mutex_t mutex;
    weir_lot *empty;
};

weir_status weir_exchange_open(const weir_schema *schema, weir_exchange **out, weir_error *err)
{
    weir_exchange *exchange = calloc(1, sizeof *exchange);

    if (!exchange)
        return weir_fail_memory(err, sizeof *exchange);
    atomic_init(&exchange->refs, 1);
    exchange->schema = weir_schema_keep(schema);
    exchange->column_count = (size_t)weir_schema_column_count(schema);
    exchange->field_count = (size_t)weir_schema_field_count(schema);
    exchange->leaf_count = (size_t)weir_schema_leaf_count(schema);
    pthread_mutex_init(&exchange->mutex, NULL);
    *out = exchange;
    return WEIR_OK;
}

void weir_exchange_release(weir_exchange *exchange)
{
    if (!exchange || atomic_fetch_sub_explicit(&exchange->refs, 1, memory_order_acq_rel) != 1)
        return;
    while (exchange->empty) {
        weir_lot *next = exchange->empty->next;

        free(exchange->empty);
        exchange->empty = next;
    }
    weir_schema_release(exchange->schema);
    pthread_mutex_destroy(&exchange->mutex);
    free(exchange);
}

weir_status weir_exchange_take(weir_exchange *exchange, weir_lot **out, weir_error *err)
{
    /* The root and the columns are fields too. */
    const size_t nodes = exchange->field_count - exchange->column_count;
    const size_t holds = exchange->leaf_count + exchange->field_count + 1 + 1;
    const size_t vectors = (exchange->column_count + nodes) * sizeof(weir_vector);
    const size_t size = sizeof(weir_lot) + vectors + holds * sizeof(weir_hold *);
    weir_lot *lot;

    pthread_mutex_lock(&exchange->mutex);
    lot = exchange->empty;
    if (lot)
        exchange->empty = lot->next;
    pthread_mutex_unlock(&exchange->mutex);
    if (!lot) {
        lot = malloc(size);
        if (!lot)
            return weir_fail_memory(err, size);
    }
    memset(lot, 0, size);
    atomic_init(&lot->refs, 1);
    lot->exchange = exchange;
    lot->batch.column_count = exchange->column_count;
    lot->batch.columns = lot->columns;
    lot->nodes = lot->columns + exchange->column_count;
    lot->holds = (weir_hold **)(void *)(lot->nodes + nodes);
    lot->hold_room = holds;
    atomic_fetch_add_explicit(&exchange->refs, 1, memory_order_relaxed);
    *out = lot;
    return WEIR_OK;
}

void weir_lot_keep(weir_lot *lot, weir_hold *hold)
{
    assert(lot->hold_count < lot->hold_room);
    lot->holds[lot->hold_count++] = hold;
}

const weir_batch *weir_batch_keep(const weir_batch *batch)
{
    if (batch) {
        weir_lot *lot = (weir_lot *)(uintptr_t)batch;

        atomic_fetch_add_explicit(&lot->refs, 1, memory_order_relaxed);
    }
    return batch;
}

void weir_batch_release(const weir_batch *batch)
{
    weir_lot *lot = (weir_lot *)(uintptr_t)batch;
    weir_exchange *exchange;

    if (!lot || atomic_fetch_sub_explicit(&lot->refs, 1, memory_order_acq_rel) != 1)
        return;
    exchange = lot->exchange;
    for (size_t i = 0; i < lot->hold_count; i++)
        weir_hold_release(lot->holds[i]);
    pthread_mutex_lock(&exchange->mutex);
    lot->next = exchange->empty;
    exchange->empty = lot;
    pthread_mutex_unlock(&exchange->mutex);
    weir_exchange_release(exchange);
}
