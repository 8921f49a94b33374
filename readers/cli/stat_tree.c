/* SPDX-License-Identifier: Apache-2.0
 * stat_tree.c: nested columns taken apart: the elements of all lists of a batch are the rows of one
 * vector, so that a leaf's values are summed as a flat column's are. */
#include "stat_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

static void add_part(stat_tree *tree, const cli_picks *picks, const weir_field *field)
{
    const weir_field *parent = weir_schema_field(picks->schema, field->parent);
    stat_part *part;
    int32_t i;

    tree->parts = cli_alloc(tree->parts, tree->count + 1, sizeof(*tree->parts));
    part = &tree->parts[tree->count++];
    memset(part, 0, sizeof(*part));
    part->field = field;
    part->name.fd = -1;
    cli_put_field_name(&part->name, picks, field);
    for (i = parent->first_child; i != field->index;
         i = weir_schema_field(picks->schema, i)->next_sibling)
        part->place++;
    for (i = field->parent; i > 0; i = weir_schema_field(picks->schema, i)->parent)
        part->depth++;
    part->is_silent = parent->type == WEIR_MAP;
    if (part->depth > tree->depth)
        tree->depth = part->depth;
}

void stat_tree_init(stat_tree *tree, const cli_picks *picks)
{
    const int32_t count = picks->schema ? weir_schema_field_count(picks->schema) : 0;
    int32_t i;

    memset(tree, 0, sizeof(*tree));
    for (i = 1; i < count; i++)
        add_part(tree, picks, weir_schema_field(picks->schema, i));
}

void stat_tree_fini(stat_tree *tree)
{
    size_t i;

    for (i = 0; i < tree->count; i++)
        cli_fini(&tree->parts[i].name);
    free(tree->parts);
}

/* ---- batches ---- */

/* Rows of a vector that belong to the batch. A required list or struct has no bits to say that the
 * struct around it is null: `bits`, of `rows` from `bits_begin` on, says it. */
typedef struct stat_slice {
    const weir_vector *vector, *bits;
    int64_t begin, bits_begin, rows;
} stat_slice;

static int64_t count_nulls(const weir_vector *v)
{
    int64_t nulls = 0, row;

    for (row = 0; v->validity && row < v->rows; row++)
        nulls += weir_is_null(v, row);
    return nulls;
}

static stat_slice slice_below(const stat_slice *above, int32_t place)
{
    const weir_vector *v = above->vector;
    stat_slice slice = { .vector = &v->children[place],
                         .begin = above->begin,
                         .rows = above->rows };

    if (v->type != WEIR_STRUCT) { /* the elements of all lists lie behind each other */
        const int32_t *offsets = v->offsets + v->first + above->begin;

        slice.begin = offsets[0];
        slice.rows = offsets[above->rows] - offsets[0];
    } else if (slice.vector->field->repetition == WEIR_REQUIRED) {
        slice.bits = above->bits;
        slice.bits_begin = above->bits_begin;
        return slice;
    }
    slice.bits = slice.vector;
    slice.bits_begin = slice.begin;
    return slice;
}

/* The validity of whom the slice goes by, as the slots of `v` count. */
static uint8_t *lend_bits(const stat_slice *slice, weir_vector *v)
{
    uint8_t *bits = cli_alloc(NULL, (size_t)(v->first + v->rows) / 8 + 1, 1);
    int64_t row;

    memset(bits, 0, (size_t)(v->first + v->rows) / 8 + 1);
    for (row = 0; row < v->rows; row++)
        if (!weir_is_null(slice->bits, slice->bits_begin + row))
            bits[(v->first + row) >> 3] |= (uint8_t)(1u << ((v->first + row) & 7));
    v->validity = bits;
    v->nulls = count_nulls(v);
    return bits;
}

static void add_slice(stat_column *column, const stat_slice *slice, const stat_loops *loops)
{
    const bool borrows =
        slice->bits != slice->vector && slice->bits->nulls > 0 && slice->vector->field->leaf < 0;
    weir_vector v = *slice->vector;
    uint8_t *bits = NULL;

    if (slice->begin != 0 || slice->rows != v.rows) {
        v.first += slice->begin;
        v.rows = slice->rows;
        v.nulls = count_nulls(&v);
    }
    if (borrows)
        bits = lend_bits(slice, &v);
    stat_column_add(column, &v, loops);
    free(bits);
}

void stat_tree_add(const stat_tree *tree, stat_column *columns, const weir_batch *batch,
                   const stat_loops *loops)
{
    stat_slice *slices = cli_alloc(NULL, (size_t)tree->depth + 1, sizeof(*slices));
    size_t i;

    for (i = 0; i < tree->count; i++) {
        const stat_part *part = &tree->parts[i];
        stat_slice *slice = &slices[part->depth];

        if (part->depth > 0) {
            *slice = slice_below(slice - 1, part->place);
        } else {
            slice->vector = slice->bits = &batch->columns[part->field->column];
            slice->begin = slice->bits_begin = 0;
            slice->rows = batch->rows;
        }
        add_slice(&columns[i], slice, loops);
    }
    free(slices);
}
