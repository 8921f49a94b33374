/* SPDX-License-Identifier: Apache-2.0
 * serial.c: the line on one thread: no queue, no other thread, the same batches. */
#include "core/bits.h"
#include "core/error.h"
#include "readers/line.h"

/* Scans, unpacks and feeds one page. */
static void feed_page(weir_run *run, weir_work *work)
{
    weir_page page;
    weir_error err = { 0 };
    const uint64_t start = weir_now();
    weir_status status = weir_run_scan(run, &page, &err);

    if (status == WEIR_OK)
        status = weir_page_unpack(&page, &run->window, work, &err);
    else
        page.kind = WEIR_PAGE_END;
    weir_count(&work->counters.unpack_ns, weir_now() - start - run->window.read_ns);
    weir_window_count(&run->window, work);
    /* After the last page its memory is the next column's, while the cache has some of it. */
    if (page.kind != WEIR_PAGE_END && page.next >= run->window.end)
        weir_window_drop(&run->window);
    if (status == WEIR_OK)
        weir_run_feed(run, &page, work);
    else
        weir_run_fail(run, status, &err, page.kind == WEIR_PAGE_END ? NULL : &page);
}

void weir_serial_advance(weir_run *run, weir_work *work)
{
    weir_advance advance;

    do {
        const uint64_t start = weir_now();

        advance = weir_run_decode(run, work);
        weir_count(&work->counters.decode_ns, weir_now() - start);
        if (advance == WEIR_ADVANCE_HUNGRY)
            feed_page(run, work);
    } while (advance == WEIR_ADVANCE_HUNGRY);
}

/* Rows in every run, or an end. */
static weir_verdict ready(weir_stage *stage, weir_work *work, int64_t *rows, weir_run **failed)
{
    for (size_t i = 0; i < stage->count; i++) {
        weir_run *run = &stage->runs[i];

        if (weir_run_ready(run) == 0 && !atomic_load_explicit(&run->is_over, memory_order_relaxed))
            weir_serial_advance(run, work);
    }
    return weir_stage_look(stage, rows, failed);
}

weir_status weir_serial_group(weir_stage *stage, weir_work *work,
                              bool (*give)(void *user, weir_lot *lot), void *user, weir_error *err)
{
    for (;;) {
        weir_lot *lot = NULL;
        weir_run *failed;
        int64_t rows;

        switch (ready(stage, work, &rows, &failed)) {
        case WEIR_VERDICT_ROWS:
            WEIR_TRY(weir_stage_assemble(stage, rows, &lot, err));
            if (!give(user, lot))
                return WEIR_OK;
            break;
        case WEIR_VERDICT_FAILED:
            if (err)
                *err = failed->error;
            return failed->status;
        default:
            return WEIR_OK;
        }
    }
}

/* The next group, entered; false: there are no more. */
static weir_status enter_next(weir_line *line, bool *more, weir_error *err)
{
    weir_stage *stage = &line->stage;
    const uint64_t start = weir_now();
    int64_t row = 0;
    weir_status status = weir_walk_next(&line->walk, stage, more, &row, err);

    if (status != WEIR_OK) {
        line->bad_file = line->walk.file;
        line->bad_base = line->walk.base;
        if (err) {
            err->file = line->walk.file;
            err->row = row;
        }
        return status;
    }
    if (!*more)
        return WEIR_OK;
    line->is_inside = true;
    status = weir_stage_enter(stage, &line->works[0], err);
    line->open_ns += weir_now() - start;
    return status;
}

weir_status weir_serial_next(weir_line *line, weir_lot **out, weir_error *err)
{
    for (;;) {
        weir_stage *stage = &line->stage;
        weir_status status;
        weir_run *failed;
        int64_t rows;
        bool more;

        if (atomic_load_explicit(&line->is_cancelled, memory_order_relaxed))
            return weir_fail(err, WEIR_CANCELLED, "cancelled");
        if (!line->is_inside) {
            status = enter_next(line, &more, err);
            if (status != WEIR_OK && line->is_inside)
                weir_line_blame(line, stage);
            WEIR_TRY(status);
            if (!more)
                return WEIR_OK;
        }
        switch (ready(stage, &line->works[0], &rows, &failed)) {
        case WEIR_VERDICT_ROWS:
            rows = weir_min_i64(rows, line->plan->most - line->rows);
            status = weir_stage_assemble(stage, rows, out, err);
            if (status != WEIR_OK) /* leaves that disagree */
                weir_line_blame(line, stage);
            return status;
        case WEIR_VERDICT_FAILED:
            weir_line_blame(line, stage);
            if (err)
                *err = failed->error;
            return failed->status;
        default:
            weir_serial_stop(line);
        }
    }
}

void weir_serial_stop(weir_line *line)
{
    if (line->is_inside)
        weir_stage_leave(&line->stage, &line->works[0]);
    line->is_inside = false;
}
