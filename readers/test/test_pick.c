/* SPDX-License-Identifier: Apache-2.0
 * test_pick.c: picks by path: what of a column's tree they keep, and the shape that the result's
 * schema has then. Schemas are made by hand; a file shows that what is kept is what is read. */
#include "core/schema.h"
#include "readers/path.h"
#include <weir/weir.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* ---- marks ---- */

static int32_t add(weir_schema *schema, int32_t parent, const char *name, weir_type type)
{
    const weir_field field = { .name = { (const uint8_t *)name, strlen(name) },
                               .type = type,
                               .id = -1,
                               .repeated = { (const uint8_t *)"list", type == WEIR_LIST ? 4 : 0 } };

    cr_assert_eq(weir_schema_append(schema, parent, &field, NULL), WEIR_OK);
    return weir_schema_field_count(schema) - 1;
}

/* c: struct { a, l: list of element: struct { a, element, m: map of key to value: struct { a, b }
 * }, bare: list without a group of element, a.b } */
static weir_schema *make_schema(void)
{
    weir_schema *schema = NULL;
    int32_t c, list, element, map, entries, value;

    cr_assert_eq(weir_schema_open(4, &schema, NULL), WEIR_OK);
    add(schema, -1, "root", WEIR_STRUCT);
    c = add(schema, 0, "c", WEIR_STRUCT);
    add(schema, c, "a", WEIR_I32);
    list = add(schema, c, "l", WEIR_LIST);
    element = add(schema, list, "element", WEIR_STRUCT);
    add(schema, element, "a", WEIR_I32);
    add(schema, element, "element", WEIR_I32);
    map = add(schema, element, "m", WEIR_MAP);
    entries = add(schema, map, "key_value", WEIR_STRUCT);
    add(schema, entries, "key", WEIR_I32);
    value = add(schema, entries, "value", WEIR_STRUCT);
    add(schema, value, "a", WEIR_I32);
    add(schema, value, "b", WEIR_I32);
    add(schema, c, "a.b", WEIR_I32);
    cr_assert_eq(weir_schema_seal(schema, NULL), WEIR_OK);
    return schema;
}

/* A letter for each of its fields in the order above, `.` where one is left out; "" for nothing. */
static const char *kept_by(const weir_schema *schema, const char *path, bool any_case)
{
    static const char letters[] = "calxaemvkwabd"; /* x, v: list's element, entries; d: a.b */
    static char out[sizeof letters];
    weir_path_steps steps = { 0 };
    weir_arena arena;
    uint8_t keep[sizeof letters] = { 0 };
    bool any = false;

    weir_arena_init(&arena);
    cr_assert_eq(weir_path_read(path, &arena, &steps, NULL), WEIR_OK);
    cr_assert_eq(weir_subtree_count(schema, weir_schema_column(schema, 0)), sizeof letters - 1);
    cr_assert_eq(
        weir_path_mark(&steps, schema, weir_schema_column(schema, 0), any_case, keep, &any, NULL),
        WEIR_OK);
    weir_arena_fini(&arena);
    for (size_t i = 0; i + 1 < sizeof letters; i++)
        out[i] = keep[i] ? letters[i] : '.';
    return any ? out : "";
}

Test(pick, keeps_what_lies_at_the_path_and_what_lies_above)
{
    weir_schema *schema = make_schema();

    cr_expect_str_eq(kept_by(schema, "c.a", false), "ca...........");
    cr_expect_str_eq(kept_by(schema, "c.l", false), "c.lxaemvkwab.");
    cr_expect_str_eq(kept_by(schema, "c.a\\.b", false), "c...........d");
    cr_expect_str_eq(kept_by(schema, "c.a.b", false), "");
    cr_expect_str_eq(kept_by(schema, "c.", false), "");
    cr_expect_str_eq(kept_by(schema, "c.l.a", false), "c.lxa........");
    cr_expect_str_eq(kept_by(schema, "c.l.nothing", false), "");
    weir_schema_release(schema);
}

Test(pick, names_lists_and_maps_by_any_form_the_longer_first)
{
    weir_schema *schema = make_schema();
    static const char *const same[] = { "c.l.list.element.a", "c.l.element.a", "c.l.list.a",
                                        "c.l.a" };
    static const char *const maps[] = { "c.l.list.element.m.key_value.value.b", "c.l.m.value.b",
                                        "c.l.element.m.value.b", "c.l.m.key_value.value.b" };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect_str_eq(kept_by(schema, same[i], false), "c.lxa........", "%s", same[i]);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        cr_expect_str_eq(kept_by(schema, maps[i], false), "c.lx..mvkw.b.", "%s", maps[i]);
    cr_expect_str_eq(kept_by(schema, "c.l.element", false), "c.lxaemvkwab.");
    cr_expect_str_eq(kept_by(schema, "c.l.element.element", false), "c.lx.e.......");
    cr_expect_str_eq(kept_by(schema, "c.l.list.element.element", false), "c.lx.e.......");
    cr_expect_str_eq(kept_by(schema, "c.l.m.key", false), "c.lx..mvk....");
    cr_expect_str_eq(kept_by(schema, "c.l.m.b", false), "", "a map's value is named");
    weir_schema_release(schema);
}

