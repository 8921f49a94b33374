/* SPDX-License-Identifier: Apache-2.0
 * same.c: every way of reading a file says the same. Rows, columns and fold; one thread and many;
 * any batch size and byte cap; each CPU level; sums verified or not, page index used or not, files
 * mapped or read; codes or plain values; seeks: the same values, nulls, lengths, bytes of slots,
 * and the same error at the same row. Usage: same FOLDER|FILE... ; folders are walked for all files
 * in them; `same corpus` takes $WEIR_CORPUS/parquet and $WEIR_CORPUS/hipo. */
#include "core/bits.h"
#include "core/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir/weir.h>

enum {
    COLUMNS_MOST = 2000,
    SEEKS = 6,
    SHORT = 64 /* files of so many rows are sought in everywhere */
};

typedef struct way {
    const char *name;
    int threads;
    int64_t batch_rows;
    size_t batch_bytes;
    uint32_t flags, forms;
    const char *simd;
    bool is_shape;  /* of the values nothing but nulls and lengths counts */
    bool is_summed; /* rows' hashes are added, not chained */
} way;

typedef struct outcome {
    weir_status status;
    int64_t rows, error_row, unsound; /* columns of batches */
    uint64_t hash[COLUMNS_MOST];      /* over rows, of nulls and slots */
    char text[sizeof((weir_error *)0)->text];
} outcome;

static long files, comparisons, differing, unreadable;

