/* SPDX-License-Identifier: Apache-2.0
 * test_decode.c: pages written by hand, of every type, encoding and version, read back through the
 * cursor in batches and jumps of many sizes. */
#include "pages.h"

Test(decode, every_type_and_encoding_in_batches_of_every_size)
{
    static const int64_t batches[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 1000 };

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
                read_all(&ways[i], kind, 300, 300, batches[k], 1 << 20);
                read_all(&ways[i], kind, 300, 41, batches[k], 1 << 20);
            }
}

Test(decode, pages_of_more_than_a_slice)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++) {
            read_all(&ways[i], kind, MOST, MOST, 16384, 1 << 20);
            read_all(&ways[i], kind, MOST, 3001, 1000, 1 << 20);
            read_all(&ways[i], kind, MOST, 2500, 4096, 1 << 20);
        }
}

/* The builder takes fewer rows than it is offered; the cursor keeps the others. */
Test(decode, a_cap_of_bytes_may_end_a_batch_anywhere)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (ways[i].type == WEIR_PARQUET_BYTE_ARRAY)
            for (nulls kind = 0; kind < NULLS_KINDS; kind++)
                for (size_t room = 1; room < 300; room += 13)
                    read_all(&ways[i], kind, 400, 90, 1000, room);
}

/* Codes are delivered as codes where they may be; a chunk that falls back to PLAIN changes form. */
Test(decode, a_dictionary_may_fall_back_to_plain)
{
    static table t;
    const way first = { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_RLE_DICTIONARY, 0 };
    const way then = { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_PLAIN, 0 };
    const way doubles[2] = { { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_RLE_DICTIONARY, 8 },
                             { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 } };

    for (int codes = 0; codes < 2; codes++)
        for (int fixed = 0; fixed < 2; fixed++) {
            guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
            const way *coded = fixed ? &doubles[0] : &first, *plain = fixed ? &doubles[1] : &then;
            chunk c = { .count = 2, .rows = { 500, 500 } };
            weir_error err;
            rig r;

            rig_init(&r, coded->type, coded->width, true, weir_kernels_pick());
            r.target.forms = codes ? 1u << WEIR_CODES : 0;
            make_table(&t, coded, 1000, SOME_NULLS, 3);
            c.note[0] = put_page(&c.body[0], &r, coded, &t, 0, 500, 1);
            c.note[1] = put_page(&c.body[1], &r, plain, &t, 500, 500, 1);
            feed_dictionary(&r, coded, &dictionary);
            for (int64_t from = 0; from < 1000;) {
                weir_builder builder;
                weir_vector v;

                weir_builder_init(&builder, &r.target, 300, 1 << 20);
                for (;;) {
                    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
                    if (!r.cursor.hungry)
                        break;
                    feed_next(&r, &c, &g);
                }
                cr_assert_gt(builder.rows, 0);
                cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
                cr_assert_eq(v.form, codes && from < 500 ? WEIR_CODES : WEIR_PLAIN);
                if (v.form == WEIR_CODES) {
                    cr_assert_leq(from + v.rows, 500);
                    for (int64_t i = 0; i < v.rows; i++) {
                        const uint32_t code = ((const uint32_t *)v.values)[i];
                        cr_assert_eq(weir_is_null(&v, i), t.is_null[from + i]);
                        if (weir_is_null(&v, i))
                            continue;
                        const weir_view got = weir_bytes(v.dictionary, code);
                        cr_assert_eq(got.size, t.size[from + i]);
                        cr_assert_arr_eq(got.data, t.value[from + i], got.size);
                    }
                } else {
                    expect_rows(&v, &t, coded, from);
                }
                from += v.rows;
                weir_hold_release(v.hold);
            }
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

Test(decode, skipping_lands_on_the_right_row)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (uint64_t round = 0; round < 6; round++) {
                guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
                const way *w = &ways[i];
                uint64_t seed = round;
                weir_error err;
                chunk c;
                rig r;

                rig_init(&r, w->type, w->width, kind != NO_NULLS, weir_kernels_pick());
                make_table(&t, w, 8000, kind, round);
                make_chunk(&c, &r, w, &t, round % 2 ? 7000 : 700);
                if (has_dictionary(w))
                    feed_dictionary(&r, w, &dictionary);
                while (r.cursor.row < t.rows) {
                    const int64_t jump = (int64_t)(draw(&seed) % (round < 3 ? 100 : 3000));
                    const int64_t to = weir_min_i64(t.rows, r.cursor.row + jump);

                    while (r.cursor.row < to) {
                        cr_assert_eq(weir_parquet_skip(&r.cursor, to, &r.work, &err), WEIR_OK, "%s",
                                     err.text);
                        if (r.cursor.hungry)
                            feed_next(&r, &c, &g);
                    }
                    cr_assert_eq(r.cursor.row, to);
                    if (to < t.rows)
                        read_batch(&r, &c, &t, w, &g, (int64_t)(draw(&seed) % 90) + 1,
                                   draw(&seed) % 700 + 1);
                }
                free_chunk(&c);
                rig_fini(&r);
                guard_close(&g);
                guard_close(&dictionary);
            }
}

/* A cursor that begins inside the group is fed the page its row lies in. */
Test(decode, a_cursor_may_begin_inside_a_page)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (int64_t start = 1; start < 6000; start += 977) {
            guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
            const way *w = &ways[i];
            chunk c;
            rig r;

            rig_init(&r, w->type, w->width, true, weir_kernels_pick());
            make_table(&t, w, 6000, SOME_NULLS, 8);
            make_chunk(&c, &r, w, &t, 6000);
            r.cursor.row = start;
            if (has_dictionary(w))
                feed_dictionary(&r, w, &dictionary);
            while (read_batch(&r, &c, &t, w, &g, 1000, 1 << 20))
                ;
            cr_assert_eq(r.cursor.row, 6000);
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

/* PARQUET-246: the first value of a page begins as the last one of the page before does. */
Test(decode, old_prefixes_reach_over_pages)
{
    static table t;
    static const way w[] = { { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_DELTA_BYTE_ARRAY, 0 },
                             { WEIR_PARQUET_FIXED, WEIR_PARQUET_DELTA_BYTE_ARRAY, 9 } };

    for (size_t i = 0; i < 2; i++)
        for (int skip = 0; skip < 2; skip++) {
            guard g = guard_open(1 << 18);
            weir_error err;
            chunk c;
            rig r;

            rig_init(&r, w[i].type, w[i].width, true, weir_kernels_pick());
            r.chunk.carries_prefix = true;
            make_table(&t, &w[i], 2000, SOME_NULLS, 5);
            make_chunk(&c, &r, &w[i], &t, 60);
            while (skip && r.cursor.row < 1234) {
                cr_assert_eq(weir_parquet_skip(&r.cursor, 1234, &r.work, &err), WEIR_OK, "%s",
                             err.text);
                if (r.cursor.hungry)
                    feed_next(&r, &c, &g);
            }
            while (read_batch(&r, &c, &t, &w[i], &g, 77, 500))
                ;
            cr_assert_eq(r.cursor.row, 2000);
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
        }
}

Test(decode, shape_alone_reads_no_value)
{
    static table t;
    const way w = { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 };
    guard g = guard_open(1 << 14);
    weir_builder builder;
    bytes b = { 0 };
    weir_error err;
    weir_vector v;
    rig r;

    rig_init(&r, w.type, w.width, true, weir_kernels_pick());
    r.target.forms = 1u << WEIR_SHAPE;
    make_table(&t, &w, 3000, SOME_NULLS, 1);
    put_page(&b, &r, &w, &t, 0, 3000, 1);
    /* The levels are there and no value is; its encoding means nothing. */
    const size_t size = 4 + weir_load32(b.data);
    const weir_parquet_note note = { .encoding = 99,
                                     .version = 1,
                                     .definition_encoding = WEIR_PARQUET_RLE };
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, size), size, 3000);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    weir_builder_init(&builder, &r.target, 5000, 1 << 20);
    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
    cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
    cr_assert_eq(v.rows, 3000);
    cr_assert_eq(v.form, WEIR_SHAPE);
    for (int64_t i = 0; i < 3000; i++)
        cr_assert_eq(weir_is_null(&v, i), t.is_null[i]);
    weir_hold_release(v.hold);
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
}

