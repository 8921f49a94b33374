/* SPDX-License-Identifier: Apache-2.0
 * test_shape.c: the shape alone of lists, maps and structs: the nulls and lengths that the same
 * file's plain reading has, at every level of every nested golden file, out of one leaf. */
#include <criterion/criterion.h>

#include "readers/arrow_abi.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum {
    DEPTH = 20,
    NULL_SLOT = -1
};

typedef struct marks { /* of a field: a slot's length, 0 of a struct, or NULL_SLOT */
    int32_t *at;
    size_t count, room;
} marks;

static void add_mark(marks *m, int32_t mark)
{
    if (m->count == m->room) {
        m->room = m->room ? m->room * 2 : 1024;
        m->at = realloc(m->at, m->room * sizeof *m->at);
        cr_assert_not_null(m->at);
    }
    m->at[m->count++] = mark;
}

static bool are_equal(const marks *a, const marks *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count * sizeof *a->at));
}

static weir_dataset *open_path(const char *path, uint32_t flags)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;
    weir_error err;

    options.flags = flags;
    cr_assert_eq(weir_open(&path, 1, &options, &dataset, &err), WEIR_OK, "%s", err.text);
    return dataset;
}

/* ---- one field, by any reading ---- */

static void add_vector(marks *m, const weir_vector *v)
{
    for (int64_t row = 0; row < v->rows; row++) {
        const weir_item item = weir_vector_item(v, row);
        const int64_t count = v->type == WEIR_STRUCT ? 0 : weir_item_list(item).count;

        if (weir_item_is_null(item))
            cr_expect_eq(count, 0);
        add_mark(m, weir_item_is_null(item) ? NULL_SLOT : (int32_t)count);
    }
}

/* The vector of a field below column vector `v`, by the names on the way. */
static const weir_vector *below(const weir_schema *schema, const weir_field *field,
                                const weir_vector *v)
{
    const weir_field *way[DEPTH];
    int depth = 0;

    for (; field->parent > 0; field = weir_schema_field(schema, field->parent))
        way[depth++] = field;
    while (depth-- > 0) {
        const weir_view name = way[depth]->name;
        size_t i = 0;

        while (i < v->child_count &&
               (v->children[i].field->name.size != name.size ||
                memcmp(v->children[i].field->name.data, name.data, name.size)))
            i++;
        cr_assert_lt(i, v->child_count);
        v = &v->children[i];
    }
    return v;
}

/* Marks of the field, as the query has it. SHAPE: it must be, and have no children. */
static marks read_field(const weir_dataset *dataset, const weir_query *query,
                        const weir_field *field)
{
    const weir_schema *schema = weir_dataset_schema(dataset);
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_error err;
    marks out = { 0 };

    cr_assert_eq(weir_columns_open(dataset, query, &columns, &err), WEIR_OK, "%s", err.text);
    while ((batch = weir_columns_next(columns)) != NULL) {
        const weir_vector *v = below(schema, field, &batch->columns[0]);

        if (query->picks[0].forms) {
            cr_expect_eq(v->form, WEIR_SHAPE);
            cr_expect_eq(v->child_count, 0);
            cr_expect_null(v->children);
        }
        if (v->type != WEIR_STRUCT)
            cr_expect_eq(v->offsets[v->first], 0);
        add_vector(&out, v);
    }
    cr_assert_eq(weir_columns_close(columns, &err), WEIR_OK, "%s", err.text);
    return out;
}

static weir_query query_of(const weir_pick *pick)
{
    weir_query query = WEIR_QUERY_INIT;

    query.picks = pick;
    query.pick_count = 1;
    return query;
}

static int check_field(const weir_dataset *dataset, const weir_field *field, const char *file)
{
    static const int64_t batch_rows[] = { 0, 1, 7, 1000 };
    char path[500];
    const weir_pick whole = { .index = field->column };
    const weir_pick shape = { .path = path, .forms = 1u << WEIR_SHAPE | 1u << WEIR_ONE };
    weir_query query = query_of(&whole);
    marks truth;
    int checks = 0;

    weir_schema_path(weir_dataset_schema(dataset), field->index, path, sizeof path);
    for (int64_t first = 0; first < 8; first += 7) {
        query = query_of(&whole);
        query.first_row = first;
        query.row_limit = first ? 50 : 0;
        truth = read_field(dataset, &query, field);
        for (size_t i = 0; i < 8; i++, checks++) {
            marks got;

            query.picks = &shape;
            query.batch_rows = batch_rows[i / 2];
            query.threads = i % 2 ? 3 : 1;
            got = read_field(dataset, &query, field);
            cr_expect(are_equal(&truth, &got), "%s: %s, batches of %ld, %d threads", file, path,
                      (long)query.batch_rows, query.threads);
            free(got.at);
        }
        free(truth.at);
    }
    return checks;
}

