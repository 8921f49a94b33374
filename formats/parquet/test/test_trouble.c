/* SPDX-License-Identifier: Apache-2.0
 * test_trouble.c: pages that are cut, lie, or ask for what nobody has: the rows before come out,
 * the row of the error is exact, and it stays. */
#include "pages.h"

/* Reads until it fails or ends; rows that came before it are right. */
static weir_status read_until(rig *r, const weir_page *page, const table *t, const way *w,
                              int64_t batch_rows, weir_error *err)
{
    weir_status status = rig_feed(r, page, err);

    cr_assert_eq(status, WEIR_OK, "%s", err->text);
    while (status == WEIR_OK && !r->cursor.hungry) {
        const int64_t from = r->cursor.row;
        weir_builder builder;
        weir_vector v;

        weir_builder_init(&builder, &r->target, batch_rows, 1 << 20);
        status = weir_parquet_decode(&r->cursor, &builder, &r->work, err);
        cr_assert_eq(r->cursor.row - from, builder.rows, "rows that were not counted");
        cr_assert_eq(weir_builder_finish(&builder, &r->work, &v, NULL), WEIR_OK);
        expect_rows(&v, t, w, from);
        weir_hold_release(v.hold);
    }
    if (status != WEIR_OK) { /* it stays so */
        weir_builder builder;
        weir_error again;

        weir_builder_init(&builder, &r->target, 10, 1 << 20);
        cr_assert_eq(weir_parquet_decode(&r->cursor, &builder, &r->work, &again), status);
        cr_assert_str_eq(again.text, err->text);
        cr_assert_eq(builder.rows, 0);
        weir_builder_fini(&builder);
    }
    return status;
}

static bool is_delta(const way *w)
{
    return w->encoding == WEIR_PARQUET_DELTA_BINARY_PACKED ||
           w->encoding == WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY ||
           w->encoding == WEIR_PARQUET_DELTA_BYTE_ARRAY;
}

/* Whatever is cut off, the rows that come are the right ones, never fewer with more bytes. */
Test(trouble, a_page_cut_at_every_byte)
{
    static table t;
    enum {
        ROWS = 130
    };

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (int version = 1; version <= 2; version++) {
                guard g = guard_open(1 << 16), dictionary = guard_open(1 << 12);
                const way *w = &ways[i];
                int64_t before = 0;
                int whole = 0;
                bytes b = { 0 };
                rig r;

                rig_init(&r, w->type, w->width, kind != NO_NULLS, weir_kernels_pick());
                make_table(&t, w, ROWS, kind, 7);
                const weir_parquet_note note = put_page(&b, &r, w, &t, 0, ROWS, version);
                for (size_t cut = 0; cut <= b.size; cut++) {
                    weir_error err;

                    rig_again(&r);
                    if (has_dictionary(w))
                        feed_dictionary(&r, w, &dictionary);
                    const weir_page page =
                        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, cut), cut, ROWS);
                    const weir_status status =
                        read_until(&r, &page, &t, w, (int64_t)(cut % 50) + 1, &err);
                    cr_assert(status == WEIR_OK || status == WEIR_CORRUPT);
                    cr_assert_eq(status == WEIR_OK, r.cursor.row == ROWS);
                    cr_assert_geq(r.cursor.row, before);
                    if (r.cursor.row < ROWS || !is_delta(w)) /* whose padding may lack as a whole */
                        before = r.cursor.row;
                    else
                        whole++;
                }
                cr_assert(before == ROWS || whole > 0);
                bytes_free(&b);
                rig_fini(&r);
                guard_close(&g);
                guard_close(&dictionary);
            }
}

