/* SPDX-License-Identifier: Apache-2.0
 * test_skip.c: WEIR_SKIP_BAD: a corrupt file ends early, is told of once and counted, and the files
 * after it keep their row numbers, by columns, rows and fold, on one thread and on several. What
 * the system could not read is never passed over. */
#include <criterion/criterion.h>

#include "readers/dataset.h"
#include "toy.h"

#include <inttypes.h>
#include <string.h>
#include <weir/weir.h>

enum {
    SEED = 3,
    FILES = 7
};

typedef struct told {
    int count;
    int32_t files[FILES];
    int64_t rows[FILES];
    weir_status status;
} told;

static void note(void *user, const weir_error *why)
{
    told *t = user;

    if (t->count < FILES) {
        t->files[t->count] = why->file;
        t->rows[t->count] = why->row;
    }
    t->count++;
    t->status = why->status;
}

/* ---- files: sound ones, and two with a fault ---- */

typedef struct set {
    toy sound, bad;
    weir_input inputs[FILES];
    int64_t first[FILES + 1]; /* row numbers */
    int64_t rows;             /* that can be read */
    _Atomic(int) reads, fail_at;
} set;

static bool is_bad(int file)
{
    return file == 1 || file == 4;
}

static weir_status read_or_fail(void *user, uint64_t offset, void *into, size_t size,
                                weir_error *err)
{
    set *s = user;

    if (atomic_fetch_add(&s->reads, 1) >= atomic_load(&s->fail_at)) {
        *err = (weir_error){ .file = -1, .row = -1, .offset = -1, .text = "planted" };
        return WEIR_IO;
    }
    memcpy(into, s->sound.data + offset, size);
    return WEIR_OK;
}

static void make(set *s)
{
    memset(s, 0, sizeof *s);
    toy_make(&s->sound, SEED, 0);
    toy_make(&s->bad, SEED, 1);
    cr_assert_geq(s->bad.bad_row, 0);
    for (int i = 0; i < FILES; i++) {
        const toy *file = is_bad(i) ? &s->bad : &s->sound;

        s->inputs[i] = (weir_input){
            .size = sizeof *s->inputs, .name = "toy", .data = file->data, .length = file->size
        };
        s->first[i + 1] = s->first[i] + file->rows;
        s->rows += is_bad(i) ? file->bad_row : file->rows;
    }
}

static weir_dataset *open_set(const set *s, weir_context *context, told *t)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;
    weir_error err;

    options.context = context;
    options.flags = WEIR_SKIP_BAD;
    options.skipped = note;
    options.user = t;
    cr_assert_eq(weir_dataset_open(s->inputs, FILES, &options, &weir_format_toy, &dataset, &err),
                 WEIR_OK, "%s", err.text);
    return dataset;
}

static weir_context *context_of(int threads)
{
    weir_context *context = NULL;

    cr_assert_eq(weir_context_open(threads, &context, NULL), WEIR_OK);
    return context;
}

static void check_told(const set *s, const told *t, int times)
{
    cr_assert_eq(t->count, 2 * times, "told %d times", t->count);
    cr_expect_eq(t->status, WEIR_CORRUPT);
    cr_expect_eq(t->files[0], 1);
    cr_expect_eq(t->files[1], 4);
    cr_expect_eq(t->rows[0], s->first[1] + s->bad.bad_row);
    cr_expect_eq(t->rows[1], s->first[4] + s->bad.bad_row);
}

/* ---- what comes ---- */

/* Rows lie in their files, sound ones and those before the fault, and follow each other. */
static bool is_next(const set *s, int64_t *expected, int64_t first, int64_t rows)
{
    for (int i = 0; i < FILES; i++)
        if (is_bad(i) && *expected == s->first[i] + s->bad.bad_row)
            *expected = s->first[i + 1];
    if (first != *expected)
        return false;
    *expected += rows;
    return true;
}

Test(skip, columns_pass_over_bad_files_and_tell)
{
    set s;

    make(&s);
    for (int threads = 1; threads <= 4; threads++) {
        weir_context *context = context_of(threads);
        told t = { 0 };
        weir_dataset *dataset = open_set(&s, context, &t);
        weir_query query = WEIR_QUERY_INIT;
        weir_stats stats = WEIR_STATS_INIT;
        weir_columns *columns = NULL;
        const weir_batch *batch;
        int64_t rows = 0, expected = 0;

        query.batch_rows = 100;
        cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
        for (; (batch = weir_columns_next(columns)) != NULL; rows += batch->rows)
            cr_assert(is_next(&s, &expected, batch->first_row, batch->rows), "row %" PRId64,
                      batch->first_row);
        weir_columns_stats(columns, &stats);
        cr_expect_eq(weir_columns_close(columns, NULL), WEIR_OK);
        cr_expect_eq(rows, s.rows);
        cr_expect_eq(stats.files_skipped, 2);
        check_told(&s, &t, 1);
        weir_dataset_close(dataset);
        weir_context_close(context);
    }
    toy_free(&s.sound);
    toy_free(&s.bad);
}

