/* SPDX-License-Identifier: Apache-2.0
 * test_join.c: the leaves of a nested column held against each other and against their row group:
 * files made in memory, of one column `s`, a list of structs of `a` and `b`, whose levels may part.
 */
#include "formats/parquet/test/thrift.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <weir/weir.h>

enum {
    LEVELS_MOST = 300000,
    LONG = 120000, /* elements */
    LEAVES = 2,
    AHEAD = 16384, /* levels that a leaf may be looked at before they are needed */
    INT32 = 1,
    RLE = 3,
    UNKNOWN = 99,  /* an encoding */
    NULL_LIST = -1 /* as a length */
};

/* optional list (1), element (2), optional struct (3), optional value (4) */
typedef struct column {
    uint32_t repetition[LEVELS_MOST], definition[LEVELS_MOST];
    size_t count;
    int64_t rows;
} column;

static column columns[LEAVES];
static int64_t more_values;        /* that the second chunk's metadata says it has */
static int64_t long_row = -1;      /* the row with LONG elements */
static size_t page_levels[LEAVES]; /* of a page at least, up to where a row begins; 0: all in one */
static size_t bad_pages;           /* the first so many have values that nobody can read */

static int length_of(int64_t row)
{
    return row == long_row ? LONG : (int)(row % 4) - 1;
}

static void put_level(column *c, uint32_t repetition, uint32_t definition)
{
    c->repetition[c->count] = repetition;
    c->definition[c->count++] = definition;
}

static void put_list(column *c, int length, uint32_t definition)
{
    if (length <= 0)
        put_level(c, 0, length == NULL_LIST ? 0 : 1);
    for (int i = 0; i < length; i++)
        put_level(c, i > 0, definition);
    c->rows++;
}

/* The same rows in both: of no, one, two elements, and null. */
static void make_rows(int64_t rows)
{
    for (int k = 0; k < LEAVES; k++) {
        columns[k].count = 0;
        columns[k].rows = 0;
        for (int64_t row = 0; row < rows; row++)
            put_list(&columns[k], length_of(row), row % 8 == 2 ? 3 : 4);
    }
}

/* ---- a file ---- */

static void put_levels(bytes *b, const uint32_t *levels, size_t count, uint32_t width)
{
    bytes part = { 0 };

    put_rle_packed(&part, width, levels, count, 0);
    put_u32(b, (uint32_t)part.size);
    put_raw(b, part.data, part.size);
    bytes_free(&part);
}

/* Where the page that begins at level `from` ends. */
static size_t page_end(const column *c, size_t from)
{
    const size_t levels = page_levels[c - columns];
    size_t end = from + levels;

    if (levels == 0 || end >= c->count)
        return c->count;
    while (end < c->count && c->repetition[end] > 0)
        end++;
    return end;
}

/* Levels [from, end), and their values, of which the first is `*value`. */
static void put_page(bytes *file, const column *c, size_t from, size_t end, int encoding,
                     uint32_t *value)
{
    thrift header = { 0 };
    bytes body = { 0 };

    put_levels(&body, c->repetition + from, end - from, 1);
    put_levels(&body, c->definition + from, end - from, 3);
    for (size_t i = from; i < end; i++)
        if (c->definition[i] == 4)
            put_u32(&body, (*value)++);
    t_i32(&header, 1, 0);
    t_i32(&header, 2, (int32_t)body.size);
    t_i32(&header, 3, (int32_t)body.size);
    t_struct(&header, 5);
    t_i32(&header, 1, (int32_t)(end - from));
    t_i32(&header, 2, encoding);
    t_i32(&header, 3, RLE);
    t_i32(&header, 4, RLE);
    t_end(&header);
    put_byte(&header.out, 0);
    put_raw(file, header.out.data, header.out.size);
    put_raw(file, body.data, body.size);
    t_free(&header);
    bytes_free(&body);
}

static size_t put_pages(bytes *file, const column *c)
{
    const size_t begin = file->size;
    uint32_t value = 0;

    for (size_t from = 0, page = 0; from < c->count || page == 0; page++) {
        const size_t end = page_end(c, from);

        put_page(file, c, from, end, page < bad_pages ? UNKNOWN : 0, &value);
        from = end;
    }
    return begin;
}

static void put_element(thrift *t, const char *name, int type, int repetition, int children,
                        int converted)
{
    t_open(t);
    if (type >= 0)
        t_i32(t, 1, type);
    if (repetition >= 0)
        t_i32(t, 3, repetition);
    t_text(t, 4, name);
    if (children)
        t_i32(t, 5, children);
    if (converted >= 0)
        t_i32(t, 6, converted);
    t_end(t);
}

