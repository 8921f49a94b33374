/* SPDX-License-Identifier: Apache-2.0
 * stat_loops.c: one table of loops a CPU level. The body is plain C over a fixed number of lanes,
 * which compilers turn into vectors; the order of additions is the same in all. */
#include "stat_loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the eight bits of a byte of presence mean for the lanes, as wide as the values: so that
 * nulls take neither branches nor shifts, and compilers make vectors of it all. Added to a value,
 * -0.0 changes nothing and NaN hides it from the bounds. */
typedef struct lanes_of_mask {
    int64_t lane[STAT_LANES];
} lanes_of_mask;

typedef struct lanes_of_real {
    double lane[STAT_LANES];
} lanes_of_real;

#define MASK(b, l) (-(int64_t)((b) >> (l)&1))
#define REAL(b, l) ((b) >> (l)&1 ? -0.0 : (double)NAN)
#define LANES_1(X, b)                                                              \
    {                                                                              \
        {                                                                          \
            X(b, 0), X(b, 1), X(b, 2), X(b, 3), X(b, 4), X(b, 5), X(b, 6), X(b, 7) \
        }                                                                          \
    }
#define LANES_4(X, b) LANES_1(X, b), LANES_1(X, (b) + 1), LANES_1(X, (b) + 2), LANES_1(X, (b) + 3)
#define LANES_16(X, b) LANES_4(X, b), LANES_4(X, (b) + 4), LANES_4(X, (b) + 8), LANES_4(X, (b) + 12)
#define LANES_64(X, b) \
    LANES_16(X, b), LANES_16(X, (b) + 16), LANES_16(X, (b) + 32), LANES_16(X, (b) + 48)
#define LANES_256(X) LANES_64(X, 0), LANES_64(X, 64), LANES_64(X, 128), LANES_64(X, 192)

static const lanes_of_mask lanes_mask[256] __attribute__((aligned(64))) = { LANES_256(MASK) };
static const lanes_of_real lanes_real[256] __attribute__((aligned(64))) = { LANES_256(REAL) };

#define LOOPS_NAME(x) x##_plain
#define LOOPS_TARGET
#include "stat_loops_body.h"
#undef LOOPS_NAME
#undef LOOPS_TARGET

#if defined(__x86_64__)
#define LOOPS_NAME(x) x##_avx2
#define LOOPS_TARGET __attribute__((target("avx2")))
#include "stat_loops_body.h"
#undef LOOPS_NAME
#undef LOOPS_TARGET

#define LOOPS_NAME(x) x##_avx512
#if defined(__clang__)
#define LOOPS_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define LOOPS_TARGET \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#include "stat_loops_body.h"
#undef LOOPS_NAME
#undef LOOPS_TARGET
#endif

#if defined(__x86_64__)
/* As in the library, WEIR_SIMD asks for a narrower table, so that all can be compared. */
static bool is_at_most(const char *name)
{
    const char *wanted = getenv("WEIR_SIMD");

    return wanted && strcmp(wanted, name) == 0;
}
#endif

const stat_loops *stat_loops_pick(void)
{
#if defined(__x86_64__)
    if (is_at_most("scalar"))
        return &loops_plain;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        !is_at_most("avx2"))
        return &loops_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &loops_avx2;
#endif
    return &loops_plain;
}
