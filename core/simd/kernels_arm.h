/* SPDX-License-Identifier: Apache-2.0
 * kernels_arm.h: the kernels that pay in NEON, and their table. Part of kernels.c. NEON belongs to
 * every 64-bit ARM, so the compiler has it for the plain kernels, too. */

#include <arm_neon.h>

/* Widths 1 to 25, eight values a step: with up to 7 bits before it a value lies within four bytes.
 * The upper four begin at byte width / 2, at its bit 0 or 4. */
static void neon_unpack_u32(const uint8_t *src, uint32_t width, size_t count, uint32_t *dst)
{
    static const uint32_t ramp[4] = { 0, 1, 2, 3 };
    const uint32x4_t bit_a = vmulq_n_u32(vld1q_u32(ramp), width);
    const uint32x4_t bit_b = vaddq_u32(bit_a, vdupq_n_u32((width & 1) * 4));
    const uint32x4_t four = vdupq_n_u32(0x03020100), seven = vdupq_n_u32(7);
    const uint32x4_t bytes_a = vmlaq_n_u32(four, vshrq_n_u32(bit_a, 3), 0x01010101);
    const uint32x4_t bytes_b = vmlaq_n_u32(four, vshrq_n_u32(bit_b, 3), 0x01010101);
    const int32x4_t down_a = vnegq_s32(vreinterpretq_s32_u32(vandq_u32(bit_a, seven)));
    const int32x4_t down_b = vnegq_s32(vreinterpretq_s32_u32(vandq_u32(bit_b, seven)));
    const uint32x4_t mask = vdupq_n_u32((uint32_t)low_bits(width));

    if (width == 0 || width > 25) {
        scalar_unpack_u32(src, width, count, dst);
        return;
    }
    for (size_t i = 0; i < count; i += 8, src += width) {
        const uint8x16_t a = vqtbl1q_u8(vld1q_u8(src), vreinterpretq_u8_u32(bytes_a));
        const uint8x16_t b = vqtbl1q_u8(vld1q_u8(src + width / 2), vreinterpretq_u8_u32(bytes_b));
        vst1q_u32(dst + i, vandq_u32(vshlq_u32(vreinterpretq_u32_u8(a), down_a), mask));
        vst1q_u32(dst + i + 4, vandq_u32(vshlq_u32(vreinterpretq_u32_u8(b), down_b), mask));
    }
}

static size_t neon_unpack_runs(const uint8_t **at, const uint8_t *end, uint32_t width, size_t room,
                               uint32_t *dst)
{
    UNPACK_RUNS(neon_unpack_u32, at, end, width, room, dst);
}

static size_t neon_look_up_runs_64(const uint8_t **at, const uint8_t *end, uint32_t width,
                                   size_t room, const uint64_t *table, size_t entries,
                                   uint64_t *dst, uint32_t *most)
{
    LOOK_UP_RUNS(neon_unpack_u32, scalar_max_u32, scalar_gather_64);
}

static void neon_spread_8(const uint8_t *src, const uint8_t *present, size_t rows, uint8_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        const uint32_t mask = present[i >> 3];
        vst1_u8(dst + i, vtbl1_u8(vld1_u8(src), vld1_u8(spread_index[mask])));
        src += __builtin_popcount(mask);
    }
}

/* As spread_index, for the bytes of four and of two values. */
#define FOUR(at) 4 * (at), 4 * (at) + 1, 4 * (at) + 2, 4 * (at) + 3
#define NONE 0x80, 0x80, 0x80, 0x80
static const uint8_t spread_fours[16][16] = {
    { NONE, NONE, NONE, NONE },          { FOUR(0), NONE, NONE, NONE },
    { NONE, FOUR(0), NONE, NONE },       { FOUR(0), FOUR(1), NONE, NONE },
    { NONE, NONE, FOUR(0), NONE },       { FOUR(0), NONE, FOUR(1), NONE },
    { NONE, FOUR(0), FOUR(1), NONE },    { FOUR(0), FOUR(1), FOUR(2), NONE },
    { NONE, NONE, NONE, FOUR(0) },       { FOUR(0), NONE, NONE, FOUR(1) },
    { NONE, FOUR(0), NONE, FOUR(1) },    { FOUR(0), FOUR(1), NONE, FOUR(2) },
    { NONE, NONE, FOUR(0), FOUR(1) },    { FOUR(0), NONE, FOUR(1), FOUR(2) },
    { NONE, FOUR(0), FOUR(1), FOUR(2) }, { FOUR(0), FOUR(1), FOUR(2), FOUR(3) },
};
static const uint8_t spread_eights[4][16] = {
    { NONE, NONE, NONE, NONE },
    { FOUR(0), FOUR(1), NONE, NONE },
    { NONE, NONE, FOUR(0), FOUR(1) },
    { FOUR(0), FOUR(1), FOUR(2), FOUR(3) },
};
#undef NONE
#undef FOUR

