/* SPDX-License-Identifier: Apache-2.0
 * nest.c: levels to offsets and validity. For each scope a bit a level tells whether the level
 * begins a slot there: scope k has one where the definition reaches its elements and the repetition
 * is k or less. All else is counting and picking bits. */
#include "core/nest.h"

#include "core/bits.h"
#include "core/error.h"

#include <string.h>

enum {
    MASK_SIZE = WEIR_NEST_SLICE / 8 + 8
};

#define EACH_BYTE 0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

/* ---- bits of levels ---- */

/* Bit i: byte i of `levels` is at least `least`. The low seven bits are compared by a subtraction
 * that can't borrow from the byte above, the high ones by themselves. */
static uint8_t at_least(uint64_t levels, uint8_t least)
{
    const uint64_t all = EACH_BYTE * least;
    const uint64_t low = (levels | HIGH_BITS) - (all & ~HIGH_BITS);
    const uint64_t high = ((levels & ~all) | (~(levels ^ all) & low)) & HIGH_BITS;

    return (uint8_t)(((high >> 7) * 0x0102040810204080u) >> 56);
}

/* Both level arrays have 8 readable bytes past their end; bits past `count` are 0. */
static void mask_at_least(const uint8_t *levels, size_t count, uint8_t least, uint8_t *mask)
{
    for (size_t i = 0; i < count; i += 8)
        mask[i / 8] = at_least(weir_load64(levels + i), least);
    if (count % 8)
        mask[count / 8] &= (uint8_t)((1u << count % 8) - 1);
    memset(mask + (count + 7) / 8, 0, 8);
}

static void mask_scope(const weir_path *path, unsigned scope, const uint8_t *repetition,
                       const uint8_t *definition, size_t count, uint8_t *mask)
{
    const uint8_t exists = path->exists[scope];
    const uint8_t above = (uint8_t)(scope + 1);

    for (size_t i = 0; i < count; i += 8)
        mask[i / 8] = (uint8_t)(at_least(weir_load64(definition + i), exists) &
                                ~at_least(weir_load64(repetition + i), above));
    if (count % 8)
        mask[count / 8] &= (uint8_t)((1u << count % 8) - 1);
    memset(mask + (count + 7) / 8, 0, 8);
}

static int64_t count_mask(const uint8_t *mask, size_t count)
{
    int64_t bits = 0;

    for (size_t i = 0; i < count; i += 64)
        bits += __builtin_popcountll(weir_load64(mask + i / 8));
    return bits;
}

/* Bits of `bits` where `mask` has one, side by side. */
static uint64_t squeeze(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    unsigned at = 0;

    if (mask == UINT64_MAX)
        return bits;
    for (; mask; mask &= mask - 1)
        out |= (bits >> __builtin_ctzll(mask) & 1) << at++;
    return out;
}

/* Appends the squeezed bits to `to` from bit `at` on; how many of them are set. */
static int64_t squeeze_all(const uint8_t *bits, const uint8_t *mask, size_t count, uint8_t *to,
                           int64_t at)
{
    int64_t set = 0;

    for (size_t i = 0; i < count; i += 64) {
        const uint64_t here = weir_load64(mask + i / 8);
        const uint64_t out = squeeze(weir_load64(bits + i / 8), here);
        const unsigned shift = (unsigned)(at & 7);
        uint8_t *place = to + (at >> 3);
        const uint64_t kept = shift ? place[0] & ((1u << shift) - 1) : 0;
        const uint64_t low = out << shift | kept;
        const uint8_t high = shift ? (uint8_t)(out >> (64 - shift)) : 0;

        memcpy(place, &low, sizeof low);
        place[8] = high;
        at += __builtin_popcountll(here);
        set += __builtin_popcountll(out);
    }
    return set;
}

/* ---- memory ---- */

weir_status weir_nest_init(weir_nest *nest, const weir_path *path, weir_work *work, weir_error *err)
{
    const size_t size = (path->count + 1) * sizeof(weir_nest_column);

    memset(nest, 0, sizeof *nest);
    nest->path = path;
    WEIR_TRY(weir_memory_take(work->memory, size, &nest->hold, err));
    nest->columns = (weir_nest_column *)(void *)nest->hold->data;
    memset(nest->columns, 0, size);
    return WEIR_OK;
}

void weir_nest_fini(weir_nest *nest)
{
    for (uint32_t i = 0; nest->columns && i < nest->path->count; i++)
        weir_hold_release(nest->columns[i].hold);
    weir_hold_release(nest->hold);
    memset(nest, 0, sizeof *nest);
}

