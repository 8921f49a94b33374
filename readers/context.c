/* SPDX-License-Identifier: Apache-2.0
 * context.c: opening, counting and closing what readers share. */
#include "readers/context.h"

#include "core/error.h"

#include <stdlib.h>
#include <unistd.h>

static weir_status find_codec(void *user, const char *format, uint32_t id, const weir_codec **out,
                              weir_error *err)
{
    weir_context *context = user;

    return weir_registry_find(context->registry, format, id, out, err);
}

static int count_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > 256 ? 256 : (int)cores;
}

weir_status weir_context_open(int threads, weir_context **out, weir_error *err)
{
    weir_context *context;
    weir_status status;

    if (!out || threads < 0 || threads > 1024)
        return weir_fail(err, WEIR_BAD_CALL, "a context has 0 to 1,024 threads");
    context = calloc(1, sizeof *context);
    if (!context)
        return weir_fail_memory(err, sizeof *context);
    atomic_init(&context->refs, 1);
    context->threads = threads ? threads : count_cores();
    context->process = getpid();
    context->kernels = weir_kernels_pick();
    context->finder = (weir_codecs_finder){ find_codec, context };
    status = weir_registry_open(&context->registry, err);
    if (status == WEIR_OK)
        status = weir_slabs_open(&context->slabs, err);
    if (status == WEIR_OK && context->threads > 1)
        status = weir_pool_open(context->threads - 1, &context->pool, err);
    if (status == WEIR_OK)
        *out = context;
    else
        weir_context_close(context);
    return status;
}

weir_context *weir_context_keep(weir_context *context)
{
    atomic_fetch_add_explicit(&context->refs, 1, memory_order_relaxed);
    return context;
}

void weir_context_close(weir_context *context)
{
    /* Releases pair with the last one's acquire: what other holders did is seen before the end. */
    if (!context || atomic_fetch_sub_explicit(&context->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (context->process == getpid()) /* else its threads, and locks they held, are not there */
        weir_pool_close(context->pool);
    if (context->slabs)
        weir_slabs_close(context->slabs);
    weir_registry_close(context->registry);
    free(context);
}

weir_status weir_context_check(const weir_context *context, weir_error *err)
{
    if (context->process == getpid())
        return WEIR_OK;
    return weir_fail(err, WEIR_BAD_CALL,
                     "this context was opened before fork(): open a new one in the child");
}

weir_status weir_context_add_codec(weir_context *context, const struct weir_codec *codec,
                                   weir_error *err)
{
    if (!context || !codec)
        return weir_fail(err, WEIR_BAD_CALL, "no context or no codec");
    return weir_registry_add(context->registry, codec, err);
}

weir_status weir_context_codecs(weir_context *context,
                                void (*visit)(void *user, const weir_codec_info *info), void *user,
                                weir_error *err)
{
    if (!context || !visit)
        return weir_fail(err, WEIR_BAD_CALL, "no context or no visitor");
    return weir_registry_visit(context->registry, visit, user, err);
}

/* ---- the same step for many ---- */

typedef struct each {
    _Atomic(int64_t) next;
    int64_t count;
    void (*step)(void *user, int64_t index);
    void *user;
} each;

static bool each_work(void *owner, int worker)
{
    each *all = owner;
    const int64_t index = atomic_fetch_add_explicit(&all->next, 1, memory_order_relaxed);

    (void)worker;
    if (index >= all->count)
        return false;
    all->step(all->user, index);
    return true;
}

void weir_context_each(weir_context *context, int64_t count,
                       void (*step)(void *user, int64_t index), void *user)
{
    each all = { .count = count, .step = step, .user = user };
    weir_crew *crew = NULL;

    atomic_init(&all.next, 0);
    if (count > 1 && context->pool &&
        weir_crew_open(context->pool, context->threads - 1, each_work, &all, &crew, NULL) ==
            WEIR_OK)
        for (int64_t i = 1; i < count && i < context->threads; i++)
            weir_crew_call(crew);
    while (each_work(&all, 0))
        ;
    weir_crew_close(crew); /* waits for steps in hand */
}
