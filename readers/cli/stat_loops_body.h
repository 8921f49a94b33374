/* SPDX-License-Identifier: Apache-2.0
 * stat_loops_body.h: included by stat_loops.c once a CPU level. The lanes live in local arrays, so
 * that they stay in registers over the loop. */

/* One value into one lane. The rounding error of sum + v is exact (Knuth's two-sum). */
#define LOOPS_REAL_STEP(v, bound)                                 \
    do {                                                          \
        const double next = r.sum[l] + (v);                       \
        const double back = next - r.sum[l];                      \
                                                                  \
        r.error[l] += (r.sum[l] - (next - back)) + ((v)-back);    \
        r.sum[l] = next;                                          \
        r.least[l] = (bound) < r.least[l] ? (bound) : r.least[l]; \
        r.most[l] = (bound) > r.most[l] ? (bound) : r.most[l];    \
        r.nans[l] += (v) != (v);                                  \
    } while (0)

#define LOOPS_REAL(NAME, TYPE)                                                       \
    LOOPS_TARGET static void LOOPS_NAME(NAME)(stat_real * real, const TYPE *values,  \
                                              const uint8_t *present, size_t blocks) \
    {                                                                                \
        stat_real r = *real;                                                         \
        size_t i;                                                                    \
        int l;                                                                       \
                                                                                     \
        for (i = 0; i < blocks && !present; i++, values += STAT_LANES)               \
            for (l = 0; l < STAT_LANES; l++) {                                       \
                const double v = (double)values[l];                                  \
                                                                                     \
                LOOPS_REAL_STEP(v, v);                                               \
            }                                                                        \
        for (; i < blocks; i++, values += STAT_LANES)                                \
            for (l = 0; l < STAT_LANES; l++) {                                       \
                const double v = (double)values[l];                                  \
                const double bound = v + lanes_real[present[i]].lane[l];             \
                                                                                     \
                LOOPS_REAL_STEP(v, bound);                                           \
            }                                                                        \
        *real = r;                                                                   \
    }

LOOPS_REAL(real_f64, double)
LOOPS_REAL(real_f32, float)

#define LOOPS_WHOLE_STEP(z, at_least, at_most)                          \
    do {                                                                \
        const uint64_t up = (uint64_t)(z) ^ (uint64_t)1 << 63;          \
                                                                        \
        w.low[l] += up & 0xFFFFFFFF;                                    \
        w.high[l] += up >> 32;                                          \
        w.least[l] = (at_least) < w.least[l] ? (at_least) : w.least[l]; \
        w.most[l] = (at_most) > w.most[l] ? (at_most) : w.most[l];      \
    } while (0)

/* FLIP makes the stored value, an unsigned of its own width, comparable as signed. */
#define LOOPS_WHOLE(NAME, TYPE, WIDEN)                                                   \
    LOOPS_TARGET static void LOOPS_NAME(NAME)(stat_whole * whole, const TYPE *values,    \
                                              uint64_t flip, const uint8_t *present,     \
                                              size_t blocks)                             \
    {                                                                                    \
        stat_whole w = *whole;                                                           \
        size_t i;                                                                        \
        int l;                                                                           \
                                                                                         \
        for (i = 0; i < blocks && !present; i++, values += STAT_LANES)                   \
            for (l = 0; l < STAT_LANES; l++) {                                           \
                const int64_t z = WIDEN(values[l], flip);                                \
                                                                                         \
                LOOPS_WHOLE_STEP(z, z, z);                                               \
            }                                                                            \
        for (; i < blocks; i++, values += STAT_LANES)                                    \
            for (l = 0; l < STAT_LANES; l++) {                                           \
                const int64_t z = WIDEN(values[l], flip);                                \
                const int64_t is = lanes_mask[present[i]].lane[l], kept = z & is;        \
                                                                                         \
                LOOPS_WHOLE_STEP(z, kept | (INT64_MAX & ~is), kept | (INT64_MIN & ~is)); \
            }                                                                            \
        *whole = w;                                                                      \
    }

#ifndef LOOPS_WIDEN
#define LOOPS_WIDEN
#define LOOPS_WIDEN_64(v, flip) ((int64_t)((uint64_t)(v) ^ (flip)))
#define LOOPS_WIDEN_32(v, flip) ((int64_t)(int32_t)((uint32_t)(v) ^ (uint32_t)(flip)))
#endif

LOOPS_WHOLE(whole_i64, int64_t, LOOPS_WIDEN_64)
LOOPS_WHOLE(whole_i32, int32_t, LOOPS_WIDEN_32)

static const stat_loops LOOPS_NAME(loops) = {
    .f64 = LOOPS_NAME(real_f64),
    .f32 = LOOPS_NAME(real_f32),
    .i64 = LOOPS_NAME(whole_i64),
    .i32 = LOOPS_NAME(whole_i32),
};

#undef LOOPS_REAL_STEP
#undef LOOPS_REAL
#undef LOOPS_WHOLE_STEP
#undef LOOPS_WHOLE
