/* SPDX-License-Identifier: Apache-2.0
 * stress_hold.c: threads take, share, pass on and release slabs, while their context goes away
 * under them. Each slab carries what its taker wrote: one that is given out twice shows. */
#include "core/hold.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 4,
    ROUNDS = 20,
    STEPS = 1500,
    SHELF = 32 /* places through which counts pass from thread to thread */
};

typedef struct weir_stage {
    weir_slabs *slabs;
    weir_memory *memory;
    _Atomic(weir_hold *) shelf[SHELF];
    _Atomic(uint64_t) taken, refused;
} weir_stage;

typedef struct weir_actor {
    weir_stage *stage;
    uint32_t seed;
} weir_actor;

static uint32_t draw(weir_actor *actor, uint32_t below)
{
    actor->seed = actor->seed * 1664525 + 1013904223;
    return (actor->seed >> 8) % below;
}

static void fail(const char *what)
{
    fprintf(stderr, "stress_hold: %s\n", what);
    exit(1);
}

/* The first and last bytes are the same as long as nobody else writes to the slab. */
static void sign(weir_hold *hold, uint32_t number)
{
    memcpy(hold->data, &number, sizeof number);
    memcpy(hold->data + hold->size - sizeof number, &number, sizeof number);
}

static void check_and_release(weir_hold *hold)
{
    if (hold && memcmp(hold->data, hold->data + hold->size - 4, 4) != 0)
        fail("two threads have one slab");
    weir_hold_release(hold);
}

/* Takes a slab, and puts up to three counts of it into places, releasing what was there. */
static void step(weir_actor *actor)
{
    weir_stage *stage = actor->stage;
    const size_t size = 16 + draw(actor, draw(actor, 50) ? 20000 : 3000000);
    weir_hold *hold = NULL;

    if (weir_memory_take(stage->memory, size, &hold, NULL) != WEIR_OK) {
        atomic_fetch_add(&stage->refused, 1);
        check_and_release(atomic_exchange(&stage->shelf[draw(actor, SHELF)], NULL));
        return;
    }
    atomic_fetch_add(&stage->taken, 1);
    sign(hold, draw(actor, UINT32_MAX));
    for (uint32_t more = draw(actor, 3); more > 0; more--)
        check_and_release(atomic_exchange(&stage->shelf[draw(actor, SHELF)], weir_hold_keep(hold)));
    check_and_release(atomic_exchange(&stage->shelf[draw(actor, SHELF)], hold));
}

static void *act(void *user)
{
    weir_actor *actor = user;

    for (int i = 0; i < STEPS; i++)
        step(actor);
    weir_memory_release(actor->stage->memory); /* this thread's count */
    return NULL;
}

static void play(weir_stage *stage, uint32_t round)
{
    pthread_t threads[THREADS];
    weir_actor actors[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        actors[i] = (weir_actor){ .stage = stage, .seed = round * THREADS + i };
        weir_memory_keep(stage->memory);
        if (pthread_create(&threads[i], NULL, act, &actors[i]) != 0)
            fail("no thread");
    }
    while (atomic_load(&stage->taken) < THREADS * STEPS / 4)
        sched_yield();
    weir_slabs_close(stage->slabs);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    uint64_t taken = 0, refused = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t limit = round % 2 ? 0 : 4 << 20;
        static weir_stage stage;

        memset(&stage, 0, sizeof stage);
        if (weir_slabs_open(&stage.slabs, NULL) != WEIR_OK ||
            weir_memory_open(stage.slabs, limit, &stage.memory, NULL) != WEIR_OK)
            fail("no memory");
        play(&stage, round);
        for (size_t i = 0; i < SHELF; i++)
            check_and_release(stage.shelf[i]);
        if (weir_memory_used(stage.memory) != 0)
            fail("what was released is still charged");
        if (limit && weir_memory_peak(stage.memory) > limit)
            fail("the limit was passed");
        weir_memory_release(stage.memory);
        taken += stage.taken;
        refused += stage.refused;
    }
    printf("stress_hold: %llu slabs taken, %llu refused by the limit\n", (unsigned long long)taken,
           (unsigned long long)refused);
    return taken > 0 && refused > 0 ? 0 : 1;
}
