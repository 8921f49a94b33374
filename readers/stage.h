/* SPDX-License-Identifier: Apache-2.0
 * stage.h: a group being read: its spans, each a run that turns pages into vectors; and the walk
 * over the dataset's groups. Both drivers (serial.c, pipeline.c) do the steps that stand here. */
#ifndef WEIR_READERS_STAGE_H
#define WEIR_READERS_STAGE_H

#include "readers/join.h"
#include "readers/plan.h"

enum {
    WEIR_CUTS = 4
}; /* vectors that a run may be ahead of the reader */

typedef struct weir_stage weir_stage;

/* A span on its way to vectors. One thread at a time, but for the ring of cuts: its taker may be
 * another thread. */
typedef struct weir_run {
    weir_stage *stage;
    weir_span *span;
    weir_cursor cursor;
    weir_window window;     /* of who scans */
    weir_page last;         /* the last page scanned */
    weir_builder *builders; /* one a column of the span */
    bool is_building;

    weir_vector *vectors; /* WEIR_CUTS times the span's columns */
    int64_t rows[WEIR_CUTS];
    _Atomic(uint32_t) head, tail; /* cuts taken, cuts made */
    int64_t taken;                /* rows of the first cut already given out */
    _Atomic(bool) is_over;        /* set after the last cut: `status` says why */
    bool is_short;                /* it ended before its group: who has more is still to be said */
    weir_status status;
    weir_error error;

    struct weir_run_tasks *tasks; /* pipeline.c's */
} weir_run;

struct weir_stage {
    weir_opened *opened;
    weir_group group;
    int64_t from, to; /* rows of the group that are wanted */
    int64_t next;     /* next row to give out */
    weir_span *spans;
    weir_run *runs;
    size_t count;
    weir_piece *pieces; /* one a leaf of the result */
    void *block;        /* memory of runs, builders, vectors; used again by the next group */
    size_t block_size;
    bool is_entered;
};

typedef enum weir_advance {
    WEIR_ADVANCE_CUT,    /* a cut was made */
    WEIR_ADVANCE_HUNGRY, /* a page is wanted */
    WEIR_ADVANCE_OVER    /* no more will come: run->is_over */
} weir_advance;

/* The walk over groups. One thread at a time. */
typedef struct weir_walk {
    const weir_plan *plan;
    int32_t file;
    int64_t base;  /* row number of that file's first row */
    int64_t group; /* next one of it */
    weir_opened *opened;
} weir_walk;

/* Begins at the plan's first row, or at `row`, which is not before it. */
weir_status weir_walk_start(weir_walk *walk, const weir_plan *plan, int64_t row, weir_error *err);
void weir_walk_stop(weir_walk *walk);
/* Places the next group that holds wanted rows in `stage`, not yet entered; false: there are no
 * more. A failure stands at row `*row` of the dataset, and the walk is at that file still. */
weir_status weir_walk_next(weir_walk *walk, weir_stage *stage, bool *more, int64_t *row,
                           weir_error *err);
/* Leaves the file it is at, or was given, and goes on after it. */
void weir_walk_skip(weir_walk *walk, int32_t file, int64_t base);

/* Spans, cursors and builders. Failure: row `stage->from` of the group. */
weir_status weir_stage_enter(weir_stage *stage, weir_work *work, weir_error *err);
/* Adds what the runs read to the counters of `work`. */
void weir_stage_leave(weir_stage *stage, weir_work *work);
/* After the last leave: gives back the memory that stages keep. */
void weir_stage_fini(weir_stage *stage);
/* Says which file and row group, and the row in the dataset: `row` of the group. */
weir_status weir_stage_blame(const weir_stage *stage, int64_t row, weir_status status,
                             weir_error *err);

/* Decodes until a cut is made, a page is wanted, or nothing more comes. */
weir_advance weir_run_decode(weir_run *run, weir_work *work);
/* The next page, still packed. */
weir_status weir_run_scan(weir_run *run, weir_page *out, weir_error *err);
/* A plain page to the span or the cursor; takes over its hold. A failure ends the run. */
bool weir_run_feed(weir_run *run, const weir_page *page, weir_work *work);
/* The run ends with what it has; `err` says why, and is told the page where one is given. */
void weir_run_fail(weir_run *run, weir_status status, const weir_error *err, const weir_page *page);
/* Rows ready to be given out. */
int64_t weir_run_ready(weir_run *run);

typedef enum weir_verdict {
    WEIR_VERDICT_ROWS, /* `rows` of them can be given out now */
    WEIR_VERDICT_WAIT, /* some run has neither rows nor an end */
    WEIR_VERDICT_END,
    WEIR_VERDICT_FAILED
} weir_verdict;

/* What the group has to give. FAILED: `failed` is the run with the lowest column. */
weir_verdict weir_stage_look(weir_stage *stage, int64_t *rows, weir_run **failed);
/* Step 7: a batch of `rows` rows out of all runs. */
weir_status weir_stage_assemble(weir_stage *stage, int64_t rows, weir_lot **out, weir_error *err);

#endif
