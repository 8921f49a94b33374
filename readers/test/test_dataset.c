/* SPDX-License-Identifier: Apache-2.0
 * test_dataset.c: what queries and datasets promise: ranges, splits, picks, files opened when they
 * are come to, inputs closed once, and wrong calls answered with words. */
#include <criterion/criterion.h>

#include "readers/dataset.h"
#include "toy.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <weir/weir.h>

enum {
    SEED = 11
};

static const char *const sample = "datasets/sample/2025-01-duckdb-zstd.parquet";

/* Rows of what the query reads, and the sum of their numbers: each row once, none twice. */
static int64_t rows_of(const weir_dataset *dataset, const weir_query *query, uint64_t *numbers)
{
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_error err;
    int64_t rows = 0;

    cr_assert_eq(weir_columns_open(dataset, query, &columns, &err), WEIR_OK, "%s", err.text);
    while ((batch = weir_columns_next(columns)) != NULL) {
        for (int64_t i = 0; i < batch->rows; i++)
            *numbers += (uint64_t)(batch->first_row + i);
        rows += batch->rows;
    }
    cr_assert_eq(weir_columns_close(columns, &err), WEIR_OK, "%s", err.text);
    return rows;
}

static weir_dataset *open_path(const char *path, uint32_t flags)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;
    weir_error err;

    options.flags = flags;
    cr_assert_eq(weir_open(&path, 1, &options, &dataset, &err), WEIR_OK, "%s", err.text);
    return dataset;
}

static uint64_t sum_below(uint64_t n)
{
    return n * (n - 1) / 2;
}

Test(splits, of_any_cut_give_every_row_once)
{
    const char *path = "datasets/golden/duckdb_groups.parquet";
    weir_dataset *dataset = open_path(path, 0);
    weir_file_info info = WEIR_FILE_INFO_INIT;
    const weir_pick pick = { .index = 0 };

    cr_assert_eq(weir_dataset_file(dataset, 0, &info, NULL), WEIR_OK);
    cr_assert_gt(info.group_count, 2);
    for (uint64_t step = 1; step < info.bytes + 1000; step = step * 3 / 2 + 37) {
        weir_query query = WEIR_QUERY_INIT;
        uint64_t numbers = 0;
        int64_t rows = 0;

        query.picks = &pick;
        query.pick_count = 1;
        query.threads = step & 1 ? 1 : 2;
        if (info.bytes / step > 300)
            continue;
        for (uint64_t at = 0; at < info.bytes; at += step) {
            query.byte_begin = at;
            query.byte_end = at + step;
            rows += rows_of(dataset, &query, &numbers);
        }
        cr_expect_eq(rows, info.rows, "step %" PRIu64 ": %" PRId64, step, rows);
        cr_expect_eq(numbers, sum_below((uint64_t)info.rows), "step %" PRIu64, step);
    }
    weir_dataset_close(dataset);
}

