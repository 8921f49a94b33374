/* SPDX-License-Identifier: Apache-2.0
 * test_checked.c: a program compiled with WEIR_CHECKED is stopped where it asks wrongly, and
 * nowhere else. A plain main: it forks, which a test runner with threads takes amiss. */
#define WEIR_CHECKED
#include <weir/weir.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int checks, failures;

#define EXPECT(ok, ...)                                     \
    do {                                                    \
        checks++;                                           \
        if (!(ok)) {                                        \
            failures++;                                     \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #ok); \
            printf(__VA_ARGS__);                            \
            printf("\n");                                   \
        }                                                   \
    } while (0)

/* What the rest of the test stands on. */
#define NEED(ok)                                            \
    do {                                                    \
        if (!(ok)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #ok); \
            exit(1);                                        \
        }                                                   \
    } while (0)

static const char *const sample[] = { "datasets/golden/pyarrow_nested_beside_flat.parquet" };

typedef struct cursor {
    weir_dataset *dataset;
    weir_rows *rows;
    weir_item kept; /* of the first row */
    int before, list, structure, map, after;
} cursor;

/* At the first row of `batch_rows` a batch. */
static cursor open_cursor(int64_t batch_rows)
{
    weir_query query = WEIR_QUERY_INIT;
    cursor c = { 0 };

    query.batch_rows = batch_rows;
    query.threads = 1;
    NEED(weir_open(sample, 1, NULL, &c.dataset, NULL) == WEIR_OK);
    NEED(weir_rows_open(c.dataset, &query, &c.rows, NULL) == WEIR_OK);
    c.before = weir_rows_column(c.rows, "before");
    c.list = weir_rows_column(c.rows, "list");
    c.structure = weir_rows_column(c.rows, "struct");
    c.map = weir_rows_column(c.rows, "map");
    c.after = weir_rows_column(c.rows, "after");
    NEED(weir_rows_next(c.rows));
    c.kept = weir_rows_item(c.rows, c.list);
    return c;
}

static void close_cursor(cursor *c)
{
    weir_rows_close(c->rows, NULL);
    weir_dataset_close(c->dataset);
}

