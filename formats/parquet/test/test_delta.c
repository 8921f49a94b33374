/* SPDX-License-Identifier: Apache-2.0
 * test_delta.c: DELTA_BINARY_PACKED against a writer of its own: every width of both sizes, in
 * slices of every size, cut at every byte, with what writers leave out. */
#include "formats/parquet/delta.h"

#include "encode.h"
#include "guard.h"

#include <criterion/criterion.h>

enum {
    MOST = 700
};

static const delta_shape shapes[] = {
    { 128, 4, false, 0 }, { 128, 4, true, 0 },    { 128, 4, false, 255 }, { 256, 8, true, 77 },
    { 128, 1, false, 0 }, { 1024, 4, false, 65 }, { 32, 4, true, 0 },
};

/* Values whose deltas need about `width` bits; at the full width they wrap. */
static void make(uint64_t *values, size_t count, uint32_t bits, uint32_t width, uint64_t seed)
{
    const uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    uint64_t value = draw(&seed);

    for (size_t i = 0; i < count; i++) {
        values[i] = bits == 64 ? value : (uint32_t)value;
        value += (draw(&seed) & mask) - (mask >> 1);
    }
}

/* The next `n` values, as 64-bit numbers whatever their size. */
static size_t next(weir_delta *delta, const weir_kernels *kernels, uint32_t bits, size_t n,
                   uint64_t *out)
{
    uint32_t narrow[MOST + 16];
    size_t got;

    if (bits == 64)
        return weir_delta_next_64(delta, kernels, n, out);
    got = weir_delta_next_32(delta, kernels, n, narrow);
    for (size_t i = 0; i < got; i++)
        out[i] = narrow[i];
    return got;
}

static void expect_values(const uint64_t *values, size_t count, uint32_t bits, const uint8_t *data,
                          size_t size, size_t step, const weir_kernels *kernels)
{
    uint64_t got[MOST + 8];
    weir_delta delta;

    cr_assert(weir_delta_init(&delta, data, size), "%s", delta.why);
    cr_assert_eq(delta.total, count);
    for (size_t done = 0; done < count; done += step) {
        const size_t want = count - done < step ? count - done : step;
        const size_t n = next(&delta, kernels, bits, want, got);

        cr_assert_eq(n, want, "bits %u step %zu at %zu: %zu, %s", bits, step, done, n, delta.why);
        cr_assert_arr_eq(got, values + done, n * sizeof *got, "bits %u step %zu at %zu", bits, step,
                         done);
    }
    cr_assert_eq(next(&delta, kernels, bits, 1, got), 0);
    cr_assert_str_eq(delta.why, "the stream holds too few values");
}

static void every_width(uint32_t bits)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    guard g = guard_open(16384);
    uint64_t values[MOST];

    for (uint32_t width = 0; width <= bits; width++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const size_t count = 300 + (width * 7 + k * 31) % 60;
            bytes b = { 0 };

            make(values, count, bits, width, width * 100 + k);
            put_delta(&b, values, count, bits, shapes[k]);
            const uint8_t *data = guard_place(&g, b.data, b.size);
            for (size_t t = 0; t < table_count; t++)
                for (size_t step = 1; step <= count; step = step < 12 ? step + 1 : step * 2 - 7)
                    expect_values(values, count, bits, data, b.size, step, tables[t]);
            bytes_free(&b);
        }
    guard_close(&g);
}

Test(delta, every_width_of_32_bits_in_slices_of_every_size)
{
    every_width(32);
}

Test(delta, every_width_of_64_bits_in_slices_of_every_size)
{
    every_width(64);
}

Test(delta, streams_of_every_length)
{
    guard g = guard_open(16384);
    uint64_t values[MOST];

    for (uint32_t bits = 32; bits <= 64; bits += 32)
        for (size_t count = 0; count < 270; count++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                bytes b = { 0 };

                make(values, count, bits, 9, count);
                put_delta(&b, values, count, bits, shapes[k]);
                expect_values(values, count, bits, guard_place(&g, b.data, b.size), b.size, 50,
                              weir_kernels_pick());
                bytes_free(&b);
            }
    guard_close(&g);
}

/* Where only the padding is cut off, all of it, or widths before no bytes, the stream is whole;
 * else its last block isn't given. */
Test(delta, a_cut_stream_gives_the_blocks_before_the_cut)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(16384);
    uint64_t values[MOST], got[MOST + 8];

    for (uint32_t bits = 32; bits <= 64; bits += 32)
        for (uint32_t width = 0; width <= bits; width++) {
            bytes b = { 0 };
            size_t before = 0;
            int whole = 0;

            make(values, 300, bits, width, width + 5);
            put_delta(&b, values, 300, bits, shapes[width % 3]);
            for (size_t cut = 0; cut <= b.size; cut++) {
                weir_delta delta;
                size_t n = 0;

                if (weir_delta_init(&delta, guard_place(&g, b.data, cut), cut))
                    n = next(&delta, kernels, bits, MOST, got);
                cr_assert_leq(n, 300);
                cr_assert_arr_eq(got, values, n * sizeof *got, "width %u cut %zu", width, cut);
                cr_assert_not_null(delta.why);
                if (n == 300) {
                    whole++;
                    continue;
                }
                cr_assert(n == 0 || n % shapes[width % 3].block_size == 1);
                cr_assert_geq(n, before, "bits %u width %u cut %zu", bits, width, cut);
                before = n;
            }
            cr_assert_gt(whole, 0);
            bytes_free(&b);
        }
    guard_close(&g);
}

