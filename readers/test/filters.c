/* SPDX-License-Identifier: Apache-2.0
 * filters.c: what filters let through, held against all rows read without one: by batches, by rows
 * and as a count, on one thread and on two, in batches of any size, from any row on, with a limit,
 * after a seek. Usage: filters FILE-OR-FOLDER... */
#include <weir/weir.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 300, /* filters a file */
    TAGS_MOST = 8,
    TEXT_MOST = 1 << 16
};

typedef struct row {
    uint32_t tag;
    bool *has; /* by column */
    uint64_t hash;
} row;

typedef struct table { /* of one file */
    const weir_dataset *dataset;
    const char *path;
    int32_t columns;
    row *rows;
    int64_t count;
} table;

typedef struct filter {
    uint32_t tags[TAGS_MOST];
    size_t tag_count;
    uint32_t mask;
    int32_t present[2];
    size_t present_count;
} filter;

static long failures, checks;
static uint32_t seed = 1;

#define CHECK(what, ...)                  \
    do {                                  \
        checks++;                         \
        if (!(what)) {                    \
            failures++;                   \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr);          \
        }                                 \
    } while (0)

static uint32_t dice(uint32_t sides)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % sides;
}

static void *must(void *memory)
{
    if (!memory)
        exit(3);
    return memory;
}

/* Of the values of all columns, in words. */
static uint64_t hash_of(const weir_batch *batch, int64_t at)
{
    static char text[TEXT_MOST];
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t c = 0; c < batch->column_count; c++) {
        const size_t size =
            weir_value_text(&batch->columns[c], at, WEIR_TEXT_JSON, text, sizeof text);

        for (size_t i = 0; i < size && i < sizeof text; i++)
            hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
        hash = (hash ^ 0x100) * 0x100000001b3u;
    }
    return hash;
}

/* ---- all rows ---- */

static void add_row(table *t, const weir_batch *batch, int64_t at)
{
    row *r;

    t->rows = must(realloc(t->rows, (size_t)(t->count + 1) * sizeof *t->rows));
    r = &t->rows[t->count++];
    r->tag = (uint32_t)weir_i32s(&batch->columns[0])[at];
    r->hash = hash_of(batch, at);
    r->has = must(calloc((size_t)t->columns, sizeof *r->has));
    for (int32_t c = 0; c < t->columns; c++)
        r->has[c] = !weir_is_null(&batch->columns[c], at);
}

static bool read_all(table *t)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns;
    const weir_batch *batch;

    query.threads = 1;
    if (weir_columns_open(t->dataset, &query, &columns, NULL) != WEIR_OK)
        return false;
    while ((batch = weir_columns_next(columns)))
        for (int64_t i = 0; i < batch->rows; i++)
            add_row(t, batch, i);
    return weir_columns_close(columns, NULL) == WEIR_OK;
}

static bool passes(const filter *f, const row *r)
{
    bool is_named = f->tag_count == 0;

    for (size_t i = 0; i < f->tag_count; i++)
        is_named = is_named || f->tags[i] == r->tag;
    for (size_t i = 0; i < f->present_count; i++)
        is_named = is_named && r->has[f->present[i]];
    return is_named && (f->mask == 0 || (f->mask & r->tag) != 0);
}

/* The first row from `from` on that passes; -1: none does. */
static int64_t next_of(const table *t, const filter *f, int64_t from)
{
    for (; from < t->count; from++)
        if (passes(f, &t->rows[from]))
            return from;
    return -1;
}

/* ---- with a filter ---- */

static weir_query query_of(const table *t, const filter *f, const char **names)
{
    weir_query query = WEIR_QUERY_INIT;

    for (size_t i = 0; i < f->present_count; i++)
        names[i] = (const char *)weir_schema_column(weir_dataset_schema(t->dataset), f->present[i])
                       ->name.data;
    query.event_tags = f->tags;
    query.event_tag_count = f->tag_count;
    query.event_tag_mask = f->mask;
    query.present = names;
    query.present_count = f->present_count;
    query.threads = 1 + (int)dice(2);
    query.batch_rows = dice(3) ? 1 + dice(7) : 0;
    query.first_row = dice(3) ? 0 : dice((uint32_t)t->count + 1);
    query.row_limit = dice(3) ? 0 : 1 + dice(6);
    return query;
}

