/* SPDX-License-Identifier: Apache-2.0
 * pages.h: columns of every type as pages of every encoding and version, written by hand, and the
 * rows that a cursor gives compared with them. */
#ifndef WEIR_PARQUET_TEST_PAGES_H
#define WEIR_PARQUET_TEST_PAGES_H

#include "core/bits.h"
#include "encode.h"
#include "guard.h"
#include "rig.h"

#include <weir/value.h>

#include <criterion/criterion.h>

enum {
    MOST = 9000,
    WIDEST = 48
};

/* A column's values: row by row, `size` bytes of each; a null has none. */
typedef struct table {
    int64_t rows;
    bool is_null[MOST];
    uint8_t value[MOST][WIDEST];
    uint8_t size[MOST];
} table;

typedef struct way {
    weir_parquet_type type;
    int32_t encoding;
    uint32_t width;
} way;

static const way ways[] = {
    { WEIR_PARQUET_BOOLEAN, WEIR_PARQUET_PLAIN, 0 },
    { WEIR_PARQUET_BOOLEAN, WEIR_PARQUET_RLE, 0 },
    { WEIR_PARQUET_BOOLEAN, WEIR_PARQUET_RLE_DICTIONARY, 0 },
    { WEIR_PARQUET_INT32, WEIR_PARQUET_PLAIN, 4 },
    { WEIR_PARQUET_INT32, WEIR_PARQUET_PLAIN_DICTIONARY, 4 },
    { WEIR_PARQUET_INT32, WEIR_PARQUET_DELTA_BINARY_PACKED, 4 },
    { WEIR_PARQUET_INT32, WEIR_PARQUET_BYTE_STREAM_SPLIT, 4 },
    { WEIR_PARQUET_INT64, WEIR_PARQUET_PLAIN, 8 },
    { WEIR_PARQUET_INT64, WEIR_PARQUET_RLE_DICTIONARY, 8 },
    { WEIR_PARQUET_INT64, WEIR_PARQUET_DELTA_BINARY_PACKED, 8 },
    { WEIR_PARQUET_INT64, WEIR_PARQUET_BYTE_STREAM_SPLIT, 8 },
    { WEIR_PARQUET_INT96, WEIR_PARQUET_PLAIN, 12 },
    { WEIR_PARQUET_INT96, WEIR_PARQUET_PLAIN_DICTIONARY, 12 },
    { WEIR_PARQUET_FLOAT, WEIR_PARQUET_PLAIN, 4 },
    { WEIR_PARQUET_FLOAT, WEIR_PARQUET_RLE_DICTIONARY, 4 },
    { WEIR_PARQUET_FLOAT, WEIR_PARQUET_BYTE_STREAM_SPLIT, 4 },
    { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 },
    { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_RLE_DICTIONARY, 8 },
    { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_BYTE_STREAM_SPLIT, 8 },
    { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_PLAIN, 0 },
    { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_RLE_DICTIONARY, 0 },
    { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY, 0 },
    { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_DELTA_BYTE_ARRAY, 0 },
    { WEIR_PARQUET_FIXED, WEIR_PARQUET_PLAIN, 5 },
    { WEIR_PARQUET_FIXED, WEIR_PARQUET_RLE_DICTIONARY, 16 },
    { WEIR_PARQUET_FIXED, WEIR_PARQUET_DELTA_BYTE_ARRAY, 7 },
    { WEIR_PARQUET_FIXED, WEIR_PARQUET_BYTE_STREAM_SPLIT, 3 },
};
enum {
    WAY_COUNT = sizeof ways / sizeof *ways
};

/* Twenty different values at most, so that one set serves dictionaries as well. */
static inline void make_value(table *t, const way *w, int64_t row, uint64_t pick)
{
    uint64_t seed = pick + 1;
    const bool is_bytes = w->type == WEIR_PARQUET_BYTE_ARRAY;
    const uint32_t width = w->type == WEIR_PARQUET_BOOLEAN ? 1 : w->width;
    const size_t shared = pick % 5 * (is_bytes ? 9 : 1);

    t->size[row] = (uint8_t)(is_bytes ? pick * 7 % WIDEST : width);
    for (size_t i = 0; i < t->size[row]; i++)
        t->value[row][i] = (uint8_t)(i < shared ? 'a' + i : draw(&seed) & 0xff);
    if (w->type == WEIR_PARQUET_BOOLEAN)
        t->value[row][0] = pick & 1;
}

