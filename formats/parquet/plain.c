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

/* One value: its length and its bytes, both inside. */
static inline bool next_view(weir_plain *plain, weir_view *out)
{
    const size_t there = (size_t)(plain->end - plain->at);
    uint32_t size;

    if (there < 4) {
        plain->why = too_few;
        return false;
    }
    size = weir_load32(plain->at);
    if (size > there - 4) {
        plain->why = "a value's length reaches past the end";
        return false;
    }
    *out = (weir_view){ plain->at + 4, size };
    plain->at += 4 + (size_t)size;
    return true;
}

size_t weir_plain_views(weir_plain *plain, size_t count, weir_view *dst)
{
    size_t done = 0;

    while (done < count && next_view(plain, dst + done))
        done++;
    return done;
}

size_t weir_plain_skip_views(weir_plain *plain, size_t count)
{
    size_t done = 0;
    weir_view view;

    while (done < count && next_view(plain, &view))
        done++;
    return done;
}
