/* SPDX-License-Identifier: Apache-2.0
 * line.c: what both drivers share: opening, bad files passed over, seeking, counters, the end. */
#include "readers/line.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static weir_status open_works(weir_line *line, weir_error *err)
{
    const weir_plan *plan = line->plan;
    const weir_context *context = plan->dataset->context;
    /* A worker's number is its place in the pool, whatever this reader's number of threads. */
    const int count = plan->threads > 1 ? context->threads : 1;

    line->works = calloc((size_t)count, sizeof *line->works);
    if (!line->works)
        return weir_fail_memory(err, (size_t)count * sizeof *line->works);
    for (; line->work_count < count; line->work_count++) {
        weir_work *work = &line->works[line->work_count];

        weir_work_init(work, context->kernels, plan->memory);
        work->verify_sums = !(plan->dataset->options.flags & WEIR_NO_SUMS);
    }
    return WEIR_OK;
}

weir_status weir_line_open(weir_plan *plan, weir_line **out, weir_error *err)
{
    weir_line *line = calloc(1, sizeof *line);
    weir_status status;

    if (!line) {
        weir_plan_close(plan);
        return weir_fail_memory(err, sizeof *line);
    }
    line->plan = plan;
    line->next_row = plan->first_row;
    atomic_init(&line->is_cancelled, false);
    status = open_works(line, err);
    if (status == WEIR_OK)
        status = weir_walk_start(&line->walk, plan, plan->first_row, err);
    if (status == WEIR_OK && plan->threads > 1 && plan->dataset->context->pool)
        status = weir_pipeline_open(line, err);
    if (status == WEIR_OK)
        *out = line;
    else
        weir_line_close(line);
    return status;
}

static bool is_serial(const weir_line *line)
{
    return !line->pipeline || line->is_serial;
}

static void stop(weir_line *line)
{
    if (!is_serial(line))
        weir_pipeline_stop(line);
    else
        weir_serial_stop(line);
}

void weir_line_close(weir_line *line)
{
    /* After a fork the threads that would have to be waited for aren't there: what the parent
     * opened is left alone. */
    if (!line || weir_context_check(line->plan->dataset->context, NULL) != WEIR_OK)
        return;
    stop(line);
    weir_pipeline_close(line);
    weir_walk_stop(&line->walk);
    weir_stage_fini(&line->stage);
    for (int i = 0; i < line->work_count; i++)
        weir_work_fini(&line->works[i]);
    free(line->works);
    weir_plan_close(line->plan);
    free(line);
}

void weir_line_blame(weir_line *line, const weir_stage *stage)
{
    line->bad_file = stage->opened->index;
    line->bad_base = stage->opened->base;
}

/* Whether the failure ends one file only. An I/O fault is never passed over. */
static bool pass_over(weir_line *line)
{
    if (!weir_dataset_passes_over(line->plan->dataset, line->bad_file, line->status, &line->error))
        return false;
    line->files_skipped++;
    line->status = WEIR_OK;
    stop(line);
    weir_walk_skip(&line->walk, line->bad_file, line->bad_base);
    if (line->next_row < line->walk.base) /* who goes on from there must not meet it again */
        line->next_row = line->walk.base;
    return true;
}

static void report(weir_line *line)
{
    const weir_options *options = &line->plan->dataset->options;

    if (options->progress &&
        !options->progress(options->user, line->rows, weir_line_bytes(line), line->file))
        atomic_store_explicit(&line->is_cancelled, true, memory_order_relaxed);
}

/* Pages read ahead take memory that one thread alone would not need: what does not fit the limit
 * that way is read on serially, and fails only where one thread fails. */
static bool go_on_serially(weir_line *line)
{
    if ((line->status != WEIR_LIMIT && line->status != WEIR_NO_MEMORY) || is_serial(line))
        return false;
    stop(line);
    line->is_serial = true;
    line->status = weir_line_seek(line, line->next_row, &line->error);
    return line->status == WEIR_OK;
}

weir_lot *weir_line_next(weir_line *line)
{
    weir_lot *lot = NULL;

    if (line->is_over || line->rows == line->plan->most) {
        line->is_over = true;
        return NULL;
    }
    line->status = weir_context_check(line->plan->dataset->context, &line->error);
    if (line->status == WEIR_OK)
        do
            line->status = is_serial(line) ? weir_serial_next(line, &lot, &line->error)
                                           : weir_pipeline_next(line, &lot, &line->error);
        while (go_on_serially(line) || pass_over(line));
    if (!lot) {
        line->is_over = true;
        return NULL;
    }
    line->next_row = weir_lot_end(lot);
    line->rows += lot->batch.rows;
    line->batches++;
    line->file = lot->file;
    report(line);
    return lot;
}

weir_status weir_line_seek(weir_line *line, int64_t row, weir_error *err)
{
    WEIR_TRY(weir_context_check(line->plan->dataset->context, err));
    stop(line);
    weir_walk_stop(&line->walk);
    line->is_over = false;
    line->status = WEIR_OK;
    line->plan->first_row = line->next_row = row;
    return weir_walk_start(&line->walk, line->plan, row, err);
}

uint64_t weir_line_bytes(const weir_line *line)
{
    uint64_t sum = 0;

    for (int i = 0; i < line->work_count; i++)
        sum += atomic_load_explicit(&line->works[i].counters.bytes_read, memory_order_relaxed);
    return sum;
}

static uint64_t counted(const _Atomic(uint64_t) *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void weir_line_stats(const weir_line *line, weir_stats *out)
{
    weir_stats stats = {
        .size = out->size,
        .rows = line->rows,
        .batches = line->batches,
        .open_ns = __atomic_load_n(&line->open_ns, __ATOMIC_RELAXED),
        .wait_ns = line->wait_ns,
        .memory_peak = weir_memory_peak(line->plan->memory),
        .files = line->file + (line->rows > 0),
        .files_skipped = line->files_skipped,
        .threads = line->plan->threads,
    };

    for (int i = 0; i < line->work_count; i++) {
        const weir_counters *one = &line->works[i].counters;

        stats.bytes_read += counted(&one->bytes_read);
        stats.pages += counted(&one->pages);
        stats.plain_bytes += counted(&one->plain_bytes);
        stats.levels += counted(&one->levels);
        stats.values += counted(&one->values);
        stats.read_ns += counted(&one->read_ns);
        stats.unpack_ns += counted(&one->unpack_ns);
        stats.decode_ns += counted(&one->decode_ns);
    }
    memcpy(out, &stats, out->size < sizeof stats ? out->size : sizeof stats);
}
