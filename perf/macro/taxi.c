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

/* All twenty columns, of which those at `at` are summed. */
static weir_status ask_for_all(const weir_dataset *taxi, weir_query *query, int32_t at[COLUMNS],
                               weir_error *err)
{
    for (int c = 0; c < COLUMNS; c++)
        WEIR_TRY(weir_dataset_find(taxi, names[c], &at[c], err));
    query->picks = NULL;
    query->pick_count = 0;
    return WEIR_OK;
}

static weir_status by_all(const weir_dataset *taxi, const weir_query *query, totals *out,
                          weir_error *err)
{
    weir_query all = *query;
    weir_columns *columns;
    int32_t at[COLUMNS];

    WEIR_TRY(ask_for_all(taxi, &all, at, err));
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
    double passengers = 0, distance = 0, fare = 0;
    int64_t whole = 0, count = 0;
    weir_rows *rows;

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
    *out = (totals){ .whole = { whole }, .real = { passengers, distance, fare }, .rows = count };
    return weir_rows_close(rows, err);
}

static bool fold_batch(void *state, const weir_batch *batch, void *user)
{
    add_batch(state, batch, user);
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

static const weir_folder folder = { .size = sizeof folder,
                                    .state_size = sizeof(totals),
                                    .batch = fold_batch,
                                    .merge = fold_merge };

static weir_status by_fold(const weir_dataset *taxi, const weir_query *query, totals *out,
                           weir_error *err)
{
    int32_t at[COLUMNS] = { 0, 1, 2 };

    return weir_fold(taxi, query, &folder, at, out, NULL, err);
}

static weir_status by_all_fold(const weir_dataset *taxi, const weir_query *query, totals *out,
                               weir_error *err)
{
    weir_query all = *query;
    int32_t at[COLUMNS];

    WEIR_TRY(ask_for_all(taxi, &all, at, err));
    return weir_fold(taxi, &all, &folder, at, out, NULL, err);
}

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What to do, and on what. */
typedef struct request {
    char **files;
    size_t count;
    const char *only; /* names of ways, with commas between; NULL: the usual ones */
    weir_type as;
    uint32_t flags;
    int threads;
    bool is_bare;
    weir_context *context;
} request;

/* Opening the files is part of the job. */
static weir_status run(job *work, const request *what, totals *out, weir_error *err)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_pick picks[COLUMNS];
    weir_dataset *taxi = NULL;
    weir_status status;

    options.context = what->context;
    options.flags = what->flags;
    for (int c = 0; c < COLUMNS; c++)
        picks[c] = (weir_pick){ .path = names[c], .as = c == 0 ? what->as : WEIR_F64 };
    query.picks = picks;
    query.pick_count = COLUMNS;
    query.threads = what->threads;
    memset(out, 0, sizeof *out);
    status = weir_open((const char *const *)what->files, what->count, &options, &taxi, err);
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
        "  -b   columns, rows, fold: one of these alone; all, all-fold: every column;\n"
        "       count: footers alone\n"
        "  -d   read every column as double, whatever the files say\n"
        "  -p   map the files\n"
        "  -m   for machines, with tabs between: way, ms, CPU ms, sums, rows; ms of reading,\n"
        "       unpacking and decoding and the most MB in use, in the best run\n"
        "Prints a line a way of reading: way, sums, rows, the best run's milliseconds, rows/s.\n",
        stderr);
    exit(2);
}

static bool is_among(const char *name, const char *list)
{
    const size_t size = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += size)
        if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

/* Each way `runs` times, and a line of the best. */
static weir_status run_ways(const request *what, int runs, weir_error *err)
{
    static const struct {
        const char *name;
        job *work;
        bool is_usual;
    } jobs[] = {
        { "columns", by_columns, true }, { "rows", by_rows, true },    { "fold", by_fold, true },
        { "all", by_all, false },        { "all-fold", by_all_fold, false },
        { "count", by_count, false },
    };

    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        totals sums, best = { 0 };
        double wall = 0, cpu = 0;

        if (what->only ? !is_among(jobs[j].name, what->only) : !jobs[j].is_usual)
            continue;
        for (int i = 0; i < runs; i++) {
            const double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
            double now;

            WEIR_TRY(run(jobs[j].work, what, &sums, err));
            now = seconds(CLOCK_MONOTONIC) - begin;
            if (i == 0 || now < wall)
                best = sums;
            wall = least(i == 0, wall, now);
            cpu = least(i == 0, cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
        }
        print(jobs[j].name, &best, wall, cpu, what->is_bare);
    }
    return WEIR_OK;
}

/* The same for each number of runs that stands on a line of the input, as the peers do. */
static weir_status serve(const request *what, weir_error *err)
{
    int runs;

    puts("ready");
    fflush(stdout);
    while (scanf("%d", &runs) == 1) {
        WEIR_TRY(run_ways(what, runs, err));
        puts("done");
        fflush(stdout);
    }
    return WEIR_OK;
}

int main(int argc, char **argv)
{
    request what = { .flags = WEIR_UNIFY };
    weir_error err = { 0 };
    bool serves = false;
    int runs = 1, first = 1;
    weir_status status;

    for (; first < argc && argv[first][0] == '-'; first++) {
        const char option = argv[first][1];

        if (option == 'd')
            what.as = WEIR_F64;
        else if (option == 'm')
            what.is_bare = true;
        else if (option == 'p')
            what.flags |= WEIR_MAP_FILES;
        else if (option == 'i')
            serves = what.is_bare = true;
        else if (!option || !strchr("tnb", option) || ++first == argc)
            usage();
        else if (option == 'b')
            what.only = argv[first];
        else
            *(option == 't' ? &what.threads : &runs) = atoi(argv[first]);
    }
    if (first >= argc || runs < 1)
        usage();
    what.files = argv + first;
    what.count = (size_t)(argc - first);
    status = weir_context_open(what.threads, &what.context, &err);
    if (status == WEIR_OK)
        status = serves ? serve(&what, &err) : run_ways(&what, runs, &err);
    if (status != WEIR_OK)
        fprintf(stderr, "weir_taxi: %s\n", err.text);
    weir_context_close(what.context);
    return status == WEIR_OK ? 0 : 1;
}
