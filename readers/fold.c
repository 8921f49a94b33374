/* SPDX-License-Identifier: Apache-2.0
 * fold.c: the caller's function on every worker. A split is a group, whatever the number of
 * threads: each has a state of its own, and states are merged in row order, so that sums of doubles
 * come out equal to the last bit. A worker claims a group and reads it serially. Of few groups the
 * last ones, which don't go round, are left to the pipeline, and the reader's thread folds its
 * batches. */
#include "core/bits.h"
#include "core/error.h"
#include "readers/line.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY = 4 /* groups a worker: then who ends last ends little later than the others */
};

typedef struct split { /* a claimed group, from claim to merge */
    void *state;
    weir_status status;
    weir_error error;
    int32_t file;
    int64_t base;
    bool is_begun, is_done, stops;
} split;

typedef struct fold {
    const weir_folder *folder;
    void *user;
    void *result;
    weir_line *line; /* for its plan, works, walk */
    weir_crew *crew;
    weir_event progress; /* a split was merged, or the end is known */
    int64_t most;        /* splits to claim; the rest is the pipeline's */

    pthread_mutex_t mutex; /* of all below */
    split *splits;         /* ring */
    size_t room;
    uint64_t claimed, merged;
    int busy;         /* splits being read */
    bool is_over;     /* nothing more is claimed */
    bool is_ended;    /* nothing more is merged */
    int32_t bad_file; /* the rest of it is left out; -1: none */
    weir_status status;
    weir_error error;
} fold;

/* ---- a state ---- */

static weir_status begin_state(const fold *f, void **out, weir_error *err)
{
    const size_t size = weir_align64(f->folder->state_size);
    void *state = *out ? *out : aligned_alloc(64, size ? size : 64);

    if (!state)
        return weir_fail_memory(err, size);
    memset(state, 0, size);
    if (f->folder->begin)
        f->folder->begin(state, f->user);
    *out = state;
    return WEIR_OK;
}

static void end_state(const fold *f, void *state)
{
    if (f->folder->end)
        f->folder->end(state, f->user);
}

static void count_batch(weir_line *line, const weir_batch *batch)
{
    __atomic_fetch_add(&line->rows, batch->rows, __ATOMIC_RELAXED);
    __atomic_fetch_add(&line->batches, 1, __ATOMIC_RELAXED);
}

typedef struct giving {
    const fold *f;
    split *to;
} giving;

/* A split's state begins with its first batch, so that one that fails before is not merged. */
static bool give(void *user, weir_lot *lot)
{
    const giving *g = user;
    const fold *f = g->f;
    split *to = g->to;
    bool goes_on = false;

    if (!to->is_begun) {
        to->status = begin_state(f, &to->state, &to->error);
        to->is_begun = to->status == WEIR_OK;
    }
    if (to->is_begun) {
        count_batch(f->line, &lot->batch);
        goes_on = f->folder->batch(to->state, &lot->batch, f->user);
        to->stops = !goes_on;
    }
    weir_batch_release(&lot->batch);
    return goes_on && !atomic_load_explicit(&f->line->is_cancelled, memory_order_relaxed);
}

/* ---- claiming, reading, merging: steps of one unit of work ---- */

/* A failure of the walk is a split too, so that those before it are merged first. */
static split *claim(fold *f, weir_stage *stage, bool *reads)
{
    split *mine = NULL;
    bool more = false;

    *reads = false;
    pthread_mutex_lock(&f->mutex);
    if (!f->is_over && f->claimed - f->merged < f->room) {
        int64_t row = 0;
        weir_error err = { 0 };
        weir_status status = WEIR_OK;

        if (f->claimed < (uint64_t)f->most)
            status = weir_walk_next(&f->line->walk, stage, &more, &row, &err);
        if (status != WEIR_OK || more) {
            mine = &f->splits[f->claimed++ % f->room];
            mine->status = status;
            mine->error = err;
            mine->error.row = row;
            mine->file = f->line->walk.file;
            mine->base = f->line->walk.base;
            mine->error.file = mine->file;
            mine->is_begun = mine->is_done = mine->stops = false;
            *reads = status == WEIR_OK;
            f->busy++;
            if (status != WEIR_OK) /* whether the walk goes on is decided by the merge */
                f->is_over = true;
        } else {
            f->is_over = true;
        }
    }
    pthread_mutex_unlock(&f->mutex);
    return mine;
}

