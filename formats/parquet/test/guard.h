/* SPDX-License-Identifier: Apache-2.0
 * guard.h: bytes whose slack ends at a page that can't be read, as a page's plain bytes may lie.
 * The slack holds no zeros, so that a value taken from it shows. */
#ifndef WEIR_PARQUET_TEST_GUARD_H
#define WEIR_PARQUET_TEST_GUARD_H

#include "core/hold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guard {
    uint8_t *base;
    size_t room, page;
} guard;

static inline guard guard_open(size_t most)
{
    guard g = { .page = (size_t)sysconf(_SC_PAGESIZE) };

    g.room = ((most + WEIR_SLACK) / g.page + 2) * g.page;
    g.base = mmap(NULL, g.room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.base == MAP_FAILED || mprotect(g.base + g.room - g.page, g.page, PROT_NONE) != 0) {
        perror("mmap");
        exit(2);
    }
    return g;
}

static inline void guard_close(guard *g)
{
    munmap(g->base, g->room);
}

/* A copy of the bytes, until the next call. */
static inline const uint8_t *guard_place(const guard *g, const void *data, size_t size)
{
    uint8_t *to = g->base + g->room - g->page - WEIR_SLACK - size;

    if (size)
        memcpy(to, data, size);
    memset(to + size, 0xa5, WEIR_SLACK);
    return to;
}

#endif
