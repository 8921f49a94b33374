/* SPDX-License-Identifier: Apache-2.0
 * digest.c: `weir digest`: a line a leaf with a checksum of what its files say, however they are
 * packed. Folds over all columns at once; when that fails, over each for itself, and over each leaf
 * of one that fails, so that a bad one doesn't hide the others. */
#include "digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct digest_state { /* of the fold */
    digest_scratch *scratch;  /* NULL until the first batch */
    digest_leaf leaves[];     /* of the columns that are read */
} digest_state;

typedef struct digest_job {
    cli_session session;
    const weir_schema *schema;
    const weir_schema *written; /* the first file's: what paths and levels are told by */
    digest_plan plan;
    cli_crc_table table;
    weir_pick *picks; /* of the fold that runs: columns in the schema's order */
    size_t pick_count;
    int32_t leaf_count; /* of these columns */
} digest_job;

/* ---- the fold ---- */

static int32_t count_leaves(const weir_schema *schema, const weir_field *column)
{
    const int32_t count = weir_schema_field_count(schema);
    int32_t leaves = 0, i;

    for (i = column->index; i < count; i++) {
        const weir_field *field = weir_schema_field(schema, i);

        if (field->column != column->column)
            break;
        leaves += field->leaf >= 0;
    }
    return leaves;
}

static bool fold_batch(void *state, const weir_batch *batch, void *user)
{
    const digest_job *job = user;
    digest_state *own = state;
    digest_leaf *leaves = own->leaves;
    size_t i;

    if (!own->scratch)
        own->scratch = digest_scratch_open(&job->plan);
    for (i = 0; i < batch->column_count; i++) {
        const weir_field *field = weir_schema_column(job->schema, job->picks[i].index);

        digest_add(leaves, &batch->columns[i], field, &job->plan, own->scratch, &job->table);
        leaves += count_leaves(job->schema, field);
    }
    return true;
}

static void fold_merge(void *into, void *from, void *user)
{
    const digest_job *job = user;
    digest_leaf *a = ((digest_state *)into)->leaves;
    const digest_leaf *b = ((const digest_state *)from)->leaves;
    int32_t i;

    for (i = 0; i < job->leaf_count; i++) {
        a[i].crc = cli_crc_join(a[i].crc, b[i].crc, b[i].bytes);
        a[i].bytes += b[i].bytes;
        a[i].slots += b[i].slots;
        a[i].nulls += b[i].nulls;
        a[i].is_confused |= b[i].is_confused;
    }
}

static void fold_end(void *state, void *user)
{
    digest_state *own = state;

    (void)user;
    digest_scratch_close(own->scratch);
}

static size_t state_size(int32_t leaves)
{
    return sizeof(digest_state) + (size_t)leaves * sizeof(digest_leaf);
}

/* `picks` from the schema; `*out` is freed by free(). */
static weir_status fold(digest_job *job, weir_pick *picks, size_t count, digest_state **out,
                        weir_error *err)
{
    weir_folder folder = {
        .size = sizeof(folder), .batch = fold_batch, .merge = fold_merge, .end = fold_end
    };
    weir_query query = cli_query(job->session.args);
    weir_status status;
    size_t i;

    job->picks = picks;
    job->pick_count = count;
    job->leaf_count = 0;
    for (i = 0; i < count; i++)
        job->leaf_count +=
            count_leaves(job->schema, weir_schema_column(job->schema, picks[i].index));
    folder.state_size = state_size(job->leaf_count);
    *out = cli_alloc(NULL, 1, folder.state_size);
    memset(*out, 0, folder.state_size);
    query.picks = picks;
    query.pick_count = count;
    status = weir_fold(job->session.dataset, &query, &folder, job, *out, NULL, err);
    digest_scratch_close((*out)->scratch);
    return status;
}

/* ---- lines ---- */

static void put_path(cli_out *out, const weir_schema *schema, const weir_field *field)
{
    const size_t size = weir_schema_path(schema, field->index, NULL, 0);

    weir_schema_path(schema, field->index, cli_reserve(out, size + 1), size + 1);
    out->used += size;
}

static void print_leaf(digest_job *job, const weir_field *field, const digest_leaf *leaf)
{
    cli_out *out = &job->session.out;

    put_path(out, job->written, field);
    cli_printf(out, "\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%08" PRIx32 "\n",
               field->max_repetition, field->max_definition, leaf->slots, leaf->slots - leaf->nulls,
               leaf->nulls, leaf->crc);
    cli_drain(out);
}

static void say_leaf(digest_job *job, const weir_field *field, const char *why)
{
    cli_out path = { .fd = -1 };

    put_path(&path, job->written, field);
    cli_putc(&path, '\0');
    cli_flush(&job->session.out);
    cli_say("%s: %s", path.data, why);
    cli_fini(&path);
    if (job->session.code < CLI_DATA)
        job->session.code = CLI_DATA;
}

static void say_leaf_error(digest_job *job, const weir_field *field, const weir_error *err)
{
    cli_out why = { .fd = -1 };

    cli_put_error(&why, err);
    cli_putc(&why, '\0');
    say_leaf(job, field, why.data);
    cli_fini(&why);
}