static void read_split(const fold *f, split *mine, weir_stage *stage, weir_work *work)
{
    giving to = { f, mine };
    weir_status status = weir_stage_enter(stage, work, &mine->error);

    if (status == WEIR_OK)
        status = weir_serial_group(stage, work, give, &to, &mine->error);
    if (status != WEIR_OK)
        mine->status = status;
    weir_stage_leave(stage, work);
}

/* Whether the fold goes on after this split's failure: its file ends early, and is told of. */
static bool passes_over(fold *f, split *head)
{
    if (!weir_dataset_passes_over(f->line->plan->dataset, head->file, head->status, &head->error))
        return false;
    f->line->files_skipped++;
    f->bad_file = head->file;
    if (f->line->walk.file == head->file)
        weir_walk_skip(&f->line->walk, head->file, head->base);
    f->is_over = false;
    return true;
}

static void end_with(fold *f, weir_status status, const weir_error *err)
{
    f->is_over = f->is_ended = true;
    f->status = status;
    if (status != WEIR_OK)
        f->error = *err;
}

/* All splits that are done and have none before them, in row order. The mutex is held. */
static void merge_done(fold *f)
{
    const weir_options *options = &f->line->plan->dataset->options;

    while (!f->is_ended && f->merged < f->claimed && f->splits[f->merged % f->room].is_done) {
        split *head = &f->splits[f->merged % f->room];
        const bool is_left_out = head->file == f->bad_file;

        if (!is_left_out && head->is_begun)
            f->folder->merge(f->result, head->state, f->user);
        if (head->is_begun)
            end_state(f, head->state);
        head->is_begun = false;
        if (!is_left_out && head->status != WEIR_OK && !passes_over(f, head))
            end_with(f, head->status, &head->error);
        else if (!is_left_out && head->stops)
            end_with(f, WEIR_OK, NULL);
        f->merged++;
        f->line->file = head->file; /* for the counters */
        if (options->progress &&
            !options->progress(options->user, __atomic_load_n(&f->line->rows, __ATOMIC_RELAXED),
                               weir_line_bytes(f->line), head->file))
            atomic_store_explicit(&f->line->is_cancelled, true, memory_order_relaxed);
        if (!f->is_ended && atomic_load_explicit(&f->line->is_cancelled, memory_order_relaxed)) {
            weir_error err;

            weir_fail(&err, WEIR_CANCELLED, "cancelled");
            end_with(f, WEIR_CANCELLED, &err);
        }
    }
}

/* One unit: a group claimed, read and, with those before it done, merged. */
static bool fold_work(void *owner, int worker)
{
    fold *f = owner;
    weir_stage stage = { 0 };
    bool reads;
    split *mine = claim(f, &stage, &reads);

    if (!mine)
        return false;
    if (reads)
        read_split(f, mine, &stage, &f->line->works[worker]);
    weir_stage_fini(&stage);
    pthread_mutex_lock(&f->mutex);
    mine->is_done = true;
    f->busy--;
    merge_done(f);
    pthread_mutex_unlock(&f->mutex);
    weir_event_signal(&f->progress);
    return true;
}

/* ---- drivers ---- */

static bool is_finished(fold *f)
{
    bool finished;

    pthread_mutex_lock(&f->mutex);
    finished = f->busy == 0 && (f->is_ended || (f->is_over && f->merged == f->claimed));
    pthread_mutex_unlock(&f->mutex);
    return finished;
}

static void run_splits(fold *f)
{
    for (;;) {
        const uint32_t seen = weir_event_look(&f->progress);

        weir_crew_call(f->crew);
        if (fold_work(f, 0))
            continue;
        if (is_finished(f))
            return;
        weir_event_wait(&f->progress, seen);
    }
}