Test(ranges, from_the_beginning_and_from_the_end)
{
    weir_dataset *dataset = open_path(sample, 0);
    static const int64_t cases[][4] = {
        /* first_row, row_limit; first and last row that come; rows are 6,000 */
        { 0, 1, 0, 0 },
        { 5999, 0, 5999, 5999 },
        { 10, 5, 10, 14 },
        { -1, 0, 5999, 5999 },
        { -5, 2, 5995, 5996 },
        { -9000, 3, 0, 2 },
        { 5990, 100, 5990, 5999 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int threads = 1; threads <= 2; threads++) {
            const int64_t first = cases[i][2], last = cases[i][3];
            weir_query query = WEIR_QUERY_INIT;
            uint64_t numbers = 0;

            query.first_row = cases[i][0];
            query.row_limit = cases[i][1];
            query.threads = threads;
            cr_expect_eq(rows_of(dataset, &query, &numbers), last - first + 1, "case %zu", i);
            cr_expect_eq(numbers, sum_below((uint64_t)last + 1) - sum_below((uint64_t)first),
                         "case %zu", i);
        }
    weir_dataset_close(dataset);
}

Test(ranges, past_the_end_are_empty)
{
    weir_dataset *dataset = open_path(sample, 0);
    weir_query query = WEIR_QUERY_INIT;
    uint64_t numbers = 0;

    query.first_row = 6000;
    cr_expect_eq(rows_of(dataset, &query, &numbers), 0);
    query.first_row = INT64_MAX;
    cr_expect_eq(rows_of(dataset, &query, &numbers), 0);
    weir_dataset_close(dataset);
}

/* ---- files of one dataset ---- */

typedef struct counted {
    const toy *file;
    _Atomic(int) reads;
    _Atomic(uint64_t) bytes; /* of pages */
    int closes;
    _Atomic(int) *inside, *most; /* NULL: not looked at */
} counted;

/* How many read at a time. */
static void linger(counted *c)
{
    const int now = atomic_fetch_add(c->inside, 1) + 1;
    int most = atomic_load(c->most);

    while (most < now && !atomic_compare_exchange_weak(c->most, &most, now))
        ;
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    atomic_fetch_sub(c->inside, 1);
}

static weir_status read_counted(void *user, uint64_t offset, void *into, size_t size,
                                weir_error *err)
{
    counted *c = user;

    (void)err;
    atomic_fetch_add(&c->reads, 1);
    if (offset >= c->file->body)
        atomic_fetch_add(&c->bytes, size);
    if (c->inside)
        linger(c);
    memcpy(into, c->file->data + offset, size);
    return WEIR_OK;
}

static void close_counted(void *user)
{
    ((counted *)user)->closes++;
}

static void fill_inputs(weir_input *inputs, counted *counts, const toy *file, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        counts[i] = (counted){ .file = file };
        inputs[i] = (weir_input){ .size = sizeof *inputs,
                                  .name = "counted",
                                  .length = file->size,
                                  .read = read_counted,
                                  .close = close_counted,
                                  .user = &counts[i] };
    }
}

/* A dataset of the same file over and over, each with a count of its own. */
static weir_dataset *open_counted(counted *counts, const toy *file, size_t count,
                                  const weir_options *options)
{
    weir_input *inputs = malloc(count * sizeof *inputs);
    weir_dataset *dataset = NULL;

    cr_assert_not_null(inputs);
    fill_inputs(inputs, counts, file, count);
    cr_assert_eq(weir_dataset_open(inputs, count, options, &weir_format_toy, &dataset, NULL),
                 WEIR_OK);
    free(inputs);
    return dataset;
}

Test(dataset, gives_its_first_batch_before_the_last_footer_is_read)
{
    enum {
        FILES = 60
    };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    static counted counts[FILES];
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    toy file;

    toy_make(&file, SEED, 0);
    for (int threads = 1; threads <= 2; threads++) {
        int64_t rows;

        cr_assert_eq(weir_context_open(threads, &options.context, NULL), WEIR_OK);
        dataset = open_counted(counts, &file, FILES, &options);
        cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
        cr_assert_not_null(weir_columns_next(columns));
        cr_expect_gt(atomic_load(&counts[0].reads), 0);
        cr_expect_eq(atomic_load(&counts[FILES - 1].reads), 0, "the last footer was read");
        weir_columns_close(columns, NULL);
        cr_expect_eq(weir_dataset_rows(dataset, &rows, NULL), WEIR_OK);
        cr_expect_eq(rows, FILES * file.rows);
        cr_expect_gt(atomic_load(&counts[FILES - 1].reads), 0);
        weir_dataset_close(dataset);
        for (int i = 0; i < FILES; i++)
            cr_expect_eq(counts[i].closes, 1, "input %d was closed %d times", i, counts[i].closes);
        weir_context_close(options.context);
    }
    toy_free(&file);
}

