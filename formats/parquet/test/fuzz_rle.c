/* SPDX-License-Identifier: Apache-2.0
 * fuzz_rle.c: any bytes as an RLE/bit-packed stream: values in slices, all at once and skipped
 * must agree. The first byte is the width, the second the slice. */
#include "formats/parquet/rle.h"

#include "guard.h"

#include <stdint.h>

enum {
    MOST = 5000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

static void check_bits(const uint8_t *at, size_t size, size_t step, const weir_kernels *kernels)
{
    static uint8_t bools[MOST + WEIR_SLACK], bits[MOST / 8 + WEIR_SLACK];
    weir_rle one, other;
    size_t done = 0, n;

    weir_rle_init(&one, at, size, 1);
    weir_rle_init(&other, at, size, 1);
    const size_t all = weir_rle_bools(&one, kernels, MOST, bools);
    do {
        n = weir_rle_bits(&other, kernels, MOST - done < step ? MOST - done : step, bits, 0);
        for (size_t i = 0; i < n; i++)
            check(bools[done + i] == (bits[i / 8] >> (i % 8) & 1));
        done += n;
    } while (n == step);
    check(done == all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t all[MOST + 16], some[256 + 16];
    const weir_kernels *kernels = weir_kernels_pick();
    weir_rle whole, sliced, skipped;
    uint32_t value;

    if (size < 2)
        return 0;
    guard g = guard_open(size);
    const uint8_t *at = guard_place(&g, data + 2, size - 2);
    const uint32_t width = data[0] % 33;
    const size_t step = data[1] + 1u;
    weir_rle_init(&whole, at, size - 2, width);
    weir_rle_init(&sliced, at, size - 2, width);
    weir_rle_init(&skipped, at, size - 2, width);
    const size_t count = weir_rle_next(&whole, kernels, MOST, all);
    check((count < MOST) == (whole.why != NULL));
    for (size_t done = 0, n = 1; done < count; done += n) {
        const size_t want = count - done < step ? count - done : step;
        const bool is_run = weir_rle_is_run(&sliced, want, &value);

        n = weir_rle_next(&sliced, kernels, want, some);
        check(n == want && memcmp(all + done, some, n * sizeof *some) == 0);
        check(!is_run || (some[0] == value && some[n - 1] == value));
        check(weir_rle_skip(&skipped, n) == n);
    }
    check_bits(at, size - 2, step, kernels);
    guard_close(&g);
    return 0;
}
