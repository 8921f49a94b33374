/* SPDX-License-Identifier: Apache-2.0
 * kernels_body.h: every kernel in plain C. kernels.c includes it once a table, with NAME(x) giving
 * the table's prefix and TARGET the CPU features, so that the compiler vectorises it per level; a
 * table that has something better in intrinsics leaves the one here unused. Therefore no include
 * guard. Sources are read through memcpy: they have any alignment. */

TARGET static void NAME(unpack_u32)(const uint8_t *src, uint32_t width, size_t count, uint32_t *dst)
{
    const uint64_t mask = low_bits(width);

    if (width == 0) {
        for (size_t i = 0; i < count; i++)
            dst[i] = 0;
        return;
    }
    /* Eight values are `width` bytes, so each eight begin at a whole byte; the last eight may run
     * past the end, within the slack. */
    for (size_t i = 0; i < count; i += 8, src += width) {
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t bit = k * width;
            dst[i + k] = (uint32_t)(weir_load64(src + (bit >> 3)) >> (bit & 7) & mask);
        }
    }
}

TARGET static void NAME(unpack_u64)(const uint8_t *src, uint32_t width, size_t count, uint64_t *dst)
{
    const uint64_t mask = low_bits(width);

    if (width == 0) {
        for (size_t i = 0; i < count; i++)
            dst[i] = 0;
        return;
    }
    /* With up to 7 bits before it a value of 57 bits ends in the eighth byte. */
    for (size_t i = 0; i < count && width <= 57; i += 8, src += width) {
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t bit = k * width;
            dst[i + k] = weir_load64(src + (bit >> 3)) >> (bit & 7) & mask;
        }
    }
    for (size_t i = 0; i < count && width > 57; i += 8, src += width) {
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t bit = k * width;
            dst[i + k] = bits_at(src + (bit >> 3), bit & 7) & mask;
        }
    }
}

TARGET static size_t NAME(unpack_runs)(const uint8_t **at, const uint8_t *end, uint32_t width,
                                       size_t room, uint32_t *dst)
{
    UNPACK_RUNS(NAME(unpack_u32), at, end, width, room, dst);
}

TARGET static uint32_t NAME(max_u32)(const uint32_t *codes, size_t count)
{
    uint32_t max = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t code = weir_load32(codes + i);
        max = code > max ? code : max;
    }
    return max;
}

TARGET static void NAME(gather_32)(const uint32_t *restrict table, size_t entries,
                                   const uint32_t *restrict codes, size_t count,
                                   uint32_t *restrict dst)
{
    (void)entries;
    for (size_t i = 0; i < count; i++)
        dst[i] = weir_load32(table + weir_load32(codes + i));
}

TARGET static void NAME(gather_64)(const uint64_t *restrict table, size_t entries,
                                   const uint32_t *restrict codes, size_t count,
                                   uint64_t *restrict dst)
{
    (void)entries;
    for (size_t i = 0; i < count; i++)
        dst[i] = weir_load64(table + weir_load32(codes + i));
}

TARGET static size_t NAME(look_up_runs_64)(const uint8_t **at, const uint8_t *end, uint32_t width,
                                           size_t room, const uint64_t *table, size_t entries,
                                           uint64_t *dst, uint32_t *most)
{
    LOOK_UP_RUNS(NAME(unpack_u32), NAME(max_u32), NAME(gather_64));
}

/* Copies whole 16 bytes: what is written too much is the next entry's place, or slack. */
TARGET static inline void NAME(copy_entry)(const uint8_t *src, size_t width, uint8_t *dst)
{
    for (size_t k = 0; k < width; k += 16)
        memcpy(dst + k, src + k, 16);
}

TARGET static void NAME(gather_wide)(const uint8_t *table, size_t width, const uint32_t *codes,
                                     size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count && width <= 16; i++, dst += width)
        memcpy(dst, table + weir_load32(codes + i) * width, 16);
    for (size_t i = 0; i < count && width > 16; i++, dst += width)
        NAME(copy_entry)(table + weir_load32(codes + i) * width, width, dst);
}

