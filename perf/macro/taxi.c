/* SPDX-License-Identifier: Apache-2.0
 * taxi.c: the main job: sums of three of the taxi data's twenty columns over many files, by
 * columns, by rows and by a fold. Public headers only. `./dev demo` and `./dev bench` run it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weir/weir.h>

enum {
    COLUMNS = 3,
    LANES = 32
};

static const char *const names[COLUMNS] = { "passenger_count", "trip_distance", "fare_amount" };

/* A column is whole numbers or doubles; the other sum stays 0. */
typedef struct totals {
    int64_t whole[COLUMNS];
    double real[COLUMNS];
    int64_t rows;
    weir_stats stats; /* by columns */
} totals;

typedef weir_status job(const weir_dataset *taxi, const weir_query *query, totals *out,
                        weir_error *err);

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

/* The slot of a null holds zero, so no value needs a test. */
static void add_batch(totals *into, const weir_batch *batch, const int32_t at[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) {
        const weir_vector *v = &batch->columns[at[c]];

        if (v->type == WEIR_I64)
            into->whole[c] += sum_whole(weir_i64s(v), v->rows);
        else
            into->real[c] += sum_doubles(weir_f64s(v), v->rows);
    }
    into->rows += batch->rows;
}

static const int32_t in_order[COLUMNS] = { 0, 1, 2 };

static weir_status by_columns(const weir_dataset *taxi, const weir_query *query, totals *out,
                              weir_error *err)
{
    weir_columns *columns;

    WEIR_TRY(weir_columns_open(taxi, query, &columns, err));
    for (const weir_batch *batch; (batch = weir_columns_next(columns)) != NULL;)
        add_batch(out, batch, in_order);
    out->stats = (weir_stats)WEIR_STATS_INIT;
    weir_columns_stats(columns, &out->stats);
    return weir_columns_close(columns, err);
}

/* All twenty columns, of which three are summed. */
static weir_status by_all(const weir_dataset *taxi, const weir_query *query, totals *out,
                          weir_error *err)
{
    weir_query all = *query;
    weir_columns *columns;
    int32_t at[COLUMNS];

    for (int c = 0; c < COLUMNS; c++)
        WEIR_TRY(weir_dataset_find(taxi, names[c], &at[c], err));
    all.picks = NULL;
    all.pick_count = 0;
    WEIR_TRY(weir_columns_open(taxi, &all, &columns, err));
    for (const weir_batch *batch; (batch = weir_columns_next(columns)) != NULL;)
        add_batch(out, batch, at);
    out->stats = (weir_stats)WEIR_STATS_INIT;
    weir_columns_stats(columns, &out->stats);
    return weir_columns_close(columns, err);
}

/* Nothing but the footers. */
static weir_status by_count(const weir_dataset *taxi, const weir_query *query, totals *out,
                            weir_error *err)
{
    (void)query;
    return weir_dataset_rows(taxi, &out->rows, err);
}

static weir_status by_rows(const weir_dataset *taxi, const weir_query *query, totals *out,
                           weir_error *err)
{
    weir_rows *rows;
    bool is_whole[COLUMNS];

    WEIR_TRY(weir_rows_open(taxi, query, &rows, err));
    for (int c = 0; c < COLUMNS; c++)
        is_whole[c] = weir_schema_column(weir_rows_schema(rows), c)->type == WEIR_I64;
    while (weir_rows_next(rows)) {
        for (int c = 0; c < COLUMNS; c++) {
            if (is_whole[c])
                out->whole[c] += weir_rows_i64(rows, c);
            else
                out->real[c] += weir_rows_f64(rows, c);
        }
        out->rows++;
    }
    return weir_rows_close(rows, err);
}

static bool fold_batch(void *state, const weir_batch *batch, void *user)
{
    (void)user;
    add_batch(state, batch, in_order);
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

static weir_status by_fold(const weir_dataset *taxi, const weir_query *query, totals *out,
                           weir_error *err)
{
    const weir_folder folder = { .size = sizeof folder,
                                 .state_size = sizeof(totals),
                                 .batch = fold_batch,
                                 .merge = fold_merge };

    return weir_fold(taxi, query, &folder, NULL, out, NULL, err);
}

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Opening the files is part of the job. */
static weir_status run(job *work, char **files, size_t count, weir_type as, uint32_t flags,
                       int threads, weir_context *context, totals *out, weir_error *err)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_pick picks[COLUMNS] = { { .as = as } };
    weir_dataset *taxi = NULL;
    weir_status status;

    options.context = context;
    options.flags = flags;
    for (int c = 0; c < COLUMNS; c++)
        picks[c] = (weir_pick){ .path = names[c], .as = as };
    query.picks = picks;
    query.pick_count = COLUMNS;
    query.threads = threads;
    memset(out, 0, sizeof *out);
    status = weir_open((const char *const *)files, count, &options, &taxi, err);
    if (status == WEIR_OK)
        status = work(taxi, &query, out, err);
    weir_dataset_close(taxi);
    return status;
}

