/* SPDX-License-Identifier: Apache-2.0
 * stress_line.c: both drivers over toy files (toy.h): every value is held against the truth, and
 * every error against the row and column where it was planted, for many batch sizes, byte caps,
 * numbers of threads and budgets; with early close, cancel, seek and fold. A plain main, so that
 * the thread sanitizer can watch it. Usage: stress_line [FILES]. */
#include "readers/dataset.h"
#include "toy.h"

#include "core/bits.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

static long runs, failures;

#define CHECK(x, ...)                                   \
    do {                                                \
        if (!(x)) {                                     \
            failures++;                                 \
            printf("seed %" PRIu64 ": %s: ", seed, #x); \
            printf(__VA_ARGS__);                        \
            putchar('\n');                              \
        }                                               \
    } while (0)

typedef struct setting {
    int64_t batch_rows;
    size_t batch_bytes;
    int threads;
    size_t memory;
} setting;

static bool row_is_right(uint64_t seed, const weir_batch *batch, int64_t i)
{
    const weir_vector *v = batch->columns;
    const int64_t row = batch->first_row + i;
    uint8_t text[64];
    const size_t size = toy_d(seed, row, text);
    const weir_view d = weir_bytes(&v[TOY_D], i);
    const bool is_null = toy_is_null(seed, TOY_B, row);

    return weir_i32s(&v[TOY_A])[i] == toy_a(seed, row) && weir_is_null(&v[TOY_B], i) == is_null &&
           weir_i64s(&v[TOY_B])[i] == (is_null ? 0 : toy_b(seed, row)) &&
           weir_f64s(&v[TOY_C])[i] == toy_c(seed, row) && d.size == size &&
           memcmp(d.data, text, size) == 0;
}

static int64_t count_nulls(uint64_t seed, int64_t first, int64_t rows)
{
    int64_t nulls = 0;

    for (int64_t i = 0; i < rows; i++)
        nulls += toy_is_null(seed, TOY_B, first + i);
    return nulls;
}

static void check_batch(uint64_t seed, const weir_batch *batch, int64_t expected, int64_t most)
{
    CHECK(batch->first_row == expected, "row %" PRId64 ", not %" PRId64, batch->first_row,
          expected);
    CHECK(batch->rows >= 1 && batch->rows <= most, "%" PRId64 " rows", batch->rows);
    CHECK(batch->columns[TOY_B].nulls == count_nulls(seed, batch->first_row, batch->rows),
          "%" PRId64 " nulls", batch->columns[TOY_B].nulls);
    for (int64_t i = 0; i < batch->rows; i++)
        if (!row_is_right(seed, batch, i)) {
            CHECK(false, "row %" PRId64 " is wrong", batch->first_row + i);
            return;
        }
}

/* Inputs are the same bytes twice: two files of one dataset. */
static weir_dataset *open_toy(weir_context *context, const toy *file, size_t memory)
{
    weir_input input = {
        .size = sizeof input, .name = "toy", .data = file->data, .length = file->size
    };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;
    weir_error err;

    options.context = context;
    options.memory = memory;
    if (weir_dataset_open(&input, 1, &options, &weir_format_toy, &dataset, &err) != WEIR_OK) {
        printf("open: %s\n", err.text);
        abort();
    }
    return dataset;
}

static weir_query query_of(const setting *s)
{
    weir_query query = WEIR_QUERY_INIT;

    query.batch_rows = s->batch_rows;
    query.batch_bytes = s->batch_bytes;
    query.threads = s->threads;
    return query;
}

static void check_end(uint64_t seed, const toy *file, weir_status status, const weir_error *err,
                      int64_t rows)
{
    /* Columns c and d share their span: neither is named. */
    static const char *const words[] = { "column `a`: ", "column `b`: ", "row group " };

    if (file->bad_row < 0) {
        CHECK(status == WEIR_OK && rows == file->rows, "%" PRId64 " rows of %" PRId64 ": %s", rows,
              file->rows, status ? err->text : "");
        return;
    }
    CHECK(status == WEIR_CORRUPT && rows == file->bad_row && err->row == file->bad_row,
          "%s at %" PRId64 " after %" PRId64 ", planted at %" PRId64, weir_status_name(status),
          err->row, rows, file->bad_row);
    CHECK(strstr(err->text, words[file->bad_column]), "%s", err->text);
}

static void read_all(uint64_t seed, weir_context *context, const toy *file, const setting *s)
{
    weir_dataset *dataset = open_toy(context, file, s->memory);
    const weir_query query = query_of(s);
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_error err = { 0 };
    weir_status status;
    int64_t rows = 0;

    runs++;
    status = weir_columns_open(dataset, &query, &columns, &err);
    CHECK(status == WEIR_OK, "%s", err.text);
    while ((batch = weir_columns_next(columns)) != NULL) {
        check_batch(seed, batch, rows, s->batch_rows ? s->batch_rows : 16384);
        rows += batch->rows;
    }
    weir_dataset_close(dataset);
    status = weir_columns_close(columns, &err);
    check_end(seed, file, status, &err, rows);
}

static void close_early(uint64_t seed, weir_context *context, const toy *file, const setting *s,
                        int batches)
{
    weir_dataset *dataset = open_toy(context, file, s->memory);
    const weir_query query = query_of(s);
    weir_columns *columns = NULL;
    const weir_batch *kept[8];
    int count = 0;

    runs++;
    if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
        abort();
    while (count < batches && (kept[count] = weir_columns_next(columns)) != NULL)
        weir_batch_keep(kept[count++]);
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
    for (int i = 0; i < count; i++) { /* they outlive all */
        check_batch(seed, kept[i], kept[i]->first_row, INT64_MAX);
        weir_batch_release(kept[i]);
    }
}

static void *cancel_soon(void *columns)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    weir_columns_cancel(columns);
    return NULL;
}

