/* SPDX-License-Identifier: Apache-2.0
 * test_scan.c: column chunks to pages: what a walk finds, passes over, and refuses, and where the
 * offset index leads it. */
#include "parquet_file.h"

#include "core/window.h"

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

TestSuite(scan, .init = setup, .fini = teardown);

/* One INT32 column of one row group: pages, then what the footer says of them. */
typedef struct chunk {
    bytes pages; /* from offset 4 on */
    int64_t values, rows;
    int64_t data_page, dictionary_page; /* -1: not said */
    int64_t size;                       /* -1: what the pages have */
    int codec;
    bytes index; /* an offset index, to lie after the pages; empty: none */
    const char *writer;
    int encoding; /* as the footer lists it */
} chunk;

static chunk new_chunk(int64_t values)
{
    return (chunk){
        .values = values, .rows = values, .data_page = 4, .dictionary_page = -1, .size = -1
    };
}

static void free_chunk(chunk *c)
{
    bytes_free(&c->pages);
    bytes_free(&c->index);
}

/* Appends a page: its header, made by the caller in `t`, and `size` bytes of body. */
static void put_page(chunk *c, thrift *t, size_t size)
{
    t_end(t);
    put_raw(&c->pages, t->out.data, t->out.size);
    for (size_t i = 0; i < size; i++)
        put_byte(&c->pages, 0xaa);
    t_free(t);
}

static void put_data(chunk *c, int32_t values, int32_t size)
{
    thrift t = { 0 };

    t_i32(&t, 1, 0);
    t_i32(&t, 2, size + 3);
    t_i32(&t, 3, size);
    t_struct(&t, 5);
    t_i32(&t, 1, values);
    t_i32(&t, 2, 0);
    t_i32(&t, 3, 3);
    t_i32(&t, 4, 4);
    t_end(&t);
    put_page(c, &t, (size_t)size);
}

static void put_data_v2(chunk *c, int32_t values, int32_t plain, int32_t packed, int32_t levels,
                        int is_compressed)
{
    thrift t = { 0 };

    t_i32(&t, 1, 3);
    t_i32(&t, 2, plain);
    t_i32(&t, 3, packed);
    t_i32(&t, 4, -2);
    t_struct(&t, 8);
    t_i32(&t, 1, values);
    t_i32(&t, 2, 1);
    t_i32(&t, 3, values);
    t_i32(&t, 4, 5);
    t_i32(&t, 5, levels);
    t_i32(&t, 6, 0);
    if (is_compressed >= 0)
        t_bool(&t, 7, is_compressed);
    t_end(&t);
    put_page(c, &t, (size_t)packed);
}

static void put_dictionary(chunk *c, int32_t values, int32_t size)
{
    thrift t = { 0 };

    t_i32(&t, 1, 2);
    t_i32(&t, 2, size);
    t_i32(&t, 3, size);
    t_struct(&t, 7);
    t_i32(&t, 1, values);
    t_i32(&t, 2, 2);
    t_end(&t);
    put_page(c, &t, (size_t)size);
}

/* A page of a type that a reader passes over. */
static void put_other(chunk *c, int32_t type, int32_t size)
{
    thrift t = { 0 };

    t_i32(&t, 1, type);
    t_i32(&t, 2, size);
    t_i32(&t, 3, size);
    t_empty(&t, 6);
    put_page(c, &t, (size_t)size);
}

typedef struct place {
    int64_t offset;
    int32_t size;
    int64_t row;
} place;

static void put_index(chunk *c, const place *places, size_t count)
{
    thrift t = { 0 };

    t_list(&t, 1, WIRE_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        t_open(&t);
        t_i64(&t, 1, places[i].offset);
        t_i32(&t, 2, places[i].size);
        t_i64(&t, 3, places[i].row);
        t_end(&t);
    }
    t_end(&t);
    put_raw(&c->index, t.out.data, t.out.size);
    t_free(&t);
}

/* ---- the file around it, entered ---- */

typedef struct scene {
    test_file f;
    weir_target target;
    weir_want want;
    weir_group group;
    weir_span *spans;
    size_t count;
    weir_window window;
} scene;

