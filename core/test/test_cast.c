/* SPDX-License-Identifier: Apache-2.0
 * test_cast.c: which types unify, and that no value changes on the way. */
#include "core/cast.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static weir_field field_of(weir_type type, uint32_t width)
{
    return (weir_field){ .type = type, .width = width, .index = 1 };
}

static weir_field i32(void)
{
    return field_of(WEIR_I32, 4);
}

static weir_field i64(void)
{
    return field_of(WEIR_I64, 8);
}

static weir_field f32(void)
{
    return field_of(WEIR_F32, 4);
}

static weir_field f64(void)
{
    return field_of(WEIR_F64, 8);
}

static weir_field integer(uint8_t bits, bool is_signed)
{
    weir_field field = bits < 64 ? i32() : i64();

    field.logical = WEIR_LOGICAL_INTEGER;
    field.bits = bits;
    field.is_signed = is_signed;
    return field;
}

static weir_field timed(weir_logical logical, weir_unit unit, bool is_utc)
{
    weir_field field = logical == WEIR_LOGICAL_TIME && unit == WEIR_MILLIS ? i32() : i64();

    field.logical = logical;
    field.unit = unit;
    field.is_utc = is_utc;
    return field;
}

static weir_field decimal(weir_field field, int32_t precision, int32_t scale)
{
    field.logical = WEIR_LOGICAL_DECIMAL;
    field.precision = precision;
    field.scale = scale;
    return field;
}

static weir_field bytes(weir_logical logical)
{
    weir_field field = field_of(WEIR_BYTES, 0);

    field.logical = logical;
    return field;
}

static weir_field null_of(weir_type type, uint32_t width)
{
    weir_field field = field_of(type, width);

    field.logical = WEIR_LOGICAL_NULL;
    return field;
}

static weir_cast planned(weir_field from, weir_field to)
{
    weir_cast cast = { .factor = -1 };
    char why[200] = "";

    cr_assert(weir_cast_plan(&from, &to, &cast, why, sizeof why), "%s", why);
    return cast;
}

static bool refuses(weir_field from, weir_field to)
{
    weir_cast cast;
    char why[200] = "";

    return !weir_cast_plan(&from, &to, &cast, why, sizeof why) && strlen(why) > 10;
}

static weir_field united(weir_field a, weir_field b)
{
    weir_field out = { .type = WEIR_ANY }, back = { .type = WEIR_ANY };
    weir_cast cast;
    char why[200];

    cr_assert(weir_cast_common(&a, &b, &out), "types %d and %d", a.type, b.type);
    cr_assert(weir_cast_common(&b, &a, &back));
    cr_expect_eq(out.type, back.type, "the order of files decided the type");
    cr_expect_eq(out.width, back.width);
    cr_expect_eq(out.logical, back.logical);
    cr_expect_eq(out.unit, back.unit);
    cr_expect_eq(out.bits, back.bits);
    cr_expect_eq(out.is_signed, back.is_signed);
    cr_expect_eq(out.precision, back.precision);
    cr_expect(weir_cast_plan(&a, &out, &cast, why, sizeof why), "no way there: %s", why);
    cr_expect(weir_cast_plan(&b, &out, &cast, why, sizeof why), "no way there: %s", why);
    return out;
}

static bool parts(weir_field a, weir_field b)
{
    weir_field out;

    return !weir_cast_common(&a, &b, &out) && !weir_cast_common(&b, &a, &out);
}

static void expect_integer(weir_field field, uint8_t bits, bool is_signed)
{
    cr_expect_eq(field.type, bits < 64 ? WEIR_I32 : WEIR_I64);
    cr_expect_eq(field.width, bits < 64 ? 4u : 8u);
    if (is_signed && bits >= 32) {
        cr_expect_eq(field.logical, WEIR_LOGICAL_NONE);
        return;
    }
    cr_expect_eq(field.logical, WEIR_LOGICAL_INTEGER);
    cr_expect_eq(field.bits, bits);
    cr_expect_eq(field.is_signed, is_signed);
}

