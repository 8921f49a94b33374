/* SPDX-License-Identifier: Apache-2.0
 * test_decode.c: pages written by hand, of every type, encoding and version, read back through the
 * cursor in batches and jumps of many sizes, and cut at every byte. */
#include "core/bits.h"
#include "encode.h"
#include "guard.h"
#include "rig.h"

#include <weir/value.h>

#include <criterion/criterion.h>

enum {
    MOST = 9000,
    WIDEST = 24
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
static void make_value(table *t, const way *w, int64_t row, uint64_t pick)
{
    uint64_t seed = pick + 1;
    const bool is_bytes = w->type == WEIR_PARQUET_BYTE_ARRAY;
    const uint32_t width = w->type == WEIR_PARQUET_BOOLEAN ? 1 : w->width;

    t->size[row] = (uint8_t)(is_bytes ? pick * 7 % WIDEST : width);
    for (size_t i = 0; i < t->size[row]; i++)
        t->value[row][i] = (uint8_t)(i < pick % 5 ? 'a' + i : draw(&seed) & 0xff);
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

static void make_table(table *t, const way *w, int64_t rows, nulls kind, uint64_t seed)
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

static void put_plain(bytes *b, const way *w, const uint8_t *value, size_t size)
{
    if (w->type == WEIR_PARQUET_BOOLEAN) {
        put_bits(b, value[0], 1);
        return;
    }
    if (w->type == WEIR_PARQUET_BYTE_ARRAY)
        put_u32(b, (uint32_t)size);
    put_raw(b, value, size);
}

static void put_delta_values(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n)
{
    uint64_t *values = calloc(n + 1, sizeof *values);

    for (size_t i = 0; i < n; i++)
        memcpy(values + i, t->value[rows[i]], w->width);
    put_delta(b, values, n, w->width * 8, (delta_shape){ 128, 4, n % 2 == 0, 99 });
    free(values);
}

/* The same `prefix` rule for all: as long as it can be. `before` is the value before the first. */
static void put_strings(bytes *b, const table *t, const int64_t *rows, size_t n, bool has_prefixes,
                        int64_t before)
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
static void put_codes(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n)
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

static void put_split(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n)
{
    for (uint32_t k = 0; k < w->width; k++)
        for (size_t i = 0; i < n; i++)
            put_byte(b, t->value[rows[i]][k]);
}

static void put_rle_bools(bytes *b, const table *t, const int64_t *rows, size_t n)
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

static void put_values(bytes *b, const way *w, const table *t, const int64_t *rows, size_t n,
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

static void put_levels(bytes *b, const table *t, int64_t from, int64_t rows)
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
static weir_parquet_note put_page(bytes *b, const rig *r, const way *w, const table *t,
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

static bool has_dictionary(const way *w)
{
    return w->encoding == WEIR_PARQUET_RLE_DICTIONARY ||
           w->encoding == WEIR_PARQUET_PLAIN_DICTIONARY;
}

static void feed_dictionary(rig *r, const way *w, guard *g)
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

static void expect_rows(const weir_vector *v, const table *t, const way *w, int64_t from)
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

static void make_chunk(chunk *c, const rig *r, const way *w, const table *t, int64_t page_rows)
{
    *c = (chunk){ 0 };
    for (int64_t row = 0; row < t->rows; row += c->rows[c->count++]) {
        c->rows[c->count] = t->rows - row < page_rows ? t->rows - row : page_rows;
        c->note[c->count] =
            put_page(&c->body[c->count], r, w, t, row, c->rows[c->count], (int)(c->count % 2) + 1);
    }
}

static void free_chunk(chunk *c)
{
    for (size_t i = 0; i < c->count; i++)
        bytes_free(&c->body[i]);
}

static void feed_next(rig *r, const chunk *c, guard *g)
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
static bool read_batch(rig *r, const chunk *c, const table *t, const way *w, guard *g, int64_t rows,
                       size_t room)
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

static void read_all(const way *w, nulls kind, int64_t rows, int64_t page_rows, int64_t batch_rows,
                     size_t room)
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

Test(decode, every_type_and_encoding_in_batches_of_every_size)
{
    static const int64_t batches[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 1000 };

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
                read_all(&ways[i], kind, 300, 300, batches[k], 1 << 20);
                read_all(&ways[i], kind, 300, 41, batches[k], 1 << 20);
            }
}

Test(decode, pages_of_more_than_a_slice)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++) {
            read_all(&ways[i], kind, MOST, MOST, 16384, 1 << 20);
            read_all(&ways[i], kind, MOST, 3001, 1000, 1 << 20);
            read_all(&ways[i], kind, MOST, 2500, 4096, 1 << 20);
        }
}

/* The builder takes fewer rows than it is offered; the cursor keeps the others. */
Test(decode, a_cap_of_bytes_may_end_a_batch_anywhere)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (ways[i].type == WEIR_PARQUET_BYTE_ARRAY)
            for (nulls kind = 0; kind < NULLS_KINDS; kind++)
                for (size_t room = 1; room < 300; room += 13)
                    read_all(&ways[i], kind, 400, 90, 1000, room);
}

