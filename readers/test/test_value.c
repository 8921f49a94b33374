/* SPDX-License-Identifier: Apache-2.0
 * test_value.c: values inside each other: items, lists, maps, the visit and the text, over vectors
 * made by hand and over rows of a file. */
#include <weir/weir.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(text)                                \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }

static const weir_field f_column = { .name = NAME("column"), .type = WEIR_STRUCT };
static const weir_field f_list = { .name = NAME("l"), .type = WEIR_LIST };
static const weir_field f_map = { .name = NAME("m"), .type = WEIR_MAP };
static const weir_field f_entry = { .name = NAME("key_value"), .type = WEIR_STRUCT };
static const weir_field f_key = { .name = NAME("key"),
                                  .type = WEIR_BYTES,
                                  .logical = WEIR_LOGICAL_STRING };
static const weir_field f_bytes_key = { .name = NAME("key"), .type = WEIR_BYTES };
static const weir_field f_int = { .name = NAME("value"), .type = WEIR_I32, .width = 4 };
static const weir_field f_text = { .name = NAME("text"),
                                   .type = WEIR_BYTES,
                                   .logical = WEIR_LOGICAL_STRING };

/* Rows of a list of int32, from slot 1 on: [7, null], null, [], [-1, 2, 3]. The elements' slots
 * begin at 2, and two rows of them lie before those of the first list. */
static const int32_t integers[] = { 0, 0, 0, 0, 7, 0, -1, 2, 3 };
static const uint8_t integers_there[] = { 0xdf, 0xff };
static const int32_t list_offsets[] = { 0, 2, 4, 4, 4, 7 };
static const uint8_t lists_there[] = { 0xfb };
static const weir_vector elements = { .field = &f_int,
                                      .type = WEIR_I32,
                                      .width = 4,
                                      .rows = 7,
                                      .nulls = 1,
                                      .first = 2,
                                      .validity = integers_there,
                                      .values = integers };
static const weir_vector list = { .field = &f_list,
                                  .type = WEIR_LIST,
                                  .rows = 4,
                                  .nulls = 1,
                                  .first = 1,
                                  .validity = lists_there,
                                  .offsets = list_offsets,
                                  .children = &elements,
                                  .child_count = 1 };

/* Rows of a map: {a: 1, b: 2, a: 3}, {}, {"": null}. */
static const int32_t key_offsets[] = { 0, 1, 2, 3, 3 };
static const int32_t map_integers[] = { 1, 2, 3, 0 };
static const uint8_t map_integers_there[] = { 0x07 };
static const int32_t map_offsets[] = { 0, 3, 3, 4 };
static const weir_vector entry_fields[] = {
    { .field = &f_key, .type = WEIR_BYTES, .rows = 4, .values = "aba", .offsets = key_offsets },
    { .field = &f_int,
      .type = WEIR_I32,
      .width = 4,
      .rows = 4,
      .nulls = 1,
      .validity = map_integers_there,
      .values = map_integers },
};
static const weir_vector entries = {
    .field = &f_entry, .type = WEIR_STRUCT, .rows = 4, .children = entry_fields, .child_count = 2
};
static const weir_vector map = { .field = &f_map,
                                 .type = WEIR_MAP,
                                 .rows = 3,
                                 .offsets = map_offsets,
                                 .children = &entries,
                                 .child_count = 1 };

static weir_view view(const char *text)
{
    return (weir_view){ (const uint8_t *)text, strlen(text) };
}

static void expect_text(const weir_vector *v, int64_t row, weir_text_style style, const char *want)
{
    char text[200], cut[4];

    cr_expect_eq(weir_value_text(v, row, style, text, sizeof text), strlen(want));
    cr_expect_str_eq(text, want);
    cr_expect_eq(weir_value_text(v, row, style, cut, sizeof cut), strlen(want));
    cr_expect_eq(strncmp(cut, want, 3), 0);
    cr_expect_eq(weir_value_text(v, row, style, NULL, 0), strlen(want));
}

