/* SPDX-License-Identifier: Apache-2.0
 * stat_loops.h: the inner loops of `weir stat`: sums and bounds of a vector in one pass. */
#ifndef WEIR_CLI_STAT_LOOPS_H
#define WEIR_CLI_STAT_LOOPS_H

#include "cli.h"

#define STAT_LANES 8

/* Value i of a column goes to lane i % STAT_LANES, counted over all batches of a state: so the
 * result doesn't depend on where batches are cut, nor on how wide the CPU's registers are. `error`
 * holds what rounding took from `sum`, added up (Neumaier, ZAMM 54, 1974). NaNs are counted, and
 * passed over by the bounds. */
typedef struct stat_real {
    double sum[STAT_LANES], error[STAT_LANES];
    double least[STAT_LANES], most[STAT_LANES];
    int64_t nans[STAT_LANES];
} stat_real;

/* Integers as stored, their top bit flipped if they have no sign, so that all compare as signed.
 * The sum is exact: low and high halves are added apart. */
typedef struct stat_whole {
    uint64_t low[STAT_LANES], high[STAT_LANES]; /* of value + 2^63 */
    int64_t least[STAT_LANES], most[STAT_LANES];
} stat_whole;

/* `blocks` times STAT_LANES values. `present`: a byte a block, bit l for lane l, or NULL if all
 * are; the slots of the others hold zero. */
typedef struct stat_loops {
    void (*f64)(stat_real *real, const double *values, const uint8_t *present, size_t blocks);
    void (*f32)(stat_real *real, const float *values, const uint8_t *present, size_t blocks);
    void (*i64)(stat_whole *whole, const int64_t *values, uint64_t flip, const uint8_t *present,
                size_t blocks);
    void (*i32)(stat_whole *whole, const int32_t *values, uint64_t flip, const uint8_t *present,
                size_t blocks);
} stat_loops;

/* The widest that this CPU has. */
const stat_loops *stat_loops_pick(void);

#endif
