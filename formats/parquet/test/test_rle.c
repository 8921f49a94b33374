/* SPDX-License-Identifier: Apache-2.0
 * test_rle.c: the RLE/bit-packing hybrid against a writer of its own, at every width, in slices of
 * every size, cut at every byte. */
#include "formats/parquet/rle.h"

#include "encode.h"
#include "guard.h"

#include <criterion/criterion.h>

enum {
    MOST = 700
};

typedef struct stream {
    bytes packed;
    uint32_t values[MOST];
    size_t count;
} stream;

static uint32_t mask_of(uint32_t width)
{
    return width == 32 ? UINT32_MAX : (1u << width) - 1;
}

/* Runs of both kinds, of lengths from 0 on. */
static void make(stream *s, uint32_t width, uint64_t seed)
{
    *s = (stream){ 0 };
    while (s->count < 400) {
        const uint64_t r = draw(&seed);
        const size_t n = r % 7 == 0 ? 0 : (r >> 8) % 90;

        if (r & 1 << 20) {
            const uint32_t value = (uint32_t)draw(&seed) & mask_of(width);
            put_rle_run(&s->packed, width, n, value);
            for (size_t i = 0; i < n; i++)
                s->values[s->count++] = value;
        } else {
            const size_t whole = (n + 7) / 8 * 8;
            for (size_t i = 0; i < whole; i++)
                s->values[s->count + i] = (uint32_t)draw(&seed) & mask_of(width);
            put_rle_packed(&s->packed, width, s->values + s->count, whole, 0);
            s->count += whole;
        }
    }
}

static void expect_values(const stream *s, const uint8_t *data, uint32_t width, size_t step,
                          const weir_kernels *kernels)
{
    uint32_t got[MOST + 16];
    weir_rle rle;
    size_t done = 0;

    weir_rle_init(&rle, data, s->packed.size, width);
    while (done < s->count) {
        const size_t want = s->count - done < step ? s->count - done : step;
        const size_t n = weir_rle_next(&rle, kernels, want, got);

        cr_assert_eq(n, want, "width %u step %zu: %zu of %zu at %zu", width, step, n, want, done);
        cr_assert_arr_eq(got, s->values + done, n * sizeof *got, "width %u step %zu at %zu", width,
                         step, done);
        done += n;
    }
    if (width)
        cr_assert_eq(weir_rle_next(&rle, kernels, 1, got), 0);
}

Test(rle, every_width_in_slices_of_every_size)
{
    const weir_kernels *const *tables;
    const size_t count = weir_kernels_all(&tables);
    guard g = guard_open(8192);

    for (size_t t = 0; t < count; t++)
        for (uint32_t width = 0; width <= 32; width++) {
            stream s;
            make(&s, width, width + 1);
            const uint8_t *data = guard_place(&g, s.packed.data, s.packed.size);
            for (size_t step = 1; step <= s.count; step = step < 70 ? step + 1 : step * 2)
                expect_values(&s, data, width, step, tables[t]);
            bytes_free(&s.packed);
        }
    guard_close(&g);
}

Test(rle, skipping_is_reading_without_looking)
{
    guard g = guard_open(8192);
    const weir_kernels *kernels = weir_kernels_pick();

    for (uint32_t width = 1; width <= 32; width++) {
        stream s;
        uint64_t seed = width;
        uint32_t got[MOST + 16];
        weir_rle rle;
        size_t at = 0;

        make(&s, width, width + 50);
        weir_rle_init(&rle, guard_place(&g, s.packed.data, s.packed.size), s.packed.size, width);
        while (at < s.count) {
            const size_t skip = draw(&seed) % 40 % (s.count - at + 1);
            cr_assert_eq(weir_rle_skip(&rle, skip), skip);
            at += skip;
            const size_t read = draw(&seed) % 20 % (s.count - at + 1);
            cr_assert_eq(weir_rle_next(&rle, kernels, read, got), read);
            cr_assert_arr_eq(got, s.values + at, read * sizeof *got);
            at += read;
        }
        cr_assert_eq(weir_rle_skip(&rle, 10), 0);
        cr_assert_not_null(rle.why);
        bytes_free(&s.packed);
    }
    guard_close(&g);
}

