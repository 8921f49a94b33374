/* SPDX-License-Identifier: Apache-2.0
 * test_arrow.c: batches made by hand as Arrow arrays: which buffers are lent, what is converted,
 * and what is refused at its row. */
#include "made.h"
#include "readers/arrow_abi.h"
#include <weir/weir.h>

#include <criterion/criterion.h>
#include <string.h>

enum {
    ROWS = 5
};

static made make(weir_field field)
{
    made m = made_begin();

    field.name = (weir_view){ (const uint8_t *)"c", 1 };
    cr_assert_eq(weir_schema_append(m.schema, 0, &field, NULL), WEIR_OK);
    made_finish(&m, ROWS);
    m.lot->batch.first_row = 1000;
    m.lot->columns[0] = (weir_vector){ .field = weir_schema_column(m.schema, 0),
                                       .type = field.type,
                                       .width = field.width,
                                       .rows = ROWS };
    return m;
}

static void export(const made *m, struct ArrowArray *array, struct ArrowSchema *schema)
{
    weir_error err = { .text = "" };

    cr_assert_eq(weir_arrow_batch(&m->lot->batch, NULL, array, schema, &err), WEIR_OK, "%s",
                 err.text);
    cr_assert_eq(array->length, ROWS);
    cr_assert_eq(array->n_children, 1);
    cr_assert_str_eq(schema->format, "+s");
    cr_assert_str_eq(schema->children[0]->name, "c");
}

Test(arrow, equal_layouts_share_their_buffers)
{
    static const int64_t values[ROWS + 3] = { 0, 0, 0, 1, 2, 3, 4, 5 };
    static const uint8_t validity[] = { 0xef };
    made m = make((weir_field){ .type = WEIR_I64,
                                .width = 8,
                                .logical = WEIR_LOGICAL_TIMESTAMP,
                                .unit = WEIR_MICROS,
                                .is_utc = true,
                                .repetition = WEIR_OPTIONAL });
    struct ArrowArray array;
    struct ArrowSchema schema;

    m.lot->columns[0].values = values;
    m.lot->columns[0].validity = validity;
    m.lot->columns[0].first = 3;
    m.lot->columns[0].nulls = 1;
    export(&m, &array, &schema);
    made_release(m); /* the array holds its own count */
    cr_expect_str_eq(schema.children[0]->format, "tsu:UTC");
    cr_expect_eq(schema.children[0]->flags, ARROW_FLAG_NULLABLE);
    cr_expect_eq(array.children[0]->offset, 3);
    cr_expect_eq(array.children[0]->null_count, 1);
    cr_expect_eq(array.children[0]->buffers[0], validity);
    cr_expect_eq(array.children[0]->buffers[1], values);
    array.release(&array);
    cr_expect_null(array.release);
    schema.release(&schema);
}

Test(arrow, a_child_may_be_moved_away_from_its_parent)
{
    static const int32_t values[ROWS] = { 1, 2, 3, 4, 5 };
    made m = make((weir_field){ .type = WEIR_I32, .width = 4 });
    struct ArrowArray array, child;
    struct ArrowSchema schema, child_schema;

    m.lot->columns[0].values = values;
    export(&m, &array, &schema);
    made_release(m);
    child = *array.children[0];
    array.children[0]->release = NULL;
    array.release(&array);
    child_schema = *schema.children[0];
    schema.children[0]->release = NULL;
    schema.release(&schema);
    cr_expect_str_eq(child_schema.format, "i");
    cr_expect_str_eq(child_schema.name, "c");
    cr_expect_eq(child_schema.flags, 0, "a required column");
    cr_expect_eq(((const int32_t *)child.buffers[1])[4], 5);
    child.release(&child);
    child_schema.release(&child_schema);
}

Test(arrow, narrow_integers_are_narrowed_or_refused)
{
    int32_t values[ROWS + 1] = { 0, -128, 127, 0, 5, 6 };
    made m = make((weir_field){ .type = WEIR_I32,
                                .width = 4,
                                .logical = WEIR_LOGICAL_INTEGER,
                                .bits = 8,
                                .is_signed = true });
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_error err;

    m.lot->columns[0].values = values;
    m.lot->columns[0].first = 1;
    export(&m, &array, &schema);
    cr_expect_str_eq(schema.children[0]->format, "c");
    cr_expect_eq(((const int8_t *)array.children[0]->buffers[1])[array.children[0]->offset], -128);
    cr_expect_eq(((const int8_t *)array.children[0]->buffers[1])[array.children[0]->offset + 4], 6);
    array.release(&array);
    schema.release(&schema);
    values[3] = 128;
    cr_expect_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, &err), WEIR_CORRUPT);
    cr_expect_eq(err.row, 1002);
    cr_expect_str_eq(err.text, "column `c`: row 1002: 128 does not fit 8 bits");
    made_release(m);
}

