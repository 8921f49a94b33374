/* SPDX-License-Identifier: Apache-2.0
 * test_nest.c: levels to offsets and validity, held against the records that the levels are made
 * of (records.h), cut anywhere. */
#include "core/nest.h"

#include "core/bits.h"
#include "records.h"

#include <criterion/criterion.h>

/* ---- the code under test ---- */

typedef struct bench {
    weir_slabs *slabs;
    weir_memory *memory;
    weir_work work;
    weir_nest nest;
    bool leaf_is_null[ITEMS_MOST];
    int64_t leaf_slots, leaf_values;
} bench;

static bench b;

static void open_bench(void)
{
    weir_error err;

    cr_assert_eq(weir_slabs_open(&b.slabs, &err), WEIR_OK);
    cr_assert_eq(weir_memory_open(b.slabs, 0, &b.memory, &err), WEIR_OK);
    weir_work_init(&b.work, weir_kernels_pick(), b.memory);
}

static void close_bench(void)
{
    weir_work_fini(&b.work);
    cr_expect_eq(weir_memory_used(b.memory), 0, "memory was not given back");
    weir_memory_release(b.memory);
    weir_slabs_close(b.slabs);
}

TestSuite(nest, .init = open_bench, .fini = close_bench);

static void begin(const nest_shape *s)
{
    weir_error err;

    cr_assert_eq(weir_nest_init(&b.nest, &s->path, &b.work, &err), WEIR_OK);
    b.leaf_slots = b.leaf_values = 0;
}

/* What follows the levels is no level. */
static void add(const striped *all, size_t from, size_t count)
{
    static uint8_t repetition[WEIR_NEST_SLICE + 8], definition[WEIR_NEST_SLICE + 8];
    uint8_t present[WEIR_NEST_SLICE / 8 + WEIR_SLACK];
    weir_nest_leaf leaf = { .present = present };
    weir_error err;

    memset(repetition, 0xff, sizeof repetition);
    memset(definition, 0xff, sizeof definition);
    memset(present, 0xff, sizeof present);
    memcpy(repetition, all->repetition + from, count);
    memcpy(definition, all->definition + from, count);
    cr_assert_null(weir_nest_check(b.nest.path, weir_kernels_pick(), repetition, definition, count,
                                   from ? all->definition[from - 1] : -1));
    cr_assert_eq(weir_nest_add(&b.nest, &b.work, repetition, definition, count, &leaf, &err),
                 WEIR_OK);
    for (int64_t i = 0; i < leaf.slots; i++)
        b.leaf_is_null[b.leaf_slots++] = leaf.values < leaf.slots && !weir_bit(present, i);
    b.leaf_values += leaf.values;
}

static int64_t expect_column(const weir_vector *v, const layout_column *wanted, bool is_list)
{
    int64_t nulls = 0, elements = 0;

    cr_assert_eq(v->rows, wanted->slots, "%ld slots, not %ld", (long)v->rows, (long)wanted->slots);
    for (int64_t i = 0; i < v->rows; i++) {
        const bool is_null = v->validity && !weir_bit(v->validity, i);

        cr_assert_eq(is_null, wanted->is_null[i], "slot %ld", (long)i);
        nulls += is_null;
        if (is_list) {
            cr_assert_eq(v->offsets[i], elements, "offset %ld", (long)i);
            elements += wanted->length[i];
        }
    }
    cr_assert_eq(v->nulls, nulls);
    if (is_list)
        cr_assert_eq(v->offsets[v->rows], elements);
    return elements;
}

/* Ends the column and holds it against the layout. */
static void expect_layout(const nest_shape *s)
{
    const layout_column *leaf = &layout[s->path.count];
    weir_vector *vectors = NULL;
    weir_hold *hold = NULL;
    int64_t nulls = 0;
    weir_error err;

    cr_assert_eq(weir_nest_finish(&b.nest, &b.work, NULL, &vectors, &hold, &err), WEIR_OK);
    for (uint32_t i = 0; i < s->path.count; i++) {
        cr_assert_eq(vectors[i].type, s->nodes[i].type);
        cr_assert_eq(vectors[i].child_count, 1);
        cr_assert_eq(vectors[i].children, &vectors[i + 1]);
        expect_column(&vectors[i], &layout[i], s->nodes[i].type != WEIR_STRUCT);
    }
    cr_assert_geq(b.leaf_slots, leaf->slots);
    for (int64_t i = 0; i < leaf->slots; i++) {
        cr_assert_eq(b.leaf_is_null[i], leaf->is_null[i], "slot %ld of the leaf", (long)i);
        nulls += leaf->is_null[i];
    }
    if (b.leaf_slots == leaf->slots)
        cr_assert_eq(b.leaf_values, leaf->slots - nulls);
    weir_hold_release(hold);
}

