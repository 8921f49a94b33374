/* SPDX-License-Identifier: Apache-2.0
 * kernels_x86.h: the kernels that pay in AVX2 and in AVX-512 (F, BW, VL, DQ, VBMI, VBMI2) and both
 * tables. Part of kernels.c. Steps may run past the end of a source or destination within the
 * slack; where that would follow codes that nobody checked, or write too far, the plain kernel
 * finishes. */

#include <cpuid.h>
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define AVX512                                                                                  \
    __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi," \
                          "avx512vbmi2,avx512vpopcntdq")))

#define NAME(kernel) plain_avx2_##kernel
#define TARGET AVX2 __attribute__((unused))
#include "core/simd/kernels_body.h"
#undef NAME
#undef TARGET

#define NAME(kernel) plain_avx512_##kernel
#define TARGET AVX512 __attribute__((unused))
#include "core/simd/kernels_body.h"
#undef NAME
#undef TARGET

/* ---- AVX2 ---- */

AVX2 static inline __m256i load_256(const void *src)
{
    return _mm256_loadu_si256((const __m256i *)src);
}

AVX2 static inline void store_256(void *dst, __m256i value)
{
    _mm256_storeu_si256((__m256i *)dst, value);
}

/* A byte shuffle stays in its half of the register, so each half gets its own 16 bytes. */
AVX2 static inline __m256i load_halves(const uint8_t *low, const uint8_t *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* Indices of the four bytes from bit `bit` on, in each 32-bit lane; the bytes counted from the
 * half's first. */
AVX2 static inline __m256i bytes_of_lane_32(__m256i bit)
{
    const __m256i first = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0,
                                           0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);

    return _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_srli_epi32(bit, 3), first),
                           _mm256_set1_epi32(0x03020100));
}

/* The eight bytes, in each 64-bit lane. */
AVX2 static inline __m256i bytes_of_lane_64(__m256i bit)
{
    const __m256i first = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0,
                                           0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);

    return _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_srli_epi64(bit, 3), first),
                           _mm256_set1_epi64x(0x0706050403020100));
}

/* Widths 1 to 25: with up to 7 bits before it a value still lies within four bytes. The upper four
 * of eight values begin at byte width / 2, at its bit 0 or 4. */
AVX2 static inline void avx2_unpack_25(const uint8_t *src, uint32_t width, size_t count,
                                       uint32_t *dst)
{
    const int odd = (int)(width & 1) * 4;
    const __m256i bit =
        _mm256_add_epi32(_mm256_mullo_epi16(_mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3),
                                            _mm256_set1_epi32((int)width)),
                         _mm256_setr_epi32(0, 0, 0, 0, odd, odd, odd, odd));
    const __m256i bytes = bytes_of_lane_32(bit);
    const __m256i shift = _mm256_and_si256(bit, _mm256_set1_epi32(7));
    const __m256i mask = _mm256_set1_epi32((int)low_bits(width));

    for (size_t i = 0; i < count; i += 8, src += width) {
        const __m256i lanes = _mm256_shuffle_epi8(load_halves(src, src + width / 2), bytes);
        store_256(dst + i, _mm256_and_si256(_mm256_srlv_epi32(lanes, shift), mask));
    }
}

/* Widths 26 to 32, in lanes of eight bytes: values 0, 1, 4, 5 in one register, 2, 3, 6, 7 in the
 * other. Indices past 15 wrap, into bits that the mask drops. */
AVX2 static void avx2_unpack_32(const uint8_t *src, uint32_t width, size_t count, uint32_t *dst)
{
    const long long w = width, odd = (width & 1) * 4;
    const __m256i bit_a = _mm256_setr_epi64x(0, w, odd, odd + w);
    const __m256i bit_b = _mm256_add_epi64(bit_a, _mm256_set1_epi64x(2 * w));
    const __m256i bytes_a = bytes_of_lane_64(bit_a), bytes_b = bytes_of_lane_64(bit_b);
    const __m256i seven = _mm256_set1_epi64x(7);
    const __m256i shift_a = _mm256_and_si256(bit_a, seven);
    const __m256i shift_b = _mm256_and_si256(bit_b, seven);
    const __m256i mask = _mm256_set1_epi32((int)low_bits(width));

    for (size_t i = 0; i < count; i += 8, src += width) {
        const __m256i all = load_halves(src, src + width / 2);
        const __m256i a = _mm256_srlv_epi64(_mm256_shuffle_epi8(all, bytes_a), shift_a);
        const __m256i b = _mm256_srlv_epi64(_mm256_shuffle_epi8(all, bytes_b), shift_b);
        const __m256i joined = _mm256_castps_si256(
            _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
        store_256(dst + i, _mm256_and_si256(joined, mask));
    }
}

AVX2 static void avx2_unpack_u32(const uint8_t *src, uint32_t width, size_t count, uint32_t *dst)
{
    if (width == 0)
        plain_avx2_unpack_u32(src, width, count, dst);
    else if (width <= 25)
        avx2_unpack_25(src, width, count, dst);
    else
        avx2_unpack_32(src, width, count, dst);
}

AVX2 static size_t avx2_unpack_runs(const uint8_t **at, const uint8_t *end, uint32_t width,
                                    size_t room, uint32_t *dst)
{
    if (width > 25)
        UNPACK_RUNS(avx2_unpack_32, at, end, width, room, dst);
    UNPACK_RUNS(avx2_unpack_25, at, end, width, room, dst);
}

/* Two values of up to 57 bits lie within 16 bytes, so each half of a register takes two. Eight
 * values are whole bytes; the pairs among them begin at even bits. */
AVX2 static void avx2_unpack_u64(const uint8_t *src, uint32_t width, size_t count, uint64_t *dst)
{
    const uint32_t pair = 2 * width;
    const long long w = width, at_1 = pair & 7, at_2 = 2 * pair & 7, at_3 = 3 * pair & 7;
    const __m256i bit_a = _mm256_setr_epi64x(0, w, at_1, at_1 + w);
    const __m256i bit_b = _mm256_setr_epi64x(at_2, at_2 + w, at_3, at_3 + w);
    const __m256i bytes_a = bytes_of_lane_64(bit_a), bytes_b = bytes_of_lane_64(bit_b);
    const __m256i seven = _mm256_set1_epi64x(7);
    const __m256i shift_a = _mm256_and_si256(bit_a, seven);
    const __m256i shift_b = _mm256_and_si256(bit_b, seven);
    const __m256i mask = _mm256_set1_epi64x((long long)low_bits(width));

    if (width == 0 || width > 57) {
        plain_avx2_unpack_u64(src, width, count, dst);
        return;
    }
    for (size_t i = 0; i < count; i += 8, src += width) {
        const __m256i a = load_halves(src, src + pair / 8);
        const __m256i b = load_halves(src + 2 * pair / 8, src + 3 * pair / 8);
        store_256(dst + i, _mm256_and_si256(
                               _mm256_srlv_epi64(_mm256_shuffle_epi8(a, bytes_a), shift_a), mask));
        store_256(
            dst + i + 4,
            _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(b, bytes_b), shift_b), mask));
    }
}

AVX2 static inline __m128d load_pair(const uint64_t *low, const uint64_t *high)
{
    const __m128d one = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)low));

    return _mm_loadh_pd(one, (const double *)high);
}