/* Codes are delivered as codes where they may be; a chunk that falls back to PLAIN changes form. */
Test(decode, a_dictionary_may_fall_back_to_plain)
{
    static table t;
    const way first = { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_RLE_DICTIONARY, 0 };
    const way then = { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_PLAIN, 0 };
    const way doubles[2] = { { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_RLE_DICTIONARY, 8 },
                             { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 } };

    for (int codes = 0; codes < 2; codes++)
        for (int fixed = 0; fixed < 2; fixed++) {
            guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
            const way *coded = fixed ? &doubles[0] : &first, *plain = fixed ? &doubles[1] : &then;
            chunk c = { .count = 2, .rows = { 500, 500 } };
            weir_error err;
            rig r;

            rig_init(&r, coded->type, coded->width, true, weir_kernels_pick());
            r.target.forms = codes ? 1u << WEIR_CODES : 0;
            make_table(&t, coded, 1000, SOME_NULLS, 3);
            c.note[0] = put_page(&c.body[0], &r, coded, &t, 0, 500, 1);
            c.note[1] = put_page(&c.body[1], &r, plain, &t, 500, 500, 1);
            feed_dictionary(&r, coded, &dictionary);
            for (int64_t from = 0; from < 1000;) {
                weir_builder builder;
                weir_vector v;

                weir_builder_init(&builder, &r.target, 300, 1 << 20);
                for (;;) {
                    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
                    if (!r.cursor.hungry)
                        break;
                    feed_next(&r, &c, &g);
                }
                cr_assert_gt(builder.rows, 0);
                cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
                cr_assert_eq(v.form, codes && from < 500 ? WEIR_CODES : WEIR_PLAIN);
                if (v.form == WEIR_CODES) {
                    cr_assert_leq(from + v.rows, 500);
                    for (int64_t i = 0; i < v.rows; i++) {
                        const uint32_t code = ((const uint32_t *)v.values)[i];
                        cr_assert_eq(weir_is_null(&v, i), t.is_null[from + i]);
                        if (weir_is_null(&v, i))
                            continue;
                        const weir_view got = weir_bytes(v.dictionary, code);
                        cr_assert_eq(got.size, t.size[from + i]);
                        cr_assert_arr_eq(got.data, t.value[from + i], got.size);
                    }
                } else {
                    expect_rows(&v, &t, coded, from);
                }
                from += v.rows;
                weir_hold_release(v.hold);
            }
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

Test(decode, skipping_lands_on_the_right_row)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (uint64_t round = 0; round < 6; round++) {
                guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
                const way *w = &ways[i];
                uint64_t seed = round;
                weir_error err;
                chunk c;
                rig r;

                rig_init(&r, w->type, w->width, kind != NO_NULLS, weir_kernels_pick());
                make_table(&t, w, 8000, kind, round);
                make_chunk(&c, &r, w, &t, round % 2 ? 7000 : 700);
                if (has_dictionary(w))
                    feed_dictionary(&r, w, &dictionary);
                while (r.cursor.row < t.rows) {
                    const int64_t jump = (int64_t)(draw(&seed) % (round < 3 ? 100 : 3000));
                    const int64_t to = weir_min_i64(t.rows, r.cursor.row + jump);

                    while (r.cursor.row < to) {
                        cr_assert_eq(weir_parquet_skip(&r.cursor, to, &r.work, &err), WEIR_OK, "%s",
                                     err.text);
                        if (r.cursor.hungry)
                            feed_next(&r, &c, &g);
                    }
                    cr_assert_eq(r.cursor.row, to);
                    if (to < t.rows)
                        read_batch(&r, &c, &t, w, &g, (int64_t)(draw(&seed) % 90) + 1,
                                   draw(&seed) % 700 + 1);
                }
                free_chunk(&c);
                rig_fini(&r);
                guard_close(&g);
                guard_close(&dictionary);
            }
}

/* A cursor that begins inside the group is fed the page its row lies in. */
Test(decode, a_cursor_may_begin_inside_a_page)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (int64_t start = 1; start < 6000; start += 977) {
            guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
            const way *w = &ways[i];
            chunk c;
            rig r;

            rig_init(&r, w->type, w->width, true, weir_kernels_pick());
            make_table(&t, w, 6000, SOME_NULLS, 8);
            make_chunk(&c, &r, w, &t, 6000);
            r.cursor.row = start;
            if (has_dictionary(w))
                feed_dictionary(&r, w, &dictionary);
            while (read_batch(&r, &c, &t, w, &g, 1000, 1 << 20))
                ;
            cr_assert_eq(r.cursor.row, 6000);
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

/* PARQUET-246: the first value of a page begins as the last one of the page before does. */
Test(decode, old_prefixes_reach_over_pages)
{
    static table t;
    static const way w[] = { { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_DELTA_BYTE_ARRAY, 0 },
                             { WEIR_PARQUET_FIXED, WEIR_PARQUET_DELTA_BYTE_ARRAY, 9 } };

    for (size_t i = 0; i < 2; i++)
        for (int skip = 0; skip < 2; skip++) {
            guard g = guard_open(1 << 18);
            weir_error err;
            chunk c;
            rig r;

            rig_init(&r, w[i].type, w[i].width, true, weir_kernels_pick());
            r.chunk.carries_prefix = true;
            make_table(&t, &w[i], 2000, SOME_NULLS, 5);
            make_chunk(&c, &r, &w[i], &t, 60);
            while (skip && r.cursor.row < 1234) {
                cr_assert_eq(weir_parquet_skip(&r.cursor, 1234, &r.work, &err), WEIR_OK, "%s",
                             err.text);
                if (r.cursor.hungry)
                    feed_next(&r, &c, &g);
            }
            while (read_batch(&r, &c, &t, &w[i], &g, 77, 500))
                ;
            cr_assert_eq(r.cursor.row, 2000);
            free_chunk(&c);
            rig_fini(&r);
            guard_close(&g);
        }
}

/* ---- trouble ---- */

/* Reads until it fails or ends; rows that came before it are right. */
static weir_status read_until(rig *r, const weir_page *page, const table *t, const way *w,
                              int64_t batch_rows, weir_error *err)
{
    weir_status status = rig_feed(r, page, err);

    cr_assert_eq(status, WEIR_OK, "%s", err->text);
    while (status == WEIR_OK && !r->cursor.hungry) {
        const int64_t from = r->cursor.row;
        weir_builder builder;
        weir_vector v;

        weir_builder_init(&builder, &r->target, batch_rows, 1 << 20);
        status = weir_parquet_decode(&r->cursor, &builder, &r->work, err);
        cr_assert_eq(r->cursor.row - from, builder.rows, "rows that were not counted");
        cr_assert_eq(weir_builder_finish(&builder, &r->work, &v, NULL), WEIR_OK);
        expect_rows(&v, t, w, from);
        weir_hold_release(v.hold);
    }
    if (status != WEIR_OK) { /* it stays so */
        weir_builder builder;
        weir_error again;

        weir_builder_init(&builder, &r->target, 10, 1 << 20);
        cr_assert_eq(weir_parquet_decode(&r->cursor, &builder, &r->work, &again), status);
        cr_assert_str_eq(again.text, err->text);
        cr_assert_eq(builder.rows, 0);
        weir_builder_fini(&builder);
    }
    return status;
}

/* Whatever is cut off, the rows that come are the right ones, never fewer with more bytes. */
Test(decode, a_page_cut_at_every_byte)
{
    static table t;
    enum {
        ROWS = 130
    };

    for (size_t i = 0; i < WAY_COUNT; i++)
        for (nulls kind = 0; kind < NULLS_KINDS; kind++)
            for (int version = 1; version <= 2; version++) {
                guard g = guard_open(1 << 16), dictionary = guard_open(1 << 12);
                const way *w = &ways[i];
                int64_t before = 0;
                bytes b = { 0 };
                rig r;

                rig_init(&r, w->type, w->width, kind != NO_NULLS, weir_kernels_pick());
                make_table(&t, w, ROWS, kind, 7);
                const weir_parquet_note note = put_page(&b, &r, w, &t, 0, ROWS, version);
                for (size_t cut = 0; cut <= b.size; cut++) {
                    weir_error err;

                    rig_again(&r);
                    if (has_dictionary(w))
                        feed_dictionary(&r, w, &dictionary);
                    const weir_page page =
                        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, cut), cut, ROWS);
                    const weir_status status =
                        read_until(&r, &page, &t, w, (int64_t)(cut % 50) + 1, &err);
                    cr_assert(status == WEIR_OK || status == WEIR_CORRUPT);
                    cr_assert_eq(status == WEIR_OK, r.cursor.row == ROWS);
                    cr_assert_geq(r.cursor.row, before);
                    before = r.cursor.row;
                }
                cr_assert_eq(before, ROWS);
                bytes_free(&b);
                rig_fini(&r);
                guard_close(&g);
                guard_close(&dictionary);
            }
}

