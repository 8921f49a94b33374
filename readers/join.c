/* SPDX-License-Identifier: Apache-2.0
 * join.c: step 7 of the line: leaves to columns. The lists of the first leaf stand for all, once
 * the others were found equal. Where a batch begins with a vector, as it mostly does, nothing is
 * copied; else lists are numbered anew, from 0, so that the work is that of the batch's own
 * elements. */
#include "readers/join.h"

#include "core/bits.h"
#include "core/error.h"
#include "core/schema.h"

#include <inttypes.h>
#include <string.h>

typedef struct joiner {
    const weir_opened *opened;
    const weir_schema *schema;
    weir_piece *pieces;
    weir_lot *lot;
    size_t nodes;     /* of the lot's in use */
    int32_t one, two; /* leaves that disagree; -1: none do */
    weir_error *err;
} joiner;

static bool has_offsets(const weir_field *field)
{
    return field->type == WEIR_LIST || field->type == WEIR_MAP;
}

/* ---- comparing ---- */

static uint64_t bits_at(const uint8_t *bits, int64_t at, int64_t count)
{
    const unsigned shift = (unsigned)(at & 7);
    const int64_t whole = count < 64 ? count : 64;
    uint64_t out = 0;

    if (!bits)
        return whole == 64 ? UINT64_MAX : ((uint64_t)1 << whole) - 1;
    for (int64_t i = 0; i * 8 < whole + shift; i++) {
        const uint64_t byte = bits[(at >> 3) + i];

        out |= i * 8 >= shift ? byte << (i * 8 - shift) : byte >> (shift - i * 8);
    }
    return whole == 64 ? out : out & (((uint64_t)1 << whole) - 1);
}

static bool same_validity(const weir_piece *a, const weir_piece *b, int64_t rows)
{
    const uint8_t *one = a->at->validity, *two = b->at->validity;

    if (one == two && (!one || a->first == b->first))
        return true;
    for (int64_t i = 0; i < rows; i += 64)
        if (bits_at(one, a->first + i, rows - i) != bits_at(two, b->first + i, rows - i))
            return false;
    return true;
}

static bool same_lengths(const weir_piece *a, const weir_piece *b, int64_t rows)
{
    const int32_t *one = a->at->offsets + a->first, *two = b->at->offsets + b->first;
    const int32_t apart = two[0] - one[0];

    if (one == two)
        return true;
    for (int64_t i = 0; i <= rows; i++)
        if (two[i] - one[i] != apart)
            return false;
    return true;
}

/* The first of leaves [first, end) that was read, `end`: none. Of a field that comes as its shape
 * one was, of a column that the file lacks none. */
static int32_t first_read(const joiner *j, int32_t first, int32_t end)
{
    while (first < end && !j->pieces[first].vector)
        first++;
    return first;
}

/* Whether all leaves [first, end) say the same of the node they are at. */
static bool agree(joiner *j, const weir_field *field, int32_t first, int32_t end, int64_t rows)
{
    for (int32_t leaf = first + 1; leaf < end; leaf++) {
        if (!j->pieces[leaf].vector)
            continue;
        const weir_piece *a = &j->pieces[first], *b = &j->pieces[leaf];

        if (same_validity(a, b, rows) && (!has_offsets(field) || same_lengths(a, b, rows)))
            continue;
        j->one = first;
        j->two = leaf;
        return false;
    }
    return true;
}

/* ---- building ---- */

static int64_t count_nulls(const weir_vector *vector)
{
    int64_t nulls = 0;

    for (int64_t i = 0; vector->validity && i < vector->rows; i += 64) {
        const int64_t rows = vector->rows - i;

        nulls += (rows < 64 ? rows : 64) -
                 __builtin_popcountll(bits_at(vector->validity, vector->first + i, rows));
    }
    return nulls;
}

static void set_rows(weir_vector *out, int64_t first, int64_t rows)
{
    if (out->rows != rows || first) {
        out->rows = rows;
        out->first += first;
        out->nulls = count_nulls(out);
    }
    if (out->nulls == 0)
        out->validity = NULL;
}