static nest_shape s;
static records r;
static striped l;

/* ---- tests ---- */

Test(nest, short_records_cut_at_every_level)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            make_shape(&s, shapes[i]);
            make_records(&r, &s, 1 + (int64_t)seed, seed, seed % 3 * 5, 1 + seed % 4);
            stripe(&r, &l);
            lay(&r, r.row_count);
            for (size_t cut = 0; cut <= l.count && l.count <= 300; cut++) {
                begin(&s);
                add(&l, 0, cut);
                add(&l, cut, l.count - cut);
                expect_layout(&s);
            }
        }
}

Test(nest, long_records_in_slices_of_any_size)
{
    static const size_t steps[] = { 1, 3, 7, 8, 63, 64, 65, 1000, WEIR_NEST_SLICE };

    for (size_t i = 0; i < SHAPES; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            make_shape(&s, shapes[i]);
            make_records(&r, &s, 3000, i * 100 + k, k % 4 * 4, k % 3 == 2 ? 40 : 2);
            stripe(&r, &l);
            lay(&r, r.row_count);
            begin(&s);
            for (size_t at = 0; at < l.count; at += steps[k])
                add(&l, at, l.count - at < steps[k] ? l.count - at : steps[k]);
            expect_layout(&s);
        }
}

Test(nest, goes_back_to_any_number_of_rows)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make_shape(&s, shapes[i]);
        make_records(&r, &s, 30, i, 4, 3);
        stripe(&r, &l);
        for (int64_t rows = 0; rows <= r.row_count && l.count <= WEIR_NEST_SLICE; rows++) {
            int64_t slots;

            begin(&s);
            add(&l, 0, l.count);
            slots = weir_nest_cut(&b.nest, &b.work, rows);
            lay(&r, rows);
            cr_assert_eq(slots, layout[s.path.count].slots);
            expect_layout(&s);
        }
    }
}

Test(nest, a_row_is_gone_on_with_after_a_cut_that_keeps_it)
{
    make_shape(&s, "lslv");
    make_records(&r, &s, 40, 5, 3, 3);
    stripe(&r, &l);
    begin(&s);
    for (size_t at = 0; at < l.count; at++) {
        add(&l, at, 1);
        if (l.repetition[at + 1] == 0 || at + 1 == l.count) { /* its last level */
            int64_t rows = 0;

            while (rows < r.row_count && l.rows[rows] <= (int64_t)at)
                rows++;
            weir_nest_cut(&b.nest, &b.work, rows);
        }
    }
    lay(&r, r.row_count);
    expect_layout(&s);
}

Test(nest, a_million_empty_lists)
{
    enum {
        ROWS = 1000000
    };
    uint8_t zeros[WEIR_NEST_SLICE + 8] = { 0 }, ones[WEIR_NEST_SLICE + 8];
    uint8_t present[WEIR_NEST_SLICE / 8 + WEIR_SLACK];
    weir_nest_leaf leaf = { .present = present };
    weir_vector *vectors = NULL;
    weir_hold *hold = NULL;
    weir_error err;

    memset(ones, 1, sizeof ones);
    make_shape(&s, "lv");
    begin(&s);
    for (int64_t row = 0; row < ROWS; row += WEIR_NEST_SLICE) {
        const size_t count = (size_t)weir_min_i64(ROWS - row, WEIR_NEST_SLICE);

        cr_assert_eq(weir_nest_add(&b.nest, &b.work, zeros, ones, count, &leaf, &err), WEIR_OK);
        cr_assert_eq(leaf.slots, 0);
    }
    cr_assert_eq(weir_nest_finish(&b.nest, &b.work, NULL, &vectors, &hold, &err), WEIR_OK);
    cr_assert_eq(vectors[0].rows, ROWS);
    cr_assert_eq(vectors[0].nulls, 0);
    for (int64_t row = 0; row <= ROWS; row++)
        cr_assert_eq(vectors[0].offsets[row], 0);
    weir_hold_release(hold);
}

