/* SPDX-License-Identifier: Apache-2.0
 * test_text.c: texts of values. The expected ones come from Python: datetime (with whole cycles of
 * 400 years added by hand beyond its range), decimal, base64, uuid, json. */
#include <weir/value.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The text of one value of a field. */
static const char *text_of(const weir_field *field, const void *value, uint32_t size,
                           weir_text_style style)
{
    static char text[4096];
    const int32_t offsets[] = { 0, (int32_t)size };
    const weir_vector v = { .field = field,
                            .type = field->type,
                            .width = field->width,
                            .rows = 1,
                            .values = value,
                            .offsets = offsets };
    const size_t length = weir_value_text(&v, 0, style, text, sizeof text);

    cr_assert_lt(length, sizeof text);
    cr_assert_eq(text[length], 0);
    return text;
}

static const char *plain(const weir_field *field, const void *value, uint32_t size)
{
    return text_of(field, value, size, WEIR_TEXT_PLAIN);
}

static const char *json(const weir_field *field, const void *value, uint32_t size)
{
    return text_of(field, value, size, WEIR_TEXT_JSON);
}

Test(text, integers_are_exact_by_their_sign)
{
    const weir_field i32 = { .type = WEIR_I32, .width = 4 }, i64 = { .type = WEIR_I64, .width = 8 };
    weir_field u32 = i32, u64 = i64;
    const int32_t minus = -1, least = INT32_MIN;
    const int64_t low = INT64_MIN, high = INT64_MAX, all = -1;

    u32.logical = u64.logical = WEIR_LOGICAL_INTEGER;
    u32.bits = 32;
    u64.bits = 64;
    cr_expect_str_eq(plain(&i32, &minus, 4), "-1");
    cr_expect_str_eq(plain(&i32, &least, 4), "-2147483648");
    cr_expect_str_eq(plain(&u32, &minus, 4), "4294967295");
    cr_expect_str_eq(plain(&i64, &low, 8), "-9223372036854775808");
    cr_expect_str_eq(json(&i64, &high, 8), "9223372036854775807");
    cr_expect_str_eq(json(&u64, &all, 8), "18446744073709551615");
}

Test(text, booleans_and_floats_are_bare_in_json_but_for_nan_and_infinity)
{
    const weir_field boolean = { .type = WEIR_BOOL }, f32 = { .type = WEIR_F32, .width = 4 };
    const weir_field f64 = { .type = WEIR_F64, .width = 8 };
    const weir_field half = { .type = WEIR_FIXED, .width = 2, .logical = WEIR_LOGICAL_FLOAT16 };
    const uint8_t yes = 1;
    const float tenth = 0.1f;
    const double nan = NAN, infinity = -INFINITY, third = 1.0 / 3, zero = -0.0;
    const uint16_t half_tenth = 0x2e66, half_infinity = 0x7c00;

    cr_expect_str_eq(plain(&boolean, &yes, 1), "true");
    cr_expect_str_eq(json(&f32, &tenth, 4), "0.1");
    cr_expect_str_eq(json(&f64, &third, 8), "0.3333333333333333");
    cr_expect_str_eq(json(&f64, &zero, 8), "-0.0");
    cr_expect_str_eq(json(&f64, &nan, 8), "\"NaN\"");
    cr_expect_str_eq(json(&f64, &infinity, 8), "\"-Infinity\"");
    cr_expect_str_eq(plain(&f64, &infinity, 8), "-Infinity");
    cr_expect_str_eq(json(&half, &half_tenth, 2), "0.1");
    cr_expect_str_eq(json(&half, &half_infinity, 2), "\"Infinity\"");
}

