/* SPDX-License-Identifier: Apache-2.0
 * stage.c: steps 3 to 7 of the line for one group: enter, scan, decode, assemble. */
#include "readers/stage.h"

#include "core/bits.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE_COLUMNS = 32 /* with more of them whole chunks would take too much memory */
};

weir_status weir_stage_blame(const weir_stage *stage, int64_t row, weir_status status,
                             weir_error *err)
{
    const weir_opened *opened = stage->opened;

    if (status == WEIR_OK || !err)
        return status;
    err->file = opened->index;
    err->row = opened->base + stage->group.first_row + row;
    return weir_blame(err, status, "%s: %s %" PRId64,
                      opened->plan->dataset->entries[opened->index].path,
                      stage->group.file->format->group_word, stage->group.ordinal);
}

/* ---- enter and leave ---- */

/* Vectors of a run: one a column, and the numbers of the rows where a filter leaves some out. */
static uint32_t width_of(const weir_stage *stage, const weir_span *span)
{
    return span->column_count + (stage->group.want->filter != NULL);
}

static weir_status take_block(weir_stage *stage, weir_error *err)
{
    const size_t leaves = stage->opened->plan->leaf_count;
    size_t columns = 0, size, runs, builders, vectors;
    uint8_t *at;

    for (size_t i = 0; i < stage->count; i++)
        columns += width_of(stage, &stage->spans[i]);
    runs = weir_align64(stage->count * sizeof(weir_run));
    builders = weir_align64(columns * sizeof(weir_builder));
    vectors = weir_align64(WEIR_CUTS * columns * sizeof(weir_vector));
    size = runs + builders + vectors + weir_align64(leaves * sizeof(weir_piece)) + 64;
    if (stage->block_size < size) {
        free(stage->block);
        stage->block_size = 0;
        stage->block = aligned_alloc(64, size);
        if (!stage->block)
            return weir_fail_memory(err, size);
        stage->block_size = size;
    }
    memset(stage->block, 0, size);
    stage->runs = stage->block;
    at = stage->block;
    stage->pieces = (weir_piece *)(void *)(at + runs + builders + vectors);
    for (size_t i = 0, column = 0; i < stage->count;
         column += width_of(stage, &stage->spans[i++])) {
        weir_run *run = &stage->runs[i];

        run->builders = (weir_builder *)(void *)(at + runs) + column;
        run->vectors = (weir_vector *)(void *)(at + runs + builders) + WEIR_CUTS * column;
    }
    return WEIR_OK;
}

static weir_status start_run(weir_stage *stage, weir_run *run, weir_span *span, weir_work *work,
                             weir_error *err)
{
    run->stage = stage;
    run->span = span;
    run->cursor = (weir_cursor){ .span = span, .to = stage->to, .hungry = true };
    weir_window_init(&run->window, stage->group.file->source, work->memory,
                     span->offset + span->size);
    /* A small chunk in one go, if all of it is wanted: its first page may be longer than a block,
     * and would have to be moved. */
    if (stage->count <= WHOLE_COLUMNS && stage->from == 0 && stage->to == stage->group.row_count)
        run->window.whole = WEIR_WINDOW_WHOLE;
    atomic_init(&run->head, 0);
    atomic_init(&run->tail, 0);
    atomic_init(&run->is_over, false);
    return stage->group.file->format->start(&run->cursor, err);
}

weir_status weir_stage_enter(weir_stage *stage, weir_work *work, weir_error *err)
{
    const weir_format *format = stage->group.file->format;
    weir_status status;

    status = format->enter(&stage->group, work, &stage->spans, &stage->count, err);
    if (status != WEIR_OK)
        return weir_stage_blame(stage, stage->from, status, err);
    stage->is_entered = true;
    status = take_block(stage, err);
    if (status != WEIR_OK)
        stage->count = 0; /* no run was begun */
    for (size_t i = 0; status == WEIR_OK && i < stage->count; i++)
        status = start_run(stage, &stage->runs[i], &stage->spans[i], work, err);
    return weir_stage_blame(stage, stage->from, status, err);
}