/* Eight rows a step, without a branch a row: nulls are hard to predict. */
#define SPREAD(bits)                                                                     \
    TARGET static void NAME(spread_##bits)(const uint##bits##_t *restrict src,           \
                                           const uint8_t *restrict present, size_t rows, \
                                           uint##bits##_t *restrict dst)                 \
    {                                                                                    \
        const uint8_t *from = (const uint8_t *)src;                                      \
                                                                                         \
        for (size_t i = 0; i < rows; i += 8) {                                           \
            const uint32_t mask = present[i >> 3];                                       \
            for (uint32_t k = 0; k < 8; k++) {                                           \
                const uint##bits##_t bit = mask >> k & 1;                                \
                uint##bits##_t value;                                                    \
                memcpy(&value, from, sizeof value);                                      \
                dst[i + k] = (uint##bits##_t)(value & (uint##bits##_t) - bit);           \
                from += bit * sizeof value;                                              \
            }                                                                            \
        }                                                                                \
    }
SPREAD(8)
SPREAD(32)
SPREAD(64)
#undef SPREAD

/* A null looks up entry 0, which is slack where there is none. */
#define GATHER_SPREAD(bits)                                                                   \
    TARGET static void NAME(gather_spread_##bits)(                                            \
        const uint##bits##_t *restrict table, size_t entries, const uint32_t *restrict codes, \
        const uint8_t *restrict present, size_t rows, uint##bits##_t *restrict dst)           \
    {                                                                                         \
        const uint8_t *from = (const uint8_t *)codes;                                         \
                                                                                              \
        (void)entries;                                                                        \
        for (size_t i = 0; i < rows; i++) {                                                   \
            const uint32_t bit = present[i >> 3] >> (i & 7) & 1;                              \
            const uint##bits##_t value = weir_load##bits(table + (weir_load32(from) & -bit)); \
            dst[i] = (uint##bits##_t)(value & (uint##bits##_t) - (uint##bits##_t)bit);        \
            from += bit * sizeof *codes;                                                      \
        }                                                                                     \
    }
GATHER_SPREAD(32)
GATHER_SPREAD(64)
#undef GATHER_SPREAD

/* Up to 16 bytes a value: as above, in two words. A null reads the next value, which after the
 * last one is slack, so wider values take the branch. */
TARGET static void NAME(spread_16)(const uint8_t *src, size_t width, const uint8_t *present,
                                   size_t rows, uint8_t *dst)
{
    for (size_t i = 0; i < rows; i++, dst += width) {
        const uint64_t keep = -(uint64_t)(present[i >> 3] >> (i & 7) & 1);
        const uint64_t words[2] = { weir_load64(src) & keep, weir_load64(src + 8) & keep };
        memcpy(dst, words, 16);
        src += width & keep;
    }
}

TARGET static void NAME(spread_wide)(const uint8_t *src, size_t width, const uint8_t *present,
                                     size_t rows, uint8_t *dst)
{
    if (width <= 16) {
        NAME(spread_16)(src, width, present, rows, dst);
        return;
    }
    for (size_t i = 0; i < rows; i++, dst += width) {
        if (present[i >> 3] >> (i & 7) & 1) {
            NAME(copy_entry)(src, width, dst);
            src += width;
        } else {
            memset(dst, 0, width);
        }
    }
}

TARGET static size_t NAME(count_bits)(const uint8_t *bits, size_t count)
{
    size_t set = 0;

    for (; count >= 64; count -= 64, bits += 8)
        set += (size_t)__builtin_popcountll(weir_load64(bits));
    if (count > 0)
        set += (size_t)__builtin_popcountll(weir_load64(bits) & low_bits((uint32_t)count));
    return set;
}

TARGET static void NAME(copy_bits)(const uint8_t *restrict src, size_t src_bit, size_t count,
                                   uint8_t *restrict dst, size_t dst_bit)
{
    uint32_t shift = src_bit & 7;

    if (count == 0)
        return;
    src += src_bit >> 3;
    dst += dst_bit >> 3;
    if ((dst_bit & 7) != 0) {
        const uint32_t head = put_head(dst++, dst_bit & 7, bits_at(src, shift), count);
        src += (shift + head) >> 3;
        shift = (shift + head) & 7;
        count -= head;
    }
    for (; count >= 64; count -= 64, src += 8, dst += 8) {
        const uint64_t word = bits_at(src, shift);
        memcpy(dst, &word, 8);
    }
    if (count > 0)
        put_tail(dst, bits_at(src, shift), (uint32_t)count);
}

TARGET static void NAME(pack_bools)(const uint8_t *restrict src, size_t count,
                                    uint8_t *restrict dst, size_t dst_bit)
{
    if (count == 0)
        return;
    dst += dst_bit >> 3;
    if ((dst_bit & 7) != 0) {
        const uint32_t head = put_head(dst++, dst_bit & 7, pack_eight(src), count);
        src += head;
        count -= head;
    }
    for (; count >= 8; count -= 8, src += 8)
        *dst++ = pack_eight(src);
    if (count > 0)
        put_tail(dst, pack_eight(src), (uint32_t)count);
}

TARGET static void NAME(unpack_bools)(const uint8_t *restrict src, size_t src_bit, size_t count,
                                      uint8_t *restrict dst)
{
    const uint32_t shift = src_bit & 7;

    if (count == 0)
        return;
    src += src_bit >> 3;
    for (size_t i = 0; i < count; i += 8, src++) {
        /* A copy of the eight bits in each byte, one bit of each kept, brought down to bit 0. */
        const uint64_t byte = weir_load16(src) >> shift & 0xff;
        const uint64_t each = byte * 0x0101010101010101 & 0x8040201008040201;
        const uint64_t ones = (each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
        memcpy(dst + i, &ones, 8);
    }
}

TARGET static uint32_t NAME(prefix_32)(const uint32_t *delta, size_t count, uint32_t last,
                                       uint32_t least, uint32_t *dst)
{
    for (size_t i = 0; i < count; i++) {
        last += least + weir_load32(delta + i);
        dst[i] = last;
    }
    return last;
}

TARGET static uint64_t NAME(prefix_64)(const uint64_t *delta, size_t count, uint64_t last,
                                       uint64_t least, uint64_t *dst)
{
    for (size_t i = 0; i < count; i++) {
        last += least + weir_load64(delta + i);
        dst[i] = last;
    }
    return last;
}

/* `part` bytes of each value, put together in a word; inlined, so that it is a constant. */
TARGET static inline __attribute__((always_inline)) void
NAME(join_part)(const uint8_t *restrict src, size_t stride, size_t part, size_t width, size_t count,
                uint8_t *restrict dst)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (size_t k = 0; k < part; k++)
            word |= (uint64_t)src[k * stride + i] << 8 * k;
        memcpy(dst + i * width, &word, part);
    }
}

TARGET static void NAME(join_streams)(const uint8_t *src, size_t stride, size_t width, size_t count,
                                      uint8_t *dst)
{
    size_t k = 0;

    if (count == 0)
        return;
    for (; k + 8 <= width; k += 8)
        NAME(join_part)(src + k * stride, stride, 8, width, count, dst + k);
    for (; k + 4 <= width; k += 4)
        NAME(join_part)(src + k * stride, stride, 4, width, count, dst + k);
    for (; k < width; k++)
        NAME(join_part)(src + k * stride, stride, 1, width, count, dst + k);
}

TARGET static void NAME(i32_to_i64)(const int32_t *restrict src, size_t count,
                                    int64_t *restrict dst)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = (int32_t)weir_load32(src + i);
}

TARGET static void NAME(u32_to_i64)(const uint32_t *restrict src, size_t count,
                                    int64_t *restrict dst)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = weir_load32(src + i);
}

TARGET static void NAME(i32_to_f64)(const int32_t *restrict src, size_t count, double *restrict dst)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = (int32_t)weir_load32(src + i);
}

