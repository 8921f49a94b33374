/* SPDX-License-Identifier: Apache-2.0
 * xxh3.c: XXH3 of 64 bits with seed 0 and the default secret (xxHash, doc/xxhash_spec.md). Beside
 * the line: core/page.c verifies packed bytes with it. Long inputs go through eight sums of 64
 * bits, short ones through a few multiplications of 64 by 64 bits. */
#include "core/xxh3.h"

#include "core/bits.h"

__extension__ typedef unsigned __int128 u128;

enum {
    LANES = 8,
    STRIPE = LANES * 8, /* bytes that go into the sums at once */
    SECRET = 192,
    STRIPES = (SECRET - STRIPE) / 8, /* before the sums are scrambled: the secret moves by 8 */
    BLOCK = STRIPES * STRIPE
};

static const uint64_t prime_32_1 = 0x9e3779b1, prime_32_2 = 0x85ebca77, prime_32_3 = 0xc2b2ae3d;
static const uint64_t prime_64_1 = UINT64_C(0x9e3779b185ebca87);
static const uint64_t prime_64_2 = UINT64_C(0xc2b2ae3d27d4eb4f);
static const uint64_t prime_64_3 = UINT64_C(0x165667b19e3779f9);
static const uint64_t prime_64_4 = UINT64_C(0x85ebca77c2b2ae63);
static const uint64_t prime_64_5 = UINT64_C(0x27d4eb2f165667c5);
static const uint64_t prime_mx_1 = UINT64_C(0x165667919e3779f9);
static const uint64_t prime_mx_2 = UINT64_C(0x9fb21c651e98df25);

static const uint8_t secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

/* ---- mixing ---- */

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    const u128 product = (u128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t avalanche(uint64_t h)
{
    h = (h ^ h >> 37) * prime_mx_1;
    return h ^ h >> 32;
}

/* As XXH64 ends. */
static uint64_t avalanche_64(uint64_t h)
{
    h = (h ^ h >> 33) * prime_64_2;
    h = (h ^ h >> 29) * prime_64_3;
    return h ^ h >> 32;
}

static uint64_t key(size_t at)
{
    return weir_load64(secret + at);
}

static uint64_t mix_16(const uint8_t *data, size_t at)
{
    return fold(weir_load64(data) ^ key(at), weir_load64(data + 8) ^ key(at + 8));
}

/* ---- by size ---- */

static uint64_t of_1_to_3(const uint8_t *data, size_t size)
{
    const uint32_t all = (uint32_t)data[0] << 16 | (uint32_t)data[size >> 1] << 24 |
                         data[size - 1] | (uint32_t)size << 8;

    return avalanche_64(all ^ (uint64_t)(weir_load32(secret) ^ weir_load32(secret + 4)));
}

static uint64_t of_4_to_8(const uint8_t *data, size_t size)
{
    uint64_t h = weir_load32(data + size - 4) | (uint64_t)weir_load32(data) << 32;

    h ^= key(8) ^ key(16);
    h ^= rotate(h, 49) ^ rotate(h, 24);
    h *= prime_mx_2;
    h ^= (h >> 35) + size;
    h *= prime_mx_2;
    return h ^ h >> 28;
}

static uint64_t of_9_to_16(const uint8_t *data, size_t size)
{
    const uint64_t low = weir_load64(data) ^ key(24) ^ key(32);
    const uint64_t high = weir_load64(data + size - 8) ^ key(40) ^ key(48);

    return avalanche(size + __builtin_bswap64(low) + high + fold(low, high));
}

/* From both ends to the middle. */
static uint64_t of_17_to_128(const uint8_t *data, size_t size)
{
    uint64_t sum = size * prime_64_1;

    for (size_t i = (size - 1) / 32; i + 1 > 0; i--)
        sum += mix_16(data + 16 * i, 32 * i) + mix_16(data + size - 16 * (i + 1), 32 * i + 16);
    return avalanche(sum);
}

static uint64_t of_129_to_240(const uint8_t *data, size_t size)
{
    uint64_t sum = size * prime_64_1;

    for (size_t i = 0; i < 8; i++)
        sum += mix_16(data + 16 * i, 16 * i);
    sum = avalanche(sum);
    for (size_t i = 8; i < size / 16; i++)
        sum += mix_16(data + 16 * i, 16 * (i - 8) + 3);
    return avalanche(sum + mix_16(data + size - 16, 136 - 17));
}

/* ---- more than 240 bytes ---- */

static void add_stripe(uint64_t sums[LANES], const uint8_t *data, size_t at)
{
    for (size_t i = 0; i < LANES; i++) {
        const uint64_t value = weir_load64(data + 8 * i), keyed = value ^ key(at + 8 * i);

        sums[i ^ 1] += value;
        sums[i] += (uint64_t)(uint32_t)keyed * (keyed >> 32);
    }
}

static void add_stripes(uint64_t sums[LANES], const uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_stripe(sums, data + i * STRIPE, i * 8);
}

static void scramble(uint64_t sums[LANES])
{
    for (size_t i = 0; i < LANES; i++)
        sums[i] = (sums[i] ^ sums[i] >> 47 ^ key(SECRET - STRIPE + 8 * i)) * prime_32_1;
}

static uint64_t of_many(const uint8_t *data, size_t size)
{
    uint64_t sums[LANES] = { prime_32_3, prime_64_1, prime_64_2, prime_64_3,
                             prime_64_4, prime_32_2, prime_64_5, prime_32_1 };
    const uint8_t *const end = data + size;
    uint64_t result = size * prime_64_1;

    for (; (size_t)(end - data) > BLOCK; data += BLOCK) {
        add_stripes(sums, data, STRIPES);
        scramble(sums);
    }
    add_stripes(sums, data, ((size_t)(end - data) - 1) / STRIPE);
    add_stripe(sums, end - STRIPE, SECRET - STRIPE - 7);
    for (size_t i = 0; i < LANES; i += 2)
        result += fold(sums[i] ^ key(11 + 8 * i), sums[i + 1] ^ key(11 + 8 * i + 8));
    return avalanche(result);
}

uint64_t weir_xxh3_64(const void *data, size_t size)
{
    if (size == 0)
        return avalanche_64(key(56) ^ key(64));
    if (size <= 3)
        return of_1_to_3(data, size);
    if (size <= 8)
        return of_4_to_8(data, size);
    if (size <= 16)
        return of_9_to_16(data, size);
    if (size <= 128)
        return of_17_to_128(data, size);
    if (size <= 240)
        return of_129_to_240(data, size);
    return of_many(data, size);
}
