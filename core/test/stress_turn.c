/* SPDX-License-Identifier: Apache-2.0
 * stress_turn.c: no poke is lost: one thread changes some numbers, poking after each, and waits
 * until the task has seen them. One that is lost shows as a wait without an end. */
#include "core/turn.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum {
    NUMBERS = 3,
    SECONDS = 2, /* of poking */
    PATIENCE = 10
};

/* On cache lines of their own, so that a change takes its time to be seen. */
typedef struct line {
    _Alignas(64) _Atomic(uint64_t) value;
} line;

static _Alignas(64) weir_turn turn;
static line made[NUMBERS], seen[NUMBERS];
static _Alignas(64) _Atomic(int) submitted;
static _Atomic(int) done, lost;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool wait_for(const line *number, uint64_t value)
{
    double patience = 0;

    for (uint32_t tries = 1; atomic_load_explicit(&number->value, memory_order_acquire) < value;
         tries++) {
        if (tries % 4096)
            continue;
        sched_yield();
        patience = patience > 0 ? patience : now() + PATIENCE;
        if (now() > patience)
            return false;
    }
    return true;
}

static void *poke_often(void *user)
{
    const double end = now() + SECONDS;

    (void)user;
    for (uint64_t i = 1; i % 1024 || now() < end; i++) {
        for (size_t k = 0; k < NUMBERS; k++) {
            atomic_store_explicit(&made[k].value, i, memory_order_release);
            if (weir_turn_poke(&turn))
                atomic_store(&submitted, 1);
        }
        for (size_t k = 0; k < NUMBERS; k++)
            if (!wait_for(&seen[k], i)) {
                atomic_store(&lost, 1);
                atomic_store(&done, 1);
                return NULL;
            }
    }
    atomic_store(&done, 1);
    return NULL;
}

static void run_task(void)
{
    do
        for (size_t k = 0; k < NUMBERS; k++)
            atomic_store_explicit(&seen[k].value,
                                  atomic_load_explicit(&made[k].value, memory_order_acquire),
                                  memory_order_release);
    while (weir_turn_keeps(&turn));
}

int main(void)
{
    pthread_t poker;
    unsigned long long pokes;

    if (pthread_create(&poker, NULL, poke_often, NULL) != 0)
        return 1;
    for (uint32_t tries = 0; !atomic_load(&done); tries++) {
        if (atomic_exchange(&submitted, 0))
            run_task();
        else if (tries % 1024 == 0)
            sched_yield();
    }
    pthread_join(poker, NULL);
    pokes = NUMBERS * atomic_load(&seen[0].value);
    printf("%llu pokes, %s\n", pokes, atomic_load(&lost) ? "one was lost" : "none was lost");
    return atomic_load(&lost) || pokes < 1000;
}