/* Pairs of loads into one register each. The gather instruction is no quicker in this table: twice
 * as slow on AMD, and many Intel CPUs had it slowed down by microcode. */
AVX2 static void avx2_gather_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                size_t count, uint64_t *dst)
{
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        const uint64_t x = weir_load64(codes + i), y = weir_load64(codes + i + 2);
        const __m128d a = load_pair(table + (uint32_t)x, table + (x >> 32));
        const __m128d b = load_pair(table + (uint32_t)y, table + (y >> 32));
        _mm_storeu_pd((double *)(dst + i), a);
        _mm_storeu_pd((double *)(dst + i + 2), b);
    }
    if (i < count)
        plain_avx2_gather_64(table, entries, codes + i, count - i, dst + i);
}

AVX2 static size_t avx2_look_up_runs_64(const uint8_t **at, const uint8_t *end, uint32_t width,
                                        size_t room, const uint64_t *table, size_t entries,
                                        uint64_t *dst, uint32_t *most)
{
    LOOK_UP_RUNS(avx2_unpack_u32, plain_avx2_max_u32, avx2_gather_64);
}

AVX2 static void avx2_gather_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                size_t count, uint32_t *dst)
{
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        const uint64_t x = weir_load64(codes + i), y = weir_load64(codes + i + 2);
        __m128i four = _mm_cvtsi32_si128((int)weir_load32(table + (uint32_t)x));
        four = _mm_insert_epi32(four, (int)weir_load32(table + (x >> 32)), 1);
        four = _mm_insert_epi32(four, (int)weir_load32(table + (uint32_t)y), 2);
        four = _mm_insert_epi32(four, (int)weir_load32(table + (y >> 32)), 3);
        _mm_storeu_si128((__m128i *)(void *)(dst + i), four);
    }
    if (i < count)
        plain_avx2_gather_32(table, entries, codes + i, count - i, dst + i);
}

AVX2 static void avx2_spread_8(const uint8_t *src, const uint8_t *present, size_t rows,
                               uint8_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        const uint32_t mask = present[i >> 3];
        const __m128i index = _mm_loadl_epi64((const __m128i *)spread_index[mask]);
        const __m128i dense = _mm_loadl_epi64((const __m128i *)src);
        _mm_storel_epi64((__m128i *)(dst + i), _mm_shuffle_epi8(dense, index));
        src += __builtin_popcount(mask);
    }
}

AVX2 static void avx2_spread_32(const uint32_t *src, const uint8_t *present, size_t rows,
                                uint32_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        const uint32_t mask = present[i >> 3];
        const __m256i index =
            _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)spread_index[mask]));
        const __m256i values = _mm256_permutevar8x32_epi32(load_256(src), index);
        store_256(dst + i, _mm256_andnot_si256(_mm256_srai_epi32(index, 31), values));
        src += __builtin_popcount(mask);
    }
}

/* As spread_index, in 32-bit halves of four values. */
#define HALF(m, i) \
    ((m) >> (i)&1 ? 2 * RANK(m, i) : 0x80), ((m) >> (i)&1 ? 2 * RANK(m, i) + 1 : 0x80)
#define ROW(m)                                         \
    {                                                  \
        HALF(m, 0), HALF(m, 1), HALF(m, 2), HALF(m, 3) \
    }
static const uint8_t spread_halves[16][8] = {
    ROW(0), ROW(1), ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
    ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15),
};
#undef ROW
#undef HALF

AVX2 static inline __m256i spread_four(const uint64_t *src, uint32_t mask)
{
    const __m256i index =
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)spread_halves[mask]));
    const __m256i values = _mm256_permutevar8x32_epi32(load_256(src), index);

    return _mm256_andnot_si256(_mm256_srai_epi32(index, 31), values);
}

AVX2 static void avx2_spread_64(const uint64_t *src, const uint8_t *present, size_t rows,
                                uint64_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        const uint32_t mask = present[i >> 3], low = mask & 15;
        store_256(dst + i, spread_four(src, low));
        store_256(dst + i + 4, spread_four(src + __builtin_popcount(low), mask >> 4));
        src += __builtin_popcount(mask);
    }
}

/* The codes of eight rows, 0 where there is none. `absent` gets all ones there. The rows' own bits
 * alone: what follows the codes may be none. */
AVX2 static inline const uint32_t *spread_codes(const uint32_t *codes, uint32_t mask,
                                                uint32_t eight[8], __m256i *absent)
{
    const __m256i index =
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)spread_index[mask]));

    *absent = _mm256_srai_epi32(index, 31);
    store_256(eight,
              _mm256_andnot_si256(*absent, _mm256_permutevar8x32_epi32(load_256(codes), index)));
    return codes + __builtin_popcount(mask);
}

/* The bits of the eight rows from `row` on. */
static inline uint32_t bits_of_rows(const uint8_t *present, size_t row, size_t rows)
{
    return present[row >> 3] & (uint32_t)low_bits(rows - row < 8 ? (uint32_t)(rows - row) : 8);
}

AVX2 static void avx2_gather_spread_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                       const uint8_t *present, size_t rows, uint32_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        uint32_t eight[8], values[8];
        __m256i absent;
        codes = spread_codes(codes, bits_of_rows(present, i, rows), eight, &absent);
        avx2_gather_32(table, entries, eight, 8, values);
        store_256(dst + i, _mm256_andnot_si256(absent, load_256(values)));
    }
}

AVX2 static void avx2_gather_spread_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                       const uint8_t *present, size_t rows, uint64_t *dst)
{
    (void)entries;
    for (size_t i = 0; i < rows; i += 8) {
        uint32_t eight[8];
        __m256i absent;
        codes = spread_codes(codes, bits_of_rows(present, i, rows), eight, &absent);
        for (size_t k = 0; k < 8; k += 4) {
            const __m256d four =
                _mm256_set_m128d(load_pair(table + eight[k + 2], table + eight[k + 3]),
                                 load_pair(table + eight[k], table + eight[k + 1]));
            const __m256i none = _mm256_cvtepi32_epi64(
                k == 0 ? _mm256_castsi256_si128(absent) : _mm256_extracti128_si256(absent, 1));
            store_256(dst + i + k, _mm256_andnot_si256(none, _mm256_castpd_si256(four)));
        }
    }
}

/* The bits that complete a byte of dst are the plain kernel's, as is the tail. */
AVX2 static void avx2_copy_bits(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst,
                                size_t dst_bit)
{
    const size_t before = (8 - (dst_bit & 7)) & 7, head = before < count ? before : count;
    __m128i down, up;

    if (count == 0)
        return;
    plain_avx2_copy_bits(src, src_bit, head, dst, dst_bit);
    src_bit += head, dst_bit += head, count -= head;
    src += src_bit >> 3, dst += dst_bit >> 3;
    down = _mm_cvtsi32_si128((int)(src_bit & 7));
    up = _mm_cvtsi32_si128(64 - (int)(src_bit & 7)); /* 64 shifts all out */
    for (; count >= 256; count -= 256, src += 32, dst += 32)
        store_256(dst, _mm256_or_si256(_mm256_srl_epi64(load_256(src), down),
                                       _mm256_sll_epi64(load_256(src + 8), up)));
    plain_avx2_copy_bits(src, src_bit & 7, count, dst, 0);
}