typedef enum nulls {
    NO_NULLS,
    SOME_NULLS,
    ALL_NULLS,
    NULLS_AT_THE_TAIL,
    NULLS_KINDS
} nulls;

static inline void make_table(table *t, const way *w, int64_t rows, nulls kind, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->rows = rows;
    for (int64_t row = 0; row < rows; row++) {
        t->is_null[row] = kind == ALL_NULLS || (kind == SOME_NULLS && draw(&seed) % 3 == 0) ||
                          (kind == NULLS_AT_THE_TAIL && row > rows * 2 / 3);
        make_value(t, w, row, draw(&seed) % 20);
    }
}

/* ---- writing ---- */

static inline void put_plain(bytes *b, const way *w, const uint8_t *value, size_t size)
{
    if (w->type == WEIR_PARQUET_BOOLEAN) {
        put_bits(b, value[0], 1);
        return;
    }
    if (w->type == WEIR_PARQUET_BYTE_ARRAY)
        put_u32(b, (uint32_t)size);
    put_raw(b, value, size);
}

static inline void put_delta_values(bytes *b, const way *w, const table *t, const int64_t *rows,
                                    size_t n)
{
    uint64_t *values = calloc(n + 1, sizeof *values);

    for (size_t i = 0; i < n; i++)
        memcpy(values + i, t->value[rows[i]], w->width);
    put_delta(b, values, n, w->width * 8, (delta_shape){ 128, 4, n % 2 == 0, 99 });
    free(values);
}

/* The same `prefix` rule for all: as long as it can be. `before` is the value before the first. */
static inline void put_strings(bytes *b, const table *t, const int64_t *rows, size_t n,
                               bool has_prefixes, int64_t before)
{
    uint64_t *prefix = calloc(n + 1, sizeof *prefix), *rest = calloc(n + 1, sizeof *rest);
    const delta_shape shape = { 128, 4, false, 0 };

    for (size_t i = 0; i < n; i++) {
        const int64_t last = i ? rows[i - 1] : before;

        while (has_prefixes && last >= 0 && prefix[i] < t->size[last] &&
               prefix[i] < t->size[rows[i]] &&
               t->value[last][prefix[i]] == t->value[rows[i]][prefix[i]])
            prefix[i]++;
        rest[i] = t->size[rows[i]] - prefix[i];
    }
    if (has_prefixes)
        put_delta(b, prefix, n, 32, shape);
    put_delta(b, rest, n, 32, shape);
    for (size_t i = 0; i < n; i++)
        put_raw(b, t->value[rows[i]] + prefix[i], rest[i]);
    free(prefix);
    free(rest);
}

/* Codes of values as pick numbers: the dictionary holds all twenty. */
static inline void put_codes(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n)
{
    uint32_t *codes = calloc(n + 8, sizeof *codes);

    for (size_t i = 0; i < n; i++)
        for (uint64_t pick = 0; pick < 20; pick++) {
            static table one;
            make_value(&one, w, 0, pick);
            if (one.size[0] == t->size[rows[i]] &&
                memcmp(one.value[0], t->value[rows[i]], one.size[0]) == 0)
                codes[i] = (uint32_t)pick;
        }
    put_byte(b, 5);
    for (size_t i = 0; i < n;) {
        const size_t part = n - i < 40 ? n - i : 40;
        if (i % 3 == 1 || codes[i] == codes[i + 1]) {
            size_t run = i;
            while (run < n && codes[run] == codes[i])
                run++;
            put_rle_run(b, 5, run - i, codes[i]);
            i = run;
        } else {
            put_rle_packed(b, 5, codes + i, part, 31);
            i += part;
        }
    }
    free(codes);
}

static inline void put_split(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n)
{
    for (uint32_t k = 0; k < w->width; k++)
        for (size_t i = 0; i < n; i++)
            put_byte(b, t->value[rows[i]][k]);
}

static inline void put_rle_bools(bytes *b, const table *t, const int64_t *rows, size_t n)
{
    const size_t at = b->size;
    uint32_t *values = calloc(n + 8, sizeof *values), size;

    for (size_t i = 0; i < n; i++)
        values[i] = t->value[rows[i]][0];
    put_u32(b, 0);
    put_rle_packed(b, 1, values, n, 1);
    size = (uint32_t)(b->size - at - 4);
    memcpy(b->data + at, &size, 4);
    free(values);
}

