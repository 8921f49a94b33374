/* SPDX-License-Identifier: Apache-2.0
 * kernels.c: the tables of inner loops and the choice among them. kernels_body.h has every kernel
 * in plain C and is compiled once a table; kernels_x86.h and kernels_arm.h have those that pay in
 * intrinsics. Nothing here is more than a step of decoding: bits to codes, codes to values. */
#include "core/simd/kernels.h"

#include "core/bits.h"

#include <stdlib.h>
#include <string.h>

/* 0 to 64 ones. */
static inline uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* 64 bits from bit `shift` (0 to 7) of src: nine bytes are read. */
static inline uint64_t bits_at(const uint8_t *src, uint32_t shift)
{
    return weir_load64(src) >> shift | (uint64_t)src[8] << 1 << (63 - shift);
}

/* Completes a byte whose first `used` bits (1 to 7) stay. Gives how many bits it took. */
static inline uint32_t put_head(uint8_t *dst, uint32_t used, uint64_t bits, size_t count)
{
    const uint32_t head = count < 8 - used ? (uint32_t)count : 8 - used;

    if (head > 0)
        *dst = (uint8_t)((*dst & low_bits(used)) | (bits & low_bits(head)) << used);
    return head;
}

/* The last 1 to 63 bits, and no byte more than they need. */
static inline void put_tail(uint8_t *dst, uint64_t bits, uint32_t count)
{
    bits &= low_bits(count);
    for (uint32_t done = 0; done < count; done += 8)
        *dst++ = (uint8_t)(bits >> done);
}

