/* SPDX-License-Identifier: Apache-2.0
 * test_nested.c: leaves inside lists, maps and structs through the cursor: pages cut anywhere, rows
 * longer than any of what they go through, levels and values in trouble. */
#include "nested_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static records r;
static striped l;
static nested_rig n;

/* ---- reading as the reader does ---- */

typedef struct chunk { /* pages of the levels `l`, `cuts` of them, each ending at a level */
    const size_t *cuts;
    size_t count;
    int version;
    size_t lost;  /* bytes of the last page that are not there */
    size_t coded; /* the first so many pages are codes */
} chunk;

typedef struct reading {
    int64_t batch_rows;
    size_t batch_bytes;
    int64_t skipped; /* rows passed over first */
    weir_status status;
    weir_error err;
    int64_t vectors;
    uint32_t forms; /* of their leaves: 1 << form */
    progress done;
} reading;

static void feed_page(const chunk *c, size_t page, bytes *b, reading *how)
{
    const size_t from = page ? c->cuts[page - 1] : 0;
    weir_page fed = { .kind = WEIR_PAGE_END };
    int64_t value = 0;

    bytes_free(b);
    if (page < c->count) {
        const size_t count = c->cuts[page] - from;

        for (size_t i = 0; i < from; i++)
            value += l.definition[i] == n.s.path.leaf_present;
        const weir_parquet_note note =
            page < c->coded ? put_coded_page(b, &n, &l, from, count, value, c->version)
                            : put_nested_page(b, &n, &l, from, count, value, c->version);
        size_t size = b->size - (page + 1 == c->count ? c->lost : 0);

        for (int i = 0; i < WEIR_SLACK; i++) /* may be read, and means nothing */
            put_byte(b, 0xa5);
        fed = rig_page(&n.r, WEIR_PAGE_DATA, note, b->data, size, (int64_t)count);
        if (n.s.path.scopes)
            fed.first_row = fed.row_count = -1;
    }
    if (fed.kind == WEIR_PAGE_END)
        how->status = weir_parquet_feed(&n.r.cursor, &fed, &n.r.work, &how->err);
    else
        how->status = rig_feed(&n.r, &fed, &how->err);
}

/* Value `i` of the chunk as entry `i`. */
static void feed_dictionary(void)
{
    const weir_parquet_note note = { .encoding = WEIR_PARQUET_PLAIN };
    static uint32_t entries[LEVELS_MOST + WEIR_SLACK];
    weir_page page;

    for (size_t i = 0; i < l.count; i++)
        entries[i] = (uint32_t)value_number((int64_t)i);
    page = rig_page(&n.r, WEIR_PAGE_SHARED, note, (const uint8_t *)entries, l.count * 4,
                    (int64_t)l.count);
    cr_assert_eq(rig_feed(&n.r, &page, NULL), WEIR_OK);
}

/* As a bit; none where there are no values. */
static uint32_t form_of_leaf(const weir_vector *v)
{
    while (v->child_count)
        v = v->children;
    return v->rows > v->nulls ? 1u << v->form : 0;
}

static void take_vector(weir_builder *builder, reading *how)
{
    weir_vector v;

    if (builder->rows == 0) {
        weir_builder_fini(builder);
        return;
    }
    cr_assert_eq(weir_builder_finish(builder, &n.r.work, &v, NULL), WEIR_OK);
    compare_slots(&n.s, 0, &v, &how->done);
    cr_assert_not(how->done.is_wrong, "wrong in the rows before %" PRId64, n.r.cursor.row);
    how->vectors++;
    how->forms |= form_of_leaf(&v);
    weir_hold_release(v.hold);
}

/* To the end or to trouble; what was passed over counts as compared. */
static void read_chunk(const chunk *c, reading *how)
{
    weir_builder builder = { 0 };
    size_t page = 0;
    bytes b = { 0 };

    rig_again(&n.r);
    if (c->coded)
        feed_dictionary();
    how->status = WEIR_OK;
    while (how->status == WEIR_OK) {
        if (n.r.cursor.row < how->skipped)
            how->status = weir_parquet_skip(&n.r.cursor, how->skipped, &n.r.work, &how->err);
        if (how->status == WEIR_OK && n.r.cursor.row >= how->skipped && !n.r.cursor.hungry) {
            if (!builder.target)
                weir_builder_init(&builder, &n.r.target, how->batch_rows, how->batch_bytes);
            how->status = weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, &how->err);
        }
        if (how->status != WEIR_OK || n.r.cursor.hungry == false) {
            const bool is_last = n.r.cursor.ended && (!builder.target || builder.rows == 0);

            if (builder.target)
                take_vector(&builder, how);
            if (is_last)
                break;
            continue;
        }
        feed_page(c, page++, &b, how);
    }
    bytes_free(&b);
}