AVX2 static void avx2_pack_bools(const uint8_t *src, size_t count, uint8_t *dst, size_t dst_bit)
{
    const size_t before = (8 - (dst_bit & 7)) & 7, head = before < count ? before : count;

    if (count == 0)
        return;
    plain_avx2_pack_bools(src, head, dst, dst_bit);
    src += head, dst += (dst_bit + head) >> 3, count -= head;
    for (; count >= 32; count -= 32, src += 32, dst += 4) {
        const int bits = _mm256_movemask_epi8(_mm256_slli_epi64(load_256(src), 7));
        memcpy(dst, &bits, 4);
    }
    plain_avx2_pack_bools(src, count, dst, 0);
}

AVX2 static void avx2_unpack_bools(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst)
{
    const uint32_t shift = src_bit & 7;
    const __m256i bytes = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);

    if (count == 0)
        return;
    src += src_bit >> 3;
    for (size_t i = 0; i < count; i += 32, src += 4) {
        const __m256i word = _mm256_set1_epi32((int)(weir_load64(src) >> shift));
        const __m256i each = _mm256_and_si256(_mm256_shuffle_epi8(word, bytes), bit);
        store_256(dst + i, _mm256_and_si256(_mm256_cmpeq_epi8(each, bit), _mm256_set1_epi8(1)));
    }
}

/* Prefix sums by doubling within a register. The sum so far is added last, so that from step to
 * step only one addition waits for another. */
AVX2 static uint32_t avx2_prefix_32(const uint32_t *delta, size_t count, uint32_t last,
                                    uint32_t least, uint32_t *dst)
{
    const __m256i step = _mm256_set1_epi32((int)least);
    const __m256i upper = _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
    __m256i before = _mm256_set1_epi32((int)last);
    size_t i = 0;

    for (; i + 8 <= count; i += 8) {
        __m256i sum = _mm256_add_epi32(load_256(delta + i), step);
        sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 4));
        sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
        sum = _mm256_add_epi32(
            sum, _mm256_and_si256(_mm256_permutevar8x32_epi32(sum, _mm256_set1_epi32(3)), upper));
        store_256(dst + i, _mm256_add_epi32(sum, before));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sum, _mm256_set1_epi32(7)));
    }
    last = (uint32_t)_mm256_cvtsi256_si32(before);
    return i < count ? plain_avx2_prefix_32(delta + i, count - i, last, least, dst + i) : last;
}

AVX2 static uint64_t avx2_prefix_64(const uint64_t *delta, size_t count, uint64_t last,
                                    uint64_t least, uint64_t *dst)
{
    const __m256i step = _mm256_set1_epi64x((long long)least);
    const __m256i upper = _mm256_setr_epi64x(0, 0, -1, -1);
    __m256i before = _mm256_set1_epi64x((long long)last);
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        __m256i sum = _mm256_add_epi64(load_256(delta + i), step);
        sum = _mm256_add_epi64(sum, _mm256_slli_si256(sum, 8));
        sum = _mm256_add_epi64(sum, _mm256_and_si256(_mm256_permute4x64_epi64(sum, 0x55), upper));
        store_256(dst + i, _mm256_add_epi64(sum, before));
        before = _mm256_add_epi64(before, _mm256_permute4x64_epi64(sum, 0xff));
    }
    last = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(before));
    return i < count ? plain_avx2_prefix_64(delta + i, count - i, last, least, dst + i) : last;
}

/* Stores the lower half and the upper one, whose values come 16 later. */
AVX2 static inline void store_halves(uint8_t *low, uint8_t *high, __m256i value)
{
    _mm_storeu_si128((__m128i *)low, _mm256_castsi256_si128(value));
    _mm_storeu_si128((__m128i *)high, _mm256_extracti128_si256(value, 1));
}

/* 32 values a step, by interleaving bytes, then pairs, then fours. */
AVX2 static size_t avx2_join_2(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    size_t i = 0;

    for (; i + 32 <= count; i += 32, dst += 64) {
        const __m256i a = load_256(src + i), b = load_256(src + stride + i);
        store_halves(dst, dst + 32, _mm256_unpacklo_epi8(a, b));
        store_halves(dst + 16, dst + 48, _mm256_unpackhi_epi8(a, b));
    }
    return i;
}

AVX2 static inline void interleave_4(const uint8_t *src, size_t stride, __m256i out[4])
{
    const __m256i a = load_256(src), b = load_256(src + stride);
    const __m256i c = load_256(src + 2 * stride), d = load_256(src + 3 * stride);
    const __m256i ab_low = _mm256_unpacklo_epi8(a, b), ab_high = _mm256_unpackhi_epi8(a, b);
    const __m256i cd_low = _mm256_unpacklo_epi8(c, d), cd_high = _mm256_unpackhi_epi8(c, d);

    out[0] = _mm256_unpacklo_epi16(ab_low, cd_low);
    out[1] = _mm256_unpackhi_epi16(ab_low, cd_low);
    out[2] = _mm256_unpacklo_epi16(ab_high, cd_high);
    out[3] = _mm256_unpackhi_epi16(ab_high, cd_high);
}

AVX2 static size_t avx2_join_4(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    size_t i = 0;

    for (; i + 32 <= count; i += 32, dst += 128) {
        __m256i fours[4];
        interleave_4(src + i, stride, fours);
        for (size_t k = 0; k < 4; k++)
            store_halves(dst + 16 * k, dst + 64 + 16 * k, fours[k]);
    }
    return i;
}

AVX2 static size_t avx2_join_8(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    size_t i = 0;

    for (; i + 32 <= count; i += 32, dst += 256) {
        __m256i low[4], high[4];
        interleave_4(src + i, stride, low);
        interleave_4(src + 4 * stride + i, stride, high);
        for (size_t k = 0; k < 4; k++) {
            uint8_t *to = dst + 32 * k;
            store_halves(to, to + 128, _mm256_unpacklo_epi32(low[k], high[k]));
            store_halves(to + 16, to + 144, _mm256_unpackhi_epi32(low[k], high[k]));
        }
    }
    return i;
}

AVX2 static void avx2_join_streams(const uint8_t *src, size_t stride, size_t width, size_t count,
                                   uint8_t *dst)
{
    size_t done = 0;

    if (width == 2)
        done = avx2_join_2(src, stride, count, dst);
    else if (width == 4)
        done = avx2_join_4(src, stride, count, dst);
    else if (width == 8)
        done = avx2_join_8(src, stride, count, dst);
    if (done < count)
        plain_avx2_join_streams(src + done, stride, width, count - done, dst + done * width);
}

/* There is no instruction for it: each half of an integer is put into the low bits of a double of
 * known exponent (2^52, and 2^84 for the upper half with its sign bit turned), and the sum of both
 * less the two exponents is rounded once. */
AVX2 static inline __m256d to_doubles(__m256i value)
{
    const __m256i low = _mm256_blend_epi32(_mm256_set1_epi64x(0x4330000000000000), value, 0x55);
    const __m256i high =
        _mm256_xor_si256(_mm256_srli_epi64(value, 32), _mm256_set1_epi64x(0x4530000080000000));
    const __m256d known = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));

    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), known), _mm256_castsi256_pd(low));
}