/* Offsets from 0, in memory that the batch keeps. The validity stays where it is, from the last
 * multiple of 64 slots. */
static weir_status renumber(joiner *j, weir_vector *out)
{
    const int64_t lead = out->first % 64, slots = lead + out->rows + 1;
    const int32_t *from = out->offsets + out->first;
    weir_hold *hold = NULL;
    int32_t *to;

    WEIR_TRY(weir_memory_take(j->opened->plan->memory, (size_t)slots * sizeof *to, &hold, j->err));
    weir_lot_keep(j->lot, hold);
    to = (int32_t *)(void *)hold->data;
    memset(to, 0, (size_t)lead * sizeof *to);
    for (int64_t i = 0; i <= out->rows; i++)
        to[lead + i] = from[i] - from[0];
    if (out->validity)
        out->validity += (out->first - lead) / 8;
    out->offsets = to;
    out->first = lead;
    return WEIR_OK;
}

static int32_t leaves_under(const joiner *j, const weir_field *field)
{
    if (field->leaf >= 0)
        return 1;
    int32_t leaves = 0;

    for (int32_t i = field->first_child; i >= 0; i = weir_schema_field(j->schema, i)->next_sibling)
        leaves += leaves_under(j, weir_schema_field(j->schema, i));
    return leaves;
}

static weir_status join_field(joiner *j, const weir_field *field, int32_t first, int64_t rows,
                              weir_vector *out);

static weir_status join_children(joiner *j, const weir_field *field, int32_t first, int64_t rows,
                                 weir_vector *out)
{
    weir_vector *children = j->lot->nodes + j->nodes;
    size_t n = 0;

    j->nodes += (size_t)field->child_count;
    for (int32_t i = field->first_child; i >= 0 && j->one < 0;) {
        const weir_field *child = weir_schema_field(j->schema, i);
        const int32_t end = first + leaves_under(j, child);

        for (int32_t leaf = first; leaf < end; leaf++)
            if (j->pieces[leaf].vector)
                j->pieces[leaf].at = j->pieces[leaf].at->children;
        WEIR_TRY(join_field(j, child, first, rows, &children[n++]));
        first = end;
        i = child->next_sibling;
    }
    out->children = children;
    out->child_count = n;
    return WEIR_OK;
}

/* Where the elements of the lists begin, for each leaf; how many there are. From the leaves' own
 * first on, which the first batch of a vector has, the offsets stay as they are. */
static weir_status enter_lists(joiner *j, int32_t first, int32_t end, int64_t rows,
                               weir_vector *out, int64_t *elements)
{
    const int32_t begin = out->offsets[out->first];

    *elements = out->offsets[out->first + rows] - begin;
    for (int32_t leaf = first; leaf < end; leaf++) {
        weir_piece *piece = &j->pieces[leaf];

        if (piece->vector)
            piece->first = piece->at->offsets[piece->first];
    }
    return begin == 0 ? WEIR_OK : renumber(j, out);
}

static weir_status join_field(joiner *j, const weir_field *field, int32_t first, int64_t rows,
                              weir_vector *out)
{
    const int32_t end = first + leaves_under(j, field), lead = first_read(j, first, end);
    const weir_piece *piece = &j->pieces[lead];
    int64_t inside = rows;

    *out = *piece->at;
    out->field = field;
    out->hold = NULL;
    set_rows(out, piece->first, rows);
    if (field->leaf >= 0 || !agree(j, field, lead, end, rows))
        return WEIR_OK;
    if (has_offsets(field))
        WEIR_TRY(enter_lists(j, first, end, rows, out, &inside));
    if (out->form == WEIR_SHAPE)
        return WEIR_OK;
    return join_children(j, field, first, inside, out);
}

/* ---- what a file lacks ---- */

