/* SPDX-License-Identifier: Apache-2.0
 * test_xxh3.c: sums of sizes around each change of method, as the Python package xxhash 4.1.0 gives
 * them for the same bytes. */
#include "core/xxh3.h"

#include <criterion/criterion.h>

Test(xxh3, sums_are_those_of_the_library)
{
    static const struct {
        size_t size;
        uint64_t sum;
    } known[] = {
        { 0, UINT64_C(0x2d06800538d394c2) },     { 1, UINT64_C(0x13e608bc156defed) },
        { 2, UINT64_C(0x1c9074b93943b86c) },     { 3, UINT64_C(0xa9088dda485b481c) },
        { 4, UINT64_C(0x91c7ebeb92e87b7f) },     { 5, UINT64_C(0xa30f2d282df52f57) },
        { 7, UINT64_C(0x34ef743f8b68c438) },     { 8, UINT64_C(0xa7ea2707885b4e72) },
        { 9, UINT64_C(0x9b3741acb443ce94) },     { 12, UINT64_C(0xc121883bfa7c99de) },
        { 15, UINT64_C(0x0a27661e45f2514b) },    { 16, UINT64_C(0xadadc4208b619f5e) },
        { 17, UINT64_C(0x5dc7aa3cfb6a8b07) },    { 31, UINT64_C(0x1900f2c52442acea) },
        { 32, UINT64_C(0xc5a1863a31538e25) },    { 33, UINT64_C(0xef0524232ef26fef) },
        { 64, UINT64_C(0x1f194cf85cbd14c8) },    { 65, UINT64_C(0xdd8f9d72dc6b3d85) },
        { 96, UINT64_C(0xc3877e2581b5310d) },    { 97, UINT64_C(0x2d6229912b53012a) },
        { 127, UINT64_C(0x23d8d07aec945f22) },   { 128, UINT64_C(0x6c06360650fd4abb) },
        { 129, UINT64_C(0x7560cae0703e574a) },   { 144, UINT64_C(0x7ac1a6d4faccfc27) },
        { 160, UINT64_C(0x9212ee9e34820bc1) },   { 239, UINT64_C(0x0be5465acba24e96) },
        { 240, UINT64_C(0xca0312821140637a) },   { 241, UINT64_C(0x5460e5f2a812d8d0) },
        { 255, UINT64_C(0x9066281b58101fb2) },   { 256, UINT64_C(0x176c911420b5e93b) },
        { 511, UINT64_C(0x191c5ebd878f9ae3) },   { 512, UINT64_C(0xb25c5ec73dd8a639) },
        { 513, UINT64_C(0x852ed2ea982218b4) },   { 1023, UINT64_C(0x5e7799cea46a3672) },
        { 1024, UINT64_C(0x34da73de5d765c5d) },  { 1025, UINT64_C(0xfc620a6c1240d2f7) },
        { 1087, UINT64_C(0x57bb4a9cbc66f85c) },  { 1088, UINT64_C(0x89b35b8ac60254ee) },
        { 1089, UINT64_C(0xeb0a9004a659bb4d) },  { 2047, UINT64_C(0x0f35a042b7b8af12) },
        { 2048, UINT64_C(0x237451a8e6ce8504) },  { 2049, UINT64_C(0xf729806fe41b148f) },
        { 4096, UINT64_C(0x5c702a6a74fee353) },  { 10000, UINT64_C(0xa8570607223965fb) },
        { 65537, UINT64_C(0x6db82521259f6933) },
    };
    static uint8_t data[65537];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)((i * i >> 3) + i * 7 + 3);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(weir_xxh3_64(data, known[i].size), known[i].sum, "%zu bytes", known[i].size);
}