static bool has_offsets(const weir_nest_node *node)
{
    return node->type != WEIR_STRUCT;
}

static size_t validity_size(int64_t room)
{
    return ((size_t)room / 8 + WEIR_SLACK + 63) & ~(size_t)63;
}

static size_t column_size(const weir_nest_node *node, int64_t room)
{
    return validity_size(room) +
           (has_offsets(node) ? ((size_t)room + 1) * sizeof(int32_t) + WEIR_SLACK : 0);
}

/* Room for `more` slots; what is there moves along. */
static weir_status reserve(const weir_nest_node *node, weir_nest_column *column, weir_work *work,
                           int64_t more, weir_error *err)
{
    weir_nest_column next = *column;

    if (column->slots + more <= column->room)
        return WEIR_OK;
    next.room = column->room * 2 > WEIR_NEST_SLICE * 2 ? column->room * 2 : WEIR_NEST_SLICE * 2;
    if (next.room < column->slots + more)
        next.room = column->slots + more;
    WEIR_TRY(weir_memory_take(work->memory, column_size(node, next.room), &next.hold, err));
    next.validity = next.hold->data;
    next.offsets =
        has_offsets(node) ? (int32_t *)(void *)(next.hold->data + validity_size(next.room)) : NULL;
    if (column->hold) {
        memcpy(next.validity, column->validity, weir_bits_size(column->slots));
        if (next.offsets)
            memcpy(next.offsets, column->offsets, (size_t)column->slots * sizeof(int32_t));
    }
    weir_hold_release(column->hold);
    *column = next;
    return WEIR_OK;
}

/* ---- adding ---- */

const char *weir_nest_check(const weir_path *path, const uint8_t *repetition,
                            const uint8_t *definition, size_t count, int before)
{
    uint8_t most_repetition = 0, most_definition = 0;

    if (count == 0)
        return NULL;
    if (before < 0 && repetition[0] != 0)
        return "the first repetition level is not 0";
    for (size_t i = 0; i < count; i++) {
        most_repetition = repetition[i] > most_repetition ? repetition[i] : most_repetition;
        most_definition = definition[i] > most_definition ? definition[i] : most_definition;
    }
    if (most_repetition > path->scopes)
        return "a repetition level above the maximum";
    if (most_definition > path->leaf_present)
        return "a definition level above the maximum";
    for (size_t i = 0; most_repetition > 0 && i < count; i++) {
        const uint8_t exists = path->exists[repetition[i]];
        const int previous = i > 0 ? definition[i - 1] : before;

        if (definition[i] < exists || (repetition[i] > 0 && previous < exists))
            return "a repetition level inside a list that is null or empty";
    }
    return NULL;
}

/* A list's slots in `slots`: each begins where so many elements came before. */
static void add_offsets(int32_t *to, int32_t elements, const uint8_t *slots,
                        const uint8_t *elements_mask, size_t count)
{
    for (size_t i = 0; i < count; i += 64) {
        const uint64_t inner = weir_load64(elements_mask + i / 8);
        uint64_t outer = weir_load64(slots + i / 8);

        for (; outer; outer &= outer - 1) {
            const uint64_t below = (outer & -outer) - 1;

            *to++ = elements + (int32_t)__builtin_popcountll(inner & below);
        }
        elements += (int32_t)__builtin_popcountll(inner);
    }
}

static weir_status add_node(weir_nest *nest, uint32_t index, weir_work *work,
                            const uint8_t (*masks)[MASK_SIZE], const int64_t *counts,
                            const uint8_t *definition, size_t count, weir_error *err)
{
    const weir_nest_node *node = &nest->path->nodes[index];
    weir_nest_column *column = &nest->columns[index];
    const int64_t slots = counts[node->scope];

    WEIR_TRY(reserve(node, column, work, slots + 64, err));
    if (node->is_nullable) {
        uint8_t present[MASK_SIZE];

        mask_at_least(definition, count, node->present, present);
        column->nulls += slots - squeeze_all(present, masks[node->scope], count, column->validity,
                                             column->slots);
    }
    if (has_offsets(node))
        add_offsets(column->offsets + column->slots, (int32_t)nest->elements[node->scope + 1],
                    masks[node->scope], masks[node->scope + 1], count);
    column->slots += slots;
    return WEIR_OK;
}

static void add_leaf(const weir_path *path, const uint8_t *mask, const uint8_t *definition,
                     size_t count, int64_t slots, weir_nest_leaf *leaf)
{
    uint8_t present[MASK_SIZE];

    leaf->slots = slots;
    leaf->values = slots;
    if (path->leaf_present == path->exists[path->scopes])
        return; /* required where it is: every slot has a value */
    mask_at_least(definition, count, path->leaf_present, present);
    leaf->values = squeeze_all(present, mask, count, leaf->present, 0);
}