/* Blocks that have a value past 2^53 are left to the plain kernel. */
AVX2 static size_t avx2_i64_to_f64(const int64_t *src, size_t count, double *dst)
{
    const __m256i limit = _mm256_set1_epi64x((long long)1 << 53);
    const __m256i beyond = _mm256_set1_epi64x((long long)(UINT64_MAX << 54));
    size_t i = 0;

    for (; i + 64 <= count; i += 64) {
        __m256i far = _mm256_setzero_si256();
        for (size_t k = 0; k < 64; k += 4) {
            const __m256i value = load_256(src + i + k);
            far = _mm256_or_si256(far, _mm256_add_epi64(value, limit));
            _mm256_storeu_pd(dst + i + k, to_doubles(value));
        }
        if (!_mm256_testz_si256(far, beyond)) {
            const size_t done = plain_avx2_i64_to_f64(src + i, 64, dst + i);
            if (done < 64)
                return i + done;
        }
    }
    return i < count ? i + plain_avx2_i64_to_f64(src + i, count - i, dst + i) : i;
}

AVX2 static void avx2_mask_at_least(const uint8_t *src, size_t count, uint8_t least, uint8_t *mask)
{
    const __m256i all = _mm256_set1_epi8((char)least);
    size_t i = 0;

    for (; i + 32 <= count; i += 32) {
        const __m256i bytes = load_256(src + i);
        const __m256i is = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, all), bytes);
        const uint32_t bits = (uint32_t)_mm256_movemask_epi8(is);

        memcpy(mask + i / 8, &bits, sizeof bits);
    }
    plain_avx2_mask_at_least(src + i, count - i, least, mask + i / 8);
}

AVX2 static size_t avx2_squeeze_bits(const uint8_t *bits, const uint8_t *mask, size_t count,
                                     uint8_t *dst, size_t dst_bit)
{
    size_t set = 0;

    for (size_t i = 0; i < count; i += 64) {
        const uint64_t here = weir_load64(mask + i / 8);
        const uint64_t out = _pext_u64(weir_load64(bits + i / 8), here);

        put_bits(dst, dst_bit, out);
        dst_bit += (size_t)_mm_popcnt_u64(here);
        set += (size_t)_mm_popcnt_u64(out);
    }
    return set;
}

static const weir_kernels avx2 = {
    .name = "avx2",
    .unpack_u32 = avx2_unpack_u32,
    .unpack_u64 = avx2_unpack_u64,
    .unpack_runs = avx2_unpack_runs,
    .look_up_runs_64 = avx2_look_up_runs_64,
    .max_u32 = plain_avx2_max_u32,
    .gather_32 = avx2_gather_32,
    .gather_64 = avx2_gather_64,
    .gather_wide = plain_avx2_gather_wide,
    .spread_8 = avx2_spread_8,
    .spread_32 = avx2_spread_32,
    .spread_64 = avx2_spread_64,
    .spread_wide = plain_avx2_spread_wide,
    .gather_spread_32 = avx2_gather_spread_32,
    .gather_spread_64 = avx2_gather_spread_64,
    .count_bits = plain_avx2_count_bits,
    .copy_bits = avx2_copy_bits,
    .pack_bools = avx2_pack_bools,
    .unpack_bools = avx2_unpack_bools,
    .prefix_32 = avx2_prefix_32,
    .prefix_64 = avx2_prefix_64,
    .join_streams = avx2_join_streams,
    .low_bytes = plain_avx2_low_bytes,
    .mask_at_least = avx2_mask_at_least,
    .squeeze_bits = avx2_squeeze_bits,
    .list_offsets = plain_avx2_list_offsets,
    .i32_to_i64 = plain_avx2_i32_to_i64,
    .u32_to_i64 = plain_avx2_u32_to_i64,
    .i32_to_f64 = plain_avx2_i32_to_f64,
    .f32_to_f64 = plain_avx2_f32_to_f64,
    .i64_to_f64 = avx2_i64_to_f64,
};

/* ---- AVX-512 ---- */

AVX512 static inline __m512i load_512(const void *src)
{
    return _mm512_loadu_si512(src);
}

AVX512 static inline void store_512(void *dst, __m512i value)
{
    _mm512_storeu_si512(dst, value);
}

/* 0, 1, 2 ... in 32-bit and in 64-bit lanes. */
AVX512 static inline __m512i ramp_32(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

AVX512 static inline __m512i ramp_64(void)
{
    return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

/* 16 values a step, 2 * width bytes. Up to 25 bits, with up to 7 before them, lie within four
 * bytes: one permutation brings those into each lane. */
typedef struct unpacking {
    __m512i bytes, shift, mask;
} unpacking;

AVX512 static inline unpacking prepare_25(uint32_t width)
{
    const __m512i bit = _mm512_mullo_epi16(ramp_32(), _mm512_set1_epi32((int)width));
    const __m512i first = _mm512_shuffle_epi8(
        _mm512_srli_epi32(bit, 3), _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));

    return (unpacking){ .bytes = _mm512_add_epi8(first, _mm512_set1_epi32(0x03020100)),
                        .shift = _mm512_and_si512(bit, _mm512_set1_epi32(7)),
                        .mask = _mm512_set1_epi32((int)low_bits(width)) };
}

AVX512 static inline __m512i unpack_16(const uint8_t *src, const unpacking *how)
{
    _mm_prefetch((const char *)src + 1024, _MM_HINT_T0);
    return _mm512_and_si512(
        _mm512_srlv_epi32(_mm512_permutexvar_epi8(how->bytes, load_512(src)), how->shift),
        how->mask);
}

AVX512 static inline void avx512_unpack_25(const uint8_t *src, uint32_t width, size_t count,
                                           uint32_t *dst)
{
    const unpacking how = prepare_25(width);

    for (size_t i = 0; i < count; i += 16, src += 2 * width)
        store_512(dst + i, unpack_16(src, &how));
}

/* Wider ones are shifted out of two words. */
AVX512 static inline void avx512_unpack_32(const uint8_t *src, uint32_t width, size_t count,
                                           uint32_t *dst)
{
    const __m512i bit = _mm512_mullo_epi16(ramp_32(), _mm512_set1_epi32((int)width));
    const __m512i mask = _mm512_set1_epi32((int)low_bits(width));
    const __m512i low = _mm512_srli_epi32(bit, 5);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(1));

    for (size_t i = 0; i < count; i += 16, src += 2 * width) {
        const __m512i all = load_512(src);
        const __m512i lanes = _mm512_shrdv_epi32(_mm512_permutexvar_epi32(low, all),
                                                 _mm512_permutexvar_epi32(high, all), bit);
        store_512(dst + i, _mm512_and_si512(lanes, mask));
    }
}

AVX512 static void avx512_unpack_u32(const uint8_t *src, uint32_t width, size_t count,
                                     uint32_t *dst)
{
    if (width == 0)
        plain_avx512_unpack_u32(src, width, count, dst);
    else if (width <= 25)
        avx512_unpack_25(src, width, count, dst);
    else
        avx512_unpack_32(src, width, count, dst);
}

