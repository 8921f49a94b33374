/* SPDX-License-Identifier: Apache-2.0
 * bits.h: bits and bytes without state. */
#ifndef WEIR_CORE_BITS_H
#define WEIR_CORE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t weir_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t weir_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t weir_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline bool weir_bit(const uint8_t *bits, int64_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

static inline void weir_bit_set(uint8_t *bits, int64_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

static inline size_t weir_bits_size(int64_t count)
{
    return (size_t)((count + 7) >> 3);
}

static inline uint64_t weir_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int64_t weir_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Sets bits [first, first + count); those after them in the last byte are cleared. */
static inline void weir_bits_fill(uint8_t *bits, int64_t first, int64_t count)
{
    const int64_t end = first + count;

    while (first < end && (first & 7))
        weir_bit_set(bits, first++);
    memset(bits + (first >> 3), 0xff, (size_t)((end - first) >> 3));
    first += (end - first) & ~(int64_t)7;
    if (first < end)
        bits[first >> 3] = (uint8_t)((1u << (end - first)) - 1);
}

static inline size_t weir_align64(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

/* Where both ends have 32 bytes to spare, so that what is short is one wide copy. */
static inline void weir_copy_short(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size <= 32)
        memcpy(to, from, 32);
    else
        memcpy(to, from, size);
}

#endif
