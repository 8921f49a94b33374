/* SPDX-License-Identifier: Apache-2.0
 * test_footer.c: a file's tail to row groups and chunks: what is read, borne with, and refused. */
#include "parquet_file.h"

#include <criterion/criterion.h>
#include <stdio.h>

static stage s;

static void setup(void)
{
    stage_open(&s);
}

static void teardown(void)
{
    stage_close(&s);
}

TestSuite(footer, .init = setup, .fini = teardown);

static void put_schema(thrift *t, int columns)
{
    t_list(t, 2, WIRE_STRUCT, (size_t)columns + 1);
    put_group(t, "root", -1, columns);
    for (int i = 0; i < columns; i++)
        put_leaf(t, "x", 0, 1);
}

/* A ColumnChunk with what a reader needs. */
static void put_chunk(thrift *t, int64_t values, int64_t data_page, int64_t dictionary,
                      int64_t size)
{
    t_open(t);
    t_i64(t, 2, 0);
    t_struct(t, 3);
    t_i32(t, 1, 1);
    t_list(t, 2, WIRE_I32, 1);
    put_zigzag(&t->out, 0);
    t_list(t, 3, WIRE_BINARY, 1);
    put_raw(&t->out, "\1x", 2);
    t_i32(t, 4, 0);
    t_i64(t, 5, values);
    t_i64(t, 6, size + 1);
    t_i64(t, 7, size);
    t_i64(t, 9, data_page);
    if (dictionary >= 0)
        t_i64(t, 11, dictionary);
    t_end(t);
    t_end(t);
}

static void put_rows(thrift *t, int columns, int64_t rows)
{
    t_open(t);
    t_list(t, 1, WIRE_STRUCT, (size_t)columns);
    for (int i = 0; i < columns; i++)
        put_chunk(t, rows, 4, -1, 100);
    t_i64(t, 2, 1000);
    t_i64(t, 3, rows);
    t_end(t);
}

/* FileMetaData of `groups` groups of `rows` rows. */
static void put_file(thrift *t, int columns, size_t groups, int64_t rows)
{
    t_i32(t, 1, 1);
    put_schema(t, columns);
    t_i64(t, 3, (int64_t)groups * rows);
    t_list(t, 4, WIRE_STRUCT, groups);
    for (size_t i = 0; i < groups; i++)
        put_rows(t, columns, rows);
    t_end(t);
}

Test(footer, rows_are_the_sum_over_row_groups_whatever_the_footer_says)
{
    thrift t = { 0 };
    test_file f;
    weir_group group = { 0 };

    t_i32(&t, 1, 1);
    put_schema(&t, 1);
    t_i64(&t, 3, 0); /* as two writers leave it */
    t_list(&t, 4, WIRE_STRUCT, 3);
    put_rows(&t, 1, 10);
    put_rows(&t, 1, 0);
    put_rows(&t, 1, INT64_C(1) << 40);
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(f.file.row_count, 10 + (INT64_C(1) << 40));
    cr_expect_eq(f.file.group_count, 3);
    weir_parquet_group(&f.file, 2, &group);
    cr_expect_eq(group.first_row, 10);
    cr_expect_eq(group.row_count, INT64_C(1) << 40);
    cr_expect_eq(group.ordinal, 2);
    cr_expect_eq(group.offset, 4);
    cr_expect_eq(group.size, 100);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, fields_in_any_order_repeated_and_unknown_are_borne_with)
{
    thrift t = { 0 };
    test_file f;
    weir_file_info info = { 0 };

    t_text(&t, 6, "the first writer");
    t_list(&t, 4, WIRE_STRUCT, 1); /* before the schema */
    put_rows(&t, 2, 7);
    t_text(&t, 6, "the second one");
    t_i32(&t, 3, 5);       /* num_rows with a type that isn't its own */
    t_text(&t, 7, "what"); /* column_orders likewise */
    t_struct(&t, 99);
    t_list(&t, 1, WIRE_STRUCT, 1);
    t_open(&t);
    t_empty(&t, 17);
    t_end(&t);
    t_end(&t);
    put_schema(&t, 1);
    put_schema(&t, 2); /* the last one counts */
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(weir_schema_leaf_count(f.file.schema), 2);
    cr_expect_eq(f.file.row_count, 7);
    weir_parquet_inform(&f.file, &info);
    cr_expect_str_eq(info.writer, "the second one");
    test_file_close(&f);
    t_free(&t);
}