static void put_meta(thrift *t, const chunk *c)
{
    t_i32(t, 1, 1);
    t_list(t, 2, WIRE_I32, 1);
    put_zigzag(&t->out, c->encoding);
    t_i32(t, 4, c->codec);
    t_i64(t, 5, c->values);
    t_i64(t, 6, 1000);
    t_i64(t, 7, c->size >= 0 ? c->size : (int64_t)c->pages.size);
    t_i64(t, 9, c->data_page);
    if (c->dictionary_page >= 0)
        t_i64(t, 11, c->dictionary_page);
}

static weir_status enter(scene *z, const chunk *c, int64_t from, weir_error *err)
{
    thrift t = { 0 };
    bytes body = { 0 };
    weir_status status;

    *z = (scene){ 0 };
    put_raw(&body, c->pages.data, c->pages.size);
    put_raw(&body, c->index.data, c->index.size);
    t_list(&t, 2, WIRE_STRUCT, 2);
    put_group(&t, "root", -1, 1);
    put_leaf(&t, "fare", 1, 1);
    t_list(&t, 4, WIRE_STRUCT, 1);
    t_open(&t);
    t_list(&t, 1, WIRE_STRUCT, 1);
    t_open(&t);
    t_i64(&t, 2, 0);
    t_struct(&t, 3);
    put_meta(&t, c);
    t_end(&t);
    if (c->index.size) {
        t_i64(&t, 4, 4 + (int64_t)c->pages.size);
        t_i32(&t, 5, (int32_t)c->index.size);
    }
    t_end(&t);
    t_i64(&t, 2, 0);
    t_i64(&t, 3, c->rows);
    t_end(&t);
    t_text(&t, 6, c->writer ? c->writer : "test");
    t_end(&t);
    cr_assert_eq(test_file_open(&s, &z->f, &body, &t, err), WEIR_OK);
    t_free(&t);
    bytes_free(&body);
    z->target.from = z->target.field = weir_schema_leaf(z->f.file.schema, 0);
    z->want = (weir_want){ .targets = &z->target, .count = 1, .from = from };
    z->group = (weir_group){ .file = &z->f.file, .want = &z->want };
    weir_parquet_group(&z->f.file, 0, &z->group);
    status = weir_parquet_enter(&z->group, &s.work, &z->spans, &z->count, err);
    if (status == WEIR_OK) {
        cr_assert_eq(z->count, 1);
        weir_window_init(&z->window, z->f.file.source, s.memory,
                         z->spans[0].offset + z->spans[0].size);
    }
    return status;
}

static void leave(scene *z)
{
    weir_window_fini(&z->window);
    weir_parquet_leave(&z->group, z->spans, z->count);
    test_file_close(&z->f);
}

static weir_status next(scene *z, int64_t from, weir_page *page, weir_error *err)
{
    return weir_parquet_scan(z->spans, from, page, &z->window, err);
}

/* Walks to the end; the sum of the pages' rows, and how the walk ended. */
static weir_status walk(const chunk *c, int64_t *rows, int *pages, weir_error *err)
{
    scene z;
    weir_page page = { 0 };
    weir_status status;

    *rows = 0;
    *pages = 0;
    status = enter(&z, c, 0, err);
    while (status == WEIR_OK) {
        status = next(&z, 0, &page, err);
        if (status != WEIR_OK || page.kind == WEIR_PAGE_END)
            break;
        if (page.kind == WEIR_PAGE_DATA) {
            cr_expect_eq(page.first_row, *rows);
            cr_expect_eq(page.ordinal, (uint32_t)*pages);
            *rows += page.row_count;
            ++*pages;
        }
    }
    leave(&z);
    return status;
}

static void expect_rows(const chunk *c, int64_t wanted_rows, int wanted_pages)
{
    int64_t rows;
    int pages;
    weir_error err = { 0 };

    cr_expect_eq(walk(c, &rows, &pages, &err), WEIR_OK, "%s", err.text);
    cr_expect_eq(rows, wanted_rows, "%lld rows", (long long)rows);
    cr_expect_eq(pages, wanted_pages, "%d pages", pages);
}

/* The rows before the trouble come out. */
static void expect_corrupt(const chunk *c, int64_t wanted_rows, const char *words)
{
    int64_t rows;
    int pages;
    weir_error err = { 0 };

    cr_expect_eq(walk(c, &rows, &pages, &err), WEIR_CORRUPT, "%s", words);
    cr_expect_eq(rows, wanted_rows, "%s: %lld rows", words, (long long)rows);
    cr_expect_not_null(strstr(err.text, words), "%s, not %s", err.text, words);
}

