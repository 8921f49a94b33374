/* SPDX-License-Identifier: Apache-2.0
 * test_shortest.c: the shortest text of floats, against the C library's reader and printer, which
 * are slow, right and somebody else's. */
#include "core/shortest.h"

#include "core/logical.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fixed sequence: Marsaglia's xorshift64. */
static uint64_t next_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int digits_in(const char *text)
{
    char digits[40];
    size_t count = 0, first = 0;

    for (const char *p = text; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    while (first + 1 < count && digits[first] == '0')
        first++;
    return (int)(count - first);
}

/* Reads back, no shorter text does, and no text of that length is nearer. */
static bool is_shortest(double value)
{
    char text[WEIR_SHORTEST_ROOM], other[40];
    const size_t length = weir_f64_text(value, text);
    const int digits = digits_in(text);
    const double back = strtod(text, NULL);

    if (length != strlen(text) || memcmp(&back, &value, sizeof value) != 0)
        return false;
    snprintf(other, sizeof other, "%.*e", digits - 1, value);
    if (strtod(other, NULL) == value && strtold(other, NULL) != strtold(text, NULL))
        return false;
    snprintf(other, sizeof other, "%.*e", digits > 1 ? digits - 2 : 0, value);
    return digits == 1 || strtod(other, NULL) != value;
}

static bool is_shortest_float(float value)
{
    char text[WEIR_SHORTEST_ROOM], other[40];
    const size_t length = weir_f32_text(value, text);
    const int digits = digits_in(text);
    const float back = strtof(text, NULL);

    if (length != strlen(text) || memcmp(&back, &value, sizeof value) != 0)
        return false;
    snprintf(other, sizeof other, "%.*e", digits - 1, (double)value);
    if (strtof(other, NULL) == value && strtod(other, NULL) != strtod(text, NULL))
        return false;
    snprintf(other, sizeof other, "%.*e", digits > 1 ? digits - 2 : 0, (double)value);
    return digits == 1 || strtof(other, NULL) != value;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

Test(shortest, doubles_of_every_exponent_read_back)
{
    uint64_t state = 1;

    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (int i = 0; i < 40; i++) {
            const uint64_t random = next_bits(&state);
            const uint64_t fraction = i < 4   ? (uint64_t)i
                                      : i < 6 ? (UINT64_C(1) << 52) - (uint64_t)i + 3
                                              : random & ((UINT64_C(1) << 52) - 1);
            const double value = double_of((random >> 63) << 63 | exponent << 52 | fraction);

            cr_assert(is_shortest(value), "%a", value);
        }
}

Test(shortest, doubles_at_random_read_back)
{
    uint64_t state = 2;

    for (int i = 0; i < 300000; i++) {
        const double value = double_of(next_bits(&state));
        const double cents = (double)(int64_t)(next_bits(&state) >> 34) / 100;

        if (isfinite(value))
            cr_assert(is_shortest(value), "%a", value);
        cr_assert(is_shortest(cents), "%a", cents);
    }
}

Test(shortest, floats_of_every_exponent_read_back)
{
    uint64_t state = 3;

    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 2000; i++) {
            const uint32_t random = (uint32_t)next_bits(&state);
            const uint32_t fraction = i < 4   ? i
                                      : i < 6 ? (1u << 23) - i + 3
                                              : random & ((1u << 23) - 1);
            const float value = float_of((random >> 31) << 31 | exponent << 23 | fraction);

            cr_assert(is_shortest_float(value), "%a", (double)value);
        }
}

/* Halves are few: the shortest is found by trying all lengths. */
Test(shortest, every_half_float_reads_back)
{
    for (uint32_t half = 0; half < 0x7c00; half++) {
        const double value = weir_f16_to_f64((uint16_t)half);
        const double below = half ? weir_f16_to_f64((uint16_t)(half - 1)) : -value;
        const double above = half < 0x7bff ? weir_f16_to_f64((uint16_t)(half + 1)) : 65536;
        char text[WEIR_SHORTEST_ROOM], other[40];
        double back, shorter;
        int digits;

        weir_f16_text((uint16_t)half, text);
        digits = digits_in(text);
        back = strtod(text, NULL);
        cr_assert(
            back == value || (back > (below + value) / 2 && back < (above + value) / 2) ||
                (half % 2 == 0 && (back == (below + value) / 2 || back == (above + value) / 2)),
            "%04x: %s", half, text);
        snprintf(other, sizeof other, "%.*e", digits > 1 ? digits - 2 : 0, value);
        shorter = strtod(other, NULL);
        cr_assert(digits == 1 || shorter < (below + value) / 2 || shorter > (above + value) / 2 ||
                      (half % 2 == 1 &&
                       (shorter == (below + value) / 2 || shorter == (above + value) / 2)),
                  "%04x: %s, not %s", half, text, other);
    }
}

/* As Python's repr. */
Test(shortest, texts_look_as_people_write_them)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        { 0.0, "0.0" },
        { -0.0, "-0.0" },
        { 1.0, "1.0" },
        { 100.0, "100.0" },
        { 0.1, "0.1" },
        { 12.5, "12.5" },
        { 0.0001, "0.0001" },
        { 0.00001, "1e-05" },
        { 1e15, "1000000000000000.0" },
        { 1e16, "1e+16" },
        { 1.5e300, "1.5e+300" },
        { 1e23, "1e+23" },
        { 5e-324, "5e-324" },
        { 2.2250738585072014e-308, "2.2250738585072014e-308" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 9007199254740993.0, "9007199254740992.0" },
        { 123456789012345680.0, "1.2345678901234568e+17" },
        { INFINITY, "Infinity" },
        { -INFINITY, "-Infinity" },
        { NAN, "NaN" },
        { -NAN, "NaN" },
    };
    char text[WEIR_SHORTEST_ROOM];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_f64_text(rows[i].value, text);
        cr_expect_str_eq(text, rows[i].text);
    }
    weir_f32_text(0.1f, text);
    cr_expect_str_eq(text, "0.1");
    weir_f32_text(16777216.0f, text);
    cr_expect_str_eq(text, "16777216.0");
    weir_f16_text(0x7bff, text);
    cr_expect_str_eq(text, "65500.0");
}
