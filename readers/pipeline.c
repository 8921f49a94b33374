/* SPDX-License-Identifier: Apache-2.0
 * pipeline.c: the line spread over the pool, as three kinds of task: *enter* opens the next group;
 * *scan* finds a stretch of pages in one run, hands the scanning on, and unpacks its stretch;
 * *decode* turns plain pages of one run into vectors. Tasks lie in a lock-free queue of the reader,
 * pages between scan and decode in a ring of slots that are taken in order, vectors between decode
 * and the reader in a ring of cuts. No task waits for another: one that can't go on ends, and
 * whoever makes what it lacks pokes it. The reader's own thread does tasks while it has no batch.
 */
#include "core/bits.h"
#include "core/error.h"
#include "core/page.h"
#include "core/pool.h"
#include "core/turn.h"
#include "readers/line.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MOST = 8,             /* groups in progress */
    SLOTS_MOST = 32,             /* pages of a run between scan and decode */
    SLOW = 15 * 1000,            /* nanoseconds with a batch: time to make another */
    STRETCH = WEIR_WINDOW_BLOCK, /* packed bytes that one scan task unpacks */
    AHEAD = 32 * 1024 * 1024,    /* what may be in flight at first, beside a MB a column */
    MEMORY = 256 * 1024 * 1024
};

typedef enum slot_state {
    SLOT_PACKED, /* described; somebody is unpacking it */
    SLOT_PLAIN,
    SLOT_AGAIN,    /* unpacking failed: decode does it again and reports */
    SLOT_UNSCANNED /* scanning failed: decode does it again and reports */
} slot_state;

typedef struct slot {
    _Atomic(int) state;
    weir_page page;
} slot;

typedef enum task_kind {
    TASK_ENTER,
    TASK_SCAN,
    TASK_DECODE
} task_kind;

typedef struct weir_run_tasks {
    weir_run *run;
    struct place *place;
    slot *slots;
    weir_turn scan_turn, decode_turn;
    _Atomic(uint32_t) scanned, fed; /* slots filled by scan, emptied by decode */
    _Atomic(bool) is_scanned;       /* no page comes any more */
    _Atomic(bool) is_starving;      /* decode wants a page and none is under way */
} run_tasks;

typedef struct place { /* of a group in progress */
    weir_pipeline *pipeline;
    weir_stage stage;
    run_tasks *runs;
    slot *slots;
    size_t room;                /* runs that there is memory for */
    uint32_t number;            /* the how-manieth group */
    _Atomic(int32_t) busy;      /* tasks queued or running */
    _Atomic(int32_t) unscanned; /* runs whose pages are not all known */
    _Atomic(bool) is_done;      /* the reader wants no more of it */
    weir_status status;         /* of entering it */
    weir_error error;
} place;

struct weir_pipeline {
    weir_line *line;
    weir_crew *crew;
    weir_queue pages, vectors; /* tasks: enter and scan, decode */
    weir_event event;          /* whatever the reader may wait for */
    size_t budget;
    uint32_t places_count, slots_count;
    /* What may be in flight now: little at first, so that a look at the head of a file is cheap;
     * doubled when the reader has to wait, up to the budget. */
    _Atomic(uint64_t) allowance;
    _Atomic(uint64_t) reserved; /* plain bytes of pages that are being unpacked */
    weir_turn enter_turn;
    _Atomic(uint32_t) front, entered; /* numbers of groups */
    _Atomic(bool) is_walked;          /* no group comes any more */
    _Atomic(bool) is_slow;            /* the reader's caller takes long with a batch */
    uint64_t left;                    /* when it got the last one; 0: none yet */
    place places[GROUPS_MOST];
};

/* ---- tasks ---- */

/* Whether workers make vectors. One made on another core costs the reader as much to fetch as to
 * make, and plain pages of codes are an eighth of it. So with one worker only where the caller
 * takes long with a batch. */
static bool shares_vectors(const weir_pipeline *pipeline)
{
    return pipeline->line->plan->threads > 2 ||
           atomic_load_explicit(&pipeline->is_slow, memory_order_relaxed);
}