static void stop_run(weir_run *run, weir_work *work)
{
    const uint32_t columns = width_of(run->stage, run->span);
    const uint32_t tail = atomic_load_explicit(&run->tail, memory_order_relaxed);

    for (uint32_t cut = atomic_load_explicit(&run->head, memory_order_relaxed); cut != tail; cut++)
        for (uint32_t i = 0; i < columns; i++)
            weir_hold_release(run->vectors[cut % WEIR_CUTS * columns + i].hold);
    for (uint32_t i = 0; i < columns; i++)
        weir_builder_fini(&run->builders[i]);
    weir_window_count(&run->window, work);
    weir_window_fini(&run->window);
    run->stage->group.file->format->stop(&run->cursor);
}

void weir_stage_leave(weir_stage *stage, weir_work *work)
{
    for (size_t i = 0; stage->is_entered && i < stage->count; i++)
        if (stage->runs[i].span)
            stop_run(&stage->runs[i], work);
    if (stage->is_entered)
        stage->group.file->format->leave(&stage->group, stage->spans, stage->count);
    weir_opened_release(stage->opened);
    stage->opened = NULL;
    stage->is_entered = false;
    stage->spans = NULL;
    stage->count = 0;
}

void weir_stage_fini(weir_stage *stage)
{
    free(stage->block);
    memset(stage, 0, sizeof *stage);
}

/* ---- one run ---- */

static const weir_format *format_of(const weir_run *run)
{
    return run->stage->group.file->format;
}

static const weir_field *field_of(const weir_run *run)
{
    return run->stage->opened->targets[run->span->columns[0]].field;
}

/* A flat column's name as it is, a nested leaf's path; of a span of several columns none. */
static weir_status blame_column(const weir_run *run, weir_status status, weir_error *err)
{
    const weir_field *field;
    char path[240];

    if (run->span->column_count != 1)
        return status;
    field = field_of(run);
    if (field->parent == 0)
        return weir_blame(err, status, "column `%s`", (const char *)field->name.data);
    weir_schema_path(run->stage->opened->plan->schema, field->index, path, sizeof path);
    return weir_blame(err, status, "column `%s`", path);
}

void weir_run_fail(weir_run *run, weir_status status, const weir_error *err, const weir_page *page)
{
    run->status = status;
    run->error = *err;
    if (page && page->kind == WEIR_PAGE_SHARED)
        weir_blame(&run->error, status, "dictionary page");
    else if (page)
        weir_blame(&run->error, status, "page %" PRIu32, page->ordinal);
    blame_column(run, status, &run->error);
    /* Rows before `from` are nobody's: what was met on the way there stands at the first wanted
     * one. */
    weir_stage_blame(run->stage,
                     run->cursor.row < run->stage->from ? run->stage->from : run->cursor.row,
                     status, &run->error);
}

/* The last thing that a run says. Pairs with the acquire in weir_run_ready's callers: its cuts and
 * its error are there before it is over. */
static weir_advance over(weir_run *run)
{
    atomic_store_explicit(&run->is_over, true, memory_order_release);
    return WEIR_ADVANCE_OVER;
}

/* The row of the group that a vector being built begins with. */
static int64_t first_built(const weir_run *run)
{
    const weir_builder *numbers = &run->builders[run->span->column_count];

    if (!run->stage->group.want->filter)
        return run->cursor.row - run->builders[0].rows;
    return (int64_t)weir_load64(numbers->values);
}

/* The format numbers the rows of its group; the caller's are the dataset's. */
static void number_rows(const weir_run *run, const weir_vector *vector, int64_t rows)
{
    const int64_t base = run->stage->opened->base + run->stage->group.first_row;
    int64_t *numbers = (int64_t *)(uintptr_t)vector->values;

    for (int64_t i = 0; i < rows; i++)
        numbers[i] += base;
}