/* Whatever is cut off, what comes out is a prefix of the values, and as long as the bytes tell. */
Test(rle, a_cut_stream_gives_the_values_before_the_cut)
{
    guard g = guard_open(8192);
    const weir_kernels *kernels = weir_kernels_pick();

    for (uint32_t width = 1; width <= 32; width++) {
        stream s;
        size_t before = 0;

        make(&s, width, width + 99);
        for (size_t cut = 0; cut <= s.packed.size; cut++) {
            uint32_t got[MOST + 16];
            weir_rle rle;

            weir_rle_init(&rle, guard_place(&g, s.packed.data, cut), cut, width);
            const size_t n = weir_rle_next(&rle, kernels, MOST, got);
            cr_assert_geq(n, before, "width %u cut %zu: %zu after %zu", width, cut, n, before);
            cr_assert_leq(n, s.count);
            cr_assert_arr_eq(got, s.values, n * sizeof *got, "width %u cut at %zu", width, cut);
            cr_assert_not_null(rle.why);
            before = n;
        }
        cr_assert_eq(before, s.count);
        bytes_free(&s.packed);
    }
    guard_close(&g);
}

/* Impala 1.2 wrote the 25 values it had, not the 32 that its header promises. */
Test(rle, a_packed_run_may_end_with_its_last_value)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(64);
    uint32_t values[32], got[32 + 16];
    bytes b = { 0 };
    weir_rle rle;

    for (uint32_t i = 0; i < 32; i++)
        values[i] = i;
    put_rle_packed(&b, 5, values, 32, 0);
    cr_assert_eq(b.size, 21);
    weir_rle_init(&rle, guard_place(&g, b.data, 17), 17, 5);
    cr_assert_eq(weir_rle_next(&rle, kernels, 32, got), 25);
    cr_assert_arr_eq(got, values, 25 * sizeof *got);
    cr_expect_str_eq(rle.why, "the stream ends too soon");
    bytes_free(&b);
    guard_close(&g);
}

Test(rle, width_0_needs_no_stream)
{
    const weir_kernels *kernels = weir_kernels_pick();
    const uint8_t run[] = { 0x0a };
    uint32_t got[100 + 16];

    for (size_t size = 0; size <= 1; size++) {
        weir_rle rle;
        uint32_t value = 9;

        weir_rle_init(&rle, run, size, 0);
        cr_assert(weir_rle_is_run(&rle, 1000000, &value));
        cr_assert_eq(value, 0);
        memset(got, 0xff, sizeof got);
        cr_assert_eq(weir_rle_next(&rle, kernels, 100, got), 100);
        for (size_t i = 0; i < 100; i++)
            cr_assert_eq(got[i], 0);
        cr_assert_eq(weir_rle_skip(&rle, 1u << 30), 1u << 30);
    }
}

Test(rle, one_run_is_known_before_it_is_taken)
{
    const weir_kernels *kernels = weir_kernels_pick();
    uint32_t value = 0, got[16 + 16];
    const uint32_t ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    bytes b = { 0 };
    weir_rle rle;

    put_rle_run(&b, 3, 0, 7);
    put_rle_run(&b, 3, 10, 5);
    put_rle_packed(&b, 3, ones, 8, 0);
    put_raw(&b, (uint8_t[64]){ 0 }, 64);
    weir_rle_init(&rle, b.data, b.size - 64, 3);
    cr_expect(weir_rle_is_run(&rle, 10, &value));
    cr_expect_eq(value, 5);
    cr_expect_not(weir_rle_is_run(&rle, 11, &value));
    cr_expect_eq(weir_rle_next(&rle, kernels, 4, got), 4);
    cr_expect(weir_rle_is_run(&rle, 6, &value));
    cr_expect_eq(weir_rle_skip(&rle, 6), 6);
    cr_expect_not(weir_rle_is_run(&rle, 1, &value), "a packed run was taken for one value");
    cr_expect_eq(weir_rle_skip(&rle, 8), 8);
    cr_expect_not(weir_rle_is_run(&rle, 1, &value), "the end was taken for a run");
    bytes_free(&b);
}

