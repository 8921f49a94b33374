/* SPDX-License-Identifier: Apache-2.0
 * places.c: the nested job: map data of 36 leaves. Versions and the lengths of three lists, by
 * columns, by rows and by a fold; all leaves of any file; every field of every row. Public headers
 * only. `./dev bench` runs it. */
#include "bench.h"

enum {
    VERSION,
    LISTS = 3, /* behind it */
    COLUMNS
};

/* Of the lists the shape alone, or the smallest of the leaves, which all have the same lengths: a
 * row cursor takes plain values only. */
static const weir_pick shapes[COLUMNS] = { { .path = "version" },
                                           { .path = "websites", .forms = 1u << WEIR_SHAPE },
                                           { .path = "sources", .forms = 1u << WEIR_SHAPE },
                                           { .path = "addresses", .forms = 1u << WEIR_SHAPE } };
static const weir_pick leaves_of[COLUMNS] = { { .path = "version" },
                                              { .path = "websites" },
                                              { .path = "sources.property" },
                                              { .path = "addresses.country" } };

/* ---- versions and lengths ---- */

static const char *const aggregate_names[] = { "least version", "greatest",  "websites",
                                               "sources",       "addresses", NULL };

typedef struct aggregates {
    int32_t least, greatest; /* INT32_MAX, INT32_MIN: of none */
    int64_t lengths[LISTS];
    int64_t rows;
} aggregates;

static void begin_aggregates(void *state, void *user)
{
    aggregates *into = state;

    (void)user;
    *into = (aggregates){ .least = INT32_MAX, .greatest = INT32_MIN };
}