Test(cast, numbers_widen_by_the_lattice)
{
    cr_expect_eq(united(i32(), i64()).type, WEIR_I64);
    cr_expect_eq(united(i32(), f64()).type, WEIR_F64);
    cr_expect_eq(united(i64(), f64()).type, WEIR_F64);
    cr_expect_eq(united(f32(), f64()).type, WEIR_F64);
    cr_expect_eq(united(i32(), f32()).type, WEIR_F64);
    cr_expect_eq(united(integer(8, true), f32()).type, WEIR_F64);
    expect_integer(united(integer(8, true), integer(16, true)), 16, true);
    expect_integer(united(integer(8, false), integer(16, false)), 16, false);
    expect_integer(united(integer(8, false), integer(8, true)), 16, true);
    expect_integer(united(integer(16, false), integer(8, true)), 32, true);
    expect_integer(united(integer(16, false), integer(32, true)), 32, true);
    expect_integer(united(integer(32, false), i32()), 64, true);
    expect_integer(united(integer(32, false), i64()), 64, true);
    expect_integer(united(integer(32, false), integer(64, false)), 64, false);
    cr_expect_eq(united(integer(64, false), i64()).type, WEIR_F64);
    cr_expect_eq(united(integer(64, false), integer(8, true)).type, WEIR_F64);
    expect_integer(united(i32(), integer(32, true)), 32, true);
}

Test(cast, unlike_types_have_no_common_one)
{
    cr_expect(parts(i32(), bytes(WEIR_LOGICAL_NONE)));
    cr_expect(parts(field_of(WEIR_BOOL, 0), i32()));
    cr_expect(parts(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true), i64()));
    cr_expect(parts(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true),
                    timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MICROS, false)));
    cr_expect(parts(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MICROS, true),
                    timed(WEIR_LOGICAL_TIME, WEIR_MICROS, true)));
    cr_expect(parts(decimal(i32(), 9, 2), decimal(i32(), 9, 3)));
    cr_expect(parts(decimal(i32(), 9, 2), i32()));
    cr_expect(parts(decimal(field_of(WEIR_FIXED, 40), 90, 2), decimal(i64(), 18, 2)));
    cr_expect(parts(field_of(WEIR_FIXED, 4), field_of(WEIR_FIXED, 5)));
    cr_expect(parts(bytes(WEIR_LOGICAL_DECIMAL), bytes(WEIR_LOGICAL_STRING)));
}

Test(cast, times_take_the_finer_unit_of_one_flag)
{
    const weir_field stamp = united(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_NANOS, true),
                                    timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true));
    const weir_field time = united(timed(WEIR_LOGICAL_TIME, WEIR_MILLIS, false),
                                   timed(WEIR_LOGICAL_TIME, WEIR_MICROS, false));

    cr_expect_eq(stamp.unit, WEIR_NANOS);
    cr_expect(stamp.is_utc);
    cr_expect_eq(time.unit, WEIR_MICROS);
    cr_expect_eq(time.type, WEIR_I64);
    cr_expect_eq(planned(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true), stamp).factor, 1000000);
    cr_expect_eq(planned(timed(WEIR_LOGICAL_TIME, WEIR_MILLIS, false), time).kind,
                 WEIR_CAST_SCALE_I32_I64);
    cr_expect(refuses(stamp, timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true)));
    cr_expect(refuses(stamp, timed(WEIR_LOGICAL_TIMESTAMP, WEIR_NANOS, false)));
    cr_expect(refuses(stamp, f64()));
}

Test(cast, decimals_take_the_higher_precision)
{
    weir_field out = united(decimal(i32(), 9, 2), decimal(i64(), 12, 2));

    cr_expect_eq(out.type, WEIR_I64);
    cr_expect_eq(out.precision, 12);
    out = united(decimal(i64(), 18, 2), decimal(field_of(WEIR_FIXED, 12), 28, 2));
    cr_expect_eq(out.type, WEIR_FIXED);
    cr_expect_eq(out.width, 16u);
    out = united(decimal(bytes(WEIR_LOGICAL_NONE), 60, 0), decimal(i64(), 18, 0));
    cr_expect_eq(out.width, 32u);
    cr_expect_eq(out.precision, 60);
    out = united(decimal(field_of(WEIR_FIXED, 5), 10, 2), decimal(field_of(WEIR_FIXED, 5), 11, 2));
    cr_expect_eq(out.width, 5u, "the same bytes need no cast");
    cr_expect(refuses(decimal(i64(), 18, 2), decimal(i32(), 9, 2)));
}

Test(cast, nulls_and_text_fit_in)
{
    cr_expect_eq(united(null_of(WEIR_I32, 4), f64()).type, WEIR_F64);
    cr_expect_eq(united(null_of(WEIR_BYTES, 0), i64()).logical, WEIR_LOGICAL_NONE);
    cr_expect_eq(planned(null_of(WEIR_I32, 4), bytes(WEIR_LOGICAL_STRING)).kind, WEIR_CAST_NULL);
    cr_expect_eq(planned(null_of(WEIR_I32, 4), null_of(WEIR_F64, 8)).kind, WEIR_CAST_NULL);
    cr_expect_eq(planned(null_of(WEIR_I32, 4), null_of(WEIR_I32, 4)).kind, WEIR_CAST_NONE);
    cr_expect_eq(united(bytes(WEIR_LOGICAL_ENUM), bytes(WEIR_LOGICAL_STRING)).logical,
                 WEIR_LOGICAL_STRING);
    cr_expect_eq(united(bytes(WEIR_LOGICAL_NONE), bytes(WEIR_LOGICAL_STRING)).logical,
                 WEIR_LOGICAL_NONE);
    cr_expect(refuses(bytes(WEIR_LOGICAL_NONE), bytes(WEIR_LOGICAL_STRING)));
}

