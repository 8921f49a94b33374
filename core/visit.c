/* SPDX-License-Identifier: Apache-2.0
 * visit.c: the tree of a value, walked without knowing its schema; fields and keys looked up.
 * Beside the line: what users and the printed forms stand on. */
#include "core/logical.h"

#include <string.h>

/* ---- the walk ---- */

typedef struct frame { /* an open struct, list or map */
    weir_visit at;
    int64_t first; /* row of its first element in the child; of a struct, its row in all children */
    int64_t next;
} frame;

/* Rows of children[0] that are a list's or map's elements. */
static int64_t elements_of(const weir_vector *v, int64_t row, int64_t *first)
{
    const int32_t *offsets = v->offsets + v->first + row;

    *first = offsets[0];
    return offsets[1] - offsets[0];
}

static bool is_open(const weir_vector *v, int64_t row, int depth)
{
    return v->type >= WEIR_LIST && v->form != WEIR_SHAPE && depth < WEIR_VISIT_DEPTH &&
           !weir_is_null(v, row);
}

static frame open_frame(const weir_visit *at)
{
    frame f = { .at = *at, .first = at->row };

    f.at.kind = WEIR_VISIT_OPEN;
    f.at.count = at->vector->type == WEIR_STRUCT ? (int64_t)at->vector->child_count
                                                 : elements_of(at->vector, at->row, &f.first);
    return f;
}

/* What is next inside: a field of a struct, an element of a list. */
static weir_visit step_in(frame *f)
{
    const bool is_struct = f->at.vector->type == WEIR_STRUCT;
    const int64_t i = f->next++;

    return (weir_visit){
        .kind = WEIR_VISIT_VALUE,
        .depth = f->at.depth + 1,
        .vector = &f->at.vector->children[is_struct ? i : 0],
        .row = f->first + (is_struct ? 0 : i),
        .parent = f->at.vector,
        .index = i,
    };
}

bool weir_value_visit(const weir_vector *v, int64_t row,
                      bool (*visit)(void *user, const weir_visit *at), void *user)
{
    weir_visit at = { .kind = WEIR_VISIT_VALUE, .vector = v, .row = row };
    frame frames[WEIR_VISIT_DEPTH];
    int depth = 0;

    for (;;) {
        if (!is_open(at.vector, at.row, at.depth)) {
            if (!visit(user, &at))
                return false;
        } else {
            frames[depth] = open_frame(&at);
            if (!visit(user, &frames[depth++].at))
                return false;
        }
        while (depth > 0 && frames[depth - 1].next == frames[depth - 1].at.count) {
            frames[--depth].at.kind = WEIR_VISIT_CLOSE;
            if (!visit(user, &frames[depth].at))
                return false;
        }
        if (depth == 0)
            return true;
        at = step_in(&frames[depth - 1]);
    }
}

/* ---- lookups ---- */

static bool has_name(const weir_vector *v, const char *name)
{
    const size_t size = strlen(name);

    return v->field->name.size == size && memcmp(v->field->name.data, name, size) == 0;
}

int weir_field_find(const weir_vector *v, const char *name)
{
    int found = -1;

    if ((v->type == WEIR_LIST || v->type == WEIR_MAP) && v->child_count > 0)
        v = &v->children[0];
    for (size_t i = 0; v->type == WEIR_STRUCT && i < v->child_count; i++) {
        if (!has_name(&v->children[i], name))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* The keys of a map's row, from `first` on; 0: there are none. */
static int64_t keys_of(const weir_vector *v, int64_t row, const weir_vector **keys, int64_t *first)
{
    if (v->type != WEIR_MAP || v->form == WEIR_SHAPE || weir_is_null(v, row) ||
        v->children[0].child_count == 0)
        return 0;
    *keys = &v->children[0].children[0];
    return elements_of(v, row, first);
}

int64_t weir_map_entry(const weir_vector *v, int64_t row, weir_view key)
{
    const weir_vector *keys;
    int64_t first, i = keys_of(v, row, &keys, &first);

    while (i-- > 0) {
        weir_cell cell;
        weir_view found;

        if (!weir_cell_find(keys, first + i, &cell) ||
            (cell.type != WEIR_BYTES && cell.type != WEIR_FIXED))
            continue;
        found = weir_bytes(cell.vector, cell.row);
        if (found.size == key.size &&
            (key.size == 0 || memcmp(found.data, key.data, key.size) == 0))
            return i;
    }
    return -1;
}

int64_t weir_map_entry_i64(const weir_vector *v, int64_t row, int64_t key)
{
    const weir_vector *keys;
    int64_t first, i = keys_of(v, row, &keys, &first), found;

    while (i-- > 0)
        if (weir_value_i64(keys, first + i, &found) && found == key)
            return i;
    return -1;
}