static uint64_t mix(uint64_t h, const void *data, size_t size)
{
    const uint8_t *p = data;

    h = (h ^ size) * 0x9e3779b97f4a7c15u;
    for (; size >= 8; p += 8, size -= 8)
        h = ((h ^ weir_load64(p)) * 0x9fb21c651e98df25u) ^ (h >> 29);
    for (; size > 0; size--)
        h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

/* Null or not, and the bytes of the slot: those of a null are zero. */
static uint64_t mix_leaf(uint64_t h, const weir_vector *v, int64_t row)
{
    const uint8_t is_null = weir_is_null(v, row);

    h = mix(h, &is_null, 1);
    if (v->type == WEIR_BOOL) {
        const uint8_t bit = weir_bool(v, row);

        return mix(h, &bit, 1);
    }
    const weir_view bytes = weir_bytes(v, row);

    return mix(h, bytes.data, bytes.size);
}

/* The same as for the values. */
static uint64_t mix_code(uint64_t h, const weir_vector *v, int64_t row)
{
    static const uint8_t zeros[65536];
    const uint8_t is_null = weir_is_null(v, row);

    h = mix(h, &is_null, 1);
    if (is_null) {
        const uint8_t bit = 0;

        if (v->type == WEIR_BOOL)
            return mix(h, &bit, 1);
        return mix(h, zeros, v->width);
    }
    const uint32_t code = ((const uint32_t *)v->values)[v->first + row];

    if (v->type == WEIR_BOOL) {
        const uint8_t bit = weir_bool(v->dictionary, code);

        return mix(h, &bit, 1);
    }
    const weir_view bytes = weir_bytes(v->dictionary, code);

    return mix(h, bytes.data, bytes.size);
}

/* A row's whole tree: what is null, how long lists are, and every leaf. What lies under a null is
 * nobody's. As deep as the schema. */
static uint64_t mix_value(uint64_t h, const weir_vector *v, int64_t row)
{
    const uint8_t is_null = weir_is_null(v, row);
    int32_t begin, end;

    if (v->type < WEIR_LIST)
        return v->form == WEIR_CODES ? mix_code(h, v, row) : mix_leaf(h, v, row);
    h = mix(h, &is_null, 1);
    if (v->type == WEIR_STRUCT) {
        for (size_t i = 0; !is_null && i < v->child_count; i++)
            h = mix_value(h, &v->children[i], row);
        return h;
    }
    begin = v->offsets[v->first + row];
    end = v->offsets[v->first + row + 1];
    h = mix(h, &(int32_t){ end - begin }, sizeof end);
    for (; begin < end; begin++)
        h = mix_value(h, &v->children[0], begin);
    return h;
}

/* The same through the cursors that a row gives. */
static uint64_t mix_item(uint64_t h, weir_item item)
{
    const weir_vector *v = item.vector;
    const uint8_t is_null = weir_item_is_null(item);
    weir_list list;

    if (v->type < WEIR_LIST)
        return mix_leaf(h, v, item.row);
    h = mix(h, &is_null, 1);
    if (v->type == WEIR_STRUCT) {
        for (size_t i = 0; !is_null && i < weir_item_field_count(item); i++)
            h = mix_item(h, weir_item_field(item, (int)i));
        return h;
    }
    list = weir_item_list(item);
    h = mix(h, &(int32_t){ (int32_t)list.count }, sizeof(int32_t));
    for (int64_t i = 0; i < list.count; i++)
        h = mix_item(h, weir_list_at(list, i));
    return h;
}

/* What a shape tells of a row, whatever the form. */
static uint64_t mix_shape(uint64_t h, const weir_vector *v, int64_t row)
{
    const uint8_t is_null = weir_is_null(v, row);

    h = mix(h, &is_null, 1);
    if (v->type == WEIR_LIST || v->type == WEIR_MAP)
        h = mix(h, &(int64_t){ weir_item_list(weir_vector_item(v, row)).count }, sizeof(int64_t));
    return h;
}

/* What the vectors promise of a nested column: see data.h. */
static bool is_sound(const weir_vector *v)
{
    const int32_t *offsets = v->offsets ? v->offsets + v->first : NULL;
    int64_t nulls = 0;

    for (int64_t i = 0; i < v->rows; i++)
        nulls += weir_is_null(v, i);
    if (nulls != v->nulls)
        return false;
    if (v->type == WEIR_LIST || v->type == WEIR_MAP) {
        if (v->form == WEIR_SHAPE ? v->child_count != 0
                                  : v->child_count != 1 || offsets[v->rows] != v->children[0].rows)
            return false;
        if (offsets[0] != 0)
            return false;
        for (int64_t i = 0; i < v->rows; i++)
            if (offsets[i] > offsets[i + 1] || (weir_is_null(v, i) && offsets[i] != offsets[i + 1]))
                return false;
    }
    for (size_t i = 0; v->type >= WEIR_LIST && i < v->child_count; i++)
        if ((v->type == WEIR_STRUCT && v->children[i].rows != v->rows) ||
            !is_sound(&v->children[i]))
            return false;
    return true;
}

static uint64_t row_hash(const weir_batch *batch, size_t c, int64_t i)
{
    const int64_t number = batch->first_row + i;

    return mix_value(mix(1, &number, sizeof number), &batch->columns[c], i);
}

static void sum_rows(uint64_t *sums, const weir_batch *batch)
{
    for (size_t c = 0; c < batch->column_count; c++)
        for (int64_t i = 0; i < batch->rows; i++)
            sums[c] += row_hash(batch, c, i);
}

static void mix_batch(outcome *out, const weir_batch *batch, const way *w)
{
    if (w->is_summed)
        sum_rows(out->hash, batch);
    for (size_t c = 0; c < batch->column_count; c++) {
        for (int64_t i = 0; i < batch->rows && !w->is_summed; i++)
            out->hash[c] =
                (w->is_shape ? mix_shape : mix_value)(out->hash[c], &batch->columns[c], i);
        if (batch->columns[c].rows != batch->rows ||
            (batch->columns[c].form != WEIR_ONE && !is_sound(&batch->columns[c])))
            out->unsound++;
    }
    out->rows += batch->rows;
}

static void note_end(outcome *out, weir_status status, const weir_error *err)
{
    out->status = status;
    out->error_row = status == WEIR_OK ? -1 : err->row;
    if (status != WEIR_OK)
        memcpy(out->text, err->text, sizeof out->text);
}

/* ---- ways to read ---- */

static weir_status open_file(const char *path, const way *w, weir_dataset **dataset,
                             weir_error *err)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_status status;

    if (w->simd)
        setenv("WEIR_SIMD", w->simd, 1);
    status = weir_context_open(w->threads, &options.context, err);
    unsetenv("WEIR_SIMD");
    if (status != WEIR_OK)
        return status;
    options.flags = w->flags;
    options.memory_limit = (size_t)1 << 30;
    status = weir_open(&path, 1, &options, dataset, err);
    weir_context_close(options.context);
    return status;
}

/* The columns that can be read. */
static size_t pick_columns(const weir_dataset *dataset, uint32_t forms, weir_pick *picks)
{
    const weir_schema *schema = weir_dataset_schema(dataset);
    size_t count = 0;

    for (int32_t c = 0; c < weir_schema_column_count(schema) && count < COLUMNS_MOST; c++) {
        weir_query query = WEIR_QUERY_INIT;
        weir_pick one = { .index = c };
        weir_columns *columns = NULL;

        query.picks = &one;
        query.pick_count = 1;
        query.threads = 1;
        if (weir_columns_open(dataset, &query, &columns, NULL) == WEIR_OK)
            picks[count++] = (weir_pick){ .index = c, .forms = forms };
        weir_columns_close(columns, NULL);
    }
    return count;
}

