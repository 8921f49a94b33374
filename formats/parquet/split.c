/* SPDX-License-Identifier: Apache-2.0
 * split.c: BYTE_STREAM_SPLIT. */
#include "formats/parquet/split.h"

#include "core/bits.h"

bool weir_split_init(weir_split *split, const uint8_t *data, size_t size, size_t width,
                     size_t count)
{
    *split = (weir_split){ .data = data, .width = width, .count = count };
    return size % width == 0 && size / width == count;
}

size_t weir_split_skip(weir_split *split, size_t count)
{
    const size_t n = weir_min_u64(count, split->count - split->at);

    split->at += n;
    return n;
}

size_t weir_split_next(weir_split *split, const weir_kernels *kernels, size_t count, uint8_t *dst)
{
    const uint8_t *src = split->data + split->at;
    const size_t n = weir_split_skip(split, count);

    if (n)
        kernels->join_streams(src, split->count, split->width, n, dst);
    return n;
}