Test(shape, is_that_of_the_values_at_every_level)
{
    glob_t found;
    int checks = 0;

    cr_assert_eq(glob("datasets/golden/*nested_*.parquet", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        weir_dataset *dataset = open_path(found.gl_pathv[i], 0);
        const weir_schema *schema = weir_dataset_schema(dataset);

        for (int32_t k = 1; k < weir_schema_field_count(schema); k++)
            if (weir_schema_field(schema, k)->leaf < 0)
                checks += check_field(dataset, weir_schema_field(schema, k), found.gl_pathv[i]);
        weir_dataset_close(dataset);
    }
    cr_expect_gt(found.gl_pathc, 9);
    cr_expect_gt(checks, 1000);
    globfree(&found);
}

/* ---- as a fold ---- */

static bool add_lengths(void *state, const weir_batch *batch, void *user)
{
    const weir_vector *v = &batch->columns[0];
    int64_t *sums = state; /* rows, nulls, elements */

    (void)user;
    sums[0] += batch->rows;
    sums[1] += v->nulls;
    if (v->type != WEIR_STRUCT)
        sums[2] += v->offsets[v->first + v->rows];
    return true;
}

static void merge_lengths(void *into, void *from, void *user)
{
    int64_t *a = into, *b = from;

    (void)user;
    for (int i = 0; i < 3; i++)
        a[i] += b[i];
}

Test(shape, folds_as_the_values_do)
{
    const weir_folder folder = { .size = sizeof folder,
                                 .state_size = 3 * sizeof(int64_t),
                                 .batch = add_lengths,
                                 .merge = merge_lengths };
    weir_dataset *dataset = open_path("datasets/golden/nested_pyarrow_small_pages_v1.parquet", 0);
    const weir_schema *schema = weir_dataset_schema(dataset);
    int nested = 0;

    for (int32_t c = 0; c < weir_schema_column_count(schema); c++) {
        const weir_pick whole = { .index = c }, shape = { .index = c, .forms = 1u << WEIR_SHAPE };
        weir_query query = query_of(&whole);
        int64_t truth[3], got[3];
        weir_error err;

        if (weir_schema_column(schema, c)->leaf >= 0)
            continue;
        nested++;
        cr_assert_eq(weir_fold(dataset, &query, &folder, NULL, truth, NULL, &err), WEIR_OK, "%s",
                     err.text);
        query.picks = &shape;
        for (query.threads = 1; query.threads <= 3; query.threads++) {
            cr_assert_eq(weir_fold(dataset, &query, &folder, NULL, got, NULL, &err), WEIR_OK, "%s",
                         err.text);
            cr_expect_arr_eq(truth, got, sizeof got);
        }
    }
    cr_expect_gt(nested, 2);
    weir_dataset_close(dataset);
}

/* ---- what is read for it ---- */

static uint64_t bytes_read(const weir_dataset *dataset, const weir_pick *pick)
{
    const weir_query query = query_of(pick);
    weir_columns *columns = NULL;
    weir_stats stats = { .size = sizeof stats };

    cr_assert_eq(weir_columns_open(dataset, &query, &columns, NULL), WEIR_OK);
    while (weir_columns_next(columns) != NULL)
        continue;
    weir_columns_stats(columns, &stats);
    cr_assert_eq(weir_columns_close(columns, NULL), WEIR_OK);
    return stats.bytes_read;
}

/* What reading the smallest leaf by its own path takes; of a map's value, its key too. */
static uint64_t least_of_leaves(const weir_dataset *dataset, int32_t column)
{
    const weir_schema *schema = weir_dataset_schema(dataset);
    uint64_t least = UINT64_MAX, bytes = 0;

    for (int32_t i = 0; i < weir_schema_leaf_count(schema); i++) {
        weir_chunk_info info = WEIR_CHUNK_INFO_INIT;
        const weir_field *leaf = weir_schema_leaf(schema, i);
        char path[500];
        const weir_pick pick = { .path = path };

        if (leaf->column != column)
            continue;
        cr_assert_eq(weir_dataset_chunk(dataset, 0, 0, i, &info, NULL), WEIR_OK);
        if (info.bytes >= least)
            continue;
        least = info.bytes;
        weir_schema_path(schema, leaf->index, path, sizeof path);
        bytes = bytes_read(dataset, &pick);
    }
    return bytes;
}

Test(shape, takes_the_bytes_of_one_leaf)
{
    static const char *const files[] = { "datasets/golden/nested_pyarrow_v1.parquet",
                                         "datasets/golden/nested_pyarrow_v2.parquet",
                                         "datasets/golden/nested_duckdb_v1.parquet" };
    int checks = 0, smaller = 0;

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        weir_dataset *dataset = open_path(files[f], 0);
        const weir_schema *schema = weir_dataset_schema(dataset);

        for (int32_t c = 0; c < weir_schema_column_count(schema); c++) {
            const weir_pick shape = { .index = c, .forms = 1u << WEIR_SHAPE }, all = { .index = c };
            uint64_t most, took;

            if (weir_schema_column(schema, c)->leaf >= 0)
                continue;
            most = least_of_leaves(dataset, c);
            took = bytes_read(dataset, &shape);
            checks++;
            smaller += took < bytes_read(dataset, &all);
            cr_expect_leq(took, most, "%s: column %d", files[f], c);
        }
        weir_dataset_close(dataset);
    }
    cr_expect_gt(checks, 5);
    cr_expect_gt(smaller, 2);
}

