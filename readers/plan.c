/* SPDX-License-Identifier: Apache-2.0
 * plan.c: queries checked and resolved; files held against them. */
#include "readers/plan.h"

#include "core/bits.h"
#include "core/cast.h"
#include "core/error.h"
#include "core/schema.h"
#include "readers/shape.h"
#include "readers/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ROWS = 16384,
    BATCH_ROWS_MOST = 1 << 24,
    BATCH_BYTES = 1024 * 1024,
    WIDTH_MOST = 1 << 20
};

/* ---- the result's schema ---- */

static uint32_t type_width(weir_type type, const weir_field *field)
{
    switch (type) {
    case WEIR_I32:
    case WEIR_F32:
        return 4;
    case WEIR_I64:
    case WEIR_F64:
        return 8;
    default:
        return field->width;
    }
}

/* What a pick's `as` makes of a column. */
static weir_status cast_field(const weir_field *field, weir_type as, weir_field *out,
                              weir_error *err)
{
    *out = *field;
    if (as == WEIR_ANY || as == field->type)
        return WEIR_OK;
    if (weir_field_is_nested(field))
        return weir_fail(err, WEIR_BAD_CALL, "column `%s` is nested: it has no other type",
                         (const char *)field->name.data);
    if (as != WEIR_I32 && as != WEIR_I64 && as != WEIR_F32 && as != WEIR_F64)
        return weir_fail(err, WEIR_BAD_CALL,
                         "column `%s`: a pick can ask for I32, I64, F32, F64 or the column's type",
                         (const char *)field->name.data);
    out->type = as;
    out->width = type_width(as, field);
    if (as == WEIR_F32 || as == WEIR_F64 || field->logical == WEIR_LOGICAL_NULL)
        out->logical = WEIR_LOGICAL_NONE;
    else if (field->logical == WEIR_LOGICAL_INTEGER)
        out->bits = as == WEIR_I64 ? 64 : 32;
    return WEIR_OK;
}

static weir_status make_schema(weir_plan *plan, weir_error *err)
{
    const weir_field root = { .type = WEIR_STRUCT, .id = -1, .leaf = -1 };

    WEIR_TRY(weir_schema_open((int32_t)plan->count + 1, &plan->schema, err));
    WEIR_TRY(weir_schema_append(plan->schema, -1, &root, err));
    for (size_t i = 0; i < plan->count; i++) {
        const weir_choice *choice = &plan->choices[i];
        const weir_field *field = weir_schema_column(plan->dataset->schema, choice->column);
        const char *clash = plan->dataset->clashes ? plan->dataset->clashes[choice->column] : NULL;
        weir_field out;

        if (clash && choice->as == WEIR_ANY)
            return weir_fail(err, WEIR_MISMATCH, "column `%s`: %s", (const char *)field->name.data,
                             clash);
        WEIR_TRY(cast_field(field, choice->as, &out, err));
        WEIR_TRY(weir_tree_append(plan->schema, plan->dataset->schema, field->index, &out,
                                  choice->keep, err));
    }
    WEIR_TRY(weir_schema_seal(plan->schema, err));
    plan->leaf_count = (size_t)weir_schema_leaf_count(plan->schema);
    plan->shapes = calloc((size_t)weir_schema_field_count(plan->schema), 1);
    if (!plan->shapes)
        return weir_fail_memory(err, (size_t)weir_schema_field_count(plan->schema));
    for (size_t i = 0; i < plan->count; i++)
        weir_shape_mark(&plan->choices[i], plan->dataset->schema, plan->schema, (int32_t)i,
                        plan->shapes);
    return WEIR_OK;
}

/* ---- limits ---- */