static void begin(reading *how, int64_t skipped)
{
    memset(&how->done, 0, sizeof how->done);
    how->vectors = 0;
    how->forms = 0;
    how->skipped = skipped;
    lay(&r, skipped);
    for (uint32_t i = 0; i <= n.s.path.count; i++)
        how->done.slots[i] = layout[i].slots;
    for (int64_t i = 0; i < layout[n.s.path.count].slots; i++)
        how->done.values += !layout[n.s.path.count].is_null[i];
    lay(&r, r.row_count);
}

static void expect_all(const chunk *c, reading *how)
{
    begin(how, how->skipped);
    read_chunk(c, how);
    cr_assert_eq(how->status, WEIR_OK, "%s", how->err.text);
    cr_assert_eq(n.r.cursor.row, r.row_count, "%" PRId64 " rows, not %" PRId64, n.r.cursor.row,
                 r.row_count);
    for (uint32_t i = 0; i <= n.s.path.count; i++)
        cr_assert_eq(how->done.slots[i], layout[i].slots);
}

static void make(const char *text, int64_t rows, uint64_t seed, uint64_t nulls, uint64_t most)
{
    nested_rig_init(&n, text);
    make_records(&r, &n.s, rows, seed, nulls, most);
    stripe(&r, &l);
}

/* The row that level `at` belongs to. */
static int64_t row_of_level(size_t at)
{
    int64_t row = 0;

    while (row + 1 < r.row_count && l.rows[row + 1] <= (int64_t)at)
        row++;
    return row;
}

/* ---- pages cut anywhere ---- */

Test(nested, rows_go_on_over_a_cut_at_every_level)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 12, i, 4, 3);
        for (size_t cut = 1; cut < l.count && l.count < 200; cut++)
            for (int64_t batch = 1; batch <= 5; batch += 2) {
                const size_t cuts[] = { cut, l.count };
                reading how = { .batch_rows = batch, .batch_bytes = 1 << 20 };

                expect_all(&(chunk){ cuts, 2, 1, 0, 0 }, &how);
            }
        rig_fini(&n.r);
    }
}

Test(nested, a_page_a_level)
{
    static size_t cuts[LEVELS_MOST];

    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 20, i + 50, 3, 4);
        for (size_t k = 0; k < l.count; k++)
            cuts[k] = k + 1;
        for (int64_t batch = 1; batch < 40 && l.count < 500; batch *= 3) {
            reading how = { .batch_rows = batch, .batch_bytes = 1 << 20 };

            expect_all(&(chunk){ cuts, l.count, 1, 0, 0 }, &how);
        }
        rig_fini(&n.r);
    }
}

Test(nested, pages_of_version_2_that_begin_with_rows)
{
    static size_t cuts[LEVELS_MOST];

    for (size_t i = 0; i < SHAPES; i++)
        for (int64_t step = 1; step < 100; step = step * 5 + 2) {
            reading how = { .batch_rows = step * 2 / 3 + 1, .batch_bytes = 1 << 20 };
            size_t pages = 0;

            make(shapes[i], 200, i, 5, 2);
            for (int64_t row = step; row < r.row_count; row += step)
                cuts[pages++] = (size_t)l.rows[row];
            cuts[pages++] = l.count;
            expect_all(&(chunk){ cuts, pages, 2, 0, 0 }, &how);
            rig_fini(&n.r);
        }
}

Test(nested, every_row_can_be_skipped_to)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 25, i + 9, 4, 3);
        const size_t cuts[] = { l.count / 3 + 1, l.count / 2 + 1, l.count };

        for (int64_t row = 0; row <= r.row_count && l.count > 3; row++) {
            reading how = { .batch_rows = 4, .batch_bytes = 1 << 20, .skipped = row };

            expect_all(&(chunk){ cuts, 3, 1, 0, 0 }, &how);
        }
        rig_fini(&n.r);
    }
}

/* ---- codes ---- */