Test(scan, a_page_says_all_that_its_header_does)
{
    chunk c = new_chunk(30);
    scene z;
    weir_page page = { 0 };
    weir_parquet_note note;
    const weir_parquet_span *own;

    c.codec = 1;
    put_data(&c, 10, 50);
    put_data_v2(&c, 20, 70, 60, 6, -1);
    cr_assert_eq(enter(&z, &c, 0, NULL), WEIR_OK);
    own = z.spans[0].own;
    cr_expect_eq(z.spans[0].flags, WEIR_SPAN_ANY_ROW);
    cr_expect_eq(z.spans[0].column_count, 1);
    cr_expect_eq(z.spans[0].columns[0], 0);
    cr_expect_eq(z.spans[0].offset, 4);
    cr_expect_eq(z.spans[0].size, c.pages.size);
    cr_assert_not_null(own->chain);
    cr_expect_eq(own->chain->count, 1);
    cr_expect_eq(own->chain->steps[0].wire_id, 1);

    cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
    note = weir_parquet_page_note(&page);
    cr_expect_eq(page.kind, WEIR_PAGE_DATA);
    cr_expect_eq(page.value_count, 10);
    cr_expect_eq(page.row_count, 10);
    cr_expect_eq(page.packed_size, 50);
    cr_expect_eq(page.plain_size, 53);
    cr_expect_eq(page.bare_size, 0);
    cr_expect_eq(page.next, page.offset + 50);
    cr_expect_eq(page.sum_kind, WEIR_SUM_NONE);
    cr_expect_eq(page.chain, own->chain);
    cr_expect_eq(note.encoding, 0);
    cr_expect_eq(note.version, 1);
    cr_expect_eq(note.definition_encoding, WEIR_PARQUET_RLE);
    cr_expect_eq(note.repetition_encoding, WEIR_PARQUET_BIT_PACKED);
    cr_expect_eq(note.null_count, -1);
    cr_expect_eq(note.first_value, 0);

    cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
    note = weir_parquet_page_note(&page);
    cr_expect_eq(page.ordinal, 1);
    cr_expect_eq(page.first_row, 10);
    cr_expect_eq(page.value_count, 20);
    cr_expect_eq(page.bare_size, 6);
    cr_expect_eq(page.packed_size, 60);
    cr_expect_eq(page.plain_size, 70);
    cr_expect_eq(page.sum_kind, WEIR_SUM_CRC32);
    cr_expect_eq(page.sum, 0xfffffffe);
    cr_expect_eq(page.chain, own->chain);
    cr_expect_eq(note.version, 2);
    cr_expect_eq(note.encoding, 5);
    cr_expect_eq(note.definition_size, 6);
    cr_expect_eq(note.repetition_size, 0);
    cr_expect_eq(note.null_count, 1);
    cr_expect_eq(note.first_value, 10);

    cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
    cr_expect_eq(page.kind, WEIR_PAGE_END);
    cr_expect_eq(page.next, 4 + c.pages.size);
    leave(&z);
    free_chunk(&c);
}

/* Compressed unless it says otherwise; what says otherwise lies where the two sizes differ. */
Test(scan, a_v2_page_goes_through_the_codec_only_where_one_was)
{
    static const struct {
        int plain, packed, levels, is_compressed;
        bool wanted;
    } list[] = { { 60, 60, 6, -1, true }, { 60, 60, 6, 1, true },  { 60, 60, 6, 0, false },
                 { 61, 60, 6, 0, true },  { 60, 6, 6, -1, false }, { 6, 6, 6, 1, false },
                 { 6, 15, 6, 1, true } };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        chunk c = new_chunk(5);
        scene z;
        weir_page page = { 0 };

        c.codec = 6;
        put_data_v2(&c, 5, list[i].plain, list[i].packed, list[i].levels, list[i].is_compressed);
        cr_assert_eq(enter(&z, &c, 0, NULL), WEIR_OK);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
        cr_expect_eq(page.chain != NULL, list[i].wanted, "%zu", i);
        leave(&z);
        free_chunk(&c);
    }
}