static int64_t default_int(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

/* A batch of many columns has fewer rows, so that it stays about batch_bytes. */
static void set_limits(weir_plan *plan, const weir_query *query)
{
    const size_t bytes = query->batch_bytes ? query->batch_bytes : BATCH_BYTES;
    size_t fixed = 1, loose = 0;
    int64_t most;

    for (size_t i = 0; i < plan->leaf_count; i++) {
        const weir_field *field = weir_schema_leaf(plan->schema, (int32_t)i);

        if (plan->choices[field->column].forms >> WEIR_SHAPE & 1)
            continue;
        fixed += field->width;
        loose += field->type == WEIR_BYTES;
    }
    most = (int64_t)(bytes / fixed);
    plan->batch_rows =
        weir_min_i64(default_int(query->batch_rows, BATCH_ROWS), most < 1 ? 1 : most);
    plan->batch_bytes = loose ? bytes / loose : bytes;
    if (plan->batch_bytes == 0)
        plan->batch_bytes = 1;
}

int64_t weir_plan_rows(const weir_plan *plan, int64_t left)
{
    return weir_min_i64(plan->batch_rows, left);
}

weir_status weir_query_first(const weir_query *query, const weir_dataset *dataset, int64_t *out,
                             weir_error *err)
{
    int64_t total = 0;

    if (query->first_row < 0)
        WEIR_TRY(weir_dataset_rows(dataset, &total, err));
    *out = total + query->first_row < 0 ? 0 : total + query->first_row;
    return WEIR_OK;
}

static weir_status set_range(weir_plan *plan, const weir_query *query, weir_error *err)
{
    int64_t first;

    WEIR_TRY(weir_query_first(query, plan->dataset, &first, err));
    plan->first_row = first;
    plan->end_row = INT64_MAX;
    plan->most = INT64_MAX;
    if (query->row_limit > 0 && plan->filter)
        plan->most = query->row_limit;
    else if (query->row_limit > 0 && query->row_limit < INT64_MAX - first)
        plan->end_row = first + query->row_limit;
    plan->byte_begin = query->byte_begin;
    plan->byte_end = query->byte_end;
    return WEIR_OK;
}

static weir_status check_query(const weir_dataset *dataset, const weir_query *query,
                               weir_error *err)
{
    if (query->pick_count && !query->picks)
        return weir_fail(err, WEIR_BAD_CALL, "a query without its picks");
    if (query->batch_rows < 0 || query->batch_rows > BATCH_ROWS_MOST || query->row_limit < 0)
        return weir_fail(err, WEIR_BAD_CALL, "batch_rows is 0 to %d, row_limit at least 0",
                         BATCH_ROWS_MOST);
    if ((query->byte_begin || query->byte_end) && dataset->count != 1)
        return weir_fail(err, WEIR_BAD_CALL, "a byte range is of one file, not of %" PRId32,
                         dataset->count);
    if (query->byte_end < query->byte_begin)
        return weir_fail(err, WEIR_BAD_CALL, "the byte range ends before it begins");
    if (query->threads < 0)
        return weir_fail(err, WEIR_BAD_CALL, "threads is at least 0");
    return WEIR_OK;
}

/* One block of zero bytes serves as validity, offsets and values of every missing column. */
static weir_status make_zeros(weir_plan *plan, weir_error *err)
{
    size_t width = sizeof(int32_t);

    for (size_t i = 0; i < plan->leaf_count; i++) {
        const weir_field *field = weir_schema_leaf(plan->schema, (int32_t)i);

        if (field->width > width && field->width <= WIDTH_MOST) /* else no file is opened */
            width = field->width;
    }
    const size_t size = ((size_t)plan->batch_rows + 1) * width;

    WEIR_TRY(weir_memory_take(plan->memory, size, &plan->zeros, err));
    memset(plan->zeros->data, 0, plan->zeros->size);
    return WEIR_OK;
}

weir_status weir_query_read(const weir_query *query, weir_query *out, weir_error *err)
{
    *out = (weir_query)WEIR_QUERY_INIT;
    if (query && query->size < sizeof query->size)
        return weir_fail(err, WEIR_BAD_CALL, "a query of an unknown size");
    if (query)
        memcpy(out, query, query->size < sizeof *out ? query->size : sizeof *out);
    return WEIR_OK;
}

weir_status weir_plan_open(const weir_dataset *dataset, const weir_query *query, weir_plan **out,
                           weir_error *err)
{
    weir_query known;
    weir_plan *plan = NULL;
    weir_status status;

    if (!dataset || !out)
        return weir_fail(err, WEIR_BAD_CALL, "no dataset, or nowhere to put the reader");
    WEIR_TRY(weir_context_check(dataset->context, err));
    WEIR_TRY(weir_query_read(query, &known, err));
    WEIR_TRY(check_query(dataset, &known, err));
    plan = calloc(1, sizeof *plan);
    if (!plan)
        return weir_fail_memory(err, sizeof *plan);
    plan->dataset = weir_dataset_keep(dataset);
    plan->threads = dataset->context->threads;
    if (known.threads && known.threads < plan->threads)
        plan->threads = known.threads;
    status = weir_picks_expand(dataset, known.picks, known.pick_count, &plan->choices, &plan->count,
                               err);
    if (status == WEIR_OK)
        status = make_schema(plan, err);
    if (status == WEIR_OK)
        status = weir_filter_plan(plan, &known, err);
    if (status == WEIR_OK)
        status = set_range(plan, &known, err);
    if (status == WEIR_OK) {
        set_limits(plan, &known);
        status = weir_memory_open(dataset->context->slabs, dataset->options.memory_limit,
                                  &plan->memory, err);
    }
    if (status == WEIR_OK && (dataset->options.flags & WEIR_UNIFY))
        status = make_zeros(plan, err);
    if (status == WEIR_OK)
        status = weir_exchange_open(plan->schema, &plan->exchange, err);
    if (status == WEIR_OK)
        *out = plan;
    else
        weir_plan_close(plan);
    return status;
}

void weir_plan_close(weir_plan *plan)
{
    if (!plan)
        return;
    weir_exchange_release(plan->exchange);
    weir_hold_release(plan->zeros);
    if (plan->memory)
        weir_memory_release(plan->memory);
    weir_schema_release(plan->schema);
    free(plan->shapes);
    free(plan->filter);
    weir_choices_free(plan->choices, plan->count);
    weir_dataset_close(plan->dataset);
    free(plan);
}

/* ---- a file against the plan ---- */

static int32_t find_nth(const weir_schema *schema, weir_view name, bool any_case, int32_t nth)
{
    int32_t column = weir_schema_find(schema, name, any_case, 0);

    while (column >= 0 && nth-- > 0)
        column = weir_schema_find(schema, name, any_case, column + 1);
    return column;
}

static weir_status mismatch(const weir_opened *opened, const weir_field *wanted,
                            const weir_field *found, const char *why, weir_error *err)
{
    const weir_dataset *dataset = opened->plan->dataset;
    char a[80], b[80], name_room[80], first_room[110], here_room[110];
    const char *name = weir_shorten((const char *)wanted->name.data, name_room, sizeof name_room);
    const char *first = weir_shorten(dataset->entries[0].path, first_room, sizeof first_room);
    const char *here =
        weir_shorten(dataset->entries[opened->index].path, here_room, sizeof here_room);

    if (!found)
        return weir_fail(err, WEIR_MISMATCH,
                         "column `%s` is in %s and missing from %s (WEIR_UNIFY, --unify: null)",
                         name, first, here);
    weir_field_describe(wanted, a, sizeof a);
    weir_field_describe(found, b, sizeof b);
    return weir_fail(err, WEIR_MISMATCH,
                     "column `%s` is %s in %s and %s in %s%s%s (WEIR_UNIFY, --unify, or a pick's "
                     "type widens)",
                     name, a, first, b, here, why[0] ? ": " : "", why);
}

static weir_status fill_flat(weir_opened *opened, const weir_choice *choice,
                             const weir_field *wanted, const weir_field *out,
                             const weir_field *found, weir_error *err)
{
    const uint32_t flags = opened->plan->dataset->options.flags;
    weir_target *target = &opened->targets[out->leaf];
    char why[160] = "";

    target->from = found;
    if (!(flags & WEIR_UNIFY) && choice->as == WEIR_ANY && !weir_field_same(found, wanted))
        return mismatch(opened, wanted, found, why, err);
    if (weir_field_is_nested(found) || !weir_cast_plan(found, out, &target->cast, why, sizeof why))
        return mismatch(opened, out, found, why, err);
    if (target->cast.kind == WEIR_CAST_NULL) /* no value can come: nothing of it is read */
        target->from = NULL;
    return WEIR_OK;
}

/* One column of the result in this file: the targets of its leaves. */
static weir_status fill_column(weir_opened *opened, size_t index, weir_error *err)
{
    const weir_plan *plan = opened->plan;
    const weir_dataset *dataset = plan->dataset;
    const uint32_t flags = dataset->options.flags;
    const weir_choice *choice = &plan->choices[index];
    const weir_field *wanted = weir_schema_column(dataset->schema, choice->column);
    const weir_field *out = weir_schema_column(plan->schema, (int32_t)index);
    const int32_t column = find_nth(opened->file->schema, wanted->name,
                                    (flags & WEIR_ANY_CASE) != 0, choice->occurrence);
    const char *here = dataset->entries[opened->index].path, *refusal;
    const weir_field *found;
    weir_status status;

    if (column < 0)
        return flags & WEIR_UNIFY ? WEIR_OK : mismatch(opened, wanted, NULL, "", err);
    refusal = opened->file->format->refusal(opened->file, column);
    if (refusal)
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: column `%s`: %s", here,
                         (const char *)wanted->name.data, refusal);
    found = weir_schema_column(opened->file->schema, column);
    if (!weir_field_is_nested(out))
        return fill_flat(opened, choice, wanted, out, found, err);
    status = weir_tree_match(&(weir_match){ .result = plan->schema,
                                            .dataset = dataset->schema,
                                            .file = opened->file->schema,
                                            .wanted = out->index,
                                            .origin = wanted->index,
                                            .found = found->index,
                                            .keep = choice->keep,
                                            .any_case = (flags & WEIR_ANY_CASE) != 0,
                                            .arena = &opened->arena,
                                            .targets = opened->targets },
                             err);
    return weir_blame(err, status, "column `%s` of %s, compared with %s",
                      (const char *)wanted->name.data, here, dataset->entries[0].path);
}