static void cancel(uint64_t seed, weir_context *context, const toy *file, const setting *s)
{
    weir_dataset *dataset = open_toy(context, file, s->memory);
    const weir_query query = query_of(s);
    weir_columns *columns = NULL;
    weir_status status;
    int64_t rows = 0;
    pthread_t thread;

    runs++;
    if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK ||
        pthread_create(&thread, NULL, cancel_soon, columns) != 0)
        abort();
    for (const weir_batch *batch; (batch = weir_columns_next(columns)) != NULL;) {
        check_batch(seed, batch, rows, INT64_MAX);
        rows += batch->rows;
    }
    pthread_join(thread, NULL);
    status = weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
    CHECK(status == WEIR_CANCELLED || status == (file->bad_row < 0 ? WEIR_OK : WEIR_CORRUPT), "%s",
          weir_status_name(status));
}

/* Jumps about; each place must read as it does from the beginning. */
static void seek(uint64_t seed, weir_context *context, const toy *file, const setting *s)
{
    weir_dataset *dataset = open_toy(context, file, s->memory);
    const weir_query query = query_of(s);
    weir_rows *rows = NULL;
    uint64_t random = seed;

    runs++;
    if (weir_rows_open(dataset, &query, &rows, NULL) != WEIR_OK)
        abort();
    for (int i = 0; i < 8 && file->rows; i++) {
        random = toy_mix(random + 1);
        const int64_t to = (int64_t)(random % (uint64_t)file->rows);

        CHECK(weir_rows_seek(rows, to, NULL) == WEIR_OK, "row %" PRId64, to);
        for (int64_t row = to; row < to + 40 && weir_rows_next(rows); row++) {
            CHECK(weir_rows_number(rows) == row, "%" PRId64 " for %" PRId64, weir_rows_number(rows),
                  row);
            CHECK(row_is_right(seed, rows->batch, rows->row), "row %" PRId64, row);
        }
    }
    weir_rows_close(rows, NULL);
    weir_dataset_close(dataset);
}

/* ---- fold ---- */

typedef struct sums {
    int64_t rows, first, last;
    double c, ratio;
    uint64_t a;
    int wrong;
} sums;

static void begin_sums(void *state, void *user)
{
    (void)user;
    ((sums *)state)->first = ((sums *)state)->last = -1;
}