Test(nested, codes_come_as_they_lie_to_who_takes_them)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 40, i + 3, 0, 3);
        const size_t cuts[] = { l.count / 3 + 1, l.count / 2 + 1, l.count };

        for (int64_t batch = 1; batch < 100 && l.count > 3; batch *= 4)
            for (int takes = 0; takes < 2; takes++) {
                reading how = { .batch_rows = batch, .batch_bytes = 1 << 20 };

                n.r.target.forms = takes ? 1u << WEIR_CODES : 0;
                expect_all(&(chunk){ cuts, 3, 1, 0, 3 }, &how);
                cr_assert_eq(how.forms & (takes ? 1u << WEIR_CODES : 1u << WEIR_PLAIN), how.forms,
                             "%s in batches of %" PRId64 " has forms %x", shapes[i], batch,
                             how.forms);
            }
        rig_fini(&n.r);
    }
}

/* Where that is in a row, the codes of that row's vector become values. */
Test(nested, a_dictionary_may_end_at_any_level)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 14, i + 70, i % 2 ? 4 : 0, 3);
        n.r.target.forms = 1u << WEIR_CODES;
        for (size_t cut = 1; cut < l.count && l.count < 300; cut++)
            for (int64_t batch = 1; batch < 30; batch += 9)
                for (int64_t skipped = 0; skipped < 9; skipped += 4) {
                    const size_t cuts[] = { cut, l.count };
                    reading how = { .batch_rows = batch,
                                    .batch_bytes = 1 << 20,
                                    .skipped = skipped };

                    expect_all(&(chunk){ cuts, 2, 1, 0, 1 }, &how);
                }
        rig_fini(&n.r);
    }
}

/* A row boundary ends a vector of codes, so that none of them is looked up. */
Test(nested, codes_and_values_of_whole_rows_are_not_mixed)
{
    make("lv", 600, 5, 0, 6);
    const size_t cuts[] = { (size_t)l.rows[250], l.count };
    reading how = { .batch_rows = 1000, .batch_bytes = 1 << 20 };

    n.r.target.forms = 1u << WEIR_CODES;
    expect_all(&(chunk){ cuts, 2, 1, 0, 1 }, &how);
    cr_expect_eq(how.vectors, 2);
    cr_expect_eq(how.forms, 1u << WEIR_CODES | 1u << WEIR_PLAIN);
    rig_fini(&n.r);
}

/* The bytes of values in the last page. */
static size_t values_after(size_t level)
{
    size_t size = 0;

    for (; level < l.count; level++)
        size += l.definition[level] == n.s.path.leaf_present ? sizeof(int32_t) : 0;
    return size;
}

static void check_shape(const chunk *c, uint32_t last, reading how)
{
    weir_path path = n.s.path;

    weir_path_end(&path, last);
    n.r.target.path = &path;
    n.r.target.forms = 1u << WEIR_SHAPE;
    begin(&how, how.skipped);
    read_chunk(c, &how);
    cr_assert_eq(how.status, WEIR_OK, "%s", how.err.text);
    cr_assert_eq(n.r.cursor.row, r.row_count);
    for (uint32_t i = 0; i <= last; i++)
        cr_assert_eq(how.done.slots[i], layout[i].slots);
    n.r.target.path = &n.s.path;
    n.r.target.forms = 0;
}

/* The values of the last page aren't even there. */
Test(nested, shapes_of_every_node_come_from_the_levels)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make(shapes[i], 100, i + 31, 4, 3);
        const size_t cuts[] = { (size_t)l.rows[30], (size_t)l.rows[31], l.count };
        const chunk c[] = { { cuts, 3, 1, values_after(cuts[1]), 0 },
                            { cuts, 3, 2, values_after(cuts[1]), 0 } };

        for (uint32_t last = 0; last < n.s.path.count; last++)
            for (int64_t batch = 1; batch <= 1000; batch *= 10)
                for (int64_t row = 0; row <= 60; row += 29) {
                    const reading how = { .batch_rows = batch,
                                          .batch_bytes = 1 << 20,
                                          .skipped = row };

                    check_shape(&c[0], last, how);
                    check_shape(&c[1], last, how);
                }
        rig_fini(&n.r);
    }
}

/* ---- long rows, many rows ---- */

