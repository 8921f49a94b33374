/* SPDX-License-Identifier: Apache-2.0
 * stress_queries.c: queries made at random (columns, forms, ranges from both ends, batches,
 * threads, memory, maps) over files that differ, read by columns, by rows with seeks and by fold:
 * every cell is what a plain scan on one thread gives, every row comes once and in order. A plain
 * main, for the thread sanitizer. Usage: stress_queries [QUERIES [SEED]]. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum {
    PICKS = 6,
    COLUMNS_MOST = 64,
    CONTEXTS = 4
};

static const char *const paths[] = { "datasets/sample" };

typedef struct truth {
    int64_t rows;
    int columns;
    uint64_t *cells; /* a hash of each cell's text */
} truth;

typedef struct plan { /* a query and what it is to give */
    weir_query query;
    weir_pick picks[PICKS];
    int columns[COLUMNS_MOST]; /* of the dataset, one a column of the result */
    int64_t from, to;
} plan;

static truth all;
static uint64_t state;
static uint64_t null_cell;
static long cells, limits, wrong;

#define CHECK(x, ...)                                        \
    do {                                                     \
        if (!(x)) {                                          \
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED); \
            printf("%s: ", #x);                              \
            printf(__VA_ARGS__);                             \
            putchar('\n');                                   \
        }                                                    \
    } while (0)

/* 0 to `most` - 1. */
static int64_t dice(int64_t most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)most);
}

