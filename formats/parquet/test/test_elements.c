/* SPDX-License-Identifier: Apache-2.0
 * test_elements.c: SchemaElement lists, good and bad, to trees of fields. */
#include "parquet_file.h"

#include <criterion/criterion.h>

static stage s;

static void setup(void)
{
    stage_open(&s);
}

static void teardown(void)
{
    stage_close(&s);
}

TestSuite(elements, .init = setup, .fini = teardown);

/* A footer that ends with the schema list's elements, which the caller wrote after `begin`. */
static void begin(thrift *t, size_t elements)
{
    t_i32(t, 1, 1);
    t_list(t, 2, WIRE_STRUCT, elements);
}

static weir_status finish(thrift *t, test_file *f, weir_error *err)
{
    weir_status status;

    t_i64(t, 3, 0);
    t_list(t, 4, WIRE_STRUCT, 0);
    t_end(t);
    status = test_file_open(&s, f, NULL, t, err);
    t_free(t);
    return status;
}

Test(elements, a_root_without_children_has_no_columns)
{
    thrift t = { 0 };
    test_file f;

    begin(&t, 1);
    put_group(&t, "root", -1, 0);
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    cr_expect_eq(weir_schema_column_count(f.file.schema), 0);
    cr_expect_eq(weir_schema_leaf_count(f.file.schema), 0);
    cr_expect_eq(weir_schema_field_count(f.file.schema), 1);
    test_file_close(&f);
}

Test(elements, physical_types_and_repetition_become_types_and_levels)
{
    static const struct {
        weir_type type;
        uint32_t width;
    } wanted[] = { { WEIR_BOOL, 0 }, { WEIR_I32, 4 }, { WEIR_I64, 8 },   { WEIR_FIXED, 12 },
                   { WEIR_F32, 4 },  { WEIR_F64, 8 }, { WEIR_BYTES, 0 }, { WEIR_FIXED, 5 } };
    thrift t = { 0 };
    test_file f;

    begin(&t, 9);
    put_group(&t, "root", 2, 8); /* a root that says REPEATED: it means nothing */
    for (int type = 0; type < 8; type++) {
        t_open(&t);
        t_i32(&t, 1, type);
        t_i32(&t, 2, 5); /* means something for FIXED_LEN_BYTE_ARRAY alone */
        t_i32(&t, 3, type & 1);
        t_text(&t, 4, "x");
        t_i32(&t, 9, 100 + type);
        t_end(&t);
    }
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    cr_assert_eq(weir_schema_column_count(f.file.schema), 8);
    for (int i = 0; i < 8; i++) {
        const weir_field *field = weir_schema_leaf(f.file.schema, i);

        cr_expect_eq(field->type, wanted[i].type, "leaf %d", i);
        cr_expect_eq(field->width, wanted[i].width, "leaf %d", i);
        cr_expect_eq(field->repetition, i & 1 ? WEIR_OPTIONAL : WEIR_REQUIRED);
        cr_expect_eq(field->max_definition, i & 1);
        cr_expect_eq(field->max_repetition, 0);
        cr_expect_eq(field->id, 100 + i);
        cr_expect_null(weir_parquet_refusal(&f.file, i));
        cr_expect_eq(weir_parquet_file_own(&f.file)->leaves[i].type, (weir_parquet_type)i);
    }
    cr_expect_eq(weir_schema_leaf(f.file.schema, 3)->logical, WEIR_LOGICAL_TIMESTAMP,
                 "INT96 is a timestamp without being annotated");
    cr_expect_eq(weir_schema_leaf(f.file.schema, 3)->unit, WEIR_UNIT_NONE);
    test_file_close(&f);
}

