/* SPDX-License-Identifier: Apache-2.0
 * queue.h: bounded queue of 16-byte items, many producers and many consumers, without a lock:
 * cells with sequence numbers (Vyukov). Joins the steps to the workers: tasks of a reader, crews
 * of a pool. A full queue refuses; nothing here waits. */
#ifndef WEIR_CORE_QUEUE_H
#define WEIR_CORE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct weir_ticket {
    void *a, *b;
} weir_ticket;

typedef struct weir_cell {
    _Atomic(size_t) turn; /* index: free for that push; index + 1: filled for that pop */
    weir_ticket item;
} weir_cell;

typedef struct weir_queue {
    weir_cell *cells;
    size_t mask;
    _Alignas(64) _Atomic(size_t) tail; /* next push */
    _Alignas(64) _Atomic(size_t) head; /* next pop */
} weir_queue;

/* Room for at least `room` items; false: no memory. */
static inline bool weir_queue_init(weir_queue *queue, size_t room)
{
    size_t count = 2;

    while (count < room)
        count *= 2;
    queue->cells = malloc(count * sizeof *queue->cells);
    if (!queue->cells)
        return false;
    for (size_t i = 0; i < count; i++)
        atomic_init(&queue->cells[i].turn, i);
    queue->mask = count - 1;
    atomic_init(&queue->tail, 0);
    atomic_init(&queue->head, 0);
    return true;
}

static inline void weir_queue_fini(weir_queue *queue)
{
    free(queue->cells);
    queue->cells = NULL;
}

static inline bool weir_queue_push(weir_queue *queue, weir_ticket item)
{
    size_t at = atomic_load_explicit(&queue->tail, memory_order_relaxed);

    for (;;) {
        weir_cell *cell = &queue->cells[at & queue->mask];
        /* Pairs with the release in pop: the old item was copied out before the cell is free. */
        const size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);

        if (turn == at) {
            if (!atomic_compare_exchange_weak_explicit(&queue->tail, &at, at + 1,
                                                       memory_order_relaxed, memory_order_relaxed))
                continue;
            cell->item = item;
            /* Pairs with the acquire in pop: the item is written before it is announced. */
            atomic_store_explicit(&cell->turn, at + 1, memory_order_release);
            return true;
        }
        if ((ptrdiff_t)(turn - at) < 0)
            return false;
        at = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    }
}

static inline bool weir_queue_pop(weir_queue *queue, weir_ticket *out)
{
    size_t at = atomic_load_explicit(&queue->head, memory_order_relaxed);

    for (;;) {
        weir_cell *cell = &queue->cells[at & queue->mask];
        /* Pairs with the release in push. */
        const size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);

        if (turn == at + 1) {
            if (!atomic_compare_exchange_weak_explicit(&queue->head, &at, at + 1,
                                                       memory_order_relaxed, memory_order_relaxed))
                continue;
            *out = cell->item;
            /* Pairs with the acquire in push. */
            atomic_store_explicit(&cell->turn, at + queue->mask + 1, memory_order_release);
            return true;
        }
        if ((ptrdiff_t)(turn - (at + 1)) < 0)
            return false;
        at = atomic_load_explicit(&queue->head, memory_order_relaxed);
    }
}

/* A hint: it may be stale when it comes back. Sequentially consistent, so that who announces
 * itself as asleep and then sees an empty queue is seen by who pushes afterwards. */
static inline bool weir_queue_is_empty(weir_queue *queue)
{
    return atomic_load(&queue->tail) == atomic_load(&queue->head);
}

#endif