static inline void put_values(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n,
                              int64_t before)
{
    switch (w->encoding) {
    case WEIR_PARQUET_PLAIN:
        for (size_t i = 0; i < n; i++)
            put_plain(b, w, t->value[rows[i]], t->size[rows[i]]);
        break;
    case WEIR_PARQUET_PLAIN_DICTIONARY:
    case WEIR_PARQUET_RLE_DICTIONARY:
        put_codes(b, w, t, rows, n);
        break;
    case WEIR_PARQUET_RLE:
        put_rle_bools(b, t, rows, n);
        break;
    case WEIR_PARQUET_DELTA_BINARY_PACKED:
        put_delta_values(b, w, t, rows, n);
        break;
    case WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        put_strings(b, t, rows, n, false, -1);
        break;
    case WEIR_PARQUET_DELTA_BYTE_ARRAY:
        put_strings(b, t, rows, n, true, before);
        break;
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        put_split(b, w, t, rows, n);
        break;
    default:
        abort();
    }
}

static inline void put_levels(bytes *b, const table *t, int64_t from, int64_t rows)
{
    uint32_t levels[MOST];

    for (int64_t i = 0; i < rows; i++)
        levels[i] = !t->is_null[from + i];
    for (int64_t i = 0; i < rows;) {
        int64_t run = i;
        while (run < rows && levels[run] == levels[i])
            run++;
        if (run - i >= 16) {
            put_rle_run(b, 1, (uint64_t)(run - i), levels[i]);
            i = run;
        } else {
            const int64_t n = rows - i < 16 ? rows - i : 16;
            put_rle_packed(b, 1, levels + i, (size_t)n, 0);
            i += n;
        }
    }
}

/* Rows [from, from + rows) of the table as one page's plain bytes. */
static inline weir_parquet_note put_page(bytes *b, const rig *r, const way *w, const table *t,
                                         int64_t from, int64_t rows, int version)
{
    weir_parquet_note note = { .encoding = w->encoding,
                               .version = (uint8_t)version,
                               .definition_encoding = WEIR_PARQUET_RLE,
                               .null_count = -1 };
    int64_t *present = calloc((size_t)rows + 1, sizeof *present), before = -1;
    size_t n = 0;

    if (r->leaf.max_definition) {
        bytes levels = { 0 };

        put_levels(&levels, t, from, rows);
        if (version == 1)
            put_u32(b, (uint32_t)levels.size);
        else
            note.definition_size = (uint32_t)levels.size;
        put_raw(b, levels.data, levels.size);
        bytes_free(&levels);
    }
    put_align(b);
    for (int64_t i = from; i < from + rows; i++)
        if (!t->is_null[i])
            present[n++] = i;
    for (int64_t i = from; r->chunk.carries_prefix && i-- > 0 && before < 0;)
        if (!t->is_null[i])
            before = i;
    if (n) /* a page of nulls may have no body */
        put_values(b, w, t, present, n, before);
    put_align(b);
    free(present);
    return note;
}

static inline bool has_dictionary(const way *w)
{
    return w->encoding == WEIR_PARQUET_RLE_DICTIONARY ||
           w->encoding == WEIR_PARQUET_PLAIN_DICTIONARY;
}

static inline void feed_dictionary(rig *r, const way *w, guard *g)
{
    static table all;
    bytes b = { 0 };
    weir_page page;
    weir_error err;

    for (uint64_t pick = 0; pick < 20; pick++) {
        make_value(&all, w, (int64_t)pick, pick);
        put_plain(&b, w, all.value[pick], all.size[pick]);
    }
    page = rig_page(r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                    guard_place(g, b.data, b.size), b.size, 20);
    cr_assert_eq(rig_feed(r, &page, &err), WEIR_OK, "%s", err.text);
    bytes_free(&b);
}

/* ---- reading ---- */