/* ---- beside other columns, and where there is none ---- */

Test(shape, of_a_column_that_a_file_lacks_is_all_null)
{
    const char *const paths[] = { "datasets/golden/nested_pyarrow_v1.parquet",
                                  "datasets/golden/pyarrow_metadata.parquet" };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_file_info info = WEIR_FILE_INFO_INIT;
    weir_dataset *dataset = NULL;
    weir_error err;
    int64_t rows = 0, nulls = 0;
    int nested = 0;

    options.flags = WEIR_UNIFY;
    cr_assert_eq(weir_open(paths, 2, &options, &dataset, &err), WEIR_OK, "%s", err.text);
    cr_assert_eq(weir_dataset_file(dataset, 0, &info, &err), WEIR_OK, "%s", err.text);
    const weir_schema *schema = weir_dataset_schema(dataset);

    for (int32_t c = 0; c < weir_schema_column_count(schema); c++) {
        const weir_pick pick = { .index = c, .forms = 1u << WEIR_SHAPE };
        const weir_query query = query_of(&pick);
        weir_columns *columns = NULL;
        const weir_batch *batch;

        if (weir_schema_column(schema, c)->leaf >= 0)
            continue;
        nested++;
        cr_assert_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_OK, "%s", err.text);
        for (rows = nulls = 0; (batch = weir_columns_next(columns)) != NULL;) {
            rows += batch->rows;
            nulls = batch->columns[0].nulls;
            cr_expect_eq(batch->columns[0].form, WEIR_SHAPE);
            cr_expect_eq(batch->columns[0].child_count, 0);
            if (batch->first_row >= info.rows)
                cr_expect_eq(nulls, batch->rows);
        }
        cr_assert_eq(weir_columns_close(columns, &err), WEIR_OK, "%s", err.text);
        cr_expect_gt(rows, info.rows);
    }
    cr_expect_gt(nested, 0);
    weir_dataset_close(dataset);
}

Test(shape, goes_before_the_other_forms_and_has_no_arrow_type)
{
    weir_dataset *dataset = open_path("datasets/golden/nested_pyarrow_v1.parquet", 0);
    const weir_schema *schema = weir_dataset_schema(dataset);
    int32_t nested = 0;

    while (weir_schema_column(schema, nested)->leaf >= 0)
        nested++;
    const weir_pick shape = { .index = nested, .forms = 1u << WEIR_CODES | 1u << WEIR_SHAPE };
    weir_query query = query_of(&shape);
    weir_columns *columns = NULL;
    const weir_batch *batch;
    struct ArrowArray array;
    struct ArrowSchema made;
    weir_error err;

    cr_assert_eq(weir_columns_open(dataset, &query, &columns, &err), WEIR_OK, "%s", err.text);
    batch = weir_columns_next(columns);
    cr_assert_not_null(batch);
    cr_expect_eq(batch->columns[0].form, WEIR_SHAPE);
    cr_expect_eq(weir_arrow_batch(batch, NULL, &array, &made, &err), WEIR_BAD_CALL);
    weir_columns_close(columns, NULL);
    weir_dataset_close(dataset);
}
