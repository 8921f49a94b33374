/* SPDX-License-Identifier: Apache-2.0
 * bench.c: what the benchmark's programs share. Public headers only. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

weir_status bench_columns(const weir_dataset *dataset, const weir_query *query,
                          bool (*batch)(void *state, const weir_batch *batch, void *user),
                          void *state, void *user, weir_stats *stats, weir_error *err)
{
    weir_columns *columns;

    WEIR_TRY(weir_columns_open(dataset, query, &columns, err));
    for (const weir_batch *next; (next = weir_columns_next(columns)) && batch(state, next, user);)
        ;
    *stats = (weir_stats)WEIR_STATS_INIT;
    weir_columns_stats(columns, stats);
    return weir_columns_close(columns, err);
}

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

typedef struct times {
    double wall, cpu;
} times;

static times now(void)
{
    return (times){ seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID) };
}

/* Opening the files is part of the job, unless the way says otherwise. */
static weir_status run(const bench_request *what, bench_result *out, times *took, weir_error *err)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    times begin = now(), end;
    weir_status status;

    options.context = what->context;
    options.flags = what->flags;
    query.threads = what->threads;
    memset(out, 0, sizeof *out);
    status = weir_open((const char *const *)what->files, what->count, &options, &dataset, err);
    if (what->way->opens_before)
        begin = now();
    if (status == WEIR_OK)
        status = what->way->work(dataset, what, &query, out, err);
    weir_dataset_close(dataset);
    end = now();
    *took = (times){ end.wall - begin.wall, end.cpu - begin.cpu };
    return status;
}

static double least(bool is_first, double best, double now)
{
    return is_first || now < best ? now : best;
}

static void print(const bench_way *way, const bench_result *best, times took, bool is_bare)
{
    if (is_bare) {
        printf("%s\t%.4f\t%.4f", way->name, 1e3 * took.wall, 1e3 * took.cpu);
        for (int i = 0; way->sums[i]; i++)
            printf("\t%.17g", best->sums[i]);
        printf("\t%" PRId64 "\t%.4f\t%.4f\t%.4f\t%.1f\n", best->rows,
               (double)best->stats.read_ns / 1e6, (double)best->stats.unpack_ns / 1e6,
               (double)best->stats.decode_ns / 1e6, (double)best->stats.memory_peak / 1e6);
        return;
    }
    printf("%-14s", way->name);
    for (int i = 0; way->sums[i]; i++)
        printf("%s %.12g  ", way->sums[i], best->sums[i]);
    printf("%" PRId64 " rows  %.3f ms  %.1f million rows/s\n", best->rows, 1e3 * took.wall,
           (double)best->rows / took.wall / 1e6);
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
static weir_status run_ways(const bench_program *program, bench_request *what, int runs,
                            weir_error *err)
{
    for (size_t w = 0; w < program->way_count; w++) {
        const bench_way *way = what->way = &program->ways[w];
        bench_result result, best = { 0 };
        times took, least_times = { 0 };

        if (what->only ? !is_among(way->name, what->only) : !way->is_usual)
            continue;
        for (int i = 0; i < runs; i++) {
            WEIR_TRY(run(what, &result, &took, err));
            if (i == 0 || took.wall < least_times.wall)
                best = result;
            least_times.wall = least(i == 0, least_times.wall, took.wall);
            least_times.cpu = least(i == 0, least_times.cpu, took.cpu);
        }
        print(way, &best, least_times, what->is_bare);
    }
    return WEIR_OK;
}

/* The same for each number of runs that stands on a line of the input, as the peers do. */
static weir_status serve(const bench_program *program, bench_request *what, weir_error *err)
{
    int runs;

    puts("ready");
    fflush(stdout);
    while (scanf("%d", &runs) == 1) {
        WEIR_TRY(run_ways(program, what, runs, err));
        puts("done");
        fflush(stdout);
    }
    return WEIR_OK;
}

static void usage(const bench_program *program)
{
    fprintf(
        stderr,
        "usage: %s [-t THREADS] [-n RUNS] [-b WAY] [-d] [-p] [-m] FILE...\n"
        "  -b   %s\n"
        "  -d   read every column as double, whatever the files say (weir_taxi)\n"
        "  -p   map the files\n"
        "  -m   for machines, with tabs between: way, ms, CPU ms, sums, rows; ms of reading,\n"
        "       unpacking and decoding and the most MB in use, in the best run\n"
        "Prints a line a way of reading: way, sums, rows, the best run's milliseconds, rows/s.\n",
        program->name, program->usage);
    exit(2);
}

int bench_main(const bench_program *program, int argc, char **argv)
{
    bench_request what = { .flags = WEIR_UNIFY };
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
            usage(program);
        else if (option == 'b')
            what.only = argv[first];
        else
            *(option == 't' ? &what.threads : &runs) = atoi(argv[first]);
    }
    if (first >= argc || runs < 1)
        usage(program);
    what.files = argv + first;
    what.count = (size_t)(argc - first);
    status = weir_context_open(what.threads, &what.context, &err);
    if (status == WEIR_OK)
        status = serves ? serve(program, &what, &err) : run_ways(program, &what, runs, &err);
    if (status != WEIR_OK)
        fprintf(stderr, "%s: %s\n", program->name, err.text);
    weir_context_close(what.context);
    return status == WEIR_OK ? 0 : 1;
}