AVX512 static size_t avx512_unpack_runs(const uint8_t **at, const uint8_t *end, uint32_t width,
                                        size_t room, uint32_t *dst)
{
    if (width > 25)
        UNPACK_RUNS(avx512_unpack_32, at, end, width, room, dst);
    UNPACK_RUNS(avx512_unpack_25, at, end, width, room, dst);
}

/* The same with eight values a step: up to 57 bits lie within eight bytes. */
AVX512 static void avx512_unpack_u64(const uint8_t *src, uint32_t width, size_t count,
                                     uint64_t *dst)
{
    const __m512i bit = _mm512_mullo_epi16(ramp_64(), _mm512_set1_epi64(width));
    const __m512i mask = _mm512_set1_epi64((long long)low_bits(width));

    if (width == 0) {
        plain_avx512_unpack_u64(src, width, count, dst);
    } else if (width <= 57) {
        const __m512i first = _mm512_shuffle_epi8(_mm512_srli_epi64(bit, 3),
                                                  _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
        const __m512i bytes = _mm512_add_epi8(first, _mm512_set1_epi64(0x0706050403020100));
        const __m512i shift = _mm512_and_si512(bit, _mm512_set1_epi64(7));
        for (size_t i = 0; i < count; i += 8, src += width) {
            const __m512i lanes = _mm512_permutexvar_epi8(bytes, load_512(src));
            store_512(dst + i, _mm512_and_si512(_mm512_srlv_epi64(lanes, shift), mask));
        }
    } else {
        const __m512i low = _mm512_srli_epi64(bit, 6);
        const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(1));
        for (size_t i = 0; i < count; i += 8, src += width) {
            const __m512i all = load_512(src);
            const __m512i lanes = _mm512_shrdv_epi64(_mm512_permutexvar_epi64(low, all),
                                                     _mm512_permutexvar_epi64(high, all), bit);
            store_512(dst + i, _mm512_and_si512(lanes, mask));
        }
    }
}

/* Two registers at once: one maximum a cycle would wait for the last. */
AVX512 static uint32_t avx512_max_u32(const uint32_t *codes, size_t count)
{
    __m512i a = _mm512_setzero_si512(), b = a;
    size_t i = 0;

    for (; i + 32 <= count; i += 32) {
        a = _mm512_max_epu32(a, load_512(codes + i));
        b = _mm512_max_epu32(b, load_512(codes + i + 16));
    }
    for (; i < count; i += 16) {
        const __mmask16 left = (__mmask16)low_bits(count - i < 16 ? (uint32_t)(count - i) : 16);
        a = _mm512_max_epu32(a, _mm512_maskz_loadu_epi32(left, codes + i));
    }
    return _mm512_reduce_max_epu32(_mm512_max_epu32(a, b));
}

/* Small tables stay in one or two registers. Gives how many values it looked up: all or none. */
AVX512 static size_t permute_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                size_t count, uint64_t *dst)
{
    __m512i low;

    if (entries > 16 || count == 0)
        return 0;
    low = load_512(table);
    if (entries <= 8) {
        for (size_t i = 0; i < count; i += 8) {
            const __m512i index = _mm512_cvtepu32_epi64(load_256(codes + i));
            store_512(dst + i, _mm512_permutexvar_epi64(index, low));
        }
    } else {
        const __m512i high = load_512(table + 8);
        for (size_t i = 0; i < count; i += 8) {
            const __m512i index = _mm512_cvtepu32_epi64(load_256(codes + i));
            store_512(dst + i, _mm512_permutex2var_epi64(low, index, high));
        }
    }
    return count;
}

AVX512 static size_t permute_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                size_t count, uint32_t *dst)
{
    __m512i low;

    if (entries > 32 || count == 0)
        return 0;
    low = load_512(table);
    if (entries <= 16) {
        for (size_t i = 0; i < count; i += 16)
            store_512(dst + i, _mm512_permutexvar_epi32(load_512(codes + i), low));
    } else {
        const __m512i high = load_512(table + 16);
        for (size_t i = 0; i < count; i += 16)
            store_512(dst + i, _mm512_permutex2var_epi32(low, load_512(codes + i), high));
    }
    return count;
}

AVX512 static void avx512_gather_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                    size_t count, uint64_t *dst)
{
    const size_t done = permute_64(table, entries, codes, count, dst);

    if (done < count)
        avx2_gather_64(table, entries, codes + done, count - done, dst + done);
}

AVX512 static void avx512_gather_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                    size_t count, uint32_t *dst)
{
    const size_t done = permute_32(table, entries, codes, count, dst);

    if (done < count)
        avx2_gather_32(table, entries, codes + done, count - done, dst + done);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* at -O0 gcc's gathers are macros */

/* With the gather instruction. It takes codes as signed: no dictionary page has 2^31 entries. */
AVX512 static void avx512_vgather_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                     size_t count, uint64_t *dst)
{
    size_t i = permute_64(table, entries, codes, count, dst);

    for (; i + 8 <= count; i += 8)
        store_512(dst + i, _mm512_i32gather_epi64(load_256(codes + i), table, 8));
    if (i < count)
        plain_avx512_gather_64(table, entries, codes + i, count - i, dst + i);
}

AVX512 static void avx512_vgather_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                     size_t count, uint32_t *dst)
{
    size_t i = permute_32(table, entries, codes, count, dst);

    for (; i + 16 <= count; i += 16)
        store_512(dst + i, _mm512_i32gather_epi32(load_512(codes + i), table, 4));
    if (i < count)
        plain_avx512_gather_32(table, entries, codes + i, count - i, dst + i);
}

#pragma GCC diagnostic pop

AVX512 static void avx512_spread_8(const uint8_t *src, const uint8_t *present, size_t rows,
                                   uint8_t *dst)
{
    for (size_t i = 0; i < rows; i += 64) {
        const uint64_t mask = weir_load64(present + (i >> 3));
        store_512(dst + i, _mm512_maskz_expand_epi8(mask, load_512(src)));
        src += __builtin_popcountll(mask);
    }
}

AVX512 static void avx512_spread_32(const uint32_t *src, const uint8_t *present, size_t rows,
                                    uint32_t *dst)
{
    for (size_t i = 0; i < rows; i += 16) {
        const uint16_t mask = weir_load16(present + (i >> 3));
        store_512(dst + i, _mm512_maskz_expand_epi32(mask, load_512(src)));
        src += __builtin_popcount(mask);
    }
}

AVX512 static void avx512_spread_64(const uint64_t *src, const uint8_t *present, size_t rows,
                                    uint64_t *dst)
{
    for (size_t i = 0; i < rows; i += 8) {
        const uint8_t mask = present[i >> 3];
        store_512(dst + i, _mm512_maskz_expand_epi64(mask, load_512(src)));
        src += __builtin_popcount(mask);
    }
}

/* The codes of sixteen rows, 0 where there is none: expanding codes costs less than expanding
 * values. `mask` gets the rows' bits. */