static void submit(weir_pipeline *pipeline, task_kind kind, run_tasks *tasks)
{
    const weir_ticket item = { tasks, (void *)(uintptr_t)kind };

    if (tasks)
        atomic_fetch_add_explicit(&tasks->place->busy, 1, memory_order_relaxed);
    /* There is room for a task of each kind a run. A cell looks full for as long as a thread that
     * was interrupted copies its item out. */
    while (!weir_queue_push(kind == TASK_DECODE ? &pipeline->vectors : &pipeline->pages, item))
        sched_yield();
    if (kind != TASK_DECODE || shares_vectors(pipeline))
        weir_crew_call(pipeline->crew);
    weir_event_signal(&pipeline->event);
}

static void poke(weir_pipeline *pipeline, weir_turn *at, task_kind kind, run_tasks *tasks)
{
    if (weir_turn_poke(at))
        submit(pipeline, kind, tasks);
}

/* A task's last touch of its group: pairs with the load of who leaves it. */
static void done_with(place *at)
{
    weir_pipeline *pipeline = at->pipeline;

    if (atomic_fetch_sub(&at->busy, 1) == 1)
        weir_event_signal(&pipeline->event);
}

static void poke_scan(run_tasks *tasks)
{
    poke(tasks->place->pipeline, &tasks->scan_turn, TASK_SCAN, tasks);
}

static void poke_decode(run_tasks *tasks)
{
    poke(tasks->place->pipeline, &tasks->decode_turn, TASK_DECODE, tasks);
}

static void poke_enter(weir_pipeline *pipeline)
{
    poke(pipeline, &pipeline->enter_turn, TASK_ENTER, NULL);
}

static bool is_front(const place *at)
{
    return atomic_load(&at->pipeline->front) == at->number;
}

static bool is_stopped(const place *at)
{
    return atomic_load_explicit(&at->is_done, memory_order_relaxed) ||
           !weir_crew_goes_on(at->pipeline->crew);
}

static bool is_over_budget(const weir_pipeline *pipeline)
{
    return weir_memory_used(pipeline->line->plan->memory) +
               atomic_load_explicit(&pipeline->reserved, memory_order_relaxed) >
           atomic_load_explicit(&pipeline->allowance, memory_order_relaxed);
}

/* ---- scan ---- */

/* A page that the batch in front waits for is let in whatever the budget: other columns' pages
 * would fill it, and nothing would move. */
static bool admits(const run_tasks *tasks, uint32_t scanned)
{
    const weir_pipeline *pipeline = tasks->place->pipeline;
    const uint32_t waiting = scanned - atomic_load(&tasks->fed);

    if (waiting >= pipeline->slots_count)
        return false;
    if (waiting == 0 && atomic_load(&tasks->is_starving) && is_front(tasks->place))
        return true;
    return !is_over_budget(pipeline);
}

/* No page comes any more, unless decode scans the last slot again: it is counted last of all, when
 * nobody here looks at the run's window or at its turn any longer. */
static void end_scan(run_tasks *tasks, uint32_t scanned)
{
    atomic_store(&tasks->is_scanned, true);
    if (atomic_fetch_sub(&tasks->place->unscanned, 1) == 1)
        poke_enter(tasks->place->pipeline);
    atomic_store(&tasks->scanned, scanned);
}

/* Describes the next page in the next slot. False: that was the last, and the slot isn't counted
 * yet. */
static bool scan_page(run_tasks *tasks, uint32_t scanned)
{
    weir_pipeline *pipeline = tasks->place->pipeline;
    weir_run *run = tasks->run;
    slot *next = &tasks->slots[scanned & (pipeline->slots_count - 1)];
    const weir_page before = run->last;
    weir_error ignored;
    const weir_status status = weir_run_scan(run, &next->page, &ignored);
    int state = SLOT_PACKED;

    if (status != WEIR_OK) {
        run->last = before;
        state = SLOT_UNSCANNED;
    } else if (next->page.kind == WEIR_PAGE_END) {
        state = SLOT_PLAIN;
    } else {
        atomic_fetch_add_explicit(&pipeline->reserved, next->page.plain_size, memory_order_relaxed);
    }
    /* Pairs with the acquires in decode: the page is there before its slot is counted. */
    atomic_store_explicit(&next->state, state, memory_order_release);
    if (state != SLOT_PACKED)
        return false;
    atomic_store(&tasks->scanned, scanned + 1);
    return true;
}