Test(footer, every_cut_of_it_is_corrupt)
{
    thrift whole = { 0 };

    put_file(&whole, 2, 2, 5);
    for (size_t size = 0; size < whole.out.size; size++) {
        thrift cut = { 0 };
        test_file f;
        weir_error err = { 0 };

        put_raw(&cut.out, whole.out.data, size);
        cr_expect_eq(test_file_open(&s, &f, NULL, &cut, &err), WEIR_CORRUPT, "cut at %zu", size);
        cr_expect_neq(err.text[0], '\0');
        test_file_close(&f);
        t_free(&cut);
    }
    t_free(&whole);
}

/* Tails that are no footer's. */
Test(footer, a_tail_without_a_footer_says_what_is_wrong)
{
    static const struct {
        const char *bytes;
        size_t size;
        weir_status status;
        const char *words;
    } list[] = {
        { "PAR1", 4, WEIR_CORRUPT, "too few" },
        { "PAR1\0\0\0\0PAR1", 12, WEIR_CORRUPT, "0 bytes" },
        { "PAR1\x05\0\0\0PAR1", 12, WEIR_CORRUPT, "5 bytes" },
        { "PAR1\xff\xff\xff\xffPAR1", 12, WEIR_CORRUPT, "4294967295 bytes" },
        { "PAR1 and then it was cut", 24, WEIR_CORRUPT, "PAR1" },
        { "PARE\0\0\0\0\0\x04\0\0\0PARE", 17, WEIR_UNSUPPORTED, "encrypted" },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        test_file f = { 0 };
        weir_error err = { 0 };

        cr_expect_eq(test_file_open_bytes(&s, &f, list[i].bytes, list[i].size, &err),
                     list[i].status, "%zu", i);
        cr_expect_not_null(strstr(err.text, list[i].words), "%zu: %s", i, err.text);
        test_file_close(&f);
    }
}

Test(footer, row_counts_below_zero_or_beyond_64_bits_are_corrupt)
{
    for (int kind = 0; kind < 3; kind++) {
        thrift t = { 0 };
        test_file f;
        weir_error err = { 0 };

        put_schema(&t, 1);
        t_list(&t, 4, WIRE_STRUCT, 2);
        put_rows(&t, 1, 1);
        if (kind < 2) {
            put_rows(&t, 1, kind == 0 ? -1 : INT64_MAX);
        } else {
            t_open(&t); /* no num_rows */
            t_i64(&t, 2, 1);
            t_end(&t);
        }
        t_end(&t);
        cr_expect_eq(test_file_open(&s, &f, NULL, &t, &err), WEIR_CORRUPT);
        cr_expect_not_null(strstr(err.text, "row group 1"), "%s", err.text);
        cr_expect_gt(err.offset, 4);
        test_file_close(&f);
        t_free(&t);
    }
}

Test(footer, a_list_of_more_groups_than_its_bytes_can_hold_is_corrupt)
{
    thrift t = { 0 };
    test_file f;

    put_schema(&t, 1);
    t_list(&t, 4, WIRE_STRUCT, 4000);
    for (int i = 0; i < 4000; i++)
        put_byte(&t.out, 0); /* groups without a field */
    t_end(&t);
    cr_expect_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_CORRUPT);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, one_without_schema_is_corrupt)
{
    thrift t = { 0 };
    test_file f;
    weir_error err = { 0 };

    t_i32(&t, 1, 1);
    t_end(&t);
    cr_expect_eq(test_file_open(&s, &f, NULL, &t, &err), WEIR_CORRUPT);
    cr_expect_not_null(strstr(err.text, "no schema"), "%s", err.text);
    test_file_close(&f);
    t_free(&t);
}