AVX512 static inline __m512i expand_codes(const uint32_t **codes, const uint8_t *present,
                                          size_t row, size_t rows, __mmask16 *mask)
{
    const uint32_t left = rows - row < 16 ? (uint32_t)(rows - row) : 16;
    const __mmask16 bits = (__mmask16)(weir_load16(present + (row >> 3)) & low_bits(left));
    const __m512i sixteen = _mm512_maskz_expand_epi32(bits, load_512(*codes));

    *codes += __builtin_popcount(bits);
    *mask = bits;
    return sixteen;
}

/* Stores sixteen slots, those of the mask and zeros; all of the second half is slack where the rows
 * end in the first. */
AVX512 static inline void store_slots(uint64_t *dst, size_t left, __mmask16 mask, __m512i low,
                                      __m512i high)
{
    store_512(dst, _mm512_maskz_mov_epi64((__mmask8)mask, low));
    if (left > 8) /* else it would write past the slack */
        store_512(dst + 8, _mm512_maskz_mov_epi64((__mmask8)(mask >> 8), high));
}

/* Small tables stay in registers; false: this one is too large. */
AVX512 static bool permute_spread_64(const uint64_t *table, size_t entries, const uint32_t *codes,
                                     const uint8_t *present, size_t rows, uint64_t *dst)
{
    __m512i first, second;

    if (entries > 16 || rows == 0)
        return rows == 0;
    first = load_512(table);
    second = entries > 8 ? load_512(table + 8) : first;
    for (size_t i = 0; i < rows; i += 16) {
        __mmask16 mask;
        const __m512i all = expand_codes(&codes, present, i, rows, &mask);
        const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(all));
        const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(all, 1));
        store_slots(dst + i, rows - i, mask, _mm512_permutex2var_epi64(first, low, second),
                    _mm512_permutex2var_epi64(first, high, second));
    }
    return true;
}

AVX512 static bool permute_spread_32(const uint32_t *table, size_t entries, const uint32_t *codes,
                                     const uint8_t *present, size_t rows, uint32_t *dst)
{
    __m512i first, second;

    if (entries > 32 || rows == 0)
        return rows == 0;
    first = load_512(table);
    second = entries > 16 ? load_512(table + 16) : first;
    for (size_t i = 0; i < rows; i += 16) {
        __mmask16 mask;
        const __m512i all = expand_codes(&codes, present, i, rows, &mask);
        store_512(dst + i,
                  _mm512_maskz_mov_epi32(mask, _mm512_permutex2var_epi32(first, all, second)));
    }
    return true;
}

AVX512 static inline __m512i join_pairs(const uint64_t *table, const uint32_t *codes)
{
    const __m128d a = load_pair(table + codes[0], table + codes[1]);
    const __m128d b = load_pair(table + codes[2], table + codes[3]);
    const __m128d c = load_pair(table + codes[4], table + codes[5]);
    const __m128d d = load_pair(table + codes[6], table + codes[7]);

    return _mm512_castpd_si512(_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_set_m128d(b, a)),
                                                  _mm256_set_m128d(d, c), 1));
}

AVX512 static void avx512_gather_spread_64(const uint64_t *table, size_t entries,
                                           const uint32_t *codes, const uint8_t *present,
                                           size_t rows, uint64_t *dst)
{
    if (permute_spread_64(table, entries, codes, present, rows, dst))
        return;
    for (size_t i = 0; i < rows; i += 16) {
        uint32_t sixteen[16];
        __mmask16 mask;
        store_512(sixteen, expand_codes(&codes, present, i, rows, &mask));
        store_slots(dst + i, rows - i, mask, join_pairs(table, sixteen),
                    join_pairs(table, sixteen + 8));
    }
}

AVX512 static void avx512_gather_spread_32(const uint32_t *table, size_t entries,
                                           const uint32_t *codes, const uint8_t *present,
                                           size_t rows, uint32_t *dst)
{
    if (permute_spread_32(table, entries, codes, present, rows, dst))
        return;
    for (size_t i = 0; i < rows; i += 16) {
        uint32_t sixteen[16], values[16];
        __mmask16 mask;
        store_512(sixteen, expand_codes(&codes, present, i, rows, &mask));
        avx2_gather_32(table, entries, sixteen, 16, values);
        store_512(dst + i, _mm512_maskz_mov_epi32(mask, load_512(values)));
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

AVX512 static void avx512_vgather_spread_64(const uint64_t *table, size_t entries,
                                            const uint32_t *codes, const uint8_t *present,
                                            size_t rows, uint64_t *dst)
{
    if (permute_spread_64(table, entries, codes, present, rows, dst))
        return;
    for (size_t i = 0; i < rows; i += 16) {
        __mmask16 mask;
        const __m512i all = expand_codes(&codes, present, i, rows, &mask);
        const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(all), table, 8);
        const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(all, 1), table, 8);
        store_slots(dst + i, rows - i, mask, low, high);
    }
}

AVX512 static void avx512_vgather_spread_32(const uint32_t *table, size_t entries,
                                            const uint32_t *codes, const uint8_t *present,
                                            size_t rows, uint32_t *dst)
{
    if (permute_spread_32(table, entries, codes, present, rows, dst))
        return;
    for (size_t i = 0; i < rows; i += 16) {
        __mmask16 mask;
        const __m512i all = expand_codes(&codes, present, i, rows, &mask);
        store_512(dst + i, _mm512_maskz_mov_epi32(mask, _mm512_i32gather_epi32(all, table, 4)));
    }
}

#pragma GCC diagnostic pop

/* How sixteen codes are looked up. */
typedef enum look_up_way {
    BY_PERMUTE, /* a table of up to 16 in two registers */
    BY_PAIRS,
    BY_GATHER
} look_up_way;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

AVX512 static inline __attribute__((always_inline)) void put_entries(__m512i codes, look_up_way way,
                                                                     const uint64_t *table,
                                                                     __m512i first, __m512i second,
                                                                     uint64_t *dst)
{
    uint32_t sixteen[16];

    switch (way) {
    case BY_PERMUTE:
        store_512(dst, _mm512_permutex2var_epi64(
                           first, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(codes)), second));
        store_512(dst + 8,
                  _mm512_permutex2var_epi64(
                      first, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(codes, 1)), second));
        break;
    case BY_PAIRS:
        store_512(sixteen, codes);
        store_512(dst, join_pairs(table, sixteen));
        store_512(dst + 8, join_pairs(table, sixteen + 8));
        break;
    case BY_GATHER:
        store_512(dst, _mm512_i32gather_epi64(_mm512_castsi512_si256(codes), table, 8));
        store_512(dst + 8, _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(codes, 1), table, 8));
    }
}

#pragma GCC diagnostic pop

/* Codes go from packed bits to values in registers: the look-ups wait for loads while the next
 * codes are unpacked. Too large ones become the last, and the caller sees the largest. The last
 * eight of a run may be followed by eight of garbage, in the slack or under the next run. */
