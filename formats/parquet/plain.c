/* SPDX-License-Identifier: Apache-2.0
 * plain.c: PLAIN. */
#include "formats/parquet/plain.h"

#include "core/bits.h"

static const char too_few[] = "the bytes end too soon";

void weir_plain_init(weir_plain *plain, const uint8_t *data, size_t size, size_t width)
{
    *plain = (weir_plain){ .at = data, .end = data + size, .width = width };
}

size_t weir_plain_skip_fixed(weir_plain *plain, size_t count)
{
    const size_t there = (size_t)(plain->end - plain->at) / plain->width;
    const size_t n = weir_min_u64(count, there);

    if (n < count)
        plain->why = too_few;
    plain->at += n * plain->width;
    return n;
}

size_t weir_plain_fixed(weir_plain *plain, size_t count, uint8_t *dst)
{
    const uint8_t *src = plain->at;
    const size_t n = weir_plain_skip_fixed(plain, count);

    if (n)
        memcpy(dst, src, n * plain->width);
    return n;
}

size_t weir_plain_skip_bools(weir_plain *plain, size_t count)
{
    const size_t there = (size_t)(plain->end - plain->at) * 8 - plain->bit;
    const size_t n = weir_min_u64(count, there);

    if (n < count)
        plain->why = too_few;
    plain->bit += n;
    return n;
}

size_t weir_plain_bools(weir_plain *plain, const weir_kernels *kernels, size_t count, uint8_t *dst)
{
    const size_t first = plain->bit;
    const size_t n = weir_plain_skip_bools(plain, count);

    if (n)
        kernels->unpack_bools(plain->at, first, n, dst);
    return n;
}

/* How many of `count` values, each a length and its bytes, lie inside; `*stream` goes behind them.
 * The place stays in a register: each value waits for the length of the one before. */
static size_t walk_views(weir_plain *stream, size_t count, weir_view *dst)
{
    const uint8_t *at = stream->at, *const end = stream->end;
    size_t done = 0;

    for (; done < count; done++) {
        const size_t there = (size_t)(end - at);
        const size_t size = there < 4 ? 0 : weir_load32(at);

        if (there < 4 || size > there - 4) {
            stream->why = there < 4 ? too_few : "a value's length reaches past the end";
            break;
        }
        if (dst)
            dst[done] = (weir_view){ at + 4, size };
        at += 4 + size;
    }
    stream->at = at;
    return done;
}

size_t weir_plain_views(weir_plain *plain, size_t count, weir_view *dst)
{
    return walk_views(plain, count, dst);
}

size_t weir_plain_skip_views(weir_plain *plain, size_t count)
{
    return walk_views(plain, count, NULL);
}