Test(skip, rows_can_be_sought_behind_a_bad_file)
{
    set s;

    make(&s);
    for (int threads = 1; threads <= 3; threads += 2) {
        weir_context *context = context_of(threads);
        told t = { 0 };
        weir_dataset *dataset = open_set(&s, context, &t);
        weir_rows *rows = NULL;

        cr_assert_eq(weir_rows_open(dataset, NULL, &rows, NULL), WEIR_OK);
        cr_assert_eq(weir_rows_seek(rows, s.first[2] + 5, NULL), WEIR_OK);
        cr_assert(weir_rows_next(rows));
        cr_expect_eq(weir_rows_number(rows), s.first[2] + 5);
        cr_expect_eq(weir_rows_i32(rows, TOY_A), toy_a(SEED, 5));
        cr_assert_eq(weir_rows_seek(rows, s.first[1] + s.bad.bad_row, NULL), WEIR_OK);
        cr_assert(weir_rows_next(rows));
        cr_expect_eq(weir_rows_number(rows), s.first[2], "not the file after the bad one");
        cr_expect_eq(weir_rows_close(rows, NULL), WEIR_OK);
        weir_dataset_close(dataset);
        weir_context_close(context);
    }
    toy_free(&s.sound);
    toy_free(&s.bad);
}

/* ---- fold ---- */

typedef struct sums {
    int64_t rows, last;
    uint64_t a;
    double mixed; /* depends on the order */
    bool went_back;
} sums;

static bool add(void *state, const weir_batch *batch, void *user)
{
    sums *all = state;

    (void)user;
    all->went_back |= batch->first_row < all->last;
    all->last = batch->first_row + batch->rows;
    all->rows += batch->rows;
    for (int64_t i = 0; i < batch->rows; i++) {
        all->a += (uint32_t)weir_i32s(&batch->columns[TOY_A])[i];
        all->mixed = all->mixed * 0.999 + weir_f64s(&batch->columns[TOY_C])[i];
    }
    return true;
}

static void merge(void *into, void *from, void *user)
{
    sums *all = into, *more = from;

    (void)user;
    all->went_back |= more->went_back || more->last < all->last;
    all->last = more->last;
    all->rows += more->rows;
    all->a += more->a;
    all->mixed = all->mixed / 2 + more->mixed;
}

Test(skip, a_fold_gives_the_same_on_any_number_of_threads)
{
    const weir_folder folder = {
        .size = sizeof folder, .state_size = sizeof(sums), .batch = add, .merge = merge
    };
    sums truth;
    set s;

    make(&s);
    for (int threads = 1; threads <= 9; threads += 4) { /* 9: fewer groups than two a thread */
        weir_context *context = context_of(threads);
        told t = { 0 };
        weir_dataset *dataset = open_set(&s, context, &t);
        weir_query query = WEIR_QUERY_INIT;
        weir_stats stats = WEIR_STATS_INIT;
        sums got;

        query.batch_rows = 100;
        cr_expect_eq(weir_fold(dataset, &query, &folder, NULL, &got, &stats, NULL), WEIR_OK);
        if (threads == 1)
            truth = got;
        cr_expect(got.rows == s.rows && !got.went_back, "%" PRId64 " rows", got.rows);
        cr_expect(memcmp(&got.mixed, &truth.mixed, sizeof got.mixed) == 0 && got.a == truth.a,
                  "%d threads differ", threads);
        cr_expect_eq(stats.files_skipped, 2);
        check_told(&s, &t, 1);
        weir_dataset_close(dataset);
        weir_context_close(context);
    }
    toy_free(&s.sound);
    toy_free(&s.bad);
}

/* ---- what is no fault of the file ---- */

Test(skip, what_cannot_be_read_is_never_passed_over)
{
    const weir_folder folder = {
        .size = sizeof folder, .state_size = sizeof(sums), .batch = add, .merge = merge
    };
    set s;

    make(&s);
    s.inputs[3] = (weir_input){ .size = sizeof *s.inputs,
                                .name = "lost",
                                .length = s.sound.size,
                                .read = read_or_fail,
                                .user = &s };
    for (int threads = 1; threads <= 3; threads += 2)
        for (int fail_at = 0; fail_at < 2; fail_at++) { /* the footer, and a page */
            weir_context *context = context_of(threads);
            told t = { 0 };
            weir_dataset *dataset;
            weir_columns *columns = NULL;
            weir_error err = { 0 };
            sums got;

            atomic_store(&s.reads, 0);
            atomic_store(&s.fail_at, fail_at ? 4 : 0);
            dataset = open_set(&s, context, &t);
            cr_assert_eq(weir_columns_open(dataset, NULL, &columns, NULL), WEIR_OK);
            while (weir_columns_next(columns))
                ;
            cr_expect_eq(weir_columns_close(columns, &err), WEIR_IO, "%s", err.text);
            cr_expect_eq(err.file, 3);
            cr_expect(strstr(err.text, "lost") && strstr(err.text, "planted"), "%s", err.text);
            cr_expect_eq(t.count, 1, "told of %d files", t.count);
            atomic_store(&s.reads, 0);
            cr_expect_eq(weir_fold(dataset, NULL, &folder, NULL, &got, NULL, &err), WEIR_IO);
            cr_expect_eq(err.file, 3);
            cr_expect_eq(t.count, 2);
            weir_dataset_close(dataset);
            weir_context_close(context);
        }
    toy_free(&s.sound);
    toy_free(&s.bad);
}