/* Slots [first, *end) are filled; true: there is more to scan, and room for it. */
static bool scan_stretch(run_tasks *tasks, uint32_t *end, bool *is_last)
{
    const weir_run *run = tasks->run;
    uint64_t packed = 0;
    bool is_first = true;

    *is_last = false;
    while (admits(tasks, *end) && !is_stopped(tasks->place)) {
        const weir_page *page = &run->last;

        if (!scan_page(tasks, (*end)++)) {
            *is_last = true;
            return false;
        }
        packed += page->packed_size;
        /* A page that reaches out of what is loaded makes a stretch of its own end. */
        if (packed >= STRETCH ||
            (!is_first && !weir_window_has(&run->window, page->offset, page->packed_size)))
            break;
        if (!weir_window_has(&run->window, page->offset, page->packed_size))
            break;
        is_first = false;
    }
    return admits(tasks, *end) && !is_stopped(tasks->place);
}

static void unpack_slot(run_tasks *tasks, slot *at, weir_window *window, weir_work *work)
{
    weir_pipeline *pipeline = tasks->place->pipeline;
    const uint64_t reserved = at->page.plain_size;
    weir_error ignored;
    const weir_status status = weir_page_unpack(&at->page, window, work, &ignored);

    atomic_fetch_sub_explicit(&pipeline->reserved, reserved, memory_order_relaxed);
    /* Pairs with the acquire in decode: the plain bytes are there before the state says so. */
    atomic_store_explicit(&at->state, status == WEIR_OK ? SLOT_PLAIN : SLOT_AGAIN,
                          memory_order_release);
    poke_decode(tasks);
}

static void unpack_stretch(run_tasks *tasks, uint32_t first, uint32_t end, weir_window *window,
                           weir_work *work)
{
    const uint32_t mask = tasks->place->pipeline->slots_count - 1;
    const uint64_t start = weir_now();

    for (uint32_t i = first; i != end; i++) {
        slot *at = &tasks->slots[i & mask];

        if (atomic_load_explicit(&at->state, memory_order_relaxed) == SLOT_PACKED)
            unpack_slot(tasks, at, window, work);
        else
            poke_decode(tasks);
    }
    weir_count(&work->counters.unpack_ns, weir_now() - start - window->read_ns);
    weir_window_count(window, work);
}

/* A window of this stretch's own: the run's moves on with the scanning. It ends with the stretch,
 * since what lies behind is read by who scans on. */
static void split_window(weir_run *run, weir_window *out)
{
    *out = run->window;
    out->end = run->last.next;
    weir_hold_keep(out->hold);
}

static void do_scan(run_tasks *tasks, weir_work *work)
{
    bool is_last, goes_on;

    if (atomic_load(&tasks->is_scanned)) {
        atomic_store(&tasks->scan_turn, WEIR_TURN_IDLE);
        return;
    }
    do {
        const uint32_t first = atomic_load(&tasks->scanned);
        weir_window window;
        uint32_t end = first;

        goes_on = scan_stretch(tasks, &end, &is_last);
        weir_window_count(&tasks->run->window, work);
        split_window(tasks->run, &window);
        if (is_last)
            end_scan(tasks, end);
        else if (goes_on) /* the turn goes to the new task */
            submit(tasks->place->pipeline, TASK_SCAN, tasks);
        if (end != first)
            unpack_stretch(tasks, first, end, &window, work);
        weir_window_fini(&window);
    } while (!is_last && !goes_on && weir_turn_keeps(&tasks->scan_turn));
}

/* ---- decode ---- */

/* Scans or unpacks again what failed, and this time says why. */
static bool retry(run_tasks *tasks, slot *at, weir_work *work)
{
    weir_run *run = tasks->run;
    weir_error err = { 0 };
    weir_status status = WEIR_OK;
    const bool rescans = atomic_load_explicit(&at->state, memory_order_relaxed) == SLOT_UNSCANNED;

    if (rescans)
        status = weir_run_scan(run, &at->page, &err);
    if (status != WEIR_OK) {
        weir_run_fail(run, status, &err, NULL);
        return false;
    }
    status = weir_page_unpack_alone(&at->page, run->window.source, work, &err);
    if (status != WEIR_OK) {
        weir_run_fail(run, status, &err, &at->page);
        return false;
    }
    if (rescans) { /* it passed: scanning takes its course again */
        atomic_fetch_add(&tasks->place->unscanned, 1);
        atomic_store(&tasks->scan_turn, WEIR_TURN_IDLE);
        atomic_store(&tasks->is_scanned, at->page.kind == WEIR_PAGE_END);
        if (at->page.kind == WEIR_PAGE_END)
            end_scan(tasks, atomic_load(&tasks->scanned));
    }
    return true;
}