/* Writers leave out the stream of a dictionary of one entry, or its bytes after the width. */
Test(decode, codes_of_width_0_need_no_stream)
{
    static const struct {
        uint8_t data[3];
        size_t size;
    } bodies[] = { { { 0 }, 1 }, { { 0, 200, 1 }, 3 } };

    for (size_t i = 0; i < 2; i++) {
        guard g = guard_open(64), dictionary = guard_open(64);
        weir_builder builder;
        weir_error err;
        weir_vector v;
        rig r;

        rig_init(&r, WEIR_PARQUET_INT32, 4, false, weir_kernels_pick());
        weir_page page =
            rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                     guard_place(&dictionary, "\x2a\0\0\0", 4), 4, 1);
        cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
        const weir_parquet_note note = { .encoding = WEIR_PARQUET_RLE_DICTIONARY, .version = 1 };
        page = rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, bodies[i].data, bodies[i].size),
                        bodies[i].size, 100);
        cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
        weir_builder_init(&builder, &r.target, 200, 1 << 20);
        cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
        cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
        cr_assert_eq(v.rows, 100);
        for (int64_t k = 0; k < 100; k++)
            cr_assert_eq(weir_i32s(&v)[k], 42);
        weir_hold_release(v.hold);
        rig_fini(&r);
        guard_close(&g);
        guard_close(&dictionary);
    }
}

/* A mean stream: each value shares all but one byte with the one before, and grows. Nothing of the
 * kind may take more memory than a batch. */
