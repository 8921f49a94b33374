/* SPDX-License-Identifier: Apache-2.0
 * stress_life.c: what happens to readers besides reading: slow consumers, batches kept and released
 * elsewhere after everything was closed, progress that cancels, readers inside a fold, many readers
 * of one dataset at once, a fork in mid-scan, memory that must not grow, limits. A plain main, for
 * the thread sanitizer. */
#include "readers/dataset.h"
#include "toy.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weir/weir.h>

#if defined(__SANITIZE_THREAD__)
#define IS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_TSAN 1
#endif
#endif
#ifndef IS_TSAN
#define IS_TSAN 0
#endif

enum {
    SEED = 5
};

static long checks, failures;

#define CHECK(x, ...)                                           \
    do {                                                        \
        __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);       \
        if (!(x)) {                                             \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED); \
            printf("%s:%d: %s: ", __func__, __LINE__, #x);      \
            printf(__VA_ARGS__);                                \
            putchar('\n');                                      \
        }                                                       \
    } while (0)

static toy file;

static weir_dataset *open_copies(size_t copies, const weir_options *options)
{
    weir_input inputs[16];
    weir_dataset *dataset = NULL;
    weir_error err;

    for (size_t i = 0; i < copies; i++)
        inputs[i] = (weir_input){
            .size = sizeof *inputs, .name = "toy", .data = file.data, .length = file.size
        };
    if (weir_dataset_open(inputs, copies, options, &weir_format_toy, &dataset, &err) != WEIR_OK) {
        printf("open: %s\n", err.text);
        abort();
    }
    return dataset;
}

static weir_context *context_of(int threads)
{
    weir_context *context = NULL;

    if (weir_context_open(threads, &context, NULL) != WEIR_OK)
        abort();
    return context;
}

static bool batch_is_right(const weir_batch *batch)
{
    for (int64_t i = 0; i < batch->rows; i++) {
        const int64_t row = (batch->first_row + i) % file.rows;
        const bool is_null = toy_is_null(SEED, TOY_B, row);

        if (weir_i32s(&batch->columns[TOY_A])[i] != toy_a(SEED, row) ||
            weir_is_null(&batch->columns[TOY_B], i) != is_null ||
            (!is_null && weir_i64s(&batch->columns[TOY_B])[i] != toy_b(SEED, row)))
            return false;
    }
    return true;
}

static int64_t read_rows(const weir_dataset *dataset, const weir_query *query, weir_status expected)
{
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_error err = { 0 };
    int64_t rows = 0;
    weir_status status = weir_columns_open(dataset, query, &columns, &err);

    CHECK(status == WEIR_OK, "%s", err.text);
    while ((batch = weir_columns_next(columns)) != NULL) {
        CHECK(batch_is_right(batch), "batch at %" PRId64, batch->first_row);
        rows += batch->rows;
    }
    status = weir_columns_close(columns, &err);
    CHECK(status == expected, "%s: %s", weir_status_name(status), err.text);
    return rows;
}

/* ---- a slow consumer; the budget holds while it sleeps ---- */

static void a_slow_consumer_holds_the_readers_up(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_stats stats = WEIR_STATS_INIT;
    weir_dataset *dataset;
    int64_t rows = 0;

    options.context = context;
    options.memory = 200000;
    dataset = open_copies(16, &options);
    query.batch_rows = 500;
    if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
        abort();
    while ((batch = weir_columns_next(columns)) != NULL) {
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
        CHECK(batch_is_right(batch), "batch at %" PRId64, batch->first_row);
        rows += batch->rows;
    }
    weir_columns_stats(columns, &stats);
    CHECK(rows == 16 * file.rows, "%" PRId64 " rows", rows);
    /* The floor is a page a column and a batch; windows are 256 KiB each. */
    CHECK(stats.memory_peak < 4000000, "%" PRIu64 " bytes", stats.memory_peak);
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
}

/* ---- batches outlive everything, on another thread, in any order ---- */

typedef struct pile {
    const weir_batch *batches[400];
    int count;
} pile;

static void *release_backwards(void *user)
{
    pile *kept = user;

    for (int i = kept->count - 1; i >= 0; i--) {
        CHECK(batch_is_right(kept->batches[i]), "batch %d", i);
        weir_batch_release(kept->batches[i]);
    }
    return NULL;
}

static void batches_outlive_all(int threads)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_dataset *dataset;
    pile *kept = calloc(1, sizeof *kept);
    pthread_t thread;

    options.context = context_of(threads);
    dataset = open_copies(2, &options);
    query.batch_rows = 100;
    if (!kept || weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
        abort();
    while (kept->count < 400 && (batch = weir_columns_next(columns)) != NULL)
        kept->batches[kept->count++] = weir_batch_keep(batch);
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    if (pthread_create(&thread, NULL, release_backwards, kept) != 0)
        abort();
    pthread_join(thread, NULL);
    free(kept);
}