static void neon_spread_32(const uint32_t *src, const uint8_t *present, size_t rows, uint32_t *dst)
{
    const uint8_t *from = (const uint8_t *)src;
    uint8_t *to = (uint8_t *)dst;

    for (size_t i = 0; i < rows; i += 4, to += 16) {
        const uint32_t mask = present[i >> 3] >> (i & 4) & 15;
        vst1q_u8(to, vqtbl1q_u8(vld1q_u8(from), vld1q_u8(spread_fours[mask])));
        from += 4 * __builtin_popcount(mask);
    }
}

static void neon_spread_64(const uint64_t *src, const uint8_t *present, size_t rows, uint64_t *dst)
{
    const uint8_t *from = (const uint8_t *)src;
    uint8_t *to = (uint8_t *)dst;

    for (size_t i = 0; i < rows; i += 2, to += 16) {
        const uint32_t mask = present[i >> 3] >> (i & 6) & 3;
        vst1q_u8(to, vqtbl1q_u8(vld1q_u8(from), vld1q_u8(spread_eights[mask])));
        from += 8 * ((mask & 1) + (mask >> 1));
    }
}

static size_t neon_count_bits(const uint8_t *bits, size_t count)
{
    size_t set = 0;

    for (; count >= 512; count -= 512, bits += 64) {
        const uint8x16_t a = vaddq_u8(vcntq_u8(vld1q_u8(bits)), vcntq_u8(vld1q_u8(bits + 16)));
        const uint8x16_t b = vaddq_u8(vcntq_u8(vld1q_u8(bits + 32)), vcntq_u8(vld1q_u8(bits + 48)));
        set += vaddlvq_u8(vaddq_u8(a, b));
    }
    return set + scalar_count_bits(bits, count);
}

/* Each byte's bit moved to its place among eight. */
static inline uint8x16_t placed_bits(const uint8_t *src)
{
    static const int8_t places[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7 };

    return vshlq_u8(vandq_u8(vld1q_u8(src), vdupq_n_u8(1)), vld1q_s8(places));
}

static void neon_pack_bools(const uint8_t *src, size_t count, uint8_t *dst, size_t dst_bit)
{
    const size_t before = (8 - (dst_bit & 7)) & 7, head = before < count ? before : count;

    if (count == 0)
        return;
    scalar_pack_bools(src, head, dst, dst_bit);
    src += head, dst += (dst_bit + head) >> 3, count -= head;
    for (; count >= 64; count -= 64, src += 64, dst += 8) {
        const uint8x16_t a = vpaddq_u8(placed_bits(src), placed_bits(src + 16));
        const uint8x16_t b = vpaddq_u8(placed_bits(src + 32), placed_bits(src + 48));
        const uint8x16_t fours = vpaddq_u8(a, b);
        vst1_u8(dst, vget_low_u8(vpaddq_u8(fours, fours)));
    }
    scalar_pack_bools(src, count, dst, 0);
}