/* A footer of more than the 64 KB that are read first, and more groups than 32 bits of anything. */
Test(footer, forty_thousand_row_groups_open)
{
    thrift t = { 0 };
    test_file f;
    weir_parquet_chunk chunk;

    put_file(&t, 1, 40000, 3);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(f.file.group_count, 40000);
    cr_expect_eq(f.file.row_count, 120000);
    cr_assert_eq(weir_parquet_chunk_find(&f.file, 39999, 0, &chunk, NULL), WEIR_OK);
    cr_expect_eq(chunk.value_count, 3);
    cr_expect_eq(weir_parquet_file_own(&f.file)->groups[39999].first_row, 119997);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, ten_thousand_columns_open)
{
    thrift t = { 0 };
    test_file f;
    weir_parquet_chunk chunk;

    put_file(&t, 10000, 2, 9);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(weir_schema_column_count(f.file.schema), 10000);
    cr_assert_eq(weir_parquet_chunk_find(&f.file, 1, 9999, &chunk, NULL), WEIR_OK);
    cr_expect_eq(chunk.value_count, 9);
    cr_expect_eq(chunk.size, 100);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, bytes_after_it_such_as_a_signature_are_passed_over)
{
    thrift t = { 0 };
    test_file f;

    put_file(&t, 1, 1, 4);
    put_raw(&t.out, "28 bytes of nonce and tag...", 28);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(f.file.row_count, 4);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, encrypted_columns_of_a_plain_footer_are_refused_alone)
{
    thrift t = { 0 };
    test_file f;
    weir_parquet_chunk chunk;
    weir_error err = { 0 };

    put_schema(&t, 2);
    t_list(&t, 4, WIRE_STRUCT, 1);
    t_open(&t);
    t_list(&t, 1, WIRE_STRUCT, 2);
    t_open(&t);
    t_i64(&t, 2, 0);
    t_struct(&t, 8);
    t_empty(&t, 1);
    t_end(&t);
    t_text(&t, 9, "sealed metadata");
    t_end(&t);
    put_chunk(&t, 3, 4, -1, 10);
    t_i64(&t, 2, 0);
    t_i64(&t, 3, 3);
    t_end(&t);
    t_struct(&t, 8); /* encryption_algorithm */
    t_empty(&t, 1);
    t_end(&t);
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_str_eq(weir_parquet_refusal(&f.file, 0), "encrypted");
    cr_expect_null(weir_parquet_refusal(&f.file, 1));
    cr_expect_eq(weir_parquet_chunk_find(&f.file, 0, 0, &chunk, &err), WEIR_UNSUPPORTED);
    cr_expect_eq(weir_parquet_chunk_find(&f.file, 0, 1, &chunk, &err), WEIR_OK);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, a_group_with_fewer_chunks_than_leaves_is_corrupt_where_one_is_missed)
{
    thrift t = { 0 };
    test_file f;
    weir_parquet_chunk chunk;
    weir_error err = { 0 };

    put_schema(&t, 2);
    t_list(&t, 4, WIRE_STRUCT, 1);
    put_rows(&t, 1, 5);
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(weir_parquet_chunk_find(&f.file, 0, 0, &chunk, &err), WEIR_OK);
    cr_expect_eq(weir_parquet_chunk_find(&f.file, 0, 1, &chunk, &err), WEIR_CORRUPT);
    test_file_close(&f);
    t_free(&t);
}

Test(footer, the_dictionary_offset_counts_only_where_it_can)
{
    static const struct {
        int64_t data, dictionary, begin;
    } list[] = { { 100, -1, 100 },  { 100, 0, 100 },   { 100, 50, 50 },
                 { 100, 100, 100 }, { 100, 200, 100 }, { 100, -7, 100 } };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const weir_parquet_chunk chunk = { .data_page = list[i].data,
                                           .dictionary_page = list[i].dictionary };

        cr_expect_eq(weir_parquet_chunk_begin(&chunk), list[i].begin, "%zu", i);
    }
}

