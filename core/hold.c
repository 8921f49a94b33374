/* SPDX-License-Identifier: Apache-2.0
 * hold.c: counted memory. A slab is one allocation: the hold, its bytes, and the slack. Slabs that
 * nobody holds wait in lists, one for each size class and shard; four classes to a doubling waste a
 * fifth at most. A thread has a shard: what it lets go of is the first that it gets again, for
 * writing to what lies in another core's cache costs as much as decoding does. A list has its own
 * lock, taken for a push or a pop, so workers hardly ever meet. */
#include "core/hold.h"

#include "core/error.h"
#include "core/poison.h"
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,
    CLASS_LEAST_LOG = 8, /* 256 bytes */
    CLASS_COUNT = 121,   /* the last one is 256 GiB */
    CLASS_NONE = CLASS_COUNT,
    SHARDS = 8
};

static const size_t kept_least = (size_t)64 << 20;

typedef struct weir_class {
    _Alignas(ALIGN) pthread_mutex_t lock;
    weir_hold *free;
} weir_class;

struct weir_slabs {
    _Atomic(int64_t) refs;   /* the owner and each weir_memory */
    _Atomic(bool) is_closed; /* read under a class's lock */
    _Atomic(uint64_t) fresh;
    _Atomic(size_t) used; /* in slabs that are held */
    _Atomic(size_t) peak; /* of `used`; see slabs_bound */
    _Atomic(size_t) kept; /* in free slabs */
    weir_class classes[SHARDS][CLASS_COUNT];
};

struct weir_memory {
    _Atomic(int64_t) refs; /* the owner and each hold */
    weir_slabs *slabs;
    size_t limit; /* 0: none */
    _Atomic(size_t) used, peak;
};

static_assert(sizeof(weir_hold) <= ALIGN, "a hold fits before its bytes");

/* Class c holds (4 + c % 4) << (6 + c / 4) bytes: 256, 320, 384, 448, 512, 640 ... */
static size_t class_size(uint32_t index)
{
    return (size_t)(4 + index % 4) << (CLASS_LEAST_LOG - 2 + index / 4);
}

static uint32_t class_of(size_t size)
{
    uint32_t log, index;

    if (size <= class_size(0))
        return 0;
    log = 63u - (uint32_t)__builtin_clzll(size - 1); /* 2^log < size <= 2^(log + 1) */
    index = 4 * (log - CLASS_LEAST_LOG) + (uint32_t)((size - 1) >> (log - 2)) - 3;
    return index < CLASS_COUNT ? index : CLASS_NONE;
}