/* Offsets that are 0, equal, after the data page, inside the dictionary, or not there at all. */
Test(scan, a_dictionary_is_found_wherever_the_footer_thinks_it_is)
{
    static const struct {
        int64_t data, dictionary;
    } list[] = { { 40, 4 }, { 4, -1 }, { 4, 0 }, { 4, 4 }, { 4, 40 }, { 9, 4 } };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        chunk c = new_chunk(12);
        scene z;
        weir_page page = { 0 };

        put_dictionary(&c, 7, 28);
        put_data(&c, 12, 9);
        c.data_page = list[i].data;
        c.dictionary_page = list[i].dictionary;
        cr_assert_eq(enter(&z, &c, 0, NULL), WEIR_OK);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK, "%zu", i);
        cr_expect_eq(page.kind, WEIR_PAGE_SHARED);
        cr_expect_eq(page.value_count, 7);
        cr_expect_eq(page.row_count, 0);
        cr_expect_eq(weir_parquet_page_note(&page).encoding, WEIR_PARQUET_PLAIN_DICTIONARY);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK, "%zu", i);
        cr_expect_eq(page.kind, WEIR_PAGE_DATA);
        cr_expect_eq(page.ordinal, 0);
        cr_expect_eq(page.first_row, 0);
        cr_expect(weir_parquet_page_note(&page).has_dictionary);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
        cr_expect_eq(page.kind, WEIR_PAGE_END);
        leave(&z);
        free_chunk(&c);
    }
}

Test(scan, a_second_or_late_dictionary_is_corrupt_at_its_row)
{
    chunk c = new_chunk(20);

    put_dictionary(&c, 7, 28);
    put_data(&c, 10, 9);
    put_dictionary(&c, 7, 28);
    put_data(&c, 10, 9);
    expect_corrupt(&c, 10, "second dictionary");
    free_chunk(&c);

    c = new_chunk(20);
    put_data(&c, 10, 9);
    put_dictionary(&c, 7, 28);
    put_data(&c, 10, 9);
    expect_corrupt(&c, 10, "after data pages");
    free_chunk(&c);
}

Test(scan, pages_without_values_and_of_other_kinds_are_passed_over)
{
    chunk c = new_chunk(30);

    put_dictionary(&c, 0, 0); /* no bytes: nothing to share */
    put_other(&c, 1, 11);     /* of an index */
    put_data(&c, 0, 5);
    put_data(&c, 10, 9);
    put_other(&c, 44, 3); /* from the future */
    put_data_v2(&c, 0, 0, 0, 0, -1);
    put_data(&c, 20, 9);
    put_other(&c, 1, 100);
    /* Ordinals count every data page, also those without values. */
    {
        scene z;
        weir_page page = { 0 };

        cr_assert_eq(enter(&z, &c, 0, NULL), WEIR_OK);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
        cr_expect_eq(page.ordinal, 1);
        cr_expect_eq(page.row_count, 10);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
        cr_expect_eq(page.ordinal, 3);
        cr_expect_eq(page.first_row, 10);
        cr_assert_eq(next(&z, 0, &page, NULL), WEIR_OK);
        cr_expect_eq(page.kind, WEIR_PAGE_END);
        leave(&z);
    }
    free_chunk(&c);
}

Test(scan, a_chunk_is_over_by_its_values_not_by_its_size)
{
    chunk c = new_chunk(20);

    put_data(&c, 10, 9);
    put_data(&c, 10, 40);
    put_data(&c, 10, 9); /* the next column's */
    c.size = (int64_t)c.pages.size;
    expect_rows(&c, 20, 2);
    free_chunk(&c);

    c = new_chunk(20);
    put_dictionary(&c, 3, 12);
    put_data(&c, 10, 9);
    put_data(&c, 10, 40);
    c.size = (int64_t)c.pages.size - 15; /* as if the dictionary had no header */
    expect_rows(&c, 20, 2);
    c.size = 0; /* says nothing */
    expect_rows(&c, 20, 2);
    free_chunk(&c);
}

Test(scan, the_next_columns_pages_are_not_taken_for_its_own)
{
    chunk c = new_chunk(20);

    put_data(&c, 10, 9);
    c.size = (int64_t)c.pages.size;
    put_data(&c, 10, 9);
    expect_corrupt(&c, 10, "after 10 of the row group's 20 rows");
    free_chunk(&c);
}

