/* SPDX-License-Identifier: Apache-2.0
 * plan.h: step 2 of the line: what one reader reads. A plan is frozen; files are opened as the
 * reader comes to them, each with the targets that turn its columns into the result's. */
#ifndef WEIR_READERS_PLAN_H
#define WEIR_READERS_PLAN_H

#include "readers/dataset.h"
#include "readers/exchange.h"
#include "readers/pick.h"

typedef struct weir_plan {
    weir_dataset *dataset;
    weir_schema *schema; /* of the result: a column a choice */
    weir_choice *choices;
    size_t count;        /* of columns */
    size_t leaf_count;   /* of the result: a target each */
    uint8_t *shapes;     /* a byte a field of the result: it comes without its children */
    weir_memory *memory; /* all that this reader holds */
    weir_exchange *exchange;
    weir_hold *zeros; /* stands for any column that a file lacks: no value, all null */
    int64_t batch_rows;
    size_t batch_bytes;         /* of one column of any length */
    int64_t first_row, end_row; /* of the dataset; end_row INT64_MAX: all */
    weir_filter *filter;        /* NULL: none. `present` are columns of the dataset */
    int64_t most;               /* rows to give out, where a filter leaves their places open */
    uint64_t byte_begin, byte_end;
    int threads;
} weir_plan;

/* A file in use by a reader. Counted: each group in progress has one. */
typedef struct weir_opened {
    _Atomic(int32_t) refs;
    const weir_plan *plan;
    weir_file *file;
    int32_t index;
    int64_t base; /* the dataset's number of its first row */
    weir_want want;
    weir_filter filter;    /* of the plan, with this file's columns */
    bool is_barren;        /* it lacks a column that the filter asks for: no row passes */
    weir_arena arena;      /* the paths of nested targets */
    weir_target targets[]; /* by leaf of the result */
} weir_opened;

/* Copies what the caller's query has of ours; NULL is every row of every column. */
weir_status weir_query_read(const weir_query *query, weir_query *out, weir_error *err);
/* The row that it begins with; asks the dataset for its rows only where it counts from their end.
 */
weir_status weir_query_first(const weir_query *query, const weir_dataset *dataset, int64_t *out,
                             weir_error *err);
weir_status weir_plan_open(const weir_dataset *dataset, const weir_query *query, weir_plan **out,
                           weir_error *err);
void weir_plan_close(weir_plan *plan);
/* Rows of a batch's vectors when `left` rows remain. */
int64_t weir_plan_rows(const weir_plan *plan, int64_t left);

/* File `index`, whose first row is `base`, for this plan; MISMATCH where its columns differ from
 * what the plan expects. */
weir_status weir_opened_open(const weir_plan *plan, int32_t index, int64_t base, weir_opened **out,
                             weir_error *err);
void weir_opened_release(weir_opened *opened);

/* filter.c: the query's filter into the plan, and for a file that was opened. */
weir_status weir_filter_plan(weir_plan *plan, const weir_query *query, weir_error *err);
weir_status weir_filter_open(weir_opened *opened, weir_error *err);

#endif
