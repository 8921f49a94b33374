/* SPDX-License-Identifier: Apache-2.0
 * digest_levels.c: repetition and definition levels from lists, maps and structs (Dremel's striping
 * done again): down from a column's rows, a field at a time, each with the slots of all its
 * leaves so far, which its children share. */
#include "digest.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

void digest_plan_init(digest_plan *plan, const weir_schema *schema)
{
    const int32_t count = weir_schema_field_count(schema);
    int32_t i, child;

    plan->schema = schema;
    plan->depth = 0;
    plan->steps = cli_alloc(NULL, (size_t)count, sizeof(*plan->steps));
    memset(plan->steps, 0, (size_t)count * sizeof(*plan->steps));
    plan->steps[0].depth = -1;
    for (i = 0; i < count; i++) { /* parents come first */
        const weir_field *field = weir_schema_field(schema, i);
        digest_step *step = &plan->steps[i];
        const uint8_t above = i > 0 ? plan->steps[field->parent].level : 0;
        int32_t place = 0;

        step->level = (uint8_t)(above + (field->type == WEIR_LIST || field->type == WEIR_MAP));
        if (step->depth > plan->depth)
            plan->depth = step->depth;
        for (child = field->first_child; child >= 0;
             child = weir_schema_field(schema, child)->next_sibling) {
            plan->steps[child].depth = step->depth + 1;
            plan->steps[child].place = place++;
        }
    }
}

void digest_plan_fini(digest_plan *plan)
{
    free(plan->steps);
}

/* ---- scratch ---- */

digest_scratch *digest_scratch_open(const digest_plan *plan)
{
    const size_t depth = (size_t)plan->depth + 1;
    digest_scratch *scratch = cli_alloc(NULL, 1, sizeof(*scratch));

    memset(scratch, 0, sizeof(*scratch));
    scratch->depth = plan->depth;
    scratch->slots = cli_alloc(NULL, depth, sizeof(*scratch->slots));
    memset(scratch->slots, 0, depth * sizeof(*scratch->slots));
    scratch->below = cli_alloc(NULL, depth, sizeof(const digest_slots *));
    scratch->vectors = cli_alloc(NULL, depth, sizeof(const weir_vector *));
    scratch->is_confused = cli_alloc(NULL, depth, sizeof(bool));
    return scratch;
}

static void slots_fini(digest_slots *slots)
{
    free(slots->rows);
    free(slots->repetition);
    free(slots->definition);
}

void digest_scratch_close(digest_scratch *scratch)
{
    int32_t i;

    if (!scratch)
        return;
    for (i = 0; i <= scratch->depth; i++)
        slots_fini(&scratch->slots[i]);
    slots_fini(&scratch->rows);
    free(scratch->slots);
    free((void *)scratch->below);
    free((void *)scratch->vectors);
    free(scratch->is_confused);
    free(scratch);
}

/* Room for `count` slots; what was there is gone. */
static void slots_begin(digest_slots *slots, size_t count)
{
    slots->count = count;
    if (count <= slots->room)
        return;
    slots_fini(slots);
    slots->room = count + count / 2;
    slots->rows = cli_alloc(NULL, slots->room, sizeof(*slots->rows));
    slots->repetition = cli_alloc(NULL, slots->room, 1);
    slots->definition = cli_alloc(NULL, slots->room, 1);
}

/* ---- the way down ---- */

static const digest_slots *slots_of_rows(digest_slots *slots, int64_t rows)
{
    int64_t row;

    slots_begin(slots, (size_t)rows);
    for (row = 0; row < rows; row++)
        slots->rows[row] = (int32_t)row;
    memset(slots->repetition, 0, (size_t)rows);
    memset(slots->definition, 0, (size_t)rows);
    return slots;
}