Test(scan, rows_that_are_missing_or_too_many_are_corrupt_where_they_are)
{
    chunk c = new_chunk(30);

    put_data(&c, 10, 9);
    expect_corrupt(&c, 10, "after 10 of the row group's 30 rows");
    c.values = 10; /* the footer says so, too */
    expect_corrupt(&c, 10, "after 10 of the row group's 30 rows");
    c.rows = 7; /* a page that goes on past the group */
    expect_corrupt(&c, 7, "its row group 7 rows");
    c.rows = 10;
    expect_rows(&c, 10, 1);
    put_data(&c, 5, 9); /* and a page beyond both: nobody asks for it */
    expect_rows(&c, 10, 1);
    c.values = 15;
    expect_corrupt(&c, 10, "beyond the row group's 10 rows");
    free_chunk(&c);

    c = new_chunk(8); /* more slots in the page than the chunk has values */
    put_data(&c, 10, 9);
    expect_rows(&c, 8, 1);
    free_chunk(&c);

    c = new_chunk(0); /* nothing to read: offsets may be anything */
    c.data_page = INT64_MAX;
    expect_rows(&c, 0, 0);
    c.rows = 3;
    expect_corrupt(&c, 0, "after 0 of the row group's 3 rows");
    free_chunk(&c);
}

Test(scan, headers_that_make_no_sense_are_corrupt_at_their_row)
{
    static const struct {
        int32_t type, plain, packed, field, values, definition, repetition;
        const char *words;
    } list[] = {
        { 0, -1, 10, 5, 1, 0, 0, "sizes" },
        { 0, 10, -1, 5, 1, 0, 0, "sizes" },
        { 0, 10, INT32_MAX, 5, 1, 0, 0, "beyond the pages' end" },
        { 1, 10, INT32_MAX, 6, 1, 0, 0, "beyond the pages' end" },
        { 0, 10, 10, 5, -5, 0, 0, "-5 values" },
        { 2, 10, 10, 7, -5, 0, 0, "-5 values" },
        { 0, 10, 10, 8, 1, 0, 0, "lacks" },
        { 3, 10, 10, 5, 1, 0, 0, "lacks" },
        { 3, 10, 10, 8, 1, -1, 0, "levels" },
        { 3, 10, 10, 8, 1, 0, -1, "levels" },
        { 3, 10, 10, 8, 1, 6, 5, "levels" },
        { 3, 9, 20, 8, 1, 6, 5, "levels" },
        { 3, 10, 10, 8, 1, INT32_MAX, INT32_MAX, "levels" },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        chunk c = new_chunk(20);
        thrift t = { 0 };

        put_data(&c, 10, 9);
        t_i32(&t, 1, list[i].type);
        t_i32(&t, 2, list[i].plain);
        t_i32(&t, 3, list[i].packed);
        t_struct(&t, list[i].field);
        t_i32(&t, 1, list[i].values);
        if (list[i].field == 8) {
            t_i32(&t, 5, list[i].definition);
            t_i32(&t, 6, list[i].repetition);
        }
        t_end(&t);
        put_page(&c, &t, 20);
        expect_corrupt(&c, list[i].type == 2 ? 10 : 10, list[i].words);
        free_chunk(&c);
    }
}

Test(scan, a_header_cut_by_the_end_of_the_pages_is_corrupt)
{
    chunk whole = new_chunk(20);

    put_data(&whole, 10, 0);
    put_data(&whole, 10, 0);
    for (size_t size = whole.pages.size / 2 + 1; size < whole.pages.size; size++) {
        chunk c = new_chunk(20);

        put_raw(&c.pages, whole.pages.data, size);
        expect_corrupt(&c, 10, "page header");
        free_chunk(&c);
    }
    free_chunk(&whole);
}

/* A header may hold statistics of any length: here more than the window reads at once. */
Test(scan, a_header_of_600_kilobytes_is_read)
{
    enum {
        LONG = 300000
    };
    static uint8_t text[LONG];
    chunk c = new_chunk(10);
    thrift t = { 0 };

    t_i32(&t, 1, 0);
    t_i32(&t, 2, 4);
    t_i32(&t, 3, 4);
    t_struct(&t, 5);
    t_i32(&t, 1, 10);
    t_i32(&t, 2, 0);
    t_struct(&t, 5);
    t_bytes(&t, 1, text, LONG);
    t_bytes(&t, 2, text, LONG);
    t_end(&t);
    t_end(&t);
    put_page(&c, &t, 4);
    expect_rows(&c, 10, 1);
    free_chunk(&c);
}

