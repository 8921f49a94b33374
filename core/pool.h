/* SPDX-License-Identifier: Apache-2.0
 * pool.h: threads of a context, and the crews they work for. A crew is one reader's or one fold's
 * claim on the pool: its owner has units of work, and any thread may do one. No unit ever waits
 * for another; an owner does its own units too, so it goes on while every thread is busy. */
#ifndef WEIR_CORE_POOL_H
#define WEIR_CORE_POOL_H

#include "core/queue.h"
#include <weir/base.h>

/* An event count: waiters look at `seen`, check what they wait for, then wait; a signal between
 * the look and the wait is not lost. */
typedef struct weir_event {
    _Atomic(uint32_t) count, waiters;
} weir_event;

void weir_event_init(weir_event *event);
uint32_t weir_event_look(weir_event *event);
/* Until a signal came after `seen` was looked at: about 200 tries, then parked in the kernel. */
void weir_event_wait(weir_event *event, uint32_t seen);
void weir_event_signal(weir_event *event);

typedef struct weir_pool weir_pool;

/* `threads` workers, started when the first crew calls. */
weir_status weir_pool_open(int threads, weir_pool **out, weir_error *err);
/* Every crew was stopped before. */
void weir_pool_close(weir_pool *pool);
int weir_pool_threads(const weir_pool *pool);

typedef struct weir_crew {
    _Atomic(int32_t) refs;    /* the owner's, and one a ticket in the pool's queue */
    _Atomic(int32_t) tickets; /* threads called and not yet gone */
    _Atomic(int32_t) running; /* threads inside `work` */
    _Atomic(bool) stopped;
    int32_t most; /* tickets at a time */
    weir_pool *pool;
    /* Does one unit of work; false: there is none. `worker` is 1 to the number of threads; no two
     * threads have the same one. */
    bool (*work)(void *owner, int worker);
    void *owner;
    weir_event idle; /* signalled when a thread leaves a stopped crew */
} weir_crew;

/* `pool` may be NULL: then nobody comes. `most` threads at a time. */
weir_status weir_crew_open(weir_pool *pool, int most, bool (*work)(void *owner, int worker),
                           void *owner, weir_crew **out, weir_error *err);
/* There is a new unit of work: one more thread comes if one is free. Any thread. */
void weir_crew_call(weir_crew *crew);
/* Nobody is inside `work` afterwards, nor will be. The owner may be freed. */
void weir_crew_close(weir_crew *crew);
/* False once weir_crew_close began: units in hand should end soon. */
bool weir_crew_goes_on(const weir_crew *crew);

#endif
