/* SPDX-License-Identifier: Apache-2.0
 * line.h: a reader's engine: from a plan to batches in row order, by one thread (serial.c) or by
 * many (pipeline.c), with the same batches, values and errors. Columns and rows are its users. */
#ifndef WEIR_READERS_LINE_H
#define WEIR_READERS_LINE_H

#include "readers/stage.h"

typedef struct weir_pipeline weir_pipeline;

typedef struct weir_line {
    weir_plan *plan;
    weir_walk walk;
    weir_work *works; /* one a worker; 0 is the reader's own thread */
    int work_count;
    weir_pipeline *pipeline; /* NULL: serial; as long as the line, since cancel may look at it */
    bool is_serial;          /* the pipeline needed more memory than there is */
    weir_stage stage;        /* serial: the group in progress */
    bool is_inside;          /* serial: `stage` is entered, or failed to be */

    int32_t bad_file; /* where the last failure stands, and that file's first row */
    int64_t bad_base;
    weir_status status;
    weir_error error;
    bool is_over;
    _Atomic(bool) is_cancelled;
    int64_t next_row; /* of the dataset */
    int64_t rows, batches;
    int32_t file; /* of the last batch */
    int32_t files_skipped;
    uint64_t open_ns, wait_ns; /* the reader's thread's */
} weir_line;

/* Takes the plan, also on failure. */
weir_status weir_line_open(weir_plan *plan, weir_line **out, weir_error *err);
void weir_line_close(weir_line *line);
/* The next batch, one count; NULL: the end, or trouble in line->status. */
weir_lot *weir_line_next(weir_line *line);
/* The next batch begins at `row` of the dataset; clears the end and errors before it. */
weir_status weir_line_seek(weir_line *line, int64_t row, weir_error *err);
void weir_line_stats(const weir_line *line, weir_stats *out);
/* A failure stands in the file that `stage` is of. */
void weir_line_blame(weir_line *line, const weir_stage *stage);
/* Bytes read so far by all workers. */
uint64_t weir_line_bytes(const weir_line *line);

/* serial.c: one batch; `*out` stays NULL at the end. */
weir_status weir_serial_next(weir_line *line, weir_lot **out, weir_error *err);
void weir_serial_stop(weir_line *line);
/* Cuts until the run has rows or is over. */
void weir_serial_advance(weir_run *run, weir_work *work);
/* Reads a group to its end: `give` gets each batch and takes over its count; false stops. */
weir_status weir_serial_group(weir_stage *stage, weir_work *work,
                              bool (*give)(void *user, weir_lot *lot), void *user, weir_error *err);

/* pipeline.c: the same, spread over the pool. */
weir_status weir_pipeline_open(weir_line *line, weir_error *err);
weir_status weir_pipeline_next(weir_line *line, weir_lot **out, weir_error *err);
/* Nobody works for the line afterwards; it may start again at another place of the walk. */
void weir_pipeline_stop(weir_line *line);
void weir_pipeline_close(weir_line *line);
/* Any thread: wakes the reader if it waits. */
void weir_pipeline_wake(weir_line *line);

#endif