Test(nest, no_level_at_all_is_a_column_of_no_rows)
{
    for (size_t i = 0; i < SHAPES; i++) {
        make_shape(&s, shapes[i]);
        r.shape = &s;
        lay(&r, 0);
        begin(&s);
        expect_layout(&s);
    }
}

Test(nest, more_than_2_to_the_31_elements_are_a_limit)
{
    uint8_t ones[72], zeros[72] = { 0 }, present[WEIR_NEST_SLICE / 8 + WEIR_SLACK];
    weir_nest_leaf leaf = { .present = present };
    weir_error err;

    memset(ones, 1, sizeof ones);
    make_shape(&s, "LV");
    begin(&s);
    cr_assert_eq(weir_nest_add(&b.nest, &b.work, zeros, ones, 1, &leaf, &err), WEIR_OK);
    b.nest.elements[1] = INT32_MAX - 100; /* as if so many had come */
    cr_assert_eq(weir_nest_add(&b.nest, &b.work, ones, ones, 36, &leaf, &err), WEIR_OK);
    cr_assert_eq(weir_nest_add(&b.nest, &b.work, ones, ones, 64, &leaf, &err), WEIR_LIMIT);
    cr_expect_eq(b.nest.elements[1], INT32_MAX - 64, "what did not fit was counted");
    weir_nest_fini(&b.nest);
}

/* ---- which levels can be ---- */

static records parsed;

/* Takes the levels for what they may mean; those that can't be come out otherwise when striped. */
static size_t parse(const striped *all, size_t at, uint32_t depth, unsigned lists)
{
    twig *made = &parsed.items[parsed.item_count++];
    const bool is_leaf = depth == s.path.count;
    const unsigned present = is_leaf ? s.path.leaf_present : s.nodes[depth].present;

    *made = (twig){ .is_null = all->definition[at] < present };
    if (made->is_null || is_leaf)
        return at + 1;
    if (s.nodes[depth].type == WEIR_STRUCT)
        return parse(all, at, depth + 1, lists);
    if (all->definition[at] == present)
        return at + 1;
    do {
        made->count++;
        at = parse(all, at, depth + 1, lists + 1);
    } while (at < all->count && all->repetition[at] == lists + 1);
    return at;
}

/* Striping what was parsed gives the same levels: then they can be. */
static bool can_be(const striped *all)
{
    static striped again;

    for (size_t i = 0; i < all->count; i++)
        if (all->definition[i] > s.path.leaf_present)
            return false;
    parsed.shape = &s;
    parsed.item_count = parsed.row_count = 0;
    for (size_t at = 0; at < all->count; parsed.row_count++)
        at = parse(all, at, 0, 0);
    stripe(&parsed, &again);
    return again.count == all->count &&
           memcmp(again.repetition, all->repetition, all->count) == 0 &&
           memcmp(again.definition, all->definition, all->count) == 0;
}

