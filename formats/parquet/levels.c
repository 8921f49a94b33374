/* SPDX-License-Identifier: Apache-2.0
 * levels.c: where a page keeps its definition levels, and what they are: for a flat column a bit a
 * row, which is its validity bitmap. parquet-format README.md "Data Pages", Encodings.md "RLE" and
 * "BIT_PACKED". */
#include "formats/parquet/levels.h"

#include "core/bits.h"

static bool fail(weir_levels *levels, const char *why)
{
    levels->why = why;
    return false;
}

static void open_hybrid(weir_levels *levels, const uint8_t *data, size_t size)
{
    levels->kind = WEIR_LEVELS_HYBRID;
    weir_rle_init(&levels->rle, data, size, 1);
}

/* v2: both sizes stand in the header. No bytes where all rows are alike, by some writers. */
static bool open_v2(weir_levels *levels, const weir_levels_page *page, weir_view plain,
                    weir_view *values)
{
    const uint64_t before = (uint64_t)page->repetition_size + page->definition_size;

    if (before > plain.size)
        return fail(levels, "their lengths reach past the page's end");
    *values = (weir_view){ plain.data + before, plain.size - before };
    if (!page->is_optional)
        return page->null_count <= 0 || fail(levels, "nulls in a required column");
    if (page->definition_size)
        open_hybrid(levels, plain.data + page->repetition_size, page->definition_size);
    else if (page->null_count == page->slot_count)
        levels->kind = WEIR_LEVELS_NULL;
    else if (page->null_count != 0)
        return fail(levels, "there are none, and some rows are null");
    return true;
}

/* The two orders of bits can be told apart only by the last byte, if it isn't full: its other bits
 * are zero. Where that says nothing the format's order, most significant first, holds. */
static bool is_lsb_first(const uint8_t *bits, uint64_t count)
{
    const uint32_t used = count & 7;
    const uint8_t last = used ? bits[count >> 3] : 0;

    return (last & (0xffu >> used)) != 0 && last >> used == 0;
}

static bool open_bit_packed(weir_levels *levels, uint64_t slots, weir_view plain, weir_view *values)
{
    const uint64_t size = slots / 8 + (slots % 8 != 0);
    const bool is_whole = size <= plain.size;

    levels->bits = plain.data;
    levels->left = is_whole ? slots : (uint64_t)plain.size * 8;
    levels->kind = is_whole && is_lsb_first(plain.data, slots) ? WEIR_LEVELS_LSB : WEIR_LEVELS_MSB;
    *values = is_whole ? (weir_view){ plain.data + size, plain.size - size }
                       : (weir_view){ plain.data + plain.size, 0 };
    return true;
}

static bool open_v1(weir_levels *levels, weir_view plain, weir_view *values)
{
    uint32_t size;

    if (plain.size < 4)
        return fail(levels, "the page ends before them");
    size = weir_load32(plain.data);
    if (size > plain.size - 4)
        return fail(levels, "their length reaches past the page's end");
    open_hybrid(levels, plain.data + 4, size);
    *values = (weir_view){ plain.data + 4 + size, plain.size - 4 - size };
    return true;
}

bool weir_levels_init(weir_levels *levels, const weir_levels_page *page, weir_view plain,
                      weir_view *values)
{
    memset(levels, 0, sizeof *levels);
    if (page->is_v2)
        return open_v2(levels, page, plain, values);
    if (!page->is_optional) {
        *values = plain;
        return true;
    }
    if (page->slot_count == 0) {
        *values = (weir_view){ plain.data, 0 };
        return true;
    }
    if (page->is_bit_packed)
        return open_bit_packed(levels, (uint64_t)page->slot_count, plain, values);
    return open_v1(levels, plain, values);
}

static uint8_t reverse(uint8_t byte)
{
    uint32_t b = byte;

    b = (b & 0xf0) >> 4 | (b & 0x0f) << 4;
    b = (b & 0xcc) >> 2 | (b & 0x33) << 2;
    return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

static size_t next_bits(weir_levels *levels, const weir_kernels *kernels, size_t rows,
                        uint8_t *present)
{
    uint8_t turned[WEIR_SLICE / 8 + 1 + 64];
    const size_t n = weir_min_u64(rows, levels->left);
    const uint8_t *src = levels->bits + (levels->at >> 3);
    const size_t within = levels->at & 7;

    if (levels->kind == WEIR_LEVELS_MSB) {
        const size_t size = (within + n + 7) >> 3;

        for (size_t i = 0; i < size; i++)
            turned[i] = reverse(src[i]);
        memset(turned + size, 0, 64);
        src = turned;
    }
    if (n)
        kernels->copy_bits(src, within, n, present, 0);
    levels->at += n;
    levels->left -= n;
    if (n < rows)
        levels->why = "the bits end too soon";
    return n;
}

size_t weir_levels_next(weir_levels *levels, const weir_kernels *kernels, size_t rows,
                        uint8_t *present, size_t *count)
{
    size_t done;
    uint32_t value;

    switch (levels->kind) {
    case WEIR_LEVELS_NONE:
        *count = rows;
        return rows;
    case WEIR_LEVELS_NULL:
        memset(present, 0, weir_bits_size((int64_t)rows));
        *count = 0;
        return rows;
    case WEIR_LEVELS_HYBRID:
        if (weir_rle_is_run(&levels->rle, rows, &value) && value == 1) {
            *count = weir_rle_skip(&levels->rle, rows);
            return rows;
        }
        done = weir_rle_bits(&levels->rle, kernels, rows, present, 0);
        levels->why = levels->rle.why;
        break;
    default:
        done = next_bits(levels, kernels, rows, present);
    }
    *count = kernels->count_bits(present, done);
    return done;
}