/* A page of 100 doubles with the bytes of 57. */
Test(trouble, the_row_of_missing_bytes_is_exact)
{
    static table t;
    const way w = { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 };

    for (int64_t batch = 1; batch < 120; batch++)
        for (int skip = 0; skip < 2; skip++) {
            guard g = guard_open(1 << 12);
            bytes b = { 0 };
            weir_error err;
            rig r;

            rig_init(&r, w.type, w.width, false, weir_kernels_pick());
            make_table(&t, &w, 100, NO_NULLS, 1);
            const weir_parquet_note note = put_page(&b, &r, &w, &t, 0, 100, 1);
            r.ordinal = 3;
            const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note,
                                            guard_place(&g, b.data, 57 * 8 + 7), 57 * 8 + 7, 100);
            if (skip) {
                cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
                cr_assert_eq(weir_parquet_skip(&r.cursor, 99, &r.work, &err), WEIR_CORRUPT);
            } else {
                cr_assert_eq(read_until(&r, &page, &t, &w, batch, &err), WEIR_CORRUPT);
            }
            cr_assert_eq(r.cursor.row, 57);
            cr_assert_str_eq(err.text, "page 3: PLAIN: the bytes end too soon");
            cr_assert_eq(err.offset, 1003);
            bytes_free(&b);
            rig_fini(&r);
            guard_close(&g);
        }
}

Test(trouble, the_row_of_a_bad_code_is_exact)
{
    static table t;
    const way w = { WEIR_PARQUET_INT64, WEIR_PARQUET_RLE_DICTIONARY, 8 };

    for (int64_t bad = 0; bad < 100; bad += 9)
        for (int is_null = 0; is_null < 2; is_null++) {
            guard g = guard_open(1 << 12), dictionary = guard_open(1 << 12);
            bytes b = { 0 };
            int64_t seen = 0, bad_row = -1;
            weir_error err;
            rig r;

            rig_init(&r, w.type, w.width, is_null, weir_kernels_pick());
            make_table(&t, &w, 300, is_null ? SOME_NULLS : NO_NULLS, 1);
            for (int64_t i = 0; i < t.rows; i++)
                if (!t.is_null[i] && seen++ == bad)
                    bad_row = i;
            weir_parquet_note note = put_page(&b, &r, &w, &t, 0, bad_row, 2);
            bytes_free(&b);
            /* The same levels, and codes written anew. */
            note = (weir_parquet_note){ .encoding = w.encoding, .version = 2, .null_count = -1 };
            if (is_null) {
                put_levels(&b, &t, 0, 300);
                note.definition_size = (uint32_t)b.size;
            }
            put_byte(&b, 7);
            for (int64_t i = 0; i < 300; i++)
                if (!t.is_null[i])
                    for (uint32_t pick = 0; pick < 20; pick++) {
                        static table one;
                        make_value(&one, &w, 0, pick);
                        if (memcmp(one.value[0], t.value[i], 8) == 0)
                            put_rle_run(&b, 7, 1, i == bad_row ? 77 : pick);
                    }
            feed_dictionary(&r, &w, &dictionary);
            const weir_page page =
                rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 300);
            cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), WEIR_CORRUPT);
            cr_assert_eq(r.cursor.row, bad_row);
            cr_assert_str_eq(err.text,
                             "page 0: RLE_DICTIONARY: code 77 into a dictionary of 20 values");
            bytes_free(&b);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

Test(trouble, codes_without_a_dictionary_fail_where_the_first_is_needed)
{
    static table t;
    const way w = { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE_DICTIONARY, 4 };
    guard g = guard_open(1 << 12);
    bytes b = { 0 };
    weir_error err;
    rig r;

    rig_init(&r, w.type, w.width, true, weir_kernels_pick());
    make_table(&t, &w, 50, NO_NULLS, 1);
    for (int64_t i = 0; i < 30; i++)
        t.is_null[i] = true;
    const weir_parquet_note note = put_page(&b, &r, &w, &t, 0, 50, 1);
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 50);
    cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), WEIR_CORRUPT);
    cr_expect_eq(r.cursor.row, 30);
    cr_expect_str_eq(err.text, "page 0: RLE_DICTIONARY: there is no dictionary page before it");
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
}