/* A page of 100 doubles with the bytes of 57. */
Test(decode, the_row_of_missing_bytes_is_exact)
{
    static table t;
    const way w = { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 };

    for (int64_t batch = 1; batch < 120; batch++)
        for (int skip = 0; skip < 2; skip++) {
            guard g = guard_open(1 << 12);
            bytes b = { 0 };
            weir_error err;
            rig r;

            rig_init(&r, w.type, w.width, false, weir_kernels_pick());
            make_table(&t, &w, 100, NO_NULLS, 1);
            const weir_parquet_note note = put_page(&b, &r, &w, &t, 0, 100, 1);
            r.ordinal = 3;
            const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note,
                                            guard_place(&g, b.data, 57 * 8 + 7), 57 * 8 + 7, 100);
            if (skip) {
                cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
                cr_assert_eq(weir_parquet_skip(&r.cursor, 99, &r.work, &err), WEIR_CORRUPT);
            } else {
                cr_assert_eq(read_until(&r, &page, &t, &w, batch, &err), WEIR_CORRUPT);
            }
            cr_assert_eq(r.cursor.row, 57);
            cr_assert_str_eq(err.text, "page 3: PLAIN: the bytes end too soon");
            cr_assert_eq(err.offset, 1003);
            bytes_free(&b);
            rig_fini(&r);
            guard_close(&g);
        }
}

