/* SPDX-License-Identifier: Apache-2.0
 * test_nested_limits.c: nested leaves whose pages are small and whose vectors would be large:
 * millions of rows and elements out of a few runs, vectors cut by what they take, the end of 31
 * bits. */
#include "nested_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static nested_rig n;

/* Levels of `rows` lists of `count` elements each, all of definition `definition` of `width` bits,
 * as a page of version 2 begins with them. */
static weir_parquet_note put_alike(bytes *b, int64_t rows, uint32_t count, uint32_t definition,
                                   uint32_t width)
{
    weir_parquet_note note = { .version = 2, .null_count = -1 };

    if (count == 1)
        put_rle_run(b, 1, (uint64_t)rows, 0);
    for (int64_t i = 0; count > 1 && i < rows; i++) {
        put_rle_run(b, 1, 1, 0);
        put_rle_run(b, 1, count - 1, 1);
    }
    note.repetition_size = (uint32_t)b->size;
    put_rle_run(b, width, (uint64_t)rows * count, definition);
    note.definition_size = (uint32_t)b->size - note.repetition_size;
    return note;
}

static void feed_alike(const bytes *b, weir_parquet_note note, int64_t levels)
{
    weir_page page = rig_page(&n.r, WEIR_PAGE_DATA, note, b->data, b->size - WEIR_SLACK, levels);

    page.first_row = page.row_count = -1;
    cr_assert_eq(rig_feed(&n.r, &page, NULL), WEIR_OK);
}

static void put_slack(bytes *b)
{
    for (int i = 0; i < WEIR_SLACK; i++)
        put_byte(b, 0);
}

/* The next vector of what was fed. */
static bool next_vector(weir_vector *v, int64_t rows, size_t room)
{
    weir_page end = { .kind = WEIR_PAGE_END };
    weir_builder builder;
    weir_error err;

    weir_builder_init(&builder, &n.r.target, rows, room);
    cr_assert_eq(weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, &err), WEIR_OK, "%s",
                 err.text);
    if (n.r.cursor.hungry) {
        cr_assert_eq(weir_parquet_feed(&n.r.cursor, &end, &n.r.work, NULL), WEIR_OK);
        cr_assert_eq(weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, NULL), WEIR_OK);
    }
    if (builder.rows == 0) {
        weir_builder_fini(&builder);
        return false;
    }
    cr_assert_eq(weir_builder_finish(&builder, &n.r.work, v, NULL), WEIR_OK);
    return true;
}

/* All in one page, of two runs. */
Test(nested_limits, a_million_empty_lists)
{
    enum {
        ROWS = 1000000
    };
    bytes b = { 0 };
    const weir_parquet_note note = put_alike(&b, ROWS, 1, 1, 2);
    int64_t rows = 0;
    weir_vector v;

    put_slack(&b);
    nested_rig_init(&n, "lv");
    feed_alike(&b, note, ROWS);
    while (next_vector(&v, 16384, 1 << 20)) {
        cr_assert_eq(v.nulls, 0);
        cr_assert_eq(v.offsets[v.rows], 0);
        cr_assert_eq(v.rows, weir_min_i64(16384, ROWS - rows));
        rows += v.rows;
        weir_hold_release(v.hold);
    }
    cr_assert_eq(rows, ROWS);
    cr_assert(n.r.cursor.ended);
    bytes_free(&b);
    rig_fini(&n.r);
}

static void become(weir_parquet_type type, weir_type as)
{
    nested_rig_init(&n, "lv");
    n.r.leaf.type = type;
    n.r.from.type = n.r.field.type = as;
    n.r.leaf.width = n.r.from.width = n.r.field.width = 0;
    n.r.target.cast = (weir_cast){ .from = as, .to = as };
}

/* Rows of 1,000 elements that take `each` bits, in vectors of about 64 KB: what is
 * taken at once may come on top. */
static void expect_small(int64_t rows, uint32_t count, int64_t each)
{
    int64_t got = 0;
    weir_vector v;

    while (next_vector(&v, 16384, 1 << 16)) {
        const int64_t bits = (v.rows - 1) * count * each;

        cr_assert_leq(bits / 8, 2 << 16, "%" PRId64 " rows at once", v.rows);
        got += v.rows;
        weir_hold_release(v.hold);
    }
    cr_assert_eq(got, rows);
    rig_fini(&n.r);
}

/* Offsets of empty strings, bits, and strings that are nearly all in those before them. */
Test(nested_limits, a_vector_is_as_long_as_asked_for_however_little_its_page_has)
{
    enum {
        ROWS = 400,
        COUNT = 1000,
        LONG_TEXT = 20000
    };
    const delta_shape shape = { 128, 4, false, 0 };
    uint64_t prefixes[ROWS], sizes[ROWS];
    bytes b = { 0 };
    weir_parquet_note note = put_alike(&b, ROWS, COUNT, 2, 2);

    put_slack(&b);
    become(WEIR_PARQUET_BYTE_ARRAY, WEIR_BYTES);
    feed_alike(&b, note, ROWS * COUNT);
    expect_small(ROWS, COUNT, 32);
    become(WEIR_PARQUET_BOOLEAN, WEIR_BOOL);
    feed_alike(&b, note, ROWS * COUNT);
    expect_small(ROWS, COUNT, 1);
    bytes_free(&b);

    for (int i = 0; i < ROWS; i++) {
        prefixes[i] = i ? LONG_TEXT : 0;
        sizes[i] = i ? 0 : LONG_TEXT;
    }
    note = put_alike(&b, ROWS, 1, 3, 2);
    note.encoding = WEIR_PARQUET_DELTA_BYTE_ARRAY;
    put_delta(&b, prefixes, ROWS, 32, shape);
    put_delta(&b, sizes, ROWS, 32, shape);
    for (int i = 0; i < LONG_TEXT; i++)
        put_byte(&b, 'x');
    put_slack(&b);
    become(WEIR_PARQUET_BYTE_ARRAY, WEIR_BYTES);
    feed_alike(&b, note, ROWS);
    expect_small(ROWS, 1, LONG_TEXT * 8);
    bytes_free(&b);
}

