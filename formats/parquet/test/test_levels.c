/* SPDX-License-Identifier: Apache-2.0
 * test_levels.c: definition levels of flat columns in all the places and orders that pages keep
 * them in. */
#include "formats/parquet/levels.h"

#include "encode.h"
#include "guard.h"

#include <criterion/criterion.h>

enum {
    SLOTS = 700
};

static const uint8_t body[] = { 'v', 'a', 'l', 'u', 'e', 's' };

static void make(uint32_t *levels, uint64_t seed)
{
    for (size_t i = 0; i < SLOTS;) {
        const size_t run = draw(&seed) % 60;
        const uint64_t kind = draw(&seed) % 3;
        for (size_t k = 0; k < run && i < SLOTS; k++)
            levels[i++] = kind == 2 ? draw(&seed) & 1 : (uint32_t)kind;
    }
}

/* Runs of 8 and more alike as RLE, the others packed in eights. */
static void put_hybrid(bytes *b, const uint32_t *levels)
{
    for (size_t i = 0; i < SLOTS;) {
        size_t run = i;
        while (run < SLOTS && levels[run] == levels[i])
            run++;
        if (run - i >= 8) {
            put_rle_run(b, 1, run - i, levels[i]);
            i = run;
        } else {
            const size_t n = SLOTS - i < 8 ? SLOTS - i : 8;
            put_rle_packed(b, 1, levels + i, n, 0);
            i += n;
        }
    }
}

static void put_bit_packed(bytes *b, const uint32_t *levels, size_t count, bool is_lsb)
{
    for (size_t i = 0; i < count; i += 8) {
        uint32_t byte = 0;
        for (size_t k = 0; k < 8 && i + k < count; k++)
            byte |= levels[i + k] << (is_lsb ? k : 7 - k);
        put_byte(b, byte);
    }
}

static void expect_levels(const weir_levels_page *page, weir_view plain, const uint32_t *levels,
                          size_t slots)
{
    const weir_kernels *kernels = weir_kernels_pick();
    weir_view values = { 0 };

    for (size_t step = 1; step <= slots; step = step < 20 ? step + 1 : step * 2) {
        weir_levels reader;

        cr_assert(weir_levels_init(&reader, page, plain, &values), "%s", reader.why);
        cr_assert_eq(values.size, sizeof body);
        cr_assert_arr_eq(values.data, body, sizeof body);
        for (size_t at = 0; at < slots; at += step) {
            const size_t n = slots - at < step ? slots - at : step;
            uint8_t present[SLOTS / 8 + 1 + WEIR_SLACK];
            size_t count = 99999, want = 0;

            memset(present, 0xff, sizeof present);
            cr_assert_eq(weir_levels_next(&reader, kernels, n, present, &count), n);
            for (size_t i = 0; i < n; i++)
                want += levels[at + i];
            cr_assert_eq(count, want, "step %zu at %zu: %zu for %zu", step, at, count, want);
            for (size_t i = 0; count < n && i < n; i++)
                cr_assert_eq(present[i / 8] >> (i % 8) & 1, levels[at + i]);
        }
    }
}

Test(levels, v1_and_v2_hybrid)
{
    guard g = guard_open(4096);

    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t levels[SLOTS];
        bytes hybrid = { 0 }, v1 = { 0 }, v2 = { 0 };

        make(levels, seed);
        put_hybrid(&hybrid, levels);
        put_u32(&v1, (uint32_t)hybrid.size);
        put_raw(&v1, hybrid.data, hybrid.size);
        put_raw(&v1, body, sizeof body);
        put_raw(&v2, "rep", 3);
        put_raw(&v2, hybrid.data, hybrid.size);
        put_raw(&v2, body, sizeof body);
        const weir_levels_page one = { .is_optional = true, .null_count = -1, .slot_count = SLOTS };
        const weir_levels_page two = { .is_optional = true,
                                       .is_v2 = true,
                                       .repetition_size = 3,
                                       .definition_size = (uint32_t)hybrid.size,
                                       .null_count = 17, /* wrong: the levels win */
                                       .slot_count = SLOTS };
        expect_levels(&one, (weir_view){ guard_place(&g, v1.data, v1.size), v1.size }, levels,
                      SLOTS);
        expect_levels(&two, (weir_view){ guard_place(&g, v2.data, v2.size), v2.size }, levels,
                      SLOTS);
        bytes_free(&hybrid);
        bytes_free(&v1);
        bytes_free(&v2);
    }
    guard_close(&g);
}

Test(levels, one_run_longer_than_the_page_touches_no_bit)
{
    const weir_kernels *kernels = weir_kernels_pick();
    const weir_levels_page page = { .is_optional = true, .null_count = -1, .slot_count = 100 };
    uint8_t present[16 + WEIR_SLACK];
    weir_view values;
    weir_levels reader;
    size_t count;
    bytes run = { 0 };

    put_u32(&run, 3);
    put_rle_run(&run, 1, 5000, 1);
    put_raw(&run, body, sizeof body);
    put_raw(&run, (uint8_t[64]){ 0 }, 64);
    cr_assert(weir_levels_init(&reader, &page, (weir_view){ run.data, run.size - 64 }, &values));
    memset(present, 0x5a, sizeof present);
    cr_assert_eq(weir_levels_next(&reader, kernels, 100, present, &count), 100);
    cr_expect_eq(count, 100);
    for (size_t i = 0; i < sizeof present; i++)
        cr_expect_eq(present[i], 0x5a);
    bytes_free(&run);
}