/* With a worker beside it a reader who rests has the next files opened, and not all of them. */
Test(dataset, opens_the_next_files_ahead)
{
    enum {
        FILES = 200
    };
    weir_options options = WEIR_OPTIONS_INIT;
    static counted counts[FILES];
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    toy file;

    toy_make(&file, SEED, 0);
    options.memory = 1 << 20;
    cr_assert_eq(weir_context_open(2, &options.context, NULL), WEIR_OK);
    dataset = open_counted(counts, &file, FILES, &options);
    cr_assert_eq(weir_columns_open(dataset, NULL, &columns, NULL), WEIR_OK);
    cr_assert_not_null(weir_columns_next(columns));
    for (int tries = 0; tries < 5000 && atomic_load(&counts[1].reads) == 0; tries++)
        usleep(1000);
    cr_expect_gt(atomic_load(&counts[1].reads), 0, "the second file waits for the reader");
    usleep(20000);
    cr_expect_eq(atomic_load(&counts[FILES - 1].reads), 0, "far more than there is room for");
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    toy_free(&file);
}

Test(dataset, counts_what_is_read)
{
    enum {
        FILES = 3
    };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    static counted counts[FILES];
    toy file;

    toy_make(&file, SEED, 0);
    query.batch_rows = 100;
    for (int threads = 1; threads <= 3; threads++) {
        weir_stats stats = WEIR_STATS_INIT;
        weir_dataset *dataset = NULL;
        weir_columns *columns = NULL;
        uint64_t bytes = 0;
        int64_t batches = 0;

        cr_assert_eq(weir_context_open(threads, &options.context, NULL), WEIR_OK);
        dataset = open_counted(counts, &file, FILES, &options);
        cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
        while (weir_columns_next(columns))
            batches++;
        weir_columns_stats(columns, &stats);
        for (int i = 0; i < FILES; i++)
            bytes += atomic_load(&counts[i].bytes);
        cr_expect_eq(stats.rows, FILES * file.rows);
        cr_expect_eq(stats.batches, batches);
        cr_expect_eq(stats.bytes_read, bytes);
        cr_expect_eq(stats.pages, FILES * (uint64_t)file.pages);
        cr_expect_eq(stats.values, (uint64_t)(FILES * TOY_COLUMNS) * (uint64_t)file.rows);
        cr_expect_eq(stats.files, FILES);
        cr_expect_eq(stats.files_skipped, 0);
        cr_expect_eq(stats.threads, threads);
        cr_expect(stats.memory_peak > 0 && stats.decode_ns > 0);
        weir_columns_close(columns, NULL);
        weir_dataset_close(dataset);
        weir_context_close(options.context);
    }
    toy_free(&file);
}

/* A file in memory that notes whether a byte outside of [begin, end) was read. */
typedef struct watched {
    uint8_t *data;
    uint64_t size, begin, end;
    _Atomic(int) outside, reads;
} watched;

static weir_status read_watched(void *user, uint64_t offset, void *into, size_t size,
                                weir_error *err)
{
    watched *w = user;

    (void)err;
    atomic_fetch_add(&w->reads, 1);
    if (offset < w->begin || offset + size > w->end)
        atomic_fetch_add(&w->outside, 1);
    memcpy(into, w->data + offset, size);
    return WEIR_OK;
}

