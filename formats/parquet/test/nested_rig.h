/* SPDX-License-Identifier: Apache-2.0
 * nested_rig.h: one nested column chunk of int32 without a file: levels made from records
 * (core/test/records.h) as pages cut anywhere, and what the cursor gives held against the records.
 */
#ifndef WEIR_PARQUET_TEST_NESTED_RIG_H
#define WEIR_PARQUET_TEST_NESTED_RIG_H

#include "core/bits.h"
#include "core/test/records.h"
#include "encode.h"
#include "guard.h"
#include "rig.h"

#include <weir/value.h>

typedef struct nested_rig {
    rig r;
    nest_shape s;
} nested_rig;

/* The rig stays where it is: the target points into it. */
static inline void nested_rig_init(nested_rig *n, const char *text)
{
    rig_init(&n->r, WEIR_PARQUET_INT32, 4, false, weir_kernels_pick());
    make_shape(&n->s, text);
    for (uint32_t i = 0; i < n->s.path.count; i++)
        n->s.nodes[i].field = &n->r.field;
    n->r.leaf.max_definition = n->s.path.leaf_present;
    n->r.leaf.max_repetition = n->s.path.scopes;
    n->r.target.path = &n->s.path;
    n->r.group.row_count = INT64_MAX;
}

/* Value `index` of the chunk, nulls not counted. */
static inline int32_t value_number(int64_t index)
{
    return (int32_t)((uint32_t)index * 2654435761u);
}

static inline uint32_t width_of(unsigned most)
{
    return most ? 32u - (uint32_t)__builtin_clz(most) : 0;
}

/* Runs where a level stays, groups of eight between. */
static inline void put_nested_levels(bytes *b, const uint8_t *levels, size_t count, unsigned most)
{
    for (size_t i = 0; most && i < count;) {
        uint32_t group[64];
        size_t run = i;

        while (run < count && levels[run] == levels[i])
            run++;
        if (run - i >= 8 || run == count) {
            put_rle_run(b, width_of(most), run - i, levels[i]);
            i = run;
            continue;
        }
        const size_t part = count - i < 64 ? count - i : 64;

        for (size_t k = 0; k < part; k++)
            group[k] = levels[i + k];
        put_rle_packed(b, width_of(most), group, part, 0);
        i += part;
    }
}

/* Levels [from, from + count), as a page begins with them. */
static inline weir_parquet_note put_page_levels(bytes *b, const nested_rig *n, const striped *all,
                                                size_t from, size_t count, int version)
{
    weir_parquet_note note = { .version = (uint8_t)version,
                               .definition_encoding = WEIR_PARQUET_RLE,
                               .repetition_encoding = WEIR_PARQUET_RLE,
                               .null_count = -1 };
    const unsigned most[] = { n->s.path.scopes, n->s.path.leaf_present };
    const uint8_t *kinds[] = { all->repetition + from, all->definition + from };
    uint32_t *sizes[] = { &note.repetition_size, &note.definition_size };

    for (int k = 0; k < 2; k++) {
        bytes part = { 0 };

        put_nested_levels(&part, kinds[k], count, most[k]);
        if (version == 1 && most[k])
            put_u32(b, (uint32_t)part.size);
        if (part.size)
            put_raw(b, part.data, part.size);
        *sizes[k] = (uint32_t)part.size;
        bytes_free(&part);
    }
    return note;
}

/* Levels [from, from + count) and their values, the first of which is number `value`, as a page. */
static inline weir_parquet_note put_nested_page(bytes *b, const nested_rig *n, const striped *all,
                                                size_t from, size_t count, int64_t value,
                                                int version)
{
    weir_parquet_note note = put_page_levels(b, n, all, from, count, version);

    note.encoding = WEIR_PARQUET_PLAIN;
    for (size_t i = from; i < from + count; i++)
        if (all->definition[i] == n->s.path.leaf_present)
            put_u32(b, (uint32_t)value_number(value++));
    return note;
}

/* The same with value `i` as code `i`. */
static inline weir_parquet_note put_coded_page(bytes *b, const nested_rig *n, const striped *all,
                                               size_t from, size_t count, int64_t value,
                                               int version)
{
    weir_parquet_note note = put_page_levels(b, n, all, from, count, version);

    note.encoding = WEIR_PARQUET_RLE_DICTIONARY;
    put_byte(b, 32);
    for (size_t i = from; i < from + count; i++)
        if (all->definition[i] == n->s.path.leaf_present)
            put_rle_run(b, 32, 1, (uint32_t)value++);
    return note;
}

/* ---- what comes out ---- */

/* How much of the layout has been compared. */
typedef struct progress {
    int64_t slots[NODES_MOST + 1];
    int64_t values;
    bool is_wrong;
} progress;

/* A value, or the one that a code stands for. */
static inline int32_t leaf_at(const weir_vector *v, int64_t row)
{
    if (v->form == WEIR_CODES)
        return weir_i32s(v->dictionary)[((const uint32_t *)v->values)[row]];
    return weir_i32s(v)[row];
}

static inline void compare_slots(const nest_shape *s, uint32_t depth, const weir_vector *v,
                                 progress *p)
{
    const layout_column *wanted = &layout[depth];
    const bool is_leaf = depth == s->path.count;
    const int64_t from = p->slots[depth];
    int64_t nulls = 0;

    p->is_wrong = p->is_wrong || from + v->rows > wanted->slots || v->first != 0;
    for (int64_t i = 0; !p->is_wrong && i < v->rows; i++) {
        const bool is_null = v->validity && !weir_bit(v->validity, i);

        nulls += is_null;
        p->is_wrong = is_null != wanted->is_null[from + i];
        if (is_leaf && !is_null)
            p->is_wrong = p->is_wrong || leaf_at(v, i) != value_number(p->values++);
        if (is_leaf && is_null)
            p->is_wrong = p->is_wrong || ((const int32_t *)v->values)[i] != 0;
        if (!is_leaf && s->nodes[depth].type != WEIR_STRUCT)
            p->is_wrong = p->is_wrong || v->offsets[0] != 0 ||
                          v->offsets[i + 1] - v->offsets[i] != wanted->length[from + i];
    }
    p->is_wrong = p->is_wrong || v->nulls != nulls;
    if (!is_leaf && v->form == WEIR_SHAPE) {
        p->is_wrong = p->is_wrong || v->child_count != 0 || v->children;
        p->slots[depth] += v->rows;
        return;
    }
    if (!is_leaf && s->nodes[depth].type != WEIR_STRUCT)
        p->is_wrong = p->is_wrong || v->offsets[v->rows] != v->children[0].rows;
    if (!is_leaf && s->nodes[depth].type == WEIR_STRUCT)
        p->is_wrong = p->is_wrong || v->children[0].rows != v->rows;
    p->slots[depth] += v->rows;
    if (!is_leaf && !p->is_wrong)
        compare_slots(s, depth + 1, &v->children[0], p);
}

#endif