static void add_versions(aggregates *into, const weir_vector *v)
{
    const int32_t *values = weir_i32s(v);
    int32_t least = into->least, greatest = into->greatest;

    for (int64_t i = 0; i < v->rows; i++) {
        if (v->nulls && weir_is_null(v, i))
            continue;
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    into->least = least;
    into->greatest = greatest;
}

/* Null lists are empty, so the lengths of all are where the last ends. */
static bool add_aggregates(void *state, const weir_batch *batch, void *user)
{
    aggregates *into = state;

    (void)user;
    add_versions(into, &batch->columns[VERSION]);
    for (int i = 0; i < LISTS; i++) {
        const weir_vector *v = &batch->columns[1 + i];

        into->lengths[i] += v->offsets[v->first + v->rows] - v->offsets[v->first];
    }
    into->rows += batch->rows;
    return true;
}

static void merge_aggregates(void *into, void *from, void *user)
{
    aggregates *a = into;
    const aggregates *b = from;

    (void)user;
    a->least = b->least < a->least ? b->least : a->least;
    a->greatest = b->greatest > a->greatest ? b->greatest : a->greatest;
    for (int i = 0; i < LISTS; i++)
        a->lengths[i] += b->lengths[i];
    a->rows += b->rows;
}

static void give_aggregates(const aggregates *of, bench_result *out)
{
    out->sums[0] = of->least;
    out->sums[1] = of->greatest;
    for (int i = 0; i < LISTS; i++)
        out->sums[2 + i] = (double)of->lengths[i];
    out->rows = of->rows;
}

static weir_status by_columns(const weir_dataset *places, const bench_request *what,
                              weir_query *query, bench_result *out, weir_error *err)
{
    aggregates all;

    (void)what;
    query->picks = shapes;
    query->pick_count = COLUMNS;
    begin_aggregates(&all, NULL);
    WEIR_TRY(bench_columns(places, query, add_aggregates, &all, NULL, &out->stats, err));
    give_aggregates(&all, out);
    return WEIR_OK;
}

static weir_status by_fold(const weir_dataset *places, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    static const weir_folder folder = { .size = sizeof folder,
                                        .state_size = sizeof(aggregates),
                                        .begin = begin_aggregates,
                                        .batch = add_aggregates,
                                        .merge = merge_aggregates };
    aggregates all;

    (void)what;
    query->picks = shapes;
    query->pick_count = COLUMNS;
    WEIR_TRY(weir_fold(places, query, &folder, NULL, &all, NULL, err));
    give_aggregates(&all, out);
    return WEIR_OK;
}

static weir_status by_rows(const weir_dataset *places, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    aggregates all;
    weir_rows *rows;

    (void)what;
    query->picks = leaves_of;
    query->pick_count = COLUMNS;
    begin_aggregates(&all, NULL);
    WEIR_TRY(weir_rows_open(places, query, &rows, err));
    for (; weir_rows_next(rows); all.rows++) {
        if (!weir_rows_is_null(rows, VERSION)) {
            const int32_t version = weir_rows_i32(rows, VERSION);

            all.least = version < all.least ? version : all.least;
            all.greatest = version > all.greatest ? version : all.greatest;
        }
        for (int i = 0; i < LISTS; i++)
            all.lengths[i] += weir_item_list(weir_rows_item(rows, 1 + i)).count;
    }
    give_aggregates(&all, out);
    return weir_rows_close(rows, err);
}

/* ---- all leaves ---- */

static const char *const leaf_names[] = { "values", "slots", "bytes", NULL };

typedef struct leaves {
    int64_t values, slots, bytes; /* present ones; nulls too; of strings */
    int64_t rows;
} leaves;

/* Counted by the vectors' ends: no value is looked at, as in the peers. As deep as the schema. */
static void add_vector(leaves *into, const weir_vector *v)
{
    for (size_t i = 0; i < v->child_count; i++)
        add_vector(into, &v->children[i]);
    if (v->child_count > 0)
        return;
    into->values += v->rows - v->nulls;
    into->slots += v->rows;
    if (v->type == WEIR_BYTES)
        into->bytes += v->offsets[v->first + v->rows] - v->offsets[v->first];
}

static bool add_leaves(void *state, const weir_batch *batch, void *user)
{
    leaves *into = state;

    (void)user;
    for (size_t c = 0; c < batch->column_count; c++)
        add_vector(into, &batch->columns[c]);
    into->rows += batch->rows;
    return true;
}

static void merge_leaves(void *into, void *from, void *user)
{
    leaves *a = into;
    const leaves *b = from;

    (void)user;
    a->values += b->values;
    a->slots += b->slots;
    a->bytes += b->bytes;
    a->rows += b->rows;
}

static void give_leaves(const leaves *of, bench_result *out)
{
    out->sums[0] = (double)of->values;
    out->sums[1] = (double)of->slots;
    out->sums[2] = (double)of->bytes;
    out->rows = of->rows;
}

static weir_status by_leaves(const weir_dataset *places, const bench_request *what,
                             weir_query *query, bench_result *out, weir_error *err)
{
    leaves all = { 0 };

    (void)what;
    WEIR_TRY(bench_columns(places, query, add_leaves, &all, NULL, &out->stats, err));
    give_leaves(&all, out);
    return WEIR_OK;
}

static weir_status by_leaves_fold(const weir_dataset *places, const bench_request *what,
                                  weir_query *query, bench_result *out, weir_error *err)
{
    static const weir_folder folder = { .size = sizeof folder,
                                        .state_size = sizeof(leaves),
                                        .batch = add_leaves,
                                        .merge = merge_leaves };
    leaves all;

    (void)what;
    WEIR_TRY(weir_fold(places, query, &folder, NULL, &all, NULL, err));
    give_leaves(&all, out);
    return WEIR_OK;
}

/* ---- every field of every row ---- */

static const char *const visit_names[] = { "values", "bytes", "sum of numbers", NULL };

typedef struct visited {
    int64_t values, bytes;
    double numbers;
} visited;

static bool see(void *user, const weir_visit *at)
{
    const weir_vector *v = at->vector;
    visited *all = user;

    if (at->kind != WEIR_VISIT_VALUE || weir_is_null(v, at->row))
        return true;
    all->values++;
    if (v->type == WEIR_BYTES)
        all->bytes += (int64_t)weir_bytes(v, at->row).size;
    else if (v->type == WEIR_F64)
        all->numbers += weir_f64s(v)[at->row];
    else if (v->type == WEIR_F32)
        all->numbers += (double)weir_f32s(v)[at->row];
    else if (v->type == WEIR_I32)
        all->numbers += weir_i32s(v)[at->row];
    return true;
}

static weir_status by_visit(const weir_dataset *places, const bench_request *what,
                            weir_query *query, bench_result *out, weir_error *err)
{
    visited all = { 0 };
    weir_rows *rows;

    (void)what;
    WEIR_TRY(weir_rows_open(places, query, &rows, err));
    for (; weir_rows_next(rows); out->rows++)
        weir_rows_visit(rows, see, &all);
    out->sums[0] = (double)all.values;
    out->sums[1] = (double)all.bytes;
    out->sums[2] = all.numbers;
    return weir_rows_close(rows, err);
}

static const bench_way ways[] = {
    { "aggregates", by_columns, true, .sums = aggregate_names },
    { "fold", by_fold, true, .sums = aggregate_names },
    { "rows", by_rows, true, .sums = aggregate_names },
    { "leaves", by_leaves, false, .sums = leaf_names },
    { "leaves-fold", by_leaves_fold, false, .sums = leaf_names },
    { "visit", by_visit, false, .sums = visit_names },
};

static const bench_program program = {
    "weir_places",
    "aggregates, fold, rows: one of these alone; leaves, leaves-fold: every column of any file;\n"
    "       visit: every field of every row",
    ways, sizeof ways / sizeof *ways
};

int main(int argc, char **argv)
{
    return bench_main(&program, argc, argv);
}