/* Full or last vectors into the ring; false: the run failed. */
static bool cut(weir_run *run, weir_work *work)
{
    const uint32_t columns = width_of(run->stage, run->span);
    const uint32_t tail = atomic_load_explicit(&run->tail, memory_order_relaxed);
    weir_vector *vectors = &run->vectors[tail % WEIR_CUTS * columns];
    const int64_t rows = run->builders[0].rows, first = first_built(run);

    for (uint32_t i = 0; i < columns; i++) {
        weir_error err;
        const weir_status status = weir_builder_finish(&run->builders[i], work, &vectors[i], &err);

        if (status == WEIR_OK)
            continue;
        while (i-- > 0)
            weir_hold_release(vectors[i].hold);
        run->cursor.row = first; /* they are lost */
        weir_run_fail(run, status, &err, NULL);
        return false;
    }
    run->is_building = false;
    if (run->stage->group.want->filter)
        number_rows(run, &vectors[columns - 1], rows);
    run->rows[tail % WEIR_CUTS] = rows;
    weir_count(&work->counters.values, (uint64_t)rows * run->span->column_count);
    /* Pairs with the acquire in weir_run_ready: the vectors are there before they are counted. */
    atomic_store_explicit(&run->tail, tail + 1, memory_order_release);
    return true;
}

static void begin(weir_run *run)
{
    static const weir_field number = { .type = WEIR_I64, .width = sizeof(int64_t) };
    static const weir_target numbers = { .from = &number, .field = &number };
    const weir_opened *opened = run->stage->opened;
    const weir_plan *plan = opened->plan;
    const uint32_t columns = run->span->column_count;
    const int64_t rows = weir_plan_rows(plan, run->stage->to - run->cursor.row);

    for (uint32_t i = 0; i < columns; i++)
        weir_builder_init(&run->builders[i], &opened->targets[run->span->columns[i]], rows,
                          plan->batch_bytes);
    if (opened->want.filter)
        weir_builder_init(&run->builders[columns], &numbers, rows, plan->batch_bytes);
    run->is_building = true;
}

/* A column that ends before its group does. */
static weir_advance ended_early(weir_run *run)
{
    weir_error err;

    weir_fail(&err, WEIR_CORRUPT, "the pages hold %" PRId64 " rows, the %s %" PRId64,
              run->cursor.row, format_of(run)->group_word, run->stage->group.row_count);
    weir_run_fail(run, WEIR_CORRUPT, &err, NULL);
    run->is_short = true;
    return over(run);
}

/* After the last row that is wanted. At the group's end its pages must end too: a column with more
 * rows than its group is as wrong as one with fewer. */
static weir_advance finish(weir_run *run, weir_work *work)
{
    const int64_t rows = run->stage->group.row_count;
    weir_error err = { 0 };
    weir_status status;

    if (run->stage->to < rows)
        return over(run);
    status = format_of(run)->skip(&run->cursor, rows + 1, work, &err);
    if (status == WEIR_OK && run->cursor.row > rows)
        status = weir_fail(&err, WEIR_CORRUPT, "the pages hold more rows than the %s's %" PRId64,
                           format_of(run)->group_word, rows);
    if (status != WEIR_OK) {
        run->cursor.row = rows;
        weir_run_fail(run, status, &err, NULL);
        return over(run);
    }
    return run->cursor.hungry ? WEIR_ADVANCE_HUNGRY : over(run);
}

