/* SPDX-License-Identifier: Apache-2.0
 * shortest.c: floating-point numbers as text, by the Schubfach algorithm (Raffaello Giulietti, "The
 * Schubfach way to render doubles", 2021), one routine for all widths: a number is c * 2^q, and the
 * table of powers that serves a double's exponents serves the smaller ones too. */
#include "core/shortest.h"

#include "core/powers.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

typedef struct ieee {
    uint32_t fraction_bits, exponent_bits;
} ieee;

typedef struct decimal { /* digits * 10^exponent */
    uint64_t digits;
    int32_t exponent;
} decimal;

/* floor(log2(10^e)); right for |e| <= 1233. */
static int32_t log2_of_power(int32_t e)
{
    return (e * 1741647) >> 19;
}

/* The top of power * cp, whose last bit is set if anything was cut off. */
static uint64_t round_to_odd(const uint64_t power[2], uint64_t cp)
{
    const u128 low = (u128)power[1] * cp;
    const u128 high = (u128)power[0] * cp + (uint64_t)(low >> 64);

    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* Section 9 of the paper. All candidates are counted in quarters: 4 * s is the number s. */
static decimal shortest(uint64_t c, int32_t q, bool is_lower_closer)
{
    const int32_t k = (q * 1262611 - (is_lower_closer ? 524031 : 0)) >> 22;
    const int32_t h = q + log2_of_power(-k) + 1;
    const uint64_t *power = powers[-k - POWER_LEAST];
    const uint64_t is_odd = c & 1; /* then the interval's ends read back as its neighbours */
    const uint64_t lower = round_to_odd(power, (4 * c - 2 + is_lower_closer) << h) + is_odd;
    const uint64_t upper = round_to_odd(power, (4 * c + 2) << h) - is_odd;
    const uint64_t middle = round_to_odd(power, (4 * c) << h);
    const uint64_t s = middle / 4;

    if (s >= 10) {
        const uint64_t tens = s / 10;
        const bool is_down_in = lower <= 40 * tens, is_up_in = 40 * tens + 40 <= upper;

        if (is_down_in != is_up_in)
            return (decimal){ tens + is_up_in, k + 1 };
    }
    const bool is_down_in = lower <= 4 * s, is_up_in = 4 * s + 4 <= upper;

    if (is_down_in != is_up_in)
        return (decimal){ s + is_up_in, k };
    const bool is_up_nearer = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));

    return (decimal){ s + is_up_nearer, k };
}

static decimal shortest_of_bits(uint64_t fraction, uint32_t exponent, ieee format)
{
    const int32_t bias = (int32_t)((1u << (format.exponent_bits - 1)) - 1 + format.fraction_bits);
    const uint64_t c = exponent ? fraction | UINT64_C(1) << format.fraction_bits : fraction;
    const int32_t q = (exponent ? (int32_t)exponent : 1) - bias;
    decimal d;

    /* An integer whose neighbours are at most 1 away: no fewer digits will do. */
    if (q <= 0 && -q <= (int32_t)format.fraction_bits && (c & ((UINT64_C(1) << -q) - 1)) == 0)
        d = (decimal){ c >> -q, 0 };
    else
        d = shortest(c, q, fraction == 0 && exponent > 1);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* Decimal digits, most significant first, without leading zeros; their number. */
static int32_t put_digits(uint64_t value, char *out)
{
    char reversed[20];
    int32_t count = 0;

    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (int32_t i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    return count;
}

static size_t put_plain(const char *digits, int32_t count, int32_t point, char *out)
{
    char *p = out;

    for (int32_t i = point < 1 ? point - 1 : 0; i < count || i <= point; i++) {
        if (i == point)
            *p++ = '.';
        *p++ = i < 0 || i >= count ? '0' : digits[i];
    }
    return (size_t)(p - out);
}

static size_t put_scientific(const char *digits, int32_t count, int32_t point, char *out)
{
    const int32_t exponent = point - 1;
    const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    char *p = out;

    *p++ = digits[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)count - 1);
        p += count - 1;
    }
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    if (size < 10)
        *p++ = '0';
    p += put_digits(size, p);
    return (size_t)(p - out);
}

static size_t put_word(bool is_negative, const char *word, char *out)
{
    const size_t sign = is_negative;

    out[0] = '-';
    memcpy(out + sign, word, strlen(word) + 1);
    return sign + strlen(word);
}

static size_t put_bits(uint64_t bits, ieee format, char *out)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << format.fraction_bits) - 1);
    const uint32_t exponent_mask = (1u << format.exponent_bits) - 1;
    const uint32_t exponent = (uint32_t)(bits >> format.fraction_bits) & exponent_mask;
    const bool is_negative = bits >> (format.fraction_bits + format.exponent_bits) & 1;
    char digits[20];
    size_t used = is_negative;
    decimal d;
    int32_t count, point;

    if (exponent == exponent_mask)
        return fraction ? put_word(false, "NaN", out) : put_word(is_negative, "Infinity", out);
    if (fraction == 0 && exponent == 0)
        return put_word(is_negative, "0.0", out);
    d = shortest_of_bits(fraction, exponent, format);
    count = put_digits(d.digits, digits);
    point = count + d.exponent; /* the number is 0.DIGITS * 10^point */
    out[0] = '-';
    if (point > -4 && point <= 16)
        used += put_plain(digits, count, point, out + used);
    else
        used += put_scientific(digits, count, point, out + used);
    out[used] = '\0';
    return used;
}

size_t weir_f64_text(double value, char out[WEIR_SHORTEST_ROOM])
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return put_bits(bits, (ieee){ 52, 11 }, out);
}

size_t weir_f32_text(float value, char out[WEIR_SHORTEST_ROOM])
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return put_bits(bits, (ieee){ 23, 8 }, out);
}

size_t weir_f16_text(uint16_t half, char out[WEIR_SHORTEST_ROOM])
{
    return put_bits(half, (ieee){ 10, 5 }, out);
}
