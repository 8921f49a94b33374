/* SPDX-License-Identifier: Apache-2.0
 * crc32.c: the CRC-32 of zlib, Ethernet and parquet-format's page headers (polynomial 0x04C11DB7,
 * bits reflected). */
#include "core/crc32.h"

#include "core/bits.h"

/* CRC is linear: the entry of a byte is the sum (xor) of those of its bits, so a table of 256 comes
 * from the 8 entries of single bits. Those 64 are the polynomial shifted 0 to 63 times. */
#define BIT(i, b, entry) ((i) >> (b)&1 ? entry : 0)
#define ENTRY(i, e0, e1, e2, e3, e4, e5, e6, e7)                                    \
    BIT(i, 0, e0) ^ BIT(i, 1, e1) ^ BIT(i, 2, e2) ^ BIT(i, 3, e3) ^ BIT(i, 4, e4) ^ \
        BIT(i, 5, e5) ^ BIT(i, 6, e6) ^ BIT(i, 7, e7)
#define ENTRIES_4(i, ...)                                                        \
    ENTRY(i, __VA_ARGS__), ENTRY(i + 1, __VA_ARGS__), ENTRY(i + 2, __VA_ARGS__), \
        ENTRY(i + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)                                                                   \
    ENTRIES_4(i, __VA_ARGS__), ENTRIES_4(i + 4, __VA_ARGS__), ENTRIES_4(i + 8, __VA_ARGS__), \
        ENTRIES_4(i + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)                                                                        \
    ENTRIES_16(i, __VA_ARGS__), ENTRIES_16(i + 16, __VA_ARGS__), ENTRIES_16(i + 32, __VA_ARGS__), \
        ENTRIES_16(i + 48, __VA_ARGS__)
#define TABLE(...)                                                                         \
    ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__), \
        ENTRIES_64(192, __VA_ARGS__)

/* table[k][b]: what byte b does to the sum when k more bytes follow it. */
static const uint32_t table[8][256] = {
    { TABLE(0x77073096u, 0xee0e612cu, 0x076dc419u, 0x0edb8832u, 0x1db71064u, 0x3b6e20c8u,
            0x76dc4190u, 0xedb88320u) },
    { TABLE(0x191b3141u, 0x32366282u, 0x646cc504u, 0xc8d98a08u, 0x4ac21251u, 0x958424a2u,
            0xf0794f05u, 0x3b83984bu) },
    { TABLE(0x01c26a37u, 0x0384d46eu, 0x0709a8dcu, 0x0e1351b8u, 0x1c26a370u, 0x384d46e0u,
            0x709a8dc0u, 0xe1351b80u) },
    { TABLE(0xb8bc6765u, 0xaa09c88bu, 0x8f629757u, 0xc5b428efu, 0x5019579fu, 0xa032af3eu,
            0x9b14583du, 0xed59b63bu) },
    { TABLE(0x3d6029b0u, 0x7ac05360u, 0xf580a6c0u, 0x30704bc1u, 0x60e09782u, 0xc1c12f04u,
            0x58f35849u, 0xb1e6b092u) },
    { TABLE(0xcb5cd3a5u, 0x4dc8a10bu, 0x9b914216u, 0xec53826du, 0x03d6029bu, 0x07ac0536u,
            0x0f580a6cu, 0x1eb014d8u) },
    { TABLE(0xa6770bb4u, 0x979f1129u, 0xf44f2413u, 0x33ef4e67u, 0x67de9cceu, 0xcfbd399cu,
            0x440b7579u, 0x8816eaf2u) },
    { TABLE(0xccaa009eu, 0x4225077du, 0x844a0efau, 0xd3e51bb5u, 0x7cbb312bu, 0xf9766256u,
            0x299dc2edu, 0x533b85dau) },
};