/* Inside a column nothing stands for all rows at once, and only what was marked is a shape. */
static weir_form form_of_missing(const joiner *j, const weir_field *field, uint32_t forms)
{
    const bool is_flat = field->leaf >= 0 && field->parent == 0;

    if (is_flat && forms >> WEIR_ONE & 1)
        return WEIR_ONE;
    if (field->leaf >= 0 ? (forms >> WEIR_SHAPE & 1) : j->opened->plan->shapes[field->index])
        return WEIR_SHAPE;
    return WEIR_PLAIN;
}

static void fill_missing(joiner *j, const weir_field *field, uint32_t forms, int64_t rows,
                         weir_vector *out)
{
    const uint8_t *zeros = j->opened->plan->zeros->data;
    const bool is_text = field->type == WEIR_BYTES;

    *out = (weir_vector){
        .field = field,
        .type = field->type,
        .form = form_of_missing(j, field, forms),
        .width = field->width,
        .rows = rows,
        .nulls = rows,
        .validity = rows ? zeros : NULL,
        .values = field->leaf >= 0 ? zeros : NULL,
        .offsets = is_text || has_offsets(field) ? (const int32_t *)(const void *)zeros : NULL,
    };
    if (field->leaf >= 0 || out->form == WEIR_SHAPE)
        return;
    weir_vector *children = j->lot->nodes + j->nodes;
    size_t n = 0;

    j->nodes += (size_t)field->child_count;
    for (int32_t i = field->first_child; i >= 0; i = weir_schema_field(j->schema, i)->next_sibling)
        fill_missing(j, weir_schema_field(j->schema, i), forms, has_offsets(field) ? 0 : rows,
                     &children[n++]);
    out->children = children;
    out->child_count = n;
}

/* ---- all columns ---- */

static weir_status join_columns(joiner *j, int64_t skipped, int64_t rows)
{
    const weir_plan *plan = j->opened->plan;
    int32_t leaf = 0;

    j->nodes = 0;
    j->one = -1;
    for (size_t i = 0; i < plan->leaf_count; i++) {
        j->pieces[i].at = j->pieces[i].vector;
        j->pieces[i].first = j->pieces[i].taken + skipped;
    }
    for (size_t i = 0; i < plan->count && j->one < 0; i++) {
        const weir_field *field = weir_schema_column(j->schema, (int32_t)i);
        const int32_t end = leaf + leaves_under(j, field);

        if (first_read(j, leaf, end) < end)
            WEIR_TRY(join_field(j, field, leaf, rows, &j->lot->columns[i]));
        else
            fill_missing(j, field, plan->choices[i].forms, rows, &j->lot->columns[i]);
        leaf = end;
    }
    return WEIR_OK;
}

static weir_status disagree(joiner *j, int64_t rows, int64_t *good)
{
    char one[160], two[160];

    for (*good = 0; *good < rows; ++*good) {
        weir_lot *lot = j->lot;

        while (lot->hold_count > 0) /* what the last try made */
            weir_hold_release(lot->holds[--lot->hold_count]);
        WEIR_TRY(join_columns(j, *good, 1));
        if (j->one >= 0)
            break;
    }
    weir_schema_path(j->schema, weir_schema_leaf(j->schema, j->one)->index, one, sizeof one);
    weir_schema_path(j->schema, weir_schema_leaf(j->schema, j->two)->index, two, sizeof two);
    return weir_fail(j->err, WEIR_CORRUPT, "columns `%s` and `%s` disagree about a list or a null",
                     one, two);
}

weir_status weir_join(const weir_opened *opened, weir_piece *pieces, int64_t rows, weir_lot *lot,
                      int64_t *good, weir_error *err)
{
    joiner j = {
        .opened = opened, .schema = opened->plan->schema, .pieces = pieces, .lot = lot, .err = err
    };

    *good = 0;
    WEIR_TRY(join_columns(&j, 0, rows));
    if (j.one >= 0)
        return disagree(&j, rows, good);
    *good = rows;
    return WEIR_OK;
}