Test(decode, growing_prefixes_are_put_together_a_piece_at_a_time)
{
    enum {
        ROWS = 4000
    };
    uint64_t *prefix = calloc(ROWS, sizeof *prefix), *rest = calloc(ROWS, sizeof *rest);
    const delta_shape shape = { 128, 4, false, 0 };
    guard g = guard_open(1 << 18);
    bytes b = { 0 };
    weir_error err;
    int64_t row = 0;
    rig r;

    for (size_t i = 0; i < ROWS; i++) {
        prefix[i] = i;
        rest[i] = 1;
    }
    put_delta(&b, prefix, ROWS, 32, shape);
    put_delta(&b, rest, ROWS, 32, shape);
    for (size_t i = 0; i < ROWS; i++)
        put_byte(&b, (uint32_t)(i % 251));
    rig_init(&r, WEIR_PARQUET_BYTE_ARRAY, 0, false, weir_kernels_pick());
    const weir_parquet_note note = { .encoding = WEIR_PARQUET_DELTA_BYTE_ARRAY, .version = 1 };
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, ROWS);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    while (!r.cursor.hungry) {
        weir_builder builder;
        weir_vector v;

        weir_builder_init(&builder, &r.target, 16384, 1 << 19);
        cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
        cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
        for (int64_t i = 0; i < v.rows; i++, row++) {
            const weir_view got = weir_bytes(&v, i);
            cr_assert_eq(got.size, (size_t)row + 1);
            for (size_t k = 0; k < got.size; k += 97)
                cr_assert_eq(got.data[k], k % 251);
            cr_assert_eq(got.data[row], row % 251);
        }
        weir_hold_release(v.hold);
    }
    cr_assert_eq(row, ROWS);
    cr_expect_lt(weir_memory_peak(r.memory), (size_t)8 << 20);
    bytes_free(&b);
    free(prefix);
    free(rest);
    rig_fini(&r);
    guard_close(&g);
}

Test(decode, once_warm_nothing_fresh_is_asked_for)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++) {
        guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
        const way *w = &ways[i];
        uint64_t fresh = 0;
        chunk c;
        rig r;

        rig_init(&r, w->type, w->width, true, weir_kernels_pick());
        make_table(&t, w, 5000, SOME_NULLS, 2);
        make_chunk(&c, &r, w, &t, 900);
        for (int pass = 0; pass < 3; pass++) {
            rig_again(&r);
            if (has_dictionary(w))
                feed_dictionary(&r, w, &dictionary);
            while (read_batch(&r, &c, &t, w, &g, 1000, 1 << 20))
                ;
            if (pass > 0)
                cr_assert_eq(weir_slabs_fresh(r.slabs), fresh, "encoding %d", w->encoding);
            fresh = weir_slabs_fresh(r.slabs);
        }
        free_chunk(&c);
        rig_fini(&r);
        guard_close(&g);
        guard_close(&dictionary);
    }
}

/* A vector that a page can fill alone lies in the page, unless its values are at odd addresses; one
 * that takes from two pages is a copy. The page stays as long as its last vector. */
Test(decode, a_whole_vector_of_plain_values_is_lent)
{
    static _Alignas(8) uint8_t room[2][8 + 1000 * 8 + WEIR_SLACK];
    const weir_parquet_note note = { .encoding = WEIR_PARQUET_PLAIN, .version = 1 };

    for (size_t odd = 0; odd < 2; odd++) {
        const int64_t sizes[] = { 400, 400, 400, 400, 400 };
        const bool lent[] = { true, true, false, true, true };
        weir_vector held = { 0 };
        int64_t row = 0;
        weir_error err;
        rig r;

        rig_init(&r, WEIR_PARQUET_DOUBLE, 8, false, weir_kernels_pick());
        for (int64_t i = 0; i < 2000; i++) {
            const double value = (double)i;
            memcpy(room[i / 1000] + odd + i % 1000 * 8, &value, 8);
        }
        for (size_t k = 0, page = 0; k < sizeof sizes / sizeof *sizes; k++) {
            weir_builder builder;
            weir_vector v;

            weir_builder_init(&builder, &r.target, sizes[k], 1 << 20);
            for (;;) {
                cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
                if (!r.cursor.hungry)
                    break;
                const weir_page next =
                    rig_page(&r, WEIR_PAGE_DATA, note, room[page++] + odd, 8000, 1000);
                cr_assert_eq(rig_feed(&r, &next, &err), WEIR_OK);
            }
            cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
            cr_assert_eq(v.rows, sizes[k]);
            cr_expect_null(v.validity);
            for (int64_t i = 0; i < v.rows; i++)
                cr_assert_eq(weir_f64s(&v)[i], (double)(row + i));
            row += v.rows;
            cr_expect_eq((const uint8_t *)v.values >= room[0] &&
                             (const uint8_t *)v.values < room[0] + sizeof room,
                         odd == 0 && lent[k], "vector %zu", k);
            weir_hold_release(held.hold);
            held = v;
        }
        rig_fini(&r);
        cr_expect_eq(r.pages_held, odd == 0, "the last vector keeps the second page");
        weir_hold_release(held.hold);
        cr_expect_eq(r.pages_held, 0);
    }
}