/* All streams of up to four levels, those above the maximum included; in one piece and in two. */
Test(nest, finds_out_all_levels_that_cant_be)
{
    static const char *const small[] = { "lv", "LV", "lLv", "lsv", "sLv", "LsLV" };
    long wrong = 0, good = 0;

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        make_shape(&s, small[i]);
        const unsigned repetitions = s.path.scopes + 2u, definitions = s.path.leaf_present + 2u;
        const unsigned kinds = repetitions * definitions;

        for (size_t count = 1; count <= 3; count++)
            for (unsigned number = 0,
                          all = kinds * (count > 1 ? kinds : 1) * (count > 2 ? kinds : 1);
                 number < all; number++) {
                unsigned rest = number;
                const char *whole, *first, *second;

                l.count = count;
                for (size_t k = 0; k < count; k++, rest /= kinds) {
                    l.repetition[k] = (uint8_t)(rest % kinds / definitions);
                    l.definition[k] = (uint8_t)(rest % definitions);
                }
                const bool is_good = can_be(&l);

                whole = weir_nest_check(&s.path, weir_kernels_pick(), l.repetition, l.definition,
                                        count, -1);
                first = weir_nest_check(&s.path, weir_kernels_pick(), l.repetition, l.definition,
                                        count - 1, -1);
                second = weir_nest_check(&s.path, weir_kernels_pick(), l.repetition + count - 1,
                                         l.definition + count - 1, 1,
                                         count > 1 ? l.definition[count - 2] : -1);
                cr_assert_eq(!whole, is_good, "%s: number %u of %zu levels", small[i], number,
                             count);
                cr_assert_eq(!first && !second, is_good, "%s: number %u of %zu levels, in two",
                             small[i], number, count);
                wrong += !is_good;
                good += is_good;
            }
    }
    cr_assert_gt(wrong, 1000);
    cr_assert_gt(good, 300);
}

/* Comparing bytes eight at a time must not let one borrow from the next. */
Test(nest, the_deepest_levels_are_told_apart)
{
    uint8_t repetition[72] = { 0 }, definition[72], present[WEIR_NEST_SLICE / 8 + WEIR_SLACK];
    weir_nest_node node = { .type = WEIR_STRUCT,
                            .present = WEIR_NEST_LEVELS - 1,
                            .is_nullable = true };
    weir_path path = { .nodes = &node, .count = 1, .leaf_present = WEIR_NEST_LEVELS };
    weir_nest_leaf leaf = { .present = present };
    weir_vector *vectors = NULL;
    weir_hold *hold = NULL;
    weir_error err;

    for (int i = 0; i < 72; i++)
        definition[i] = (uint8_t)(i % 3 == 0   ? WEIR_NEST_LEVELS
                                  : i % 3 == 1 ? WEIR_NEST_LEVELS - 1
                                               : (i * 37) % (WEIR_NEST_LEVELS - 1));
    cr_assert_null(weir_nest_check(&path, weir_kernels_pick(), repetition, definition, 64, -1));
    cr_assert_eq(weir_nest_init(&b.nest, &path, &b.work, &err), WEIR_OK);
    cr_assert_eq(weir_nest_add(&b.nest, &b.work, repetition, definition, 64, &leaf, &err), WEIR_OK);
    cr_assert_eq(leaf.slots, 64);
    cr_assert_eq(leaf.values, 22);
    cr_assert_eq(weir_nest_finish(&b.nest, &b.work, NULL, &vectors, &hold, &err), WEIR_OK);
    for (int i = 0; i < 64; i++) {
        cr_expect_eq(weir_bit(present, i), i % 3 == 0, "leaf %d", i);
        cr_expect_eq(weir_bit(vectors[0].validity, i), i % 3 < 2, "struct %d", i);
    }
    weir_hold_release(hold);
}

/* A list that is null, empty, or has elements, from their lengths alone, in two runs. */
Test(nest, lists_are_built_from_their_lengths)
{
    static const int32_t lengths[] = { 2, -1, 0, 3, -1, 1 };
    static const int32_t offsets[] = { 0, 2, 2, 2, 5, 5, 6 };
    const weir_nest_node nodes[] = { { .type = WEIR_LIST, .present = 1, .is_nullable = true },
                                     { .type = WEIR_STRUCT, .scope = 1, .present = 2 } };
    weir_path path = {
        .nodes = nodes, .count = 2, .scopes = 1, .leaf_present = 2, .exists = { 0, 2 }
    };

    for (int64_t rows = 0; rows <= 6; rows++) {
        weir_vector *vectors = NULL;
        weir_hold *hold = NULL;
        int64_t first = -1, second = -1, nulls = 0;
        weir_error err;

        cr_assert_eq(weir_nest_init(&b.nest, &path, &b.work, &err), WEIR_OK);
        cr_assert_eq(weir_nest_add_lists(&b.nest, &b.work, lengths, 3, &first, &err), WEIR_OK);
        cr_assert_eq(weir_nest_add_lists(&b.nest, &b.work, lengths + 3, 3, &second, &err), WEIR_OK);
        cr_expect_eq(first, 2);
        cr_expect_eq(second, 4);
        cr_expect_eq(weir_nest_cut(&b.nest, &b.work, rows), offsets[rows]);
        cr_assert_eq(weir_nest_finish(&b.nest, &b.work, NULL, &vectors, &hold, &err), WEIR_OK);
        cr_assert_eq(vectors[0].rows, rows);
        cr_assert_eq(vectors[1].rows, offsets[rows]);
        cr_expect_null(vectors[1].validity);
        for (int64_t i = 0; i < rows; i++) {
            cr_expect_eq(vectors[0].offsets[i], offsets[i]);
            cr_expect_eq(vectors[0].validity && !weir_bit(vectors[0].validity, i), lengths[i] < 0);
            nulls += lengths[i] < 0;
        }
        cr_expect_eq(vectors[0].offsets[rows], offsets[rows]);
        cr_expect_eq(vectors[0].nulls, nulls);
        weir_hold_release(hold);
    }
}

