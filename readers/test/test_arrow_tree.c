/* SPDX-License-Identifier: Apache-2.0
 * test_arrow_tree.c: nested vectors made by hand as Arrow arrays: names, formats, flags; which
 * buffers are lent and where they begin; who owns what once a child was moved away. */
#include "made.h"
#include "readers/arrow_abi.h"
#include <weir/weir.h>

#include <criterion/criterion.h>
#include <string.h>

enum {
    ROWS = 3
};

typedef struct part { /* of the tree, parents first */
    int parent;       /* of the schema's fields; the column's is 0 */
    const char *name;
    weir_type type;
    weir_repetition repetition;
    weir_field rest; /* logical type and width of leaves */
} part;

static made make(const part *parts, size_t count)
{
    made m = made_begin();

    for (size_t i = 0; i < count; i++) {
        weir_field field = parts[i].rest;

        field.name = (weir_view){ (const uint8_t *)parts[i].name, strlen(parts[i].name) };
        field.type = parts[i].type;
        field.repetition = parts[i].repetition;
        cr_assert_eq(weir_schema_append(m.schema, parts[i].parent, &field, NULL), WEIR_OK);
    }
    made_finish(&m, ROWS);
    return m;
}

static void export(const made *m, struct ArrowArray *array, struct ArrowSchema *schema)
{
    weir_error err = { .text = "" };

    cr_assert_eq(weir_arrow_batch(&m->lot->batch, NULL, array, schema, &err), WEIR_OK, "%s",
                 err.text);
    cr_assert_eq(array->n_children, 1);
}

static void expect_field(const struct ArrowSchema *schema, const char *name, const char *format,
                         int64_t flags, int64_t children)
{
    cr_expect_str_eq(schema->name, name);
    cr_expect_str_eq(schema->format, format, "%s is %s", name, schema->format);
    cr_expect_eq(schema->flags, flags, "%s", name);
    cr_assert_eq(schema->n_children, children, "%s", name);
}

static bool bit(const void *bits, int64_t i)
{
    return ((const uint8_t *)bits)[i / 8] >> (i % 8) & 1;
}

static const weir_field *field_of(const made *m, int32_t index)
{
    return weir_schema_field(m->schema, index);
}

/* Rows [{n: 5, t: 1}, null, {n: -3, t: null}] from slot 3 on; its children lie elsewhere. */
Test(arrow_tree, a_struct_begins_at_0_wherever_its_bits_and_children_lie)
{
    static const uint8_t outer[] = { 0x28 }, inner[] = { 0x00, 0x02 };
    static const int32_t small[] = { 9, 9, 9, 9, 9, 9, 9, 5, 0, -3 };
    static const int64_t large[] = { 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 0, 0 };
    const part parts[] = {
        { 0, "s", WEIR_STRUCT, WEIR_OPTIONAL, { .id = 0 } },
        { 1,
          "n",
          WEIR_I32,
          WEIR_REQUIRED,
          { .width = 4, .logical = WEIR_LOGICAL_INTEGER, .bits = 8, .is_signed = true } },
        { 1, "t", WEIR_I64, WEIR_OPTIONAL, { .width = 8 } },
    };
    made m = make(parts, 3);
    struct ArrowArray array, *s, moved;
    struct ArrowSchema schema;

    m.lot->nodes[0] = (weir_vector){ .field = field_of(&m, 2),
                                     .type = WEIR_I32,
                                     .width = 4,
                                     .rows = ROWS,
                                     .first = 7,
                                     .values = small };
    m.lot->nodes[1] = (weir_vector){ .field = field_of(&m, 3),
                                     .type = WEIR_I64,
                                     .width = 8,
                                     .rows = ROWS,
                                     .nulls = 2,
                                     .first = 9,
                                     .validity = inner,
                                     .values = large };
    m.lot->columns[0] = (weir_vector){ .field = field_of(&m, 1),
                                       .type = WEIR_STRUCT,
                                       .rows = ROWS,
                                       .nulls = 1,
                                       .first = 3,
                                       .validity = outer,
                                       .children = m.lot->nodes,
                                       .child_count = 2 };
    export(&m, &array, &schema);
    expect_field(schema.children[0], "s", "+s", ARROW_FLAG_NULLABLE, 2);
    expect_field(schema.children[0]->children[0], "n", "c", 0, 0);
    expect_field(schema.children[0]->children[1], "t", "l", ARROW_FLAG_NULLABLE, 0);
    s = array.children[0];
    cr_assert_eq(s->offset, 0);
    cr_assert_eq(s->length, ROWS);
    cr_assert_eq(s->null_count, 1);
    cr_assert_eq(s->n_buffers, 1);
    cr_expect(bit(s->buffers[0], 0) && !bit(s->buffers[0], 1) && bit(s->buffers[0], 2));
    const int8_t *narrow = s->children[0]->buffers[1];
    const int64_t at = s->children[0]->offset;

    cr_expect(narrow[at] == 5 && narrow[at + 1] == 0 && narrow[at + 2] == -3, "not narrowed");
    cr_expect_eq(s->children[1]->buffers[1], large, "copied");
    cr_expect_eq(s->children[1]->buffers[0], inner, "copied");
    cr_expect_eq(s->children[1]->offset, 9);

    moved = *s->children[0]; /* and the rest of it goes before it does */
    s->children[0]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    made_release(m);
    cr_expect_eq(((const int8_t *)moved.buffers[1])[moved.offset + 2], -3);
    moved.release(&moved);
}