Test(decode, the_row_of_a_bad_code_is_exact)
{
    static table t;
    const way w = { WEIR_PARQUET_INT64, WEIR_PARQUET_RLE_DICTIONARY, 8 };

    for (int64_t bad = 0; bad < 100; bad += 9)
        for (int is_null = 0; is_null < 2; is_null++) {
            guard g = guard_open(1 << 12), dictionary = guard_open(1 << 12);
            bytes b = { 0 };
            int64_t seen = 0, bad_row = -1;
            weir_error err;
            rig r;

            rig_init(&r, w.type, w.width, is_null, weir_kernels_pick());
            make_table(&t, &w, 300, is_null ? SOME_NULLS : NO_NULLS, 1);
            for (int64_t i = 0; i < t.rows; i++)
                if (!t.is_null[i] && seen++ == bad)
                    bad_row = i;
            weir_parquet_note note = put_page(&b, &r, &w, &t, 0, bad_row, 2);
            bytes_free(&b);
            /* The same levels, and codes written anew. */
            note = (weir_parquet_note){ .encoding = w.encoding, .version = 2, .null_count = -1 };
            if (is_null) {
                put_levels(&b, &t, 0, 300);
                note.definition_size = (uint32_t)b.size;
            }
            put_byte(&b, 7);
            for (int64_t i = 0; i < 300; i++)
                if (!t.is_null[i])
                    for (uint32_t pick = 0; pick < 20; pick++) {
                        static table one;
                        make_value(&one, &w, 0, pick);
                        if (memcmp(one.value[0], t.value[i], 8) == 0)
                            put_rle_run(&b, 7, 1, i == bad_row ? 77 : pick);
                    }
            feed_dictionary(&r, &w, &dictionary);
            const weir_page page =
                rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 300);
            cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), WEIR_CORRUPT);
            cr_assert_eq(r.cursor.row, bad_row);
            cr_assert_str_eq(err.text,
                             "page 0: RLE_DICTIONARY: code 77 into a dictionary of 20 values");
            bytes_free(&b);
            rig_fini(&r);
            guard_close(&g);
            guard_close(&dictionary);
        }
}

