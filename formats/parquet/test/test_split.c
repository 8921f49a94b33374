/* SPDX-License-Identifier: Apache-2.0
 * test_split.c: BYTE_STREAM_SPLIT of every width, in slices of every size. */
#include "formats/parquet/split.h"

#include "encode.h"
#include "guard.h"

#include <criterion/criterion.h>

enum {
    COUNT = 150,
    WIDEST = 37
};

/* Byte k of value i goes to place k * count + i. */
static void split_bytes(const uint8_t *values, size_t width, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++)
            out[k * count + i] = values[i * width + k];
}

Test(split, every_width_in_slices_of_every_size)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    guard g = guard_open(COUNT * WIDEST);
    uint8_t values[COUNT * WIDEST], packed[COUNT * WIDEST], got[COUNT * WIDEST + WEIR_SLACK];
    uint64_t seed = 3;

    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)draw(&seed);
    for (size_t t = 0; t < table_count; t++)
        for (size_t width = 1; width <= WIDEST; width++)
            for (size_t step = 1; step <= COUNT; step++) {
                weir_split split;
                const size_t size = COUNT * width;

                split_bytes(values, width, COUNT, packed);
                cr_assert(
                    weir_split_init(&split, guard_place(&g, packed, size), size, width, COUNT));
                for (size_t at = 0; at < COUNT; at += step) {
                    const size_t n = COUNT - at < step ? COUNT - at : step;
                    cr_assert_eq(weir_split_next(&split, tables[t], n, got), n);
                    cr_assert_arr_eq(got, values + at * width, n * width, "width %zu step %zu",
                                     width, step);
                }
                cr_assert_eq(weir_split_next(&split, tables[t], 1, got), 0);
            }
    guard_close(&g);
}

Test(split, skipping_moves_on)
{
    const weir_kernels *kernels = weir_kernels_pick();
    uint8_t values[8 * 100], packed[8 * 100 + 64], got[8 * 100 + 64];
    uint64_t seed = 4;
    weir_split split;

    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)draw(&seed);
    split_bytes(values, 8, 100, packed);
    cr_assert(weir_split_init(&split, packed, 800, 8, 100));
    cr_assert_eq(weir_split_skip(&split, 37), 37);
    cr_assert_eq(weir_split_next(&split, kernels, 100, got), 63);
    cr_assert_arr_eq(got, values + (ptrdiff_t)37 * 8, 63 * 8);
    cr_assert_eq(weir_split_skip(&split, 1), 0);
}

Test(split, bytes_of_another_number_of_values_are_refused)
{
    const uint8_t data[80] = { 0 };
    weir_split split;

    for (size_t size = 0; size < 17; size++)
        cr_expect_eq(weir_split_init(&split, data, size, 8, 2), size == 16, "%zu", size);
}