TARGET static void NAME(f32_to_f64)(const float *restrict src, size_t count, double *restrict dst)
{
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, (const uint8_t *)src + i * sizeof value, sizeof value);
        dst[i] = (double)value;
    }
}

/* A block whose values are all within 2^53 needs no closer look; in another each value is looked
 * at: it survives when it has at most 53 significant bits. */
TARGET static size_t NAME(i64_to_f64)(const int64_t *restrict src, size_t count,
                                      double *restrict dst)
{
    const uint64_t limit = (uint64_t)1 << 53;

    for (size_t i = 0; i < count; i += 64) {
        const size_t n = count - i < 64 ? count - i : 64;
        uint64_t far = 0;
        for (size_t k = 0; k < n; k++) {
            const uint64_t value = weir_load64(src + i + k);
            far |= (value + limit) & ~(2 * limit - 1);
            dst[i + k] = (double)(int64_t)value;
        }
        for (size_t k = 0; far != 0 && k < n; k++) {
            if (!fits_double((int64_t)weir_load64(src + i + k)))
                return i + k;
        }
    }
    return count;
}

/* Whole blocks into the slack: a loop that compilers make wide. */
TARGET static void NAME(low_bytes)(const uint32_t *restrict src, size_t count,
                                   uint8_t *restrict dst)
{
    for (size_t i = 0; i < count; i += 16)
        for (size_t k = 0; k < 16; k++)
            dst[i + k] = (uint8_t)src[i + k];
}

