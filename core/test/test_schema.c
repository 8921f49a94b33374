/* SPDX-License-Identifier: Apache-2.0
 * test_schema.c: the tree's links and numbers, paths, words, and looking columns up. */
#include <criterion/criterion.h>

#include "core/schema.h"
#include <stdio.h>
#include <string.h>

static weir_error err;

static weir_view view_of(const char *text)
{
    return (weir_view){ .data = (const uint8_t *)text, .size = strlen(text) };
}

static int32_t append(weir_schema *schema, int32_t parent, const char *name, weir_type type)
{
    const weir_field field = { .name = view_of(name), .type = type, .id = -1 };

    cr_assert_eq(weir_schema_append(schema, parent, &field, &err), WEIR_OK, "%s", err.text);
    return weir_schema_field_count(schema) - 1;
}

/* root { a: int32, b { c: int64, d { e: bytes } }, f: double, g {} } */
static weir_schema *make_tree(int32_t room)
{
    weir_schema *schema = NULL;
    int32_t b;

    cr_assert_eq(weir_schema_open(room, &schema, &err), WEIR_OK);
    append(schema, -1, "schema", WEIR_STRUCT);
    append(schema, 0, "a", WEIR_I32);
    b = append(schema, 0, "b", WEIR_STRUCT);
    append(schema, b, "c", WEIR_I64);
    append(schema, append(schema, b, "d", WEIR_STRUCT), "e", WEIR_BYTES);
    append(schema, 0, "f", WEIR_F64);
    append(schema, 0, "g", WEIR_STRUCT);
    cr_assert_eq(weir_schema_seal(schema, &err), WEIR_OK);
    return schema;
}

Test(schema, links_and_numbers_follow_the_tree)
{
    static const struct {
        const char *name;
        int32_t parent, children, first, next, leaf, column;
    } expected[] = {
        { "schema", -1, 4, 1, -1, -1, -1 }, { "a", 0, 0, -1, 2, 0, 0 },
        { "b", 0, 2, 3, 6, -1, 1 },         { "c", 2, 0, -1, 4, 1, 1 },
        { "d", 2, 1, 5, -1, -1, 1 },        { "e", 4, 0, -1, -1, 2, 1 },
        { "f", 0, 0, -1, 7, 3, 2 },         { "g", 0, 0, -1, -1, -1, 3 },
    };

    for (int32_t room = 0; room < 10; room++) {
        weir_schema *schema = make_tree(room);

        cr_assert_eq(weir_schema_field_count(schema), 8);
        cr_expect_eq(weir_schema_leaf_count(schema), 4);
        cr_expect_eq(weir_schema_column_count(schema), 4);
        for (int32_t i = 0; i < 8; i++) {
            const weir_field *field = weir_schema_field(schema, i);

            cr_expect_str_eq((const char *)field->name.data, expected[i].name);
            cr_expect_eq(field->index, i);
            cr_expect_eq(field->parent, expected[i].parent, "%d", i);
            cr_expect_eq(field->child_count, expected[i].children, "%d", i);
            cr_expect_eq(field->first_child, expected[i].first, "%d", i);
            cr_expect_eq(field->next_sibling, expected[i].next, "%d", i);
            cr_expect_eq(field->leaf, expected[i].leaf, "%d", i);
            cr_expect_eq(field->column, expected[i].column, "%d", i);
        }
        weir_schema_release(schema);
    }
}

Test(schema, indexes_out_of_range_are_null)
{
    weir_schema *schema = make_tree(8);

    cr_expect_null(weir_schema_field(schema, -1));
    cr_expect_null(weir_schema_field(schema, 8));
    cr_expect_null(weir_schema_leaf(schema, -1));
    cr_expect_null(weir_schema_leaf(schema, 4));
    cr_expect_null(weir_schema_column(schema, 4));
    cr_expect_null(weir_schema_column(schema, INT32_MIN));
    cr_expect_eq(weir_schema_leaf(schema, 2), weir_schema_field(schema, 5));
    cr_expect_eq(weir_schema_column(schema, 2), weir_schema_field(schema, 6));
    weir_schema_release(schema);
}

Test(schema, it_lives_until_the_last_release)
{
    weir_schema *schema = make_tree(8), *kept = weir_schema_keep(schema);

    weir_schema_release(schema);
    cr_expect_eq(weir_schema_leaf_count(kept), 4);
    weir_schema_release(kept);
    weir_schema_release(NULL);
}

Test(schema, a_root_alone_has_no_columns)
{
    weir_schema *schema = NULL;

    cr_assert_eq(weir_schema_open(1, &schema, &err), WEIR_OK);
    append(schema, -1, "", WEIR_STRUCT);
    cr_assert_eq(weir_schema_seal(schema, &err), WEIR_OK);
    cr_expect_eq(weir_schema_column_count(schema), 0);
    cr_expect_eq(weir_schema_find(schema, view_of(""), false, 0), -1);
    weir_schema_release(schema);
}

