/* SPDX-License-Identifier: Apache-2.0
 * filter.c: which rows a query lets through: from its names to the columns of each file, and how
 * many there are. The test itself is the format's, as early as its layout allows. */
#include "core/error.h"
#include "readers/line.h"

#include <stdlib.h>
#include <string.h>

static weir_status find_columns(const weir_dataset *dataset, const weir_query *query, int32_t *out,
                                weir_error *err)
{
    for (size_t i = 0; i < query->present_count; i++)
        WEIR_TRY(weir_dataset_find(dataset, query->present[i], &out[i], err));
    return WEIR_OK;
}

weir_status weir_filter_plan(weir_plan *plan, const weir_query *query, weir_error *err)
{
    const size_t tags = query->event_tag_count, present = query->present_count;
    const size_t size = sizeof(weir_filter) + (tags + present) * sizeof(uint32_t);
    int32_t *columns;
    uint32_t *copy;

    if (tags == 0 && present == 0 && query->event_tag_mask == 0)
        return WEIR_OK;
    if ((tags > 0 && !query->event_tags) || (present > 0 && !query->present))
        return weir_fail(err, WEIR_BAD_CALL, "a filter without its tags or names");
    plan->filter = calloc(1, size);
    if (!plan->filter)
        return weir_fail_memory(err, size);
    copy = (uint32_t *)(plan->filter + 1);
    columns = (int32_t *)(copy + tags);
    if (tags > 0)
        memcpy(copy, query->event_tags, tags * sizeof *copy);
    *plan->filter = (weir_filter){ copy, tags, query->event_tag_mask, columns, present };
    return find_columns(plan->dataset, query, columns, err);
}

weir_status weir_filter_open(weir_opened *opened, weir_error *err)
{
    const weir_plan *plan = opened->plan;
    const weir_dataset *dataset = plan->dataset;
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    int32_t *columns;

    if (!plan->filter)
        return WEIR_OK;
    if (!opened->file->format->has_filter)
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: a %s file has no events to choose among",
                         dataset->entries[opened->index].path, opened->file->format->name);
    opened->filter = *plan->filter;
    columns = weir_arena_array(&opened->arena, plan->filter->present_count + 1, sizeof *columns);
    if (!columns)
        return weir_fail_memory(err, plan->filter->present_count * sizeof *columns);
    for (size_t i = 0; i < plan->filter->present_count; i++) {
        const weir_field *wanted = weir_schema_column(dataset->schema, plan->filter->present[i]);

        columns[i] = weir_schema_find(opened->file->schema, wanted->name, any_case, 0);
        opened->is_barren = opened->is_barren || columns[i] < 0;
    }
    opened->filter.present = columns;
    opened->want.filter = &opened->filter;
    return WEIR_OK;
}

/* ---- counting ---- */

static bool add_batch(void *state, const weir_batch *batch, void *user)
{
    (void)user;
    *(int64_t *)state += batch->rows;
    return true;
}

static void add_counts(void *into, void *from, void *user)
{
    (void)user;
    *(int64_t *)into += *(const int64_t *)from;
}

/* Rows of the query's range that the dataset has. */
static weir_status count_range(const weir_dataset *dataset, const weir_query *query, int64_t *out,
                               weir_error *err)
{
    int64_t all, first;

    WEIR_TRY(weir_dataset_rows(dataset, &all, err));
    WEIR_TRY(weir_query_first(query, dataset, &first, err));
    all = all > first ? all - first : 0;
    *out = query->row_limit > 0 && query->row_limit < all ? query->row_limit : all;
    return WEIR_OK;
}

weir_status weir_dataset_count(const weir_dataset *dataset, const weir_query *query, int64_t *out,
                               weir_error *err)
{
    const weir_folder folder = { .size = sizeof folder,
                                 .state_size = sizeof(int64_t),
                                 .batch = add_batch,
                                 .merge = add_counts };
    const weir_pick nulls_alone = { .index = 0, .forms = 1 << WEIR_SHAPE };
    weir_query known = WEIR_QUERY_INIT;
    int64_t rows = 0;

    if (!dataset || !out)
        return weir_fail(err, WEIR_BAD_CALL, "no dataset, or nowhere to put the count");
    WEIR_TRY(weir_query_read(query, &known, err));
    if (!known.byte_end && !known.event_tag_count && !known.event_tag_mask && !known.present_count)
        return count_range(dataset, &known, out, err);
    known.picks = &nulls_alone;
    known.pick_count = 1;
    WEIR_TRY(weir_fold(dataset, &known, &folder, NULL, &rows, NULL, err));
    *out = rows;
    return WEIR_OK;
}
