/* SPDX-License-Identifier: Apache-2.0
 * turn.h: a task of which one instance runs at a time, whoever wants it run. Who changed what the
 * task looks at pokes afterwards; the task looks again after it gave up its turn; so one of both
 * sees the other. For that both must write to the turn: a poke that only read that there is one
 * already could be over before its change is seen, and the task look in between. */
#ifndef WEIR_TURN_H
#define WEIR_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic(uint32_t) weir_turn;

enum {
    WEIR_TURN_IDLE,
    WEIR_TURN_BUSY,
    WEIR_TURN_POKED /* while it runs: it looks once more */
};

/* True: the task is to be run, and the caller sees to it. */
static inline bool weir_turn_poke(weir_turn *turn)
{
    uint32_t seen = atomic_load_explicit(turn, memory_order_relaxed);

    while (!atomic_compare_exchange_weak(turn, &seen,
                                         seen == WEIR_TURN_IDLE ? WEIR_TURN_BUSY : WEIR_TURN_POKED))
        ;
    return seen == WEIR_TURN_IDLE;
}

/* The task's, when it has nothing more to do. True: it was poked meanwhile, and looks again. */
static inline bool weir_turn_keeps(weir_turn *turn)
{
    uint32_t busy = WEIR_TURN_BUSY;

    if (atomic_compare_exchange_strong(turn, &busy, WEIR_TURN_IDLE))
        return false;
    atomic_exchange(turn, WEIR_TURN_BUSY); /* sees the last poke, whenever it came */
    return true;
}

#endif