Test(cast, a_physical_type_can_be_asked_for)
{
    cr_expect_eq(planned(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_NANOS, true), i64()).kind,
                 WEIR_CAST_NONE);
    cr_expect_eq(planned(bytes(WEIR_LOGICAL_STRING), bytes(WEIR_LOGICAL_NONE)).kind,
                 WEIR_CAST_NONE);
    cr_expect(refuses(integer(32, false), i32()), "that would change the sign");
    cr_expect(refuses(i64(), i32()));
    cr_expect(refuses(f64(), f32()));
    cr_expect(refuses(f64(), i64()));
    cr_expect(refuses(i32(), integer(64, false)));
    cr_expect_eq(planned(integer(32, false), field_of(WEIR_U64, 8)).kind, WEIR_CAST_U32_I64);
}

static weir_field list_of(weir_type element, uint32_t count, uint32_t width)
{
    return (weir_field){
        .type = WEIR_FIXED_LIST, .element = element, .list_size = count, .width = width
    };
}

Test(cast, lists_of_a_fixed_size_are_like_nothing_but_themselves)
{
    cr_expect_eq(planned(list_of(WEIR_F32, 3, 12), list_of(WEIR_F32, 3, 12)).kind, WEIR_CAST_NONE);
    cr_expect(refuses(list_of(WEIR_F32, 3, 12), list_of(WEIR_F32, 4, 16)));
    cr_expect(refuses(list_of(WEIR_F32, 3, 12), list_of(WEIR_I32, 3, 12)));
    cr_expect(refuses(list_of(WEIR_F32, 2, 8), f64()));
}

Test(cast, integers_widen_by_their_sign)
{
    const int32_t from[] = { 0, 1, -1, INT32_MIN, INT32_MAX };
    const weir_cast with_sign = planned(i32(), i64());
    const weir_cast without = planned(integer(32, false), i64());
    const weir_cast to_double = planned(integer(32, false), f64());
    const weir_kernels *kernels = weir_kernels_pick();
    int64_t to[5 + 8];
    double real[5 + 8];
    char text[120];

    cr_assert_eq(weir_cast_run(&with_sign, kernels, from, 5, to, text, sizeof text), 5u);
    cr_expect_eq(to[2], -1);
    cr_expect_eq(to[3], INT32_MIN);
    cr_assert_eq(weir_cast_run(&without, kernels, from, 5, to, text, sizeof text), 5u);
    cr_expect_eq(to[2], 4294967295);
    cr_expect_eq(to[3], 2147483648);
    cr_assert_eq(weir_cast_run(&to_double, kernels, from, 5, real, text, sizeof text), 5u);
    cr_expect_eq(real[2], 4294967295.0);
    cr_expect_eq(real[4], 2147483647.0);
}

Test(cast, an_integer_without_exact_double_is_refused_at_its_place)
{
    /* 2^53, 2^53 + 1 */
    const int64_t from[] = { 5, -9007199254740992, 9007199254740994, 9007199254740993, 1 };
    const uint64_t big[] = { UINT64_C(0xfffffffffffff800), 7, UINT64_MAX };
    const weir_cast cast = planned(i64(), f64());
    const weir_cast without = planned(integer(64, false), f64());
    double to[5 + 8];
    char text[120] = "";

    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), from, 5, to, text, sizeof text), 3u);
    cr_expect_eq(to[2], 9007199254740994.0);
    cr_expect_str_eq(text, "9007199254740993 has no exact double");
    cr_expect_eq(weir_cast_run(&without, weir_kernels_pick(), big, 3, to, text, sizeof text), 2u);
    cr_expect_eq(to[0], 18446744073709549568.0);
    cr_expect_str_eq(text, "18446744073709551615 has no exact double");
}

Test(cast, the_ends_of_int64_are_judged_right)
{
    const int64_t least = INT64_MIN, most = INT64_MAX;
    const weir_cast cast = planned(i64(), f64());
    double to[1 + 8];
    char text[120];

    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), &least, 1, to, text, sizeof text), 1u);
    cr_expect_eq(to[0], -9223372036854775808.0);
    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), &most, 1, to, text, sizeof text), 0u);
}