Test(scan, more_pages_than_16_bits_count)
{
    chunk c = new_chunk(70000);

    for (int i = 0; i < 70000; i++)
        put_data(&c, 1, 1);
    expect_rows(&c, 70000, 70000);
    free_chunk(&c);
}

Test(scan, old_writers_prefixes_make_pages_depend_on_each_other)
{
    chunk c = new_chunk(10);
    scene z;

    put_data(&c, 10, 9);
    c.writer = "parquet-mr version 1.6.0";
    c.encoding = WEIR_PARQUET_DELTA_BYTE_ARRAY;
    cr_assert_eq(enter(&z, &c, 0, NULL), WEIR_OK);
    cr_expect_eq(z.spans[0].flags, 0);
    cr_expect(((const weir_parquet_span *)z.spans[0].own)->carries_prefix);
    leave(&z);
    free_chunk(&c);
}

Test(scan, columns_that_cannot_be_entered_say_which_and_why)
{
    static const struct {
        int codec;
        int64_t data_page;
        weir_status status;
        const char *words;
    } list[] = {
        { 99, 4, WEIR_NO_CODEC, "fare" },
        { -5, 4, WEIR_CORRUPT, "`fare`: it has codec -5" },
        { 0, 0, WEIR_CORRUPT, "`fare`: its pages begin at 0" },
        { 0, -9, WEIR_CORRUPT, "`fare`: its pages begin at -9" },
        { 0, INT64_MAX, WEIR_CORRUPT, "`fare`: its pages begin at" },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        chunk c = new_chunk(10);
        scene z;
        weir_error err = { 0 };

        put_data(&c, 10, 9);
        c.codec = list[i].codec;
        c.data_page = list[i].data_page;
        cr_expect_eq(enter(&z, &c, 0, &err), list[i].status, "%zu", i);
        cr_expect_not_null(strstr(err.text, list[i].words), "%s, not %s", err.text, list[i].words);
        leave(&z);
        free_chunk(&c);
    }
}

/* ---- from a row on ---- */

enum {
    PAGES = 40,
    ROWS = 100,
    BODY = 30
};

/* PAGES pages of ROWS rows; `header` is the size of each with its header. */
static chunk many_pages(bool has_dictionary, place *places)
{
    chunk c = new_chunk((int64_t)PAGES * ROWS);

    if (has_dictionary)
        put_dictionary(&c, 7, 28);
    for (int i = 0; i < PAGES; i++) {
        places[i].offset = 4 + (int64_t)c.pages.size;
        places[i].row = (int64_t)i * ROWS;
        put_data(&c, ROWS, BODY);
        places[i].size = (int32_t)(4 + (int64_t)c.pages.size - places[i].offset);
    }
    return c;
}

/* The first page for row `from` begins at row `first`, whatever is in the way. */
static void expect_start(const chunk *c, int64_t from, bool has_places, bool has_dictionary)
{
    scene z;
    weir_page page = { 0 };
    weir_error err = { 0 };

    cr_assert_eq(enter(&z, c, from, &err), WEIR_OK, "%s", err.text);
    cr_expect_eq(((const weir_parquet_span *)z.spans[0].own)->places != NULL, has_places,
                 "from %lld", (long long)from);
    cr_assert_eq(next(&z, from, &page, &err), WEIR_OK, "%s", err.text);
    if (has_dictionary) {
        cr_expect_eq(page.kind, WEIR_PAGE_SHARED);
        cr_assert_eq(next(&z, from, &page, &err), WEIR_OK, "%s", err.text);
    }
    cr_assert_eq(page.kind, WEIR_PAGE_DATA);
    cr_expect_eq(page.first_row, from / ROWS * ROWS);
    cr_expect_eq(page.ordinal, (uint32_t)(from / ROWS));
    cr_expect_eq(weir_parquet_page_note(&page).first_value, page.first_row);
    cr_expect_eq(weir_parquet_page_note(&page).has_dictionary, has_dictionary);
    for (int64_t row = from / ROWS * ROWS; page.kind != WEIR_PAGE_END; row += ROWS) {
        cr_expect_eq(page.first_row, row);
        cr_assert_eq(next(&z, from, &page, &err), WEIR_OK, "%s", err.text);
    }
    leave(&z);
}