Test(delta, skipping_keeps_the_sum)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(16384);
    uint64_t values[MOST], got[MOST + 8];

    for (uint32_t bits = 32; bits <= 64; bits += 32)
        for (uint64_t round = 0; round < 60; round++) {
            uint64_t seed = round;
            bytes b = { 0 };
            weir_delta delta;
            size_t at = 0;

            make(values, MOST, bits, (uint32_t)(round % bits) + 1, round);
            put_delta(&b, values, MOST, bits, shapes[round % 7]);
            cr_assert(weir_delta_init(&delta, guard_place(&g, b.data, b.size), b.size));
            while (at < MOST) {
                const size_t skip = draw(&seed) % 300 % (MOST - at + 1);
                cr_assert_eq(weir_delta_skip(&delta, kernels, skip), skip);
                at += skip;
                const size_t read = draw(&seed) % 40 % (MOST - at + 1);
                cr_assert_eq(next(&delta, kernels, bits, read, got), read);
                cr_assert_arr_eq(got, values + at, read * sizeof *got);
                at += read;
            }
            cr_assert_eq(weir_delta_skip(&delta, kernels, 300), 0);
            bytes_free(&b);
        }
    guard_close(&g);
}

/* The bytes of DELTA_LENGTH_BYTE_ARRAY begin there. */
Test(delta, the_end_is_found_from_block_headers)
{
    const weir_kernels *kernels = weir_kernels_pick();
    uint64_t values[MOST], got[MOST + 8];

    for (size_t count = 0; count < 400; count++) {
        bytes b = { 0 };
        weir_delta delta;
        const uint8_t *end = NULL;

        make(values, count, 32, 11, count);
        put_delta(&b, values, count, 32, shapes[count % 2 * 2]);
        const size_t size = b.size;
        put_raw(&b, (uint8_t[200]){ 7 }, 200);
        cr_assert(weir_delta_init(&delta, b.data, b.size - 64));
        cr_assert(weir_delta_find_end(&delta, &end));
        cr_assert_eq((size_t)(end - b.data), size, "count %zu", count);
        next(&delta, kernels, 32, count / 3, got);
        cr_assert(weir_delta_find_end(&delta, &end));
        cr_assert_eq((size_t)(end - b.data), size, "count %zu after a third", count);
        bytes_free(&b);
    }
}

/* Some writers compute deltas of INT32 in 64 bits: they may need 33. */
Test(delta, deltas_wider_than_32_bits_fit_int32)
{
    const weir_kernels *kernels = weir_kernels_pick();
    const int64_t values[] = { INT32_MIN, INT32_MAX, INT32_MIN, 0, -1, INT32_MAX, 5 };
    uint32_t got[7 + 16];
    bytes b = { 0 };
    weir_delta delta;

    put_delta(&b, (const uint64_t *)values, 7, 64, shapes[0]);
    put_raw(&b, (uint8_t[64]){ 0 }, 64);
    for (size_t step = 1; step <= 7; step++) {
        cr_assert(weir_delta_init(&delta, b.data, b.size - 64));
        for (size_t at = 0; at < 7; at += step) {
            const size_t n = 7 - at < step ? 7 - at : step;
            cr_assert_eq(weir_delta_next_32(&delta, kernels, n, got), n);
            for (size_t i = 0; i < n; i++)
                cr_assert_eq((int32_t)got[i], values[at + i]);
        }
    }
    bytes_free(&b);
}

Test(delta, headers_that_make_no_sense_are_refused)
{
    static const struct {
        uint64_t block, minis, total;
    } bad[] = {
        { 128, 0, 2 },        { 128, 3, 2 },        { 0, 4, 2 },
        { 100, 4, 2 },        { UINT64_MAX, 1, 2 }, { UINT64_MAX - 7, 1, UINT64_MAX },
        { 1ull << 40, 4, 9 },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes b = { 0 };
        weir_delta delta;

        put_varint(&b, bad[i].block);
        put_varint(&b, bad[i].minis);
        put_varint(&b, bad[i].total);
        put_zigzag(&b, 1);
        put_raw(&b, (uint8_t[64]){ 0 }, 64);
        cr_expect_not(weir_delta_init(&delta, b.data, b.size - 64), "case %zu", i);
        cr_expect_not_null(delta.why);
        bytes_free(&b);
    }
}

/* A header may promise 2^64 - 1 values in 2^63 miniblocks; widths above 64 have no meaning. */
Test(delta, hostile_streams_are_bounded)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(64);
    uint64_t got[64 + 8];
    const uint8_t *end;
    bytes b = { 0 };
    weir_delta delta;

    put_varint(&b, (uint64_t)1 << 63);
    put_varint(&b, (uint64_t)1 << 60);
    put_varint(&b, UINT64_MAX);
    put_zigzag(&b, 1);
    put_zigzag(&b, 1);
    put_raw(&b, "\0\0\101", 3);
    cr_assert(weir_delta_init(&delta, guard_place(&g, b.data, b.size), b.size));
    cr_expect_not(weir_delta_find_end(&delta, &end));
    cr_expect_eq(weir_delta_next_64(&delta, kernels, 64, got), 1, "only the header's");
    cr_expect_str_eq(delta.why, "deltas of more than 64 bits");
    bytes_free(&b);
    guard_close(&g);
}