/* Row 3 of seven has 9,000 elements: more than a page, a slice, and a batch's bytes hold. */
Test(nested, a_list_longer_than_a_page_a_slice_and_a_batch)
{
    static size_t cuts[100];
    size_t pages = 0;

    for (int deep = 0; deep < 2; deep++) {
        nested_rig_init(&n, deep ? "llv" : "lv");
        r = (records){ .shape = &n.s };
        for (int row = 0; row < 7; row++) {
            const int count = row == 3 ? 9000 : row % 3;

            if (deep) /* the long one is the inner one */
                r.items[r.item_count++] = (twig){ .count = 1 };
            r.items[r.item_count++] = (twig){ .count = count };
            for (int i = 0; i < count; i++)
                r.items[r.item_count++] = (twig){ .is_null = i % 11 == 10 };
            r.row_count++;
        }
        stripe(&r, &l);
        for (pages = 0; pages * 700 < l.count; pages++)
            cuts[pages] = pages * 700 + 700 < l.count ? pages * 700 + 700 : l.count;
        for (int64_t batch = 1; batch < 9; batch += 3) {
            reading how = { .batch_rows = batch, .batch_bytes = batch == 7 ? 64 : 4000 };

            expect_all(&(chunk){ cuts, pages, 1, 0, 0 }, &how);
            cr_assert_gt(how.vectors, 1, "a batch was not cut at its bytes");
        }
        rig_fini(&n.r);
    }
}

/* A page of which each level is a row with a value needs no look at its levels. */
Test(nested, pages_that_are_one_run_cost_no_levels)
{
    enum {
        WHOLE = 300
    };

    for (size_t i = 0; i < SHAPES; i++)
        for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
            uint64_t seed = i;

            nested_rig_init(&n, shapes[i]);
            r = (records){ .shape = &n.s };
            for (; r.row_count < WHOLE; r.row_count++)
                for (uint32_t k = 0; k <= n.s.path.count; k++)
                    r.items[r.item_count++] = (twig){ .count = 1 };
            for (; is_mixed && r.row_count < 2 * WHOLE; r.row_count++)
                make_item(&r, 0, &seed, 3, 2);
            stripe(&r, &l);
            const size_t cuts[] = { 100, WHOLE, l.count };

            for (int64_t batch = 1; batch <= 1000; batch *= 10) {
                reading how = { .batch_rows = batch, .batch_bytes = 1 << 20 };

                expect_all(&(chunk){ cuts, is_mixed ? 3 : 2, 1, 0, 0 }, &how);
            }
            if (!is_mixed)
                cr_expect_eq(n.r.work.counters.levels, 0);
            rig_fini(&n.r);
        }
}

/* ---- trouble ---- */

static void expect_trouble(const chunk *c, int64_t row, const char *text)
{
    for (int64_t batch = 1; batch < 200; batch = batch * 6 + 1)
        for (int64_t skipped = 0; skipped <= row; skipped += row + 1 > 2 ? (row + 1) / 2 : 1) {
            reading how = { .batch_rows = batch, .batch_bytes = 1 << 20 };

            begin(&how, skipped);
            read_chunk(c, &how);
            cr_assert_eq(how.status, WEIR_CORRUPT, "no trouble, but %s",
                         weir_status_name(how.status));
            cr_assert(strstr(how.err.text, text), "%s", how.err.text);
            cr_assert_eq(n.r.cursor.row, row, "row %" PRId64 ", not %" PRId64 ": %s",
                         n.r.cursor.row, row, how.err.text);
            lay(&r, row);
            for (uint32_t i = 0; i <= n.s.path.count; i++)
                cr_assert_eq(how.done.slots[i], layout[i].slots, "rows were lost");
        }
}

Test(nested, a_chunk_that_begins_inside_a_row)
{
    make("lv", 5, 1, 2, 4);
    const size_t cuts[] = { l.count };
    l.repetition[0] = 1;
    expect_trouble(&(chunk){ cuts, 1, 1, 0, 0 }, 0, "the first repetition level is not 0");
    rig_fini(&n.r);
}

/* The definition of each level above what there is: the rows before are whole, and where the level
 * begins a row, so is the last of them. */