Test(cast, floats_keep_their_value)
{
    const float from[] = { 1.5f, -0.0f, INFINITY, 1e-45f, 3.4028235e38f, 0.1f };
    const weir_cast cast = planned(f32(), f64());
    double to[6 + 8];
    char text[120];

    cr_assert_eq(weir_cast_run(&cast, weir_kernels_pick(), from, 6, to, text, sizeof text), 6u);
    for (int i = 0; i < 6; i++)
        cr_expect_eq(to[i], (double)from[i]);
    cr_expect(signbit(to[1]));
    cr_expect_eq(to[3], 0x1p-149);
}

Test(cast, a_scaled_time_that_overflows_is_refused)
{
    const int64_t from[] = { -1, 9223372036854, 9223372036855 };
    const int32_t short_from[] = { 86399999, -1 };
    const weir_cast cast = planned(timed(WEIR_LOGICAL_TIMESTAMP, WEIR_MILLIS, true),
                                   timed(WEIR_LOGICAL_TIMESTAMP, WEIR_NANOS, true));
    const weir_cast of_day = planned(timed(WEIR_LOGICAL_TIME, WEIR_MILLIS, true),
                                     timed(WEIR_LOGICAL_TIME, WEIR_NANOS, true));
    int64_t to[3 + 8];
    char text[120] = "";

    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), from, 3, to, text, sizeof text), 2u);
    cr_expect_eq(to[0], -1000000);
    cr_expect_eq(to[1], 9223372036854000000);
    cr_expect_str_eq(text, "9223372036855 does not fit the finer unit");
    cr_expect_eq(weir_cast_run(&of_day, weir_kernels_pick(), short_from, 2, to, text, sizeof text),
                 2u);
    cr_expect_eq(to[0], 86399999000000);
}

Test(cast, decimals_are_extended_by_their_sign)
{
    const int32_t small[] = { 1, -2 };
    const uint8_t five[] = { 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0, 1, 0, 0 };
    const weir_cast widen = planned(decimal(i32(), 9, 2), decimal(field_of(WEIR_FIXED, 16), 38, 2));
    const weir_cast shrink =
        planned(decimal(field_of(WEIR_FIXED, 5), 10, 2), decimal(i64(), 18, 2));
    uint8_t fixed[32 + 64], expected[32] = { 0 };
    int64_t to[2 + 8];
    char text[120];

    expected[15] = 1;
    memset(expected + 16, 0xff, 15);
    expected[31] = 0xfe;
    cr_assert_eq(weir_cast_run(&widen, weir_kernels_pick(), small, 2, fixed, text, sizeof text),
                 2u);
    cr_expect_eq(memcmp(fixed, expected, 32), 0);
    cr_assert_eq(weir_cast_run(&shrink, weir_kernels_pick(), five, 2, to, text, sizeof text), 2u);
    cr_expect_eq(to[0], -2);
    cr_expect_eq(to[1], 65536);
}

Test(cast, a_decimal_of_any_length_fits_by_its_value)
{
    const weir_cast cast = planned(decimal(bytes(WEIR_LOGICAL_NONE), 18, 0), decimal(i64(), 18, 0));
    const uint8_t padded[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80 };
    const uint8_t high[] = { 0, 0x80, 0, 0, 0, 0, 0, 0, 0 }; /* 2^63 */
    const uint8_t low[] = { 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0 };
    int64_t to = 3;

    cr_expect(weir_cast_decimal(&cast, (weir_view){ padded, sizeof padded }, &to));
    cr_expect_eq(to, -128);
    cr_expect(weir_cast_decimal(&cast, (weir_view){ NULL, 0 }, &to));
    cr_expect_eq(to, 0, "no bytes are 0");
    cr_expect(weir_cast_decimal(&cast, (weir_view){ high + 1, 8 }, &to));
    cr_expect_eq(to, INT64_MIN);
    cr_expect_not(weir_cast_decimal(&cast, (weir_view){ high, sizeof high }, &to));
    cr_expect_not(weir_cast_decimal(&cast, (weir_view){ low, sizeof low }, &to));
}

Test(cast, a_value_in_a_column_of_nulls_is_refused)
{
    const weir_cast cast = planned(null_of(WEIR_I32, 4), i64());
    const int32_t from = 0;
    int64_t to[1 + 8];
    char text[120] = "";

    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), &from, 0, to, text, sizeof text), 0u);
    cr_expect_eq(weir_cast_run(&cast, weir_kernels_pick(), &from, 1, to, text, sizeof text), 0u);
    cr_expect_str_eq(text, "a value in a column of nulls");
}
