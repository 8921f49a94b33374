/* SPDX-License-Identifier: Apache-2.0
 * fuzz_split.c: any bytes as a BYTE_STREAM_SPLIT page: slices of any size must agree. The first
 * byte is the width, the second the slice. */
#include "formats/parquet/split.h"

#include "guard.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const weir_kernels *kernels = weir_kernels_pick();
    weir_split whole, sliced;

    if (size < 2)
        return 0;
    const size_t width = data[0] % 40 + 1u, step = data[1] + 1u, count = (size - 2) / width;
    const size_t used = count * width;
    guard g = guard_open(size);
    const uint8_t *at = guard_place(&g, data + 2, used);
    uint8_t *all = malloc(used + WEIR_SLACK), *some = malloc(step * width + WEIR_SLACK);
    check(all && some && weir_split_init(&whole, at, used, width, count));
    check(!weir_split_init(&sliced, at, used, width, count + 1));
    check(weir_split_init(&sliced, at, used, width, count));
    check(weir_split_next(&whole, kernels, count + 1, all) == count);
    for (size_t done = 0, n; done < count; done += n) {
        n = weir_split_next(&sliced, kernels, step, some);
        check(n > 0 && memcmp(all + done * width, some, n * width) == 0);
        for (size_t k = 0; k < width; k++)
            check(some[k] == at[k * count + done]);
    }
    free(all);
    free(some);
    guard_close(&g);
    return 0;
}