static weir_query query_of(const way *w, const weir_pick *picks, size_t count)
{
    weir_query query = WEIR_QUERY_INIT;

    query.picks = picks;
    query.pick_count = count;
    query.batch_rows = w->batch_rows;
    query.batch_bytes = w->batch_bytes;
    return query;
}

static void by_columns(const char *path, const way *w, outcome *out)
{
    static weir_pick picks[COLUMNS_MOST];
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_error err = { 0 };
    weir_status status = open_file(path, w, &dataset, &err);
    weir_query query;

    if (status == WEIR_OK) {
        query = query_of(w, picks, pick_columns(dataset, w->forms, picks));
        if (query.pick_count)
            status = weir_columns_open(dataset, &query, &columns, &err);
    }
    while (columns && (batch = weir_columns_next(columns)) != NULL)
        mix_batch(out, batch, w);
    if (columns)
        status = weir_columns_close(columns, &err);
    weir_dataset_close(dataset);
    note_end(out, status, &err);
}

static void by_rows(const char *path, const way *w, outcome *out)
{
    static weir_pick picks[COLUMNS_MOST];
    weir_dataset *dataset = NULL;
    weir_rows *rows = NULL;
    weir_error err = { 0 };
    weir_status status = open_file(path, w, &dataset, &err);
    weir_query query;

    if (status == WEIR_OK) {
        query = query_of(w, picks, pick_columns(dataset, 0, picks));
        if (query.pick_count)
            status = weir_rows_open(dataset, &query, &rows, &err);
    }
    while (rows && weir_rows_next(rows)) {
        for (size_t c = 0; c < query.pick_count; c++)
            out->hash[c] = mix_item(out->hash[c], weir_rows_item(rows, (int)c));
        out->rows++;
    }
    if (rows)
        status = weir_rows_close(rows, &err);
    weir_dataset_close(dataset);
    note_end(out, status, &err);
}

/* A fold's states can't be chained hashes. */
typedef struct summed {
    int64_t rows;
    uint64_t sum[COLUMNS_MOST];
} summed;

static bool sum_batch(void *state, const weir_batch *batch, void *user)
{
    summed *s = state;

    (void)user;
    sum_rows(s->sum, batch);
    s->rows += batch->rows;
    return true;
}

static void merge_sums(void *into, void *from, void *user)
{
    summed *a = into, *b = from;

    (void)user;
    for (size_t c = 0; c < COLUMNS_MOST; c++)
        a->sum[c] += b->sum[c];
    a->rows += b->rows;
}

static void by_fold(const char *path, const way *w, outcome *out)
{
    static weir_pick picks[COLUMNS_MOST];
    static summed result;
    const weir_folder folder = {
        .size = sizeof folder, .state_size = sizeof(summed), .batch = sum_batch, .merge = merge_sums
    };
    weir_dataset *dataset = NULL;
    weir_error err = { 0 };
    weir_status status = open_file(path, w, &dataset, &err);
    weir_query query;

    memset(&result, 0, sizeof result);
    if (status == WEIR_OK) {
        query = query_of(w, picks, pick_columns(dataset, 0, picks));
        if (query.pick_count)
            status = weir_fold(dataset, &query, &folder, NULL, &result, NULL, &err);
    }
    weir_dataset_close(dataset);
    out->rows = result.rows;
    memcpy(out->hash, result.sum, sizeof result.sum);
    note_end(out, status, &err);
}

/* ---- comparing ---- */

/* Sums and page indexes that are wrong may be noticed in one way alone. */
static void compare(const char *path, const char *name, const outcome *truth, const outcome *got)
{
    comparisons++;
    if (truth->status == got->status && truth->rows == got->rows &&
        truth->error_row == got->error_row && got->unsound + truth->unsound == 0 &&
        strcmp(truth->text, got->text) == 0 &&
        memcmp(truth->hash, got->hash, sizeof got->hash) == 0)
        return;
    differing++;
    printf("%s: %s: %" PRId64 " rows, %s at %" PRId64 " (%s), not %" PRId64 " rows, %s at %" PRId64
           " (%s)\n",
           path, name, got->rows, weir_status_name(got->status), got->error_row, got->text,
           truth->rows, weir_status_name(truth->status), truth->error_row, truth->text);
    if (truth->unsound + got->unsound)
        printf("    %" PRId64 " vectors are not what data.h says\n", truth->unsound + got->unsound);
}

static uint64_t hash_row(const weir_vector *columns, size_t count, int64_t row)
{
    uint64_t h = 0;

    for (size_t c = 0; c < count; c++)
        h = mix_value(h, &columns[c], row);
    return h;
}