static void put_chunk(thrift *t, const column *c, size_t begin, size_t size)
{
    t_open(t);
    t_i64(t, 2, 0);
    t_struct(t, 3);
    t_i32(t, 1, INT32);
    t_list(t, 2, WIRE_I32, 0);
    t_list(t, 3, WIRE_BINARY, 0);
    t_i32(t, 4, 0);
    t_i64(t, 5, (int64_t)c->count + (c == &columns[1] ? more_values : 0));
    t_i64(t, 6, (int64_t)size);
    t_i64(t, 7, (int64_t)size);
    t_i64(t, 9, (int64_t)begin);
    t_end(t);
    t_end(t);
}

/* One row group of `rows` rows, as it says. */
static void make_file(bytes *file, int64_t rows)
{
    size_t begin[LEAVES + 1];
    thrift t = { 0 };

    put_raw(file, "PAR1", 4);
    for (int k = 0; k < LEAVES; k++)
        begin[k] = put_pages(file, &columns[k]);
    begin[LEAVES] = file->size;
    t_i32(&t, 1, 1);
    t_list(&t, 2, WIRE_STRUCT, 6);
    put_element(&t, "schema", -1, -1, 1, -1);
    put_element(&t, "s", -1, 1, 1, 3); /* LIST */
    put_element(&t, "list", -1, 2, 1, -1);
    put_element(&t, "element", -1, 1, 2, -1);
    put_element(&t, "a", INT32, 1, 0, -1);
    put_element(&t, "b", INT32, 1, 0, -1);
    t_i64(&t, 3, rows);
    t_list(&t, 4, WIRE_STRUCT, 1);
    t_open(&t);
    t_list(&t, 1, WIRE_STRUCT, LEAVES);
    for (int k = 0; k < LEAVES; k++)
        put_chunk(&t, &columns[k], begin[k], begin[k + 1] - begin[k]);
    t_i64(&t, 2, (int64_t)begin[LEAVES]);
    t_i64(&t, 3, rows);
    t_end(&t);
    put_byte(&t.out, 0);
    put_raw(file, t.out.data, t.out.size);
    put_u32(file, (uint32_t)t.out.size);
    put_raw(file, "PAR1", 4);
    t_free(&t);
}

/* ---- reading it ---- */

typedef struct outcome {
    weir_status status;
    weir_error err;
    int64_t rows;
} outcome;

/* The rows before the trouble are those of the first leaf. */
static void expect_row(const weir_vector *s, int64_t row, int64_t number)
{
    const int length = length_of(number);

    cr_assert_eq(weir_is_null(s, row), length == NULL_LIST);
    cr_assert_eq(s->offsets[s->first + row + 1] - s->offsets[s->first + row],
                 length > 0 ? length : 0);
}

static outcome read_within(const bytes *file, int64_t batch_rows, int threads, size_t limit)
{
    const weir_input input = {
        .size = sizeof input, .name = "made", .length = file->size, .data = file->data
    };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_columns *reader = NULL;
    const weir_batch *batch;
    outcome out = { 0 };

    options.memory_limit = limit;
    cr_assert_eq(weir_context_open(2, &options.context, &out.err), WEIR_OK);
    cr_assert_eq(weir_open_inputs(&input, 1, &options, &dataset, &out.err), WEIR_OK, "%s",
                 out.err.text);
    query.batch_rows = batch_rows;
    query.threads = threads;
    cr_assert_eq(weir_columns_open(dataset, &query, &reader, &out.err), WEIR_OK, "%s",
                 out.err.text);
    memset(&out.err, 0, sizeof out.err);
    while ((batch = weir_columns_next(reader)) != NULL) {
        for (int64_t i = 0; i < batch->rows; i++)
            expect_row(&batch->columns[0], i, out.rows + i);
        out.rows += batch->rows;
    }
    out.status = weir_columns_close(reader, &out.err);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    return out;
}

static outcome read_file(const bytes *file, int64_t batch_rows, int threads)
{
    return read_within(file, batch_rows, threads, 0);
}