Test(dataset, reads_the_bytes_of_the_columns_asked_for_alone)
{
    static uint8_t data[1 << 20];
    FILE *in = fopen(sample, "rb");
    watched w = { .data = data };
    weir_input input = {
        .size = sizeof input, .name = "watched", .read = read_watched, .user = &w
    };

    cr_assert_not_null(in);
    input.length = w.size = fread(data, 1, sizeof data, in);
    fclose(in);
    cr_assert(w.size > 100000 && w.size < sizeof data);
    for (int threads = 1; threads <= 2; threads++) {
        weir_options options = WEIR_OPTIONS_INIT;
        weir_query query = WEIR_QUERY_INIT;
        const weir_pick pick = { .path = "fare_amount" };
        weir_file_info info = WEIR_FILE_INFO_INIT;
        weir_chunk_info chunk = WEIR_CHUNK_INFO_INIT;
        weir_columns *columns = NULL;
        weir_dataset *dataset = NULL;
        int32_t column;
        int64_t rows;

        cr_assert_eq(weir_context_open(threads, &options.context, NULL), WEIR_OK);
        w.begin = w.size - 64 * 1024; /* of a tail's first read */
        w.end = w.size;
        cr_assert_eq(weir_open_inputs(&input, 1, &options, &dataset, NULL), WEIR_OK);
        cr_assert_eq(weir_dataset_file(dataset, 0, &info, NULL), WEIR_OK);
        cr_assert_eq(weir_dataset_rows(dataset, &rows, NULL), WEIR_OK);
        cr_assert(rows == 6000 && info.group_count > 0);
        cr_expect_eq(atomic_load(&w.outside), 0, "rows are counted from the footer alone");
        cr_assert_eq(weir_dataset_find(dataset, "fare_amount", &column, NULL), WEIR_OK);
        query.picks = &pick;
        query.pick_count = 1;
        for (int64_t group = 0; group < info.group_count; group++) {
            weir_group_info about = WEIR_GROUP_INFO_INIT;

            cr_assert_eq(weir_dataset_group(dataset, 0, group, &about, NULL), WEIR_OK);
            cr_assert_eq(weir_dataset_chunk(dataset, 0, group, column, &chunk, NULL), WEIR_OK);
            w.begin = chunk.offset;
            w.end = chunk.offset + chunk.bytes;
            atomic_store(&w.reads, 0);
            query.first_row = about.first_row;
            query.row_limit = about.rows;
            cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
            while (weir_columns_next(columns))
                ;
            cr_assert_eq(weir_columns_close(columns, NULL), WEIR_OK);
            cr_expect_gt(atomic_load(&w.reads), 0);
            cr_expect_eq(atomic_load(&w.outside), 0, "%d threads, group %" PRId64, threads, group);
        }
        weir_dataset_close(dataset);
        weir_context_close(options.context);
    }
}

Test(dataset, reads_footers_side_by_side_to_find_a_row)
{
    enum {
        FILES = 40
    };
    weir_options options = WEIR_OPTIONS_INIT;
    static counted counts[FILES];
    weir_dataset *dataset = NULL;
    weir_rows *rows = NULL;
    _Atomic(int) inside = 0, most = 0;
    toy file;

    toy_make(&file, SEED, 0);
    cr_assert_eq(weir_context_open(4, &options.context, NULL), WEIR_OK);
    dataset = open_counted(counts, &file, FILES, &options);
    cr_assert_eq(weir_rows_open(dataset, NULL, &rows, NULL), WEIR_OK);
    cr_expect_eq(weir_rows_seek(rows, file.rows - 1, NULL), WEIR_OK);
    cr_expect_eq(atomic_load(&counts[1].reads), 0, "a row of the first file needs it alone");
    for (int i = 0; i < FILES; i++) {
        counts[i].inside = &inside;
        counts[i].most = &most;
    }
    cr_expect_eq(weir_rows_seek(rows, (FILES - 1) * file.rows + 1, NULL), WEIR_OK);
    cr_expect_gt(atomic_load(&most), 1, "one after another");
    for (int i = 0; i < FILES; i++)
        counts[i].inside = NULL;
    cr_assert(weir_rows_next(rows));
    cr_expect_eq(weir_rows_number(rows), (FILES - 1) * file.rows + 1);
    weir_rows_close(rows, NULL);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    toy_free(&file);
}

Test(dataset, that_fails_to_open_closes_its_inputs)
{
    weir_input inputs[3];
    counted counts[3];
    weir_dataset *dataset = NULL;
    weir_error err;
    uint8_t zeros[100] = { 0 };
    const toy file = { .data = zeros, .size = sizeof zeros };

    fill_inputs(inputs, counts, &file, 3);
    cr_expect_eq(weir_open_inputs(inputs, 3, NULL, &dataset, &err), WEIR_CORRUPT);
    cr_expect_null(dataset);
    cr_expect(strstr(err.text, "counted"), "%s", err.text);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(counts[i].closes, 1, "input %d: %d", i, counts[i].closes);
}