Test(nest, more_elements_than_offsets_can_count_are_a_limit)
{
    static const int32_t lengths[] = { INT32_MAX - 1000, 1000 };
    const weir_nest_node node = { .type = WEIR_LIST, .present = 1, .is_nullable = true };
    weir_path path = {
        .nodes = &node, .count = 1, .scopes = 1, .leaf_present = 2, .exists = { 0, 2 }
    };
    int64_t elements = 0;
    weir_error err;

    cr_assert_eq(weir_nest_init(&b.nest, &path, &b.work, &err), WEIR_OK);
    cr_expect_eq(weir_nest_add_lists(&b.nest, &b.work, lengths, 1, &elements, &err), WEIR_OK);
    cr_expect_eq(weir_nest_add_lists(&b.nest, &b.work, lengths + 1, 1, &elements, &err),
                 WEIR_LIMIT);
    weir_nest_fini(&b.nest);
}

/* Two leaves of one struct, in two runs: the lists are the same memory, and each can be cut alone.
 */
Test(nest, a_follower_has_its_leaders_lists)
{
    static const int32_t lengths[] = { 2, -1, 3, 0 };
    const weir_nest_node nodes[] = { { .type = WEIR_LIST, .present = 1, .is_nullable = true },
                                     { .type = WEIR_STRUCT, .scope = 1, .present = 2 } };
    weir_path path = {
        .nodes = nodes, .count = 2, .scopes = 1, .leaf_present = 2, .exists = { 0, 2 }
    };
    weir_vector *vectors[2] = { NULL, NULL };
    weir_hold *holds[2] = { NULL, NULL };
    weir_nest follower;
    int64_t elements = 0;
    weir_error err;

    cr_assert_eq(weir_nest_init(&b.nest, &path, &b.work, &err), WEIR_OK);
    cr_assert_eq(weir_nest_init(&follower, &path, &b.work, &err), WEIR_OK);
    for (int i = 0; i < 4; i += 2) {
        cr_assert_eq(weir_nest_add_lists(&b.nest, &b.work, lengths + i, 2, &elements, &err),
                     WEIR_OK);
        weir_nest_follow(&follower, &b.nest);
    }
    cr_expect_eq(weir_nest_cut(&follower, &b.work, 2), 2);
    cr_assert_eq(weir_nest_finish(&b.nest, &b.work, NULL, &vectors[0], &holds[0], &err), WEIR_OK);
    cr_assert_eq(weir_nest_finish(&follower, &b.work, NULL, &vectors[1], &holds[1], &err), WEIR_OK);
    cr_expect_eq(vectors[0]->offsets, vectors[1]->offsets);
    for (int v = 0; v < 2; v++) {
        cr_assert_eq(vectors[v]->rows, v ? 2 : 4);
        cr_expect_eq(vectors[v]->nulls, 1);
        cr_expect_eq(vectors[v][1].rows, v ? 2 : 5);
        for (int i = 0, at = 0; i <= vectors[v]->rows;
             at += i < 4 && lengths[i] > 0 ? lengths[i] : 0, i++)
            cr_expect_eq(vectors[v]->offsets[i], at);
    }
    weir_hold_release(holds[0]);
    weir_hold_release(holds[1]);
}
