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

typedef uint8_t nest_mask[MASK_SIZE];

/* Levels that begin a slot in scope `scope`: its elements exist and the repetition is not inside.
 */
static void mask_scope(const weir_path *path, unsigned scope, const weir_kernels *kernels,
                       const uint8_t *repetition, const uint8_t *definition, size_t count,
                       uint8_t *mask)
{
    nest_mask inside;

    kernels->mask_at_least(definition, count, path->exists[scope], mask);
    if (scope == path->scopes)
        return; /* no list is inside */
    kernels->mask_at_least(repetition, count, (uint8_t)(scope + 1), inside);
    for (size_t i = 0; i < count; i += 64) {
        const uint64_t bits = weir_load64(mask + i / 8) & ~weir_load64(inside + i / 8);

        memcpy(mask + i / 8, &bits, sizeof bits);
    }
}

void weir_path_end(weir_path *path, uint32_t last)
{
    path->is_shape = true;
    for (uint32_t i = last + 1; i < path->count; i++)
        if (path->nodes[i].type != WEIR_STRUCT)
            path->hidden++;
    path->count = last + 1;
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
    return weir_align64((size_t)room / 8 + WEIR_SLACK);
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

static bool any_at_least(const weir_kernels *kernels, const uint8_t *levels, size_t count,
                         unsigned least)
{
    nest_mask mask;

    kernels->mask_at_least(levels, count, (uint8_t)least, mask);
    return kernels->count_bits(mask, count) > 0;
}

/* Whether a level goes on in a list of scope `scope` that has no element there, or had none in the
 * level before. */
static bool goes_on_in_nothing(const weir_path *path, const weir_kernels *kernels, unsigned scope,
                               const uint8_t *repetition, const uint8_t *definition, size_t count,
                               int before)
{
    const uint8_t exists = path->exists[scope];
    uint64_t previous = before >= exists;
    nest_mask here, inside, there;

    kernels->mask_at_least(repetition, count, (uint8_t)scope, here);
    kernels->mask_at_least(repetition, count, (uint8_t)(scope + 1), inside);
    kernels->mask_at_least(definition, count, exists, there);
    for (size_t i = 0; i < count; i += 64) {
        const uint64_t is = weir_load64(there + i / 8);
        const uint64_t was = is << 1 | previous;

        if (weir_load64(here + i / 8) & ~weir_load64(inside + i / 8) & ~(is & was))
            return true;
        previous = is >> 63;
    }
    return false;
}

const char *weir_nest_check(const weir_path *path, const weir_kernels *kernels,
                            const uint8_t *repetition, const uint8_t *definition, size_t count,
                            int before)
{
    if (count == 0)
        return NULL;
    if (before < 0 && repetition[0] != 0)
        return "the first repetition level is not 0";
    if (any_at_least(kernels, repetition, count, path->scopes + 1u))
        return "a repetition level above the maximum";
    if (any_at_least(kernels, definition, count, path->leaf_present + 1u))
        return "a definition level above the maximum";
    for (unsigned k = 1; k <= path->scopes; k++)
        if (goes_on_in_nothing(path, kernels, k, repetition, definition, count, before))
            return "a repetition level inside a list that is null or empty";
    return NULL;
}

static weir_status too_many(weir_error *err)
{
    return weir_fail(err, WEIR_LIMIT, "more than 2^31 elements in a row, or in one batch");
}

static weir_status add_node(weir_nest *nest, uint32_t index, weir_work *work,
                            const nest_mask *masks, const int64_t *counts,
                            const uint8_t *definition, size_t count, weir_error *err)
{
    const weir_nest_node *node = &nest->path->nodes[index];
    weir_nest_column *column = &nest->columns[index];
    const weir_kernels *kernels = work->kernels;
    const int64_t slots = counts[node->scope];

    WEIR_TRY(reserve(node, column, work, slots + 64, err));
    if (node->is_nullable) {
        nest_mask present;

        kernels->mask_at_least(definition, count, node->present, present);
        column->nulls +=
            slots - (int64_t)kernels->squeeze_bits(present, masks[node->scope], count,
                                                   column->validity, (size_t)column->slots);
    }
    if (has_offsets(node))
        kernels->list_offsets(masks[node->scope], masks[node->scope + 1], count,
                              (int32_t)nest->elements[node->scope + 1],
                              column->offsets + column->slots);
    column->slots += slots;
    return WEIR_OK;
}

static void add_leaf(const weir_path *path, const weir_kernels *kernels, const uint8_t *mask,
                     const uint8_t *definition, size_t count, int64_t slots, weir_nest_leaf *leaf)
{
    nest_mask present;

    leaf->slots = slots;
    leaf->values = slots;
    if (path->leaf_present == path->exists[path->scopes])
        return; /* required where it is: every slot has a value */
    kernels->mask_at_least(definition, count, path->leaf_present, present);
    leaf->values = (int64_t)kernels->squeeze_bits(present, mask, count, leaf->present, 0);
}

weir_status weir_nest_add(weir_nest *nest, weir_work *work, const uint8_t *repetition,
                          const uint8_t *definition, size_t count, weir_nest_leaf *leaf,
                          weir_error *err)
{
    const weir_path *path = nest->path;
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    const unsigned scopes = path->scopes - path->hidden;
    nest_mask *masks = weir_arena_alloc(&work->scratch, (scopes + 1u) * sizeof *masks);
    int64_t counts[WEIR_NEST_LEVELS + 1];
    weir_status status = WEIR_OK;

    if (!masks)
        return weir_fail_memory(err, (scopes + 1u) * sizeof *masks);
    for (unsigned k = 0; k <= scopes; k++) {
        mask_scope(path, k, work->kernels, repetition, definition, count, masks[k]);
        counts[k] = (int64_t)work->kernels->count_bits(masks[k], count);
        if (nest->elements[k] + counts[k] > INT32_MAX - 64)
            status = too_many(err);
    }
    for (uint32_t i = 0; status == WEIR_OK && i < path->count; i++)
        status = add_node(nest, i, work, (const nest_mask *)masks, counts, definition, count, err);
    if (status == WEIR_OK) {
        if (path->is_shape)
            leaf->slots = leaf->values = 0;
        else
            add_leaf(path, work->kernels, masks[scopes], definition, count, counts[scopes], leaf);
        for (unsigned k = 0; k <= scopes; k++)
            nest->elements[k] += counts[k];
    }
    weir_arena_reset(&work->scratch, mark);
    return status;
}

/* Offsets and validity of `rows` lists, the first of which begins at element `at`; how many of them
 * are null. */
static int64_t put_lists(weir_nest_column *column, const int32_t *lengths, int64_t rows, int32_t at)
{
    int64_t nulls = 0;

    for (int64_t i = 0; i < rows; i++) {
        const int64_t slot = column->slots + i;
        const uint8_t bit = (uint8_t)(1u << (slot & 7));
        const bool is_null = lengths[i] < 0;
        uint8_t *byte = &column->validity[slot >> 3];

        column->offsets[slot] = at;
        *byte = (uint8_t)(is_null ? *byte & ~bit : *byte | bit);
        at += is_null ? 0 : lengths[i];
        nulls += is_null;
    }
    return nulls;
}

weir_status weir_nest_add_lists(weir_nest *nest, weir_work *work, const int32_t *lengths,
                                int64_t rows, int64_t *elements, weir_error *err)
{
    const weir_path *path = nest->path;
    weir_nest_column *column = &nest->columns[0];
    int64_t total = 0;

    for (int64_t i = 0; i < rows; i++)
        total += lengths[i] > 0 ? lengths[i] : 0;
    if (nest->elements[1] + total > INT32_MAX - 64)
        return too_many(err);
    WEIR_TRY(reserve(&path->nodes[0], column, work, rows, err));
    column->nulls += put_lists(column, lengths, rows, (int32_t)nest->elements[1]);
    column->slots += rows;
    for (uint32_t i = 1; i < path->count; i++)
        nest->columns[i].slots += total;
    nest->elements[0] += rows;
    nest->elements[1] += total;
    *elements = total;
    return WEIR_OK;
}

void weir_nest_follow(weir_nest *nest, const weir_nest *leader)
{
    for (uint32_t i = 0; i < nest->path->count; i++) {
        weir_hold *before = nest->columns[i].hold;

        nest->columns[i] = leader->columns[i];
        weir_hold_keep(nest->columns[i].hold);
        weir_hold_release(before);
    }
    memcpy(nest->elements, leader->elements, sizeof nest->elements);
}

static void add_whole_node(const weir_nest *nest, uint32_t index, size_t count)
{
    const weir_nest_node *node = &nest->path->nodes[index];
    weir_nest_column *column = &nest->columns[index];

    if (node->is_nullable)
        weir_bits_fill(column->validity, column->slots, (int64_t)count);
    for (size_t i = 0; has_offsets(node) && i < count; i++)
        column->offsets[column->slots + (int64_t)i] =
            (int32_t)(nest->elements[node->scope + 1] + (int64_t)i);
    column->slots += (int64_t)count;
}

weir_status weir_nest_add_whole(weir_nest *nest, weir_work *work, size_t count,
                                weir_nest_leaf *leaf, weir_error *err)
{
    const weir_path *path = nest->path;
    const unsigned scopes = path->scopes - path->hidden;

    if (weir_nest_most(nest) + (int64_t)count > INT32_MAX - 64)
        return too_many(err);
    for (uint32_t i = 0; i < path->count; i++)
        WEIR_TRY(reserve(&path->nodes[i], &nest->columns[i], work, (int64_t)count + 64, err));
    for (uint32_t i = 0; i < path->count; i++)
        add_whole_node(nest, i, count);
    for (unsigned k = 0; k <= scopes; k++)
        nest->elements[k] += (int64_t)count;
    leaf->slots = leaf->values = path->is_shape ? 0 : (int64_t)count;
    return WEIR_OK;
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

int64_t weir_nest_most(const weir_nest *nest)
{
    int64_t most = 0;

    for (unsigned k = 1; k <= nest->path->scopes; k++)
        most = nest->elements[k] > most ? nest->elements[k] : most;
    return most;
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
    const bool has_children = !nest->path->is_shape || index + 1 < nest->path->count;

    vectors[index] = (weir_vector){
        .field = node->field,
        .type = node->type,
        .form = has_children ? WEIR_PLAIN : WEIR_SHAPE,
        .rows = column->slots,
        .nulls = column->nulls,
        .validity = column->nulls ? column->validity : NULL,
        .offsets = column->offsets,
        .children = has_children ? &vectors[index + 1] : NULL,
        .child_count = has_children,
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