/* PARQUET-246 was mended in 1.8.0. */
Test(footer, writers_that_carry_a_prefix_over_pages_are_known)
{
    static const struct {
        const char *writer;
        bool carries;
    } list[] = {
        { "parquet-mr version 1.7.0 (build abc)", true },
        { "parquet-mr version 1.8.0 (build abc)", false },
        { "parquet-mr version 1.10.1", false },
        { "parquet-mr version 2.0.0", false },
        { "parquet-mr version 0.9", true },
        { "parquet-mr", true },
        { "parquet-mr version", true },
        { "parquet-mr version x", true },
        { "parquet-cpp-arrow version 1.2.0", false },
        { "DuckDB", false },
        { "", true },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cr_expect_eq(weir_parquet_writer_carries_prefix(
                         (weir_view){ (const uint8_t *)list[i].writer, strlen(list[i].writer) }),
                     list[i].carries, "%s", list[i].writer);
}

/* ---- what the footer says ---- */

Test(footer, key_values_and_writer_are_told)
{
    thrift t = { 0 };
    test_file f;
    weir_file_info info = { 0 };

    put_schema(&t, 0);
    t_list(&t, 4, WIRE_STRUCT, 0);
    t_list(&t, 5, WIRE_STRUCT, 2);
    t_open(&t);
    t_text(&t, 1, "key");
    t_text(&t, 2, "value");
    t_end(&t);
    t_open(&t);
    t_text(&t, 1, "alone");
    t_end(&t);
    t_text(&t, 6, "me");
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    weir_parquet_inform(&f.file, &info);
    cr_expect_str_eq(info.format, "parquet");
    cr_expect_str_eq(info.writer, "me");
    cr_expect_eq(info.rows, 0);
    cr_expect_eq(info.metadata_bytes, t.out.size + 8);
    cr_assert_eq(info.key_value_count, 2);
    cr_expect_eq(info.key_values[0][0].size, 3);
    cr_expect_arr_eq(info.key_values[0][1].data, "value", 5);
    cr_expect_eq(info.key_values[1][1].size, 0);
    test_file_close(&f);
    t_free(&t);
}

typedef struct bound {
    int type, length, logical, bits; /* of the leaf */
    bool is_signed;
    int order;   /* ColumnOrder; -1: none is said */
    bool is_old; /* min and max, not min_value and max_value */
    const char *min, *max;
    size_t size; /* of each */
    bool wanted;
} bound;

static void put_bound_leaf(thrift *t, const bound *b)
{
    t_open(t);
    t_i32(t, 1, b->type);
    if (b->length)
        t_i32(t, 2, b->length);
    t_i32(t, 3, 1);
    t_text(t, 4, "x");
    if (b->logical) {
        t_struct(t, 10);
        t_struct(t, b->logical);
        if (b->logical == 10) {
            t_i8(t, 1, (int8_t)b->bits);
            t_bool(t, 2, b->is_signed);
        }
        t_end(t);
        t_end(t);
    } else if (b->length == 12) {
        /* converted type INTERVAL goes before field 10, which isn't there */
        t_i32(t, 6, 21);
    }
    t_end(t);
}

static void put_bound_chunk(thrift *t, const bound *b)
{
    t_open(t);
    t_struct(t, 3);
    t_i32(t, 1, b->type);
    t_list(t, 2, WIRE_I32, 4);
    put_zigzag(&t->out, 8);
    put_zigzag(&t->out, 3);
    put_zigzag(&t->out, 8); /* said twice, told once */
    put_zigzag(&t->out, 77);
    t_i32(t, 4, 6);
    t_i64(t, 5, 10);
    t_i64(t, 6, 200);
    t_i64(t, 7, 100);
    t_i64(t, 9, 4);
    t_struct(t, 12);
    if (b->is_old) {
        t_bytes(t, 1, b->max, b->size);
        t_bytes(t, 2, b->min, b->size);
    }
    t_i64(t, 3, 4);
    t_i64(t, 4, 11); /* more distinct values than values: not told */
    if (!b->is_old) {
        t_bytes(t, 5, b->max, b->size);
        t_bytes(t, 6, b->min, b->size);
        t_bool(t, 7, true);
        t_bool(t, 8, false);
    }
    t_end(t);
    t_end(t);
    t_end(t);
}

Test(footer, bounds_are_told_only_where_the_rules_make_them_true)
{
    static const char nan32[] = "\x01\x00\x80\x7f", nan64[] = "\0\0\0\0\0\0\xf8\xff";
    static const bound list[] = {
        { 1, 0, 0, 0, 0, 1, false, "\1\0\0\0", "\2\0\0\0", 4, true },
        { 1, 0, 0, 0, 0, -1, false, "\1\0\0\0", "\2\0\0\0", 4, true }, /* signed in any order */
        { 1, 0, 0, 0, 0, 1, false, "\1\0\0", "\2\0\0", 3, false },     /* not a value */
        { 1, 0, 0, 0, 0, 9, false, "\1\0\0\0", "\2\0\0\0", 4, false }, /* order unknown */
        { 1, 0, 0, 0, 0, 1, true, "\1\0\0\0", "\2\0\0\0", 4, true },
        { 1, 0, 10, 32, false, 1, false, "\1\0\0\0", "\2\0\0\0", 4, true },
        { 1, 0, 10, 32, false, -1, false, "\1\0\0\0", "\2\0\0\0", 4, false },
        { 1, 0, 10, 32, false, 1, true, "\1\0\0\0", "\2\0\0\0", 4, false }, /* was signed */
        { 6, 0, 1, 0, 0, 1, false, "a", "b", 1, true },
        { 6, 0, 1, 0, 0, -1, false, "a", "b", 1, false },
        { 6, 0, 1, 0, 0, 1, true, "a", "b", 1, false },   /* PARQUET-251 */
        { 6, 0, 17, 0, 0, 1, false, "a", "b", 1, false }, /* GEOMETRY has no order */
        { 7, 12, 0, 0, 0, 1, false, "aaaaaaaaaaaa", "bbbbbbbbbbbb", 12, false }, /* INTERVAL */
        { 7, 16, 14, 0, 0, 1, false, "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", 16, true },
        { 3, 0, 0, 0, 0, 1, false, "aaaaaaaaaaaa", "bbbbbbbbbbbb", 12, false }, /* INT96 */
        { 3, 0, 0, 0, 0, 3, false, "aaaaaaaaaaaa", "bbbbbbbbbbbb", 12, true },
        { 4, 0, 0, 0, 0, 1, false, "\0\0\0\0", "\0\0\x80\x3f", 4, true },
        { 4, 0, 0, 0, 0, 1, false, "\0\0\0\0", nan32, 4, false },
        { 5, 0, 0, 0, 0, 1, false, nan64, "\0\0\0\0\0\0\0\0", 8, false },
        { 5, 0, 0, 0, 0, 2, false, "\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\xf0\x7f", 8, true },
        { 1, 0, 0, 0, 0, 2, false, "\1\0\0\0", "\2\0\0\0", 4, false }, /* not a float */
        { 7, 2, 15, 0, 0, 1, false, "\0\0", "\x01\x7e", 2, false },    /* FLOAT16 NaN */
        { 7, 2, 15, 0, 0, 1, false, "\0\0", "\0\x3c", 2, true },
        { 0, 0, 0, 0, 0, 1, false, "\0", "\1", 1, true },
        { 2, 0, 11, 0, 0, 1, false, "aaaaaaaa", "bbbbbbbb", 8, false }, /* all null */
    };
    const int count = sizeof list / sizeof *list;
    thrift t = { 0 };
    test_file f;

    t_list(&t, 2, WIRE_STRUCT, (size_t)count + 1);
    put_group(&t, "root", -1, count);
    for (int i = 0; i < count; i++)
        put_bound_leaf(&t, &list[i]);
    t_list(&t, 4, WIRE_STRUCT, 1);
    t_open(&t);
    t_list(&t, 1, WIRE_STRUCT, (size_t)count);
    for (int i = 0; i < count; i++)
        put_bound_chunk(&t, &list[i]);
    t_i64(&t, 2, 5000);
    t_i64(&t, 3, 10);
    t_end(&t);
    t_list(&t, 7, WIRE_STRUCT, (size_t)count);
    for (int i = 0; i < count; i++) {
        t_open(&t);
        if (list[i].order >= 0)
            t_empty(&t, list[i].order);
        t_end(&t);
    }
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    for (int i = 0; i < count; i++) {
        weir_chunk_info info = { .size = sizeof info };

        cr_assert_eq(weir_parquet_inform_chunk(&f.file, 0, i, &info, NULL), WEIR_OK);
        cr_expect_eq(info.has_bounds, list[i].wanted, "%d", i);
        if (info.has_bounds) {
            cr_expect_arr_eq(info.min.data, list[i].min, list[i].size);
            cr_expect_arr_eq(info.max.data, list[i].max, list[i].size);
        }
        cr_expect_eq(info.max_is_exact, list[i].wanted && !list[i].is_old, "%d", i);
        cr_expect_not(info.min_is_exact);
        cr_expect_str_eq(info.codec, "ZSTD");
        cr_expect_str_eq(info.encodings, "RLE_DICTIONARY, RLE, encoding 77");
        cr_expect_eq(info.values, 10);
        cr_expect_eq(info.nulls, 4);
        cr_expect_eq(info.distinct, -1);
        cr_expect_eq(info.offset, 4);
        cr_expect_eq(info.bytes, 100);
        cr_expect_eq(info.plain_bytes, 200);
    }
    test_file_close(&f);
    t_free(&t);
}

/* Facts as text, one after the other. */
static bool write_fact(void *user, const weir_fact *fact)
{
    static const char *const kinds[] = { "{", "[", ".", "i", "r", "b", "t", "x", "w" };
    char *out = user;
    const size_t used = strlen(out), room = 4096 - used;

    if (fact->kind == WEIR_FACT_INT || fact->kind == WEIR_FACT_BOOL)
        snprintf(out + used, room, "%s%s=%lld ", kinds[fact->kind], fact->name ? fact->name : "",
                 (long long)fact->number);
    else if (fact->kind == WEIR_FACT_REAL)
        snprintf(out + used, room, "%s%s=%g ", kinds[fact->kind], fact->name ? fact->name : "",
                 fact->real);
    else if (fact->kind >= WEIR_FACT_TEXT)
        snprintf(out + used, room, "%s%s=%.*s ", kinds[fact->kind], fact->name ? fact->name : "",
                 (int)fact->bytes.size, (const char *)fact->bytes.data);
    else
        snprintf(out + used, room, "%s%s ", kinds[fact->kind], fact->name ? fact->name : "");
    return used < 4000;
}

Test(footer, all_of_it_is_described_in_its_order)
{
    static char text[4096];
    const double real = 1.5;
    thrift t = { 0 };
    test_file f;

    t_i32(&t, 1, 2);
    t_list(&t, 2, WIRE_STRUCT, 2);
    put_group(&t, "root", -1, 1);
    t_open(&t);
    t_i32(&t, 1, 5);
    t_i32(&t, 3, 1);
    t_text(&t, 4, "fare");
    t_i32(&t, 6, 99);
    t_struct(&t, 10);
    t_struct(&t, 8);
    t_bool(&t, 1, false);
    t_struct(&t, 2);
    t_empty(&t, 2);
    t_end(&t);
    t_end(&t);
    t_end(&t);
    t_end(&t);
    t_list(&t, 4, WIRE_STRUCT, 0);
    t_field(&t, 40, WIRE_DOUBLE);
    put_raw(&t.out, &real, sizeof real);
    t_field(&t, 41, WIRE_MAP);
    put_byte(&t.out, 1);
    put_byte(&t.out, (uint32_t)WIRE_BINARY << 4 | WIRE_TRUE);
    put_raw(&t.out, "\1k\1", 3);
    t_list(&t, 42, WIRE_TRUE, 2);
    put_raw(&t.out, "\1\2", 2);
    t_i8(&t, 43, -4);
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_assert_eq(weir_parquet_describe(&f.file, write_fact, text, NULL), WEIR_OK);
    cr_expect_str_eq(text, "iversion=2 [schema "
                           "{ tname=root inum_children=1 . "
                           "{ wtype=DOUBLE wrepetition_type=OPTIONAL tname=fare "
                           "iconverted_type=99 {logicalType {TIMESTAMP bisAdjustedToUTC=0 "
                           "{unit {MICROS . . . . . . [row_groups . rfield 40=1.5 "
                           "[field 41 { xkey=k bvalue=1 . . [field 42 b=1 b=0 . ifield 43=-4 ");
    test_file_close(&f);
    t_free(&t);
}

static bool stop_at_three(void *user, const weir_fact *fact)
{
    (void)fact;
    return ++*(int *)user < 3;
}

Test(footer, a_visitor_ends_the_description)
{
    thrift t = { 0 };
    test_file f;
    int heard = 0;

    put_file(&t, 3, 3, 3);
    cr_assert_eq(test_file_open(&s, &f, NULL, &t, NULL), WEIR_OK);
    cr_expect_eq(weir_parquet_describe(&f.file, stop_at_three, &heard, NULL), WEIR_OK);
    cr_expect_eq(heard, 3);
    test_file_close(&f);
    t_free(&t);
}