static void finish_leaf(digest_job *job, int32_t index, const digest_leaf *leaf)
{
    const weir_field *field = weir_schema_leaf(job->written, index);

    if (leaf->is_confused)
        say_leaf(job, field, "required in the first file, but null in another");
    else
        print_leaf(job, field, leaf);
}

/* ---- the job ---- */

/* Folds over what `pick` gives, the one column of `schema`. */
static weir_status fold_part(const digest_job *job, const weir_schema *schema, weir_pick *pick,
                             digest_leaf *out, weir_error *err)
{
    digest_job part = *job;
    digest_state *state;
    weir_status status;

    part.schema = schema;
    digest_plan_init(&part.plan, schema);
    status = fold(&part, pick, 1, &state, err);
    *out = state->leaves[part.leaf_count - 1]; /* before it lie the keys of maps on the way */
    free(state);
    digest_plan_fini(&part.plan);
    return status;
}

/* A leaf of a nested column, without those beside it. */
static void read_leaf(digest_job *job, int32_t index)
{
    cli_out path = { .fd = -1 };
    weir_query query = cli_query(job->session.args);
    weir_pick pick = { .index = 0 };
    weir_columns *columns;
    digest_leaf leaf;
    weir_error err;
    weir_status status;

    put_path(&path, job->schema, weir_schema_leaf(job->schema, index));
    cli_putc(&path, '\0');
    pick.path = path.data;
    query.picks = &pick;
    query.pick_count = 1;
    status = weir_columns_open(job->session.dataset, &query, &columns, &err);
    if (status == WEIR_OK) {
        status = fold_part(job, weir_columns_schema(columns), &pick, &leaf, &err);
        weir_columns_close(columns, NULL);
    }
    if (status == WEIR_OK)
        finish_leaf(job, index, &leaf);
    else
        say_leaf_error(job, weir_schema_leaf(job->written, index), &err);
    cli_fini(&path);
}

/* Each leaf of it gets its line, or the reason why not. Gives the leaf after it. */
static int32_t read_column(digest_job *job, int32_t column, int32_t leaf)
{
    weir_pick pick = { .index = column };
    digest_state *state;
    weir_error err;
    const weir_status status = fold(job, &pick, 1, &state, &err);
    const int32_t end = leaf + job->leaf_count;

    for (int32_t i = 0; leaf < end; leaf++, i++) {
        if (status == WEIR_OK)
            finish_leaf(job, leaf, &state->leaves[i]);
        else if (job->leaf_count > 1)
            read_leaf(job, leaf);
        else
            say_leaf_error(job, weir_schema_leaf(job->written, leaf), &err);
    }
    free(state);
    return end;
}

/* Columns that have leaves, in schema order. */
static size_t find_columns(const weir_schema *schema, weir_pick *picks)
{
    const int32_t count = weir_schema_leaf_count(schema);
    size_t found = 0;
    int32_t i;

    for (i = 0; i < count; i++) {
        const int32_t column = weir_schema_leaf(schema, i)->column;

        if (found > 0 && picks[found - 1].index == column)
            continue;
        memset(&picks[found], 0, sizeof(picks[found]));
        picks[found++].index = column;
    }
    return found;
}

static void print_leaves(digest_job *job)
{
    const int32_t count = weir_schema_leaf_count(job->schema);
    weir_pick *picks = cli_alloc(NULL, (size_t)count, sizeof(*picks));
    const size_t columns = find_columns(job->schema, picks);
    digest_state *state = NULL;
    int32_t leaf = 0;
    size_t i;

    if (columns > 0 && fold(job, picks, columns, &state, NULL) == WEIR_OK) {
        for (leaf = 0; leaf < count; leaf++)
            finish_leaf(job, leaf, &state->leaves[leaf]);
    } else {
        for (i = 0; i < columns; i++)
            leaf = read_column(job, picks[i].index, leaf);
    }
    free(state);
    free(picks);
}

/* Files have the same columns, but each its way to write them. */
static bool find_written(digest_job *job)
{
    weir_file_info info = { .size = sizeof(info) };
    weir_error err;

    if (weir_dataset_file(job->session.dataset, 0, &info, &err) == WEIR_OK) {
        job->written = info.written;
        return true;
    }
    cli_fail(&job->session, &err);
    return false;
}

static void print_rows(digest_job *job)
{
    weir_error err;
    int64_t rows;

    if (weir_dataset_rows(job->session.dataset, &rows, &err) == WEIR_OK)
        cli_printf(&job->session.out, "rows\t%" PRId64 "\n", rows);
    else
        cli_fail(&job->session, &err);
}

int cli_digest(const cli_args *args)
{
    digest_job *job = cli_alloc(NULL, 1, sizeof(*job));
    int code;

    memset(job, 0, sizeof(*job));
    if (cli_open(&job->session, args)) {
        int64_t rows = -1;

        job->schema = weir_dataset_schema(job->session.dataset);
        if (isatty(STDERR_FILENO) && !args->is_quiet)
            (void)weir_dataset_rows(job->session.dataset, &rows, NULL);
        cli_progress_begin(&job->session.progress, args, job->session.dataset, true, rows);
        cli_crc_init(&job->table);
        digest_plan_init(&job->plan, job->schema);
        if (find_written(job)) {
            print_leaves(job);
            print_rows(job);
        }
        digest_plan_fini(&job->plan);
    }
    code = cli_close(&job->session);
    free(job);
    return code;
}
