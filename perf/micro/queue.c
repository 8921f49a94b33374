/* SPDX-License-Identifier: Apache-2.0
 * queue.c: nanoseconds an item through the queue of tasks from one thread to another, and the share
 * of a core that a thread takes while it waits for an item a millisecond. */
#include "core/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum {
    ITEMS = 2000000,
    SLOW_ITEMS = 300,
    ROUNDS = 5 /* the least of them is printed */
};

typedef struct bench {
    weir_queue queue;
    weir_event filled, emptied;
    long count;
    double cpu; /* of the thread that takes, seconds */
} bench;

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *take_all(void *argument)
{
    bench *b = argument;
    const double begin = now(CLOCK_THREAD_CPUTIME_ID);

    for (long taken = 0; taken < b->count;) {
        const uint32_t seen = weir_event_look(&b->filled);
        weir_ticket item;
        bool got = false;

        while (weir_queue_pop(&b->queue, &item)) {
            taken++;
            got = true;
        }
        if (got)
            weir_event_signal(&b->emptied);
        else
            weir_event_wait(&b->filled, seen);
    }
    b->cpu = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

static void put(bench *b)
{
    for (;;) {
        const uint32_t seen = weir_event_look(&b->emptied);

        if (weir_queue_push(&b->queue, (weir_ticket){ b, b }))
            break;
        weir_event_wait(&b->emptied, seen);
    }
    weir_event_signal(&b->filled);
}

/* Seconds that `count` items took. */
static double run(bench *b, long count, long pause_ns)
{
    const double begin = now(CLOCK_MONOTONIC);
    pthread_t thread;

    b->count = count;
    if (pthread_create(&thread, NULL, take_all, b) != 0)
        return -1;
    for (long i = 0; i < count; i++) {
        put(b);
        if (pause_ns)
            nanosleep(&(struct timespec){ 0, pause_ns }, NULL);
    }
    pthread_join(thread, NULL);
    return now(CLOCK_MONOTONIC) - begin;
}

int main(void)
{
    bench b = { 0 };
    double best = -1, slow;

    weir_event_init(&b.filled);
    weir_event_init(&b.emptied);
    if (!weir_queue_init(&b.queue, 1024))
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        const double took = run(&b, ITEMS, 0);

        best = i == 0 || took < best ? took : best;
    }
    slow = run(&b, SLOW_ITEMS, 1000000);
    printf("The queue of tasks, one thread to another: %.0f ns an item (at most 80 it must be); "
           "%.1f %% of "
           "a core while waiting for an item a millisecond (10 %%).\n",
           best / ITEMS * 1e9, 100 * b.cpu / slow);
    weir_queue_fini(&b.queue);
    return 0;
}
