/* SPDX-License-Identifier: Apache-2.0
 * records.h: random records on the way to one leaf, as the truth for tests of levels: they are
 * striped into levels as the Dremel paper says, and walked once more for what Arrow's layout has of
 * them. Nothing here knows how levels are put together again. */
#ifndef WEIR_TEST_RECORDS_H
#define WEIR_TEST_RECORDS_H

#include "core/nest.h"

#include <string.h>

enum {
    NODES_MOST = 12,
    ITEMS_MOST = 40000,
    LEVELS_MOST = 20000
};

/* ---- paths ---- */

/* A way to a leaf: "lsm" are nodes that can be null, "LSM" those that can't; "v" or "V" the leaf.
 */
typedef struct nest_shape {
    weir_nest_node nodes[NODES_MOST];
    weir_path path;
    bool leaf_is_nullable;
} nest_shape;

static inline void make_shape(nest_shape *s, const char *text)
{
    uint8_t level = 0;

    memset(s, 0, sizeof *s);
    s->path.nodes = s->nodes;
    for (; *text && !strchr("vV", *text); text++) {
        weir_nest_node *node = &s->nodes[s->path.count++];

        node->type = strchr("sS", *text) ? WEIR_STRUCT : strchr("lL", *text) ? WEIR_LIST : WEIR_MAP;
        node->is_nullable = *text >= 'a';
        level = (uint8_t)(level + node->is_nullable);
        node->present = level;
        node->scope = s->path.scopes;
        if (node->type != WEIR_STRUCT)
            s->path.exists[++s->path.scopes] = ++level;
    }
    s->leaf_is_nullable = *text == 'v';
    s->path.leaf_present = (uint8_t)(level + s->leaf_is_nullable);
}

static const char *const shapes[] = {
    "lv",    "lV",     "Lv",     "LV",       "mv",       "sv",         "sV",   "Sv",
    "SlV",   "slv",    "lsv",    "LSV",      "lSv",      "llv",        "LLV",  "lLv",
    "mSv",   "msllv",  "lslslv", "sssv",     "SsSV",     "lllv",       "LLLV", "msLv",
    "sLsLV", "llllLv", "ssmsLv", "lSslsSLv", "mmmmmmmv", "sssssssllv",
};
enum {
    SHAPES = sizeof shapes / sizeof *shapes
};

/* ---- records ---- */

/* Items lie one after another, parents first: a null, a struct, a list of `count` items, a value.
 */
typedef struct twig {
    bool is_null;
    int32_t count; /* of a list */
} twig;

typedef struct records {
    const nest_shape *shape;
    twig items[ITEMS_MOST];
    int64_t item_count, row_count;
} records;

static inline uint64_t draw_number(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* `nulls` and `most` of the 16ths and lengths; lists near the end of the room are empty. */
static inline void make_item(records *r, uint32_t depth, uint64_t *seed, uint64_t nulls,
                             uint64_t most)
{
    const nest_shape *s = r->shape;
    const bool is_leaf = depth == s->path.count;
    const bool is_nullable = is_leaf ? s->leaf_is_nullable : s->nodes[depth].is_nullable;
    twig *made = &r->items[r->item_count++];

    made->count = 0;
    made->is_null = is_nullable && draw_number(seed) % 16 < nulls;
    if (made->is_null || is_leaf)
        return;
    if (s->nodes[depth].type == WEIR_STRUCT) {
        make_item(r, depth + 1, seed, nulls, most);
        return;
    }
    made->count = r->item_count > ITEMS_MOST / 2 ? 0 : (int32_t)(draw_number(seed) % (most + 1));
    for (int32_t i = 0; i < made->count; i++)
        make_item(r, depth + 1, seed, nulls, most);
}

static inline void make_records(records *r, const nest_shape *s, int64_t rows, uint64_t seed,
                                uint64_t nulls, uint64_t most)
{
    r->shape = s;
    r->item_count = 0;
    r->row_count = 0;
    while (r->row_count < rows && r->item_count < ITEMS_MOST / 2) {
        make_item(r, 0, &seed, nulls, most);
        r->row_count++;
    }
}

/* ---- striping: "Dremel: Interactive Analysis of Web-Scale Datasets", 4.2 ---- */

typedef struct striped {
    uint8_t repetition[LEVELS_MOST * 2 + 64], definition[LEVELS_MOST * 2 + 64];
    size_t count;
    int64_t rows[LEVELS_MOST]; /* the level that each row begins with */
} striped;

static inline void emit(striped *to, unsigned repetition, unsigned definition)
{
    to->repetition[to->count] = (uint8_t)repetition;
    to->definition[to->count++] = (uint8_t)definition;
}

/* Gives the item after this one. `definition` counts what is there above it. */
static inline int64_t stripe_item(const records *r, int64_t at, uint32_t depth, unsigned repetition,
                                  unsigned definition, unsigned lists, striped *to)
{
    const nest_shape *s = r->shape;
    const twig *here = &r->items[at++];

    if (here->is_null) {
        emit(to, repetition, definition);
        return at;
    }
    definition += depth == s->path.count ? s->leaf_is_nullable : s->nodes[depth].is_nullable;
    if (depth == s->path.count) {
        emit(to, repetition, definition);
        return at;
    }
    if (s->nodes[depth].type == WEIR_STRUCT)
        return stripe_item(r, at, depth + 1, repetition, definition, lists, to);
    if (here->count == 0)
        emit(to, repetition, definition);
    for (int32_t i = 0; i < here->count; i++)
        at = stripe_item(r, at, depth + 1, i == 0 ? repetition : lists + 1, definition + 1,
                         lists + 1, to);
    return at;
}

static inline void stripe(const records *r, striped *to)
{
    int64_t at = 0;

    to->count = 0;
    for (int64_t row = 0; row < r->row_count; row++) {
        to->rows[row] = (int64_t)to->count;
        at = stripe_item(r, at, 0, 0, 0, 0, to);
    }
}

/* ---- the layout that Arrow's spec has of the records ---- */

typedef struct layout_column {
    bool is_null[ITEMS_MOST];
    int32_t length[ITEMS_MOST];
    int64_t slots;
} layout_column;

static layout_column layout[NODES_MOST + 1]; /* the last one in use is the leaf's */

/* A null struct has children all the same: null where they can be, empty where they are lists. */
static inline void lay_nothing(const nest_shape *s, uint32_t depth)
{
    layout_column *column = &layout[depth];
    const bool is_leaf = depth == s->path.count;

    column->is_null[column->slots] = is_leaf || s->nodes[depth].is_nullable;
    column->length[column->slots++] = 0;
    if (!is_leaf && s->nodes[depth].type == WEIR_STRUCT)
        lay_nothing(s, depth + 1);
}

static inline int64_t lay_item(const records *r, int64_t at, uint32_t depth)
{
    const nest_shape *s = r->shape;
    const twig *here = &r->items[at++];
    layout_column *column = &layout[depth];

    if (here->is_null) {
        lay_nothing(s, depth);
        return at;
    }
    column->is_null[column->slots] = false;
    column->length[column->slots++] = here->count;
    if (depth == s->path.count)
        return at;
    if (s->nodes[depth].type == WEIR_STRUCT)
        return lay_item(r, at, depth + 1);
    for (int32_t i = 0; i < here->count; i++)
        at = lay_item(r, at, depth + 1);
    return at;
}

static inline void lay(const records *r, int64_t rows)
{
    int64_t at = 0;

    for (uint32_t i = 0; i <= NODES_MOST; i++)
        layout[i].slots = 0;
    for (int64_t row = 0; row < rows; row++)
        at = lay_item(r, at, 0);
}

#endif