Test(scan, rows_before_the_first_wanted_are_passed_over_with_and_without_an_index)
{
    for (int has_dictionary = 0; has_dictionary < 2; has_dictionary++)
        for (int has_index = 0; has_index < 2; has_index++) {
            place places[PAGES];
            chunk c = many_pages(has_dictionary, places);

            if (has_index)
                put_index(&c, places, PAGES);
            for (int64_t from = 1; from < (int64_t)PAGES * ROWS; from += 57)
                expect_start(&c, from, has_index, has_dictionary);
            expect_start(&c, (int64_t)PAGES * ROWS - 1, has_index, has_dictionary);
            free_chunk(&c);
        }
}

/* An index whose anchor, order, places or sizes are wrong isn't used at all. */
Test(scan, an_index_that_is_odd_is_left_alone)
{
    for (int kind = 0; kind < 8; kind++) {
        place places[PAGES];
        chunk c = many_pages(false, places);
        size_t count = PAGES;

        switch (kind) {
        case 0:
            places[0].row = 1;
            break;
        case 1:
            places[7].row = places[6].row;
            break;
        case 2:
            places[PAGES - 1].row = (int64_t)PAGES * ROWS;
            break;
        case 3:
            places[5].offset = INT64_MAX;
            break;
        case 4:
            places[5].offset = places[4].offset;
            break;
        case 5:
            places[3].size = -1;
            break;
        case 6:
            places[0].offset = 1;
            break;
        default:
            count = 0; /* as some write for a column of nulls */
        }
        put_index(&c, places, count);
        expect_start(&c, 2345, false, false);
        free_chunk(&c);
    }
}

/* Rows or offsets that are shifted in the middle look fine: the pages tell. */
Test(scan, an_index_that_lies_leads_nowhere)
{
    for (int kind = 0; kind < 3; kind++) {
        place places[PAGES];
        chunk c = many_pages(true, places);

        for (int i = 20; i < 30; i++)
            if (kind == 0)
                places[i].row += i == 20 ? 1 : i == 21 ? 2 : 3;
            else if (kind == 1)
                places[i].offset += 2; /* into a header */
            else
                places[i].row += i % 2 ? 5 : 0;
        for (int i = 20; i < 30; i++)
            places[i].size = 20;
        put_index(&c, places, PAGES);
        for (int64_t from = 2001; from < 2400; from += 37)
            expect_start(&c, from, true, true);
        free_chunk(&c);
    }
}

Test(scan, an_index_that_is_cut_or_outside_is_left_alone)
{
    place places[PAGES];
    chunk c = many_pages(false, places);
    bytes whole;

    put_index(&c, places, PAGES);
    whole = c.index;
    for (size_t size = 1; size < whole.size; size += 13) {
        c.index = (bytes){ 0 };
        put_raw(&c.index, whole.data, size);
        expect_start(&c, 2345, false, false);
        bytes_free(&c.index);
    }
    c.index = whole;
    free_chunk(&c);
}

/* What is read of a chunk of 8 MB when one row near its end is wanted. */
Test(scan, an_index_saves_reading)
{
    uint64_t bytes_read[2];

    for (int has_index = 0; has_index < 2; has_index++) {
        enum {
            BIG = 100000,
            COUNT = 80
        };
        place places[COUNT];
        chunk c = new_chunk(COUNT * 10);
        scene z;
        weir_page page = { 0 };

        for (int i = 0; i < COUNT; i++) {
            places[i].offset = 4 + (int64_t)c.pages.size;
            places[i].row = i * 10;
            put_data(&c, 10, BIG);
            places[i].size = (int32_t)(4 + (int64_t)c.pages.size - places[i].offset);
        }
        if (has_index)
            put_index(&c, places, COUNT);
        cr_assert_eq(enter(&z, &c, 795, NULL), WEIR_OK);
        cr_assert_eq(next(&z, 795, &page, NULL), WEIR_OK);
        cr_expect_eq(page.first_row, 790);
        bytes_read[has_index] = z.window.bytes_read;
        leave(&z);
        free_chunk(&c);
    }
    cr_expect_lt(bytes_read[1], 1000000, "%llu bytes", (unsigned long long)bytes_read[1]);
    cr_expect_gt(bytes_read[0], bytes_read[1]);
}