static inline void expect_rows(const weir_vector *v, const table *t, const way *w, int64_t from)
{
    for (int64_t i = 0; i < v->rows; i++) {
        const int64_t row = from + i;

        cr_assert_eq(weir_is_null(v, i), t->is_null[row], "row %lld", (long long)row);
        if (t->is_null[row])
            continue;
        if (w->type == WEIR_PARQUET_BOOLEAN) {
            cr_assert_eq(weir_bool(v, i), t->value[row][0], "row %lld", (long long)row);
            continue;
        }
        const weir_view got = weir_bytes(v, i);
        cr_assert_eq(got.size, t->size[row], "row %lld: %zu bytes", (long long)row, got.size);
        cr_assert_arr_eq(got.data, t->value[row], got.size, "row %lld", (long long)row);
    }
}

/* The pages of a column, as many rows each as `page_rows` says. */
typedef struct chunk {
    bytes body[64];
    weir_parquet_note note[64];
    int64_t rows[64];
    size_t count;
} chunk;

static inline void make_chunk(chunk *c, const rig *r, const way *w, const table *t,
                              int64_t page_rows)
{
    *c = (chunk){ 0 };
    for (int64_t row = 0; row < t->rows; row += c->rows[c->count++]) {
        c->rows[c->count] = t->rows - row < page_rows ? t->rows - row : page_rows;
        c->note[c->count] =
            put_page(&c->body[c->count], r, w, t, row, c->rows[c->count], (int)(c->count % 2) + 1);
    }
}

static inline void free_chunk(chunk *c)
{
    for (size_t i = 0; i < c->count; i++)
        bytes_free(&c->body[i]);
}

static inline void feed_next(rig *r, const chunk *c, guard *g)
{
    weir_page page = { .kind = WEIR_PAGE_END };
    weir_error err;

    if (r->ordinal < c->count) {
        const bytes *b = &c->body[r->ordinal];

        cr_assert_eq(r->pages_held, 0, "a page is held after all its rows came out");
        page = rig_page(r, WEIR_PAGE_DATA, c->note[r->ordinal], guard_place(g, b->data, b->size),
                        b->size, c->rows[r->ordinal]);
        cr_assert_eq(rig_feed(r, &page, &err), WEIR_OK, "%s", err.text);
    } else {
        cr_assert_eq(weir_parquet_feed(&r->cursor, &page, &r->work, &err), WEIR_OK);
    }
}

/* Decodes one batch of at most `rows` rows and `room` bytes and compares it; false at the end. */
static inline bool read_batch(rig *r, const chunk *c, const table *t, const way *w, guard *g,
                              int64_t rows, size_t room)
{
    const int64_t from = r->cursor.row;
    weir_builder builder;
    weir_vector v;
    weir_error err;

    weir_builder_init(&builder, &r->target, rows, room);
    for (;;) {
        cr_assert_eq(weir_parquet_decode(&r->cursor, &builder, &r->work, &err), WEIR_OK,
                     "encoding %d row %lld: %s", w->encoding, (long long)r->cursor.row, err.text);
        if (!r->cursor.hungry)
            break;
        feed_next(r, c, g);
    }
    cr_assert_eq(r->cursor.row - from, builder.rows);
    if (builder.rows == 0) {
        cr_assert(r->cursor.ended);
        weir_builder_fini(&builder);
        return false;
    }
    cr_assert_eq(weir_builder_finish(&builder, &r->work, &v, &err), WEIR_OK);
    expect_rows(&v, t, w, from);
    weir_hold_release(v.hold);
    return true;
}

static inline void read_all(const way *w, nulls kind, int64_t rows, int64_t page_rows,
                            int64_t batch_rows, size_t room)
{
    static table t;
    guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
    chunk c;
    rig r;

    rig_init(&r, w->type, w->width, kind != NO_NULLS, weir_kernels_pick());
    make_table(&t, w, rows, kind, (uint64_t)(rows + w->encoding));
    make_chunk(&c, &r, w, &t, page_rows);
    if (has_dictionary(w))
        feed_dictionary(&r, w, &dictionary);
    while (read_batch(&r, &c, &t, w, &g, batch_rows, room))
        ;
    cr_assert_eq(r.cursor.row, rows, "encoding %d: %lld rows", w->encoding,
                 (long long)r.cursor.row);
    cr_assert_eq(r.pages_held, 0);
    free_chunk(&c);
    rig_fini(&r);
    guard_close(&g);
    guard_close(&dictionary);
}

#endif