Test(nested_limits, a_million_empty_lists_in_one_row)
{
    enum {
        COUNT = 1000000
    };
    bytes b = { 0 };
    const weir_parquet_note note = put_alike(&b, 3, COUNT, 3, 3);
    weir_vector v;

    put_slack(&b);
    nested_rig_init(&n, "llv");
    feed_alike(&b, note, 3 * COUNT);
    for (int row = 0; row < 3; row++) {
        const weir_vector *inner;

        cr_assert(next_vector(&v, 1, 1 << 20));
        inner = &v.children[0];
        cr_assert_eq(v.rows, 1);
        cr_assert_eq(v.offsets[1], COUNT);
        cr_assert_eq(inner->rows, COUNT);
        cr_assert_eq(inner->nulls, 0);
        for (int i = 0; i <= COUNT; i++)
            cr_assert_eq(inner->offsets[i], 0);
        weir_hold_release(v.hold);
    }
    bytes_free(&b);
    rig_fini(&n.r);
}

/* Lengths alone cost nothing, but they are counted in 31 bits: vectors end before. */
Test(nested_limits, shapes_of_more_than_2_to_the_31_elements_are_cut)
{
    enum {
        PAGES = 18,
        ROWS = 128,
        COUNT = 1 << 20
    };
    bytes b = { 0 };
    weir_parquet_note note = put_alike(&b, ROWS, COUNT, 2, 2);
    int64_t rows = 0, elements = 0;
    weir_path path;
    weir_vector v;
    int fed = 0;

    put_slack(&b);
    nested_rig_init(&n, "lv");
    path = n.s.path;
    weir_path_end(&path, 0);
    n.r.target.path = &path;
    n.r.target.forms = 1u << WEIR_SHAPE;
    while (rows < PAGES * ROWS) {
        weir_builder builder;

        weir_builder_init(&builder, &n.r.target, 1 << 20, 1 << 20);
        for (;;) {
            cr_assert_eq(weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, NULL), WEIR_OK);
            if (!n.r.cursor.hungry)
                break;
            if (fed++ < PAGES)
                feed_alike(&b, note, (int64_t)ROWS * COUNT);
            else
                cr_assert_eq(weir_parquet_feed(&n.r.cursor, &(weir_page){ .kind = WEIR_PAGE_END },
                                               &n.r.work, NULL),
                             WEIR_OK);
        }
        cr_assert_gt(builder.rows, 0);
        cr_assert_eq(weir_builder_finish(&builder, &n.r.work, &v, NULL), WEIR_OK);
        rows += v.rows;
        elements += v.offsets[v.rows];
        weir_hold_release(v.hold);
    }
    cr_assert_eq(elements, (int64_t)PAGES * ROWS * COUNT);
    bytes_free(&b);
    rig_fini(&n.r);
}

/* A row can't be cut: the one before it comes out, and it is told. */
Test(nested_limits, a_list_of_more_than_2_to_the_31_elements_is_a_limit)
{
    enum {
        PAGES = 18,
        COUNT = 1 << 27
    };
    bytes first = { 0 }, b = { 0 };
    const weir_parquet_note before = put_alike(&first, 2, 5, 2, 2);
    weir_parquet_note note = { .version = 2, .null_count = -1 };
    weir_status status = WEIR_OK;
    weir_builder builder;
    weir_path path;
    weir_error err;
    int fed = 0;

    put_slack(&first);
    put_rle_run(&b, 1, COUNT, 1);
    note.repetition_size = (uint32_t)b.size;
    put_rle_run(&b, 2, COUNT, 2);
    note.definition_size = (uint32_t)b.size - note.repetition_size;
    put_slack(&b);
    nested_rig_init(&n, "lv");
    path = n.s.path;
    weir_path_end(&path, 0);
    n.r.target.path = &path;
    n.r.target.forms = 1u << WEIR_SHAPE;
    weir_builder_init(&builder, &n.r.target, 1 << 20, 1 << 20);
    while (status == WEIR_OK && fed < PAGES) {
        status = weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, &err);
        if (status == WEIR_OK && fed++ == 0)
            feed_alike(&first, before, 10);
        else if (status == WEIR_OK)
            feed_alike(&b, note, COUNT);
    }
    cr_expect_eq(status, WEIR_LIMIT);
    cr_expect(strstr(err.text, "2^31 elements"), "%s", err.text);
    cr_expect_eq(n.r.cursor.row, 1);
    cr_expect_eq(builder.rows, 1);
    weir_builder_fini(&builder);
    bytes_free(&first);
    bytes_free(&b);
    rig_fini(&n.r);
}
