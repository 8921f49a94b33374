/* SPDX-License-Identifier: Apache-2.0
 * work.h: what one worker owns while it works for one reader: scratch, codec states, the kernel
 * table, counters. Never shared by two threads at a time. */
#ifndef WEIR_CORE_WORK_H
#define WEIR_CORE_WORK_H

#include "core/arena.h"
#include "core/hold.h"
#include "core/simd/kernels.h"
#include <weir/codec.h>

enum {
    WEIR_SLICE = 2048
}; /* values decoded at once: codes, values and levels stay in L1 and L2 */

/* Of one worker; added up by the reader while it works. */
typedef struct weir_counters {
    _Atomic(uint64_t) bytes_read, pages, plain_bytes, levels, values;
    _Atomic(uint64_t) read_ns, unpack_ns, decode_ns;
} weir_counters;

/* Only the owner counts, so nothing need be locked; others may read. */
static inline void weir_count(_Atomic(uint64_t) *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

typedef struct weir_codec_state {
    const weir_codec *codec;
    void *state;
} weir_codec_state;

typedef struct weir_work {
    const weir_kernels *kernels;
    weir_memory *memory;      /* borrowed from the reader */
    weir_arena scratch;       /* tell and reset around each use */
    weir_codec_state *states; /* one a codec met */
    size_t state_count, state_room;
    weir_counters counters;
    bool verify_sums; /* where the page has one */
} weir_work;

void weir_work_init(weir_work *work, const weir_kernels *kernels, weir_memory *memory);
void weir_work_fini(weir_work *work);
/* The state for `codec`, made on first need; a stateless codec has NULL. */
weir_status weir_work_state(weir_work *work, const weir_codec *codec, void **out, weir_error *err);
/* Monotonic nanoseconds. */
uint64_t weir_now(void);

#endif
