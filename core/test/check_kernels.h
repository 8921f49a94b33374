/* SPDX-License-Identifier: Apache-2.0
 * check_kernels.h: what holds for each table of kernels. The checks are plain C, so that a table
 * of another CPU can be checked in an emulator, where there is no test framework. */
#ifndef WEIR_TEST_CHECK_KERNELS_H
#define WEIR_TEST_CHECK_KERNELS_H

#include "core/simd/kernels.h"

/* NULL when the kernel gave what a loop over bits gives, wrote nothing past what it may write and
 * read nothing past the slack (that crashes); else what was wrong, until the next check. */
typedef const char *(*check_fn)(const weir_kernels *kernels);

const char *check_unpack_u32(const weir_kernels *k);
const char *check_unpack_u64(const weir_kernels *k);
const char *check_unpack_runs(const weir_kernels *k);
const char *check_look_up_runs_64(const weir_kernels *k);
const char *check_max_u32(const weir_kernels *k);
const char *check_gather_32(const weir_kernels *k);
const char *check_gather_64(const weir_kernels *k);
const char *check_gather_wide(const weir_kernels *k);
const char *check_spread_8(const weir_kernels *k);
const char *check_spread_32(const weir_kernels *k);
const char *check_spread_64(const weir_kernels *k);
const char *check_spread_wide(const weir_kernels *k);
const char *check_gather_spread_32(const weir_kernels *k);
const char *check_gather_spread_64(const weir_kernels *k);
const char *check_count_bits(const weir_kernels *k);
const char *check_low_bytes(const weir_kernels *k);
const char *check_mask_at_least(const weir_kernels *k);
const char *check_squeeze_bits(const weir_kernels *k);
const char *check_list_offsets(const weir_kernels *k);
const char *check_copy_bits(const weir_kernels *k);
const char *check_pack_bools(const weir_kernels *k);
const char *check_unpack_bools(const weir_kernels *k);
const char *check_prefix_32(const weir_kernels *k);
const char *check_prefix_64(const weir_kernels *k);
const char *check_join_streams(const weir_kernels *k);
const char *check_widening(const weir_kernels *k);
const char *check_i64_to_f64(const weir_kernels *k);
const char *check_nothing(const weir_kernels *k);

/* Runs a check on every table this CPU runs. */
const char *check_all_tables(check_fn check);

#endif