/* A null where there can't be one is confused. */
static bool go_through_struct(const digest_slots *from, const weir_vector *v, bool is_optional,
                              digest_slots *to)
{
    bool is_confused = false;
    size_t i;

    slots_begin(to, from->count);
    memcpy(to->repetition, from->repetition, from->count);
    for (i = 0; i < from->count; i++) {
        const int32_t row = from->rows[i];
        const bool is_there = row >= 0 && !weir_is_null(v, row);

        to->rows[i] = is_there ? row : -1;
        to->definition[i] = (uint8_t)(from->definition[i] + (is_there && is_optional));
        is_confused |= row >= 0 && !is_there && !is_optional;
    }
    return is_confused;
}

/* The elements of the list in slot `i`: rows from `begin` to before `end`; equal: there are none.
 */
static bool find_elements(const digest_slots *from, size_t i, const weir_vector *v, int32_t *begin,
                          int32_t *end)
{
    const int32_t row = from->rows[i];

    *begin = *end = 0;
    if (row < 0 || weir_is_null(v, row))
        return false;
    *begin = v->offsets[v->first + row];
    *end = v->offsets[v->first + row + 1];
    return true;
}

static size_t count_elements(const digest_slots *from, const weir_vector *v)
{
    size_t count = 0, i;

    for (i = 0; i < from->count; i++) {
        int32_t begin, end;

        find_elements(from, i, v, &begin, &end);
        count += begin < end ? (size_t)(end - begin) : 1;
    }
    return count;
}

static bool go_through_list(const digest_slots *from, const weir_vector *v, bool is_optional,
                            uint8_t level, digest_slots *to)
{
    bool is_confused = false;
    size_t at = 0, i;

    slots_begin(to, count_elements(from, v));
    for (i = 0; i < from->count; i++) {
        int32_t begin, end, element;
        const bool is_there = find_elements(from, i, v, &begin, &end);
        const uint8_t definition = (uint8_t)(from->definition[i] + (is_there && is_optional));

        is_confused |= from->rows[i] >= 0 && !is_there && !is_optional;
        to->rows[at] = -1;
        to->definition[at] = definition;
        for (element = begin; element < end; element++) {
            const size_t slot = at + (size_t)(element - begin);

            to->rows[slot] = element;
            to->repetition[slot] = level;
            to->definition[slot] = (uint8_t)(definition + 1);
        }
        to->repetition[at] = from->repetition[i];
        at += begin < end ? (size_t)(end - begin) : 1;
    }
    return is_confused;
}

void digest_add(digest_leaf *leaves, const weir_vector *v, const weir_field *column,
                const digest_plan *plan, digest_scratch *scratch, const cli_crc_table *table)
{
    const int32_t count = weir_schema_field_count(plan->schema);
    int32_t i;

    if (column->leaf >= 0) {
        digest_add_rows(leaves, v, column->max_definition, table);
        return;
    }
    slots_of_rows(&scratch->rows, v->rows);
    for (i = column->index; i < count; i++) {
        const weir_field *field = weir_schema_field(plan->schema, i);
        const digest_step *step = &plan->steps[i];
        const bool is_optional = field->repetition == WEIR_OPTIONAL;
        const int32_t d = step->depth;
        const digest_slots *from = d > 0 ? scratch->below[d - 1] : &scratch->rows;
        const weir_vector *here = d > 0 ? &scratch->vectors[d - 1]->children[step->place] : v;
        bool is_confused = d > 0 && scratch->is_confused[d - 1];

        if (field->column != column->column)
            break;
        if (field->leaf >= 0) {
            leaves->is_confused |= is_confused;
            digest_add_slots(leaves++, here, from, is_optional, table);
            continue;
        }
        scratch->vectors[d] = here;
        scratch->below[d] = &scratch->slots[d];
        if (field->type != WEIR_STRUCT)
            is_confused |=
                go_through_list(from, here, is_optional, step->level, &scratch->slots[d]);
        else if (is_optional || here->validity)
            is_confused |= go_through_struct(from, here, is_optional, &scratch->slots[d]);
        else
            scratch->below[d] = from; /* nothing changes */
        scratch->is_confused[d] = is_confused;
    }
}