static weir_status fold_split_by_split(fold *f, weir_error *err)
{
    const weir_plan *plan = f->line->plan;
    weir_status status = WEIR_OK;

    f->room = (size_t)f->line->work_count * 4;
    f->bad_file = -1;
    f->splits = calloc(f->room, sizeof *f->splits);
    if (!f->splits)
        return weir_fail_memory(err, f->room * sizeof *f->splits);
    pthread_mutex_init(&f->mutex, NULL);
    weir_event_init(&f->progress);
    status = weir_crew_open(plan->threads > 1 ? plan->dataset->context->pool : NULL,
                            plan->threads - 1, fold_work, f, &f->crew, err);
    if (status == WEIR_OK)
        run_splits(f);
    weir_crew_close(f->crew);
    for (size_t i = 0; i < f->room; i++) {
        if (f->splits[i].is_begun) /* past the end of what was merged */
            end_state(f, f->splits[i].state);
        free(f->splits[i].state);
    }
    free(f->splits);
    pthread_mutex_destroy(&f->mutex);
    if (status == WEIR_OK && f->status != WEIR_OK && err)
        *err = f->error;
    return status != WEIR_OK ? status : f->status;
}

/* ---- the rest: the pipeline's batches, a state a group all the same ---- */

static weir_status fold_batches(fold *f, weir_error *err)
{
    weir_line *line = f->line;
    const weir_lot *lot;
    int64_t group_end = -1;
    void *state = NULL;
    weir_status status = WEIR_OK;
    bool goes_on = true, is_begun = false;

    while (goes_on && status == WEIR_OK && (lot = weir_line_next(line)) != NULL) {
        const weir_batch *batch = &lot->batch;

        if (batch->first_row >= group_end) {
            if (is_begun) {
                f->folder->merge(f->result, state, f->user);
                end_state(f, state);
            }
            status = begin_state(f, &state, err);
            is_begun = status == WEIR_OK;
            group_end = lot->group_end;
        }
        if (status == WEIR_OK)
            goes_on = f->folder->batch(state, batch, f->user);
        weir_batch_release(batch);
    }
    if (is_begun) {
        f->folder->merge(f->result, state, f->user);
        end_state(f, state);
    }
    free(state);
    if (status == WEIR_OK && line->status != WEIR_OK && err)
        *err = line->error;
    return status != WEIR_OK ? status : line->status;
}

/* Groups of all files, until there are enough for every worker. A file that can't be opened says so
 * when it is come to. */
static int64_t count_groups(const weir_plan *plan, int64_t enough)
{
    int64_t groups = 0;

    if (plan->dataset->count >= enough)
        return enough;
    for (int32_t i = 0; i < plan->dataset->count && groups < enough; i++) {
        weir_file *file = NULL;

        if (weir_dataset_acquire(plan->dataset, i, &file, NULL) != WEIR_OK)
            continue;
        groups += file->group_count;
        weir_dataset_release(plan->dataset, i);
    }
    return groups;
}

/* How many groups are claimed whole. Where only some rows are wanted, who knows how many there are.
 */
static int64_t most_splits(const weir_plan *plan)
{
    const int64_t threads = plan->threads, enough = MANY * threads;
    const int64_t groups = threads > 1 ? count_groups(plan, enough) : enough;

    if (plan->most < INT64_MAX) /* who knows after which group there are enough */
        return 0;
    if (groups >= enough)
        return INT64_MAX;
    if (plan->first_row > 0 || plan->end_row < INT64_MAX || plan->byte_end > 0)
        return 0;
    return groups - groups % threads;
}

weir_status weir_fold(const weir_dataset *dataset, const weir_query *query,
                      const weir_folder *folder, void *user, void *result, weir_stats *stats,
                      weir_error *err)
{
    fold f = { .folder = folder, .user = user, .result = result };
    weir_plan *plan = NULL;
    weir_status status;

    if (!folder || folder->size < sizeof *folder || !folder->batch || !folder->merge || !result)
        return weir_fail(err, WEIR_BAD_CALL, "a fold needs batch, merge and a result");
    WEIR_TRY(weir_plan_open(dataset, query, &plan, err));
    WEIR_TRY(weir_line_open(plan, &f.line, err));
    memset(result, 0, folder->state_size);
    if (folder->begin)
        folder->begin(result, user);
    f.most = most_splits(plan);
    status = f.most > 0 ? fold_split_by_split(&f, err) : WEIR_OK;
    if (status == WEIR_OK && !f.is_ended && f.most < INT64_MAX)
        status = fold_batches(&f, err);
    if (stats)
        weir_line_stats(f.line, stats);
    weir_line_close(f.line);
    return status;
}
