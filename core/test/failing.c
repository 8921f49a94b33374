/* SPDX-License-Identifier: Apache-2.0
 * failing.c: the linker sends allocations here (--wrap). */
#include "core/test/failing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static _Atomic(int64_t) seen, first_failing, last_failing = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

static bool fails(void)
{
    const int64_t number = atomic_fetch_add(&seen, 1);

    return number >= atomic_load(&first_failing) && number <= atomic_load(&last_failing);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(align, size);
}

void failing_begin(int64_t first, int64_t count)
{
    atomic_store(&seen, 0);
    atomic_store(&first_failing, first);
    atomic_store(&last_failing, count < INT64_MAX - first ? first + count - 1 : INT64_MAX);
}

int64_t failing_end(void)
{
    atomic_store(&last_failing, -1);
    return atomic_load(&seen);
}