/* What `wrong` says before it is stopped; "" if it isn't. */
static void expect_stop(void (*wrong)(cursor *c), int64_t batch_rows, const char *word)
{
    char text[400] = "";
    size_t used = 0;
    ssize_t got;
    int ends[2], how = 0;
    pid_t child;

    NEED(pipe(ends) == 0);
    child = fork();
    NEED(child >= 0);
    if (child == 0) { /* all of weir in the child: threads don't come along */
        cursor c;

        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        c = open_cursor(batch_rows);
        wrong(&c);
        _exit(0);
    }
    close(ends[1]);
    while (used + 1 < sizeof text && (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    NEED(waitpid(child, &how, 0) == child);
    EXPECT(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT, "%s: not stopped: %s", word, text);
    EXPECT(strncmp(text, "weir: weir_", 11) == 0, "%s", text);
    EXPECT(strstr(text, word) != NULL, "%s: said %s", word, text);
}

static void other_type(cursor *c)
{
    (void)weir_rows_f64(c->rows, c->before);
}

static void text_as_number(cursor *c)
{
    (void)weir_item_i64(weir_rows_item(c->rows, c->after));
}

static void number_as_text(cursor *c)
{
    (void)weir_item_bytes(weir_rows_item(c->rows, c->before));
}

static void struct_as_list(cursor *c)
{
    (void)weir_item_list(weir_rows_item(c->rows, c->structure));
}

static void list_as_struct(cursor *c)
{
    (void)weir_item_field(weir_rows_item(c->rows, c->list), 0);
}

static void far_element(cursor *c)
{
    (void)weir_list_at(weir_item_list(weir_rows_item(c->rows, c->list)), 1);
}

static void far_field(cursor *c)
{
    (void)weir_item_field(weir_rows_item(c->rows, c->structure), 1);
}

static void far_column(cursor *c)
{
    (void)weir_rows_i64(c->rows, 5);
}

static void no_column(cursor *c)
{
    (void)weir_rows_is_null(c->rows, -1);
}

static void far_row(cursor *c)
{
    (void)weir_is_null(&c->rows->columns[0], c->rows->count);
}

static void after_next(cursor *c)
{
    (void)weir_rows_next(c->rows);
    (void)weir_item_list(c->kept);
}

static void past_the_end(cursor *c)
{
    while (weir_rows_next(c->rows))
        ;
    (void)weir_rows_i64(c->rows, 0);
}

static bool never(void *user, const weir_visit *at)
{
    (void)user;
    (void)at;
    return true;
}

static void visit_past_the_end(cursor *c)
{
    while (weir_rows_next(c->rows))
        ;
    (void)weir_rows_visit(c->rows, never, NULL);
}

static void number_past_the_end(cursor *c)
{
    while (weir_rows_next(c->rows))
        ;
    (void)weir_rows_number(c->rows);
}

static void list_as_map(cursor *c)
{
    weir_item found;

    (void)weir_map_find_i64(weir_rows_item(c->rows, c->list), 1, &found);
}

static void text_key_as_number(cursor *c)
{
    weir_item found;

    (void)weir_map_find_i64(weir_rows_item(c->rows, c->map), 1, &found);
}

static void count_after_next(cursor *c)
{
    const weir_item kept = weir_rows_item(c->rows, c->structure);

    (void)weir_rows_next(c->rows);
    (void)weir_item_field_count(kept);
}

/* The first row's list, of which only the length was read. */
static weir_list list_of_shape(const cursor *c)
{
    const weir_pick pick = { .path = "list", .forms = 1u << WEIR_SHAPE };
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    const weir_batch *batch;

    query.picks = &pick;
    query.pick_count = 1;
    NEED(weir_columns_open(c->dataset, &query, &columns, NULL) == WEIR_OK);
    batch = weir_columns_next(columns);
    NEED(batch != NULL);
    return weir_item_list(weir_vector_item(&batch->columns[0], 0));
}

static void element_of_shape(cursor *c)
{
    const weir_list list = list_of_shape(c);

    NEED(list.count == 1);
    (void)weir_item_i64(weir_list_at(list, 0));
}

static void elements_of_shape(cursor *c)
{
    (void)weir_list_i64s(list_of_shape(c));
}

static void fields_of_shape(cursor *c)
{
    (void)weir_item_field_count(list_of_shape(c).first);
}

static void another_type_is_stopped(void)
{
    expect_stop(other_type, 0, "another type");
    expect_stop(text_as_number, 0, "another type");
    expect_stop(number_as_text, 0, "another type");
    expect_stop(struct_as_list, 0, "neither a list nor a map");
    expect_stop(list_as_struct, 0, "not a struct");
    expect_stop(list_as_map, 0, "not a map");
    expect_stop(text_key_as_number, 0, "keys are of another type");
}

static void what_lies_outside_is_stopped(void)
{
    expect_stop(far_element, 0, "no such element");
    expect_stop(far_field, 0, "no such field");
    expect_stop(far_column, 0, "no such column");
    expect_stop(no_column, 0, "no such column");
    expect_stop(far_row, 0, "no such row");
    expect_stop(past_the_end, 0, "no row");
    expect_stop(visit_past_the_end, 0, "no row");
    expect_stop(number_past_the_end, 0, "no row");
    expect_stop(element_of_shape, 0, "shape alone");
    expect_stop(elements_of_shape, 0, "shape alone");
    expect_stop(fields_of_shape, 0, "shape alone");
}

static void a_row_that_is_gone_is_stopped(void)
{
    expect_stop(after_next, 0, "has left the row");
    expect_stop(count_after_next, 1, "has left the row");
    expect_stop(after_next, 1, "has left the row"); /* the next row has the same place in a batch */
}

static void right_uses_go_through(void)
{
    cursor c = open_cursor(1);
    weir_item found = { 0 };
    int n = 0;

    do {
        const weir_item map = weir_rows_item(c.rows, c.map);
        const weir_view key = { (const uint8_t *)"k", 1 };
        const weir_list elements = weir_item_list(weir_rows_item(c.rows, c.list));

        EXPECT(weir_rows_i64(c.rows, c.before) == ++n, "row %d", n);
        for (int64_t i = 0; i < elements.count; i++)
            EXPECT(weir_item_i64(weir_list_at(elements, i)) == weir_list_i64s(elements)[i],
                   "row %d", n);
        if (weir_map_find(map, key, &found))
            EXPECT(weir_item_i32(found) == 1, "row %d", n);
    } while (weir_rows_next(c.rows));
    EXPECT(n == 3, "%d rows", n);
    close_cursor(&c);
}

int main(void)
{
    right_uses_go_through();
    another_type_is_stopped();
    what_lies_outside_is_stopped();
    a_row_that_is_gone_is_stopped();
    printf("%d checks, %d failures\n", checks, failures);
    return failures > 0;
}
