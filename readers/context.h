/* SPDX-License-Identifier: Apache-2.0
 * context.h: what datasets and readers share: threads, codecs, recycled memory, kernels. */
#ifndef WEIR_READERS_CONTEXT_H
#define WEIR_READERS_CONTEXT_H

#include "core/chain.h"
#include "core/hold.h"
#include "core/pool.h"
#include "core/simd/kernels.h"
#include "plugins/registry.h"
#include <weir/weir.h>

struct weir_context {
    _Atomic(int32_t) refs;
    int threads; /* the caller's included */
    int process; /* who made it: after a fork its threads are gone */
    const weir_kernels *kernels;
    weir_registry *registry;
    weir_slabs *slabs;
    weir_pool *pool; /* threads - 1 workers; NULL: none */
    weir_codecs_finder finder;
};

weir_context *weir_context_keep(weir_context *context);
/* BAD_CALL in a process that was forked off. */
weir_status weir_context_check(const weir_context *context, weir_error *err);

/* Calls `step` for 0 to count - 1 on all threads; returns when all are done. Steps that fail keep
 * their failure to themselves. */
void weir_context_each(weir_context *context, int64_t count,
                       void (*step)(void *user, int64_t index), void *user);

#endif