Test(dataset, reads_memory_and_callbacks_as_it_reads_files)
{
    weir_dataset *dataset = open_path(sample, 0), *copy = NULL;
    weir_input input = { .size = sizeof input, .name = "memory" };
    FILE *in = fopen(sample, "rb");
    uint8_t *data = malloc(1 << 21);
    weir_query query = WEIR_QUERY_INIT;
    uint64_t a = 0, b = 0;

    cr_assert(in && data);
    input.length = (uint64_t)fread(data, 1, 1 << 21, in);
    input.data = data;
    fclose(in);
    cr_assert_eq(weir_open_inputs(&input, 1, NULL, &copy, NULL), WEIR_OK);
    cr_expect_eq(rows_of(dataset, &query, &a), rows_of(copy, &query, &b));
    cr_expect_eq(a, b);
    weir_dataset_close(copy);
    weir_dataset_close(dataset);
    free(data);
}

/* ---- picks ---- */

static weir_status try_pick(const weir_dataset *dataset, weir_pick pick, size_t *columns_out,
                            weir_error *err)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    weir_status status;

    query.picks = &pick;
    query.pick_count = 1;
    status = weir_columns_open(dataset, &query, &columns, err);
    if (columns)
        *columns_out = (size_t)weir_schema_column_count(weir_columns_schema(columns));
    weir_columns_close(columns, NULL);
    return status;
}

Test(picks, by_name_index_and_glob)
{
    weir_dataset *dataset = open_path(sample, 0);
    size_t count = 0;
    int32_t column = -1;

    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "fare_amount" }, &count, NULL), WEIR_OK);
    cr_expect_eq(count, 1);
    cr_expect_eq(try_pick(dataset, (weir_pick){ .index = 3 }, &count, NULL), WEIR_OK);
    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "*_amount" }, &count, NULL), WEIR_OK);
    cr_expect_eq(count, 4); /* fare, tip, tolls, total */
    cr_expect_eq(weir_dataset_find(dataset, "passenger_count", &column, NULL), WEIR_OK);
    cr_expect_eq(column, 3);
    weir_dataset_close(dataset);
}

Test(picks, that_name_nothing_say_what_is_near)
{
    weir_dataset *dataset = open_path(sample, 0);
    weir_error err;
    size_t count;

    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "Fare_Amount" }, &count, &err),
                 WEIR_BAD_CALL);
    cr_expect(strstr(err.text, "`fare_amount`"), "%s", err.text);
    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "zz*" }, &count, &err), WEIR_BAD_CALL);
    cr_expect_eq(try_pick(dataset, (weir_pick){ .index = 99 }, &count, &err), WEIR_BAD_CALL);
    cr_expect(strstr(err.text, "99"), "%s", err.text);
    weir_dataset_close(dataset);
    dataset = open_path(sample, WEIR_ANY_CASE);
    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "Fare_Amount" }, &count, &err), WEIR_OK);
    weir_dataset_close(dataset);
}

Test(picks, of_an_ambiguous_name_give_the_indices)
{
    weir_dataset *dataset = open_path("datasets/golden/hand_names_odd.parquet", 0);
    const weir_schema *schema = weir_dataset_schema(dataset);
    weir_error err;
    size_t count;
    int found = 0;

    for (int32_t a = 0; a < weir_schema_column_count(schema); a++)
        for (int32_t b = a + 1; b < weir_schema_column_count(schema); b++) {
            const weir_view one = weir_schema_column(schema, a)->name;
            const weir_view two = weir_schema_column(schema, b)->name;
            char indices[32];

            if (one.size != two.size || memcmp(one.data, two.data, one.size) != 0)
                continue;
            found++;
            snprintf(indices, sizeof indices, "%" PRId32 ", %" PRId32, a, b);
            cr_expect_eq(
                try_pick(dataset, (weir_pick){ .path = (const char *)one.data }, &count, &err),
                WEIR_BAD_CALL);
            cr_expect(strstr(err.text, indices), "%s", err.text);
            cr_expect_eq(try_pick(dataset, (weir_pick){ .index = b }, &count, &err), WEIR_OK);
        }
    cr_expect_geq(found, 1, "no name is there twice");
    weir_dataset_close(dataset);
}

/* ---- wrong calls ---- */

