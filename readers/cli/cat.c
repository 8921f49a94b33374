/* SPDX-License-Identifier: Apache-2.0
 * cat.c: `weir cat` and `weir head`: rows as a table, csv, tsv or JSON lines. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_LIMIT 10

typedef struct cat_job {
    cli_session session;
    cli_picks picks;
    cli_out keys; /* JSON lines: `"name":` of each column */
    size_t *key_ends;
    cli_out scratch; /* a table's cell */
    cli_table *table;
    int64_t first, limit; /* -1: no limit */
} cat_job;

/* ---- values ---- */

/* Integers are most of what is printed, and their text is the same in every style. */
static void put_whole(cli_out *out, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    cli_put(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_value(cli_out *out, const weir_vector *v, int64_t row, weir_text_style style)
{
    if (v->field->logical == WEIR_LOGICAL_NONE && v->type == WEIR_I64)
        put_whole(out, weir_i64s(v)[row]);
    else if (v->field->logical == WEIR_LOGICAL_NONE && v->type == WEIR_I32)
        put_whole(out, weir_i32s(v)[row]);
    else
        cli_put_value(out, v, row, style);
}

static bool is_number(const weir_field *field)
{
    return field->type != WEIR_BOOL && field->type != WEIR_BYTES && field->type != WEIR_FIXED
               ? field->logical == WEIR_LOGICAL_NONE || field->logical == WEIR_LOGICAL_INTEGER ||
                     field->logical == WEIR_LOGICAL_DECIMAL
               : field->logical == WEIR_LOGICAL_DECIMAL || field->logical == WEIR_LOGICAL_FLOAT16;
}

/* ---- the four formats ---- */

static void put_delimited(cat_job *job, const weir_batch *batch)
{
    cli_out *out = &job->session.out;
    const char separator = job->session.args->format == CLI_CSV ? ',' : '\t';
    int64_t row;
    size_t i;

    for (row = 0; row < batch->rows; row++) {
        for (i = 0; i < batch->column_count; i++) {
            const weir_vector *v = &batch->columns[i];
            const size_t begin = out->used + (i > 0);

            if (i > 0)
                cli_putc(out, separator);
            if (weir_is_null(v, row))
                continue;
            put_value(out, v, row, WEIR_TEXT_PLAIN);
            if (v->type == WEIR_BYTES || v->type == WEIR_FIXED)
                cli_quote(out, begin, separator);
        }
        cli_putc(out, '\n');
        cli_drain(out);
    }
}

static void put_jsonl(cat_job *job, const weir_batch *batch)
{
    cli_out *out = &job->session.out;
    int64_t row;
    size_t i;

    for (row = 0; row < batch->rows; row++) {
        size_t key = 0;

        cli_putc(out, '{');
        for (i = 0; i < batch->column_count; i++) {
            const weir_vector *v = &batch->columns[i];

            cli_put(out, job->keys.data + key, job->key_ends[i] - key);
            key = job->key_ends[i];
            if (weir_is_null(v, row))
                cli_puts(out, "null");
            else
                put_value(out, v, row, WEIR_TEXT_JSON);
        }
        cli_puts(out, "}\n");
        cli_drain(out);
    }
}

static void put_table(cat_job *job, const weir_batch *batch)
{
    int64_t row;
    size_t i;

    for (row = 0; row < batch->rows; row++)
        for (i = 0; i < batch->column_count; i++) {
            const weir_vector *v = &batch->columns[i];
            const bool is_null = weir_is_null(v, row);

            job->scratch.used = 0;
            if (is_null)
                cli_puts(&job->scratch, "null");
            else
                put_value(&job->scratch, v, row, WEIR_TEXT_PLAIN);
            cli_table_cell(job->table, job->scratch.data, job->scratch.used, is_null);
        }
}

/* ---- before the first row and after the last ---- */

static void begin_table(cat_job *job)
{
    size_t i;

    job->table = cli_table_open(&job->session.out, job->picks.count, job->session.args->has_header);
    for (i = 0; i < job->picks.count; i++)
        cli_table_column(job->table, i, job->picks.names[i], job->picks.name_sizes[i],
                         is_number(job->picks.fields[i]));
}

static void begin_delimited(cat_job *job)
{
    cli_out *out = &job->session.out;
    const char separator = job->session.args->format == CLI_CSV ? ',' : '\t';
    size_t i;

    if (!job->session.args->has_header || job->picks.count == 0)
        return;
    for (i = 0; i < job->picks.count; i++) {
        const size_t begin = out->used + (i > 0);

        if (i > 0)
            cli_putc(out, separator);
        cli_put(out, job->picks.names[i], job->picks.name_sizes[i]);
        cli_quote(out, begin, separator);
    }
    cli_putc(out, '\n');
}

static void begin_jsonl(cat_job *job)
{
    size_t i;

    job->keys.fd = -1;
    job->key_ends = cli_alloc(NULL, job->picks.count, sizeof(*job->key_ends));
    for (i = 0; i < job->picks.count; i++) {
        if (i > 0)
            cli_putc(&job->keys, ',');
        cli_put_json_text(&job->keys, job->picks.names[i], job->picks.name_sizes[i]);
        cli_putc(&job->keys, ':');
        job->key_ends[i] = job->keys.used;
    }
}

static void finish(cat_job *job)
{
    size_t left_out = 0;

    if (job->table)
        left_out = cli_table_close(job->table);
    cli_flush(&job->session.out);
    if (left_out > 0 && !job->session.args->is_quiet)
        cli_say("%zu %s left out for want of room: -c chooses, --format jsonl shows all", left_out,
                left_out == 1 ? "column" : "columns");
    free(job->key_ends);
    cli_fini(&job->keys);
    cli_fini(&job->scratch);
    cli_picks_fini(&job->picks);
}

/* ---- rows ---- */

/* Which rows: the options' skip, tail and limit. */
static bool find_range(cat_job *job)
{
    const cli_args *args = job->session.args;
    weir_error err;
    int64_t rows;

    job->limit = args->limit;
    if (job->limit < 0 && strcmp(args->name, "head") == 0)
        job->limit = args->tail >= 0 ? args->tail : HEAD_LIMIT;
    job->first = args->skip > 0 ? args->skip : 0;
    if (args->tail < 0)
        return true;
    if (weir_dataset_rows(job->session.dataset, &rows, &err) != WEIR_OK) {
        cli_fail(&job->session, &err);
        return false;
    }
    job->first = rows > args->tail ? rows - args->tail : 0;
    if (args->tail == 0)
        job->limit = 0;
    return true;
}

/* A table without columns still has rows: JSON lines show them, nothing else can. */
static void put_empty_rows(cat_job *job)
{
    weir_error err;
    int64_t rows, row;

    if (job->session.args->format != CLI_JSONL)
        return;
    if (weir_dataset_rows(job->session.dataset, &rows, &err) != WEIR_OK) {
        cli_fail(&job->session, &err);
        return;
    }
    for (row = job->first; row < rows && job->limit != 0; row++) {
        cli_puts(&job->session.out, "{}\n");
        cli_drain(&job->session.out);
        job->limit -= job->limit > 0;
    }
}

static void begin_progress(cat_job *job)
{
    /* Rows on the same terminal would run into the bar. */
    const bool is_wanted = !isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    int64_t rows = job->limit;

    if (is_wanted && rows < 0 && weir_dataset_rows(job->session.dataset, &rows, NULL) != WEIR_OK)
        rows = -1;
    cli_progress_begin(&job->session.progress, job->session.args, job->session.dataset, is_wanted,
                       rows);
}

static void begin_output(cat_job *job)
{
    if (job->session.args->format == CLI_TABLE)
        begin_table(job);
    else if (job->session.args->format == CLI_JSONL)
        begin_jsonl(job);
    else
        begin_delimited(job);
}

static void put_batch(cat_job *job, const weir_batch *batch)
{
    if (job->session.args->format == CLI_TABLE)
        put_table(job, batch);
    else if (job->session.args->format == CLI_JSONL)
        put_jsonl(job, batch);
    else
        put_delimited(job, batch);
}

static void put_rows(cat_job *job)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_status status;
    weir_error err;

    query.picks = job->picks.picks;
    query.pick_count = job->picks.count;
    query.first_row = job->first;
    query.row_limit = job->limit < 0 ? 0 : job->limit;
    begin_progress(job);
    status = weir_columns_open(job->session.dataset, &query, &columns, &err);
    if (status == WEIR_OK) {
        begin_output(job);
        while ((batch = weir_columns_next(columns)))
            put_batch(job, batch);
        status = weir_columns_close(columns, &err);
    }
    if (status != WEIR_OK)
        cli_fail(&job->session, &err);
}

int cli_cat(const cli_args *args)
{
    cat_job job = { .scratch = { .fd = -1 } };

    if (cli_open(&job.session, args) && cli_pick(&job.session, &job.picks) && find_range(&job)) {
        if (weir_schema_column_count(weir_dataset_schema(job.session.dataset)) == 0)
            put_empty_rows(&job);
        else if (job.picks.count > 0 && job.limit != 0)
            put_rows(&job);
        else if (job.picks.count > 0)
            begin_output(&job); /* the names alone */
    }
    finish(&job);
    return cli_close(&job.session);
}