/* Some writers leave an empty dictionary before pages of nulls. */
Test(trouble, an_empty_dictionary_is_none_as_long_as_no_value_needs_it)
{
    static table t;
    const way w = { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_RLE_DICTIONARY, 0 };

    for (int is_needed = 0; is_needed < 2; is_needed++) {
        guard g = guard_open(1 << 12), dictionary = guard_open(64);
        bytes b = { 0 };
        weir_error err;
        rig r;

        rig_init(&r, w.type, w.width, true, weir_kernels_pick());
        make_table(&t, &w, 50, ALL_NULLS, 1);
        t.is_null[40] = !is_needed;
        weir_page page =
            rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                     guard_place(&dictionary, NULL, 0), 0, 0);
        cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
        const weir_parquet_note note = put_page(&b, &r, &w, &t, 0, 50, 1);
        page = rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 50);
        cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), is_needed ? WEIR_CORRUPT : WEIR_OK);
        cr_expect_eq(r.cursor.row, is_needed ? 40 : 50);
        bytes_free(&b);
        rig_fini(&r);
        guard_close(&g);
        guard_close(&dictionary);
    }
}

/* Scan may leave out pages for a skip, never for rows that are read. */
Test(trouble, rows_missing_between_pages_are_told_where_they_should_be)
{
    static table t;
    const way w = { WEIR_PARQUET_INT32, WEIR_PARQUET_PLAIN, 4 };

    for (int is_skipping = 0; is_skipping < 2; is_skipping++) {
        guard g = guard_open(1 << 12);
        bytes b = { 0 };
        weir_error err;
        rig r;

        rig_init(&r, w.type, w.width, false, weir_kernels_pick());
        make_table(&t, &w, 100, NO_NULLS, 1);
        const weir_parquet_note note = put_page(&b, &r, &w, &t, 60, 40, 1);
        r.next_row = 60;
        const weir_page page =
            rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 40);
        if (is_skipping) {
            cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
            cr_assert_eq(weir_parquet_skip(&r.cursor, 70, &r.work, &err), WEIR_OK);
            cr_expect_eq(r.cursor.row, 70);
        } else {
            cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), WEIR_CORRUPT);
            cr_expect_eq(r.cursor.row, 0);
            cr_expect_str_eq(err.text, "page 0: rows: 60 rows are missing before it");
        }
        bytes_free(&b);
        rig_fini(&r);
        guard_close(&g);
    }
}

Test(trouble, what_no_type_or_nobody_has_is_unsupported)
{
    static const way bad[] = { { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_ALP, 8 },
                               { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE, 4 },
                               { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_DELTA_BINARY_PACKED, 8 },
                               { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_BYTE_STREAM_SPLIT, 0 },
                               { WEIR_PARQUET_FIXED, WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY, 4 },
                               { WEIR_PARQUET_BOOLEAN, WEIR_PARQUET_BIT_PACKED, 0 },
                               { WEIR_PARQUET_INT32, 1, 4 },
                               { WEIR_PARQUET_INT32, -5, 4 },
                               { WEIR_PARQUET_INT32, 1000000, 4 } };
    static table t;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint8_t data[16 + 64] = { 0 };
        weir_error err;
        rig r;

        rig_init(&r, bad[i].type, bad[i].width, false, weir_kernels_pick());
        const weir_parquet_note note = { .encoding = bad[i].encoding, .version = 1 };
        const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note, data, 16, 2);
        cr_expect_eq(read_until(&r, &page, &t, &bad[i], 10, &err), WEIR_UNSUPPORTED);
        cr_expect_eq(r.cursor.row, 0);
        if (i == 0)
            cr_expect_str_eq(err.text, "page 0: values: the encoding ALP can't be read yet");
        if (i == 1)
            cr_expect_str_eq(err.text, "page 0: values: encoding 3 (RLE) on INT32");
        rig_fini(&r);
    }
}

