/* SPDX-License-Identifier: Apache-2.0
 * test_crc32.c: every way of summing against zlib's. */
#include <criterion/criterion.h>

#include "core/crc32.h"
#include <stdlib.h>
#include <zlib.h>

Test(crc32, it_is_zlibs_at_every_length_and_alignment)
{
    enum {
        MOST = 1100
    };
    uint8_t *data = malloc(MOST + 64);
    uint32_t random = 1;

    cr_assert(data);
    for (size_t i = 0; i < MOST + 64; i++)
        data[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    for (size_t size = 0; size <= MOST; size++) {
        const uint8_t *at = data + size % 64;
        const uint32_t before = size % 3 ? (random = random * 1664525 + 1013904223) : 0;
        const uint32_t expected = (uint32_t)crc32(before, at, (unsigned)size);

        cr_assert_eq(weir_crc32(before, at, size), expected, "%zu bytes", size);
        cr_assert_eq(weir_crc32_plain(before, at, size), expected, "%zu bytes, plain", size);
    }
    free(data);
}

Test(crc32, the_check_value_of_the_catalogue_comes_out)
{
    cr_expect_eq(weir_crc32(0, "123456789", 9), 0xcbf43926u);
    cr_expect_eq(weir_crc32(0, "", 0), 0);
}

Test(crc32, pieces_give_what_the_whole_gives)
{
    uint8_t data[1000];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 + (i >> 3));
    for (size_t cut = 0; cut <= sizeof data; cut++)
        cr_assert_eq(weir_crc32(weir_crc32(0, data, cut), data + cut, sizeof data - cut),
                     weir_crc32(0, data, sizeof data), "cut at %zu", cut);
}

Test(crc32, nothing_past_the_end_is_read)
{
    for (size_t size = 0; size < 300; size++) {
        uint8_t *exact = malloc(size ? size : 1); /* the address sanitizer looks on */

        cr_assert(exact);
        for (size_t i = 0; i < size; i++)
            exact[i] = (uint8_t)i;
        cr_expect_eq(weir_crc32(0, exact, size), (uint32_t)crc32(0, exact, (unsigned)size));
        free(exact);
    }
}
