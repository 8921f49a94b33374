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

#endif