Test(pick, takes_globs_and_any_case_for_each_step)
{
    weir_schema *schema = make_schema();

    cr_expect_str_eq(kept_by(schema, "c.*", false), "calxaemvkwabd");
    cr_expect_str_eq(kept_by(schema, "c.a*", false), "ca..........d");
    cr_expect_str_eq(kept_by(schema, "c.l.[ab]", false), "c.lxa........");
    cr_expect_str_eq(kept_by(schema, "c.l.m.*.b", false), "c.lx..mvkw.b.");
    cr_expect_str_eq(kept_by(schema, "C.L.A", false), "");
    cr_expect_str_eq(kept_by(schema, "C.L.A", true), "c.lxa........");
    weir_schema_release(schema);
}

Test(pick, is_not_slowed_down_by_lists_of_lists_that_nearly_match)
{
    enum {
        DEPTH = 250
    };
    weir_schema *schema = NULL;
    weir_path_steps steps = { 0 };
    weir_arena arena;
    uint8_t keep[DEPTH + 1] = { 0 };
    char path[8 * DEPTH + 8];
    bool any = true;
    int32_t at;

    cr_assert_eq(weir_schema_open(4, &schema, NULL), WEIR_OK);
    add(schema, -1, "root", WEIR_STRUCT);
    at = add(schema, 0, "list", WEIR_LIST);
    for (int i = 1; i < DEPTH; i++)
        at = add(schema, at, "list", WEIR_LIST);
    add(schema, at, "list", WEIR_I32);
    cr_assert_eq(weir_schema_seal(schema, NULL), WEIR_OK);
    path[0] = '\0';
    for (int i = 0; i < DEPTH; i++)
        strcat(path, "list.");
    strcat(path, "x");
    weir_arena_init(&arena);
    cr_assert_eq(weir_path_read(path, &arena, &steps, NULL), WEIR_OK);
    cr_assert_eq(
        weir_path_mark(&steps, schema, weir_schema_column(schema, 0), false, keep, &any, NULL),
        WEIR_OK);
    cr_expect_not(any);
    weir_arena_fini(&arena);
    weir_schema_release(schema);
}

/* ---- a file ---- */

static const char *const sample[] = { "datasets/golden/pyarrow_nested_beside_flat.parquet" };

/* The paths of all fields of the result, with blanks between. */
static void expect_fields(const char *const *paths, size_t count, const char *want)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_pick *picks = calloc(count, sizeof *picks);
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    weir_error err = { 0 };
    const weir_batch *batch;
    char got[400] = "";

    cr_assert(picks);
    for (size_t i = 0; i < count; i++)
        picks[i].path = paths[i];
    query.picks = picks;
    query.pick_count = count;
    cr_assert_eq(weir_open(sample, 1, NULL, &dataset, NULL), WEIR_OK);
    cr_assert_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_OK, "%s", err.text);
    for (int32_t i = 1; i < weir_schema_field_count(weir_columns_schema(columns)); i++) {
        weir_schema_path(weir_columns_schema(columns), i, got + strlen(got), 100);
        strcat(got, " ");
    }
    cr_expect_str_eq(got, want);
    while ((batch = weir_columns_next(columns)))
        cr_expect_eq(batch->column_count,
                     (size_t)weir_schema_column_count(weir_columns_schema(columns)));
    cr_expect_eq(weir_columns_close(columns, &err), WEIR_OK, "%s", err.text);
    weir_dataset_close(dataset);
    free(picks);
}

Test(pick, gives_the_schemas_shape_with_the_rest_left_out)
{
    static const char *const one[] = { "map.key" };
    static const char *const several[] = { "map.value", "after", "struct.x", "map.key" };
    static const char *const whole[] = { "list.list.element", "list" };
    static const char *const glob[] = { "*.x" };

    expect_fields(one, 1, "map map.key_value map.key_value.key ");
    expect_fields(several, 4,
                  "map map.key_value map.key_value.key map.key_value.value after struct struct.x ");
    expect_fields(whole, 2, "list list.element list list.element ");
    expect_fields(glob, 1, "struct struct.x ");
}

Test(pick, says_which_column_lacks_the_path)
{
    static const struct {
        const char *path, *word;
    } wrong[] = { { "struct.y", "column `struct` has no" },
                  { "before.x", "column `before` has no" },
                  { "nothing.x", "no column" },
                  { "*.nothing", "has no" } };
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    weir_error err;

    cr_assert_eq(weir_open(sample, 1, NULL, &dataset, NULL), WEIR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const weir_pick pick = { .path = wrong[i].path };

        query.picks = &pick;
        query.pick_count = 1;
        cr_expect_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_BAD_CALL);
        cr_expect_not_null(strstr(err.text, wrong[i].word), "%s", err.text);
    }
    weir_dataset_close(dataset);
}
