/* SPDX-License-Identifier: Apache-2.0
 * pool.c: worker threads. They park on one event and take tickets of crews from one queue. */
#include "core/pool.h"

#include "core/bits.h"
#include "core/error.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPINS = 200,
    TICKETS = 4096
};

/* ---- event ---- */

static void futex(_Atomic(uint32_t) *word, int op, uint32_t value)
{
    syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void weir_event_init(weir_event *event)
{
    atomic_init(&event->count, 0);
    atomic_init(&event->waiters, 0);
}

uint32_t weir_event_look(weir_event *event)
{
    /* Sequentially consistent, as all of an event: a waiter's look, its check and the signaller's
     * change must fall into one order, or a wake-up is lost. */
    return atomic_load(&event->count);
}

void weir_event_wait(weir_event *event, uint32_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&event->count, memory_order_acquire) != seen)
            return;
        relax();
    }
    atomic_fetch_add(&event->waiters, 1);
    while (atomic_load(&event->count) == seen)
        futex(&event->count, FUTEX_WAIT, seen);
    atomic_fetch_sub(&event->waiters, 1);
}

void weir_event_signal(weir_event *event)
{
    atomic_fetch_add(&event->count, 1);
    if (atomic_load(&event->waiters) > 0)
        futex(&event->count, FUTEX_WAKE, INT_MAX);
}

/* ---- crew ---- */

struct weir_pool {
    int threads, started;
    _Atomic(bool) stopped;
    weir_queue queue; /* crews; a ticket each */
    weir_event event;
    pthread_mutex_t mutex; /* of `started` */
    _Atomic(bool) is_started;
    pthread_t thread[];
};

typedef struct seat {
    weir_pool *pool;
    int worker;
} seat;

static void crew_release(weir_crew *crew)
{
    if (atomic_fetch_sub_explicit(&crew->refs, 1, memory_order_acq_rel) == 1)
        free(crew);
}

bool weir_crew_goes_on(const weir_crew *crew)
{
    return !atomic_load_explicit(&crew->stopped, memory_order_relaxed);
}

/* A ticket's life on a thread. The count of those running is raised before `stopped` is read, and
 * weir_crew_close sets `stopped` before it reads the count: one of both sees the other. */
static void serve(weir_crew *crew, int worker)
{
    atomic_fetch_add(&crew->running, 1);
    if (!atomic_load(&crew->stopped))
        while (crew->work(crew->owner, worker))
            if (atomic_load(&crew->stopped))
                break;
    atomic_fetch_sub(&crew->tickets, 1);
    /* A unit that came after the last look and saw this ticket still counted would wait for the
     * next call: look once more. */
    if (!atomic_load(&crew->stopped))
        while (crew->work(crew->owner, worker))
            if (atomic_load(&crew->stopped))
                break;
    atomic_fetch_sub(&crew->running, 1);
    if (atomic_load(&crew->stopped))
        weir_event_signal(&crew->idle);
    crew_release(crew);
}

static void *worker_main(void *argument)
{
    seat *mine = argument;
    weir_pool *pool = mine->pool;
    const int worker = mine->worker;

    free(mine);
    while (!atomic_load(&pool->stopped)) {
        const uint32_t seen = weir_event_look(&pool->event);
        weir_ticket item;

        if (weir_queue_pop(&pool->queue, &item))
            serve(item.a, worker);
        else if (!atomic_load(&pool->stopped))
            weir_event_wait(&pool->event, seen);
    }
    return NULL;
}

/* Threads that can't be started are done without: crews go on with fewer. */
static void start(weir_pool *pool)
{
    if (atomic_load_explicit(&pool->is_started, memory_order_acquire))
        return;
    pthread_mutex_lock(&pool->mutex);
    while (!atomic_load_explicit(&pool->is_started, memory_order_relaxed) &&
           pool->started < pool->threads) {
        seat *its = malloc(sizeof *its);

        if (!its)
            break;
        *its = (seat){ pool, pool->started + 1 };
        if (pthread_create(&pool->thread[pool->started], NULL, worker_main, its) != 0) {
            free(its);
            break;
        }
        pool->started++;
    }
    atomic_store_explicit(&pool->is_started, true, memory_order_release);
    pthread_mutex_unlock(&pool->mutex);
}

weir_status weir_crew_open(weir_pool *pool, int most, bool (*work)(void *owner, int worker),
                           void *owner, weir_crew **out, weir_error *err)
{
    weir_crew *crew = malloc(sizeof *crew);

    if (!crew)
        return weir_fail_memory(err, sizeof *crew);
    atomic_init(&crew->refs, 1);
    atomic_init(&crew->tickets, 0);
    atomic_init(&crew->running, 0);
    atomic_init(&crew->stopped, false);
    crew->most = most;
    crew->pool = pool;
    crew->work = work;
    crew->owner = owner;
    weir_event_init(&crew->idle);
    *out = crew;
    return WEIR_OK;
}

void weir_crew_call(weir_crew *crew)
{
    weir_pool *pool = crew->pool;
    int32_t tickets;

    if (!pool || pool->threads == 0)
        return;
    /* A write even where nothing changes: who gives its ticket back afterwards then sees what the
     * call is for, and who did so before is counted no more. Only reading could fall between. */
    tickets = atomic_fetch_add(&crew->tickets, 0);
    do
        if (tickets >= crew->most)
            return;
    while (!atomic_compare_exchange_weak(&crew->tickets, &tickets, tickets + 1));
    start(pool);
    atomic_fetch_add_explicit(&crew->refs, 1, memory_order_relaxed);
    if (weir_queue_push(&pool->queue, (weir_ticket){ crew, NULL })) {
        weir_event_signal(&pool->event);
    } else { /* the owner does it */
        atomic_fetch_sub(&crew->tickets, 1);
        crew_release(crew);
    }
}

void weir_crew_close(weir_crew *crew)
{
    if (!crew)
        return;
    atomic_store(&crew->stopped, true);
    for (;;) {
        const uint32_t seen = weir_event_look(&crew->idle);

        if (atomic_load(&crew->running) == 0)
            break;
        weir_event_wait(&crew->idle, seen);
    }
    crew_release(crew); /* tickets still queued find it stopped */
}

/* ---- pool ---- */

weir_status weir_pool_open(int threads, weir_pool **out, weir_error *err)
{
    const size_t size = sizeof(weir_pool) + (size_t)threads * sizeof(pthread_t);
    weir_pool *pool = aligned_alloc(64, weir_align64(size));

    if (!pool)
        return weir_fail_memory(err, size);
    if (!weir_queue_init(&pool->queue, TICKETS)) {
        free(pool);
        return weir_fail_memory(err, TICKETS * sizeof(weir_cell));
    }
    pool->threads = threads;
    pool->started = 0;
    atomic_init(&pool->stopped, false);
    atomic_init(&pool->is_started, false);
    weir_event_init(&pool->event);
    pthread_mutex_init(&pool->mutex, NULL);
    *out = pool;
    return WEIR_OK;
}

int weir_pool_threads(const weir_pool *pool)
{
    return pool ? pool->threads : 0;
}

void weir_pool_close(weir_pool *pool)
{
    weir_ticket item;

    if (!pool)
        return;
    atomic_store(&pool->stopped, true);
    weir_event_signal(&pool->event);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->thread[i], NULL);
    while (weir_queue_pop(&pool->queue, &item))
        crew_release(item.a);
    weir_queue_fini(&pool->queue);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}