/* ---- progress ---- */

typedef struct seen {
    int64_t rows;
    int32_t files;
    int calls;
    bool went_back;
} seen;

static bool watch(void *user, int64_t rows, uint64_t bytes, int32_t files)
{
    seen *s = user;

    s->went_back |= rows < s->rows || files < s->files || bytes == 0;
    s->rows = rows;
    s->files = files;
    return ++s->calls < 5;
}

static void progress_sees_rows_and_can_cancel(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset;
    seen s = { 0 };

    options.context = context;
    options.progress = watch;
    options.user = &s;
    dataset = open_copies(3, &options);
    query.batch_rows = 50;
    CHECK(read_rows(dataset, &query, WEIR_CANCELLED) == s.rows, "%" PRId64, s.rows);
    CHECK(s.calls == 5 && !s.went_back, "%d calls", s.calls);
    weir_dataset_close(dataset);
}

/* ---- a reader inside a fold ---- */

typedef struct nested {
    const weir_dataset *dataset;
} nested;

static bool read_inside(void *state, const weir_batch *batch, void *user)
{
    const nested *n = user;
    weir_query query = WEIR_QUERY_INIT;

    *(int64_t *)state += batch->rows;
    query.batch_rows = 1000;
    CHECK(read_rows(n->dataset, &query, WEIR_OK) == 2 * file.rows, "inside");
    return true;
}

static void add_rows(void *into, void *from, void *user)
{
    (void)user;
    *(int64_t *)into += *(int64_t *)from;
}

static void readers_inside_a_fold_go_on(weir_context *context)
{
    const weir_folder folder = { .size = sizeof folder,
                                 .state_size = sizeof(int64_t),
                                 .batch = read_inside,
                                 .merge = add_rows };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset;
    int64_t rows = 0;
    nested n;

    options.context = context;
    n.dataset = dataset = open_copies(2, &options);
    query.batch_rows = 4000;
    CHECK(weir_fold(dataset, &query, &folder, &n, &rows, NULL, NULL) == WEIR_OK, "fold");
    CHECK(rows == 2 * file.rows, "%" PRId64, rows);
    weir_dataset_close(dataset);
}

/* ---- many readers ---- */

static void *read_one(void *user)
{
    weir_query query = WEIR_QUERY_INIT;

    query.batch_rows = 300;
    CHECK(read_rows(user, &query, WEIR_OK) == 4 * file.rows, "one of many");
    return NULL;
}

static void many_readers_share_a_dataset(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset;
    pthread_t threads[6];

    options.context = context;
    dataset = open_copies(4, &options);
    for (int i = 0; i < 6; i++)
        if (pthread_create(&threads[i], NULL, read_one, dataset) != 0)
            abort();
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    weir_dataset_close(dataset);
}

/* ---- fork ---- */

/* In the child the parent's reader says BAD_CALL, closing does not hang, a new context reads. */
static int child(weir_columns *columns, weir_dataset *dataset, weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_error err = { 0 };
    weir_dataset *own;

    failures = 0;
    alarm(60);
    CHECK(weir_columns_next(columns) == NULL, "a batch in the child");
    CHECK(weir_columns_error(columns, &err) == WEIR_BAD_CALL, "%s", err.text);
    CHECK(weir_columns_open(dataset, NULL, &columns, &err) == WEIR_BAD_CALL, "%s", err.text);
    weir_columns_close(columns, NULL);
    options.context = context_of(2);
    own = open_copies(2, &options);
    CHECK(read_rows(own, &query, WEIR_OK) == 2 * file.rows, "rows in the child");
    weir_dataset_close(own);
    weir_context_close(options.context);
    (void)context;
    fflush(stdout);
    return failures != 0;
}

static void a_fork_in_mid_scan(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    weir_dataset *dataset;
    int64_t rows = 0;
    int status = 0;
    pid_t pid;

    options.context = context;
    dataset = open_copies(4, &options);
    query.batch_rows = 100;
    if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
        abort();
    for (int i = 0; i < 5; i++)
        rows += weir_columns_next(columns)->rows;
    fflush(stdout);
    pid = fork();
    if (pid == 0)
        _exit(child(columns, dataset, context));
    for (const weir_batch *batch; (batch = weir_columns_next(columns)) != NULL;)
        rows += batch->rows;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
    CHECK(rows == 4 * file.rows, "%" PRId64 " rows in the parent", rows);
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
}

/* ---- memory ---- */