/* The lowest bits of eight bytes as one byte. */
static inline uint8_t pack_eight(const uint8_t *src)
{
    return (uint8_t)((weir_load64(src) & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

/* No more than 53 bits from the highest set to the lowest. */
static inline bool fits_double(int64_t value)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

    return size == 0 || size >> __builtin_ctzll(size) >> 53 == 0;
}

/* Bits past `count` and the 8 bytes past the last become 0. */
static inline void end_mask(uint8_t *mask, size_t count)
{
    if (count % 8)
        mask[count / 8] &= (uint8_t)low_bits((uint32_t)count % 8);
    memset(mask + (count + 7) / 8, 0, 8);
}

/* 64 bits from bit `at` on; those before it stay. */
static inline void put_bits(uint8_t *dst, size_t at, uint64_t bits)
{
    const unsigned shift = (unsigned)at & 7;
    uint8_t *place = dst + (at >> 3);
    const uint64_t low = bits << shift | (shift ? place[0] & low_bits(shift) : 0);

    memcpy(place, &low, sizeof low);
    place[8] = shift ? (uint8_t)(bits >> (64 - shift)) : 0;
}

typedef struct hybrid_run {
    const uint8_t *src, *next; /* its bytes, and the run after it */
    size_t count;
    bool is_packed;
} hybrid_run;

/* The run at `at`; false: it is none of those that unpack_runs takes. */
static inline bool next_run(const uint8_t *at, const uint8_t *end, uint32_t width, size_t room,
                            hybrid_run *run)
{
    uint32_t header;

    if (at >= end)
        return false;
    header = *at++;
    if (header >= 0x80) {
        if (*at >= 0x80)
            return false;
        header = (header & 0x7f) | (uint32_t)*at++ << 7;
    }
    run->is_packed = header & 1;
    run->count = run->is_packed ? (size_t)(header >> 1) * 8 : header >> 1;
    run->src = at;
    run->next = at + (run->is_packed ? (size_t)(header >> 1) * width : (width + 7) / 8);
    return run->count - 1 < room && run->next <= end;
}

static inline uint32_t value_of_run(const hybrid_run *run, uint32_t width)
{
    return weir_load32(run->src) & (uint32_t)low_bits((width + 7) / 8 * 8);
}

/* Whole blocks of sixteen, into the slack: a loop that compilers make wide. */
static inline void fill_run(const hybrid_run *run, uint32_t width, uint32_t *dst)
{
    const uint32_t value = value_of_run(run, width);

    for (size_t i = 0; i < run->count; i += 16)
        for (size_t k = 0; k < 16; k++)
            dst[i + k] = value;
}

/* The body of unpack_runs around a table's own unpack_u32, which should be inlined: then what it
 * makes of the width is made once, however short the runs are. */
#define UNPACK_RUNS(unpack, at, end, width, room, dst)           \
    do {                                                         \
        size_t done = 0;                                         \
        hybrid_run run;                                          \
        while (next_run(*(at), end, width, (room)-done, &run)) { \
            if (run.is_packed)                                   \
                unpack(run.src, width, run.count, (dst) + done); \
            else                                                 \
                fill_run(&run, width, (dst) + done);             \
            *(at) = run.next;                                    \
            done += run.count;                                   \
        }                                                        \
        return done;                                             \
    } while (0)

enum {
    BLOCK = 64 /* codes unpacked before they are looked up */
};

/* The largest of the codes; if that isn't in the table, none is outside of it afterwards. */
static inline uint32_t bound_codes(uint32_t *codes, size_t count, size_t entries, uint32_t most)
{
    for (size_t i = 0; i < count && most >= entries; i++)
        codes[i] = codes[i] < entries ? codes[i] : 0;
    return most;
}

/* The body of look_up_runs_64 around a table's own kernels. */
#define LOOK_UP_RUNS(unpack, max_of, gather)                                             \
    do {                                                                                 \
        size_t done = 0;                                                                 \
        hybrid_run run;                                                                  \
        while (next_run(*at, end, width, room - done, &run)) {                           \
            for (size_t i = 0; i < run.count; i += BLOCK) {                              \
                const size_t n = run.count - i < BLOCK ? run.count - i : BLOCK;          \
                uint32_t codes[BLOCK + 16], top;                                         \
                if (run.is_packed)                                                       \
                    unpack(run.src + i / 8 * width, width, n, codes);                    \
                else                                                                     \
                    fill_run(&(hybrid_run){ .src = run.src, .count = n }, width, codes); \
                top = bound_codes(codes, n, entries, max_of(codes, n));                  \
                *most = top > *most ? top : *most;                                       \
                gather(table, entries, codes, n, dst + done + i);                        \
            }                                                                            \
            *at = run.next;                                                              \
            done += run.count;                                                           \
        }                                                                                \
        return done;                                                                     \
    } while (0)

#define NAME(kernel) scalar_##kernel
#define TARGET __attribute__((unused))
#include "core/simd/kernels_body.h"
#undef NAME
#undef TARGET

static const weir_kernels scalar = {
    .name = "scalar",
    .unpack_u32 = scalar_unpack_u32,
    .unpack_u64 = scalar_unpack_u64,
    .unpack_runs = scalar_unpack_runs,
    .look_up_runs_64 = scalar_look_up_runs_64,
    .max_u32 = scalar_max_u32,
    .gather_32 = scalar_gather_32,
    .gather_64 = scalar_gather_64,
    .gather_wide = scalar_gather_wide,
    .spread_8 = scalar_spread_8,
    .spread_32 = scalar_spread_32,
    .spread_64 = scalar_spread_64,
    .spread_wide = scalar_spread_wide,
    .gather_spread_32 = scalar_gather_spread_32,
    .gather_spread_64 = scalar_gather_spread_64,
    .count_bits = scalar_count_bits,
    .copy_bits = scalar_copy_bits,
    .pack_bools = scalar_pack_bools,
    .unpack_bools = scalar_unpack_bools,
    .prefix_32 = scalar_prefix_32,
    .prefix_64 = scalar_prefix_64,
    .join_streams = scalar_join_streams,
    .low_bytes = scalar_low_bytes,
    .mask_at_least = scalar_mask_at_least,
    .squeeze_bits = scalar_squeeze_bits,
    .list_offsets = scalar_list_offsets,
    .i32_to_i64 = scalar_i32_to_i64,
    .u32_to_i64 = scalar_u32_to_i64,
    .i32_to_f64 = scalar_i32_to_f64,
    .f32_to_f64 = scalar_f32_to_f64,
    .i64_to_f64 = scalar_i64_to_f64,
};

#if defined(__x86_64__) || defined(__aarch64__)
/* spread_index[mask][i] is how many bits below bit i the mask has, where bit i is set, else 0x80:
 * a byte shuffle by a row spreads up to eight bytes over the set bits, zeros between. */
#define RANK(m, i) __builtin_popcount((m) & ((1u << (i)) - 1))
#define ITEM(m, i) ((m) >> (i)&1 ? RANK(m, i) : 0x80)
#define ROW(m)                                                                              \
    {                                                                                       \
        ITEM(m, 0), ITEM(m, 1), ITEM(m, 2), ITEM(m, 3), ITEM(m, 4), ITEM(m, 5), ITEM(m, 6), \
            ITEM(m, 7)                                                                      \
    }
#define ROWS_4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS_16(m) ROWS_4(m), ROWS_4((m) + 4), ROWS_4((m) + 8), ROWS_4((m) + 12)
#define ROWS_64(m) ROWS_16(m), ROWS_16((m) + 16), ROWS_16((m) + 32), ROWS_16((m) + 48)
static const uint8_t spread_index[256][8] = { ROWS_64(0u), ROWS_64(64u), ROWS_64(128u),
                                              ROWS_64(192u) };
#undef ROWS_64
#undef ROWS_16
#undef ROWS_4
#undef ROW
#undef ITEM
#endif

/* Each gives `tables`, worst first, and runnable(), the number of them this CPU runs: one that runs
 * a table runs all before it. */
#if defined(__x86_64__)
#include "core/simd/kernels_x86.h"
#elif defined(__aarch64__)
#include "core/simd/kernels_arm.h"
#else
static const weir_kernels *const tables[] = { &scalar };

static size_t runnable(void)
{
    return 1;
}
#endif

size_t weir_kernels_all(const weir_kernels *const **out)
{
    *out = tables;
    return runnable();
}

const weir_kernels *weir_kernels_pick(void)
{
    const weir_kernels *const *all;
    const size_t count = weir_kernels_all(&all);
    const char *wanted = secure_getenv("WEIR_SIMD");

    for (size_t i = 0; wanted != NULL && i < count; i++) {
        if (strcmp(all[i]->name, wanted) == 0)
            return all[i];
    }
    return all[count - 1];
}