Test(trouble, codes_wider_than_32_bits_are_refused)
{
    static table t;
    const way w = { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE_DICTIONARY, 4 };
    uint8_t data[16 + 64] = { 33, 2 };
    guard dictionary = guard_open(1 << 12);
    weir_error err;
    rig r;

    rig_init(&r, w.type, w.width, false, weir_kernels_pick());
    feed_dictionary(&r, &w, &dictionary);
    const weir_parquet_note note = { .encoding = w.encoding, .version = 1 };
    const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note, data, 16, 5);
    cr_expect_eq(read_until(&r, &page, &t, &w, 10, &err), WEIR_CORRUPT);
    cr_expect_str_eq(err.text, "page 0: RLE_DICTIONARY: codes of more than 32 bits");
    rig_fini(&r);
    guard_close(&dictionary);
}

Test(trouble, dictionaries_that_lie_are_refused_before_anything_is_allocated)
{
    static const struct {
        weir_parquet_type type;
        uint32_t width;
        int64_t entries;
        size_t size;
    } bad[] = {
        { WEIR_PARQUET_INT64, 8, 3, 23 },         { WEIR_PARQUET_INT64, 8, INT32_MAX, 32 },
        { WEIR_PARQUET_INT64, 8, -1, 32 },        { WEIR_PARQUET_BYTE_ARRAY, 0, 9, 35 },
        { WEIR_PARQUET_BYTE_ARRAY, 0, 9, 36 },    { WEIR_PARQUET_BOOLEAN, 0, 9, 1 },
        { WEIR_PARQUET_FIXED, INT32_MAX, 2, 64 },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        guard g = guard_open(64);
        uint8_t data[64];
        weir_error err;
        rig r;

        memset(data, 1, sizeof data);
        rig_init(&r, bad[i].type, bad[i].width, false, weir_kernels_pick());
        const weir_page page =
            rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                     guard_place(&g, data, bad[i].size), bad[i].size, bad[i].entries);
        cr_expect_eq(rig_feed(&r, &page, &err), WEIR_CORRUPT, "case %zu", i);
        cr_expect_null(r.span.shared);
        rig_fini(&r);
        guard_close(&g);
    }
}

/* An entry that a cast refuses is no error until a row uses it. */
Test(trouble, a_refused_entry_fails_the_first_row_that_uses_it)
{
    const int64_t entries[3] = { 5, ((int64_t)1 << 53) + 1, 7 };
    guard g = guard_open(64), dictionary = guard_open(64);
    weir_builder builder;
    bytes b = { 0 };
    weir_error err;
    weir_vector v;
    rig r;

    rig_init(&r, WEIR_PARQUET_INT64, 8, false, weir_kernels_pick());
    r.field.type = WEIR_F64;
    r.target.cast = (weir_cast){
        .kind = WEIR_CAST_I64_F64, .from = WEIR_I64, .to = WEIR_F64, .from_width = 8, .to_width = 8
    };
    weir_page page =
        rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                 guard_place(&dictionary, entries, sizeof entries), sizeof entries, 3);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK, "%s", err.text);
    put_byte(&b, 2);
    put_rle_run(&b, 2, 11, 2);
    put_rle_run(&b, 2, 5, 0);
    put_rle_run(&b, 2, 5, 1);
    page = rig_page(&r, WEIR_PAGE_DATA,
                    (weir_parquet_note){ .encoding = WEIR_PARQUET_RLE_DICTIONARY, .version = 1 },
                    guard_place(&g, b.data, b.size), b.size, 21);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    weir_builder_init(&builder, &r.target, 200, 1 << 20);
    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_MISMATCH);
    cr_assert_eq(r.cursor.row, 16);
    cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, NULL), WEIR_OK);
    cr_assert_eq(v.rows, 16);
    cr_assert(weir_f64s(&v)[0] == 7.0 && weir_f64s(&v)[15] == 5.0);
    weir_hold_release(v.hold);
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
    guard_close(&dictionary);
}