static bool add_batch(void *state, const weir_batch *batch, void *user)
{
    sums *s = state;

    if (s->first < 0)
        s->first = batch->first_row;
    else
        s->wrong += s->last != batch->first_row;
    s->last = batch->first_row + batch->rows;
    s->rows += batch->rows;
    for (int64_t i = 0; i < batch->rows; i++) {
        s->a += (uint32_t)weir_i32s(&batch->columns[TOY_A])[i];
        s->c += weir_f64s(&batch->columns[TOY_C])[i] / 3;
        s->ratio = s->ratio * 0.999 + s->c; /* depends on the order */
    }
    (void)user;
    return true;
}

static void merge_sums(void *into, void *from, void *user)
{
    sums *a = into, *b = from;

    (void)user;
    a->wrong += b->wrong;
    if (b->first >= 0) {
        a->wrong += a->first >= 0 && a->last != b->first;
        a->first = a->first < 0 ? b->first : a->first;
        a->last = b->last;
    }
    a->rows += b->rows;
    a->a += b->a;
    a->c += b->c;
    a->ratio = a->ratio / 2 + b->ratio;
}

static sums fold(uint64_t seed, weir_context *context, const toy *file, const setting *s)
{
    const weir_folder folder = { .size = sizeof folder,
                                 .state_size = sizeof(sums),
                                 .begin = begin_sums,
                                 .batch = add_batch,
                                 .merge = merge_sums };
    weir_dataset *dataset = open_toy(context, file, s->memory);
    const weir_query query = query_of(s);
    weir_error err = { 0 };
    weir_status status;
    sums all;

    runs++;
    status = weir_fold(dataset, &query, &folder, NULL, &all, NULL, &err);
    weir_dataset_close(dataset);
    check_end(seed, file, status, &err, all.rows);
    CHECK(all.wrong == 0, "%d batches out of order", all.wrong);
    return all;
}

static void check_folds(uint64_t seed, weir_context *const *contexts, const toy *file)
{
    const setting serial = { 100, 0, 1, 0 };
    const sums truth = fold(seed, contexts[0], file, &serial);

    for (int i = 1; i < 4; i++) {
        const setting s = { 100, 0, 0, (size_t)(i & 1) };
        const sums got = fold(seed, contexts[i], file, &s);

        CHECK(memcmp(&truth, &got, sizeof got) == 0, "fold differs on %d threads", i);
    }
}

static void check_file(uint64_t seed, weir_context *const *contexts)
{
    static const int64_t rows[] = { 1, 2, 7, 100, 0 };
    static const size_t bytes[] = { 0, 64, 1 << 20 };
    static const size_t budgets[] = { 1, 100000, 0 };
    toy file;

    toy_make(&file, seed, (int)(seed % 3));
    for (int i = 0; i < 5; i++)
        read_all(seed, contexts[0], &file, &(setting){ rows[i], bytes[i % 3], 1, 0 });
    for (int t = 1; t < 4; t++)
        for (int b = 0; b < 3; b++) {
            const int i = (int)(seed + (uint64_t)(t + b)) % 5;
            const setting s = { rows[i], bytes[(t + b) % 3], 0, budgets[b] };

            read_all(seed, contexts[t], &file, &s);
            close_early(seed, contexts[t], &file, &s, (int)(seed % 6));
            if (b == 1)
                cancel(seed, contexts[t], &file, &s);
        }
    seek(seed, contexts[0], &file, &(setting){ 7, 0, 1, 0 });
    seek(seed, contexts[2], &file, &(setting){ 100, 64, 0, 0 });
    check_folds(seed, contexts, &file);
    toy_free(&file);
}

int main(int argc, char **argv)
{
    const long files = argc > 1 ? atol(argv[1]) : 100;
    static const int threads[] = { 1, 2, 3, 7 };
    weir_context *contexts[4];
    weir_error err;

    for (int i = 0; i < 4; i++)
        if (weir_context_open(threads[i], &contexts[i], &err) != WEIR_OK) {
            printf("%s\n", err.text);
            return 1;
        }
    for (long i = 0; i < files; i++)
        check_file((uint64_t)i + 1, contexts);
    for (int i = 0; i < 4; i++)
        weir_context_close(contexts[i]);
    printf("%ld files, %ld runs: %ld differ\n", files, runs, failures);
    return failures != 0;
}
