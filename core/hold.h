/* SPDX-License-Identifier: Apache-2.0
 * hold.h: counted memory: packed bytes, plain pages, dictionaries, vectors, maps. Whoever keeps a
 * pointer into a hold keeps the hold; the last release, on whatever thread, gives the slab back to
 * be used again, since a first touch of fresh memory costs more than decoding what fills it. */
#ifndef WEIR_CORE_HOLD_H
#define WEIR_CORE_HOLD_H

#include <stdatomic.h>
#include <weir/base.h>

enum {
    WEIR_SLACK = 64
}; /* readable bytes after each hold's `size`, for wide loads */

typedef struct weir_slabs weir_slabs;   /* free slabs by size; a context has one; any thread */
typedef struct weir_memory weir_memory; /* what one reader may use; counted; any thread */

typedef struct weir_hold {
    _Atomic(int32_t) refs;
    uint32_t size_class;
    uint8_t *data;
    size_t size; /* usable bytes, at least what was asked for; not zeroed */
    weir_memory *memory;
    struct weir_hold *next;
    struct weir_hold *with;                 /* released with it: the dictionary of codes; or NULL */
    void (*let_go)(struct weir_hold *hold); /* NULL: a slab; else frees foreign memory (a map) */
    void *user;
} weir_hold;

weir_status weir_slabs_open(weir_slabs **out, weir_error *err);
/* Slabs still held live on; they are freed, not recycled, when they come back. */
void weir_slabs_close(weir_slabs *slabs);

/* `limit` bytes, LIMIT beyond; 0: none. Counted: open gives one count; each hold keeps one. */
weir_status weir_memory_open(weir_slabs *slabs, size_t limit, weir_memory **out, weir_error *err);
void weir_memory_keep(weir_memory *memory);
void weir_memory_release(weir_memory *memory);
size_t weir_memory_used(const weir_memory *memory);
size_t weir_memory_peak(const weir_memory *memory);
/* How often fresh memory was asked of the system: stays still once warm. */
uint64_t weir_slabs_fresh(const weir_slabs *slabs);

/* A slab of at least `size` bytes, aligned to 64, with one count. LIMIT says how much was needed
 * and how much the limit is. */
weir_status weir_memory_take(weir_memory *memory, size_t size, weir_hold **out, weir_error *err);
/* Swaps `*hold` for one of at least `size` bytes whose first `kept` are the old one's. For a hold
 * that nobody shares; on failure the old one stays. */
weir_status weir_memory_grow(weir_memory *memory, weir_hold **hold, size_t kept, size_t size,
                             weir_error *err);
/* A hold over foreign bytes; `let_go` frees them and is told the hold's `user`. */
weir_status weir_hold_foreign(const void *data, size_t size, void (*let_go)(weir_hold *),
                              void *user, weir_hold **out, weir_error *err);

/* Both accept NULL. keep returns its argument. */
weir_hold *weir_hold_keep(weir_hold *hold);
void weir_hold_release(weir_hold *hold);
/* Somebody beside the caller, who has a count, has one: the bytes may not be written. */
bool weir_hold_is_shared(const weir_hold *hold);

#endif
