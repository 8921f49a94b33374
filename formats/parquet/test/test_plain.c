/* SPDX-License-Identifier: Apache-2.0
 * test_plain.c: PLAIN of every physical type, in slices of every size, cut at every byte. */
#include "formats/parquet/plain.h"

#include "encode.h"
#include "guard.h"

#include <criterion/criterion.h>

enum {
    COUNT = 90
};

Test(plain, fixed_widths_in_slices_cut_at_every_byte)
{
    static const size_t widths[] = { 1, 2, 4, 5, 8, 12, 16, 33 };
    guard g = guard_open(COUNT * 33);
    uint8_t values[COUNT * 33], got[COUNT * 33];
    uint64_t seed = 1;

    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)draw(&seed);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t cut = 0; cut <= COUNT * widths[w]; cut++) {
            const size_t width = widths[w], step = cut % 13 + 1, whole = cut / width;
            const uint8_t *data = guard_place(&g, values, cut);
            weir_plain plain;
            size_t done = 0, n;

            weir_plain_init(&plain, data, cut, width);
            while ((n = weir_plain_fixed(&plain, step, got + done * width)) > 0)
                done += n;
            cr_assert_eq(done, whole);
            cr_assert_arr_eq(got, values, done * width);
            cr_assert_not_null(plain.why);
            weir_plain_init(&plain, data, cut, width);
            cr_assert_eq(weir_plain_skip_fixed(&plain, whole / 2), whole / 2);
            cr_assert_eq(weir_plain_fixed(&plain, COUNT, got), whole - whole / 2);
            cr_assert_arr_eq(got, values + whole / 2 * width, (whole - whole / 2) * width);
        }
    guard_close(&g);
}

Test(plain, bools_in_slices_of_every_size)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    guard g = guard_open(64);
    bytes b = { 0 };
    uint8_t values[160], got[160 + WEIR_SLACK];
    uint64_t seed = 2;

    for (size_t i = 0; i < 160; i++) {
        values[i] = (uint8_t)(draw(&seed) & 1);
        put_bits(&b, values[i], 1);
    }
    for (size_t t = 0; t < table_count; t++)
        for (size_t step = 1; step <= 160; step++) {
            weir_plain plain;

            weir_plain_init(&plain, guard_place(&g, b.data, b.size), b.size, 0);
            cr_assert_eq(weir_plain_skip_bools(&plain, step % 9), step % 9);
            for (size_t at = step % 9; at < 160; at += step) {
                const size_t n = 160 - at < step ? 160 - at : step;
                cr_assert_eq(weir_plain_bools(&plain, tables[t], n, got), n);
                cr_assert_arr_eq(got, values + at, n);
            }
            cr_assert_eq(weir_plain_bools(&plain, tables[t], 1, got), 0);
            cr_assert_not_null(plain.why);
        }
    bytes_free(&b);
    guard_close(&g);
}

Test(plain, views_point_into_the_page_and_stop_at_a_cut)
{
    guard g = guard_open(4096);
    bytes b = { 0 };
    size_t ends[COUNT + 1] = { 0 };
    uint64_t seed = 5;

    for (size_t i = 0; i < COUNT; i++) {
        const uint32_t size = (uint32_t)(draw(&seed) % 40 * (draw(&seed) % 3));
        put_u32(&b, size);
        for (uint32_t k = 0; k < size; k++)
            put_byte(&b, (uint32_t)(i + k) & 0xff);
        ends[i + 1] = b.size;
    }
    for (size_t cut = 0; cut <= b.size; cut++) {
        const uint8_t *data = guard_place(&g, b.data, cut);
        weir_view views[COUNT + 1];
        weir_plain plain;
        size_t whole = 0, skipped;

        while (whole < COUNT && ends[whole + 1] <= cut)
            whole++;
        weir_plain_init(&plain, data, cut, 0);
        skipped = weir_plain_skip_views(&plain, whole / 3);
        cr_assert_eq(skipped, whole / 3);
        cr_assert_eq(weir_plain_views(&plain, COUNT + 1, views), whole - skipped);
        cr_assert_not_null(plain.why);
        for (size_t i = skipped; i < whole; i++) {
            cr_assert_eq(views[i - skipped].data, data + ends[i] + 4);
            cr_assert_eq(views[i - skipped].size, ends[i + 1] - ends[i] - 4);
        }
    }
    bytes_free(&b);
    guard_close(&g);
}

Test(plain, a_length_of_4_gib_is_past_the_end)
{
    const uint8_t page[4 + 64] = { 0xff, 0xff, 0xff, 0xff };
    weir_view view;
    weir_plain plain;

    weir_plain_init(&plain, page, 4, 0);
    cr_expect_eq(weir_plain_views(&plain, 1, &view), 0);
    cr_expect_str_eq(plain.why, "a value's length reaches past the end");
    weir_plain_init(&plain, page, 4, 0);
    cr_expect_eq(weir_plain_skip_views(&plain, 1), 0);
}