static void expect_corrupt(int64_t group_rows, int64_t row, const char *one, const char *two)
{
    static const int64_t batches[] = { 1, 2, 7, 0 };
    bytes file = { 0 };

    make_file(&file, group_rows);
    for (int i = 0; i < 8; i++) {
        const outcome out = read_file(&file, batches[i % 4], 1 + i / 4);

        cr_assert_eq(out.status, WEIR_CORRUPT, "%s", weir_status_name(out.status));
        cr_expect_eq(out.rows, row, "%" PRId64 " rows before it: %s", out.rows, out.err.text);
        cr_expect_eq(out.err.row, row, "row %" PRId64 ": %s", out.err.row, out.err.text);
        cr_expect(strstr(out.err.text, one) && strstr(out.err.text, two), "%s", out.err.text);
    }
    bytes_free(&file);
}

Test(join, leaves_that_agree_are_a_column)
{
    bytes file = { 0 };

    make_rows(50);
    make_file(&file, 50);
    for (int64_t batch = 1; batch < 60; batch++) {
        const outcome out = read_file(&file, batch, 1 + (int)(batch % 2));

        cr_assert_eq(out.status, WEIR_OK, "%s", out.err.text);
        cr_assert_eq(out.rows, 50);
    }
    bytes_free(&file);
}

/* Leaf b has another list at each row in turn. */
Test(join, lists_of_other_lengths_are_told_with_both_leaves_and_the_row)
{
    for (int64_t bad = 0; bad < 30; bad++) {
        make_rows(30);
        columns[1].count = 0;
        for (int64_t row = 0; row < 30; row++)
            put_list(&columns[1], (int)(row % 4) - 1 + (row == bad), row % 8 == 2 ? 3 : 4);
        expect_corrupt(30, bad, "`s.element.a`", "`s.element.b`");
    }
}

Test(join, a_struct_that_is_null_to_one_leaf_alone_is_told)
{
    make_rows(30);
    columns[1].count = 0;
    for (int64_t row = 0; row < 30; row++)
        put_list(&columns[1], (int)(row % 4) - 1, row == 14 ? 2 : row % 8 == 2 ? 3 : 4);
    expect_corrupt(30, 14, "`s.element.a`", "`s.element.b`");
}

Test(join, a_leaf_with_fewer_rows_is_told)
{
    make_rows(40);
    columns[1].count = 0;
    for (int64_t row = 0; row < 33; row++)
        put_list(&columns[1], (int)(row % 4) - 1, row % 8 == 2 ? 3 : 4);
    expect_corrupt(40, 33, "`s.element.b`", "hold 33 rows, the row group 40");
    expect_corrupt(40, 33, "`s.element.a`", "goes on where a leaf beside it ends");
}

Test(join, rows_beyond_the_row_group_are_told)
{
    make_rows(40);
    put_list(&columns[1], 2, 4);
    expect_corrupt(40, 40, "`s.element.b`", "more rows than the row group's 40");
    make_rows(41);
    expect_corrupt(40, 40, "`s.element.a`", "more rows than the row group's 40");
    make_rows(40); /* what is beyond is no whole row, and no good one */
    put_level(&columns[0], 0, 1);
    put_level(&columns[0], 1, 4);
    expect_corrupt(40, 40, "`s.element.a`", "null or empty");
}

static void note_skipped(void *user, const weir_error *why)
{
    *(int32_t *)user = why->file;
}

/* The good files beside it come whole, and once. */
Test(join, a_file_whose_leaves_disagree_is_skipped_alone)
{
    enum {
        FILES = 4,
        ROWS = 40,
        BAD = 2,
        BAD_ROW = 6
    };
    bytes good = { 0 }, bad = { 0 };

    make_rows(ROWS);
    make_file(&good, ROWS);
    columns[1].count = 0;
    columns[1].rows = 0;
    for (int row = 0; row < ROWS; row++)
        put_list(&columns[1], row == BAD_ROW ? 0 : row % 4 - 1, row % 8 == 2 ? 3 : 4);
    make_file(&bad, ROWS);
    for (int threads = 1; threads <= 2; threads++) {
        weir_options options = WEIR_OPTIONS_INIT;
        weir_query query = WEIR_QUERY_INIT;
        weir_stats stats = WEIR_STATS_INIT;
        weir_input inputs[FILES];
        weir_dataset *dataset = NULL;
        weir_columns *reader = NULL;
        int32_t skipped = -1;
        weir_error err = { 0 };

        for (int i = 0; i < FILES; i++) {
            const bytes *file = i == BAD ? &bad : &good;

            inputs[i] = (weir_input){
                .size = sizeof *inputs, .name = "made", .length = file->size, .data = file->data
            };
        }
        options.flags = WEIR_SKIP_BAD;
        options.skipped = note_skipped;
        options.user = &skipped;
        cr_assert_eq(weir_context_open(2, &options.context, NULL), WEIR_OK);
        cr_assert_eq(weir_open_inputs(inputs, FILES, &options, &dataset, NULL), WEIR_OK);
        query.threads = threads;
        query.batch_rows = 5;
        cr_assert_eq(weir_columns_open(dataset, &query, &reader, NULL), WEIR_OK);
        for (int i = 0; i < 1000 && weir_columns_next(reader); i++)
            ;
        weir_columns_stats(reader, &stats);
        cr_expect_eq(weir_columns_close(reader, &err), WEIR_OK, "%s", err.text);
        cr_expect_eq(stats.rows, (FILES - 1) * ROWS + BAD_ROW, "%" PRId64 " rows", stats.rows);
        cr_expect_eq(stats.files_skipped, 1);
        cr_expect_eq(skipped, BAD);
        weir_dataset_close(dataset);
        weir_context_close(options.context);
    }
    bytes_free(&good);
    bytes_free(&bad);
}

