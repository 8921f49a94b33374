/* SPDX-License-Identifier: Apache-2.0
 * guard.h: buffers that lie against pages nobody may touch, so that a read or write of one byte too
 * many ends the test. */
#ifndef WEIR_CODECS_TEST_GUARD_H
#define WEIR_CODECS_TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guard {
    uint8_t *map;
    size_t size, page; /* of what may be touched, whole pages; of one page */
} guard;

static inline guard guard_open(size_t room)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    guard g = { NULL, (room / page + 1) * page, page };

    g.map = mmap(NULL, g.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map + page, g.size, PROT_READ | PROT_WRITE) != 0)
        abort();
    return g;
}

static inline void guard_close(guard *g)
{
    munmap(g->map, g->size + 2 * g->page);
}

/* `size` bytes that end at an untouchable page, or begin behind one. */
static inline uint8_t *guard_place(const guard *g, size_t size, bool at_end)
{
    if (size > g->size)
        abort();
    return g->map + g->page + (at_end ? g->size - size : 0);
}

static inline uint8_t *guard_copy(const guard *g, const void *data, size_t size, bool at_end)
{
    uint8_t *const place = guard_place(g, size, at_end);

    if (size > 0)
        memcpy(place, data, size);
    return place;
}

#endif
