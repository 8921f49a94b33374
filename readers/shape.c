/* SPDX-License-Identifier: Apache-2.0
 * shape.c: the shape alone of lists, maps and structs: which fields come so, and which leaf tells
 * of each. Any leaf below has the levels; to get at them its pages are read and unpacked whole, so
 * the one with the fewest packed bytes is the cheapest, and of equals the one that lies least deep,
 * which has the fewest levels. */
#include "readers/shape.h"

#include "core/error.h"
#include "core/schema.h"
#include "readers/path.h"

#include <string.h>

void weir_shape_mark(const weir_choice *choice, const weir_schema *origin,
                     const weir_schema *result, int32_t column, uint8_t *shapes)
{
    const int32_t from = weir_schema_column(origin, choice->column)->index;
    int32_t to = weir_schema_column(result, column)->index;
    const int32_t end = weir_schema_field_count(result);

    if (!(choice->forms >> WEIR_SHAPE & 1))
        return;
    for (int32_t i = 0; to < end && weir_schema_field(result, to)->column == column; i++) {
        const uint8_t kept = choice->keep ? choice->keep[i] : WEIR_KEEP | (i == 0 ? WEIR_END : 0);

        if (!(kept & WEIR_KEEP))
            continue;
        shapes[to] = kept & WEIR_END && weir_schema_field(origin, from + i)->leaf < 0;
        to++;
    }
}

/* ---- choosing ---- */

typedef struct cost {
    uint64_t bytes;
    int16_t repetition, definition;
} cost;

/* By the first row group that the file has: they are alike. */
static cost cost_of(const weir_file *file, const weir_field *leaf)
{
    cost out = { 0, leaf->max_repetition, leaf->max_definition };
    weir_chunk_info info = WEIR_CHUNK_INFO_INIT;

    if (file->group_count > 0 && file->format->inform_chunk &&
        file->format->inform_chunk(file, 0, leaf->leaf, &info, NULL) == WEIR_OK)
        out.bytes = info.bytes;
    return out;
}

static bool is_cheaper(const cost *a, const cost *b)
{
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes;
    if (a->repetition != b->repetition)
        return a->repetition < b->repetition;
    return a->definition < b->definition;
}

/* The way to the leaf as far as field `end`, which is on it. */
static weir_status end_path(weir_opened *opened, weir_target *target, const weir_field *end,
                            weir_error *err)
{
    weir_path *path = weir_arena_array(&opened->arena, 1, sizeof *path);
    uint32_t last = 0;

    if (!path)
        return weir_fail_memory(err, sizeof *path);
    *path = *target->path;
    while (path->nodes[last].field != end)
        last++;
    weir_path_end(path, last);
    target->path = path;
    return WEIR_OK;
}

static weir_status choose(weir_opened *opened, const weir_field *field, int32_t end,
                          weir_error *err)
{
    const weir_schema *schema = opened->plan->schema;
    weir_target *best = NULL;
    cost least = { 0 };

    for (int32_t i = field->index + 1; i < end; i++) {
        const int32_t leaf = weir_schema_field(schema, i)->leaf;
        weir_target *target = leaf >= 0 ? &opened->targets[leaf] : NULL;

        if (!target || !target->from)
            continue;
        const cost here = cost_of(opened->file, target->from);

        if (best && !is_cheaper(&here, &least)) {
            target->from = NULL;
            continue;
        }
        if (best)
            best->from = NULL;
        best = target;
        least = here;
    }
    return best ? end_path(opened, best, field, err) : WEIR_OK;
}

weir_status weir_shape_choose(weir_opened *opened, weir_error *err)
{
    const weir_plan *plan = opened->plan;
    const int32_t count = weir_schema_field_count(plan->schema);

    for (int32_t i = 1; i < count; i++) {
        const weir_field *field = weir_schema_field(plan->schema, i);
        int32_t end = i + 1;

        if (!plan->shapes[i])
            continue;
        while (end < count && weir_schema_field(plan->schema, end)->parent >= i)
            end++;
        WEIR_TRY(choose(opened, field, end, err));
        i = end - 1; /* what is marked below it comes with it */
    }
    return WEIR_OK;
}