Test(join, a_leaf_may_have_one_page_and_the_other_ten_thousand)
{
    bytes file = { 0 };

    make_rows(24000);
    page_levels[1] = 2;
    make_file(&file, 24000);
    for (int64_t batch_rows = 0; batch_rows < 2000; batch_rows += 999)
        for (int threads = 1; threads <= 2; threads++) {
            const outcome got = read_within(&file, batch_rows, threads, 0);

            cr_expect_eq(got.status, WEIR_OK, "%s", got.err.text);
            cr_expect_eq(got.rows, 24000);
        }
    page_levels[1] = 0;
    bytes_free(&file);
}

/* The last row's list could be longer or shorter. */
Test(join, levels_that_are_not_as_many_as_the_chunk_says_are_told)
{
    for (more_values = -5; more_values <= 5; more_values += 2) {
        make_rows(40);
        expect_corrupt(40, 39, "`s.element.b`", "the column chunk");
    }
    more_values = 0;
}

/* ---- seeks ---- */

/* Row `row` of the dataset, read alone. */
static weir_status read_row(const weir_dataset *dataset, int64_t row, int threads)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *reader = NULL;
    const weir_batch *batch;
    uint32_t value = 0;

    for (size_t i = 0, at = 0; i < columns[0].count; i++) { /* the first one in the row */
        at += columns[0].repetition[i] == 0;
        if ((int64_t)at > row)
            break;
        value += columns[0].definition[i] == 4;
    }
    query.first_row = row;
    query.row_limit = 1;
    query.threads = threads;
    cr_assert_eq(weir_columns_open(dataset, &query, &reader, NULL), WEIR_OK);
    batch = weir_columns_next(reader);
    if (batch) {
        const weir_item item = weir_vector_item(&batch->columns[0], 0);
        const weir_list list = weir_item_list(item);

        cr_assert_eq(batch->first_row, row);
        expect_row(&batch->columns[0], 0, row);
        for (int64_t i = 0; i < list.count; i++)
            for (int k = 0; k < LEAVES; k++) {
                const weir_item field = weir_item_field(weir_list_at(list, i), k);

                if (!weir_item_is_null(field))
                    cr_assert_eq((uint32_t)weir_item_i32(field), value + (uint32_t)i,
                                 "row %" PRId64, row);
            }
    }
    return weir_columns_close(reader, NULL);
}

static int64_t rows_of(const column *c, size_t levels)
{
    int64_t rows = 0;

    for (size_t i = 0; i < levels; i++)
        rows += c->repetition[i] == 0;
    return rows;
}

/* Levels tell which page a row begins in; the values of the pages before it stay packed. */
Test(join, a_seek_looks_at_no_value_before_the_page_of_its_row)
{
    const column *c = &columns[0];

    make_rows(400);
    page_levels[0] = page_levels[1] = 50;
    for (size_t end = page_end(c, 0); end < c->count; end = page_end(c, end)) {
        const int64_t row = rows_of(c, end);
        weir_options options = WEIR_OPTIONS_INIT;
        weir_dataset *dataset = NULL;
        bytes file = { 0 };

        bad_pages++;
        make_file(&file, 400);
        const weir_input input = {
            .size = sizeof input, .name = "made", .length = file.size, .data = file.data
        };
        cr_assert_eq(weir_context_open(2, &options.context, NULL), WEIR_OK);
        cr_assert_eq(weir_open_inputs(&input, 1, &options, &dataset, NULL), WEIR_OK);
        for (int threads = 1; threads <= 2; threads++) {
            cr_expect_neq(read_row(dataset, 0, threads), WEIR_OK);
            cr_expect_neq(read_row(dataset, row - 1, threads), WEIR_OK);
            for (int64_t i = row; i < 400; i += 1 + (i - row) * 7)
                cr_expect_eq(read_row(dataset, i, threads), WEIR_OK, "row %" PRId64, i);
        }
        weir_dataset_close(dataset);
        weir_context_close(options.context);
        bytes_free(&file);
    }
    cr_expect_gt(bad_pages, 5);
    bad_pages = page_levels[0] = page_levels[1] = 0;
}