/* The next page in order to the cursor; false: it isn't there yet. Failures end the run. */
static bool feed(run_tasks *tasks, weir_work *work)
{
    const uint32_t fed = atomic_load_explicit(&tasks->fed, memory_order_relaxed);
    slot *at = &tasks->slots[fed & (tasks->place->pipeline->slots_count - 1)];
    int state;

    if (atomic_load(&tasks->scanned) == fed) {
        atomic_store(&tasks->is_starving, true);
        poke_scan(tasks);
        return false;
    }
    state = atomic_load_explicit(&at->state, memory_order_acquire);
    if (state == SLOT_PACKED)
        return false;
    atomic_store(&tasks->is_starving, false);
    if (state == SLOT_PLAIN || retry(tasks, at, work))
        weir_run_feed(tasks->run, &at->page, work);
    atomic_store(&tasks->fed, fed + 1);
    poke_scan(tasks);
    return true;
}

/* Whether vectors may be made ahead of the reader: `most` of them. */
static bool may_cut(const run_tasks *tasks, uint32_t most)
{
    const weir_run *run = tasks->run;
    const uint32_t ahead =
        atomic_load_explicit(&run->tail, memory_order_relaxed) - atomic_load(&run->head);

    return ahead == 0 || (ahead < most && !is_over_budget(tasks->place->pipeline));
}

static void do_decode(run_tasks *tasks, uint32_t most, weir_work *work)
{
    weir_pipeline *pipeline = tasks->place->pipeline;
    weir_advance advance = WEIR_ADVANCE_CUT;
    uint64_t start = weir_now();

    do {
        while (!is_stopped(tasks->place) && may_cut(tasks, most)) {
            advance = weir_run_decode(tasks->run, work);
            if (advance == WEIR_ADVANCE_HUNGRY && !feed(tasks, work))
                break;
            if (advance == WEIR_ADVANCE_CUT)
                weir_event_signal(&pipeline->event);
            if (advance == WEIR_ADVANCE_OVER)
                break;
        }
    } while (advance != WEIR_ADVANCE_OVER && weir_turn_keeps(&tasks->decode_turn));
    weir_count(&work->counters.decode_ns, weir_now() - start);
    if (advance == WEIR_ADVANCE_OVER)
        weir_event_signal(&pipeline->event);
}

/* ---- enter ---- */

static weir_status make_room(place *at, weir_error *err)
{
    const size_t count = at->stage.count, slots = at->pipeline->slots_count;

    if (count <= at->room)
        return WEIR_OK;
    free(at->runs);
    free(at->slots);
    at->runs = calloc(count, sizeof *at->runs);
    at->slots = malloc(count * slots * sizeof *at->slots);
    at->room = at->runs && at->slots ? count : 0;
    return at->room ? WEIR_OK : weir_fail_memory(err, count * slots * sizeof *at->slots);
}

static void prepare_runs(place *at)
{
    for (size_t i = 0; i < at->stage.count; i++) {
        run_tasks *tasks = &at->runs[i];

        tasks->run = &at->stage.runs[i];
        tasks->place = at;
        tasks->slots = at->slots + i * at->pipeline->slots_count;
        atomic_init(&tasks->scan_turn, WEIR_TURN_IDLE);
        atomic_init(&tasks->decode_turn, WEIR_TURN_IDLE);
        atomic_init(&tasks->scanned, 0);
        atomic_init(&tasks->fed, 0);
        atomic_init(&tasks->is_scanned, false);
        atomic_init(&tasks->is_starving, true);
    }
}

/* Whether the walk may take one more group: the one before must be known whole, so that pages are
 * fetched in the order in which they are needed. */