/* Eight bytes at a time, each through its own table. The sums here and below are inverted. */
static uint32_t sum_plain(uint32_t sum, const uint8_t *p, size_t size)
{
    for (; size >= 8; size -= 8, p += 8) {
        const uint32_t low = weir_load32(p) ^ sum, high = weir_load32(p + 4);

        sum = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
              table[4][low >> 24] ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^
              table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    for (; size > 0; size--, p++)
        sum = sum >> 8 ^ table[0][(sum ^ *p) & 255];
    return sum;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define CLMUL __attribute__((target("pclmul,sse4.1")))

static inline CLMUL __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* `x` moved on by as many bits as `by` stands for, plus what lies there. */
static inline CLMUL __m128i fold(__m128i x, __m128i by, __m128i there)
{
    const __m128i low = _mm_clmulepi64_si128(x, by, 0x00), high = _mm_clmulepi64_si128(x, by, 0x11);

    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/* V. Gopal and others, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction
 * (Intel, 2009): four lanes of 16 bytes are folded over the next 64, then into one, which is
 * reduced to 64 and, by Barrett, to 32 bits. The constants are x^n modulo the polynomial, bits
 * reflected, for the n in their comments. `size` is at least 64 and a multiple of 16. */
static CLMUL uint32_t sum_clmul(uint32_t sum, const uint8_t *p, size_t size)
{
    const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4); /* 480, 544 */
    const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0); /* 96, 160 */
    const __m128i by_64 = _mm_set_epi64x(0, 0x0163cd6124);             /* 64 */
    const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low_32 = _mm_set_epi32(0, -1, 0, -1);
    __m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)sum)), t;
    __m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);

    for (p += 64, size -= 64; size >= 64; p += 64, size -= 64) {
        a = fold(a, by_512, load(p));
        b = fold(b, by_512, load(p + 16));
        c = fold(c, by_512, load(p + 32));
        d = fold(d, by_512, load(p + 48));
    }
    a = fold(fold(fold(a, by_128, b), by_128, c), by_128, d);
    for (; size >= 16; p += 16, size -= 16)
        a = fold(a, by_128, load(p));

    t = _mm_clmulepi64_si128(a, by_128, 0x10);
    a = _mm_xor_si128(_mm_srli_si128(a, 8), t);
    t = _mm_srli_si128(a, 4);
    a = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low_32), by_64, 0x00), t);
    t = _mm_clmulepi64_si128(_mm_and_si128(a, low_32), barrett, 0x10);
    t = _mm_clmulepi64_si128(_mm_and_si128(t, low_32), barrett, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, t), 1);
}

static uint32_t sum_best(uint32_t sum, const uint8_t *p, size_t size)
{
    const size_t whole = size & ~(size_t)15;

    if (whole < 64 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1"))
        return sum_plain(sum, p, size);
    return sum_plain(sum_clmul(sum, p, whole), p + whole, size - whole);
}

#elif defined(__aarch64__)
#include <sys/auxv.h>

#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif

/* As assembly, since clang 14 declares the intrinsics only where the whole file may use them. */
static uint32_t sum_arm(uint32_t sum, const uint8_t *p, size_t size)
{
    for (; size >= 8; size -= 8, p += 8)
        __asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %x1" : "+r"(sum) : "r"(weir_load64(p)));
    for (; size > 0; size--, p++)
        __asm__(".arch_extension crc\n\tcrc32b %w0, %w0, %w1" : "+r"(sum) : "r"((uint32_t)*p));
    return sum;
}

static uint32_t sum_best(uint32_t sum, const uint8_t *p, size_t size)
{
    if (size < 16 || !(getauxval(AT_HWCAP) & HWCAP_CRC32))
        return sum_plain(sum, p, size);
    return sum_arm(sum, p, size);
}

#else

static uint32_t sum_best(uint32_t sum, const uint8_t *p, size_t size)
{
    return sum_plain(sum, p, size);
}

#endif

uint32_t weir_crc32(uint32_t crc, const void *data, size_t size)
{
    return ~sum_best(~crc, data, size);
}

uint32_t weir_crc32_plain(uint32_t crc, const void *data, size_t size)
{
    return ~sum_plain(~crc, data, size);
}