/* a; b { b1 repeated, b2 { b3 } }; c repeated: flat columns read beside nested ones. */
Test(elements, nested_columns_stay_in_the_tree_as_it_is_written)
{
    thrift t = { 0 };
    test_file f;
    const weir_schema *schema;
    char path[32];

    begin(&t, 7);
    put_group(&t, "root", -1, 3);
    put_leaf(&t, "a", 1, 1);
    put_group(&t, "b", 1, 2);
    put_leaf(&t, "b1", 2, 1);
    put_group(&t, "b2", 0, 1);
    put_leaf(&t, "b.3", 1, 1);
    put_leaf(&t, "c", 2, 1);
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    schema = f.file.written;
    cr_assert_eq(weir_schema_column_count(schema), 3);
    cr_assert_eq(weir_schema_leaf_count(schema), 4);
    cr_expect_null(weir_parquet_refusal(&f.file, 0));
    cr_expect_null(weir_parquet_refusal(&f.file, 1));
    cr_expect_null(weir_parquet_refusal(&f.file, 2));
    cr_expect_eq(weir_schema_leaf(schema, 1)->max_definition, 2);
    cr_expect_eq(weir_schema_leaf(schema, 1)->max_repetition, 1);
    cr_expect_eq(weir_schema_leaf(schema, 2)->max_definition, 2);
    cr_expect_eq(weir_schema_leaf(schema, 2)->max_repetition, 0);
    cr_expect_eq(weir_schema_leaf(schema, 3)->max_definition, 1);
    cr_expect_eq(weir_schema_leaf(schema, 3)->max_repetition, 1);
    weir_schema_path(schema, weir_schema_leaf(schema, 2)->index, path, sizeof path);
    cr_expect_str_eq(path, "b.b2.b\\.3");
    test_file_close(&f);
}

typedef struct annotation {
    int type, length, converted, scale, precision; /* -1: not said */
    int logical, unit, bits;                       /* 0: not said */
    bool flag;                                     /* isAdjustedToUTC or isSigned */
    weir_field wanted; /* logical, unit, is_utc, is_signed, bits, precision, scale */
} annotation;

static void put_logical(thrift *t, const annotation *a)
{
    t_struct(t, 10);
    t_struct(t, a->logical);
    if (a->logical == 5) {
        t_i32(t, 1, a->scale);
        t_i32(t, 2, a->precision);
    } else if (a->logical == 7 || a->logical == 8) {
        t_bool(t, 1, a->flag);
        t_struct(t, 2);
        t_empty(t, a->unit);
        t_end(t);
    } else if (a->logical == 10) {
        t_i8(t, 1, (int8_t)a->bits);
        t_bool(t, 2, a->flag);
    }
    t_end(t);
    t_end(t);
}

static void put_annotated(thrift *t, const annotation *a)
{
    t_open(t);
    t_i32(t, 1, a->type);
    if (a->length >= 0)
        t_i32(t, 2, a->length);
    t_i32(t, 3, 1);
    t_text(t, 4, "x");
    if (a->converted >= 0)
        t_i32(t, 6, a->converted);
    if (a->scale >= 0 && a->logical == 0)
        t_i32(t, 7, a->scale);
    if (a->precision >= 0 && a->logical == 0)
        t_i32(t, 8, a->precision);
    if (a->logical)
        put_logical(t, a);
    t_end(t);
}

static void check(const annotation *list, size_t count)
{
    thrift t = { 0 };
    test_file f;

    begin(&t, count + 1);
    put_group(&t, "root", -1, (int)count);
    for (size_t i = 0; i < count; i++)
        put_annotated(&t, &list[i]);
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    for (size_t i = 0; i < count; i++) {
        const weir_field *got = weir_schema_leaf(f.file.schema, (int32_t)i);
        const weir_field *wanted = &list[i].wanted;

        cr_expect_eq(got->logical, wanted->logical, "%zu: logical %d", i, got->logical);
        cr_expect_eq(got->unit, wanted->unit, "%zu", i);
        cr_expect_eq(got->is_utc, wanted->is_utc, "%zu", i);
        cr_expect_eq(got->is_signed, wanted->is_signed, "%zu", i);
        cr_expect_eq(got->bits, wanted->bits, "%zu", i);
        cr_expect_eq(got->precision, wanted->precision, "%zu", i);
        cr_expect_eq(got->scale, wanted->scale, "%zu", i);
    }
    test_file_close(&f);
}