static bool may_enter(weir_pipeline *pipeline)
{
    const uint32_t front = atomic_load(&pipeline->front);
    const uint32_t entered = atomic_load(&pipeline->entered);
    place *before = &pipeline->places[(entered - 1) % pipeline->places_count];

    if (atomic_load(&pipeline->is_walked) || entered - front >= pipeline->places_count)
        return false;
    return entered == front || (atomic_load(&before->unscanned) == 0 && !is_over_budget(pipeline));
}

static void enter_group(weir_pipeline *pipeline, weir_work *work)
{
    weir_line *line = pipeline->line;
    const uint32_t number = atomic_load(&pipeline->entered);
    place *at = &pipeline->places[number % pipeline->places_count];
    int64_t row = 0;
    bool more = false;

    at->pipeline = pipeline;
    at->number = number;
    at->status = weir_walk_next(&line->walk, &at->stage, &more, &row, &at->error);
    if (at->status != WEIR_OK) {
        at->error.file = line->walk.file;
        at->error.row = row;
    } else if (!more) {
        atomic_store(&pipeline->is_walked, true);
        return;
    } else {
        at->status = weir_stage_enter(&at->stage, work, &at->error);
    }
    if (at->status == WEIR_OK)
        at->status = make_room(at, &at->error);
    if (at->status == WEIR_OK)
        prepare_runs(at);
    atomic_store(&at->busy, 1); /* this task's: the group isn't left while its runs are poked */
    atomic_store(&at->is_done, false);
    atomic_store(&at->unscanned, at->status == WEIR_OK ? (int32_t)at->stage.count : 0);
    atomic_store(&pipeline->entered, number + 1);
    if (at->status != WEIR_OK) /* nothing is read past it; said after it, or it would be the end */
        atomic_store(&pipeline->is_walked, true);
    for (size_t i = 0; at->status == WEIR_OK && i < at->stage.count; i++)
        poke_scan(&at->runs[i]);
    done_with(at);
}

static void do_enter(weir_pipeline *pipeline, weir_work *work)
{
    const uint64_t start = weir_now();

    do
        while (weir_crew_goes_on(pipeline->crew) && may_enter(pipeline))
            enter_group(pipeline, work);
    while (weir_turn_keeps(&pipeline->enter_turn));
    __atomic_fetch_add(&pipeline->line->open_ns, weir_now() - start, __ATOMIC_RELAXED);
    weir_event_signal(&pipeline->event);
}

/* ---- one unit of work ---- */

/* The reader's own thread, who will use the vectors, makes them if it can, and lets the others
 * unpack. */
static bool next_task(weir_pipeline *pipeline, int worker, weir_ticket *item)
{
    if (worker == 0)
        return weir_queue_pop(&pipeline->vectors, item) || weir_queue_pop(&pipeline->pages, item);
    return weir_queue_pop(&pipeline->pages, item) ||
           (shares_vectors(pipeline) && weir_queue_pop(&pipeline->vectors, item));
}

static bool do_task(void *owner, int worker)
{
    weir_pipeline *pipeline = owner;
    weir_work *work = &pipeline->line->works[worker];
    run_tasks *tasks;
    weir_ticket item = { 0 };

    if (!next_task(pipeline, worker, &item))
        return false;
    tasks = item.a;
    switch ((task_kind)(uintptr_t)item.b) {
    case TASK_ENTER:
        do_enter(pipeline, work);
        return true;
    case TASK_SCAN:
        do_scan(tasks, work);
        break;
    case TASK_DECODE:
        /* The reader's thread makes one at a time, to use while it is in its cache. */
        do_decode(tasks, worker == 0 ? 1 : WEIR_CUTS, work);
        break;
    }
    done_with(tasks->place);
    return true;
}

/* ---- the reader's side ---- */

/* Nobody is in the group any more. */
static void leave(weir_pipeline *pipeline, place *at)
{
    const uint32_t mask = pipeline->slots_count - 1;

    for (size_t i = 0; at->status == WEIR_OK && i < at->stage.count; i++) {
        run_tasks *tasks = &at->runs[i];
        const uint32_t scanned = atomic_load(&tasks->scanned);

        for (uint32_t s = atomic_load(&tasks->fed); s != scanned; s++) {
            slot *unused = &tasks->slots[s & mask];
            const int state = atomic_load(&unused->state);

            if (state == SLOT_PLAIN && unused->page.kind != WEIR_PAGE_END)
                weir_hold_release(unused->page.hold);
            if (state == SLOT_PACKED) /* its task was dropped */
                atomic_fetch_sub(&pipeline->reserved, unused->page.plain_size);
        }
    }
    weir_stage_leave(&at->stage, &pipeline->line->works[0]);
}

