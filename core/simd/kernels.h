/* SPDX-License-Identifier: Apache-2.0
 * kernels.h: the inner loops, one table a CPU level, chosen once a context. All tables give the
 * same bytes. Sources may be read up to 64 bytes past their end and destinations written up to 64
 * bytes past theirs (WEIR_SLACK), unless said otherwise. Sources may have any alignment. Bits count
 * from the least significant. */
#ifndef WEIR_CORE_KERNELS_H
#define WEIR_CORE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_kernels {
    const char *name; /* "scalar", "avx2", "avx512", "avx512_gather", "neon" */

    /* `count` values of `width` bits (0 to 32; to 64), starting at bit 0 of src. Reads at most
     * ceil(count * width / 8) + 64 bytes. */
    void (*unpack_u32)(const uint8_t *src, uint32_t width, size_t count, uint32_t *dst);
    void (*unpack_u64)(const uint8_t *src, uint32_t width, size_t count, uint64_t *dst);
    /* Runs of the RLE/bit-packing hybrid (parquet-format Encodings.md) of values of `width` bits (1
     * to 32): as many as are whole before `end` and in `room` values, from `*at` on, which moves
     * past them. Gives how many values they hold. Stops before a run that is empty, or so long that
     * its header takes more than two bytes. Reads at most 64 bytes past `end`. */
    size_t (*unpack_runs)(const uint8_t **at, const uint8_t *end, uint32_t width, size_t room,
                          uint32_t *dst);
    /* The same, with the entry of each code out of a table of one or more in place of the code.
     * `*most` rises to the largest code met: one that is not below `entries` has some entry. */
    size_t (*look_up_runs_64)(const uint8_t **at, const uint8_t *end, uint32_t width, size_t room,
                              const uint64_t *table, size_t entries, uint64_t *dst, uint32_t *most);
    /* Largest of `count` codes, 0 for none. */
    uint32_t (*max_u32)(const uint32_t *codes, size_t count);
    /* dst[i] = table[codes[i]]; codes were checked; entries of 4, 8 bytes, or `width` bytes. */
    void (*gather_32)(const uint32_t *table, size_t entries, const uint32_t *codes, size_t count,
                      uint32_t *dst);
    void (*gather_64)(const uint64_t *table, size_t entries, const uint32_t *codes, size_t count,
                      uint64_t *dst);
    void (*gather_wide)(const uint8_t *table, size_t width, const uint32_t *codes, size_t count,
                        uint8_t *dst);
    /* Spreads dense values over `rows` slots: where bit i of `present` is set the next value of
     * src, else zero. dst and src don't overlap. */
    void (*spread_8)(const uint8_t *src, const uint8_t *present, size_t rows, uint8_t *dst);
    void (*spread_32)(const uint32_t *src, const uint8_t *present, size_t rows, uint32_t *dst);
    void (*spread_64)(const uint64_t *src, const uint8_t *present, size_t rows, uint64_t *dst);
    void (*spread_wide)(const uint8_t *src, size_t width, const uint8_t *present, size_t rows,
                        uint8_t *dst);
    /* Both in one: a row whose bit is set gets the entry of the next code, another zero. */
    void (*gather_spread_32)(const uint32_t *table, size_t entries, const uint32_t *codes,
                             const uint8_t *present, size_t rows, uint32_t *dst);
    void (*gather_spread_64)(const uint64_t *table, size_t entries, const uint32_t *codes,
                             const uint8_t *present, size_t rows, uint64_t *dst);
    /* Set bits among the first `count`. */
    size_t (*count_bits)(const uint8_t *bits, size_t count);
    /* `count` bits of src from bit `src_bit` to dst from bit `dst_bit`; other bits of dst's last
     * byte become 0, earlier ones stay; nothing is written past the last byte. */
    void (*copy_bits)(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst,
                      size_t dst_bit);
    /* Bytes of 0 or 1 to bits, from bit `dst_bit` on; as copy_bits otherwise. */
    void (*pack_bools)(const uint8_t *src, size_t count, uint8_t *dst, size_t dst_bit);
    void (*unpack_bools)(const uint8_t *src, size_t src_bit, size_t count, uint8_t *dst);
    /* DELTA_BINARY_PACKED: dst[i] = last + (i + 1) * least + delta[0] + ... + delta[i], wrapping.
     * dst may be delta. Return the last value; `last` for count 0. */
    uint32_t (*prefix_32)(const uint32_t *delta, size_t count, uint32_t last, uint32_t least,
                          uint32_t *dst);
    uint64_t (*prefix_64)(const uint64_t *delta, size_t count, uint64_t last, uint64_t least,
                          uint64_t *dst);
    /* BYTE_STREAM_SPLIT: value i is src[i], src[stride + i], src[2 * stride + i] ... */
    void (*join_streams)(const uint8_t *src, size_t stride, size_t width, size_t count,
                         uint8_t *dst);
    /* The lowest byte of each. */
    void (*low_bytes)(const uint32_t *src, size_t count, uint8_t *dst);
    /* Levels of nested columns. Masks have 8 bytes of room past their last, which become 0, as do
     * the bits past `count`. Bit i: src[i] is at least `least`. */
    void (*mask_at_least)(const uint8_t *src, size_t count, uint8_t least, uint8_t *mask);
    /* Bits of `bits` where `mask` has one, side by side, to dst from bit `dst_bit` on; how many of
     * them are set. At most 16 bytes past the last bit are written. */
    size_t (*squeeze_bits)(const uint8_t *bits, const uint8_t *mask, size_t count, uint8_t *dst,
                           size_t dst_bit);
    /* For each bit of `slots` in turn: `first` plus the bits of `elements` below it. */
    void (*list_offsets)(const uint8_t *slots, const uint8_t *elements, size_t count, int32_t first,
                         int32_t *dst);
    /* Casts. The checked one returns how many came out exactly: fewer than count at the first
     * that did not. */
    void (*i32_to_i64)(const int32_t *src, size_t count, int64_t *dst);
    void (*u32_to_i64)(const uint32_t *src, size_t count, int64_t *dst);
    void (*i32_to_f64)(const int32_t *src, size_t count, double *dst);
    void (*f32_to_f64)(const float *src, size_t count, double *dst);
    size_t (*i64_to_f64)(const int64_t *src, size_t count, double *dst);
} weir_kernels;

/* Tables this build has and this CPU can run, worst first; the number of them. */
size_t weir_kernels_all(const weir_kernels *const **out);
/* The best of them, or the one the environment variable WEIR_SIMD names. */
const weir_kernels *weir_kernels_pick(void);

#endif
