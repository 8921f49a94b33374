/* SPDX-License-Identifier: Apache-2.0
 * emulated_kernels.c: the checks of check_kernels.c without a test framework, for the tables of
 * another CPU in an emulator. Prints what failed; the exit code is 0 when nothing did. */
#include "check_kernels.h"

#include <stdio.h>

static const struct {
    const char *name;
    check_fn check;
} checks[] = {
    { "unpack_u32", check_unpack_u32 },
    { "unpack_u64", check_unpack_u64 },
    { "unpack_runs", check_unpack_runs },
    { "max_u32", check_max_u32 },
    { "look_up_runs_64", check_look_up_runs_64 },
    { "gather_32", check_gather_32 },
    { "gather_spread_32", check_gather_spread_32 },
    { "gather_spread_64", check_gather_spread_64 },
    { "gather_64", check_gather_64 },
    { "gather_wide", check_gather_wide },
    { "spread_8", check_spread_8 },
    { "spread_32", check_spread_32 },
    { "spread_64", check_spread_64 },
    { "spread_wide", check_spread_wide },
    { "count_bits", check_count_bits },
    { "low_bytes", check_low_bytes },
    { "mask_at_least", check_mask_at_least },
    { "squeeze_bits", check_squeeze_bits },
    { "list_offsets", check_list_offsets },
    { "copy_bits", check_copy_bits },
    { "pack_bools", check_pack_bools },
    { "unpack_bools", check_unpack_bools },
    { "prefix_32", check_prefix_32 },
    { "prefix_64", check_prefix_64 },
    { "join_streams", check_join_streams },
    { "widening", check_widening },
    { "i64_to_f64", check_i64_to_f64 },
    { "nothing", check_nothing },
};

int main(void)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    const size_t count = sizeof checks / sizeof *checks;
    size_t failed = 0;

    for (size_t i = 0; i < count; i++) {
        const char *wrong = check_all_tables(checks[i].check);
        if (wrong != NULL) {
            printf("%s: %s\n", checks[i].name, wrong);
            failed++;
        }
    }
    printf("%zu checks of the tables up to %s, %zu failed\n", count, tables[table_count - 1]->name,
           failed);
    return failed > 0;
}