static void poke_front(weir_pipeline *pipeline)
{
    const uint32_t front = atomic_load(&pipeline->front);
    place *at = &pipeline->places[front % pipeline->places_count];

    poke_enter(pipeline);
    if (front == atomic_load(&pipeline->entered) || at->status != WEIR_OK)
        return;
    for (size_t i = 0; i < at->stage.count; i++) {
        run_tasks *tasks = &at->runs[i];

        if (!atomic_load(&tasks->is_scanned))
            poke_scan(tasks);
        if (!atomic_load(&tasks->run->is_over))
            poke_decode(tasks);
    }
}

/* True: the group in front was left. */
static bool pass_front(weir_pipeline *pipeline, place *at)
{
    atomic_store(&at->is_done, true);
    if (atomic_load(&at->busy) > 0)
        return false;
    leave(pipeline, at);
    atomic_fetch_add(&pipeline->front, 1);
    poke_front(pipeline);
    return true;
}

static weir_status fail_at(weir_line *line, const place *at, const weir_error *error,
                           weir_status status, weir_error *err)
{
    line->bad_file = at->stage.opened ? at->stage.opened->index : line->walk.file;
    line->bad_base = at->stage.opened ? at->stage.opened->base : line->walk.base;
    if (err)
        *err = *error;
    return status;
}

static weir_status start(weir_line *line, weir_error *err)
{
    weir_pipeline *pipeline = line->pipeline;
    const weir_plan *plan = line->plan;

    WEIR_TRY(weir_crew_open(plan->dataset->context->pool, plan->threads - 1, do_task, pipeline,
                            &pipeline->crew, err));
    atomic_store(&pipeline->front, 0);
    atomic_store(&pipeline->entered, 0);
    atomic_store(&pipeline->is_walked, false);
    atomic_store(&pipeline->enter_turn, WEIR_TURN_IDLE);
    poke_enter(pipeline);
    return WEIR_OK;
}

static void allow_more(weir_pipeline *pipeline)
{
    const uint64_t now = atomic_load_explicit(&pipeline->allowance, memory_order_relaxed);

    atomic_store_explicit(&pipeline->allowance, weir_min_u64(now * 2, pipeline->budget),
                          memory_order_relaxed);
}

/* Does one task, or waits until something happened since `seen`. */
static void help_or_wait(weir_pipeline *pipeline, uint32_t seen)
{
    weir_line *line = pipeline->line;
    uint64_t start;

    if (do_task(pipeline, 0))
        return;
    allow_more(pipeline);
    start = weir_now();
    weir_event_wait(&pipeline->event, seen);
    line->wait_ns += weir_now() - start;
}

/* After a batch was taken, its runs may go on. */
static void poke_taken(place *at)
{
    for (size_t i = 0; i < at->stage.count; i++)
        if (!atomic_load_explicit(&at->stage.runs[i].is_over, memory_order_relaxed))
            poke_decode(&at->runs[i]);
}

