/* SPDX-License-Identifier: Apache-2.0
 * delta.c: DELTA_BINARY_PACKED. Each miniblock goes through two kernels: unpack, prefix sum.
 *
 * Header: values of a block, miniblocks of a block, values in all, the first value. A block: its
 * smallest delta, a byte of width for each miniblock, the miniblocks. In the last block the widths
 * of miniblocks that hold no value may be anything, and some writers leave out the padding of the
 * last miniblock, which then ends with its last value. A stream that is shorter in another way is
 * told: where the widths themselves are left out, data would pass for them. */
#include "formats/parquet/delta.h"

#include "core/bits.h"
#include "formats/parquet/rle.h"

static bool fail(weir_delta *delta, const char *why)
{
    delta->why = why;
    return false;
}

static bool read_zigzag(weir_delta *delta, uint64_t *out)
{
    uint64_t raw;

    if (!weir_varint(&delta->at, delta->end, &raw))
        return false;
    *out = (raw >> 1) ^ -(raw & 1);
    return true;
}

bool weir_delta_init(weir_delta *delta, const uint8_t *data, size_t size)
{
    uint64_t block_size;

    *delta = (weir_delta){ .at = data, .end = data + size, .is_first = true };
    if (!weir_varint(&delta->at, delta->end, &block_size) ||
        !weir_varint(&delta->at, delta->end, &delta->mini_count) ||
        !weir_varint(&delta->at, delta->end, &delta->total) || !read_zigzag(delta, &delta->last))
        return fail(delta, "the header is cut");
    delta->left = delta->total;
    delta->mini = delta->mini_count;
    if (delta->total <= 1)
        return true;
    if (delta->mini_count == 0 || block_size % delta->mini_count)
        return fail(delta, "blocks can't be cut into miniblocks");
    delta->mini_size = block_size / delta->mini_count;
    /* The format says multiples of 32; eight is what lets a miniblock end at a whole byte. */
    if (delta->mini_size == 0 || delta->mini_size % 8 || delta->mini_size > UINT32_MAX)
        return fail(delta, "a miniblock's size is no multiple of 8");
    return true;
}

/* Before any value of a block is given: its widths are there and make sense, and so is each
 * miniblock that holds one. Only the last may lack its padding, all of it. */
static bool check_block(weir_delta *delta, uint64_t width_count)
{
    uint64_t room = (uint64_t)(delta->end - delta->at), left = delta->left;

    for (uint64_t mini = 0; mini < delta->mini_count && left > 0; mini++) {
        const uint64_t held = weir_min_u64(left, delta->mini_size);
        uint64_t size;

        if (mini == width_count)
            return fail(delta, "the stream ends among the widths of a block");
        if (delta->widths[mini] > 64)
            return fail(delta, "deltas of more than 64 bits");
        size = delta->mini_size / 8 * delta->widths[mini];
        if (size > room && held < delta->mini_size && room == (held * delta->widths[mini] + 7) / 8)
            size = room;
        if (size > room)
            return fail(delta, "a block is cut");
        room -= size;
        left -= held;
    }
    return true;
}

static bool load_block(weir_delta *delta)
{
    uint64_t width_count;

    if (!read_zigzag(delta, &delta->least))
        return fail(delta, "the stream ends too soon");
    width_count = weir_min_u64(delta->mini_count, (uint64_t)(delta->end - delta->at));
    delta->widths = delta->at;
    delta->at += width_count;
    delta->mini = 0;
    return check_block(delta, width_count);
}

/* The next miniblock, which is needed for a value. */
static bool load_mini(weir_delta *delta)
{
    if (delta->mini == delta->mini_count && !load_block(delta))
        return false;
    delta->width = delta->widths[delta->mini++];
    delta->packed = delta->at;
    delta->mini_taken = 0;
    delta->mini_left = weir_min_u64(delta->mini_size, delta->left);
    delta->at +=
        weir_min_u64(delta->mini_size / 8 * delta->width, (uint64_t)(delta->end - delta->at));
    return true;
}