Test(text, dates_are_right_in_any_year)
{
    const weir_field field = { .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_DATE };
    static const struct {
        int32_t days;
        const char *text;
    } rows[] = {
        { 0, "1970-01-01" },
        { -1, "1969-12-31" },
        { 11016, "2000-02-29" },
        { -25508, "1900-03-01" },
        { 19782, "2024-02-29" },
        { -719162, "0001-01-01" },
        { 2932896, "9999-12-31" },
        { -141427, "1582-10-15" },
        { -135081, "1600-02-29" },
        { 47540, "2100-02-28" },
        { 47541, "2100-03-01" },
        { 2932897, "+10000-01-01" },
        { -719163, "0000-12-31" },
        { -719469, "0000-02-29" },
        { -719834, "-00001-03-01" },
        { -2472633, "-04800-02-29" },
        { 44372039, "+123456-07-08" },
        { 2146045304, "+5877642-06-23" },
        { 2147483647, "+5881580-07-11" },
        { INT32_MIN, "-5877641-06-23" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(plain(&field, &rows[i].days, 4), rows[i].text);
    cr_expect_str_eq(json(&field, &rows[0].days, 4), "\"1970-01-01\"");
}

Test(text, timestamps_have_the_digits_of_their_unit)
{
    static const struct {
        weir_unit unit;
        int64_t value;
        const char *text;
    } rows[] = {
        { WEIR_MILLIS, 0, "1970-01-01T00:00:00.000" },
        { WEIR_MILLIS, -1, "1969-12-31T23:59:59.999" },
        { WEIR_MILLIS, 1, "1970-01-01T00:00:00.001" },
        { WEIR_MILLIS, 8000123456789, "2223-07-08T00:30:56.789" },
        { WEIR_MILLIS, -62135596800000, "0001-01-01T00:00:00.000" },
        { WEIR_MILLIS, INT64_MAX, "+292278994-08-17T07:12:55.807" },
        { WEIR_MILLIS, INT64_MIN, "-292275055-05-16T16:47:04.192" },
        { WEIR_MICROS, 0, "1970-01-01T00:00:00.000000" },
        { WEIR_MICROS, -1, "1969-12-31T23:59:59.999999" },
        { WEIR_MICROS, 1, "1970-01-01T00:00:00.000001" },
        { WEIR_MICROS, 9208000123456789, "2261-10-16T01:48:43.456789" },
        { WEIR_MICROS, -62135596800000000, "0001-01-01T00:00:00.000000" },
        { WEIR_MICROS, INT64_MAX, "+294247-01-10T04:00:54.775807" },
        { WEIR_MICROS, INT64_MIN, "-290308-12-21T19:59:05.224192" },
        { WEIR_NANOS, 0, "1970-01-01T00:00:00.000000000" },
        { WEIR_NANOS, -1, "1969-12-31T23:59:59.999999999" },
        { WEIR_NANOS, 1, "1970-01-01T00:00:00.000000001" },
        { WEIR_NANOS, 1709208000123456789, "2024-02-29T12:00:00.123456789" },
        { WEIR_NANOS, -1234567890123456789, "1930-11-18T00:28:29.876543211" },
        { WEIR_NANOS, INT64_MAX, "2262-04-11T23:47:16.854775807" },
        { WEIR_NANOS, INT64_MIN, "1677-09-21T00:12:43.145224192" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_field field = {
            .type = WEIR_I64, .width = 8, .logical = WEIR_LOGICAL_TIMESTAMP, .unit = rows[i].unit
        };
        char instant[80];

        cr_expect_str_eq(plain(&field, &rows[i].value, 8), rows[i].text);
        snprintf(instant, sizeof instant, "\"%sZ\"", rows[i].text);
        field.is_utc = true;
        cr_expect_str_eq(json(&field, &rows[i].value, 8), instant);
    }
}

Test(text, int96_is_exact_in_any_year)
{
    const weir_field field = { .type = WEIR_FIXED, .width = 12, .logical = WEIR_LOGICAL_TIMESTAMP };
    static const struct {
        uint64_t nanos;
        uint32_t julian;
        const char *text;
    } rows[] = {
        { 0U, 2440588U, "1970-01-01T00:00:00.000000000" },
        { 86399999999999U, 2440587U, "1969-12-31T23:59:59.999999999" },
        { 86400000000000U, 2440588U, "1970-01-02T00:00:00.000000000" },
        { 1U, 0U, "-04713-11-24T00:00:00.000000001" },
        { 18446744073709551615U, 4294967295U, "+11755093-07-02T23:34:33.709551615" },
        { 43200000000001U, 2457023U, "2014-12-31T12:00:00.000000001" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t value[12];

        memcpy(value, &rows[i].nanos, 8);
        memcpy(value + 8, &rows[i].julian, 4);
        cr_expect_str_eq(plain(&field, value, 12), rows[i].text);
    }
}

Test(text, times_of_day_keep_counting_past_a_day)
{
    weir_field field = {
        .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MILLIS
    };
    const int32_t noon = 43200001, late = 86400000, early = -1;
    const int64_t nanos = 86399999999999;

    cr_expect_str_eq(plain(&field, &noon, 4), "12:00:00.001");
    cr_expect_str_eq(plain(&field, &late, 4), "24:00:00.000");
    cr_expect_str_eq(plain(&field, &early, 4), "-00:00:00.001");
    field.type = WEIR_I64;
    field.width = 8;
    field.unit = WEIR_NANOS;
    field.is_utc = true;
    cr_expect_str_eq(json(&field, &nanos, 8), "\"23:59:59.999999999Z\"");
}

/* Bytes from hex digits; their number. */
static uint32_t from_hex(const char *hex, uint8_t *out)
{
    const size_t size = strlen(hex) / 2;

    for (size_t i = 0; i < size; i++) {
        unsigned byte;

        cr_assert_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return (uint32_t)size;
}

Test(text, decimals_have_all_their_digits)
{
    static const struct {
        const char *bytes;
        int32_t scale;
        const char *text;
    } rows[] = {
        { "00", 0, "0" },
        { "00000000", 2, "0.00" },
        { "01", 2, "0.01" },
        { "ff", 2, "-0.01" },
        { "075bcd15", 4, "12345.6789" },
        { "f8a432eb", 9, "-0.123456789" },
        { "fffffffff8a432eb", 12, "-0.000123456789" },
        { "4b3b4ca85a86c47a098a223fffffffff", 10, "9999999999999999999999999999.9999999999" },
        { "b4c4b357a5793b85f675ddc000000001", 38, "-0.99999999999999999999999999999999999999" },
        { "161bcca7119915b50764b4abe86529797775a5f171950fffffffffffffffffff", 38,
          "99999999999999999999999999999999999999.99999999999999999999999999999999999999" },
        { "e9e43358ee66ea4af89b4b54179ad686888a5a0e8e6af0000000000000000001", 76,
          "-0.9999999999999999999999999999999999999999999999999999999999999999999999999999" },
        { "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0,
          "57896044618658097711785492504343953926634992332820282019728792003956564819967" },
        { "8000000000000000000000000000000000000000000000000000000000000000", 3,
          "-57896044618658097711785492504343953926634992332820282019728792003956564819.968" },
        { "0020000000000001", 0, "9007199254740993" },
        { "0020000000000001", 1, "900719925474099.3" },
        { "010000000000000000", 5, "184467440737095.51616" },
        { "018ee90ff6c373e0ee4e3f0ad2", 15, "123456789012345.678901234567890" },
        { "010f0cf064dd59200000", 22, "0.5000000000000000000000" },
        { "062e3fa6a3a4506513270e269e0d37f2a74de4", 68,
          "0.00000000000000000000000137833295634685102264509038050707611144637924" },
        { "076c823a9531985d5d9dc9f8", 4, "229757404557226607325359.5640" },
        { "08f1056b0d549b6f03675a", 11, "108095968269237.49756594010" },
        { "1c93f28c105d1fb17c2390c192cfd3ac94af0f21ddb66cad4a26", 73,
          "0.0000000000045922946432546196381184847541593364136941975555152908122933798" },
        { "6de24b8e81973e0becd7b03898d190f9ebdacc0cb1e29c658cda14", 37,
          "4520364146187775108605823780.3946889207613371961272684471579892244" },
        { "47b64ef8aa38922766581e27a1c08a6a63ec24ede6a4", 13,
          "2683069790481398796027023919987783689885.8510693820068" },
        { "5b26728c38fb2918f135d25f557203301850c5a38fd547923a7369", 72,
          "0.000000037497011352584829416895286164356014305293940403321883577087062889" },
        { "c075cb464a206188964f", 40, "-0.0000000000000000300058538370692271270321" },
        { "1fcc714cbd87ad5c90a9587403e430ec66a78795e761d1", 31,
          "304570115973060570472378.1284361814396071193833659392465" },
        { "bcc65cb322dfaa6cf29151", 43, "-0.0000000000000000081270217161606407786426031" },
        { "35850c74830e07bc1e398f1012bd4acefaecbd389be4bcfc49b64a0872e6cc3a", 43,
          "2420765759664030047979458710144845.0597014378368147964392743970803849946909754" },
        { "056bf46c697d2caf82eeeacbe2", 71,
          "0.00000000000000000000000000000000000000000429551198483699634631690865634" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_field field = { .type = WEIR_BYTES,
                             .logical = WEIR_LOGICAL_DECIMAL,
                             .precision = 76,
                             .scale = rows[i].scale };
        uint8_t bytes[32];
        const uint32_t size = from_hex(rows[i].bytes, bytes);
        char quoted[120];

        cr_expect_str_eq(plain(&field, bytes, size), rows[i].text);
        field.type = WEIR_FIXED;
        field.width = size;
        snprintf(quoted, sizeof quoted, "\"%s\"", rows[i].text);
        cr_expect_str_eq(json(&field, bytes, size), quoted);
    }
}

Test(text, decimals_on_integers_and_of_odd_scales)
{
    weir_field field = {
        .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_DECIMAL, .precision = 9, .scale = 2
    };
    const int32_t value = -5;
    const int64_t big = INT64_MIN;
    uint8_t long_one[40] = { 1 };

    cr_expect_str_eq(plain(&field, &value, 4), "-0.05");
    field.scale = -3;
    cr_expect_str_eq(plain(&field, &value, 4), "-5E3");
    field.scale = INT32_MAX;
    cr_expect_str_eq(plain(&field, &value, 4), "-5E-2147483647");
    field.type = WEIR_I64;
    field.width = 8;
    field.scale = 18;
    cr_expect_str_eq(json(&field, &big, 8), "\"-9.223372036854775808\"");
    field.type = WEIR_BYTES;
    cr_expect_str_eq(json(&field, long_one, 40),
                     "\"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==\"");
    cr_expect_str_eq(plain(&field, "", 0), "0.000000000000000000");
}

Test(text, strings_are_escaped_for_json)
{
    const weir_field field = { .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING };
    const char odd[] = "a\"b\\c\n\t\r\b\f\x01\x7f/\xc3\xa9\xf0\x9f\x98\x80";

    cr_expect_str_eq(plain(&field, "plain, \"text\"", 13), "plain, \"text\"");
    cr_expect_str_eq(json(&field, odd, sizeof odd - 1),
                     "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u007f/"
                     "\xc3\xa9\xf0\x9f\x98\x80\"");
    cr_expect_str_eq(json(&field, "", 0), "\"\"");
    cr_expect_str_eq(json(&field, "a\0b", 3), "\"a\\u0000b\"");
}

Test(text, bytes_that_are_not_utf8_are_base64_or_escaped)
{
    weir_field field = { .type = WEIR_BYTES };
    const uint8_t bytes[] = { 'a', 0xff, '\\', 0xfd };

    cr_expect_str_eq(json(&field, bytes, 2), "\"Yf8=\"");
    cr_expect_str_eq(json(&field, bytes + 1, 1), "\"/w==\"");
    cr_expect_str_eq(json(&field, bytes, 4), "\"Yf9c/Q==\"");
    cr_expect_str_eq(plain(&field, bytes, 4), "a\\xff\\x5c\\xfd");
    cr_expect_str_eq(plain(&field, "h\xc3\xa9", 3), "h\xc3\xa9");
    cr_expect_str_eq(json(&field, "h\xc3\xa9", 3), "\"h\xc3\xa9\"");
    field.logical = WEIR_LOGICAL_STRING;
    cr_expect_str_eq(plain(&field, bytes, 2), "a\xff", "strings stay as they are");
    cr_expect_str_eq(json(&field, bytes, 2), "\"Yf8=\"");
    field.logical = WEIR_LOGICAL_BSON;
    cr_expect_str_eq(json(&field, "abc", 3), "\"YWJj\"");
    field.logical = WEIR_LOGICAL_JSON;
    cr_expect_str_eq(json(&field, "{\"a\":1}", 7), "\"{\\\"a\\\":1}\"");
}

Test(text, uuid_and_interval_have_their_usual_form)
{
    weir_field field = { .type = WEIR_FIXED, .width = 16, .logical = WEIR_LOGICAL_UUID };
    const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                               0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
    const uint32_t interval[3] = { 1, 2, 3004 };

    cr_expect_str_eq(plain(&field, uuid, 16), "00112233-4455-6677-8899-aabbccddeeff");
    cr_expect_str_eq(json(&field, uuid, 16), "\"00112233-4455-6677-8899-aabbccddeeff\"");
    field = (weir_field){ .type = WEIR_FIXED, .width = 12, .logical = WEIR_LOGICAL_INTERVAL };
    cr_expect_str_eq(plain(&field, interval, 12), "P1M2DT3.004S");
}

Test(text, a_null_is_empty_or_null)
{
    const weir_field field = { .type = WEIR_I32, .width = 4 };
    const weir_field nothing = { .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_NULL };
    const int32_t values[2] = { 7, 0 };
    const uint8_t validity = 1;
    weir_vector v = { .field = &field,
                      .type = WEIR_I32,
                      .width = 4,
                      .rows = 2,
                      .nulls = 1,
                      .values = values,
                      .validity = &validity };
    char text[8] = "x";

    cr_expect_eq(weir_value_text(&v, 1, WEIR_TEXT_PLAIN, text, sizeof text), 0u);
    cr_expect_str_eq(text, "");
    cr_expect_eq(weir_value_text(&v, 1, WEIR_TEXT_JSON, text, sizeof text), 4u);
    cr_expect_str_eq(text, "null");
    v.field = &nothing;
    cr_expect_eq(weir_value_text(&v, 0, WEIR_TEXT_JSON, text, sizeof text), 4u);
}

Test(text, a_text_without_room_is_cut_and_its_length_told)
{
    const weir_field field = { .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING };
    const int32_t offsets[] = { 0, 6 };
    const weir_vector v = {
        .field = &field, .type = WEIR_BYTES, .rows = 1, .values = "abcdef", .offsets = offsets
    };
    char text[8] = "zzzzzzz";

    cr_expect_eq(weir_value_text(&v, 0, WEIR_TEXT_JSON, NULL, 0), 8u);
    cr_expect_eq(weir_value_text(&v, 0, WEIR_TEXT_PLAIN, text, 4), 6u);
    cr_expect_str_eq(text, "abc");
    cr_expect_eq(text[4], 'z', "a byte past the room was written");
    cr_expect_eq(weir_value_text(&v, 0, WEIR_TEXT_PLAIN, text, 1), 6u);
    cr_expect_str_eq(text, "");
}

Test(text, codes_and_one_value_print_like_plain)
{
    const weir_field field = { .type = WEIR_I32, .width = 4, .logical = WEIR_LOGICAL_DATE };
    const int32_t entries[] = { 0, 19782 };
    const uint32_t codes[] = { 0, 1, 0 };
    const weir_vector dictionary = {
        .field = &field, .type = WEIR_I32, .width = 4, .rows = 2, .values = entries
    };
    const weir_vector coded = { .field = &field,
                                .type = WEIR_I32,
                                .form = WEIR_CODES,
                                .width = 4,
                                .rows = 2,
                                .first = 1,
                                .values = codes,
                                .dictionary = &dictionary };
    const weir_vector one = { .field = &field,
                              .type = WEIR_I32,
                              .form = WEIR_ONE,
                              .width = 4,
                              .rows = 9,
                              .first = 1,
                              .values = entries };
    char text[16];

    weir_value_text(&coded, 0, WEIR_TEXT_PLAIN, text, sizeof text);
    cr_expect_str_eq(text, "2024-02-29");
    weir_value_text(&one, 8, WEIR_TEXT_PLAIN, text, sizeof text);
    cr_expect_str_eq(text, "2024-02-29");
}

Test(text, a_list_of_a_fixed_size_is_a_list)
{
    const weir_field bytes = {
        .type = WEIR_FIXED_LIST, .element = WEIR_I8, .list_size = 3, .width = 3
    };
    const weir_field floats = {
        .type = WEIR_FIXED_LIST, .element = WEIR_F32, .list_size = 2, .width = 8
    };
    const int8_t three[] = { -128, 0, 127 };
    const float two[] = { 0.1f, -NAN };

    cr_expect_str_eq(json(&bytes, three, 3), "[-128,0,127]");
    cr_expect_str_eq(plain(&bytes, three, 3), "[-128, 0, 127]");
    cr_expect_str_eq(json(&floats, two, 8), "[0.1,\"NaN\"]");
}