Test(arrow, decimals_become_little_endian)
{
    static const uint8_t values[ROWS * 3] = { 0, 0, 1, 0xff, 0xff, 0xfe, 1, 2, 3, 0, 0, 0, 0x80 };
    made m = make((weir_field){ .type = WEIR_FIXED,
                                .width = 3,
                                .logical = WEIR_LOGICAL_DECIMAL,
                                .precision = 6,
                                .scale = 2 });
    struct ArrowArray array;
    struct ArrowSchema schema;
    const uint64_t *words;

    m.lot->columns[0].values = values;
    export(&m, &array, &schema);
    cr_expect_str_eq(schema.children[0]->format, "d:6,2");
    words = array.children[0]->buffers[1];
    cr_expect_eq(words[0], 1u);
    cr_expect_eq(words[1], 0u);
    cr_expect_eq(words[2], UINT64_MAX - 1);
    cr_expect_eq(words[3], UINT64_MAX);
    cr_expect_eq(words[4], 0x010203u);
    cr_expect_eq(words[8], UINT64_C(0xffffffffff800000));
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

Test(arrow, codes_become_a_dictionary)
{
    static const uint32_t codes[ROWS] = { 1, 0, 1, 1, 0 };
    static const int32_t offsets[] = { 0, 1, 3 };
    made m = make((weir_field){ .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING });
    weir_vector entries = m.lot->columns[0];
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_error err;

    entries.rows = 2;
    entries.offsets = offsets;
    entries.values = "abc";
    m.lot->columns[0].form = WEIR_CODES;
    m.lot->columns[0].values = codes;
    m.lot->columns[0].dictionary = &entries;
    export(&m, &array, &schema);
    cr_expect_str_eq(schema.children[0]->format, "i");
    cr_expect_str_eq(schema.children[0]->dictionary->format, "u");
    cr_expect_eq(array.children[0]->buffers[1], codes);
    cr_expect_eq(array.children[0]->n_buffers, 2);
    cr_expect_eq(array.children[0]->dictionary->length, 2);
    cr_expect_eq(array.children[0]->dictionary->buffers[2], entries.values);
    array.release(&array);
    schema.release(&schema);
    entries.values = "a\xff!";
    cr_expect_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, &err), WEIR_CORRUPT);
    made_release(m);
}

Test(arrow, one_value_becomes_all_its_rows)
{
    static const int32_t offsets[] = { 0, 2 };
    static const uint8_t absent;
    made text = make((weir_field){ .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING });
    made missing = make((weir_field){ .type = WEIR_F64, .width = 8 });
    static const double zero;
    struct ArrowArray array;
    struct ArrowSchema schema;

    text.lot->columns[0].form = WEIR_ONE;
    text.lot->columns[0].offsets = offsets;
    text.lot->columns[0].values = "hi";
    export(&text, &array, &schema);
    cr_expect_eq(((const int32_t *)array.children[0]->buffers[1])[ROWS], 2 * ROWS);
    cr_expect_eq(memcmp(array.children[0]->buffers[2], "hihihihihi", 10), 0);
    array.release(&array);
    schema.release(&schema);
    made_release(text);
    missing.lot->columns[0].form = WEIR_ONE;
    missing.lot->columns[0].values = &zero;
    missing.lot->columns[0].validity = &absent;
    missing.lot->columns[0].nulls = ROWS;
    export(&missing, &array, &schema);
    cr_expect_eq(array.children[0]->null_count, ROWS);
    cr_expect_eq(*(const uint8_t *)array.children[0]->buffers[0] & 31, 0);
    cr_expect_eq(((const double *)array.children[0]->buffers[1])[ROWS - 1], 0.0);
    cr_expect_eq(schema.children[0]->flags, ARROW_FLAG_NULLABLE, "there are nulls");
    array.release(&array);
    schema.release(&schema);
    made_release(missing);
}

