/* SPDX-License-Identifier: Apache-2.0
 * fuzz_delta.c: any bytes as a DELTA_BINARY_PACKED stream and as the two encodings of byte arrays
 * made from it: slices of any size must agree. The first byte is the slice. */
#include "formats/parquet/delta.h"

#include "core/work.h"
#include "formats/parquet/strings.h"
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

static void check_integers(const uint8_t *at, size_t size, size_t step, const weir_kernels *kernels)
{
    static uint64_t all[MOST + 8], some[256 + 8];
    static uint32_t narrow[MOST + 16];
    weir_delta whole, sliced, halves, skipped;
    const uint8_t *end;

    if (!weir_delta_init(&whole, at, size))
        return;
    sliced = halves = skipped = whole;
    check(!weir_delta_find_end(&whole, &end) || (end >= at && end <= at + size));
    const size_t count = weir_delta_next_64(&whole, kernels, MOST, all);
    check((count < MOST) == (whole.why != NULL));
    check(weir_delta_next_32(&halves, kernels, MOST, narrow) == count);
    for (size_t i = 0; i < count; i++)
        check(narrow[i] == (uint32_t)all[i]);
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < step ? count - done : step;
        check(weir_delta_next_64(&sliced, kernels, n, some) == n);
        check(memcmp(all + done, some, n * sizeof *some) == 0);
    }
    check(weir_delta_skip(&skipped, kernels, count) == count);
}

static void check_strings(const uint8_t *at, size_t size, size_t step, bool has_prefixes,
                          weir_work *work)
{
    static weir_strings one, other;
    static weir_view all[WEIR_SLICE], some[256];
    size_t count, n, done = 0;

    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    if (weir_strings_open(&one, at, size, has_prefixes) &&
        weir_strings_open(&other, at, size, has_prefixes) &&
        weir_strings_views(&one, work, WEIR_SLICE, all, &count, NULL) == WEIR_OK)
        while (done < count &&
               weir_strings_views(&other, work, count - done < step ? count - done : step, some, &n,
                                  NULL) == WEIR_OK) {
            check(n > 0);
            for (size_t i = 0; i < n; i++)
                check(all[done + i].size == some[i].size &&
                      (some[i].size == 0 ||
                       memcmp(all[done + i].data, some[i].data, some[i].size) == 0));
            done += n;
        }
    weir_strings_fini(&one);
    weir_strings_fini(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_slabs *slabs;
    weir_memory *memory;
    weir_work work;

    if (size < 1 || (!slabs && weir_slabs_open(&slabs, NULL) != WEIR_OK) ||
        weir_memory_open(slabs, 64 << 20, &memory, NULL) != WEIR_OK)
        return 0;
    weir_work_init(&work, weir_kernels_pick(), memory);
    guard g = guard_open(size);
    const uint8_t *at = guard_place(&g, data + 1, size - 1);
    const size_t step = data[0] + 1u;
    check_integers(at, size - 1, step, work.kernels);
    check_strings(at, size - 1, step, false, &work);
    check_strings(at, size - 1, step, true, &work);
    guard_close(&g);
    weir_work_fini(&work);
    weir_memory_release(memory);
    return 0;
}