AVX512 static inline __attribute__((always_inline)) size_t
look_up_runs(const uint8_t **at, const uint8_t *end, uint32_t width, size_t room,
             const uint64_t *table, size_t entries, uint64_t *dst, uint32_t *most, look_up_way way)
{
    const unpacking how = prepare_25(width);
    const __m512i last = _mm512_set1_epi32((int)(entries - 1));
    const __m512i first = load_512(table);
    const __m512i second = way == BY_PERMUTE && entries > 8 ? load_512(table + 8) : first;
    __m512i top = _mm512_setzero_si512();
    size_t done = 0;
    hybrid_run run;

    while (next_run(*at, end, width, room - done, &run)) {
        if (run.is_packed) {
            for (size_t i = 0; i < run.count; i += 16, run.src += 2 * width) {
                const __m512i codes = unpack_16(run.src, &how);
                top = _mm512_mask_max_epu32(top, run.count - i > 8 ? 0xffff : 0xff, top, codes);
                put_entries(_mm512_min_epu32(codes, last), way, table, first, second,
                            dst + done + i);
            }
        } else {
            uint32_t code = value_of_run(&run, width);
            top = _mm512_max_epu32(top, _mm512_set1_epi32((int)code));
            code = code < entries ? code : (uint32_t)entries - 1;
            for (size_t i = 0; i < run.count; i += 8)
                store_512(dst + done + i, _mm512_set1_epi64((long long)weir_load64(table + code)));
        }
        *at = run.next;
        done += run.count;
    }
    if (done > 0) {
        const uint32_t largest = _mm512_reduce_max_epu32(top);
        *most = largest > *most ? largest : *most;
    }
    return done;
}

AVX512 static size_t avx512_look_up_gather_64(const uint8_t **at, const uint8_t *end,
                                              uint32_t width, size_t room, const uint64_t *table,
                                              size_t entries, uint64_t *dst, uint32_t *most)
{
    if (width > 25)
        return plain_avx512_look_up_runs_64(at, end, width, room, table, entries, dst, most);
    return entries <= 16 ? look_up_runs(at, end, width, room, table, entries, dst, most, BY_PERMUTE)
                         : look_up_runs(at, end, width, room, table, entries, dst, most, BY_PAIRS);
}

AVX512 static size_t avx512_look_up_vgather_64(const uint8_t **at, const uint8_t *end,
                                               uint32_t width, size_t room, const uint64_t *table,
                                               size_t entries, uint64_t *dst, uint32_t *most)
{
    if (width > 25)
        return plain_avx512_look_up_runs_64(at, end, width, room, table, entries, dst, most);
    return entries <= 16 ? look_up_runs(at, end, width, room, table, entries, dst, most, BY_PERMUTE)
                         : look_up_runs(at, end, width, room, table, entries, dst, most, BY_GATHER);
}

/* The bits of each half byte from a table of 16, summed over eight bytes. */
AVX512 static size_t avx512_count_bits(const uint8_t *bits, size_t count)
{
    const __m512i counts = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100);
    const __m512i half = _mm512_set1_epi8(15);
    __m512i set = _mm512_setzero_si512();

    for (; count >= 512; count -= 512, bits += 64) {
        const __m512i all = load_512(bits);
        const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(all, half));
        const __m512i high =
            _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi64(all, 4), half));
        set = _mm512_add_epi64(set,
                               _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()));
    }
    return (size_t)_mm512_reduce_add_epi64(set) + plain_avx512_count_bits(bits, count);
}

AVX512 static void avx512_copy_bits(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst,
                                    size_t dst_bit)
{
    const size_t before = (8 - (dst_bit & 7)) & 7, head = before < count ? before : count;
    __m512i shift;

    if (count == 0)
        return;
    plain_avx512_copy_bits(src, src_bit, head, dst, dst_bit);
    src_bit += head, dst_bit += head, count -= head;
    src += src_bit >> 3, dst += dst_bit >> 3;
    shift = _mm512_set1_epi64((long long)(src_bit & 7));
    for (; count >= 512; count -= 512, src += 64, dst += 64)
        store_512(dst, _mm512_shrdv_epi64(load_512(src), load_512(src + 8), shift));
    plain_avx512_copy_bits(src, src_bit & 7, count, dst, 0);
}

AVX512 static void avx512_pack_bools(const uint8_t *src, size_t count, uint8_t *dst, size_t dst_bit)
{
    const size_t before = (8 - (dst_bit & 7)) & 7, head = before < count ? before : count;
    const __m512i one = _mm512_set1_epi8(1);

    if (count == 0)
        return;
    plain_avx512_pack_bools(src, head, dst, dst_bit);
    src += head, dst += (dst_bit + head) >> 3, count -= head;
    for (; count >= 64; count -= 64, src += 64, dst += 8) {
        const uint64_t bits = _mm512_test_epi8_mask(load_512(src), one);
        memcpy(dst, &bits, 8);
    }
    if (count > 0)
        put_tail(dst, _mm512_test_epi8_mask(load_512(src), one), (uint32_t)count);
}

AVX512 static void avx512_unpack_bools(const uint8_t *src, size_t src_bit, size_t count,
                                       uint8_t *dst)
{
    const uint32_t shift = src_bit & 7;

    if (count == 0)
        return;
    src += src_bit >> 3;
    for (size_t i = 0; i < count; i += 64, src += 8)
        store_512(dst + i, _mm512_maskz_set1_epi8(bits_at(src, shift), 1));
}

/* Lanes moved up by 1, 2, 4 (and 8), zeros from below: see avx2_prefix_32 for the order. */
AVX512 static uint32_t avx512_prefix_32(const uint32_t *delta, size_t count, uint32_t last,
                                        uint32_t least, uint32_t *dst)
{
    const __m512i zero = _mm512_setzero_si512(), step = _mm512_set1_epi32((int)least);
    __m512i before = _mm512_set1_epi32((int)last);
    size_t i = 0;

    for (; i + 16 <= count; i += 16) {
        __m512i sum = _mm512_add_epi32(load_512(delta + i), step);
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 15));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 14));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 12));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 8));
        store_512(dst + i, _mm512_add_epi32(sum, before));
        before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sum));
    }
    last = (uint32_t)_mm512_cvtsi512_si32(before);
    return i < count ? plain_avx512_prefix_32(delta + i, count - i, last, least, dst + i) : last;
}

AVX512 static uint64_t avx512_prefix_64(const uint64_t *delta, size_t count, uint64_t last,
                                        uint64_t least, uint64_t *dst)
{
    const __m512i zero = _mm512_setzero_si512(), step = _mm512_set1_epi64((long long)least);
    __m512i before = _mm512_set1_epi64((long long)last);
    size_t i = 0;

    for (; i + 8 <= count; i += 8) {
        __m512i sum = _mm512_add_epi64(load_512(delta + i), step);
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 7));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 6));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 4));
        store_512(dst + i, _mm512_add_epi64(sum, before));
        before = _mm512_add_epi64(before, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sum));
    }
    last = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(before));
    return i < count ? plain_avx512_prefix_64(delta + i, count - i, last, least, dst + i) : last;
}

/* Sixteen bytes of each of four streams. */
AVX512 static inline __m512i load_streams(const uint8_t *src, size_t stride)
{
    __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)src));

    all = _mm512_inserti64x2(all, _mm_loadu_si128((const __m128i *)(src + stride)), 1);
    all = _mm512_inserti64x2(all, _mm_loadu_si128((const __m128i *)(src + 2 * stride)), 2);
    return _mm512_inserti64x2(all, _mm_loadu_si128((const __m128i *)(src + 3 * stride)), 3);
}