/* LogicalTypes.md, each member of the union on the physical type it is for. */
Test(elements, logical_types_are_carried)
{
    static const annotation list[] = {
        { 6, -1, -1, -1, -1, 1, 0, 0, 0, { .logical = WEIR_LOGICAL_STRING } },
        { 6, -1, -1, -1, -1, 4, 0, 0, 0, { .logical = WEIR_LOGICAL_ENUM } },
        { 1,
          -1,
          -1,
          2,
          9,
          5,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 9, .scale = 2 } },
        { 2,
          -1,
          -1,
          0,
          18,
          5,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 18, .scale = 0 } },
        { 6,
          -1,
          -1,
          38,
          38,
          5,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 38, .scale = 38 } },
        { 7,
          3,
          -1,
          1,
          60,
          5,
          0,
          0,
          0, /* more digits than three bytes hold: no harm */
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 60, .scale = 1 } },
        { 1, -1, -1, -1, -1, 6, 0, 0, 0, { .logical = WEIR_LOGICAL_DATE } },
        { 1,
          -1,
          -1,
          -1,
          -1,
          7,
          1,
          0,
          1,
          { .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MILLIS, .is_utc = true } },
        { 2, -1, -1, -1, -1, 7, 2, 0, 0, { .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MICROS } },
        { 2, -1, -1, -1, -1, 7, 3, 0, 0, { .logical = WEIR_LOGICAL_TIME, .unit = WEIR_NANOS } },
        { 2,
          -1,
          -1,
          -1,
          -1,
          8,
          1,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MILLIS } },
        { 2,
          -1,
          -1,
          -1,
          -1,
          8,
          3,
          0,
          1,
          { .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_NANOS, .is_utc = true } },
        { 1,
          -1,
          -1,
          -1,
          -1,
          10,
          0,
          8,
          1,
          { .logical = WEIR_LOGICAL_INTEGER, .bits = 8, .is_signed = true } },
        { 1, -1, -1, -1, -1, 10, 0, 32, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 32 } },
        { 2, -1, -1, -1, -1, 10, 0, 64, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 64 } },
        { 2, -1, -1, -1, -1, 11, 0, 0, 0, { .logical = WEIR_LOGICAL_NULL } },
        { 6, -1, -1, -1, -1, 12, 0, 0, 0, { .logical = WEIR_LOGICAL_JSON } },
        { 6, -1, -1, -1, -1, 13, 0, 0, 0, { .logical = WEIR_LOGICAL_BSON } },
        { 7, 16, -1, -1, -1, 14, 0, 0, 0, { .logical = WEIR_LOGICAL_UUID } },
        { 7, 2, -1, -1, -1, 15, 0, 0, 0, { .logical = WEIR_LOGICAL_FLOAT16 } },
        { 6, -1, -1, -1, -1, 17, 0, 0, 0, { .logical = WEIR_LOGICAL_GEOMETRY } },
        { 6, -1, -1, -1, -1, 18, 0, 0, 0, { .logical = WEIR_LOGICAL_GEOGRAPHY } },
    };

    check(list, sizeof list / sizeof *list);
}

/* The older types; their times are instants. */
Test(elements, converted_types_stand_for_logical_ones)
{
    static const annotation list[] = {
        { 6, -1, 0, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_STRING } },
        { 6, -1, 4, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_ENUM } },
        { 7,
          8,
          5,
          3,
          10,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 10, .scale = 3 } },
        { 1,
          -1,
          5,
          -1,
          4,
          0,
          0,
          0,
          0, /* without scale: 0 */
          { .logical = WEIR_LOGICAL_DECIMAL, .precision = 4 } },
        { 1, -1, 6, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_DATE } },
        { 1,
          -1,
          7,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MILLIS, .is_utc = true } },
        { 2,
          -1,
          8,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIME, .unit = WEIR_MICROS, .is_utc = true } },
        { 2,
          -1,
          9,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MILLIS, .is_utc = true } },
        { 2,
          -1,
          10,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MICROS, .is_utc = true } },
        { 1, -1, 11, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 8 } },
        { 1, -1, 12, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 16 } },
        { 1, -1, 13, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 32 } },
        { 2, -1, 14, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_INTEGER, .bits = 64 } },
        { 1,
          -1,
          15,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_INTEGER, .bits = 8, .is_signed = true } },
        { 2,
          -1,
          18,
          -1,
          -1,
          0,
          0,
          0,
          0,
          { .logical = WEIR_LOGICAL_INTEGER, .bits = 64, .is_signed = true } },
        { 6, -1, 19, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_JSON } },
        { 6, -1, 20, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_BSON } },
        { 7, 12, 21, -1, -1, 0, 0, 0, 0, { .logical = WEIR_LOGICAL_INTERVAL } },
        /* Both are said: the logical type counts, here for its zone. */
        { 2,
          -1,
          10,
          -1,
          -1,
          8,
          2,
          0,
          0,
          { .logical = WEIR_LOGICAL_TIMESTAMP, .unit = WEIR_MICROS } },
        /* A logical type from the future beside a converted one that is known. */
        { 6, -1, 0, -1, -1, 40, 0, 0, 0, { .logical = WEIR_LOGICAL_STRING } },
    };

    check(list, sizeof list / sizeof *list);
}

