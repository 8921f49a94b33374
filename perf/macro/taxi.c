/* SPDX-License-Identifier: Apache-2.0
 * taxi.c: the main job: sums of three of the taxi data's twenty columns over many files, by
 * columns, by rows and by a fold. Public headers only. `./dev demo` and `./dev bench` run it. */
#include "bench.h"

enum {
    COLUMNS = 3,
    LANES = 32
};

static const char *const names[COLUMNS + 1] = { "passenger_count", "trip_distance", "fare_amount",
                                                NULL };

/* A column is whole numbers or doubles; the other sum stays 0. */
typedef struct totals {
    int64_t whole[COLUMNS];
    double real[COLUMNS];
    int64_t rows;
} totals;

/* One accumulator would wait four cycles for each addition. */
static double sum_doubles(const double *values, int64_t count)
{
    double lane[LANES] = { 0 }, sum = 0;
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += values[i + k];
    for (; i < count; i++)
        sum += values[i];
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

static int64_t sum_whole(const int64_t *values, int64_t count)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* The slot of a null holds zero, so no value needs a test. `at`: where the three columns are. */
static bool add_batch(void *state, const weir_batch *batch, void *at)
{
    const int32_t *columns = at;
    totals *into = state;

    for (int c = 0; c < COLUMNS; c++) {
        const weir_vector *v = &batch->columns[columns[c]];

        if (v->type == WEIR_I64)
            into->whole[c] += sum_whole(weir_i64s(v), v->rows);
        else
            into->real[c] += sum_doubles(weir_f64s(v), v->rows);
    }
    into->rows += batch->rows;
    return true;
}

static void fold_merge(void *into, void *from, void *user)
{
    totals *a = into;
    const totals *b = from;

    (void)user;
    for (int c = 0; c < COLUMNS; c++) {
        a->whole[c] += b->whole[c];
        a->real[c] += b->real[c];
    }
    a->rows += b->rows;
}

static const weir_folder folder = {
    .size = sizeof folder, .state_size = sizeof(totals), .batch = add_batch, .merge = fold_merge
};

static void give(const totals *sums, bench_result *out)
{
    for (int c = 0; c < COLUMNS; c++)
        out->sums[c] = (double)sums->whole[c] + sums->real[c];
    out->rows = sums->rows;
}

static weir_status read_columns(const weir_dataset *taxi, const weir_query *query,
                                int32_t at[COLUMNS], bench_result *out, weir_error *err)
{
    totals sums = { 0 };

    WEIR_TRY(bench_columns(taxi, query, add_batch, &sums, at, &out->stats, err));
    give(&sums, out);
    return WEIR_OK;
}

static weir_status fold(const weir_dataset *taxi, const weir_query *query, int32_t at[COLUMNS],
                        bench_result *out, weir_error *err)
{
    totals sums;

    WEIR_TRY(weir_fold(taxi, query, &folder, at, &sums, NULL, err));
    give(&sums, out);
    return WEIR_OK;
}

/* The three columns, in the order of `names`. */
static void ask_for_three(const bench_request *what, weir_query *query, weir_pick picks[COLUMNS],
                          int32_t at[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) {
        picks[c] = (weir_pick){ .path = names[c], .as = c == 0 ? what->as : WEIR_F64 };
        at[c] = c;
    }
    query->picks = picks;
    query->pick_count = COLUMNS;
}

/* All twenty columns, of which those at `at` are summed. */
static weir_status ask_for_all(const weir_dataset *taxi, int32_t at[COLUMNS], weir_error *err)
{
    for (int c = 0; c < COLUMNS; c++)
        WEIR_TRY(weir_dataset_find(taxi, names[c], &at[c], err));
    return WEIR_OK;
}

static weir_status by_columns(const weir_dataset *taxi, const bench_request *what,
                              weir_query *query, bench_result *out, weir_error *err)
{
    weir_pick picks[COLUMNS];
    int32_t at[COLUMNS];

    ask_for_three(what, query, picks, at);
    return read_columns(taxi, query, at, out, err);
}

static weir_status by_fold(const weir_dataset *taxi, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    weir_pick picks[COLUMNS];
    int32_t at[COLUMNS];

    ask_for_three(what, query, picks, at);
    return fold(taxi, query, at, out, err);
}

static weir_status by_all(const weir_dataset *taxi, const bench_request *what, weir_query *query,
                          bench_result *out, weir_error *err)
{
    int32_t at[COLUMNS];

    (void)what;
    WEIR_TRY(ask_for_all(taxi, at, err));
    return read_columns(taxi, query, at, out, err);
}

static weir_status by_all_fold(const weir_dataset *taxi, const bench_request *what,
                               weir_query *query, bench_result *out, weir_error *err)
{
    int32_t at[COLUMNS];

    (void)what;
    WEIR_TRY(ask_for_all(taxi, at, err));
    return fold(taxi, query, at, out, err);
}

/* Nothing but the footers. */
static weir_status by_count(const weir_dataset *taxi, const bench_request *what, weir_query *query,
                            bench_result *out, weir_error *err)
{
    (void)what;
    (void)query;
    return weir_dataset_rows(taxi, &out->rows, err);
}

static weir_status by_rows(const weir_dataset *taxi, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    double passengers = 0, distance = 0, fare = 0;
    weir_pick picks[COLUMNS];
    int32_t at[COLUMNS];
    int64_t whole = 0, count = 0;
    weir_rows *rows;

    ask_for_three(what, query, picks, at);
    WEIR_TRY(weir_rows_open(taxi, query, &rows, err));
    if (weir_schema_column(weir_rows_schema(rows), 0)->type == WEIR_I64) {
        for (; weir_rows_next(rows); count++) {
            whole += weir_rows_i64(rows, 0);
            distance += weir_rows_f64(rows, 1);
            fare += weir_rows_f64(rows, 2);
        }
    } else {
        for (; weir_rows_next(rows); count++) {
            passengers += weir_rows_f64(rows, 0);
            distance += weir_rows_f64(rows, 1);
            fare += weir_rows_f64(rows, 2);
        }
    }
    give(&(totals){ .whole = { whole }, .real = { passengers, distance, fare }, .rows = count },
         out);
    return weir_rows_close(rows, err);
}

static const bench_way ways[] = {
    { "columns", by_columns, true, .sums = names },    { "rows", by_rows, true, .sums = names },
    { "fold", by_fold, true, .sums = names },          { "all", by_all, false, .sums = names },
    { "all-fold", by_all_fold, false, .sums = names }, { "count", by_count, false, .sums = names },
};

static const bench_program program = { "weir_taxi",
                                       "columns, rows, fold: one of these alone; all, all-fold: "
                                       "every column;\n       count: footers alone",
                                       ways, sizeof ways / sizeof *ways };

int main(int argc, char **argv)
{
    return bench_main(&program, argc, argv);
}