static void neon_unpack_bools(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst)
{
    static const uint8_t places[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    const uint8x16_t place = vld1q_u8(places), one = vdupq_n_u8(1);
    const uint32_t shift = src_bit & 7;

    if (count == 0)
        return;
    src += src_bit >> 3;
    for (size_t i = 0; i < count; i += 16, src += 2) {
        const uint32_t bits = (uint32_t)(weir_load32(src) >> shift);
        const uint8x16_t both =
            vcombine_u8(vdup_n_u8((uint8_t)bits), vdup_n_u8((uint8_t)(bits >> 8)));
        vst1q_u8(dst + i, vandq_u8(vtstq_u8(both, place), one));
    }
}

/* Prefix sums by doubling within a register; the sum so far is added last. */
static uint32_t neon_prefix_32(const uint32_t *delta, size_t count, uint32_t last, uint32_t least,
                               uint32_t *dst)
{
    const uint8_t *from = (const uint8_t *)delta;
    const uint32x4_t zero = vdupq_n_u32(0), step = vdupq_n_u32(least);
    uint32x4_t before = vdupq_n_u32(last);
    size_t i = 0;

    for (; i + 4 <= count; i += 4, from += 16) {
        uint32x4_t sum = vaddq_u32(vreinterpretq_u32_u8(vld1q_u8(from)), step);
        sum = vaddq_u32(sum, vextq_u32(zero, sum, 3));
        sum = vaddq_u32(sum, vextq_u32(zero, sum, 2));
        vst1q_u32(dst + i, vaddq_u32(sum, before));
        before = vaddq_u32(before, vdupq_laneq_u32(sum, 3));
    }
    last = vgetq_lane_u32(before, 0);
    return i < count ? scalar_prefix_32(delta + i, count - i, last, least, dst + i) : last;
}

/* 16 values a step: the interleaving stores do it. */
static void neon_join_2(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count; i += 16) {
        const uint8x16x2_t both = { { vld1q_u8(src + i), vld1q_u8(src + stride + i) } };
        vst2q_u8(dst + 2 * i, both);
    }
}

static void neon_join_4(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count; i += 16) {
        const uint8_t *from = src + i;
        const uint8x16x4_t all = { { vld1q_u8(from), vld1q_u8(from + stride),
                                     vld1q_u8(from + 2 * stride), vld1q_u8(from + 3 * stride) } };
        vst4q_u8(dst + 4 * i, all);
    }
}

/* Bytes become pairs here, and pairs eights in the stores. */
static void neon_join_8(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count; i += 16) {
        uint16x8x4_t low, high;
        for (size_t k = 0; k < 4; k++) {
            const uint8_t *from = src + 2 * k * stride + i;
            const uint8x16x2_t pairs = vzipq_u8(vld1q_u8(from), vld1q_u8(from + stride));
            low.val[k] = vreinterpretq_u16_u8(pairs.val[0]);
            high.val[k] = vreinterpretq_u16_u8(pairs.val[1]);
        }
        vst4q_u16((uint16_t *)(void *)(dst + 8 * i), low);
        if (count - i > 8) /* else it would write past the slack */
            vst4q_u16((uint16_t *)(void *)(dst + 8 * i + 64), high);
    }
}

static void neon_join_streams(const uint8_t *src, size_t stride, size_t width, size_t count,
                              uint8_t *dst)
{
    if (width == 2)
        neon_join_2(src, stride, count, dst);
    else if (width == 4)
        neon_join_4(src, stride, count, dst);
    else if (width == 8)
        neon_join_8(src, stride, count, dst);
    else
        scalar_join_streams(src, stride, width, count, dst);
}

static const weir_kernels neon = {
    .name = "neon",
    .unpack_u32 = neon_unpack_u32,
    .unpack_u64 = scalar_unpack_u64,
    .unpack_runs = neon_unpack_runs,
    .look_up_runs_64 = neon_look_up_runs_64,
    .max_u32 = scalar_max_u32,
    .gather_32 = scalar_gather_32,
    .gather_64 = scalar_gather_64,
    .gather_wide = scalar_gather_wide,
    .spread_8 = neon_spread_8,
    .spread_32 = neon_spread_32,
    .spread_64 = neon_spread_64,
    .spread_wide = scalar_spread_wide,
    .gather_spread_32 = scalar_gather_spread_32,
    .gather_spread_64 = scalar_gather_spread_64,
    .count_bits = neon_count_bits,
    .copy_bits = scalar_copy_bits,
    .pack_bools = neon_pack_bools,
    .unpack_bools = neon_unpack_bools,
    .prefix_32 = neon_prefix_32,
    .prefix_64 = scalar_prefix_64,
    .join_streams = neon_join_streams,
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

static const weir_kernels *const tables[] = { &scalar, &neon };

static size_t runnable(void)
{
    return 2;
}