static void expect_path(const weir_schema *schema, int32_t field, const char *expected)
{
    char out[64];
    const size_t size = strlen(expected);

    cr_expect_eq(weir_schema_path(schema, field, NULL, 0), size);
    for (size_t room = 1; room < sizeof out; room++) {
        const size_t shown = size < room ? size : room - 1;

        memset(out, '#', sizeof out);
        cr_assert_eq(weir_schema_path(schema, field, out, room), size);
        cr_assert(memcmp(out, expected, shown) == 0, "%s in %zu", expected, room);
        cr_assert_eq(out[shown], '\0');
        cr_assert(shown + 1 == sizeof out || out[shown + 1] == '#' || shown + 1 < room);
    }
}

Test(schema, a_path_joins_names_and_escapes_what_would_confuse)
{
    weir_schema *schema = make_tree(8);

    expect_path(schema, 0, "");
    expect_path(schema, 1, "a");
    expect_path(schema, 5, "b.d.e");
    expect_path(schema, -1, "");
    expect_path(schema, 8, "");
    weir_schema_release(schema);

    cr_assert_eq(weir_schema_open(4, &schema, &err), WEIR_OK);
    append(schema, -1, "root", WEIR_STRUCT);
    append(schema, append(schema, 0, "a.b\\", WEIR_STRUCT), "\tc\nd e\"\xc3\xa4", WEIR_I32);
    append(schema, append(schema, 0, "", WEIR_STRUCT), "", WEIR_I32);
    expect_path(schema, 2, "a\\.b\\\\.\\tc\\nd e\"\xc3\xa4");
    expect_path(schema, 3, "");
    expect_path(schema, 4, ".");
    weir_schema_release(schema);
}

Test(schema, names_may_hold_zero_bytes)
{
    const weir_field field = { .name = { (const uint8_t *)"a\0b", 3 }, .type = WEIR_I32 };
    weir_schema *schema = NULL;

    cr_assert_eq(weir_schema_open(2, &schema, &err), WEIR_OK);
    append(schema, -1, "root", WEIR_STRUCT);
    cr_assert_eq(weir_schema_append(schema, 0, &field, &err), WEIR_OK);
    cr_assert_eq(weir_schema_seal(schema, &err), WEIR_OK);
    cr_expect_eq(weir_schema_find(schema, view_of("a"), false, 0), -1);
    cr_expect_eq(weir_schema_find(schema, field.name, false, 0), 0);
    weir_schema_release(schema);
}

/* ---- looking up ---- */

Test(schema, find_gives_the_first_at_or_after_a_place)
{
    static const char *const names[] = { "x", "X", "y", "x", "", "\xc3\x84", "x", "" };
    weir_schema *schema = NULL;

    cr_assert_eq(weir_schema_open(9, &schema, &err), WEIR_OK);
    append(schema, -1, "root", WEIR_STRUCT);
    for (size_t i = 0; i < 8; i++)
        append(schema, 0, names[i], WEIR_I32);
    cr_assert_eq(weir_schema_seal(schema, &err), WEIR_OK);

    cr_expect_eq(weir_schema_find(schema, view_of("x"), false, 0), 0);
    cr_expect_eq(weir_schema_find(schema, view_of("x"), false, 1), 3);
    cr_expect_eq(weir_schema_find(schema, view_of("x"), false, 2), 3);
    cr_expect_eq(weir_schema_find(schema, view_of("x"), false, 4), 6);
    cr_expect_eq(weir_schema_find(schema, view_of("x"), false, 7), -1);
    cr_expect_eq(weir_schema_find(schema, view_of("X"), true, 0), 0);
    cr_expect_eq(weir_schema_find(schema, view_of("X"), true, 1), 1);
    cr_expect_eq(weir_schema_find(schema, view_of("X"), true, 2), 3);
    cr_expect_eq(weir_schema_find(schema, view_of("X"), false, 0), 1);
    cr_expect_eq(weir_schema_find(schema, view_of("X"), false, 2), -1);
    cr_expect_eq(weir_schema_find(schema, view_of(""), false, 0), 4);
    cr_expect_eq(weir_schema_find(schema, view_of(""), false, 5), 7);
    cr_expect_eq(weir_schema_find(schema, view_of(""), false, 8), -1);
    cr_expect_eq(weir_schema_find(schema, view_of("z"), true, 0), -1);
    cr_expect_eq(weir_schema_find(schema, view_of("\xc3\xa4"), true, 0), -1, "ASCII case alone");
    cr_expect_eq(weir_schema_find(schema, view_of("y"), false, INT32_MAX), -1);
    weir_schema_release(schema);
}

Test(schema, nested_fields_are_no_columns)
{
    weir_schema *schema = make_tree(8);

    cr_expect_eq(weir_schema_find(schema, view_of("e"), false, 0), -1);
    cr_expect_eq(weir_schema_find(schema, view_of("b"), false, 0), 1);
    weir_schema_release(schema);
}