Test(calls, that_are_wrong_get_words)
{
    weir_dataset *dataset = open_path(sample, 0), *none = NULL;
    weir_columns *columns = NULL;
    weir_rows *rows = NULL;
    weir_query query = WEIR_QUERY_INIT;
    weir_options options = WEIR_OPTIONS_INIT;
    const weir_pick codes = { .path = "fare_amount", .forms = 1u << WEIR_CODES };
    const char *path = sample;
    weir_error err;

    cr_expect_eq(weir_columns_open(NULL, NULL, &columns, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_columns_open(dataset, NULL, NULL, &err), WEIR_BAD_CALL);
    query.size = 4;
    cr_expect_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_BAD_CALL);
    query = (weir_query)WEIR_QUERY_INIT;
    query.batch_rows = -1;
    cr_expect_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_BAD_CALL);
    query = (weir_query)WEIR_QUERY_INIT;
    query.pick_count = 1;
    cr_expect_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_BAD_CALL);
    query.picks = &codes;
    cr_expect_eq(weir_rows_open(dataset, &query, &rows, &err), WEIR_BAD_CALL);
    options.flags = 1u << 30;
    cr_expect_eq(weir_open(&path, 1, &options, &none, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_open(&path, 0, NULL, &none, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_dataset_file(dataset, 1, &(weir_file_info)WEIR_FILE_INFO_INIT, &err),
                 WEIR_BAD_CALL);
    cr_expect_eq(weir_dataset_file(dataset, 0, &(weir_file_info){ 0 }, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_dataset_file(dataset, 0, NULL, &err), WEIR_BAD_CALL);
    query = (weir_query)WEIR_QUERY_INIT;
    query.byte_begin = 100; /* and no end */
    cr_expect_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_dataset_rows(NULL, NULL, &err), WEIR_BAD_CALL);
    cr_expect_null(weir_columns_next(NULL));
    weir_columns_close(NULL, NULL);
    weir_rows_close(NULL, NULL);
    weir_dataset_close(NULL);
    weir_context_close(NULL);
    weir_dataset_close(dataset);
}

Test(calls, use_the_threads_that_there_are)
{
    static const struct {
        int of_context, asked, used;
    } cases[] = { { 1, 0, 1 }, { 1, 4, 1 }, { 3, 0, 3 }, { 3, 2, 2 }, { 3, 1, 1 }, { 3, 9, 3 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_options options = WEIR_OPTIONS_INIT;
        weir_query query = WEIR_QUERY_INIT;
        weir_stats stats = WEIR_STATS_INIT;
        weir_dataset *dataset = NULL;
        weir_columns *columns = NULL;

        cr_assert_eq(weir_context_open(cases[i].of_context, &options.context, NULL), WEIR_OK);
        cr_assert_eq(weir_open(&sample, 1, &options, &dataset, NULL), WEIR_OK);
        query.threads = cases[i].asked;
        cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
        while (weir_columns_next(columns))
            ;
        weir_columns_stats(columns, &stats);
        cr_expect_eq(stats.threads, cases[i].used, "case %zu: %d", i, stats.threads);
        cr_expect_eq(stats.rows, 6000);
        weir_columns_close(columns, NULL);
        weir_dataset_close(dataset);
        weir_context_close(options.context);
    }
}

Test(calls, fill_no_more_of_a_struct_than_its_owner_knows)
{
    weir_dataset *dataset = open_path(sample, 0);
    weir_chunk_info whole = WEIR_CHUNK_INFO_INIT, part;

    memset(&part, 0x5a, sizeof part);
    part.size = offsetof(weir_chunk_info, encodings);
    cr_assert_eq(weir_dataset_chunk(dataset, 0, 0, 0, &whole, NULL), WEIR_OK);
    cr_assert_eq(weir_dataset_chunk(dataset, 0, 0, 0, &part, NULL), WEIR_OK);
    cr_expect_str_eq(part.codec, whole.codec);
    cr_expect_eq(part.size, offsetof(weir_chunk_info, encodings));
    for (size_t i = part.size; i < sizeof part; i++)
        cr_assert_eq(((const uint8_t *)&part)[i], 0x5a, "byte %zu was written", i);
    weir_dataset_close(dataset);
}

Test(paths, that_cannot_be_read_name_themselves)
{
    static const struct {
        const char *path;
        weir_status status;
    } cases[] = {
        { "datasets/none.parquet", WEIR_IO },
        { "/dev/null", WEIR_IO },
        { "README.md", WEIR_CORRUPT },
        { "datasets/none*.parquet", WEIR_BAD_CALL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_dataset *dataset = NULL;
        weir_error err = { 0 };

        cr_expect_eq(weir_open(&cases[i].path, 1, NULL, &dataset, &err), cases[i].status, "%s: %s",
                     cases[i].path, err.text);
        cr_expect(strstr(err.text, cases[i].path), "%s", err.text);
    }
}

/* ---- the schema of what comes out ---- */

Test(picks, with_a_type_widen_and_refuse)
{
    weir_dataset *dataset = open_path(sample, 0);
    weir_error err;
    size_t count;

    cr_expect_eq(try_pick(dataset, (weir_pick){ .path = "VendorID", .as = WEIR_I64 }, &count, &err),
                 WEIR_OK);
    cr_expect_eq(
        try_pick(dataset, (weir_pick){ .path = "VendorID", .as = WEIR_BYTES }, &count, &err),
        WEIR_BAD_CALL);
    weir_dataset_close(dataset);
}

Test(picks, as_shape_give_the_nulls_alone)
{
    weir_dataset *dataset = open_path(sample, 0);
    const weir_pick pick = { .path = "passenger_count", .forms = 1u << WEIR_SHAPE };
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    int64_t nulls = 0;

    query.picks = &pick;
    query.pick_count = 1;
    cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
    while ((batch = weir_columns_next(columns)) != NULL) {
        cr_expect_eq(batch->columns[0].form, WEIR_SHAPE);
        cr_expect_null(batch->columns[0].values);
        nulls += batch->columns[0].nulls;
    }
    cr_expect_eq(weir_columns_close(columns, NULL), WEIR_OK);
    cr_expect_eq(nulls, 300); /* by two other readers: datasets/sample/SUMS.tsv */
    weir_dataset_close(dataset);
}

/* ---- descriptors ---- */

Test(dataset, of_many_files_told_of_keeps_few_open)
{
    const char *folder = "datasets/golden";
    weir_dataset *dataset = open_path(folder, 0);
    const int32_t files = weir_dataset_file_count(dataset);
    struct rlimit limit;
    weir_file_info info = WEIR_FILE_INFO_INIT;
    weir_group_info group = WEIR_GROUP_INFO_INIT;
    int64_t rows;

    cr_assert_gt(files, 80);
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 40;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < files; i++) {
            weir_error err = { 0 };

            cr_expect_eq(weir_dataset_file(dataset, i, &info, &err), WEIR_OK, "%s", err.text);
            if (info.group_count > 0)
                cr_expect_eq(weir_dataset_group(dataset, i, 0, &group, &err), WEIR_OK, "%s",
                             err.text);
        }
    cr_expect_eq(weir_dataset_rows(dataset, &rows, NULL), WEIR_OK);
    weir_dataset_close(dataset);
}

Test(dataset, notices_that_a_file_was_changed_between)
{
    char path[] = "/tmp/weir-test-XXXXXX";
    const int fd = mkstemp(path);
    FILE *from = fopen(sample, "rb"), *to = fdopen(fd, "wb");
    static char bytes[1 << 21];
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    weir_dataset *dataset;
    weir_file_info info = WEIR_FILE_INFO_INIT;
    weir_error err = { 0 };
    size_t size;

    cr_assert(from && to);
    size = fread(bytes, 1, sizeof bytes, from);
    cr_assert_eq(fwrite(bytes, 1, size, to), size);
    fclose(from);
    fflush(to);
    dataset = open_path(path, 0);
    cr_assert_eq(weir_dataset_file(dataset, 0, &info, NULL), WEIR_OK);
    cr_assert_eq(fwrite("more", 1, 4, to), 4);
    fclose(to);
    if (weir_columns_open(dataset, &query, &columns, &err) == WEIR_OK) {
        cr_expect_null(weir_columns_next(columns));
        weir_columns_close(columns, &err);
    }
    cr_expect_eq(err.status, WEIR_IO);
    cr_expect_not_null(strstr(err.text, "changed"), "%s", err.text);
    weir_dataset_close(dataset);
    unlink(path);
}
