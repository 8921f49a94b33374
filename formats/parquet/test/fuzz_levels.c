/* SPDX-License-Identifier: Apache-2.0
 * fuzz_levels.c: any bytes as a page with definition levels: slices of any size must agree. Five
 * bytes say what the header would. */
#include "formats/parquet/levels.h"

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
    static uint8_t all[WEIR_SLICE / 8 + WEIR_SLACK], some[WEIR_SLICE / 8 + WEIR_SLACK];
    const weir_kernels *kernels = weir_kernels_pick();
    weir_levels whole, sliced;
    weir_view values;
    size_t count, part, left;

    if (size < 5)
        return 0;
    guard g = guard_open(size);
    const weir_view plain = { guard_place(&g, data + 5, size - 5), size - 5 };
    const size_t slots = data[3] * 8u + (data[3] & 7u), step = data[4] + 1u;
    const weir_levels_page page = { .is_optional = data[0] & 1,
                                    .is_v2 = data[0] & 2,
                                    .is_bit_packed = data[0] & 4,
                                    .repetition_size = data[1],
                                    .definition_size = data[2],
                                    .null_count = data[0] & 8 ? (int64_t)slots : -1,
                                    .slot_count = (int64_t)slots };
    if (weir_levels_init(&whole, &page, plain, &values)) {
        check(values.data >= plain.data && values.data + values.size <= plain.data + plain.size);
        sliced = whole;
        const size_t rows = weir_levels_next(&whole, kernels, slots, all, &count);
        check(rows <= slots && count <= rows);
        left = count;
        for (size_t done = 0, n; done < rows; done += n) {
            n = rows - done < step ? rows - done : step;
            check(weir_levels_next(&sliced, kernels, n, some, &part) == n && part <= left);
            for (size_t i = 0; count < rows && i < n; i++)
                check((all[(done + i) / 8] >> ((done + i) % 8) & 1) ==
                      (part == n || some[i / 8] >> (i % 8) & 1));
            left -= part;
        }
        check(left == 0);
    }
    guard_close(&g);
    return 0;
}
