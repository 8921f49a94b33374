/* SPDX-License-Identifier: Apache-2.0
 * fuzz_scan.c: any bytes as the pages of a column chunk and its offset index, walked from its first
 * row and from one inside. */
#include "parquet_file.h"

#include "core/window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { /* bytes at the input's head */
    VALUES,
    ROWS,
    FROM,
    DATA_PAGE,
    DICTIONARY_PAGE,
    SIZE,
    CODEC,
    INDEX_SIZE,
    HEAD
};

static void put_column(thrift *t, const uint8_t *head, size_t pages, size_t index)
{
    t_open(t);
    t_i64(t, 2, 0);
    t_struct(t, 3);
    t_i32(t, 1, 1);
    t_i32(t, 4, head[CODEC] & 1);
    t_i64(t, 5, head[VALUES]);
    t_i64(t, 7, head[SIZE] ? (int64_t)head[SIZE] * 4 : (int64_t)pages);
    t_i64(t, 9, 4 + (head[DATA_PAGE] & 63));
    t_i64(t, 11, head[DICTIONARY_PAGE] & 63);
    t_end(t);
    t_i64(t, 4, 4 + (int64_t)pages);
    t_i32(t, 5, (int32_t)index);
    t_end(t);
}

static void put_footer(thrift *t, const uint8_t *head, size_t pages, size_t index)
{
    t_list(t, 2, WIRE_STRUCT, 2);
    put_group(t, "root", -1, 1);
    put_leaf(t, "x", 1, 1);
    t_list(t, 4, WIRE_STRUCT, 1);
    t_open(t);
    t_list(t, 1, WIRE_STRUCT, 1);
    put_column(t, head, pages, index);
    t_i64(t, 2, 0);
    t_i64(t, 3, head[ROWS]);
    t_end(t);
    t_end(t);
}

/* What holds of every page, whatever the file says. */
static void check_page(const weir_parquet_span *span, const weir_page *page, int64_t row)
{
    const weir_parquet_note note = weir_parquet_page_note(page);

    if (page->offset > span->file_end || page->packed_size > span->file_end - page->offset ||
        page->next < page->offset || page->bare_size > page->packed_size ||
        page->bare_size > page->plain_size || page->value_count < 0)
        abort();
    if (page->kind == WEIR_PAGE_DATA &&
        (page->first_row < row || page->row_count < 0 || page->value_count < page->row_count ||
         page->first_row + page->row_count > span->row_count ||
         note.first_value != page->first_row))
        abort();
}

static void walk(stage *s, const weir_span *span, int64_t from)
{
    const weir_parquet_span *own = span->own;
    weir_window window;
    weir_page page = { 0 };
    weir_status status;
    int64_t row = 0;

    weir_window_init(&window, span->group->file->source, s->memory, span->offset + span->size);
    while ((status = weir_parquet_scan(span, from, &page, &window, NULL)) == WEIR_OK &&
           page.kind != WEIR_PAGE_END) {
        check_page(own, &page, row);
        if (page.kind == WEIR_PAGE_DATA) {
            if (from == 0 && page.first_row != row)
                abort(); /* rows were left out */
            row = page.first_row + page.row_count;
        }
    }
    if (status == WEIR_OK && from == 0 && row != own->row_count)
        abort();
    weir_window_fini(&window);
}

static void enter(stage *s, test_file *f, int64_t from)
{
    weir_target target = { .from = weir_schema_leaf(f->file.schema, 0) };
    const weir_want want = { .targets = &target, .count = 1, .from = from };
    weir_group group = { .file = &f->file, .want = &want };
    weir_span *spans;
    size_t count;

    target.field = target.from;
    weir_parquet_group(&f->file, 0, &group);
    if (weir_parquet_enter(&group, &s->work, &spans, &count, NULL) != WEIR_OK)
        return;
    walk(s, &spans[0], from);
    weir_parquet_leave(&group, spans, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stage s;
    test_file f;
    thrift footer = { 0 };
    bytes body = { 0 };
    size_t index;

    if (size < HEAD)
        return 0;
    index = data[INDEX_SIZE] < size - HEAD ? data[INDEX_SIZE] : 0;
    stage_open(&s);
    put_raw(&body, data + HEAD, size - HEAD);
    put_footer(&footer, data, size - HEAD - index, index);
    if (test_file_open(&s, &f, &body, &footer, NULL) == WEIR_OK) {
        enter(&s, &f, 0);
        enter(&s, &f, data[FROM]);
    }
    test_file_close(&f);
    bytes_free(&body);
    t_free(&footer);
    stage_close(&s);
    return 0;
}
