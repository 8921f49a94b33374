/* SPDX-License-Identifier: Apache-2.0
 * rows.c: the iterator over rows: batches with a place in them. The getters are inline in weir.h
 * and read PLAIN vectors, so picks may ask for no other form. */
#include "core/error.h"
#include "core/schema.h"
#include "readers/line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct rows {
    weir_rows head; /* first: what users see */
    weir_line *line;
    weir_lot *lot;
    int64_t first_row, end_row; /* of the query: where seeks may go */
} rows;

static rows *whole(const weir_rows *head)
{
    return (rows *)(uintptr_t)head;
}

static weir_status check_forms(const weir_query *query, weir_error *err)
{
    for (size_t i = 0; query && query->picks && i < query->pick_count; i++)
        if (query->picks[i].forms)
            return weir_fail(err, WEIR_BAD_CALL, "rows read plain values: forms must be 0");
    return WEIR_OK;
}

weir_status weir_rows_open(const weir_dataset *dataset, const weir_query *query, weir_rows **out,
                           weir_error *err)
{
    weir_plan *plan = NULL;
    rows *made;
    weir_status status;

    if (!out)
        return weir_fail(err, WEIR_BAD_CALL, "nowhere to put the reader");
    WEIR_TRY(check_forms(query, err));
    made = calloc(1, sizeof *made);
    if (!made)
        return weir_fail_memory(err, sizeof *made);
    made->head.row = -1;
    status = weir_plan_open(dataset, query, &plan, err);
    if (status == WEIR_OK) {
        made->first_row = plan->first_row;
        made->end_row = plan->end_row;
        status = weir_line_open(plan, &made->line, err);
    }
    if (status == WEIR_OK)
        *out = &made->head;
    else
        free(made);
    return status;
}

static void drop_batch(rows *all)
{
    if (all->lot)
        weir_batch_release(&all->lot->batch);
    all->lot = NULL;
    all->head = (weir_rows){ .row = -1 };
}

bool weir_rows_refill(weir_rows *head)
{
    rows *all = whole(head);

    drop_batch(all);
    all->lot = weir_line_next(all->line);
    if (!all->lot)
        return false;
    all->head = (weir_rows){
        .count = all->lot->batch.rows,
        .columns = all->lot->columns,
        .batch = &all->lot->batch,
    };
    return true;
}

/* Where in the batch the row is, or the first one behind it. */
static int64_t place_of(const weir_batch *batch, int64_t row)
{
    int64_t low = 0, high = batch->rows - 1;

    if (!batch->numbers)
        return row - batch->first_row;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (batch->numbers[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

weir_status weir_rows_seek(weir_rows *head, int64_t row, weir_error *err)
{
    rows *all = whole(head);
    const weir_batch *batch;

    if (!head || row < all->first_row || row > all->end_row)
        return weir_fail(err, WEIR_BAD_CALL, "row %" PRId64 " is not among those of the query",
                         row);
    batch = all->head.batch;
    if (batch && row >= batch->first_row && row < weir_lot_end(all->lot)) {
        all->head.row = place_of(batch, row) - 1; /* next goes to it */
        return WEIR_OK;
    }
    drop_batch(all);
    return weir_line_seek(all->line, row, err);
}

const weir_schema *weir_rows_schema(const weir_rows *head)
{
    return head ? whole(head)->line->plan->schema : NULL;
}

int weir_rows_column(const weir_rows *head, const char *name)
{
    const weir_schema *schema = weir_rows_schema(head);
    weir_view view;
    int32_t column;

    if (!schema || !name)
        return -1;
    view = (weir_view){ (const uint8_t *)name, strlen(name) };
    column = weir_schema_find(schema, view, false, 0);
    if (column >= 0 && weir_schema_find(schema, view, false, column + 1) >= 0)
        return -1;
    return column;
}

void weir_rows_stats(const weir_rows *head, weir_stats *out)
{
    if (head && out)
        weir_line_stats(whole(head)->line, out);
}

void weir_rows_cancel(weir_rows *head)
{
    if (!head)
        return;
    atomic_store_explicit(&whole(head)->line->is_cancelled, true, memory_order_relaxed);
    weir_pipeline_wake(whole(head)->line);
}

weir_status weir_rows_error(const weir_rows *head, weir_error *err)
{
    if (!head)
        return weir_fail(err, WEIR_BAD_CALL, "no reader");
    if (whole(head)->line->status != WEIR_OK && err)
        *err = whole(head)->line->error;
    return whole(head)->line->status;
}

weir_status weir_rows_close(weir_rows *head, weir_error *err)
{
    weir_status status;

    if (!head)
        return WEIR_OK;
    status = weir_rows_error(head, err);
    drop_batch(whole(head));
    weir_line_close(whole(head)->line);
    free(whole(head));
    return status;
}
