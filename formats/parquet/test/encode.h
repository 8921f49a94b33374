/* SPDX-License-Identifier: Apache-2.0
 * encode.h: writers of Parquet's encodings for tests, a bit at a time, as the format's text says
 * it; nothing here is shared with the decoders. */
#ifndef WEIR_PARQUET_TEST_ENCODE_H
#define WEIR_PARQUET_TEST_ENCODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that grow; `bit` is the next free bit of the last byte, 0: none is begun. */
typedef struct bytes {
    uint8_t *data;
    size_t size, room;
    uint32_t bit;
} bytes;

static inline void bytes_free(bytes *b)
{
    free(b->data);
    *b = (bytes){ 0 };
}

static inline void put_byte(bytes *b, uint32_t byte)
{
    if (b->size == b->room) {
        b->room = b->room * 2 + 256;
        b->data = realloc(b->data, b->room);
        if (!b->data)
            abort();
    }
    b->data[b->size++] = (uint8_t)byte;
    b->bit = 0;
}

static inline void put_raw(bytes *b, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_byte(b, ((const uint8_t *)data)[i]);
}

static inline void put_u32(bytes *b, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put_byte(b, value >> (8 * i) & 0xff);
}

static inline void put_varint(bytes *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(b, (uint32_t)(value & 0x7f) | 0x80);
    put_byte(b, (uint32_t)value);
}

static inline void put_zigzag(bytes *b, int64_t value)
{
    put_varint(b, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

/* Least significant bit first. */
static inline void put_bits(bytes *b, uint64_t value, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = b->bit;

        if (bit == 0)
            put_byte(b, 0);
        if (value >> i & 1)
            b->data[b->size - 1] |= (uint8_t)(1u << bit);
        b->bit = (bit + 1) & 7;
    }
}

/* Ends the byte that was begun. */
static inline void put_align(bytes *b)
{
    b->bit = 0;
}

/* `count` times `value`. */
static inline void put_rle_run(bytes *b, uint32_t width, uint64_t count, uint32_t value)
{
    put_varint(b, count << 1);
    for (uint32_t i = 0; i < (width + 7) / 8; i++)
        put_byte(b, value >> (8 * i) & 0xff);
}

/* `count` values in groups of eight, the last filled up with `fill`. */
static inline void put_rle_packed(bytes *b, uint32_t width, const uint32_t *values, size_t count,
                                  uint32_t fill)
{
    const size_t groups = (count + 7) / 8;

    put_varint(b, (uint64_t)groups << 1 | 1);
    put_align(b);
    for (size_t i = 0; i < groups * 8; i++)
        put_bits(b, i < count ? values[i] : fill, width);
    put_align(b);
}

/* How DELTA_BINARY_PACKED cuts its blocks, and what a writer may leave out. */
typedef struct delta_shape {
    size_t block_size, mini_count;
    bool has_no_padding; /* the last miniblock ends with its last value */
    uint8_t junk_width;  /* the width of miniblocks without a value */
} delta_shape;

static inline uint32_t bits_needed(uint64_t value)
{
    uint32_t n = 0;

    for (; value; value >>= 1)
        n++;
    return n;
}

/* Values of `bits` (32 or 64) bits; deltas wrap at that size, as a 32-bit writer's do. */
static inline void put_delta(bytes *b, const uint64_t *values, size_t count, uint32_t bits,
                             delta_shape shape)
{
    const size_t mini = shape.block_size / shape.mini_count;
    const uint64_t mask = bits == 64 ? UINT64_MAX : 0xffffffff;

    put_varint(b, shape.block_size);
    put_varint(b, shape.mini_count);
    put_varint(b, count);
    put_zigzag(b, count ? (bits == 64 ? (int64_t)values[0] : (int32_t)values[0]) : 0);
    for (size_t at = 1; at < count; at += shape.block_size) {
        const size_t n = count - at < shape.block_size ? count - at : shape.block_size;
        int64_t least = INT64_MAX;

        for (size_t i = 0; i < n; i++) {
            const uint64_t wide = (values[at + i] - values[at + i - 1]) & mask;
            const int64_t delta = bits == 64 ? (int64_t)wide : (int32_t)wide;
            if (delta < least)
                least = delta;
        }
        put_zigzag(b, least);
        uint32_t *widths = calloc(shape.mini_count, sizeof *widths);
        for (size_t m = 0; m < shape.mini_count; m++) {
            for (size_t i = m * mini; i < n && i < (m + 1) * mini; i++) {
                const uint32_t need =
                    bits_needed((values[at + i] - values[at + i - 1] - (uint64_t)least) & mask);
                if (need > widths[m])
                    widths[m] = need;
            }
            put_byte(b, m * mini < n ? widths[m] : shape.junk_width);
        }
        for (size_t m = 0; m * mini < n; m++) {
            const size_t here = shape.has_no_padding && n - m * mini < mini ? n - m * mini : mini;
            put_align(b);
            for (size_t i = m * mini; i < m * mini + here; i++)
                put_bits(b,
                         i < n ? (values[at + i] - values[at + i - 1] - (uint64_t)least) & mask : 0,
                         widths[m]);
            put_align(b);
        }
        free(widths);
    }
}

/* A small generator: the same numbers everywhere. */
static inline uint64_t draw(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

#endif
