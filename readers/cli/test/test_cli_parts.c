/* SPDX-License-Identifier: Apache-2.0
 * test_cli_parts.c: the command's own arithmetic and text: CRC, wide integers, widths, escapes,
 * quotes. Beside test_cli.py, which runs it from outside. */
#include "readers/cli/crc.h"
#include "readers/cli/wide.h"

#include <criterion/criterion.h>
#include <string.h>

/* The text in `out`, terminated; good until the next call. */
static const char *text_of(cli_out *out)
{
    cli_putc(out, '\0');
    out->used = 0;
    return out->data;
}

static const char *shown(cli_out *out, const char *text, size_t columns)
{
    cr_expect_eq(cli_put_shown(out, text, strlen(text)), columns, "%s", text);
    return text_of(out);
}

Test(cli_crc, the_check_value_of_crc_32)
{
    cli_crc_table table;

    cli_crc_init(&table);
    cr_expect_eq(cli_crc(&table, 0, "123456789", 9), 0xCBF43926u);
    cr_expect_eq(cli_crc(&table, 0, "", 0), 0u);
}

Test(cli_crc, pieces_join_to_the_whole_wherever_they_are_cut)
{
    cli_crc_table table;
    uint8_t data[300];
    uint32_t whole;
    size_t i;

    cli_crc_init(&table);
    for (i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 37 + 11);
    whole = cli_crc(&table, 0, data, sizeof(data));
    for (i = 0; i <= sizeof(data); i++) {
        const uint32_t first = cli_crc(&table, 0, data, i);
        const uint32_t second = cli_crc(&table, 0, data + i, sizeof(data) - i);

        cr_expect_eq(cli_crc(&table, first, data + i, sizeof(data) - i), whole, "at %zu", i);
        cr_expect_eq(cli_crc_join(first, second, sizeof(data) - i), whole, "at %zu", i);
    }
}

Test(cli_wide, text_has_all_digits_and_the_point_where_the_scale_says)
{
    const weir_i256 least = { { 0, 0, 0, (uint64_t)1 << 63 } }; /* -2^255 */
    cli_out out = { .fd = -1 };
    cli_wide wide = cli_wide_of_256(&least);

    cli_put_wide(&out, &wide, 0);
    cr_expect_str_eq(text_of(&out),
                     "-57896044618658097711785492504343953926634992332820282019728792"
                     "003956564819968");
    cli_wide_add(&wide, &wide); /* beyond 256 bits */
    cli_put_wide(&out, &wide, 2);
    cr_expect_str_eq(text_of(&out), "-1157920892373161954235709850086879078532699846656405640394575"
                                    "840079131296399.36");
    wide = cli_wide_of(-5);
    cli_put_wide(&out, &wide, 3);
    cr_expect_str_eq(text_of(&out), "-0.005");
    wide = cli_wide_of(0);
    cli_put_wide(&out, &wide, 1);
    cr_expect_str_eq(text_of(&out), "0.0");
    wide = cli_wide_of(1234);
    cli_put_wide(&out, &wide, 4);
    cr_expect_str_eq(text_of(&out), "0.1234");
    cli_fini(&out);
}

Test(cli_wide, order_and_sums_go_over_the_sign)
{
    cli_wide a = cli_wide_of(-1), b = cli_wide_of(1);
    const cli_wide zero = cli_wide_of(0);

    cr_expect_lt(cli_wide_compare(&a, &b), 0);
    cr_expect_gt(cli_wide_compare(&b, &a), 0);
    cli_wide_add(&a, &b);
    cr_expect_eq(cli_wide_compare(&a, &zero), 0);
    cr_expect_eq(cli_wide_real(&zero), 0);
    b = cli_wide_of(-((cli_i128)3 << 100));
    cr_expect_eq((double)cli_wide_real(&b), -3 * 0x1p100);
}