static double least(bool is_first, double best, double now)
{
    return is_first || now < best ? now : best;
}

static void print(const char *way, const totals *sums, double wall, double cpu, bool is_bare)
{
    double sum[COLUMNS];

    for (int c = 0; c < COLUMNS; c++)
        sum[c] = (double)sums->whole[c] + sums->real[c];
    if (is_bare) {
        printf("%s\t%.4f\t%.4f", way, 1e3 * wall, 1e3 * cpu);
        for (int c = 0; c < COLUMNS; c++)
            printf("\t%.17g", sum[c]);
        printf("\t%" PRId64 "\t%.4f\t%.4f\t%.4f\t%.1f\n", sums->rows,
               (double)sums->stats.read_ns / 1e6, (double)sums->stats.unpack_ns / 1e6,
               (double)sums->stats.decode_ns / 1e6, (double)sums->stats.memory_peak / 1e6);
        return;
    }
    printf("%-8s", way);
    for (int c = 0; c < COLUMNS; c++)
        printf("%s %.12g  ", names[c], sum[c]);
    printf("%" PRId64 " rows  %.3f ms  %.1f million rows/s\n", sums->rows, 1e3 * wall,
           (double)sums->rows / wall / 1e6);
}

static void usage(void)
{
    fputs(
        "usage: weir_taxi [-t THREADS] [-n RUNS] [-b WAY] [-d] [-p] [-m] FILE...\n"
        "  -b   columns, rows, fold: one of these alone; all: every column; count: footers alone\n"
        "  -d   read every column as double, whatever the files say\n"
        "  -p   map the files\n"
        "  -m   for machines, with tabs between: way, ms, CPU ms, sums, rows; ms of reading,\n"
        "       unpacking and decoding and the most MB in use, in the best run\n"
        "Prints a line a way of reading: way, sums, rows, the best run's milliseconds, rows/s.\n",
        stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        job *work;
        bool is_usual;
    } jobs[] = {
        { "columns", by_columns, true }, { "rows", by_rows, true },    { "fold", by_fold, true },
        { "all", by_all, false },        { "count", by_count, false },
    };
    weir_context *context = NULL;
    weir_error err = { 0 };
    const char *only = NULL;
    weir_type as = WEIR_ANY;
    uint32_t flags = WEIR_UNIFY;
    bool is_bare = false;
    int threads = 0, runs = 1, first = 1;

    for (; first < argc && argv[first][0] == '-'; first++) {
        const char option = argv[first][1];

        if (option == 'd')
            as = WEIR_F64;
        else if (option == 'm')
            is_bare = true;
        else if (option == 'p')
            flags |= WEIR_MAP_FILES;
        else if (!option || !strchr("tnb", option) || ++first == argc)
            usage();
        else if (option == 'b')
            only = argv[first];
        else
            *(option == 't' ? &threads : &runs) = atoi(argv[first]);
    }
    if (first >= argc || runs < 1)
        usage();
    if (weir_context_open(threads, &context, &err) != WEIR_OK)
        goto failed;
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        totals sums, best = { 0 };
        double wall = 0, cpu = 0;

        if (only ? strcmp(only, jobs[j].name) != 0 : !jobs[j].is_usual)
            continue;
        for (int i = 0; i < runs; i++) {
            const double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
            double now;

            if (run(jobs[j].work, argv + first, (size_t)(argc - first), as, flags, threads, context,
                    &sums, &err) != WEIR_OK)
                goto failed;
            now = seconds(CLOCK_MONOTONIC) - begin;
            if (i == 0 || now < wall)
                best = sums;
            wall = least(i == 0, wall, now);
            cpu = least(i == 0, cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
        }
        print(jobs[j].name, &best, wall, cpu, is_bare);
    }
    weir_context_close(context);
    return 0;
failed:
    fprintf(stderr, "weir_taxi: %s\n", err.text);
    weir_context_close(context);
    return 1;
}