static void check_batches(const table *t, const filter *f)
{
    const char *names[2];
    const weir_query query = query_of(t, f, names);
    int64_t expected = next_of(t, f, query.first_row), given = 0, counted = -1;
    weir_columns *columns;
    const weir_batch *batch;
    weir_error err = { 0 };

    CHECK(weir_columns_open(t->dataset, &query, &columns, &err) == WEIR_OK, "%s: %s", t->path,
          err.text);
    while ((batch = weir_columns_next(columns)))
        for (int64_t i = 0; i < batch->rows; i++, given++) {
            const int64_t number = weir_batch_number(batch, i);

            CHECK(number == expected, "%s: row %" PRId64 ", not %" PRId64, t->path, number,
                  expected);
            if (number != expected)
                break;
            CHECK(hash_of(batch, i) == t->rows[number].hash, "%s: row %" PRId64 " differs", t->path,
                  number);
            expected = next_of(t, f, number + 1);
        }
    CHECK(weir_columns_close(columns, &err) == WEIR_OK, "%s: %s", t->path, err.text);
    CHECK(query.row_limit && given == query.row_limit ? true : expected < 0,
          "%s: %" PRId64 " rows and no more", t->path, given);
    CHECK(weir_dataset_count(t->dataset, &query, &counted, &err) == WEIR_OK && counted == given,
          "%s: %" PRId64 " counted, %" PRId64 " given out", t->path, counted, given);
}

static void check_rows(const table *t, const filter *f)
{
    const char *names[2];
    weir_query query = query_of(t, f, names);
    weir_error err = { 0 };
    weir_rows *rows;

    query.row_limit = query.first_row = 0;
    CHECK(weir_rows_open(t->dataset, &query, &rows, &err) == WEIR_OK, "%s: %s", t->path, err.text);
    for (int turn = 0; turn < 12; turn++) {
        const int64_t to = dice((uint32_t)t->count + 1);
        int64_t expected = next_of(t, f, to);

        CHECK(weir_rows_seek(rows, to, &err) == WEIR_OK, "%s: %s", t->path, err.text);
        for (int step = 0; step < 3; step++) {
            const bool is_there = weir_rows_next(rows);

            CHECK(is_there == (expected >= 0), "%s: after a seek to %" PRId64, t->path, to);
            if (!is_there || expected < 0)
                break;
            CHECK(weir_rows_number(rows) == expected &&
                      hash_of(rows->batch, rows->row) == t->rows[expected].hash,
                  "%s: row %" PRId64 ", not %" PRId64, t->path, weir_rows_number(rows), expected);
            expected = next_of(t, f, expected + 1);
        }
    }
    CHECK(weir_rows_close(rows, &err) == WEIR_OK, "%s: %s", t->path, err.text);
}

static filter random_filter(const table *t)
{
    filter f = { .tag_count = dice(3) ? 0 : 1 + dice(TAGS_MOST) };

    for (size_t i = 0; i < f.tag_count; i++)
        f.tags[i] = dice(4) ? t->rows[dice((uint32_t)t->count)].tag : dice(100);
    if (dice(4) == 0)
        f.mask = 1u << dice(32) | dice(8);
    f.present_count = dice(3);
    for (size_t i = 0; i < f.present_count; i++)
        f.present[i] = (int32_t)dice((uint32_t)t->columns);
    return f;
}

static void check_file(weir_context *context, const weir_dataset *all, int32_t index, long *filters)
{
    const char *path = weir_dataset_path(all, index);
    weir_options options = WEIR_OPTIONS_INIT;
    table t = { .path = path };
    weir_dataset *dataset;

    options.context = context;
    if (weir_open(&path, 1, &options, &dataset, NULL) != WEIR_OK)
        return;
    t.dataset = dataset;
    t.columns = weir_schema_column_count(weir_dataset_schema(dataset));
    for (int turn = read_all(&t) && t.count > 0 ? 0 : TURNS; turn < TURNS; turn++) {
        const filter f = random_filter(&t);

        check_batches(&t, &f);
        check_rows(&t, &f);
        ++*filters;
    }
    for (int64_t i = 0; i < t.count; i++)
        free(t.rows[i].has);
    free(t.rows);
    weir_dataset_close(dataset);
}

int main(int argc, char **argv)
{
    weir_context *context;
    weir_dataset *all;
    weir_error err;
    long filters = 0;

    if (weir_context_open(2, &context, &err) != WEIR_OK ||
        weir_open((const char *const *)(argv + 1), (size_t)(argc - 1), NULL, &all, &err) !=
            WEIR_OK) {
        fprintf(stderr, "filters: %s\n", err.text);
        return 2;
    }
    for (int32_t i = 0; i < weir_dataset_file_count(all); i++)
        check_file(context, all, i, &filters);
    printf("filters: %" PRId32 " files, %ld filters, %ld checks, %ld failures\n",
           weir_dataset_file_count(all), filters, checks, failures);
    weir_dataset_close(all);
    weir_context_close(context);
    return failures || filters < 1000;
}