Test(rle, bits_and_bools_agree_with_values)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    guard g = guard_open(8192);

    for (size_t t = 0; t < table_count; t++)
        for (size_t step = 1; step < 150; step++) {
            const weir_kernels *kernels = tables[t];
            stream s;
            weir_rle bits, bools;

            make(&s, 1, step);
            const uint8_t *data = guard_place(&g, s.packed.data, s.packed.size);
            weir_rle_init(&bits, data, s.packed.size, 1);
            weir_rle_init(&bools, data, s.packed.size, 1);
            for (size_t done = 0; done < s.count; done += step) {
                const size_t want = s.count - done < step ? s.count - done : step;
                const size_t shift = done % 11;
                uint8_t bitmap[MOST / 8 + 80], bytewise[MOST + 64];

                memset(bitmap, 0xff, sizeof bitmap);
                cr_assert_eq(weir_rle_bits(&bits, kernels, want, bitmap, shift), want);
                cr_assert_eq(weir_rle_bools(&bools, kernels, want, bytewise), want);
                for (size_t i = 0; i < shift; i++)
                    cr_assert(bitmap[i / 8] >> (i % 8) & 1, "a bit before the first changed");
                for (size_t i = 0; i < want; i++) {
                    const size_t bit = shift + i;
                    cr_assert_eq(bitmap[bit / 8] >> (bit % 8) & 1, s.values[done + i]);
                    cr_assert_eq(bytewise[i], s.values[done + i]);
                }
                for (size_t bit = shift + want; bit % 8; bit++)
                    cr_assert_eq(bitmap[bit / 8] >> (bit % 8) & 1, 0, "bits after the last");
            }
            bytes_free(&s.packed);
        }
    guard_close(&g);
}

Test(rle, a_level_above_1_ends_the_bits)
{
    const weir_kernels *kernels = weir_kernels_pick();
    uint8_t out[128];
    bytes b = { 0 };
    weir_rle rle;

    put_rle_run(&b, 1, 5, 1);
    put_rle_run(&b, 1, 5, 2);
    put_raw(&b, (uint8_t[64]){ 0 }, 64);
    weir_rle_init(&rle, b.data, b.size - 64, 1);
    cr_expect_eq(weir_rle_bits(&rle, kernels, 10, out, 0), 5);
    cr_expect_str_eq(rle.why, "a run of a value above 1");
    weir_rle_init(&rle, b.data, b.size - 64, 1);
    cr_expect_eq(weir_rle_bools(&rle, kernels, 10, out), 5);
    bytes_free(&b);
}

/* A header may promise 2^63 groups of values or as long a run. */
Test(rle, hostile_headers_are_bounded)
{
    const weir_kernels *kernels = weir_kernels_pick();
    guard g = guard_open(64);
    uint32_t got[64 + 16];

    for (uint32_t width = 1; width <= 32; width++)
        for (int packed = 0; packed < 2; packed++) {
            bytes b = { 0 };
            weir_rle rle;

            put_varint(&b, UINT64_MAX - 1 + (uint64_t)packed);
            put_raw(&b, "\1\1\1\1\1\1\1\1", 8);
            weir_rle_init(&rle, guard_place(&g, b.data, b.size), b.size, width);
            const size_t n = weir_rle_next(&rle, kernels, 64, got);
            cr_expect_eq(n, packed ? 64 / width : 64, "width %u: %zu", width, n);
            bytes_free(&b);
        }
    const uint8_t eleven[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0 };
    weir_rle rle;
    weir_rle_init(&rle, guard_place(&g, eleven, sizeof eleven), sizeof eleven, 8);
    cr_expect_eq(weir_rle_next(&rle, kernels, 8, got), 0);
    cr_expect_eq(weir_rle_next(&rle, kernels, 8, got), 0, "an error is not passed over");
    guard_close(&g);
}