/* Most significant bit first is the format's order. The one writer that used the other is known by
 * the unused bits of the last byte, where there are any and they say something. */
Test(levels, bit_packed_in_both_orders)
{
    guard g = guard_open(4096);
    uint32_t levels[SLOTS], turned[SLOTS];

    for (uint64_t seed = 0; seed < 12; seed++)
        for (size_t slots = 1; slots < 80; slots++)
            for (int lsb = 0; lsb < 2; lsb++) {
                const weir_levels_page page = { .is_optional = true,
                                                .is_bit_packed = true,
                                                .null_count = -1,
                                                .slot_count = (int64_t)slots };
                const size_t used = slots % 8, begin = slots - used;
                uint32_t last = 0;
                bytes b = { 0 };

                make(levels, seed);
                for (size_t i = 0; i < used; i++)
                    last |= levels[begin + i] << i;
                put_bit_packed(&b, levels, slots, lsb);
                put_raw(&b, body, sizeof body);
                memcpy(turned, levels, sizeof levels);
                /* Written the other way round and nothing tells: read by the letter. */
                const bool tells = (last & (0xffu >> used)) != 0 && used != 0;
                if (lsb && !tells) {
                    for (size_t i = 0; i < slots; i++)
                        turned[i] =
                            i / 8 * 8 + 7 - i % 8 < slots ? levels[i / 8 * 8 + 7 - i % 8] : 0;
                }
                expect_levels(&page, (weir_view){ guard_place(&g, b.data, b.size), b.size },
                              lsb && !tells ? turned : levels, slots);
                bytes_free(&b);
            }
    guard_close(&g);
}

Test(levels, required_columns_have_none)
{
    uint32_t ones[SLOTS];
    weir_levels_page page = { .null_count = -1, .slot_count = SLOTS };
    uint8_t two[7 + sizeof body];

    for (size_t i = 0; i < SLOTS; i++)
        ones[i] = 1;
    expect_levels(&page, (weir_view){ body, sizeof body }, ones, SLOTS);
    memcpy(two, "levels!", 7);
    memcpy(two + 7, body, sizeof body);
    page.is_v2 = true;
    page.repetition_size = 4;
    page.definition_size = 3;
    expect_levels(&page, (weir_view){ two, sizeof two }, ones, SLOTS);
}

Test(levels, v2_without_levels_is_all_or_nothing)
{
    uint32_t levels[SLOTS] = { 0 };
    weir_levels_page page = {
        .is_optional = true, .is_v2 = true, .null_count = SLOTS, .slot_count = SLOTS
    };
    weir_view values;
    weir_levels reader;

    expect_levels(&page, (weir_view){ body, sizeof body }, levels, SLOTS);
    page.null_count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        levels[i] = 1;
    expect_levels(&page, (weir_view){ body, sizeof body }, levels, SLOTS);
    page.null_count = 3;
    cr_expect_not(weir_levels_init(&reader, &page, (weir_view){ body, sizeof body }, &values));
    page.is_optional = false;
    cr_expect_not(weir_levels_init(&reader, &page, (weir_view){ body, sizeof body }, &values));
    cr_expect_str_eq(reader.why, "nulls in a required column");
}

Test(levels, cut_levels_give_the_rows_before_the_cut)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(4096);
    uint32_t levels[SLOTS];

    for (int packed = 0; packed < 2; packed++) {
        const weir_levels_page page = {
            .is_optional = true, .is_bit_packed = packed != 0, .null_count = -1, .slot_count = SLOTS
        };
        bytes b = { 0 }, hybrid = { 0 };
        size_t before = 0;

        make(levels, 3);
        put_hybrid(&hybrid, levels);
        if (packed)
            put_bit_packed(&b, levels, SLOTS, false);
        else
            put_raw(&b, hybrid.data, hybrid.size);
        for (size_t cut = 0; cut <= b.size; cut++) {
            uint8_t present[SLOTS / 8 + 1 + WEIR_SLACK];
            bytes whole = { 0 };
            weir_view values;
            weir_levels reader;
            size_t count;

            if (!packed)
                put_u32(&whole, (uint32_t)cut);
            put_raw(&whole, b.data, cut);
            cr_assert(weir_levels_init(
                &reader, &page, (weir_view){ guard_place(&g, whole.data, whole.size), whole.size },
                &values));
            const size_t n = weir_levels_next(&reader, kernels, SLOTS, present, &count);
            cr_assert_geq(n, before);
            cr_assert_eq(n < SLOTS, reader.why != NULL);
            for (size_t i = 0; count < n && i < n; i++)
                cr_assert_eq(present[i / 8] >> (i % 8) & 1, levels[i]);
            before = n;
            bytes_free(&whole);
        }
        cr_assert_eq(before, SLOTS);
        bytes_free(&b);
        bytes_free(&hybrid);
    }
    guard_close(&g);
}

Test(levels, sizes_past_the_page_are_refused)
{
    const uint8_t data[8 + 64] = { 5, 0, 0, 0 };
    weir_levels_page page = { .is_optional = true, .null_count = -1, .slot_count = 5 };
    weir_view values;
    weir_levels reader;

    for (size_t size = 0; size < 9; size++)
        cr_expect_not(weir_levels_init(&reader, &page, (weir_view){ data, size }, &values));
    page.is_v2 = true;
    page.repetition_size = UINT32_MAX;
    page.definition_size = UINT32_MAX;
    cr_expect_not(weir_levels_init(&reader, &page, (weir_view){ data, 8 }, &values));
}