AVX512 static void avx512_join_2(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    /* Bytes v and 32 + v, for v from 0 to 31. */
    const __m512i bytes =
        _mm512_add_epi8(_mm512_mullo_epi32(ramp_32(), _mm512_set1_epi32(0x02020202)),
                        _mm512_set1_epi32(0x21012000));

    for (size_t i = 0; i < count; i += 32) {
        const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(load_256(src + i)),
                                                load_256(src + stride + i), 1);
        store_512(dst + 2 * i, _mm512_permutexvar_epi8(bytes, both));
    }
}

/* Byte v of each of four streams, for the v of each 32-bit lane. */
AVX512 static inline __m512i bytes_of_streams(__m512i v)
{
    return _mm512_add_epi8(_mm512_mullo_epi32(v, _mm512_set1_epi32(0x01010101)),
                           _mm512_set1_epi32(0x30201000));
}

AVX512 static void avx512_join_4(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    const __m512i bytes = bytes_of_streams(ramp_32());

    for (size_t i = 0; i < count; i += 16)
        store_512(dst + 4 * i, _mm512_permutexvar_epi8(bytes, load_streams(src + i, stride)));
}

/* The lower and the upper halves of 16 values, in such an order that interleaving 32-bit lanes
 * gives values 0 to 7 and 8 to 15. */
AVX512 static void avx512_join_8(const uint8_t *src, size_t stride, size_t count, uint8_t *dst)
{
    const __m512i bytes =
        bytes_of_streams(_mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));

    for (size_t i = 0; i < count; i += 16) {
        const uint8_t *from = src + i;
        const __m512i low = _mm512_permutexvar_epi8(bytes, load_streams(from, stride));
        const __m512i high =
            _mm512_permutexvar_epi8(bytes, load_streams(from + 4 * stride, stride));
        store_512(dst + 8 * i, _mm512_unpacklo_epi32(low, high));
        if (count - i > 8) /* else it would write past the slack */
            store_512(dst + 8 * i + 64, _mm512_unpackhi_epi32(low, high));
    }
}

AVX512 static void avx512_join_streams(const uint8_t *src, size_t stride, size_t width,
                                       size_t count, uint8_t *dst)
{
    if (width == 2)
        avx512_join_2(src, stride, count, dst);
    else if (width == 4)
        avx512_join_4(src, stride, count, dst);
    else if (width == 8)
        avx512_join_8(src, stride, count, dst);
    else
        plain_avx512_join_streams(src, stride, width, count, dst);
}

AVX512 static void avx512_low_bytes(const uint32_t *src, size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count; i += 16)
        _mm_storeu_si128((__m128i *)(void *)(dst + i), _mm512_cvtepi32_epi8(load_512(src + i)));
}

AVX512 static void avx512_mask_at_least(const uint8_t *src, size_t count, uint8_t least,
                                        uint8_t *mask)
{
    const __m512i all = _mm512_set1_epi8((char)least);
    size_t i = 0;

    for (; i + 64 <= count; i += 64) {
        const uint64_t bits = _mm512_cmpge_epu8_mask(load_512(src + i), all);

        memcpy(mask + i / 8, &bits, sizeof bits);
    }
    plain_avx512_mask_at_least(src + i, count - i, least, mask + i / 8);
}

/* Sixteen levels at once: the elements before each are counted, and those of slots are moved
 * together. */
AVX512 static void avx512_list_offsets(const uint8_t *slots, const uint8_t *elements, size_t count,
                                       int32_t first, int32_t *dst)
{
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i before = _mm512_sub_epi32(_mm512_sllv_epi32(one, ramp_32()), one);

    for (size_t i = 0; i < count; i += 16) {
        const uint16_t outer = weir_load16(slots + i / 8), inner = weir_load16(elements + i / 8);
        const __m512i below = _mm512_and_si512(_mm512_set1_epi32(inner), before);
        const __m512i at = _mm512_add_epi32(_mm512_popcnt_epi32(below), _mm512_set1_epi32(first));

        store_512(dst, _mm512_maskz_compress_epi32(outer, at));
        dst += _mm_popcnt_u32(outer);
        first += (int32_t)_mm_popcnt_u32(inner);
    }
}

/* The two tables with AVX-512 differ in how they look up large dictionaries. */
#define AVX512_TABLE(table, gather)                      \
    static const weir_kernels table = {                  \
        .name = #table,                                  \
        .unpack_u32 = avx512_unpack_u32,                 \
        .unpack_u64 = avx512_unpack_u64,                 \
        .look_up_runs_64 = avx512_look_up_##gather##_64, \
        .unpack_runs = avx512_unpack_runs,               \
        .max_u32 = avx512_max_u32,                       \
        .gather_32 = avx512_##gather##_32,               \
        .gather_64 = avx512_##gather##_64,               \
        .gather_wide = plain_avx512_gather_wide,         \
        .spread_8 = avx512_spread_8,                     \
        .spread_32 = avx512_spread_32,                   \
        .spread_64 = avx512_spread_64,                   \
        .spread_wide = plain_avx512_spread_wide,         \
        .gather_spread_32 = avx512_##gather##_spread_32, \
        .gather_spread_64 = avx512_##gather##_spread_64, \
        .count_bits = avx512_count_bits,                 \
        .copy_bits = avx512_copy_bits,                   \
        .pack_bools = avx512_pack_bools,                 \
        .unpack_bools = avx512_unpack_bools,             \
        .prefix_32 = avx512_prefix_32,                   \
        .prefix_64 = avx512_prefix_64,                   \
        .join_streams = avx512_join_streams,             \
        .low_bytes = avx512_low_bytes,                   \
        .mask_at_least = avx512_mask_at_least,           \
        .squeeze_bits = avx2_squeeze_bits,               \
        .list_offsets = avx512_list_offsets,             \
        .i32_to_i64 = plain_avx512_i32_to_i64,           \
        .u32_to_i64 = plain_avx512_u32_to_i64,           \
        .i32_to_f64 = plain_avx512_i32_to_f64,           \
        .f32_to_f64 = plain_avx512_f32_to_f64,           \
        .i64_to_f64 = plain_avx512_i64_to_f64,           \
    }
AVX512_TABLE(avx512, gather);
AVX512_TABLE(avx512_gather, vgather);

static const weir_kernels *const tables[] = { &scalar, &avx2, &avx512, &avx512_gather };

/* Whether the gather instruction beats pairs of loads: 0.19 ns a value for 0.24 on Intel's Sapphire
 * Rapids and what followed it; 0.44 for 0.18 on AMD's Zen 5, and microcode slows it down on the
 * Intel CPUs before (gather data sampling). */
static bool gathers_well(void)
{
    unsigned a, b, c, d, model;

    if (!__builtin_cpu_is("intel") || __get_cpuid(1, &a, &b, &c, &d) == 0)
        return false;
    model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
    /* Family 6: Sapphire, Emerald, Granite Rapids (two). */
    return (a >> 8 & 0xf) == 6 &&
           (model == 0x8f || model == 0xcf || model == 0xad || model == 0xae);
}

/* The compiler's test asks the system as well: it must save the wide registers. */
static size_t runnable(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vbmi2") ||
        !__builtin_cpu_supports("avx512vpopcntdq"))
        return 2;
    return gathers_well() ? 4 : 3;
}