weir_status weir_nest_add(weir_nest *nest, weir_work *work, const uint8_t *repetition,
                          const uint8_t *definition, size_t count, weir_nest_leaf *leaf,
                          weir_error *err)
{
    const weir_path *path = nest->path;
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    uint8_t(*masks)[MASK_SIZE] =
        weir_arena_alloc(&work->scratch, (path->scopes + 1u) * sizeof *masks);
    int64_t counts[WEIR_NEST_LEVELS + 1];
    weir_status status = WEIR_OK;

    if (!masks)
        return weir_fail_memory(err, (path->scopes + 1u) * sizeof *masks);
    for (unsigned k = 0; k <= path->scopes; k++) {
        mask_scope(path, k, repetition, definition, count, masks[k]);
        counts[k] = count_mask(masks[k], count);
        if (nest->elements[k] + counts[k] > INT32_MAX - 64)
            status = weir_fail(err, WEIR_LIMIT, "more than 2^31 elements in one batch");
    }
    for (uint32_t i = 0; status == WEIR_OK && i < path->count; i++)
        status = add_node(nest, i, work, (const uint8_t(*)[MASK_SIZE])masks, counts, definition,
                          count, err);
    if (status == WEIR_OK) {
        add_leaf(path, masks[path->scopes], definition, count, counts[path->scopes], leaf);
        for (unsigned k = 0; k <= path->scopes; k++)
            nest->elements[k] += counts[k];
    }
    weir_arena_reset(&work->scratch, mark);
    return status;
}

/* ---- cutting and finishing ---- */

int64_t weir_nest_cut(weir_nest *nest, const weir_work *work, int64_t rows)
{
    int64_t left = rows;

    nest->elements[0] = rows;
    for (uint32_t i = 0; i < nest->path->count; i++) {
        const weir_nest_node *node = &nest->path->nodes[i];
        weir_nest_column *column = &nest->columns[i];
        const bool is_shorter = left < column->slots;

        if (node->is_nullable && is_shorter)
            column->nulls =
                left - (int64_t)work->kernels->count_bits(column->validity, (size_t)left);
        if (has_offsets(node)) {
            const int64_t elements =
                is_shorter ? column->offsets[left] : nest->elements[node->scope + 1];

            column->slots = left;
            nest->elements[node->scope + 1] = left = elements;
        } else {
            column->slots = left;
        }
    }
    return left;
}

size_t weir_nest_bytes(const weir_nest *nest)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < nest->path->count; i++)
        bytes += (size_t)nest->columns[i].slots * (has_offsets(&nest->path->nodes[i]) ? 4 : 0);
    return bytes;
}

/* Links `hold` so that it is released with `owner`. */
static void tie(weir_hold *owner, weir_hold *hold)
{
    if (!hold)
        return;
    while (owner->with)
        owner = owner->with;
    owner->with = hold;
}

static void fill_vector(const weir_nest *nest, uint32_t index, weir_vector *vectors)
{
    const weir_nest_node *node = &nest->path->nodes[index];
    const weir_nest_column *column = &nest->columns[index];

    vectors[index] = (weir_vector){
        .field = node->field,
        .type = node->type,
        .rows = column->slots,
        .nulls = column->nulls,
        .validity = column->nulls ? column->validity : NULL,
        .offsets = column->offsets,
        .children = &vectors[index + 1],
        .child_count = 1,
    };
}

weir_status weir_nest_finish(weir_nest *nest, weir_work *work, weir_hold *leaf_hold,
                             weir_vector **out, weir_hold **hold, weir_error *err)
{
    const weir_path *path = nest->path;
    weir_vector *vectors;

    for (uint32_t i = 0; i < path->count; i++) /* even a column without slots has an offset */
        WEIR_TRY(reserve(&path->nodes[i], &nest->columns[i], work, 1, err));
    WEIR_TRY(weir_memory_take(work->memory, (path->count + 1) * sizeof *vectors, hold, err));
    vectors = (weir_vector *)(void *)(*hold)->data;
    for (uint32_t i = 0; i < path->count; i++) {
        weir_nest_column *column = &nest->columns[i];

        if (column->offsets)
            column->offsets[column->slots] = (int32_t)nest->elements[path->nodes[i].scope + 1];
        fill_vector(nest, i, vectors);
        tie(*hold, column->hold);
        column->hold = NULL;
    }
    tie(*hold, leaf_hold);
    *out = vectors;
    weir_nest_fini(nest);
    return WEIR_OK;
}