Test(decode, codes_without_a_dictionary_fail_where_the_first_is_needed)
{
    static table t;
    const way w = { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE_DICTIONARY, 4 };
    guard g = guard_open(1 << 12);
    bytes b = { 0 };
    weir_error err;
    rig r;

    rig_init(&r, w.type, w.width, true, weir_kernels_pick());
    make_table(&t, &w, 50, NO_NULLS, 1);
    for (int64_t i = 0; i < 30; i++)
        t.is_null[i] = true;
    const weir_parquet_note note = put_page(&b, &r, &w, &t, 0, 50, 1);
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, 50);
    cr_assert_eq(read_until(&r, &page, &t, &w, 1000, &err), WEIR_CORRUPT);
    cr_expect_eq(r.cursor.row, 30);
    cr_expect_str_eq(err.text, "page 0: RLE_DICTIONARY: there is no dictionary page before it");
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
}

Test(decode, what_no_type_or_nobody_has_is_unsupported)
{
    static const way bad[] = { { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_ALP, 8 },
                               { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE, 4 },
                               { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_DELTA_BINARY_PACKED, 8 },
                               { WEIR_PARQUET_BYTE_ARRAY, WEIR_PARQUET_BYTE_STREAM_SPLIT, 0 },
                               { WEIR_PARQUET_FIXED, WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY, 4 },
                               { WEIR_PARQUET_BOOLEAN, WEIR_PARQUET_BIT_PACKED, 0 },
                               { WEIR_PARQUET_INT32, 1, 4 },
                               { WEIR_PARQUET_INT32, -5, 4 },
                               { WEIR_PARQUET_INT32, 1000000, 4 } };
    static table t;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint8_t data[16 + 64] = { 0 };
        weir_error err;
        rig r;

        rig_init(&r, bad[i].type, bad[i].width, false, weir_kernels_pick());
        const weir_parquet_note note = { .encoding = bad[i].encoding, .version = 1 };
        const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note, data, 16, 2);
        cr_expect_eq(read_until(&r, &page, &t, &bad[i], 10, &err), WEIR_UNSUPPORTED);
        cr_expect_eq(r.cursor.row, 0);
        if (i == 0)
            cr_expect_str_eq(err.text, "page 0: values: the encoding ALP can't be read yet");
        if (i == 1)
            cr_expect_str_eq(err.text, "page 0: values: encoding 3 (RLE) on INT32");
        rig_fini(&r);
    }
}

Test(decode, shape_alone_reads_no_value)
{
    static table t;
    const way w = { WEIR_PARQUET_DOUBLE, WEIR_PARQUET_PLAIN, 8 };
    guard g = guard_open(1 << 14);
    weir_builder builder;
    bytes b = { 0 };
    weir_error err;
    weir_vector v;
    rig r;

    rig_init(&r, w.type, w.width, true, weir_kernels_pick());
    r.target.forms = 1u << WEIR_SHAPE;
    make_table(&t, &w, 3000, SOME_NULLS, 1);
    put_page(&b, &r, &w, &t, 0, 3000, 1);
    /* The levels are there and no value is; its encoding means nothing. */
    const size_t size = 4 + weir_load32(b.data);
    const weir_parquet_note note = { .encoding = 99,
                                     .version = 1,
                                     .definition_encoding = WEIR_PARQUET_RLE };
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, size), size, 3000);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    weir_builder_init(&builder, &r.target, 5000, 1 << 20);
    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
    cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
    cr_assert_eq(v.rows, 3000);
    cr_assert_eq(v.form, WEIR_SHAPE);
    for (int64_t i = 0; i < 3000; i++)
        cr_assert_eq(weir_is_null(&v, i), t.is_null[i]);
    weir_hold_release(v.hold);
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
}

