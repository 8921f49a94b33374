/* SPDX-License-Identifier: Apache-2.0
 * bench.h: what the benchmark's programs share: the command line, timing, printing, and serving
 * runs as the peers do. A program is a list of ways to do its job. */
#ifndef WEIR_PERF_BENCH_H
#define WEIR_PERF_BENCH_H

#include <weir/weir.h>

enum {
    BENCH_SUMS = 8
};

/* What to do, and on what. */
typedef struct bench_request {
    const struct bench_way *way; /* that is done now */
    char **files;
    size_t count;
    const char *only; /* names of ways, with commas between; NULL: the usual ones */
    weir_type as;     /* F64 when asked to read everything as that */
    uint32_t flags;
    int threads;
    bool is_bare;
    weir_context *context;
} bench_request;

typedef struct bench_result {
    double sums[BENCH_SUMS];
    int64_t rows;
    weir_stats stats; /* by columns */
} bench_result;

/* One way: the dataset is open, the result zeroed, and the query has its threads alone. */
typedef weir_status bench_work(const weir_dataset *dataset, const bench_request *what,
                               weir_query *query, bench_result *out, weir_error *err);

typedef struct bench_way {
    const char *name;
    bench_work *work;
    bool is_usual;
    const char *const *sums; /* their names, NULL behind the last */
    const void *detail;      /* what the program keeps of it */
    bool opens_before;       /* the clock starts when the files are open */
} bench_way;

typedef struct bench_program {
    const char *name, *usage;
    const bench_way *ways;
    size_t way_count;
} bench_program;

/* All columns of `query` into `out`, batch by batch. */
weir_status bench_columns(const weir_dataset *dataset, const weir_query *query,
                          bool (*batch)(void *state, const weir_batch *batch, void *user),
                          void *state, void *user, weir_stats *stats, weir_error *err);

int bench_main(const bench_program *program, int argc, char **argv);

#endif