/* [["a", "bc"], null, []] and what it looks like with keys. */
Test(arrow_tree, a_list_lends_its_offsets_and_the_bits_beside_them)
{
    static const uint8_t validity[] = { 0x60 }; /* slots 5, 6, 7: yes, yes, no */
    static const int32_t lists[] = { 7, 7, 7, 7, 7, 0, 2, 2, 2 }, texts[] = { 0, 0, 1, 3 };
    const part parts[] = {
        { 0, "l", WEIR_LIST, WEIR_OPTIONAL, { .id = 0 } },
        { 1, "item", WEIR_BYTES, WEIR_REQUIRED, { .logical = WEIR_LOGICAL_STRING } },
    };
    made m = make(parts, 2);
    struct ArrowArray array, *l;
    struct ArrowSchema schema;

    m.lot->nodes[0] = (weir_vector){ .field = field_of(&m, 2),
                                     .type = WEIR_BYTES,
                                     .rows = 2,
                                     .first = 1,
                                     .offsets = texts,
                                     .values = "abc" };
    m.lot->columns[0] = (weir_vector){ .field = field_of(&m, 1),
                                       .type = WEIR_LIST,
                                       .rows = ROWS,
                                       .nulls = 1,
                                       .first = 5,
                                       .validity = validity,
                                       .offsets = lists,
                                       .children = m.lot->nodes,
                                       .child_count = 1 };
    export(&m, &array, &schema);
    expect_field(schema.children[0], "l", "+l", ARROW_FLAG_NULLABLE, 1);
    expect_field(schema.children[0]->children[0], "item", "u", 0, 0);
    l = array.children[0];
    cr_expect_eq(l->offset, 5);
    cr_expect_eq(l->length, ROWS);
    cr_expect_eq(l->n_buffers, 2);
    cr_expect_eq(l->buffers[0], validity);
    cr_expect_eq(l->buffers[1], lists);
    cr_expect_eq(l->children[0]->length, 2);
    cr_expect_eq(l->children[0]->offset, 1);
    cr_expect_eq(l->children[0]->n_buffers, 3);
    cr_expect_eq(l->children[0]->buffers[1], texts);
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

static made make_map(bool has_value, weir_repetition key)
{
    static const int32_t offsets[] = { 0, 1, 1, 2 };
    static const int32_t keys[] = { 4, 5 }, values[] = { 40, 50 };
    static const uint8_t first_only[] = { 1 };
    const part parts[] = {
        { 0, "m", WEIR_MAP, WEIR_REQUIRED, { .id = 0 } },
        { 1, "key_value", WEIR_STRUCT, WEIR_REQUIRED, { .id = 0 } },
        { 2, "k", WEIR_I32, key, { .width = 4 } },
        { 2, "v", WEIR_I32, WEIR_OPTIONAL, { .width = 4 } },
    };
    made m = make(parts, has_value ? 4 : 3);
    const weir_vector leaf = { .type = WEIR_I32, .width = 4, .rows = 2 };

    m.lot->nodes[0] = (weir_vector){ .field = field_of(&m, 2),
                                     .type = WEIR_STRUCT,
                                     .rows = 2,
                                     .children = m.lot->nodes + 1,
                                     .child_count = has_value ? 2 : 1 };
    m.lot->nodes[1] = leaf;
    m.lot->nodes[1].field = field_of(&m, 3);
    m.lot->nodes[1].values = keys;
    if (has_value) {
        m.lot->nodes[2] = leaf;
        m.lot->nodes[2].field = field_of(&m, 4);
        m.lot->nodes[2].values = values;
    }
    if (key == WEIR_OPTIONAL) {
        m.lot->nodes[1].validity = first_only;
        m.lot->nodes[1].nulls = 1;
    }
    m.lot->columns[0] = (weir_vector){ .field = field_of(&m, 1),
                                       .type = WEIR_MAP,
                                       .rows = ROWS,
                                       .offsets = offsets,
                                       .children = m.lot->nodes,
                                       .child_count = 1 };
    return m;
}

Test(arrow_tree, a_map_has_entries_and_keys_that_are_never_null)
{
    made m = make_map(true, WEIR_REQUIRED);
    struct ArrowArray array;
    struct ArrowSchema schema;

    export(&m, &array, &schema);
    expect_field(schema.children[0], "m", "+m", 0, 1);
    expect_field(schema.children[0]->children[0], "key_value", "+s", 0, 2);
    expect_field(schema.children[0]->children[0]->children[0], "k", "i", 0, 0);
    expect_field(schema.children[0]->children[0]->children[1], "v", "i", ARROW_FLAG_NULLABLE, 0);
    cr_expect_eq(array.children[0]->n_buffers, 2);
    cr_expect_eq(array.children[0]->children[0]->length, 2);
    cr_expect_eq(array.children[0]->children[0]->n_children, 2);
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

Test(arrow_tree, a_map_without_values_is_the_list_of_its_keys)
{
    made m = make_map(false, WEIR_REQUIRED);
    struct ArrowArray array;
    struct ArrowSchema schema;

    export(&m, &array, &schema);
    expect_field(schema.children[0], "m", "+l", 0, 1);
    expect_field(schema.children[0]->children[0], "k", "i", 0, 0);
    cr_expect_eq(array.children[0]->children[0]->length, 2);
    cr_expect_eq(((const int32_t *)array.children[0]->children[0]->buffers[1])[1], 5);
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

Test(arrow_tree, a_null_key_has_no_arrow_value)
{
    made m = make_map(true, WEIR_OPTIONAL);
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_error err;

    cr_assert_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, &err), WEIR_CORRUPT);
    cr_expect_eq(err.row, 2, "row %ld: entry 1 is of row 2", (long)err.row);
    cr_expect(strstr(err.text, "key is null"), "%s", err.text);
    made_release(m);
}

Test(arrow_tree, a_shape_without_values_has_no_arrow_type)
{
    made m = make_map(true, WEIR_REQUIRED);
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_error err;

    m.lot->nodes[2].form = WEIR_SHAPE;
    cr_assert_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, &err), WEIR_BAD_CALL);
    made_release(m);
}