Test(arrow, one_value_is_converted_as_all_its_rows)
{
    static const uint8_t decimal[] = { 0xff, 0xff, 0xfe };
    static const int32_t offsets[] = { 0, 2 };
    static const int32_t narrow = -7;
    const struct {
        weir_field field;
        const void *values;
        int64_t expected;
    } cases[] = {
        { { .type = WEIR_FIXED,
            .width = 3,
            .logical = WEIR_LOGICAL_DECIMAL,
            .precision = 6,
            .scale = 2 },
          decimal,
          -2 },
        { { .type = WEIR_BYTES, .logical = WEIR_LOGICAL_DECIMAL, .precision = 6, .scale = 2 },
          decimal + 1,
          -2 },
        { { .type = WEIR_I32,
            .width = 4,
            .logical = WEIR_LOGICAL_INTEGER,
            .bits = 8,
            .is_signed = true },
          &narrow,
          -7 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m = make(cases[i].field);
        struct ArrowArray array;
        struct ArrowSchema schema;
        const void *values;

        m.lot->columns[0].form = WEIR_ONE;
        m.lot->columns[0].offsets = cases[i].field.type == WEIR_BYTES ? offsets : NULL;
        m.lot->columns[0].values = cases[i].values;
        export(&m, &array, &schema);
        values = array.children[0]->buffers[1];
        for (int row = 0; row < ROWS; row++) {
            const int64_t got = cases[i].field.type == WEIR_I32
                                    ? ((const int8_t *)values)[row]
                                    : ((const int64_t *)values)[row * 2];

            cr_expect_eq(got, cases[i].expected, "case %zu, row %d", i, row);
        }
        array.release(&array);
        schema.release(&schema);
        made_release(m);
    }
}

Test(arrow, text_that_only_looks_whole_is_refused_at_its_row)
{
    /* Together the bytes are UTF-8; row 2 ends within a character. */
    static const int32_t offsets[] = { 0, 1, 1, 2, 3, 3 };
    made m = make((weir_field){ .type = WEIR_BYTES, .logical = WEIR_LOGICAL_STRING });
    const weir_arrow_options options = { .size = sizeof options, .strings_as_binary = true };
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_error err;

    m.lot->columns[0].offsets = offsets;
    m.lot->columns[0].values = "a\xc3\xa9";
    cr_expect_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, &err), WEIR_CORRUPT);
    cr_expect_eq(err.row, 1002);
    cr_assert_eq(weir_arrow_batch(&m.lot->batch, &options, &array, &schema, &err), WEIR_OK);
    cr_expect_str_eq(schema.children[0]->format, "z");
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

Test(arrow, names_become_utf8_and_extensions_are_named)
{
    static const uint8_t values[ROWS * 16];
    made m = make((weir_field){ .type = WEIR_FIXED, .width = 16, .logical = WEIR_LOGICAL_UUID });
    struct ArrowArray array;
    struct ArrowSchema schema;
    weir_field *field = (weir_field *)(uintptr_t)m.lot->columns[0].field;

    m.lot->columns[0].values = values;
    field->name = (weir_view){ (const uint8_t *)"\xff"
                                                "a\0b",
                               4 };
    cr_assert_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, NULL), WEIR_OK);
    cr_expect_str_eq(schema.children[0]->name, "\xef\xbf\xbd"
                                               "a\xef\xbf\xbd"
                                               "b");
    cr_expect_str_eq(schema.children[0]->format, "w:16");
    cr_assert_not_null(schema.children[0]->metadata);
    cr_expect_eq(memcmp(schema.children[0]->metadata + 8, "ARROW:extension:name", 20), 0);
    cr_expect_eq(memcmp(schema.children[0]->metadata + 32, "arrow.uuid", 10), 0);
    array.release(&array);
    schema.release(&schema);
    made_release(m);
}

Test(arrow, a_shape_has_no_arrow_type)
{
    made m = make((weir_field){ .type = WEIR_I32, .width = 4 });
    struct ArrowArray array;
    struct ArrowSchema schema;

    m.lot->columns[0].form = WEIR_SHAPE;
    cr_expect_eq(weir_arrow_batch(&m.lot->batch, NULL, &array, &schema, NULL), WEIR_BAD_CALL);
    made_release(m);
}
