/* SPDX-License-Identifier: Apache-2.0
 * columns.c: the iterator over batches. */
#include "core/error.h"
#include "readers/line.h"

#include <stdlib.h>
#include <string.h>

struct weir_columns {
    weir_line *line;
    weir_lot *lot; /* the one given out last */
};

weir_status weir_columns_open(const weir_dataset *dataset, const weir_query *query,
                              weir_columns **out, weir_error *err)
{
    weir_columns *columns = NULL;
    weir_plan *plan = NULL;
    weir_status status;

    if (!out)
        return weir_fail(err, WEIR_BAD_CALL, "nowhere to put the reader");
    columns = calloc(1, sizeof *columns);
    if (!columns)
        return weir_fail_memory(err, sizeof *columns);
    status = weir_plan_open(dataset, query, &plan, err);
    if (status == WEIR_OK)
        status = weir_line_open(plan, &columns->line, err);
    if (status == WEIR_OK)
        *out = columns;
    else
        free(columns);
    return status;
}

const weir_batch *weir_columns_next(weir_columns *columns)
{
    if (!columns)
        return NULL;
    if (columns->lot)
        weir_batch_release(&columns->lot->batch);
    columns->lot = weir_line_next(columns->line);
    return columns->lot ? &columns->lot->batch : NULL;
}

weir_status weir_columns_error(const weir_columns *columns, weir_error *err)
{
    if (!columns)
        return weir_fail(err, WEIR_BAD_CALL, "no reader");
    if (columns->line->status != WEIR_OK && err)
        *err = columns->line->error;
    return columns->line->status;
}

const weir_schema *weir_columns_schema(const weir_columns *columns)
{
    return columns ? columns->line->plan->schema : NULL;
}

void weir_columns_stats(const weir_columns *columns, weir_stats *out)
{
    if (columns && out)
        weir_line_stats(columns->line, out);
}

void weir_columns_cancel(weir_columns *columns)
{
    if (!columns)
        return;
    atomic_store_explicit(&columns->line->is_cancelled, true, memory_order_relaxed);
    weir_pipeline_wake(columns->line);
}

weir_status weir_columns_close(weir_columns *columns, weir_error *err)
{
    weir_status status = WEIR_OK;

    if (!columns)
        return WEIR_OK;
    status = weir_columns_error(columns, err);
    if (columns->lot)
        weir_batch_release(&columns->lot->batch);
    weir_line_close(columns->line);
    free(columns);
    return status;
}