/* ---- items ---- */

Test(value, elements_lie_where_offsets_and_first_say)
{
    static const int64_t lengths[] = { 2, 0, 0, 3 };
    weir_list items;

    for (int64_t row = 0; row < 4; row++) {
        const weir_item item = weir_vector_item(&list, row);

        cr_expect_eq(weir_item_list(item).count, lengths[row]);
        cr_expect_eq(weir_item_is_null(item), row == 1);
    }
    items = weir_item_list(weir_vector_item(&list, 0));
    cr_expect_eq(weir_item_i32(weir_list_at(items, 0)), 7);
    cr_expect(weir_item_is_null(weir_list_at(items, 1)));
    items = weir_item_list(weir_vector_item(&list, 3));
    cr_expect_eq(weir_list_i32s(items)[0], -1);
    cr_expect_eq(weir_list_i32s(items)[2], 3);
    cr_expect_eq(weir_item_i32(weir_list_at(items, 1)), 2);
}

Test(value, a_map_is_read_in_order_and_by_key_the_last_one_counting)
{
    const weir_item first = weir_vector_item(&map, 0);
    const weir_list keys = weir_list_field(weir_item_list(first), 0);
    weir_item found = { 0 };

    cr_assert_eq(keys.count, 3);
    for (int64_t i = 0; i < 3; i++)
        cr_expect_eq(*weir_item_bytes(weir_list_at(keys, i)).data, "aba"[i]);
    cr_assert(weir_map_find(first, view("a"), &found));
    cr_expect_eq(weir_item_i32(found), 3);
    cr_assert(weir_map_find(first, view("b"), &found));
    cr_expect_eq(weir_item_i32(found), 2);
    cr_expect_not(weir_map_find(first, view(""), &found));
    cr_expect_not(weir_map_find(first, view("ab"), &found));
    cr_expect_not(weir_map_find(weir_vector_item(&map, 1), view("a"), &found));
    cr_assert(weir_map_find(weir_vector_item(&map, 2), view(""), &found));
    cr_expect(weir_item_is_null(found));
    cr_expect_eq(weir_field_find(&map, "value"), 1);
    cr_expect_eq(weir_field_find(&map, "nothing"), -1);
    cr_expect_eq(weir_map_entry_i64(&map, 0, 1), -1, "its keys are no integers");
}

Test(value, integer_keys_are_found_by_number_and_a_map_without_values_gives_the_key)
{
    const weir_vector entry = { .field = &f_entry,
                                .type = WEIR_STRUCT,
                                .rows = 4,
                                .children = &entry_fields[1],
                                .child_count = 1 };
    weir_vector set = map;
    weir_item found = { 0 };

    set.children = &entry;
    cr_assert(weir_map_find_i64(weir_vector_item(&set, 0), 2, &found));
    cr_expect_eq(weir_item_i32(found), 2);
    cr_expect_not(weir_map_find_i64(weir_vector_item(&set, 0), 4, &found));
    expect_text(&set, 0, WEIR_TEXT_JSON, "[1,2,3]");
    expect_text(&set, 0, WEIR_TEXT_PLAIN, "[1, 2, 3]");
}

/* ---- text ---- */

Test(value, lists_and_maps_have_a_text)
{
    expect_text(&list, 0, WEIR_TEXT_JSON, "[7,null]");
    expect_text(&list, 1, WEIR_TEXT_JSON, "null");
    expect_text(&list, 2, WEIR_TEXT_JSON, "[]");
    expect_text(&list, 3, WEIR_TEXT_PLAIN, "[-1, 2, 3]");
    expect_text(&list, 1, WEIR_TEXT_PLAIN, "");
    expect_text(&map, 0, WEIR_TEXT_JSON, "{\"a\":1,\"b\":2,\"a\":3}");
    expect_text(&map, 1, WEIR_TEXT_JSON, "{}");
    expect_text(&map, 2, WEIR_TEXT_JSON, "{\"\":null}");
    expect_text(&map, 0, WEIR_TEXT_PLAIN, "{a: 1, b: 2, a: 3}");
    expect_text(&map, 2, WEIR_TEXT_PLAIN, "{\"\": null}");
}