Test(cli_text, widths_are_those_of_terminals)
{
    static const struct {
        int32_t code;
        int width;
    } cases[] = {
        { 'a', 1 },    { 0xE9, 1 },    { 0x301, 0 },    { 0x200B, 0 },  { 0x65E5, 2 },
        { 0xFF21, 2 }, { 0xFF71, 1 },  { 0x1F695, 2 },  { 0x1100, 2 },  { 0x1161, 0 },
        { 0xAC00, 2 }, { 0xFE0F, 0 },  { 0xAD, 1 },     { 0x2603, 1 },  { 0x20000, 2 },
        { 0x378, 1 },  { 0xE0100, 0 }, { 0x10FFFF, 1 }, { 0x1F1E9, 1 }, { 0x2014, 1 },
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_eq(cli_width(cases[i].code), cases[i].width, "U+%X", (unsigned)cases[i].code);
}

Test(cli_text, what_is_no_utf_8_is_told_apart)
{
    static const char *const bad[] = { "\x80",
                                       "\xC0\x80",
                                       "\xC1\xBF",
                                       "\xE0\x9F\xBF",
                                       "\xED\xA0\x80",
                                       "\xF0\x8F\xBF\xBF",
                                       "\xF4\x90\x80\x80",
                                       "\xF8\x88\x80\x80\x80",
                                       "\xE2\x82",
                                       "\xC3",
                                       "a\xFFz" };
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        cr_expect_not(cli_is_utf8(bad[i], strlen(bad[i])), "case %zu", i);
    cr_expect(cli_is_utf8("\xF4\x8F\xBF\xBF \xED\x9F\xBF \xE2\x82\xAC", 13));
    cr_expect(cli_is_utf8("", 0));
}

Test(cli_text, nothing_shown_moves_the_cursor)
{
    cli_out out = { .fd = -1 };

    cr_expect_str_eq(shown(&out, "a\x1b[31mb", 10), "a\\x1b[31mb");
    cr_expect_str_eq(shown(&out, "1\n2\r3\t4", 10), "1\\n2\\r3\\t4");
    cr_expect_str_eq(shown(&out, "\xE2\x80\xAE evil", 11), "\\u202e evil");
    cr_expect_str_eq(shown(&out, "\xC2\x9B", 6), "\\u009b");
    cr_expect_str_eq(shown(&out, "\xFFok", 6), "\\xffok");
    cr_expect_str_eq(shown(&out, "\xE6\x97\xA5\xE6\x9C\xAC", 4), "\xE6\x97\xA5\xE6\x9C\xAC");
    cr_expect_str_eq(shown(&out, "e\xCC\x81", 1), "e\xCC\x81");
    cli_fini(&out);
}

Test(cli_text, sizes_and_counts_as_people_write_them)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = { { 0, "0 B" },           { 1023, "1023 B" },     { 1024, "1.0 KiB" },
                  { 1048575, "1.0 MiB" }, { 1572864, "1.5 MiB" }, { UINT64_MAX, "16.0 EiB" } };
    cli_out out = { .fd = -1 };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cli_put_bytes(&out, cases[i].bytes);
        cr_expect_str_eq(text_of(&out), cases[i].text);
    }
    cli_put_grouped(&out, 1234567);
    cr_expect_str_eq(text_of(&out), "1,234,567");
    cli_put_grouped(&out, 999);
    cr_expect_str_eq(text_of(&out), "999");
    cli_fini(&out);
}

Test(cli_quote, fields_are_quoted_by_rfc_4180_if_they_must_be)
{
    static const struct {
        const char *field;
        char separator;
        const char *text;
    } cases[] = {
        { "", ',', "\"\"" },
        { "plain", ',', "plain" },
        { "a,b", ',', "\"a,b\"" },
        { "a,b", '\t', "a,b" },
        { "a\tb", '\t', "\"a\tb\"" },
        { "\"", ',', "\"\"\"\"" },
        { "a\nb", ',', "\"a\nb\"" },
        { "a\r", ',', "\"a\r\"" },
        { "say \"x\"", ',', "\"say \"\"x\"\"\"" },
        { " a ", ',', " a " },
    };
    cli_out out = { .fd = -1 };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cli_puts(&out, "before");
        cli_puts(&out, cases[i].field);
        cli_quote(&out, 6, cases[i].separator);
        cr_expect_str_eq(text_of(&out) + 6, cases[i].text);
        cr_expect_eq(memcmp(out.data, "before", 6), 0);
    }
    cli_fini(&out);
}

Test(cli_json, strings_are_escaped_and_other_bytes_base64)
{
    cli_out out = { .fd = -1 };

    cli_put_json_text(&out, "a\"\\\n\x01", 5);
    cr_expect_str_eq(text_of(&out), "\"a\\\"\\\\\\n\\u0001\"");
    cli_put_json_text(&out, "\xFF", 1);
    cr_expect_str_eq(text_of(&out), "\"/w==\"");
    cli_put_json_text(&out, "\xFF\xFE", 2);
    cr_expect_str_eq(text_of(&out), "\"//4=\"");
    cli_put_json_text(&out, "\xFF\xFE\xFD", 3);
    cr_expect_str_eq(text_of(&out), "\"//79\"");
    cli_fini(&out);
}

Test(cli_compare, decimals_in_bytes_compare_as_numbers)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rising[] = { { "\xFE\xFF", 2 },     { "\xFF\x00", 2 }, { "\x80", 1 }, { "\xFE", 1 },
                   { "\xFF\xFF\xFF", 3 }, { "", 0 },         { "\x01", 1 }, { "\x00\x00\x7F", 3 },
                   { "\x00\x80", 2 },     { "\x01\x00", 2 } };
    const size_t count = sizeof(rising) / sizeof(rising[0]);
    const weir_field field = { .type = WEIR_BYTES, .logical = WEIR_LOGICAL_DECIMAL };
    size_t i, k;

    for (i = 0; i < count; i++)
        for (k = 0; k < count; k++) {
            const weir_view a = { (const uint8_t *)rising[i].bytes, rising[i].size };
            const weir_view b = { (const uint8_t *)rising[k].bytes, rising[k].size };
            const int order = cli_compare(&field, a, b);

            cr_expect_eq((order > 0) - (order < 0), (i > k) - (i < k), "%zu and %zu", i, k);
        }
}