weir_advance weir_run_decode(weir_run *run, weir_work *work)
{
    const weir_format *format = format_of(run);
    const int64_t from = run->stage->from;
    weir_error err = { 0 };
    weir_status status = WEIR_OK;

    if (run->status != WEIR_OK) {
        if (run->is_building && run->builders[0].rows > 0)
            cut(run, work);
        return over(run);
    }
    if (run->cursor.row < from)
        status = format->skip(&run->cursor, from, work, &err);
    if (status == WEIR_OK && run->cursor.row >= run->stage->to && !run->is_building)
        return finish(run, work);
    if (status == WEIR_OK && run->cursor.row >= from && !run->cursor.hungry) {
        if (!run->is_building)
            begin(run);
        status = format->decode(&run->cursor, run->builders, work, &err);
    }
    if (status != WEIR_OK) {
        weir_run_fail(run, status, &err, NULL);
        if (run->is_building && run->builders[0].rows > 0)
            cut(run, work);
        return over(run);
    }
    if (run->cursor.hungry)
        return WEIR_ADVANCE_HUNGRY;
    if (run->is_building && run->builders[0].rows > 0)
        return cut(run, work) ? WEIR_ADVANCE_CUT : over(run);
    if (run->cursor.row < run->stage->to)
        return ended_early(run);
    return finish(run, work);
}

weir_status weir_run_scan(weir_run *run, weir_page *out, weir_error *err)
{
    /* Pages that need the ones before them are all read. */
    const int64_t from = run->span->flags & WEIR_SPAN_ANY_ROW ? run->stage->from : 0;
    const weir_status status = format_of(run)->scan(run->span, from, &run->last, &run->window, err);

    *out = run->last;
    return status;
}

bool weir_run_feed(weir_run *run, const weir_page *page, weir_work *work)
{
    weir_error err = { 0 };
    weir_status status;

    if (page->kind == WEIR_PAGE_SHARED) { /* the cursor stays hungry for data */
        status = format_of(run)->share(run->span, page, work, &err);
        weir_hold_release(page->hold);
    } else {
        status = format_of(run)->feed(&run->cursor, page, work, &err);
    }
    if (status != WEIR_OK)
        weir_run_fail(run, status, &err, page->kind == WEIR_PAGE_END ? NULL : page);
    return status == WEIR_OK;
}

int64_t weir_run_ready(weir_run *run)
{
    const uint32_t head = atomic_load_explicit(&run->head, memory_order_relaxed);

    /* Pairs with the release in cut. */
    if (atomic_load_explicit(&run->tail, memory_order_acquire) == head)
        return 0;
    return run->rows[head % WEIR_CUTS] - run->taken;
}

/* ---- all runs of the group ---- */

/* Of a column's leaves one ended, and the first of those that go on is told beside it. */
static void name_sibling(const weir_stage *stage, weir_run *run)
{
    const weir_schema *schema = stage->opened->plan->schema;
    const weir_field *field = field_of(run);

    run->is_short = false;
    for (size_t i = 0; i < stage->count; i++) {
        weir_run *other = &stage->runs[i];
        const weir_field *beside = field_of(other);
        char path[200];

        if (other == run || beside->column != field->column || weir_run_ready(other) == 0)
            continue;
        weir_schema_path(schema, beside->index, path, sizeof path);
        weir_blame(&run->error, run->status, "`%s` goes on where a leaf beside it ends", path);
        return;
    }
}

weir_verdict weir_stage_look(weir_stage *stage, int64_t *rows, weir_run **failed)
{
    int64_t least = stage->group.want->filter ? INT64_MAX : stage->to - stage->next;

    *failed = NULL;
    if (stage->count == 0) /* no column of this file: rows without values, or nulls */
        least = weir_plan_rows(stage->opened->plan, least);
    for (size_t i = 0; i < stage->count; i++) {
        weir_run *run = &stage->runs[i];
        /* Pairs with the release in `over`; read first: then all its cuts are seen. */
        const bool ends = atomic_load_explicit(&run->is_over, memory_order_acquire);
        const int64_t ready = weir_run_ready(run);

        if (ready == 0 && !ends)
            return WEIR_VERDICT_WAIT;
        if (ready == 0 && run->status != WEIR_OK && !*failed)
            *failed = run;
        least = weir_min_i64(least, ready);
    }
    *rows = least;
    if (*failed && (*failed)->is_short)
        name_sibling(stage, *failed);
    if (*failed)
        return WEIR_VERDICT_FAILED;
    return least == 0 ? WEIR_VERDICT_END : WEIR_VERDICT_ROWS;
}