Test(elements, annotations_that_do_not_fit_are_left_out)
{
    static const annotation list[] = {
        { 1, -1, -1, -1, -1, 10, 0, 64, 1, { .bits = 0 } }, /* INTEGER(64) on INT32 */
        { 2, -1, -1, -1, -1, 10, 0, 32, 1, { .bits = 0 } },
        { 1, -1, -1, -1, -1, 10, 0, 7, 1, { .bits = 0 } },
        { 1, -1, -1, -1, -1, 1, 0, 0, 0, { .bits = 0 } },  /* STRING on INT32 */
        { 7, 15, -1, -1, -1, 14, 0, 0, 0, { .bits = 0 } }, /* UUID of 15 bytes */
        { 7, 4, -1, -1, -1, 15, 0, 0, 0, { .bits = 0 } },  /* FLOAT16 of 4 */
        { 1, -1, -1, -1, -1, 8, 1, 0, 0, { .bits = 0 } },  /* TIMESTAMP on INT32 */
        { 2, -1, -1, -1, -1, 7, 1, 0, 0, { .bits = 0 } },  /* TIME(ms) on INT64 */
        { 2, -1, -1, -1, -1, 8, 9, 0, 0, { .bits = 0 } },  /* a unit from the future */
        { 5, -1, -1, 2, 9, 5, 0, 0, 0, { .bits = 0 } },    /* DECIMAL on DOUBLE */
        { 1, -1, -1, 5, 4, 5, 0, 0, 0, { .bits = 0 } },    /* more scale than precision */
        { 1, -1, 5, 0, -1, 0, 0, 0, 0, { .bits = 0 } },    /* without precision */
        { 7, 11, 21, -1, -1, 0, 0, 0, 0, { .bits = 0 } },  /* INTERVAL of 11 bytes */
        { 1, -1, 3, -1, -1, 0, 0, 0, 0, { .bits = 0 } },   /* LIST on a leaf */
        { 6, -1, 77, -1, -1, 0, 0, 0, 0, { .bits = 0 } },  /* a number without a name */
        { 6, -1, -1, -1, -1, 30, 0, 0, 0, { .bits = 0 } },
    };

    check(list, sizeof list / sizeof *list);
}

Test(elements, groups_carry_their_annotations)
{
    static const struct {
        int logical, converted;
        weir_logical wanted;
    } list[] = { { 3, -1, WEIR_LOGICAL_LIST }, { 2, -1, WEIR_LOGICAL_MAP },
                 { 0, 3, WEIR_LOGICAL_LIST },  { 0, 1, WEIR_LOGICAL_MAP },
                 { 0, 2, WEIR_LOGICAL_MAP },   { 16, -1, WEIR_LOGICAL_VARIANT },
                 { 1, -1, WEIR_LOGICAL_NONE } };
    const int count = sizeof list / sizeof *list;
    thrift t = { 0 };
    test_file f;

    begin(&t, (size_t)count * 2 + 1);
    put_group(&t, "root", -1, count);
    for (int i = 0; i < count; i++) {
        t_open(&t);
        t_i32(&t, 3, 1);
        t_text(&t, 4, "g");
        t_i32(&t, 5, 1);
        if (list[i].converted >= 0)
            t_i32(&t, 6, list[i].converted);
        if (list[i].logical) {
            t_struct(&t, 10);
            t_empty(&t, list[i].logical);
            t_end(&t);
        }
        t_end(&t);
        put_leaf(&t, "x", 2, 1);
    }
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    for (int i = 0; i < count; i++)
        cr_expect_eq(weir_schema_column(f.file.schema, i)->logical, list[i].wanted, "group %d", i);
    test_file_close(&f);
}