Test(value, keys_that_are_no_names_make_a_map_an_array_of_entries)
{
    weir_vector fields[2] = { entry_fields[0], entry_fields[1] };
    weir_vector entry = entries, own = map;

    fields[0].field = &f_bytes_key;
    entry.children = fields;
    own.children = &entry;
    expect_text(&own, 0, WEIR_TEXT_JSON,
                "[{\"key\":\"a\",\"value\":1},{\"key\":\"b\",\"value\":2},"
                "{\"key\":\"a\",\"value\":3}]");
    expect_text(&own, 1, WEIR_TEXT_JSON, "[]");
    expect_text(&own, 0, WEIR_TEXT_PLAIN, "{a: 1, b: 2, a: 3}");
}

Test(value, text_inside_is_quoted_only_where_it_could_be_mistaken)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        { "word", "word" },        { "two words", "two words" }, { "", "\"\"" },
        { "null", "\"null\"" },    { " a", "\" a\"" },           { "a ", "\"a \"" },
        { "a, b", "\"a, b\"" },    { "a:b", "\"a:b\"" },         { "[", "\"[\"" },
        { "a\nb", "\"a\\nb\"" },   { "\"", "\"\\\"\"" },         { "zw\xc3\xb6lf", "zw\xc3\xb6lf" },
        { "\xff\\", "\\xff\\x5c" }
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int32_t offsets[] = { 0, (int32_t)strlen(cases[i].text) };
        const weir_vector text = { .field = &f_text,
                                   .type = WEIR_BYTES,
                                   .rows = 1,
                                   .values = cases[i].text,
                                   .offsets = offsets };
        const weir_vector whole = {
            .field = &f_column, .type = WEIR_STRUCT, .rows = 1, .children = &text, .child_count = 1
        };
        char want[80];

        snprintf(want, sizeof want, "{text: %s}", cases[i].plain);
        expect_text(&whole, 0, WEIR_TEXT_PLAIN, want);
    }
}

Test(value, a_struct_without_fields_is_there)
{
    const weir_vector empty = { .field = &f_column, .type = WEIR_STRUCT, .rows = 1 };

    expect_text(&empty, 0, WEIR_TEXT_JSON, "{}");
    expect_text(&empty, 0, WEIR_TEXT_PLAIN, "{}");
}

/* ---- the visit ---- */

typedef struct seen {
    char text[400];
    size_t used;
    int left; /* visits until it says stop */
} seen;

static bool see(void *user, const weir_visit *at)
{
    static const char kinds[] = "v()";
    seen *s = user;

    s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "%c%d.%d/%d ",
                                kinds[at->kind], at->depth, (int)at->index, (int)at->count);
    return --s->left != 0;
}

Test(value, a_visit_goes_depth_first_and_ends_when_told)
{
    seen s = { .left = -1 };

    cr_expect(weir_value_visit(&map, 0, see, &s));
    cr_expect_str_eq(s.text, "(0.0/3 (1.0/2 v2.0/0 v2.1/0 )1.0/2 (1.1/2 v2.0/0 v2.1/0 )1.1/2 "
                             "(1.2/2 v2.0/0 v2.1/0 )1.2/2 )0.0/3 ");
    s = (seen){ .left = 4 };
    cr_expect_not(weir_value_visit(&map, 0, see, &s));
    cr_expect_str_eq(s.text, "(0.0/3 (1.0/2 v2.0/0 v2.1/0 ");
    s = (seen){ .left = -1 };
    cr_expect(weir_value_visit(&list, 1, see, &s));
    cr_expect_str_eq(s.text, "v0.0/0 ", "a null has nothing inside");
    s = (seen){ .left = -1 };
    cr_expect(weir_value_visit(&list, 2, see, &s));
    cr_expect_str_eq(s.text, "(0.0/0 )0.0/0 ");
}