weir_status weir_pipeline_next(weir_line *line, weir_lot **out, weir_error *err)
{
    weir_pipeline *pipeline = line->pipeline;

    if (!pipeline->crew)
        WEIR_TRY(start(line, err));
    if (pipeline->left)
        atomic_store_explicit(&pipeline->is_slow, weir_now() - pipeline->left > SLOW,
                              memory_order_relaxed);
    for (;;) {
        const uint32_t seen = weir_event_look(&pipeline->event);
        const uint32_t front = atomic_load(&pipeline->front);
        place *at = &pipeline->places[front % pipeline->places_count];
        weir_run *failed;
        weir_status status;
        int64_t rows;

        if (atomic_load_explicit(&line->is_cancelled, memory_order_relaxed))
            return weir_fail(err, WEIR_CANCELLED, "cancelled");
        if (front == atomic_load(&pipeline->entered)) {
            if (atomic_load(&pipeline->is_walked) && front == atomic_load(&pipeline->entered))
                return WEIR_OK;
            help_or_wait(pipeline, seen);
            continue;
        }
        if (at->status != WEIR_OK)
            return fail_at(line, at, &at->error, at->status, err);
        switch (weir_stage_look(&at->stage, &rows, &failed)) {
        case WEIR_VERDICT_ROWS:
            rows = weir_min_i64(rows, line->plan->most - line->rows);
            status = weir_stage_assemble(&at->stage, rows, out, err);
            if (status != WEIR_OK) { /* leaves that disagree */
                weir_line_blame(line, &at->stage);
                return status;
            }
            poke_taken(at);
            pipeline->left = weir_now();
            return WEIR_OK;
        case WEIR_VERDICT_FAILED:
            return fail_at(line, at, &failed->error, failed->status, err);
        case WEIR_VERDICT_END:
            if (pass_front(pipeline, at))
                continue;
            break;
        case WEIR_VERDICT_WAIT:
            break;
        }
        help_or_wait(pipeline, seen);
    }
}

/* ---- open, stop, close ---- */

static uint32_t places_for(size_t columns)
{
    const size_t places = 4096 / (columns + 1);

    return places < 2 ? 2 : places > GROUPS_MOST ? GROUPS_MOST : (uint32_t)places;
}

weir_status weir_pipeline_open(weir_line *line, weir_error *err)
{
    const weir_plan *plan = line->plan;
    const weir_options *options = &plan->dataset->options;
    const size_t size = weir_align64(sizeof(weir_pipeline));
    weir_pipeline *pipeline = aligned_alloc(64, size);

    if (!pipeline)
        return weir_fail_memory(err, size);
    memset(pipeline, 0, size);
    pipeline->line = line;
    pipeline->budget = options->memory ? options->memory : MEMORY;
    if (options->memory_limit && options->memory_limit / 2 < pipeline->budget)
        pipeline->budget = options->memory_limit / 2;
    atomic_store(
        &pipeline->allowance,
        weir_min_u64(pipeline->budget, (uint64_t)AHEAD + plan->leaf_count * 4 * WEIR_WINDOW_BLOCK));
    pipeline->places_count = places_for(plan->leaf_count);
    pipeline->slots_count = plan->leaf_count > 64 ? 4 : SLOTS_MOST;
    weir_event_init(&pipeline->event);
    if (!weir_queue_init(&pipeline->pages, pipeline->places_count * plan->leaf_count + 2) ||
        !weir_queue_init(&pipeline->vectors, pipeline->places_count * plan->leaf_count + 2)) {
        weir_queue_fini(&pipeline->pages);
        free(pipeline);
        return weir_fail_memory(err, plan->leaf_count * sizeof(weir_cell));
    }
    line->pipeline = pipeline;
    return WEIR_OK;
}

void weir_pipeline_stop(weir_line *line)
{
    weir_pipeline *pipeline = line->pipeline;
    weir_ticket item = { 0 };

    if (!pipeline || !pipeline->crew)
        return;
    weir_crew_close(pipeline->crew);
    pipeline->crew = NULL;
    while (weir_queue_pop(&pipeline->pages, &item) || weir_queue_pop(&pipeline->vectors, &item))
        ;
    for (uint32_t i = atomic_load(&pipeline->front); i != atomic_load(&pipeline->entered); i++)
        leave(pipeline, &pipeline->places[i % pipeline->places_count]);
    atomic_store(&pipeline->front, 0);
    atomic_store(&pipeline->entered, 0);
    atomic_store(&pipeline->reserved, 0);
}

void weir_pipeline_close(weir_line *line)
{
    weir_pipeline *pipeline = line->pipeline;

    if (!pipeline)
        return;
    weir_pipeline_stop(line);
    for (size_t i = 0; i < GROUPS_MOST; i++) {
        weir_stage_fini(&pipeline->places[i].stage);
        free(pipeline->places[i].runs);
        free(pipeline->places[i].slots);
    }
    weir_queue_fini(&pipeline->pages);
    weir_queue_fini(&pipeline->vectors);
    free(pipeline);
    line->pipeline = NULL;
}

void weir_pipeline_wake(weir_line *line)
{
    if (line->pipeline)
        weir_event_signal(&line->pipeline->event);
}