Test(elements, columns_that_cannot_be_read_do_not_stop_the_others)
{
    thrift t = { 0 };
    test_file f;

    begin(&t, 4);
    put_group(&t, "root", -1, 3);
    put_leaf(&t, "good", 0, 2);
    put_leaf(&t, "future", 0, 9);
    put_leaf(&t, "fixed", 0, 7); /* no type_length */
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    cr_expect_null(weir_parquet_refusal(&f.file, 0));
    cr_expect_not_null(weir_parquet_refusal(&f.file, 1));
    cr_expect_not_null(weir_parquet_refusal(&f.file, 2));
    test_file_close(&f);
}

static void expect_corrupt(thrift *t, const char *words)
{
    test_file f;
    weir_error err = { 0 };

    cr_expect_eq(finish(t, &f, &err), WEIR_CORRUPT, "%s", words);
    cr_expect_not_null(strstr(err.text, words), "%s, not %s", err.text, words);
    cr_expect_geq(err.offset, 4, "%s", words);
    test_file_close(&f);
}

Test(elements, bad_counts_of_children_are_corrupt)
{
    thrift t = { 0 };

    begin(&t, 2);
    put_group(&t, "root", -1, 2);
    put_leaf(&t, "a", 0, 1);
    expect_corrupt(&t, "fewer children");

    begin(&t, 3);
    put_group(&t, "root", -1, 1);
    put_leaf(&t, "a", 0, 1);
    put_leaf(&t, "b", 0, 1);
    expect_corrupt(&t, "belong to no group");

    begin(&t, 2);
    put_group(&t, "root", -1, 1);
    put_group(&t, "g", 0, -5);
    expect_corrupt(&t, "-5 children");

    begin(&t, 2);
    put_group(&t, "root", -1, INT32_MAX);
    put_group(&t, "g", 0, INT32_MAX);
    expect_corrupt(&t, "fewer children");

    begin(&t, 2);
    put_group(&t, "root", -1, 1);
    put_leaf(&t, "a", 3, 1);
    expect_corrupt(&t, "repetition type 3");

    begin(&t, 0);
    expect_corrupt(&t, "cannot have 0 elements");
}

Test(elements, depth_has_a_limit)
{
    for (int depth = WEIR_PARQUET_DEPTH - 1; depth <= WEIR_PARQUET_DEPTH; depth++) {
        thrift t = { 0 };
        test_file f;
        weir_status status;

        begin(&t, (size_t)depth + 2);
        for (int i = 0; i <= depth; i++)
            put_group(&t, "g", 2, 1);
        put_leaf(&t, "x", 1, 1);
        status = finish(&t, &f, NULL);
        if (depth < WEIR_PARQUET_DEPTH) {
            cr_assert_eq(status, WEIR_OK);
            cr_expect_eq(weir_schema_leaf(f.file.schema, 0)->max_definition, depth + 1);
            cr_expect_eq(weir_schema_leaf(f.file.schema, 0)->max_repetition, depth);
        } else {
            cr_expect_eq(status, WEIR_LIMIT);
        }
        test_file_close(&f);
    }
}

Test(elements, names_may_hold_anything)
{
    static const char name[] = "a\0b\n\"\xff";
    thrift t = { 0 };
    test_file f;

    begin(&t, 4);
    put_group(&t, "", -1, 3);
    t_open(&t);
    t_i32(&t, 1, 1);
    t_bytes(&t, 4, name, sizeof name - 1);
    t_end(&t);
    put_leaf(&t, "", 0, 1);
    t_open(&t); /* no name at all */
    t_i32(&t, 1, 1);
    t_end(&t);
    cr_assert_eq(finish(&t, &f, NULL), WEIR_OK);
    cr_expect_eq(weir_schema_leaf(f.file.schema, 0)->name.size, sizeof name - 1);
    cr_expect_arr_eq(weir_schema_leaf(f.file.schema, 0)->name.data, name, sizeof name);
    cr_expect_eq(weir_schema_leaf(f.file.schema, 1)->name.size, 0);
    cr_expect_eq(weir_schema_leaf(f.file.schema, 2)->name.size, 0);
    test_file_close(&f);
}