/* How many levels a query looks at; the rows it gives are counted. */
static uint64_t levels_of(const weir_dataset *dataset, const weir_query *query, int64_t rows)
{
    weir_stats stats = WEIR_STATS_INIT;
    weir_columns *reader = NULL;

    cr_assert_eq(weir_columns_open(dataset, query, &reader, NULL), WEIR_OK);
    while (weir_columns_next(reader))
        ;
    weir_columns_stats(reader, &stats);
    cr_assert_eq(weir_columns_close(reader, NULL), WEIR_OK);
    cr_assert_eq(stats.rows, rows);
    return stats.levels;
}

/* Each level once, however batches are cut; for a row at the end no more than all before it. */
static void expect_linear(int64_t rows, int64_t batch_rows, int threads)
{
    const uint64_t all = columns[0].count + columns[1].count;
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    bytes file = { 0 };
    uint64_t levels;

    make_file(&file, rows);
    const weir_input input = {
        .size = sizeof input, .name = "made", .length = file.size, .data = file.data
    };
    cr_assert_eq(weir_context_open(2, &options.context, NULL), WEIR_OK);
    cr_assert_eq(weir_open_inputs(&input, 1, &options, &dataset, NULL), WEIR_OK);
    query.batch_rows = batch_rows;
    query.threads = threads;
    levels = levels_of(dataset, &query, rows);
    cr_expect_eq(levels, all, "%" PRIu64 " levels were looked at, and there are %" PRIu64, levels,
                 all);
    query.first_row = rows - 1;
    levels = levels_of(dataset, &query, 1);
    cr_expect_leq(levels, all);
    query.first_row = 0;
    query.row_limit = 1;
    levels = levels_of(dataset, &query, 1);
    cr_expect_leq(levels, length_of(0) > 0 ? all : 2 * AHEAD);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    bytes_free(&file);
}

Test(join, work_grows_with_levels)
{
    static const int64_t batches[] = { 1, 7, 0 };

    for (size_t i = 0; i < 3; i++)
        for (int threads = 1; threads <= 2; threads++) {
            long_row = 0;
            make_rows(1);
            expect_linear(1, batches[i], threads);
            long_row = -1;
            for (int k = 0; k < LEAVES; k++) {
                columns[k].count = 0;
                columns[k].rows = 0;
                for (int row = 0; row < 200000; row++)
                    put_list(&columns[k], 0, 0);
            }
            expect_linear(200000, batches[i], threads);
        }
}

/* Whatever the limit, the rows that come are right, and where they end the row and a leaf are told.
 */
Test(join, a_list_longer_than_the_memory_limit_is_told)
{
    int64_t most = 0;
    bool passed = false;
    bytes file = { 0 };

    long_row = 150;
    make_rows(200);
    make_file(&file, 200);
    for (size_t limit = 1 << 20; !passed && limit < (size_t)1 << 26; limit += limit / 8) {
        for (int threads = 1; threads <= 2; threads++) {
            const outcome out = read_within(&file, 64, threads, limit);

            passed = out.status == WEIR_OK;
            if (passed) {
                cr_assert_eq(out.rows, 200);
                continue;
            }
            cr_assert_eq(out.status, WEIR_LIMIT, "%s", out.err.text);
            cr_assert_leq(out.rows, long_row, "a row came that didn't fit");
            cr_assert_eq(out.err.row, out.rows, "row %" PRId64 " after %" PRId64 ": %s",
                         out.err.row, out.rows, out.err.text);
            most = out.rows > most ? out.rows : most;
            if (out.rows == long_row)
                cr_assert(strstr(out.err.text, "`s.element."), "%s", out.err.text);
        }
    }
    cr_assert(passed, "never enough memory");
    cr_assert_eq(most, long_row, "%" PRId64 " rows at most before it", most);
    long_row = -1;
    bytes_free(&file);
}