/* Eight bytes at a time: the low seven bits of each are compared by a subtraction that can't borrow
 * from the byte above, the high ones by themselves. */
TARGET static void NAME(mask_at_least)(const uint8_t *src, size_t count, uint8_t least,
                                       uint8_t *mask)
{
    const uint64_t each = 0x0101010101010101u, high = each << 7, all = each * least;

    for (size_t i = 0; i < count; i += 8) {
        const uint64_t bytes = weir_load64(src + i);
        const uint64_t low = (bytes | high) - (all & ~high);
        const uint64_t is = ((bytes & ~all) | (~(bytes ^ all) & low)) & high;

        mask[i / 8] = (uint8_t)(((is >> 7) * 0x0102040810204080u) >> 56);
    }
    end_mask(mask, count);
}

TARGET static size_t NAME(squeeze_bits)(const uint8_t *bits, const uint8_t *mask, size_t count,
                                        uint8_t *dst, size_t dst_bit)
{
    size_t set = 0;

    for (size_t i = 0; i < count; i += 64) {
        const uint64_t all = weir_load64(bits + i / 8);
        uint64_t left = weir_load64(mask + i / 8), out = left == UINT64_MAX ? all : 0;
        unsigned n = 0;

        for (uint64_t m = left == UINT64_MAX ? 0 : left; m; m &= m - 1)
            out |= (all >> __builtin_ctzll(m) & 1) << n++;
        put_bits(dst, dst_bit, out);
        dst_bit += (size_t)__builtin_popcountll(left);
        set += (size_t)__builtin_popcountll(out);
    }
    return set;
}

TARGET static void NAME(list_offsets)(const uint8_t *slots, const uint8_t *elements, size_t count,
                                      int32_t first, int32_t *dst)
{
    for (size_t i = 0; i < count; i += 64) {
        const uint64_t inner = weir_load64(elements + i / 8);

        for (uint64_t outer = weir_load64(slots + i / 8); outer; outer &= outer - 1)
            *dst++ = first + (int32_t)__builtin_popcountll(inner & ((outer & -outer) - 1));
        first += (int32_t)__builtin_popcountll(inner);
    }
}
