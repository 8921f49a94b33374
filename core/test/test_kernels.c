/* SPDX-License-Identifier: Apache-2.0
 * test_kernels.c: every table of inner loops that this CPU runs gives what plain loops give. */
#include "check_kernels.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect_right(check_fn check)
{
    const char *wrong = check_all_tables(check);

    cr_assert(wrong == NULL, "%s", wrong);
}

Test(kernels, unpack_u32_gives_the_bits_of_every_width)
{
    expect_right(check_unpack_u32);
}

Test(kernels, unpack_u64_gives_the_bits_of_every_width)
{
    expect_right(check_unpack_u64);
}

Test(kernels, unpack_runs_takes_the_runs_that_are_whole)
{
    expect_right(check_unpack_runs);
}

Test(kernels, look_up_runs_64_finds_entries_and_tells_the_largest_code)
{
    expect_right(check_look_up_runs_64);
}

Test(kernels, max_u32_finds_the_largest_code_at_every_place)
{
    expect_right(check_max_u32);
}

Test(kernels, gather_32_looks_up_tables_of_any_size)
{
    expect_right(check_gather_32);
}

Test(kernels, gather_64_looks_up_tables_of_any_size)
{
    expect_right(check_gather_64);
}

Test(kernels, gather_wide_copies_entries_of_any_width)
{
    expect_right(check_gather_wide);
}

Test(kernels, spread_8_leaves_zeros_between_values)
{
    expect_right(check_spread_8);
}

Test(kernels, spread_32_leaves_zeros_between_values)
{
    expect_right(check_spread_32);
}

Test(kernels, spread_64_leaves_zeros_between_values)
{
    expect_right(check_spread_64);
}

Test(kernels, spread_wide_leaves_zeros_between_values_of_any_width)
{
    expect_right(check_spread_wide);
}

Test(kernels, gather_spread_32_looks_up_codes_of_present_rows_alone)
{
    expect_right(check_gather_spread_32);
}

Test(kernels, gather_spread_64_looks_up_codes_of_present_rows_alone)
{
    expect_right(check_gather_spread_64);
}

Test(kernels, count_bits_stops_at_the_count)
{
    expect_right(check_count_bits);
}

Test(kernels, low_bytes_are_those_of_each_value)
{
    expect_right(check_low_bytes);
}

Test(kernels, mask_at_least_compares_bytes_without_sign)
{
    expect_right(check_mask_at_least);
}

Test(kernels, squeeze_bits_puts_chosen_bits_side_by_side)
{
    expect_right(check_squeeze_bits);
}

Test(kernels, list_offsets_count_the_elements_below)
{
    expect_right(check_list_offsets);
}

Test(kernels, copy_bits_keeps_the_bits_before_and_writes_no_byte_after)
{
    expect_right(check_copy_bits);
}

Test(kernels, pack_bools_keeps_the_bits_before_and_writes_no_byte_after)
{
    expect_right(check_pack_bools);
}

Test(kernels, unpack_bools_begins_at_any_bit)
{
    expect_right(check_unpack_bools);
}

Test(kernels, prefix_32_wraps_and_works_in_place)
{
    expect_right(check_prefix_32);
}

Test(kernels, prefix_64_wraps_and_works_in_place)
{
    expect_right(check_prefix_64);
}

Test(kernels, join_streams_brings_the_bytes_of_a_value_together)
{
    expect_right(check_join_streams);
}

Test(kernels, widening_casts_keep_every_value)
{
    expect_right(check_widening);
}

Test(kernels, i64_to_f64_stops_at_the_first_value_no_double_holds)
{
    expect_right(check_i64_to_f64);
}

Test(kernels, no_values_need_no_memory)
{
    expect_right(check_nothing);
}

Test(kernels, tables_begin_with_scalar_and_have_all_kernels)
{
    const weir_kernels *const *tables;
    const size_t count = weir_kernels_all(&tables);

    cr_assert_geq(count, 1);
    cr_expect_str_eq(tables[0]->name, "scalar");
    for (size_t i = 0; i < count; i++) {
        const char *const *pointers = (const void *)tables[i];
        for (size_t k = 0; k < sizeof(weir_kernels) / sizeof *pointers; k++)
            cr_expect_not_null(pointers[k], "%s lacks its kernel %zu", tables[i]->name, k);
    }
}

Test(kernels, pick_obeys_a_known_name_and_no_other)
{
    const weir_kernels *const *tables;
    const size_t count = weir_kernels_all(&tables);

    unsetenv("WEIR_SIMD");
    cr_expect_eq(weir_kernels_pick(), tables[count - 1]);
    for (size_t i = 0; i < count; i++) {
        setenv("WEIR_SIMD", tables[i]->name, 1);
        cr_expect_eq(weir_kernels_pick(), tables[i]);
    }
    setenv("WEIR_SIMD", "mmx", 1);
    cr_expect_eq(weir_kernels_pick(), tables[count - 1]);
    setenv("WEIR_SIMD", "", 1);
    cr_expect_eq(weir_kernels_pick(), tables[count - 1]);
}