static void passes_do_not_grow(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset;
    uint64_t warm = 0;

    options.context = context;
    dataset = open_copies(4, &options);
    query.batch_rows = 300;
    for (int pass = 0; pass < 50; pass++) {
        CHECK(read_rows(dataset, &query, WEIR_OK) == 4 * file.rows, "pass %d", pass);
        if (pass == 24)
            warm = weir_slabs_fresh(context->slabs);
    }
    /* On one thread the same slabs come round; on several, how many are out at a time varies. */
    CHECK(weir_slabs_fresh(context->slabs) - warm <= (context->threads > 1 ? 40 : 0),
          "%" PRIu64 " fresh slabs after warming up", weir_slabs_fresh(context->slabs) - warm);
    weir_dataset_close(dataset);
}

static void a_limit_is_an_error_that_names_it(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_columns *columns = NULL;
    weir_dataset *dataset;
    weir_error err = { 0 };
    weir_status status;

    options.context = context;
    options.memory_limit = 20000;
    dataset = open_copies(1, &options);
    status = weir_columns_open(dataset, NULL, &columns, &err);
    while (status == WEIR_OK && weir_columns_next(columns))
        ;
    if (status == WEIR_OK)
        status = weir_columns_close(columns, &err);
    CHECK(status == WEIR_LIMIT && strstr(err.text, "20000"), "%s: %s", weir_status_name(status),
          err.text);
    weir_dataset_close(dataset);
}

/* A cancel may come while a reader gives up its threads for want of memory. */
static void *cancel_later(void *columns)
{
    nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    weir_columns_cancel(columns);
    return NULL;
}

static void a_limit_is_kept_by_reading_on_alone_and_cancelled_all_the_same(weir_context *context)
{
    weir_options options = WEIR_OPTIONS_INIT;
    bool was_met = false, was_kept = false;

    options.context = context;
    for (size_t limit = 20000; limit < 400000; limit += 20000) {
        weir_columns *columns = NULL;
        const weir_batch *batch;
        weir_dataset *dataset;
        weir_status status;
        pthread_t thread;
        int64_t rows = 0;

        options.memory_limit = limit;
        dataset = open_copies(2, &options);
        for (int cancels = 0; cancels < 2; cancels++) {
            if (weir_columns_open(dataset, NULL, &columns, NULL) != WEIR_OK ||
                (cancels && pthread_create(&thread, NULL, cancel_later, columns) != 0))
                abort();
            for (rows = 0; (batch = weir_columns_next(columns)) != NULL; rows += batch->rows)
                CHECK(batch_is_right(batch), "batch at %" PRId64, batch->first_row);
            if (cancels)
                pthread_join(thread, NULL);
            status = weir_columns_close(columns, NULL);
            was_met |= status == WEIR_LIMIT;
            was_kept |= status == WEIR_OK;
            CHECK(status == WEIR_LIMIT || (status == WEIR_OK && rows == 2 * file.rows) ||
                      (cancels && status == WEIR_CANCELLED),
                  "%s after %" PRId64 " rows", weir_status_name(status), rows);
        }
        weir_dataset_close(dataset);
    }
    CHECK(was_met && was_kept, "no limit between too little and enough");
}

/* ---- threads ---- */

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    int count = 0;

    if (!tasks)
        abort();
    while ((task = readdir(tasks)) != NULL)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* A thread that was joined may stand in /proc for a moment still. */
static int settle_threads(int expected)
{
    for (int i = 0; i < 400 && count_threads() != expected; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    return count_threads();
}

static void no_more_threads_than_asked_for(int of_context, int asked, int expected)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset;
    const int before = settle_threads(1);

    options.context = context_of(of_context);
    dataset = open_copies(2, &options);
    query.threads = asked;
    CHECK(read_rows(dataset, &query, WEIR_OK) == 2 * file.rows, "rows");
    CHECK(settle_threads(before + expected) == before + expected, "%d threads, then %d", before,
          count_threads());
    weir_dataset_close(dataset);
    weir_context_close(options.context);
}

int main(void)
{
    static const int threads[] = { 1, 2, 4 };

    toy_make(&file, SEED, 0);
    if (!IS_TSAN) { /* which has a thread of its own */
        no_more_threads_than_asked_for(1, 0, 0);
        no_more_threads_than_asked_for(4, 1, 0);
        no_more_threads_than_asked_for(4, 0, 3);
    }
    for (int i = 0; i < 3; i++) {
        weir_context *context = context_of(threads[i]);

        a_slow_consumer_holds_the_readers_up(context);
        batches_outlive_all(threads[i]);
        progress_sees_rows_and_can_cancel(context);
        readers_inside_a_fold_go_on(context);
        many_readers_share_a_dataset(context);
        passes_do_not_grow(context);
        a_limit_is_an_error_that_names_it(context);
        a_limit_is_kept_by_reading_on_alone_and_cancelled_all_the_same(context);
        if (!IS_TSAN) /* which can't follow threads started after a fork */
            a_fork_in_mid_scan(context);
        weir_context_close(context);
    }
    toy_free(&file);
    printf("%ld checks, %ld failed\n", checks, failures);
    return failures != 0;
}