Test(schema, very_many_columns_are_found_at_once_of_one_name_or_not, .timeout = 60)
{
    const int32_t count = 200000;
    weir_schema *schema = NULL;
    char name[32];
    int32_t at = 0;

    cr_assert_eq(weir_schema_open(0, &schema, &err), WEIR_OK);
    append(schema, -1, "root", WEIR_STRUCT);
    for (int32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "column %d", i % 2 ? i : 0);
        append(schema, 0, name, WEIR_I32);
    }
    cr_assert_eq(weir_schema_seal(schema, &err), WEIR_OK);
    for (int32_t i = 1; i < count; i += 2) {
        snprintf(name, sizeof name, "COLUMN %d", i);
        cr_assert_eq(weir_schema_find(schema, view_of(name), true, 0), i);
        cr_assert_eq(weir_schema_find(schema, view_of(name), false, 0), -1);
    }
    for (int32_t i = 0; i < count; i += 2) {
        cr_assert_eq(weir_schema_find(schema, view_of("column 0"), false, at), i);
        at = i + 1;
    }
    weir_schema_release(schema);
}

/* ---- words ---- */

static void expect_words(weir_field field, const char *expected)
{
    char out[64];
    const size_t size = weir_field_describe(&field, out, sizeof out);

    cr_expect_eq(size, strlen(expected));
    cr_expect_str_eq(out, expected);
    cr_expect_eq(weir_field_describe(&field, NULL, 0), size);
    weir_field_describe(&field, out, 3);
    cr_expect(strlen(out) == 2 && strncmp(out, expected, 2) == 0);
}

Test(schema, a_field_is_described_by_what_it_means)
{
    const weir_field utc = {
        .type = WEIR_I64, .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MICROS, .is_utc = true
    };
    const weir_field decimal = {
        .type = WEIR_FIXED, .width = 5, .logical = WEIR_LOGICAL_DECIMAL, .precision = 10, .scale = 2
    };

    expect_words((weir_field){ .type = WEIR_I64 }, "int64");
    expect_words((weir_field){ .type = WEIR_BOOL }, "boolean");
    expect_words((weir_field){ .type = WEIR_F64 }, "double");
    expect_words((weir_field){ .type = WEIR_FIXED, .width = 7 }, "fixed 7");
    expect_words(utc, "timestamp(us, UTC)");
    expect_words(decimal, "decimal(10,2) on fixed 5");
    expect_words((weir_field){ .type = WEIR_FIXED, .width = 12, .logical = WEIR_LOGICAL_TIMESTAMP },
                 "timestamp(int96)");
    expect_words(
        (weir_field){ .type = WEIR_I32, .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MILLIS },
        "time(ms)");
    expect_words((weir_field){ .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING }, "string");
    expect_words((weir_field){ .type = WEIR_FIXED, .width = 3, .logical = WEIR_LOGICAL_STRING },
                 "string on fixed 3");
    expect_words((weir_field){ .type = WEIR_I32, .logical = WEIR_LOGICAL_INTEGER, .bits = 16 },
                 "uint16");
    expect_words(
        (weir_field){
            .type = WEIR_I32, .logical = WEIR_LOGICAL_INTEGER, .bits = 32, .is_signed = true },
        "int32");
    expect_words((weir_field){ .type = WEIR_I32, .logical = WEIR_LOGICAL_DATE }, "date");
    expect_words((weir_field){ .type = WEIR_I32, .logical = (weir_logical)99 }, "int32");
    expect_words((weir_field){ .type = WEIR_MAP, .logical = WEIR_LOGICAL_MAP }, "map");
}

Test(schema, fields_are_the_same_when_they_mean_the_same)
{
    const weir_field a = { .type = WEIR_I64,
                           .logical = WEIR_LOGICAL_TIMESTAMP,
                           .unit = WEIR_MICROS,
                           .repetition = WEIR_OPTIONAL,
                           .id = 3 };
    weir_field b = a;

    b.repetition = WEIR_REQUIRED;
    b.id = -1;
    b.name = view_of("other");
    b.precision = 9; /* of no meaning here */
    cr_expect(weir_field_same(&a, &b));
    b.is_utc = true;
    cr_expect_not(weir_field_same(&a, &b));
    b = a;
    b.unit = WEIR_NANOS;
    cr_expect_not(weir_field_same(&a, &b));
    b = a;
    b.logical = WEIR_LOGICAL_NONE;
    cr_expect_not(weir_field_same(&a, &b));

    const weir_field plain = { .type = WEIR_I32 };
    const weir_field noted = {
        .type = WEIR_I32, .logical = WEIR_LOGICAL_INTEGER, .bits = 32, .is_signed = true
    };
    const weir_field narrow = {
        .type = WEIR_I32, .logical = WEIR_LOGICAL_INTEGER, .bits = 16, .is_signed = true
    };
    weir_field other = narrow;

    cr_expect(weir_field_same(&plain, &noted), "INT_32 on int32 says nothing new");
    cr_expect_not(weir_field_same(&plain, &narrow));
    other.is_signed = false;
    cr_expect_not(weir_field_same(&narrow, &other));

    const weir_field wide = { .type = WEIR_FIXED, .width = 5 };
    weir_field wider = wide;

    wider.width = 6;
    cr_expect_not(weir_field_same(&wide, &wider));
}