static weir_status fill_targets(weir_opened *opened, weir_error *err)
{
    const weir_plan *plan = opened->plan;

    for (size_t i = 0; i < plan->leaf_count; i++) {
        const weir_field *leaf = weir_schema_leaf(plan->schema, (int32_t)i);

        opened->targets[i].field = leaf;
        opened->targets[i].forms = plan->choices[leaf->column].forms;
    }
    for (size_t i = 0; i < plan->count; i++)
        WEIR_TRY(fill_column(opened, i, err));
    return weir_shape_choose(opened, err);
}

/* A null takes as much room as a value, and a few bytes of a file can claim values of any width. */
static weir_status check_widths(const weir_opened *opened, weir_error *err)
{
    const weir_plan *plan = opened->plan;

    for (size_t i = 0; i < plan->leaf_count; i++) {
        const weir_field *field = weir_schema_leaf(plan->schema, (int32_t)i);
        char path[200];

        if (field->width <= WIDTH_MOST)
            continue;
        weir_schema_path(plan->schema, field->index, path, sizeof path);
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: column `%s`: values of %" PRIu32 " bytes each, %d at most are read",
                         plan->dataset->entries[opened->index].path, path, field->width,
                         WIDTH_MOST);
    }
    return WEIR_OK;
}

weir_status weir_opened_open(const weir_plan *plan, int32_t index, int64_t base, weir_opened **out,
                             weir_error *err)
{
    const size_t size = sizeof(weir_opened) + plan->leaf_count * sizeof(weir_target);
    weir_opened *opened = calloc(1, size);
    weir_status status;

    if (!opened)
        return weir_fail_memory(err, size);
    atomic_init(&opened->refs, 1);
    weir_arena_init(&opened->arena);
    opened->plan = plan;
    opened->index = index;
    opened->base = base;
    opened->want = (weir_want){
        .targets = opened->targets,
        .count = plan->leaf_count,
        .from = plan->first_row > base ? plan->first_row - base : 0,
    };
    status = weir_dataset_acquire(plan->dataset, index, &opened->file, err);
    /* Here, so that no row's number need be checked again: it is below INT64_MAX. */
    if (status == WEIR_OK && opened->file->row_count >= INT64_MAX - base)
        status = weir_fail(err, WEIR_LIMIT, "%s: more than 2^63 - 2 rows with those before it",
                           plan->dataset->entries[index].path);
    if (status == WEIR_OK)
        status = check_widths(opened, err);
    if (status == WEIR_OK)
        status = fill_targets(opened, err);
    if (status == WEIR_OK)
        status = weir_filter_open(opened, err);
    if (status == WEIR_OK)
        *out = opened;
    else
        weir_opened_release(opened);
    return status;
}

void weir_opened_release(weir_opened *opened)
{
    if (!opened || atomic_fetch_sub_explicit(&opened->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (opened->file)
        weir_dataset_release(opened->plan->dataset, opened->index);
    weir_arena_fini(&opened->arena);
    free(opened);
}