Test(nested, the_row_of_a_definition_level_above_the_maximum_is_exact)
{
    static const char *const three[] = { "lv", "lslv", "sV" };

    for (size_t i = 0; i < 3; i++) {
        make(three[i], 40, 4, 3, 3);
        const size_t cuts[] = { l.count / 2, l.count };

        for (size_t at = 0; at < l.count; at++) {
            const uint8_t right = l.definition[at];
            const unsigned most = (1u << width_of(n.s.path.leaf_present)) - 1;

            if (most == n.s.path.leaf_present)
                break;
            l.definition[at] = (uint8_t)most;
            expect_trouble(&(chunk){ cuts, 2, 1, 0, 0 }, row_of_level(at),
                           "a definition level above the maximum");
            l.definition[at] = right;
        }
        rig_fini(&n.r);
    }
}

/* A further element of a list that is null or empty: known by the level before. */
Test(nested, an_element_of_a_list_without_elements)
{
    make("llv", 60, 3, 5, 2);
    const size_t cuts[] = { l.count };
    long tried = 0;

    for (size_t at = 1; at < l.count; at++) {
        const uint8_t right = l.repetition[at];

        if (l.definition[at - 1] >= 2 || right != 0)
            continue;
        l.repetition[at] = 1;
        l.definition[at] = 5;
        expect_trouble(&(chunk){ cuts, 1, 2, 0, 0 }, row_of_level(at) - 1, "null or empty");
        stripe(&r, &l);
        tried++;
    }
    cr_assert_gt(tried, 5);
    rig_fini(&n.r);
}

/* Bytes of values are missing: `lost` counts whole ones and parts. */
Test(nested, the_row_of_missing_values_is_exact)
{
    static const char *const three[] = { "lv", "msLv", "sslV" };

    for (size_t i = 0; i < 3; i++) {
        make(three[i], 60, i + 2, 3, 4);
        const size_t cuts[] = { l.count / 4, l.count };
        size_t at = l.count, values = 0;

        for (size_t lost = 1; lost < 200 && at > cuts[0]; lost += 3) {
            while (values * 4 < lost && at > cuts[0])
                values += l.definition[--at] == n.s.path.leaf_present;
            if (values * 4 >= lost)
                expect_trouble(&(chunk){ cuts, 2, 1, lost, 0 }, row_of_level(at), "PLAIN");
        }
        rig_fini(&n.r);
    }
}

/* The page's header says more values than there are levels. Its last row is not known to be whole.
 */
Test(nested, too_few_levels)
{
    bytes b = { 0 };

    make("lv", 30, 5, 2, 3);
    for (int kind = 0; kind < 2; kind++)
        for (size_t kept = 8; kept + 9 < l.count; kept += 8) {
            weir_parquet_note note = { .encoding = WEIR_PARQUET_PLAIN, .version = 2 };
            uint32_t levels32[2][LEVELS_MOST];
            weir_builder builder;
            weir_status status;
            weir_page page;
            weir_error err;
            weir_vector v;

            rig_again(&n.r);
            for (size_t i = 0; i < l.count; i++) {
                levels32[0][i] = l.repetition[i];
                levels32[1][i] = l.definition[i];
            }
            put_rle_packed(&b, 1, levels32[0], kind == 0 ? kept : l.count, 0);
            note.repetition_size = (uint32_t)b.size;
            put_rle_packed(&b, 2, levels32[1], kind == 1 ? kept : l.count, 0);
            note.definition_size = (uint32_t)b.size - note.repetition_size;
            for (size_t i = 0; i < l.count * 4 + WEIR_SLACK; i++)
                put_byte(&b, 0);
            page =
                rig_page(&n.r, WEIR_PAGE_DATA, note, b.data, b.size - WEIR_SLACK, (int64_t)l.count);
            page.first_row = page.row_count = -1;
            cr_assert_eq(rig_feed(&n.r, &page, &err), WEIR_OK);
            weir_builder_init(&builder, &n.r.target, 1000, 1 << 20);
            status = weir_parquet_decode(&n.r.cursor, &builder, &n.r.work, &err);
            cr_assert_eq(status, WEIR_CORRUPT);
            cr_assert(strstr(err.text, kind ? "definition levels" : "repetition levels"), "%s",
                      err.text);
            cr_assert_eq(n.r.cursor.row, row_of_level(kept - 1));
            cr_assert_eq(builder.rows, n.r.cursor.row);
            cr_assert_eq(weir_builder_finish(&builder, &n.r.work, &v, &err), WEIR_OK);
            weir_hold_release(v.hold);
            bytes_free(&b);
        }
    rig_fini(&n.r);
}