/* Writers leave out the stream of a dictionary of one entry, or its bytes after the width. */
Test(decode, codes_of_width_0_need_no_stream)
{
    static const struct {
        uint8_t data[3];
        size_t size;
    } bodies[] = { { { 0 }, 1 }, { { 0, 200, 1 }, 3 } };

    for (size_t i = 0; i < 2; i++) {
        guard g = guard_open(64), dictionary = guard_open(64);
        weir_builder builder;
        weir_error err;
        weir_vector v;
        rig r;

        rig_init(&r, WEIR_PARQUET_INT32, 4, false, weir_kernels_pick());
        weir_page page =
            rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                     guard_place(&dictionary, "\x2a\0\0\0", 4), 4, 1);
        cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
        const weir_parquet_note note = { .encoding = WEIR_PARQUET_RLE_DICTIONARY, .version = 1 };
        page = rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, bodies[i].data, bodies[i].size),
                        bodies[i].size, 100);
        cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
        weir_builder_init(&builder, &r.target, 200, 1 << 20);
        cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
        cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
        cr_assert_eq(v.rows, 100);
        for (int64_t k = 0; k < 100; k++)
            cr_assert_eq(weir_i32s(&v)[k], 42);
        weir_hold_release(v.hold);
        rig_fini(&r);
        guard_close(&g);
        guard_close(&dictionary);
    }
}

Test(decode, codes_wider_than_32_bits_are_refused)
{
    static table t;
    const way w = { WEIR_PARQUET_INT32, WEIR_PARQUET_RLE_DICTIONARY, 4 };
    uint8_t data[16 + 64] = { 33, 2 };
    guard dictionary = guard_open(1 << 12);
    weir_error err;
    rig r;

    rig_init(&r, w.type, w.width, false, weir_kernels_pick());
    feed_dictionary(&r, &w, &dictionary);
    const weir_parquet_note note = { .encoding = w.encoding, .version = 1 };
    const weir_page page = rig_page(&r, WEIR_PAGE_DATA, note, data, 16, 5);
    cr_expect_eq(read_until(&r, &page, &t, &w, 10, &err), WEIR_CORRUPT);
    cr_expect_str_eq(err.text, "page 0: RLE_DICTIONARY: codes of more than 32 bits");
    rig_fini(&r);
    guard_close(&dictionary);
}

Test(decode, dictionaries_that_lie_are_refused_before_anything_is_allocated)
{
    static const struct {
        weir_parquet_type type;
        uint32_t width;
        int64_t entries;
        size_t size;
    } bad[] = {
        { WEIR_PARQUET_INT64, 8, 3, 23 },         { WEIR_PARQUET_INT64, 8, INT32_MAX, 32 },
        { WEIR_PARQUET_INT64, 8, -1, 32 },        { WEIR_PARQUET_BYTE_ARRAY, 0, 9, 35 },
        { WEIR_PARQUET_BYTE_ARRAY, 0, 9, 36 },    { WEIR_PARQUET_BOOLEAN, 0, 9, 1 },
        { WEIR_PARQUET_FIXED, INT32_MAX, 2, 64 },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        guard g = guard_open(64);
        uint8_t data[64];
        weir_error err;
        rig r;

        memset(data, 1, sizeof data);
        rig_init(&r, bad[i].type, bad[i].width, false, weir_kernels_pick());
        const weir_page page =
            rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                     guard_place(&g, data, bad[i].size), bad[i].size, bad[i].entries);
        cr_expect_eq(rig_feed(&r, &page, &err), WEIR_CORRUPT, "case %zu", i);
        cr_expect_null(r.span.shared);
        rig_fini(&r);
        guard_close(&g);
    }
}

/* An entry that a cast refuses is no error until a row uses it. */
Test(decode, a_refused_entry_fails_the_first_row_that_uses_it)
{
    const int64_t entries[3] = { 5, ((int64_t)1 << 53) + 1, 7 };
    guard g = guard_open(64), dictionary = guard_open(64);
    weir_builder builder;
    bytes b = { 0 };
    weir_error err;
    weir_vector v;
    rig r;

    rig_init(&r, WEIR_PARQUET_INT64, 8, false, weir_kernels_pick());
    r.field.type = WEIR_F64;
    r.target.cast = (weir_cast){
        .kind = WEIR_CAST_I64_F64, .from = WEIR_I64, .to = WEIR_F64, .from_width = 8, .to_width = 8
    };
    weir_page page =
        rig_page(&r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = WEIR_PARQUET_PLAIN },
                 guard_place(&dictionary, entries, sizeof entries), sizeof entries, 3);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK, "%s", err.text);
    put_byte(&b, 2);
    put_rle_run(&b, 2, 11, 2);
    put_rle_run(&b, 2, 5, 0);
    put_rle_run(&b, 2, 5, 1);
    page = rig_page(&r, WEIR_PAGE_DATA,
                    (weir_parquet_note){ .encoding = WEIR_PARQUET_RLE_DICTIONARY, .version = 1 },
                    guard_place(&g, b.data, b.size), b.size, 21);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    weir_builder_init(&builder, &r.target, 200, 1 << 20);
    cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_MISMATCH);
    cr_assert_eq(r.cursor.row, 16);
    cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, NULL), WEIR_OK);
    cr_assert_eq(v.rows, 16);
    cr_assert(weir_f64s(&v)[0] == 7.0 && weir_f64s(&v)[15] == 5.0);
    weir_hold_release(v.hold);
    bytes_free(&b);
    rig_fini(&r);
    guard_close(&g);
    guard_close(&dictionary);
}

