/* SPDX-License-Identifier: Apache-2.0
 * test_logical.c: what values mean. The expected ones come from Python: fractions, decimal, struct,
 * datetime. */
#include "core/logical.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static weir_vector one(const weir_field *field, const void *value)
{
    return (weir_vector){
        .field = field, .type = field->type, .width = field->width, .rows = 1, .values = value
    };
}

static void int96_of(uint64_t nanos, uint32_t julian, uint8_t out[12])
{
    memcpy(out, &nanos, 8);
    memcpy(out + 8, &julian, 4);
}

Test(logical, int96_splits_into_days_and_nanoseconds)
{
    static const struct {
        uint64_t nanos;
        uint32_t julian;
        int64_t days, of_day;
    } rows[] = {
        { 0U, 2440588U, 0, 0 },
        { 86399999999999U, 2440587U, -1, 86399999999999 },
        { 86400000000000U, 2440588U, 1, 0 },
        { 1U, 0U, -2440588, 1 },
        { 18446744073709551615U, 4294967295U, 4292740210, 84873709551615 },
        { 43200000000001U, 2457023U, 16435, 43200000000001 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t value[12];
        int64_t days, nanos;

        int96_of(rows[i].nanos, rows[i].julian, value);
        weir_int96_split(value, &days, &nanos);
        cr_expect_eq(days, rows[i].days);
        cr_expect_eq(nanos, rows[i].of_day);
    }
}

Test(logical, int96_that_does_not_fit_is_never_wrapped)
{
    uint8_t value[12];
    int64_t out = 42;

    /* 2262-04-11T23:47:16.854775807 is the last that fits nanoseconds. */
    int96_of(UINT64_C(85636854775807), 2440588 + 106751, value);
    cr_expect(weir_int96_time(value, WEIR_NANOS, &out));
    cr_expect_eq(out, INT64_MAX);
    int96_of(UINT64_C(85636854775808), 2440588 + 106751, value);
    cr_expect_not(weir_int96_time(value, WEIR_NANOS, &out));
    cr_expect(weir_int96_time(value, WEIR_MICROS, &out));
    cr_expect_eq(out, 9223372036854775);
    int96_of(UINT64_C(86399999999999), 2440587, value); /* one nanosecond before 1970 */
    cr_expect(weir_int96_time(value, WEIR_SECONDS, &out));
    cr_expect_eq(out, -1, "not rounded down");
    cr_expect(weir_int96_time(value, WEIR_NANOS, &out));
    cr_expect_eq(out, -1);
    int96_of(UINT64_MAX, UINT32_MAX, value);
    cr_expect_not(weir_int96_time(value, WEIR_MICROS, &out));
    cr_expect_not(weir_int96_time(value, WEIR_UNIT_NONE, &out));
}

Test(logical, times_change_unit_rounded_down_or_not_at_all)
{
    weir_field field = {
        .type = WEIR_I64, .width = 8, .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MICROS
    };
    weir_field date = { .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_DATE };
    int64_t micros = -1500001;
    int32_t days = -1;
    weir_vector v = one(&field, &micros), d = one(&date, &days);
    int64_t out = 0;

    cr_expect(weir_value_time(&v, 0, WEIR_MILLIS, &out));
    cr_expect_eq(out, -1501);
    cr_expect(weir_value_time(&v, 0, WEIR_SECONDS, &out));
    cr_expect_eq(out, -2);
    cr_expect(weir_value_time(&v, 0, WEIR_NANOS, &out));
    cr_expect_eq(out, -1500001000);
    micros = INT64_MAX / 1000 + 1;
    cr_expect_not(weir_value_time(&v, 0, WEIR_NANOS, &out));
    cr_expect(weir_value_time(&d, 0, WEIR_MILLIS, &out));
    cr_expect_eq(out, -86400000);
    days = INT32_MAX;
    cr_expect_not(weir_value_time(&d, 0, WEIR_NANOS, &out));
    cr_expect_not(weir_value_time(&d, 0, WEIR_UNIT_NONE, &out));
    field.logical = WEIR_LOGICAL_NONE;
    cr_expect_not(weir_value_time(&v, 0, WEIR_MICROS, &out));
}

static weir_view from_hex(const char *hex, uint8_t out[40])
{
    const size_t size = strlen(hex) / 2;

    for (size_t i = 0; i < size; i++) {
        unsigned byte;

        cr_assert_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return (weir_view){ out, size };
}

Test(logical, a_decimal_is_the_nearest_double)
{
    static const struct {
        const char *bytes;
        int32_t scale;
        double value;
    } rows[] = {
        { "00", 0, 0x0.0p+0 },
        { "00000000", 2, 0x0.0p+0 },
        { "01", 2, 0x1.47ae147ae147bp-7 },
        { "ff", 2, -0x1.47ae147ae147bp-7 },
        { "075bcd15", 4, 0x1.81cd6e631f8a1p+13 },
        { "f8a432eb", 9, -0x1.f9add3739635fp-4 },
        { "fffffffff8a432eb", 12, -0x1.02e85be111841p-13 },
        { "4b3b4ca85a86c47a098a223fffffffff", 10, 0x1.027e72f1f1281p+93 },
        { "b4c4b357a5793b85f675ddc000000001", 38, -0x1.0000000000000p+0 },
        { "161bcca7119915b50764b4abe86529797775a5f171950fffffffffffffffffff", 38,
          0x1.2ced32a16a1b1p+126 },
        { "e9e43358ee66ea4af89b4b54179ad686888a5a0e8e6af0000000000000000001", 76,
          -0x1.0000000000000p+0 },
        { "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0,
          0x1.0000000000000p+255 },
        { "8000000000000000000000000000000000000000000000000000000000000000", 3,
          -0x1.0624dd2f1a9fcp+245 },
        { "0020000000000001", 0, 0x1.0000000000000p+53 },
        { "0020000000000001", 1, 0x1.999999999999ap+49 },
        { "010000000000000000", 5, 0x1.4f8b588e368f1p+47 },
        { "018ee90ff6c373e0ee4e3f0ad2", 15, 0x1.c12218377de6bp+46 },
        { "010f0cf064dd59200000", 22, 0x1.0000000000000p-1 },
        { "062e3fa6a3a4506513270e269e0d37f2a74de4", 68, 0x1.aa92c99741390p-80 },
        { "076c823a9531985d5d9dc9f8", 4, 0x1.8539640fcf2ccp+77 },
        { "08f1056b0d549b6f03675a", 11, 0x1.894037294ed60p+46 },
        { "1c93f28c105d1fb17c2390c192cfd3ac94af0f21ddb66cad4a26", 73, 0x1.43276cffb11d9p-38 },
        { "6de24b8e81973e0becd7b03898d190f9ebdacc0cb1e29c658cda14", 37, 0x1.d3650aec5b150p+91 },
        { "47b64ef8aa38922766581e27a1c08a6a63ec24ede6a4", 13, 0x1.f8a11c7ec2dfcp+130 },
        { "5b26728c38fb2918f135d25f557203301850c5a38fd547923a7369", 72, 0x1.4218cccb5c3a6p-25 },
        { "c075cb464a206188964f", 40, -0x1.14c151b8bb4aap-55 },
        { "1fcc714cbd87ad5c90a9587403e430ec66a78795e761d1", 31, 0x1.01fb1dc4af75ap+78 },
        { "bcc65cb322dfaa6cf29151", 43, -0x1.2bd58cc749dc8p-57 },
        { "35850c74830e07bc1e398f1012bd4acefaecbd389be4bcfc49b64a0872e6cc3a", 43,
          0x1.dd69701fb484cp+110 },
        { "056bf46c697d2caf82eeeacbe2", 71, 0x1.7f2c273230ab9p-138 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[40];
        const weir_view view = from_hex(rows[i].bytes, bytes);
        const weir_field field = { .type = WEIR_FIXED,
                                   .width = (uint32_t)view.size,
                                   .logical = WEIR_LOGICAL_DECIMAL,
                                   .scale = rows[i].scale };
        const weir_vector v = one(&field, bytes);
        double out = NAN;

        cr_assert(weir_value_f64(&v, 0, &out));
        cr_expect_eq(out, rows[i].value, "row %zu: %a, not %a", i, out, rows[i].value);
    }
}

Test(logical, a_decimal_of_many_bytes_is_judged_by_its_value)
{
    uint8_t bytes[40];
    weir_i256 out;

    cr_expect(weir_i256_from_be((weir_view){ NULL, 0 }, &out));
    cr_expect_eq(out.word[0] | out.word[1] | out.word[2] | out.word[3], 0u);
    memset(bytes, 0xff, sizeof bytes);
    cr_expect(weir_i256_from_be((weir_view){ bytes, 40 }, &out));
    cr_expect_eq(out.word[0] & out.word[1] & out.word[2] & out.word[3], UINT64_MAX);
    bytes[8] = 0x7f; /* the last 32 bytes look positive, the number isn't */
    cr_expect_not(weir_i256_from_be((weir_view){ bytes, 40 }, &out));
    cr_expect(weir_i256_from_be((weir_view){ bytes + 8, 32 }, &out));
    cr_expect_eq(out.word[3], UINT64_C(0x7fffffffffffffff));
    bytes[0] = 1;
    cr_expect_not(weir_i256_from_be((weir_view){ bytes, 33 }, &out));
}

Test(logical, digits_fit_a_precision)
{
    const weir_i256 limit = { { 1000, 0, 0, 0 } }, below = { { 999, 0, 0, 0 } };
    const weir_i256 minus = { { (uint64_t)-999, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
    /* 10^38 */
    const weir_i256 big = { { UINT64_C(0x098a224000000000), UINT64_C(0x4b3b4ca85a86c47a), 0, 0 } };

    cr_expect(weir_i256_fits(&below, 3));
    cr_expect(weir_i256_fits(&minus, 3));
    cr_expect_not(weir_i256_fits(&limit, 3));
    cr_expect(weir_i256_fits(&limit, 4));
    cr_expect_not(weir_i256_fits(&big, 38));
    cr_expect(weir_i256_fits(&big, 39));
}

Test(logical, half_floats_widen_exactly)
{
    static const struct {
        uint16_t half;
        double value;
    } rows[] = {
        { 0x0000, 0x0.0p+0 },
        { 0x8000, -0x0.0p+0 },
        { 0x0001, 0x1.0000000000000p-24 },
        { 0x03ff, 0x1.ff80000000000p-15 },
        { 0x0400, 0x1.0000000000000p-14 },
        { 0x3c00, 0x1.0000000000000p+0 },
        { 0xbc00, -0x1.0000000000000p+0 },
        { 0x7bff, 0x1.ffc0000000000p+15 },
        { 0x3555, 0x1.5540000000000p-2 },
        { 0x7c00, INFINITY },
        { 0xfc00, -INFINITY },
        { 0x0401, 0x1.0040000000000p-14 },
        { 0x83ff, -0x1.ff80000000000p-15 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double value = weir_f16_to_f64(rows[i].half);

        cr_expect_eq(value, rows[i].value);
        cr_expect_eq(!signbit(value), !signbit(rows[i].value));
    }
    cr_expect(isnan(weir_f16_to_f64(0x7e00)));
    cr_expect(isnan(weir_f16_to_f64(0xfc01)));
}

Test(logical, utf8_is_checked_by_the_letter)
{
    static const struct {
        const char *bytes;
        size_t size, good;
    } rows[] = {
        { "", 0, 0 },
        { "abc", 3, 3 },
        { "a\0b", 3, 3 },
        { "\xc2\x80\xdf\xbf", 4, 4 },
        { "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", 9, 9 },
        { "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, 8 },
        { "x\xc1\xbf", 3, 1 },        /* overlong */
        { "\xe0\x9f\xbf", 3, 0 },     /* overlong */
        { "\xf0\x8f\xbf\xbf", 4, 0 }, /* overlong */
        { "ab\xed\xa0\x80", 5, 2 },   /* a surrogate */
        { "\xf4\x90\x80\x80", 4, 0 }, /* past U+10FFFF */
        { "\xf5\x80\x80\x80", 4, 0 },
        { "\x80", 1, 0 },
        { "a\xe2\x82", 3, 1 }, /* cut */
        { "\xe2\x82x", 3, 0 },
        { "\xff", 1, 0 },
    };
    uint8_t long_text[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(weir_utf8_check((const uint8_t *)rows[i].bytes, rows[i].size), rows[i].good,
                     "row %zu", i);
    for (size_t at = 0; at < sizeof long_text; at++) {
        memset(long_text, 'a', sizeof long_text);
        long_text[at] = 0xc3;
        cr_expect_eq(weir_utf8_check(long_text, sizeof long_text), at);
        if (at + 1 < sizeof long_text) {
            long_text[at + 1] = 0xa9;
            cr_expect_eq(weir_utf8_check(long_text, sizeof long_text), sizeof long_text);
        }
    }
}

Test(logical, integers_come_by_their_sign)
{
    weir_field field = { .type = WEIR_I32, .width = 4 };
    const int32_t minus = -2;
    const int64_t high = INT64_MIN;
    const uint8_t bit = 2;
    weir_vector v = one(&field, &minus);
    int64_t out = 0;
    double real = 0;

    cr_expect(weir_value_i64(&v, 0, &out));
    cr_expect_eq(out, -2);
    field.logical = WEIR_LOGICAL_INTEGER;
    field.bits = 32;
    cr_expect(weir_value_i64(&v, 0, &out));
    cr_expect_eq(out, 4294967294);
    cr_expect(weir_value_f64(&v, 0, &real));
    cr_expect_eq(real, 4294967294.0);
    field = (weir_field){ .type = WEIR_I64, .width = 8, .logical = WEIR_LOGICAL_INTEGER };
    v = one(&field, &high);
    cr_expect_not(weir_value_i64(&v, 0, &out), "2^63 has no int64");
    cr_expect(weir_value_f64(&v, 0, &real));
    cr_expect_eq(real, 9223372036854775808.0);
    field = (weir_field){ .type = WEIR_BOOL };
    v = one(&field, &bit);
    v.first = 1;
    cr_expect(weir_value_i64(&v, 0, &out));
    cr_expect_eq(out, 1);
}

Test(logical, what_is_no_number_gives_none)
{
    weir_field field = { .type = WEIR_I64, .width = 8, .logical = WEIR_LOGICAL_DECIMAL };
    const int64_t value = 12;
    const uint8_t none = 0;
    const int32_t offsets[] = { 0, 0 };
    weir_vector v = one(&field, &value);
    weir_i256 unscaled;
    int64_t out = 0;
    double real = 0;

    cr_expect_not(weir_value_i64(&v, 0, &out), "an unscaled decimal is not its value");
    cr_expect(weir_value_decimal(&v, 0, &unscaled));
    cr_expect_eq(unscaled.word[0], 12u);
    v.validity = &none;
    cr_expect_not(weir_value_decimal(&v, 0, &unscaled));
    v.validity = NULL;
    field.logical = WEIR_LOGICAL_TIMESTAMP;
    field.unit = WEIR_MICROS;
    cr_expect_not(weir_value_f64(&v, 0, &real));
    cr_expect_not(weir_value_decimal(&v, 0, &unscaled));
    cr_expect(weir_value_i64(&v, 0, &out));
    field = (weir_field){ .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING };
    v = one(&field, NULL);
    v.offsets = offsets;
    cr_expect_not(weir_value_i64(&v, 0, &out));
    cr_expect_not(weir_value_f64(&v, 0, &real));
    cr_expect_not(weir_value_time(&v, 0, WEIR_NANOS, &out));
    cr_expect_not(weir_value_decimal(&v, 0, &unscaled));
}
