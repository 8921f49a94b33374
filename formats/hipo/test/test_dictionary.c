/* SPDX-License-Identifier: Apache-2.0
 * test_dictionary.c: entries of a dictionary as text and as JSON, to banks. */
#include "formats/hipo/hipo.h"

#include <criterion/criterion.h>

static weir_arena arena;

static void open_arena(void)
{
    weir_arena_init(&arena);
}

static void close_arena(void)
{
    weir_arena_fini(&arena);
}

TestSuite(dictionary, .init = open_arena, .fini = close_arena);

static weir_view view_of(const char *text)
{
    return (weir_view){ (const uint8_t *)text, strlen(text) };
}

static bool is_text(const char *text, weir_hipo_bank *out)
{
    return weir_hipo_bank_from_text(view_of(text), &arena, out) == WEIR_OK;
}

static bool is_json(const char *text, weir_hipo_bank *out)
{
    return weir_hipo_bank_from_json(view_of(text), &arena, out) == WEIR_OK;
}

static bool same(weir_view view, const char *text)
{
    return view.size == strlen(text) && memcmp(view.data, text, view.size) == 0;
}

/* The bank that both forms below tell of. */
static void expect_particle(const weir_hipo_bank *bank)
{
    static const struct {
        const char *name;
        weir_type type;
        uint32_t count, size, offset;
    } wanted[] = { { "pid", WEIR_I32, 1, 4, 0 }, { "b", WEIR_I8, 1, 1, 4 },
                   { "cov", WEIR_F32, 3, 4, 5 }, { "s", WEIR_I16, 1, 2, 17 },
                   { "d", WEIR_F64, 1, 8, 19 },  { "l", WEIR_I64, 2, 8, 27 } };

    cr_assert(same(bank->name, "REC::Particle"));
    cr_assert_eq(bank->id, 300 << 8 | 31);
    cr_assert_eq(bank->column_count, 6);
    cr_expect_eq(bank->row_size, 43);
    for (size_t i = 0; i < 6; i++) {
        const weir_hipo_column *column = &bank->columns[i];

        cr_expect(same(column->name, wanted[i].name), "column %zu", i);
        cr_expect_eq(column->type, wanted[i].type);
        cr_expect_eq(column->count, wanted[i].count);
        cr_expect_eq(column->size, wanted[i].size);
        cr_expect_eq(column->offset, wanted[i].offset);
    }
}

Test(dictionary, text_is_a_bank)
{
    weir_hipo_bank bank;

    cr_assert(is_text("{REC::Particle/300/31}{pid/I,b/B,cov/F#3,s/S,d/D,l/L#2}", &bank));
    expect_particle(&bank);
    cr_assert(is_text(
        " { REC::Particle / 300 / 31 } { pid / I , b/B,\tcov/F # 3,s/S , d/D,l/L#2 ,} \n", &bank));
    expect_particle(&bank);
}

Test(dictionary, json_is_a_bank)
{
    weir_hipo_bank bank;

    cr_assert(
        is_json("{ \"name\": \"REC::Particle\", \"group\": 300, \"item\": 31, \"info\": \" \","
                "\"entries\": [ {\"name\":\"pid\", \"type\":\"I\", \"info\":\" \"},"
                "{\"type\":\"B\",\"name\":\"b\"}, {\"name\":\"cov\",\"type\":\"F#3\"},"
                "{\"name\":\"s\",\"x\":[1,{\"y\":null},\"}]\"],\"type\":\"S\"},"
                "{\"name\":\"d\",\"type\":\"D\"},{\"name\":\"l\",\"type\":\"L#2\"} ] }",
                &bank));
    expect_particle(&bank);
}

Test(dictionary, json_strings_lose_their_escapes)
{
    weir_hipo_bank bank;

    cr_assert(is_json("{\"group\":1,\"item\":2,\"entries\":[],"
                      "\"name\":\"a\\\"\\\\\\/\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\ud800x\"}",
                      &bank));
    cr_expect(same(bank.name, "a\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx"));
    cr_expect_eq(bank.column_count, 0);
}

Test(dictionary, what_is_no_bank_is_refused)
{
    static const char *const texts[] = {
        "",
        "{",
        "{a/1/2}",
        "{a/1}{x/I}",
        "{a/1/2/3}{x/I}",
        "{a/1/256}{x/I}",
        "{a/65536/2}{x/I}",
        "{a/-1/2}{x/I}",
        "{a/1/2}{x/Q}",
        "{a/1/2}{x}",
        "{a/1/2}{x/}",
        "{a/1/2}{x/II}",
        "{a/1/2}{x/F#0}",
        "{a/1/2}{x/F#}",
        "{a/1/2}{x/F#99999999999}",
        "{a/1/2}{x/D#2097152}",
        "{a/1/2}{x/I",
        "a/1/2}{x/I}",
    };
    static const char *const jsons[] = {
        "",
        "{",
        "{}",
        "[]",
        "{\"name\":\"a\",\"group\":1}",
        "{\"name\":\"a\",\"group\":1,\"item\":300}",
        "{\"name\":\"a\",\"group\":-1,\"item\":3}",
        "{\"name\":\"a,\"group\":1,\"item\":3}",
        "{\"name\":\"a\",\"group\":1,\"item\":3,\"entries\":[{\"name\":\"x\"}]}",
        "{\"name\":\"a\",\"group\":1,\"item\":3,\"entries\":[{\"type\":\"I\"]}",
        "{\"name\":\"\\q\",\"group\":1,\"item\":3}",
        "{\"name\":\"\\u12\",\"group\":1,\"item\":3}",
        "{\"name\":\"a\",\"group\":99999999999999999999,\"item\":3}",
        "{\"name\":\"a\" \"group\":1,\"item\":3}",
        "{\"x\":[[[[,\"group\":1,\"item\":3}",
    };
    weir_hipo_bank bank;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_not(is_text(texts[i], &bank), "%s", texts[i]);
    for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++)
        cr_expect_not(is_json(jsons[i], &bank), "%s", jsons[i]);
}

/* The division by multiplication, at the ends of its range and around multiples. */
Test(dictionary, rows_are_counted_exactly)
{
    static const uint32_t odd[] = { 0, 1, 2, 1000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

    for (uint32_t width = 1; width < 3000; width += width < 50 ? 1 : 97) {
        const weir_hipo_bank bank = { .row_size = width,
                                      .reciprocal = width > 1 ? UINT64_MAX / width + 1 : 0 };

        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t size = odd[i] / width * width + k - 1;

                cr_assert_eq(weir_hipo_rows(&bank, size), size / width, "%u / %u", size, width);
                cr_assert_eq(weir_hipo_rows(&bank, odd[i]), odd[i] / width);
            }
    }
}
