/* SPDX-License-Identifier: Apache-2.0
 * arena.h: bump memory with one owner: metadata that lives as long as its file, scratch that lives
 * as long as one call. */
#ifndef WEIR_CORE_ARENA_H
#define WEIR_CORE_ARENA_H

#include <weir/base.h>

typedef struct weir_arena_block weir_arena_block;

typedef struct weir_arena {
    weir_arena_block *blocks; /* newest first */
    weir_arena_block *spare;  /* kept by reset */
    uint8_t *at, *end;
    size_t used; /* bytes asked of the system */
} weir_arena;

typedef struct weir_arena_mark {
    weir_arena_block *block;
    uint8_t *at;
} weir_arena_mark;

void weir_arena_init(weir_arena *arena);
void weir_arena_fini(weir_arena *arena);
/* Aligned to 64, not zeroed, 64 readable bytes after it; NULL: no memory. `size` 0 is allowed. */
void *weir_arena_alloc(weir_arena *arena, size_t size);
/* Aligned to 16, zeroed; count * size checked for overflow. */
void *weir_arena_array(weir_arena *arena, size_t count, size_t size);
/* A terminated copy. */
char *weir_arena_copy(weir_arena *arena, const void *data, size_t size);
weir_arena_mark weir_arena_tell(const weir_arena *arena);
/* Frees, for use again by this arena, all that came after `mark`. */
void weir_arena_reset(weir_arena *arena, weir_arena_mark mark);

#endif