static void raise_peak(_Atomic(size_t) *peak, size_t used)
{
    size_t seen = atomic_load_explicit(peak, memory_order_relaxed);

    /* Relaxed: a number to look at; nothing is read through it. */
    while (seen < used && !atomic_compare_exchange_weak_explicit(
                              peak, &seen, used, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void slab_free(weir_hold *hold)
{
    WEIR_UNPOISON(hold->data, hold->size + WEIR_SLACK);
    free(hold);
}

static weir_hold *slab_new(weir_slabs *slabs, uint32_t size_class)
{
    const size_t size = class_size(size_class);
    weir_hold *hold = aligned_alloc(ALIGN, ALIGN + size + WEIR_SLACK);

    if (!hold)
        return NULL;
    *hold = (weir_hold){ .size_class = size_class, .data = (uint8_t *)hold + ALIGN, .size = size };
    atomic_fetch_add_explicit(&slabs->fresh, 1, memory_order_relaxed);
    return hold;
}

/* The calling thread's. */
static uint32_t own_shard(void)
{
    static _Atomic(uint32_t) threads;
    static _Thread_local uint32_t number; /* from 1 on */

    if (number == 0)
        number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % SHARDS + 1;
    return number - 1;
}

static weir_hold *class_pop(weir_slabs *slabs, uint32_t shard, uint32_t size_class)
{
    weir_class *class = &slabs->classes[shard][size_class];
    weir_hold *hold;

    pthread_mutex_lock(&class->lock);
    hold = class->free;
    if (hold)
        class->free = hold->next;
    pthread_mutex_unlock(&class->lock);
    if (hold) {
        atomic_fetch_sub_explicit(&slabs->kept, hold->size, memory_order_relaxed);
        WEIR_UNPOISON(hold->data, hold->size + WEIR_SLACK);
    }
    return hold;
}

static void class_push(weir_slabs *slabs, weir_hold *hold)
{
    weir_class *class = &slabs->classes[own_shard()][hold->size_class];
    bool is_closed;

    WEIR_POISON(hold->data, hold->size + WEIR_SLACK);
    atomic_fetch_add_explicit(&slabs->kept, hold->size, memory_order_relaxed);
    pthread_mutex_lock(&class->lock);
    /* The lock orders this against weir_slabs_close, which sets the flag before it empties the
     * list under the same lock: no slab is pushed after that. */
    is_closed = atomic_load_explicit(&slabs->is_closed, memory_order_relaxed);
    if (!is_closed) {
        hold->next = class->free;
        class->free = hold;
    }
    pthread_mutex_unlock(&class->lock);
    if (is_closed) {
        atomic_fetch_sub_explicit(&slabs->kept, hold->size, memory_order_relaxed);
        slab_free(hold);
    }
}

/* Frees waiting slabs, the large ones first, until `size` bytes are freed or none waits. */
static void slabs_trim(weir_slabs *slabs, size_t size)
{
    size_t freed = 0;

    for (uint32_t i = CLASS_COUNT * SHARDS; i-- > 0 && freed < size;) {
        weir_hold *hold;

        while (freed < size && (hold = class_pop(slabs, i % SHARDS, i / SHARDS))) {
            freed += hold->size;
            slab_free(hold);
        }
    }
}

/* Before `size` fresh bytes: slabs of classes that are no longer asked for make room, so that held
 * and waiting ones together stay below half as much again as was once held. A reader that goes on
 * as it began stays below that, and so never frees. */
static void slabs_bound(weir_slabs *slabs, size_t size)
{
    const size_t peak = atomic_load_explicit(&slabs->peak, memory_order_relaxed);
    const size_t most = peak + peak / 2 > kept_least ? peak + peak / 2 : kept_least;
    const size_t total = atomic_load_explicit(&slabs->used, memory_order_relaxed) +
                         atomic_load_explicit(&slabs->kept, memory_order_relaxed) + size;

    if (total > most)
        slabs_trim(slabs, total - most);
}

/* A slab that waits, of the thread's own shard if there is one, or a fresh one. */
static weir_hold *slab_get(weir_slabs *slabs, uint32_t size_class)
{
    const uint32_t own = own_shard();
    weir_hold *hold = NULL;

    for (uint32_t i = 0; i < SHARDS && !hold; i++)
        hold = class_pop(slabs, (own + i) % SHARDS, size_class);
    if (hold)
        return hold;
    slabs_bound(slabs, class_size(size_class));
    hold = slab_new(slabs, size_class);
    if (hold)
        return hold;
    slabs_trim(slabs, SIZE_MAX); /* what waits in other classes may be what the system lacks */
    return slab_new(slabs, size_class);
}

static void slabs_release(weir_slabs *slabs)
{
    /* acq_rel: the last one to let go sees what all others did before they let go. */
    if (atomic_fetch_sub_explicit(&slabs->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < CLASS_COUNT * SHARDS; i++)
        pthread_mutex_destroy(&slabs->classes[i % SHARDS][i / SHARDS].lock);
    free(slabs);
}

/* Adds `size` to what is used, unless the limit would be passed. */
static bool charge(weir_memory *memory, size_t size, size_t *used)
{
    *used = atomic_load_explicit(&memory->used, memory_order_relaxed);
    do {
        const size_t most = memory->limit ? memory->limit : SIZE_MAX;

        if (*used > most || size > most - *used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&memory->used, used, *used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    raise_peak(&memory->peak, *used + size);
    return true;
}

static void discharge(weir_memory *memory, size_t size)
{
    atomic_fetch_sub_explicit(&memory->used, size, memory_order_relaxed);
}

weir_status weir_slabs_open(weir_slabs **out, weir_error *err)
{
    weir_slabs *slabs = aligned_alloc(ALIGN, sizeof *slabs);

    if (!slabs)
        return weir_fail_memory(err, sizeof *slabs);
    memset(slabs, 0, sizeof *slabs);
    atomic_init(&slabs->refs, 1);
    for (uint32_t i = 0; i < CLASS_COUNT * SHARDS; i++) /* can't fail without attributes */
        pthread_mutex_init(&slabs->classes[i % SHARDS][i / SHARDS].lock, NULL);
    *out = slabs;
    return WEIR_OK;
}

void weir_slabs_close(weir_slabs *slabs)
{
    if (!slabs)
        return;
    atomic_store_explicit(&slabs->is_closed, true, memory_order_relaxed);
    slabs_trim(slabs, SIZE_MAX);
    slabs_release(slabs);
}

uint64_t weir_slabs_fresh(const weir_slabs *slabs)
{
    return atomic_load_explicit(&slabs->fresh, memory_order_relaxed);
}

weir_status weir_memory_open(weir_slabs *slabs, size_t limit, weir_memory **out, weir_error *err)
{
    weir_memory *memory = malloc(sizeof *memory);

    if (!memory)
        return weir_fail_memory(err, sizeof *memory);
    *memory = (weir_memory){ .slabs = slabs, .limit = limit };
    atomic_init(&memory->refs, 1);
    atomic_fetch_add_explicit(&slabs->refs, 1, memory_order_relaxed);
    *out = memory;
    return WEIR_OK;
}

void weir_memory_keep(weir_memory *memory)
{
    /* Relaxed: whoever keeps has a count already, so it can't fall to 0 meanwhile. */
    atomic_fetch_add_explicit(&memory->refs, 1, memory_order_relaxed);
}

void weir_memory_release(weir_memory *memory)
{
    /* acq_rel: as in slabs_release. */
    if (!memory || atomic_fetch_sub_explicit(&memory->refs, 1, memory_order_acq_rel) != 1)
        return;
    slabs_release(memory->slabs);
    free(memory);
}

size_t weir_memory_used(const weir_memory *memory)
{
    return atomic_load_explicit(&memory->used, memory_order_relaxed);
}

size_t weir_memory_peak(const weir_memory *memory)
{
    return atomic_load_explicit(&memory->peak, memory_order_relaxed);
}

weir_status weir_memory_take(weir_memory *memory, size_t size, weir_hold **out, weir_error *err)
{
    weir_slabs *slabs = memory->slabs;
    const uint32_t size_class = class_of(size);
    const size_t slab_size = size_class == CLASS_NONE ? size : class_size(size_class);
    weir_hold *hold = NULL;
    size_t used;

    if (!charge(memory, slab_size, &used))
        return weir_fail(err, WEIR_LIMIT,
                         "%zu bytes more are needed while %zu are in use: %zu in all, and the "
                         "memory limit is %zu",
                         slab_size, used, used + slab_size, memory->limit);
    if (size_class != CLASS_NONE)
        hold = slab_get(slabs, size_class);
    if (!hold) {
        discharge(memory, slab_size);
        return weir_fail_memory(err, size);
    }
    used = atomic_fetch_add_explicit(&slabs->used, slab_size, memory_order_relaxed) + slab_size;
    raise_peak(&slabs->peak, used);
    weir_memory_keep(memory);
    hold->memory = memory;
    hold->next = hold->with = NULL;
    atomic_store_explicit(&hold->refs, 1, memory_order_relaxed);
    *out = hold;
    return WEIR_OK;
}

weir_status weir_memory_grow(weir_memory *memory, weir_hold **hold, size_t kept, size_t size,
                             weir_error *err)
{
    weir_hold *larger;

    assert(kept <= (*hold)->size && kept <= size);
    if (size <= (*hold)->size)
        return WEIR_OK;
    WEIR_TRY(weir_memory_take(memory, size, &larger, err));
    memcpy(larger->data, (*hold)->data, kept);
    weir_hold_release(*hold);
    *hold = larger;
    return WEIR_OK;
}

weir_status weir_hold_foreign(const void *data, size_t size, void (*let_go)(weir_hold *),
                              void *user, weir_hold **out, weir_error *err)
{
    weir_hold *hold = malloc(sizeof *hold);

    if (!hold)
        return weir_fail_memory(err, sizeof *hold);
    *hold = (weir_hold){ .size_class = CLASS_NONE,
                         .data = (uint8_t *)(uintptr_t)data,
                         .size = size,
                         .let_go = let_go,
                         .user = user };
    atomic_init(&hold->refs, 1);
    *out = hold;
    return WEIR_OK;
}

weir_hold *weir_hold_keep(weir_hold *hold)
{
    if (hold) /* relaxed: as in weir_memory_keep */
        atomic_fetch_add_explicit(&hold->refs, 1, memory_order_relaxed);
    return hold;
}

void weir_hold_release(weir_hold *hold)
{
    weir_memory *memory;

    /* acq_rel: all use of the bytes comes before they are recycled or unmapped. */
    if (!hold || atomic_fetch_sub_explicit(&hold->refs, 1, memory_order_acq_rel) != 1)
        return;
    weir_hold_release(hold->with); /* a dictionary, which keeps nothing in turn */
    memory = hold->memory;
    if (!memory) {
        if (hold->let_go)
            hold->let_go(hold);
        free(hold);
        return;
    }
    discharge(memory, hold->size);
    atomic_fetch_sub_explicit(&memory->slabs->used, hold->size, memory_order_relaxed);
    hold->memory = NULL;
    class_push(memory->slabs, hold);
    weir_memory_release(memory);
}

bool weir_hold_is_shared(const weir_hold *hold)
{
    /* acquire, pairs with the release of who shared it: they have done with the bytes. */
    return atomic_load_explicit(&hold->refs, memory_order_acquire) != 1;
}