/* Of every row, as a scan gives it. NULL: there is trouble. */
static uint64_t *hash_rows(const weir_dataset *dataset, const weir_query *query, int64_t rows)
{
    uint64_t *hashes = calloc((size_t)rows, sizeof *hashes);
    weir_columns *columns = NULL;
    const weir_batch *batch;
    int64_t got = 0;

    if (weir_columns_open(dataset, query, &columns, NULL) != WEIR_OK)
        got = -1;
    while (columns && (batch = weir_columns_next(columns)) != NULL)
        for (int64_t r = 0; r < batch->rows && got < rows; r++)
            hashes[got++] = hash_row(batch->columns, batch->column_count, r);
    if (weir_columns_close(columns, NULL) == WEIR_OK && got == rows)
        return hashes;
    free(hashes);
    return NULL;
}

/* Jumps to rows; what comes must be what a scan gives there. */
static void check_seeks(const char *path, const outcome *truth, uint32_t flags)
{
    static weir_pick picks[COLUMNS_MOST];
    const way plain = { .threads = 1, .flags = flags };
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    weir_rows *rows = NULL;
    const weir_batch *batch;
    const bool is_short = truth->rows <= SHORT;
    uint64_t random = 7, *hashes;

    if (truth->status != WEIR_OK || truth->rows == 0 ||
        open_file(path, &plain, &dataset, NULL) != WEIR_OK)
        return;
    query.picks = picks;
    query.pick_count = pick_columns(dataset, 0, picks);
    hashes = query.pick_count ? hash_rows(dataset, &query, truth->rows) : NULL;
    if (hashes && weir_rows_open(dataset, &query, &rows, NULL) == WEIR_OK)
        for (int64_t i = 0; i < (is_short ? truth->rows : SEEKS); i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const int64_t to =
                is_short ? truth->rows - 1 - i : (int64_t)((random >> 16) % (uint64_t)truth->rows);

            query.first_row = to;
            query.row_limit = 3;
            comparisons++;
            if (weir_rows_seek(rows, to, NULL) != WEIR_OK ||
                weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
                break;
            while ((batch = weir_columns_next(columns)) != NULL)
                for (int64_t r = 0; r < batch->rows; r++) {
                    const int64_t number = batch->first_row + r;
                    const bool is_same =
                        number < truth->rows && weir_rows_next(rows) &&
                        weir_rows_number(rows) == number &&
                        hash_row(rows->columns, query.pick_count, rows->row) == hashes[number] &&
                        hash_row(batch->columns, query.pick_count, r) == hashes[number];

                    if (!is_same) {
                        differing++;
                        printf("%s: row %" PRId64 " after a seek to %" PRId64 "\n", path, number,
                               to);
                    }
                }
            if (weir_columns_close(columns, NULL) != WEIR_OK) {
                differing++;
                printf("%s: a range at %" PRId64 " fails\n", path, to);
            }
            columns = NULL;
        }
    weir_rows_close(rows, NULL);
    weir_dataset_close(dataset);
    free(hashes);
}

/* The file in three ranges, one after another, is the file. */
static void check_ranges(const char *path, const outcome *truth)
{
    static outcome part;
    static weir_pick picks[COLUMNS_MOST];
    const way plain = { .threads = 1 };
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    const weir_batch *batch;

    if (truth->status != WEIR_OK || truth->rows < 3 ||
        open_file(path, &plain, &dataset, NULL) != WEIR_OK)
        return;
    memset(&part, 0, sizeof part);
    query.picks = picks;
    query.pick_count = pick_columns(dataset, 0, picks);
    for (int64_t at = 0; query.pick_count && at < truth->rows; at += truth->rows / 3 + 1) {
        query.first_row = at;
        query.row_limit = truth->rows / 3 + 1;
        if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
            break;
        while ((batch = weir_columns_next(columns)) != NULL)
            mix_batch(&part, batch, &plain);
        weir_columns_close(columns, NULL);
    }
    weir_dataset_close(dataset);
    part.error_row = -1;
    if (query.pick_count)
        compare(path, "in three ranges", truth, &part);
}

/* Trouble in what isn't read for it stays unnoticed. */
static void check_shapes(const char *path)
{
    static const way ways[] = {
        { .name = "shapes", .threads = 1 },
        { .name = "shapes by 7", .threads = 1, .batch_rows = 7 },
        { .name = "shapes on 3 threads", .threads = 3, .batch_rows = 100 },
        { .name = "shapes, scalar", .threads = 2, .simd = "scalar" },
    };
    static outcome truth, got;
    const way plain = { .threads = 1, .is_shape = true };

    memset(&truth, 0, sizeof truth);
    by_columns(path, &plain, &truth);
    for (size_t i = 0; truth.status == WEIR_OK && i < sizeof ways / sizeof *ways; i++) {
        way w = ways[i];

        w.is_shape = true;
        w.forms = 1u << WEIR_SHAPE;
        memset(&got, 0, sizeof got);
        by_columns(path, &w, &got);
        compare(path, w.name, &truth, &got);
    }
}

static void check_file(const char *path)
{
    static const way ways[] = {
        { .name = "batches of 1", .threads = 1, .batch_rows = 1 },
        { .name = "batches of 2", .threads = 1, .batch_rows = 2 },
        { .name = "batches of 7", .threads = 1, .batch_rows = 7 },
        { .name = "64 bytes", .threads = 1, .batch_bytes = 64 },
        { .name = "2 threads", .threads = 2 },
        { .name = "3 threads, batches of 100", .threads = 3, .batch_rows = 100 },
        { .name = "scalar", .threads = 1, .simd = "scalar" },
        { .name = "AVX2", .threads = 1, .simd = "avx2" },
        { .name = "mapped", .threads = 2, .flags = WEIR_MAP_FILES },
        { .name = "no page index", .threads = 1, .batch_rows = 1000, .flags = WEIR_NO_PAGE_INDEX },
        { .name = "codes", .threads = 2, .forms = 1u << WEIR_CODES },
    };
    static outcome truth, got;
    const way plain = { .threads = 1 };

    files++;
    memset(&truth, 0, sizeof truth);
    by_columns(path, &plain, &truth);
    unreadable += truth.status != WEIR_OK;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (truth.rows > 20000 && ways[i].batch_rows > 0 && ways[i].batch_rows < 7)
            continue;
        memset(&got, 0, sizeof got);
        by_columns(path, &ways[i], &got);
        compare(path, ways[i].name, &truth, &got);
    }
    memset(&got, 0, sizeof got);
    by_rows(path, &(way){ .threads = 2 }, &got);
    compare(path, "by rows", &truth, &got);
    memset(&got, 0, sizeof got);
    by_rows(path, &(way){ .threads = 1, .batch_rows = 7 }, &got);
    compare(path, "by rows, in batches of 7", &truth, &got);
    if (truth.status == WEIR_OK) {
        memset(&got, 0, sizeof got);
        by_columns(path, &(way){ .threads = 1, .flags = WEIR_NO_SUMS }, &got);
        compare(path, "no sums", &truth, &got);
    }
    check_seeks(path, &truth, 0);
    check_seeks(path, &truth, WEIR_NO_PAGE_INDEX);
    check_ranges(path, &truth);
    check_shapes(path);
    memset(&truth, 0, sizeof truth);
    memset(&got, 0, sizeof got);
    by_columns(path, &(way){ .threads = 1, .is_summed = true }, &truth);
    by_fold(path, &plain, &got);
    compare(path, "fold", &truth, &got);
    memset(&got, 0, sizeof got);
    by_fold(path, &(way){ .threads = 3 }, &got);
    compare(path, "fold on 3 threads", &truth, &got);
    memset(&got, 0, sizeof got);
    by_fold(path, &(way){ .threads = 2, .batch_rows = 7 }, &got);
    compare(path, "fold in batches of 7", &truth, &got);
}

int main(int argc, char **argv)
{
    const char *corpus = getenv("WEIR_CORPUS");
    const char *given[64];
    char folder[4096], hipo[4096];
    size_t count = 0;
    weir_paths paths;
    weir_error err;

    if (argc == 2 && strcmp(argv[1], "corpus") == 0) {
        if (!corpus ||
            (size_t)snprintf(folder, sizeof folder, "%s/parquet", corpus) >= sizeof folder) {
            printf("skipped: WEIR_CORPUS is not set\n");
            return 77;
        }
        given[count++] = folder;
    }
    if (count > 0 && (size_t)snprintf(hipo, sizeof hipo, "%s/hipo", corpus) < sizeof hipo &&
        access(hipo, R_OK) == 0)
        given[count++] = hipo;
    for (int i = 1; count < 63 && i < argc && !(i == 1 && count > 0); i++)
        given[count++] = argv[i];
    weir_paths_init(&paths);
    if (weir_paths_expand(given, count, &paths, &err) != WEIR_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < paths.count; i++)
        check_file(paths.items[i]);
    weir_paths_fini(&paths);
    printf("%ld files (%ld end with an error), %ld comparisons: %ld differ\n", files, unreadable,
           comparisons, differing);
    return differing != 0;
}