/* ---- batches ---- */

static const weir_vector *first_cut(const weir_run *run)
{
    const uint32_t head = atomic_load_explicit(&run->head, memory_order_relaxed);

    return &run->vectors[head % WEIR_CUTS * width_of(run->stage, run->span)];
}

/* Where each leaf's next rows are. */
static void find_pieces(const weir_stage *stage)
{
    for (size_t i = 0; i < stage->opened->plan->leaf_count; i++)
        stage->pieces[i].vector = NULL;
    for (size_t i = 0; i < stage->count; i++) {
        const weir_run *run = &stage->runs[i];
        const weir_vector *vectors = first_cut(run);

        for (uint32_t k = 0; k < run->span->column_count; k++)
            stage->pieces[run->span->columns[k]] = (weir_piece){
                .vector = &vectors[k],
                .taken = run->taken,
            };
    }
}

/* Where the batch's rows are in the dataset; `next` is behind the last of them. */
static void find_rows(weir_stage *stage, int64_t rows, weir_batch *batch)
{
    const int64_t base = stage->opened->base + stage->group.first_row;
    const weir_run *run = stage->runs;

    batch->rows = rows;
    batch->first_row = base + stage->next;
    batch->numbers = NULL;
    stage->next += rows;
    if (!stage->group.want->filter)
        return;
    batch->numbers = (const int64_t *)first_cut(run)[run->span->column_count].values + run->taken;
    batch->first_row = batch->numbers[0];
    stage->next = batch->numbers[rows - 1] + 1 - base;
}

/* The batch keeps what the run's first cut lies in; one that is used up leaves the ring. */
static void take(weir_run *run, int64_t rows, weir_lot *lot)
{
    const uint32_t count = width_of(run->stage, run->span);
    const uint32_t head = atomic_load_explicit(&run->head, memory_order_relaxed);
    const weir_vector *vectors = first_cut(run);
    const bool is_last = run->taken + rows == run->rows[head % WEIR_CUTS];

    for (uint32_t i = 0; i < count; i++)
        weir_lot_keep(lot, is_last ? vectors[i].hold : weir_hold_keep(vectors[i].hold));
    run->taken = is_last ? 0 : run->taken + rows;
    /* Pairs with the acquire of who makes cuts: the vectors were copied before their place is
     * free. */
    if (is_last)
        atomic_store_explicit(&run->head, head + 1, memory_order_release);
}

weir_status weir_stage_assemble(weir_stage *stage, int64_t rows, weir_lot **out, weir_error *err)
{
    const weir_opened *opened = stage->opened;
    weir_lot *lot = NULL;
    int64_t good = 0;
    weir_status status;

    WEIR_TRY(weir_exchange_take(opened->plan->exchange, &lot, err));
    find_pieces(stage);
    status = weir_join(opened, stage->pieces, rows, lot, &good, err);
    if (status != WEIR_OK && good > 0) { /* the next batch fails, at its first row */
        rows = good;
        status = weir_join(opened, stage->pieces, rows, lot, &good, err);
    }
    if (status != WEIR_OK) {
        weir_batch_release(&lot->batch);
        return weir_stage_blame(stage, stage->next, status, err);
    }
    find_rows(stage, rows, &lot->batch);
    lot->file = opened->index;
    lot->group_end = opened->base + stage->group.first_row + stage->group.row_count;
    if (opened->plan->zeros)
        weir_lot_keep(lot, weir_hold_keep(opened->plan->zeros));
    for (size_t i = 0; i < stage->count; i++)
        take(&stage->runs[i], rows, lot);
    *out = lot;
    return WEIR_OK;
}