static bool find_depth(void *user, const weir_visit *at)
{
    int *deepest = user;

    if (at->depth > *deepest)
        *deepest = at->depth;
    return true;
}

Test(value, depth_is_no_danger)
{
    enum {
        DEPTH = 5000
    };
    weir_vector *all = calloc(DEPTH + 1, sizeof *all);
    int deepest = 0;
    size_t size;

    cr_assert(all);
    for (int i = 0; i < DEPTH; i++)
        all[i] = (weir_vector){ .field = &f_column,
                                .type = WEIR_STRUCT,
                                .rows = 1,
                                .children = &all[i + 1],
                                .child_count = 1 };
    all[DEPTH] = elements;
    cr_expect(weir_value_visit(all, 0, find_depth, &deepest));
    cr_expect_eq(deepest, WEIR_VISIT_DEPTH);
    size = strlen("{\"column\":}") * WEIR_VISIT_DEPTH + strlen("null");
    cr_expect_eq(weir_value_text(all, 0, WEIR_TEXT_JSON, NULL, 0), size);
    free(all);
}

/* ---- rows of a file ---- */

static const char *const sample[] = { "datasets/golden/pyarrow_nested_beside_flat.parquet" };

/* Its rows, as golden.py made them. */
Test(value, a_row_cursor_goes_into_lists_structs_and_maps)
{
    weir_dataset *dataset = NULL;
    weir_rows *rows = NULL;
    int list_column, map_column, struct_column, x, n = 0;
    weir_item item, found = { 0 };

    cr_assert_eq(weir_open(sample, 1, NULL, &dataset, NULL), WEIR_OK);
    cr_assert_eq(weir_rows_open(dataset, NULL, &rows, NULL), WEIR_OK);
    list_column = weir_rows_column(rows, "list");
    struct_column = weir_rows_column(rows, "struct");
    map_column = weir_rows_column(rows, "map");
    for (; weir_rows_next(rows); n++) {
        item = weir_rows_item(rows, list_column);
        cr_expect_eq(weir_item_is_null(item), n == 2);
        cr_expect_eq(weir_item_list(item).count, n == 0);
        if (n == 0)
            cr_expect_eq(weir_item_i64(weir_list_at(weir_item_list(item), 0)), 1);
        item = weir_rows_item(rows, struct_column);
        x = weir_field_find(item.vector, "x");
        cr_assert_eq(x, 0);
        cr_expect_eq(weir_item_is_null(item), n == 1);
        if (n != 1)
            cr_expect_eq(weir_item_i64(weir_item_field(item, x)), n + 1);
        item = weir_rows_item(rows, map_column);
        cr_expect_eq(weir_map_find(item, view("k"), &found), n == 0);
        if (n == 0)
            cr_expect_eq(weir_item_i32(found), 1);
    }
    cr_expect_eq(n, 3);
    cr_expect_eq(weir_rows_close(rows, NULL), WEIR_OK);
    weir_dataset_close(dataset);
}

Test(value, the_tree_of_a_row_is_visited_column_by_column)
{
    weir_dataset *dataset = NULL;
    weir_rows *rows = NULL;
    seen s = { .left = -1 };

    cr_assert_eq(weir_open(sample, 1, NULL, &dataset, NULL), WEIR_OK);
    cr_assert_eq(weir_rows_open(dataset, NULL, &rows, NULL), WEIR_OK);
    cr_assert(weir_rows_next(rows));
    cr_expect(weir_rows_visit(rows, see, &s));
    cr_expect_str_eq(s.text, "v0.0/0 (0.0/1 v1.0/0 )0.0/1 (0.0/1 v1.0/0 )0.0/1 "
                             "(0.0/1 (1.0/2 v2.0/0 v2.1/0 )1.0/2 )0.0/1 v0.0/0 ");
    cr_expect_eq(weir_rows_close(rows, NULL), WEIR_OK);
    weir_dataset_close(dataset);
}