/* A mean stream: each value shares all but one byte with the one before, and grows. Nothing of the
 * kind may take more memory than a batch. */
Test(decode, growing_prefixes_are_put_together_a_piece_at_a_time)
{
    enum {
        ROWS = 4000
    };
    uint64_t *prefix = calloc(ROWS, sizeof *prefix), *rest = calloc(ROWS, sizeof *rest);
    const delta_shape shape = { 128, 4, false, 0 };
    guard g = guard_open(1 << 18);
    bytes b = { 0 };
    weir_error err;
    int64_t row = 0;
    rig r;

    for (size_t i = 0; i < ROWS; i++) {
        prefix[i] = i;
        rest[i] = 1;
    }
    put_delta(&b, prefix, ROWS, 32, shape);
    put_delta(&b, rest, ROWS, 32, shape);
    for (size_t i = 0; i < ROWS; i++)
        put_byte(&b, (uint32_t)(i % 251));
    rig_init(&r, WEIR_PARQUET_BYTE_ARRAY, 0, false, weir_kernels_pick());
    const weir_parquet_note note = { .encoding = WEIR_PARQUET_DELTA_BYTE_ARRAY, .version = 1 };
    const weir_page page =
        rig_page(&r, WEIR_PAGE_DATA, note, guard_place(&g, b.data, b.size), b.size, ROWS);
    cr_assert_eq(rig_feed(&r, &page, &err), WEIR_OK);
    while (!r.cursor.hungry) {
        weir_builder builder;
        weir_vector v;

        weir_builder_init(&builder, &r.target, 16384, 1 << 19);
        cr_assert_eq(weir_parquet_decode(&r.cursor, &builder, &r.work, &err), WEIR_OK);
        cr_assert_eq(weir_builder_finish(&builder, &r.work, &v, &err), WEIR_OK);
        for (int64_t i = 0; i < v.rows; i++, row++) {
            const weir_view got = weir_bytes(&v, i);
            cr_assert_eq(got.size, (size_t)row + 1);
            for (size_t k = 0; k < got.size; k += 97)
                cr_assert_eq(got.data[k], k % 251);
            cr_assert_eq(got.data[row], row % 251);
        }
        weir_hold_release(v.hold);
    }
    cr_assert_eq(row, ROWS);
    cr_expect_lt(weir_memory_peak(r.memory), (size_t)8 << 20);
    bytes_free(&b);
    free(prefix);
    free(rest);
    rig_fini(&r);
    guard_close(&g);
}

Test(decode, once_warm_nothing_fresh_is_asked_for)
{
    static table t;

    for (size_t i = 0; i < WAY_COUNT; i++) {
        guard g = guard_open(1 << 18), dictionary = guard_open(1 << 12);
        const way *w = &ways[i];
        uint64_t fresh = 0;
        chunk c;
        rig r;

        rig_init(&r, w->type, w->width, true, weir_kernels_pick());
        make_table(&t, w, 5000, SOME_NULLS, 2);
        make_chunk(&c, &r, w, &t, 900);
        for (int pass = 0; pass < 3; pass++) {
            rig_again(&r);
            if (has_dictionary(w))
                feed_dictionary(&r, w, &dictionary);
            while (read_batch(&r, &c, &t, w, &g, 1000, 1 << 20))
                ;
            if (pass > 0)
                cr_assert_eq(weir_slabs_fresh(r.slabs), fresh, "encoding %d", w->encoding);
            fresh = weir_slabs_fresh(r.slabs);
        }
        free_chunk(&c);
        rig_fini(&r);
        guard_close(&g);
        guard_close(&dictionary);
    }
}