/* The next values that lie in one miniblock, at most `count`; 0: there are none. */
static size_t take(weir_delta *delta, size_t count, uint64_t *first)
{
    size_t n;

    if (delta->why)
        return 0;
    if (delta->left == 0) {
        delta->why = "the stream holds too few values";
        return 0;
    }
    if (delta->mini_left == 0 && !load_mini(delta))
        return 0;
    n = weir_min_u64(weir_min_u64(count, delta->left), delta->mini_left);
    *first = delta->mini_taken;
    delta->mini_taken += n;
    delta->mini_left -= n;
    delta->left -= n;
    return n;
}

/* The first value stands in the header. */
static bool take_first(weir_delta *delta, size_t count)
{
    if (!delta->is_first || delta->left == 0 || count == 0)
        return false;
    delta->is_first = false;
    delta->left--;
    return true;
}

/* Values `first` to `first + count` of the miniblock, which begin anywhere: see
 * weir_unpack_from. */
static void unpack_64(const weir_delta *delta, const weir_kernels *kernels, uint64_t first,
                      size_t count, uint64_t *dst)
{
    const uint8_t *src = delta->packed + (first >> 3) * delta->width;
    const uint32_t within = first & 7;

    if (within) {
        uint64_t eight[8 + 8];
        const size_t head = weir_min_u64(8 - within, count);

        kernels->unpack_u64(src, delta->width, within + head, eight);
        memcpy(dst, eight + within, head * sizeof *dst);
        src += delta->width;
        dst += head;
        count -= head;
    }
    if (count)
        kernels->unpack_u64(src, delta->width, count, dst);
}

/* Deltas of more than 32 bits between values of 32: the sums wrap, so that the low half is all
 * that counts. */
static void unpack_wide_32(const weir_delta *delta, const weir_kernels *kernels, uint64_t first,
                           size_t count, uint32_t *dst)
{
    uint64_t wide[64 + 8];

    for (size_t i = 0; i < count; i += 64) {
        const size_t n = weir_min_u64(64, count - i);

        unpack_64(delta, kernels, first + i, n, wide);
        for (size_t k = 0; k < n; k++)
            dst[i + k] = (uint32_t)wide[k];
    }
}

size_t weir_delta_next_32(weir_delta *delta, const weir_kernels *kernels, size_t count,
                          uint32_t *dst)
{
    size_t done = 0;

    if (take_first(delta, count))
        dst[done++] = (uint32_t)delta->last;
    while (done < count) {
        uint64_t first;
        const size_t n = take(delta, count - done, &first);

        if (n == 0)
            break;
        if (delta->width > 32)
            unpack_wide_32(delta, kernels, first, n, dst + done);
        else
            weir_unpack_from(kernels, delta->packed, delta->width, first, n, dst + done);
        delta->last = kernels->prefix_32(dst + done, n, (uint32_t)delta->last,
                                         (uint32_t)delta->least, dst + done);
        done += n;
    }
    return done;
}

size_t weir_delta_next_64(weir_delta *delta, const weir_kernels *kernels, size_t count,
                          uint64_t *dst)
{
    size_t done = 0;

    if (take_first(delta, count))
        dst[done++] = delta->last;
    while (done < count) {
        uint64_t first;
        const size_t n = take(delta, count - done, &first);

        if (n == 0)
            break;
        unpack_64(delta, kernels, first, n, dst + done);
        delta->last = kernels->prefix_64(dst + done, n, delta->last, delta->least, dst + done);
        done += n;
    }
    return done;
}

size_t weir_delta_skip(weir_delta *delta, const weir_kernels *kernels, size_t count)
{
    uint64_t values[256 + 8];
    size_t done = 0;

    /* Sums of 64 bits have the right low halves for a stream of 32 as well. */
    while (done < count) {
        const size_t want = weir_min_u64(256, count - done);
        const size_t n = weir_delta_next_64(delta, kernels, want, values);

        done += n;
        if (n < want)
            break;
    }
    return done;
}

bool weir_delta_find_end(const weir_delta *delta, const uint8_t **out)
{
    weir_delta ahead = *delta;

    ahead.left -= ahead.is_first && ahead.left > 0;
    ahead.left -= weir_min_u64(ahead.left, ahead.mini_left);
    while (ahead.left > 0) {
        if (!load_mini(&ahead))
            return false;
        ahead.left -= weir_min_u64(ahead.left, ahead.mini_left);
    }
    /* Miniblocks without a value have no bytes, whatever their widths say. */
    *out = ahead.at;
    return true;
}