static uint64_t hash_text(const char *text, size_t size)
{
    uint64_t h = 1469598103934665603u;

    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_cell(const weir_vector *v, int64_t row)
{
    char text[256];
    const size_t size = weir_value_text(v, row, WEIR_TEXT_JSON, text, sizeof text);

    return hash_text(text, size < sizeof text ? size : sizeof text - 1);
}

static bool cell_is_right(const weir_vector *v, int64_t row, int64_t number, int column)
{
    const uint64_t truly = all.cells[number * all.columns + column];

    __atomic_fetch_add(&cells, 1, __ATOMIC_RELAXED);
    if (v->form == WEIR_SHAPE)
        return weir_is_null(v, row) == (truly == null_cell);
    return hash_cell(v, row) == truly;
}

static bool batch_is_right(const weir_batch *batch, const plan *p)
{
    for (size_t c = 0; c < batch->column_count; c++) {
        const weir_vector *v = &batch->columns[c];
        int64_t nulls = 0;

        for (int64_t i = 0; i < batch->rows; i++) {
            nulls += weir_is_null(v, i);
            if (!cell_is_right(v, i, batch->first_row + i, p->columns[c]))
                return false;
        }
        if (nulls != v->nulls || v->rows != batch->rows)
            return false;
    }
    return true;
}

/* ---- making queries ---- */

static void choose(plan *p)
{
    static const uint32_t forms[] = {
        1u << WEIR_CODES, 1u << WEIR_CODES | 1u << WEIR_ONE, 1u << WEIR_ONE, 1u << WEIR_SHAPE, 0, 0
    };
    const int64_t count = dice(PICKS + 1);

    *p = (plan){ .query = WEIR_QUERY_INIT };
    for (int i = 0; i < all.columns; i++)
        p->columns[i] = i;
    for (int64_t i = 0; i < count; i++) {
        p->columns[i] = (int)dice(all.columns);
        p->picks[i] = (weir_pick){ .index = p->columns[i], .forms = forms[dice(6)] };
    }
    p->query.picks = count ? p->picks : NULL;
    p->query.pick_count = (size_t)count;
    p->from = dice(4) ? dice(all.rows + 3) : 0;
    p->to = all.rows;
    p->query.first_row = p->from < all.rows && dice(4) == 0 ? p->from - all.rows : p->from;
    if (dice(3)) {
        p->query.row_limit = 1 + dice(5000);
        p->to = p->from + p->query.row_limit < all.rows ? p->from + p->query.row_limit : all.rows;
    }
    if (p->from > p->to)
        p->from = p->to;
    p->query.batch_rows = dice(20) == 0 ? 1 + dice(5) : dice(2) * dice(3000);
    p->query.batch_bytes = dice(3) ? 0 : (size_t)(1 + dice(100000));
    p->query.threads = dice(4) == 0;
}

static weir_status open_all(weir_context *context, bool is_plain, weir_dataset **out)
{
    weir_options options = WEIR_OPTIONS_INIT;

    options.context = context;
    options.flags = WEIR_UNIFY | WEIR_ANY_CASE;
    if (!is_plain) {
        options.memory = dice(3) ? 0 : (size_t)(1 + dice(5000000));
        options.memory_limit = dice(4) ? 0 : (size_t)(100000 + dice(8000000));
        options.flags |= dice(3) ? 0 : WEIR_MAP_FILES;
        options.flags |= dice(3) ? 0 : WEIR_NO_PAGE_INDEX;
    }
    return weir_open(paths, sizeof paths / sizeof *paths, &options, out, NULL);
}

/* ---- ways to read ---- */

static weir_status by_columns(const weir_dataset *dataset, const plan *p, weir_error *err)
{
    weir_columns *columns = NULL;
    const weir_batch *batch;
    int64_t next = p->from;
    weir_status status = weir_columns_open(dataset, &p->query, &columns, err);

    if (status != WEIR_OK)
        return status;
    for (; (batch = weir_columns_next(columns)) != NULL; next += batch->rows)
        CHECK(batch->first_row == next && batch_is_right(batch, p), "batch at %" PRId64, next);
    status = weir_columns_close(columns, err);
    CHECK(status != WEIR_OK || next == p->to, "ended at %" PRId64 " of %" PRId64, next, p->to);
    return status;
}

static weir_status by_rows(const weir_dataset *dataset, plan *p, weir_error *err)
{
    const size_t count = p->query.pick_count ? p->query.pick_count : (size_t)all.columns;
    weir_rows *rows = NULL;
    weir_status status;

    for (size_t i = 0; i < p->query.pick_count; i++)
        p->picks[i].forms = 0;
    status = weir_rows_open(dataset, &p->query, &rows, err);
    for (int jump = 0; status == WEIR_OK && jump < 5 && p->from < p->to; jump++) {
        const int64_t first = p->from + dice(p->to - p->from);
        const int64_t last = first + dice(400) < p->to ? first + dice(400) : p->to;

        status = weir_rows_seek(rows, first, err);
        for (int64_t row = first; status == WEIR_OK && row < last && row < p->to; row++) {
            if (!weir_rows_next(rows)) {
                status = weir_rows_error(rows, err);
                CHECK(status != WEIR_OK, "no row %" PRId64, row);
                break;
            }
            CHECK(weir_rows_number(rows) == row, "%" PRId64 " for %" PRId64, weir_rows_number(rows),
                  row);
            for (size_t c = 0; c < count; c++)
                CHECK(cell_is_right(&rows->columns[c], rows->row, row, p->columns[c]),
                      "row %" PRId64 ", column %zu", row, c);
        }
    }
    weir_rows_close(rows, NULL);
    return status;
}

typedef struct span {
    int64_t first, end, gaps;
} span;

static bool see(void *into, const weir_batch *batch, void *user)
{
    span *s = into;

    s->gaps += s->end > 0 && batch->first_row != s->end;
    s->first = s->end ? s->first : batch->first_row;
    s->end = batch->first_row + batch->rows;
    CHECK(batch_is_right(batch, user), "batch at %" PRId64, batch->first_row);
    return true;
}

static void join(void *into, void *from, void *user)
{
    span *a = into, *b = from;

    (void)user;
    a->gaps += b->gaps + (a->end > 0 && a->end != b->first);
    a->first = a->end ? a->first : b->first;
    a->end = b->end;
}

static weir_status by_fold(const weir_dataset *dataset, plan *p, weir_error *err)
{
    const weir_folder folder = {
        .size = sizeof folder, .state_size = sizeof(span), .batch = see, .merge = join
    };
    span whole = { 0 };
    const weir_status status = weir_fold(dataset, &p->query, &folder, p, &whole, NULL, err);

    if (status == WEIR_OK && p->from < p->to)
        CHECK(whole.gaps == 0 && whole.first == p->from && whole.end == p->to,
              "rows %" PRId64 " to %" PRId64, whole.first, whole.end);
    return status;
}

static void try_one(weir_context *context)
{
    weir_dataset *dataset = NULL;
    weir_error err = { 0 };
    weir_status status;
    plan p;

    status = open_all(context, false, &dataset);
    choose(&p);
    if (status == WEIR_OK)
        switch (dice(3)) {
        case 0:
            status = by_columns(dataset, &p, &err);
            break;
        case 1:
            status = by_rows(dataset, &p, &err);
            break;
        default:
            status = by_fold(dataset, &p, &err);
        }
    CHECK(status == WEIR_OK || status == WEIR_LIMIT, "%s", err.text);
    limits += status == WEIR_LIMIT;
    weir_dataset_close(dataset);
}

/* ---- the truth ---- */

static bool learn(weir_context *context)
{
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    int64_t seen = 0;

    null_cell = hash_text("null", 4);
    if (open_all(context, true, &dataset) != WEIR_OK ||
        weir_dataset_rows(dataset, &all.rows, NULL) != WEIR_OK)
        return false;
    all.columns = weir_schema_column_count(weir_dataset_schema(dataset));
    all.cells = calloc((size_t)(all.rows * all.columns), sizeof *all.cells);
    if (!all.cells || all.columns > COLUMNS_MOST ||
        weir_columns_open(dataset, NULL, &columns, NULL) != WEIR_OK)
        return false;
    for (; (batch = weir_columns_next(columns)) != NULL; seen += batch->rows)
        for (int64_t i = 0; i < batch->rows; i++)
            for (int c = 0; c < all.columns; c++)
                all.cells[(seen + i) * all.columns + c] = hash_cell(&batch->columns[c], i);
    weir_dataset_close(dataset);
    return weir_columns_close(columns, NULL) == WEIR_OK && seen == all.rows;
}

int main(int argc, char **argv)
{
    static const int threads[CONTEXTS] = { 1, 2, 3, 7 };
    const long queries = argc > 1 ? atol(argv[1]) : 60;
    weir_context *contexts[CONTEXTS];

    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int i = 0; i < CONTEXTS; i++)
        if (weir_context_open(threads[i], &contexts[i], NULL) != WEIR_OK)
            return 1;
    if (!learn(contexts[0])) {
        printf("%s can't be read\n", paths[0]);
        return 1;
    }
    for (long i = 0; i < queries; i++)
        try_one(contexts[dice(CONTEXTS)]);
    for (int i = 0; i < CONTEXTS; i++)
        weir_context_close(contexts[i]);
    free(all.cells);
    printf("%ld queries, %ld cells, %ld met their limit of memory: %ld wrong\n", queries, cells,
           limits, wrong);
    return wrong != 0 || cells == 0;
}
