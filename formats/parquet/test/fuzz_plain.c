/* SPDX-License-Identifier: Apache-2.0
 * fuzz_plain.c: any bytes as PLAIN values of every kind: read and skipped must agree. The first
 * byte is the width, the second the slice. */
#include "formats/parquet/plain.h"

#include "guard.h"

#include <stdint.h>

enum {
    STEP = 256,
    WIDEST = 64
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t room[STEP * WIDEST + WEIR_SLACK];
    static weir_view views[STEP];
    const weir_kernels *kernels = weir_kernels_pick();
    weir_plain one, other;
    size_t n;

    if (size < 2)
        return 0;
    guard g = guard_open(size);
    const uint8_t *at = guard_place(&g, data + 2, size - 2);
    const size_t width = data[0] % WIDEST + 1u, step = data[1] % STEP + 1u;
    weir_plain_init(&one, at, size - 2, width);
    weir_plain_init(&other, at, size - 2, width);
    do {
        n = weir_plain_fixed(&one, step, room);
        check(weir_plain_skip_fixed(&other, step) == n && one.at == other.at);
    } while (n == step);
    weir_plain_init(&one, at, size - 2, 0);
    weir_plain_init(&other, at, size - 2, 0);
    do {
        n = weir_plain_bools(&one, kernels, step, room);
        check(weir_plain_skip_bools(&other, step) == n);
        for (size_t i = 0; i < n; i++)
            check(room[i] <= 1);
    } while (n == step);
    weir_plain_init(&one, at, size - 2, 0);
    weir_plain_init(&other, at, size - 2, 0);
    do {
        n = weir_plain_views(&one, step, views);
        check(weir_plain_skip_views(&other, step) == n && one.at == other.at);
        for (size_t i = 0; i < n; i++)
            check(views[i].data >= at && views[i].data + views[i].size <= at + size - 2);
    } while (n == step);
    guard_close(&g);
    return 0;
}
