/* SPDX-License-Identifier: Apache-2.0
 * arena.c: bump memory. Blocks double from 4 KiB to 1 MiB; each ends with bytes that are never
 * given out, so that wide loads past any allocation stay inside it. */
#include "core/arena.h"

#include "core/hold.h"
#include "core/poison.h"
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_LEAST = 4 * 1024,
    BLOCK_MOST = 1024 * 1024,
    ALIGN = 64
};

struct weir_arena_block {
    weir_arena_block *next;
    uint8_t *end; /* WEIR_SLACK bytes follow */
    _Alignas(ALIGN) uint8_t data[];
};

/* The first spare block that has room; spares are few, since blocks double. */
static weir_arena_block *spare_take(weir_arena *arena, size_t size)
{
    for (weir_arena_block **link = &arena->spare; *link; link = &(*link)->next) {
        weir_arena_block *block = *link;

        if ((size_t)(block->end - block->data) >= size) {
            *link = block->next;
            return block;
        }
    }
    return NULL;
}

static weir_arena_block *block_new(weir_arena *arena, size_t size)
{
    size_t room = arena->used < BLOCK_LEAST ? BLOCK_LEAST : arena->used;
    weir_arena_block *block;
    size_t total;

    room = room > BLOCK_MOST ? BLOCK_MOST : room;
    room = room > size ? room : size;
    if (__builtin_add_overflow(room, sizeof *block + WEIR_SLACK + ALIGN - 1, &total))
        return NULL;
    total &= ~(size_t)(ALIGN - 1);
    block = aligned_alloc(ALIGN, total);
    if (!block)
        return NULL;
    arena->used += total;
    block->end = (uint8_t *)block + total - WEIR_SLACK;
    return block;
}

static void *bump(weir_arena *arena, size_t size, size_t align)
{
    size_t pad = (size_t)(-(uintptr_t)arena->at) & (align - 1);
    const size_t left = (size_t)(arena->end - arena->at);
    uint8_t *result;

    if (!arena->blocks || left < pad || left - pad < size) {
        weir_arena_block *block = spare_take(arena, size);

        if (!block)
            block = block_new(arena, size);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->at = block->data;
        arena->end = block->end;
        WEIR_POISON(block->data, (size_t)(block->end - block->data) + WEIR_SLACK);
        pad = 0;
    }
    result = arena->at + pad;
    arena->at = result + size;
    WEIR_UNPOISON(result, size + WEIR_SLACK);
    return result;
}

static void blocks_free(weir_arena_block *block)
{
    while (block) {
        weir_arena_block *next = block->next;

        WEIR_UNPOISON(block->data, (size_t)(block->end - block->data) + WEIR_SLACK);
        free(block);
        block = next;
    }
}

void weir_arena_init(weir_arena *arena)
{
    *arena = (weir_arena){ 0 };
}

void weir_arena_fini(weir_arena *arena)
{
    blocks_free(arena->blocks);
    blocks_free(arena->spare);
    *arena = (weir_arena){ 0 };
}

void *weir_arena_alloc(weir_arena *arena, size_t size)
{
    return bump(arena, size, ALIGN);
}

void *weir_arena_array(weir_arena *arena, size_t count, size_t size)
{
    size_t total;
    void *result;

    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    result = bump(arena, total, 16);
    if (result)
        memset(result, 0, total);
    return result;
}

char *weir_arena_copy(weir_arena *arena, const void *data, size_t size)
{
    char *result = size < SIZE_MAX ? bump(arena, size + 1, 1) : NULL;

    if (!result)
        return NULL;
    if (size)
        memcpy(result, data, size);
    result[size] = '\0';
    return result;
}

weir_arena_mark weir_arena_tell(const weir_arena *arena)
{
    return (weir_arena_mark){ .block = arena->blocks, .at = arena->at };
}

void weir_arena_reset(weir_arena *arena, weir_arena_mark mark)
{
    while (arena->blocks != mark.block) {
        weir_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        block->next = arena->spare;
        arena->spare = block;
        WEIR_POISON(block->data, (size_t)(block->end - block->data) + WEIR_SLACK);
    }
    arena->at = mark.at;
    arena->end = mark.block ? mark.block->end : NULL;
    if (mark.block) /* what was given out before the mark keeps its readable end */
        WEIR_POISON(arena->at + WEIR_SLACK, (size_t)(arena->end - arena->at));
}
