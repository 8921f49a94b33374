/* SPDX-License-Identifier: Apache-2.0
 * cat.c: `weir cat` and `weir head`: rows as a table, csv, tsv or JSON lines, or as events. */
#include "cat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_LIMIT 10
#define CAT_NESTED 160 /* bytes of a nested value in a table */

typedef struct cat_job {
    cli_session session;
    cli_picks picks;
    cli_shows shows;
    cli_out keys; /* JSON lines: `"name":` of each column */
    size_t *key_ends;
    cli_out scratch; /* a cell */
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

bool cat_is_number(const weir_field *field)
{
    if (field->type >= WEIR_LIST)
        return false;
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
        for (i = 0; i < job->shows.count; i++) {
            const weir_vector *v = cli_shown_find(&job->shows.all[i], batch, row);
            const size_t begin = out->used + (i > 0);

            if (i > 0)
                cli_putc(out, separator);
            if (!v)
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
        for (i = 0; i < job->shows.count; i++) {
            const weir_vector *v = cli_shown_find(&job->shows.all[i], batch, row);

            cli_put(out, job->keys.data + key, job->key_ends[i] - key);
            key = job->key_ends[i];
            if (v)
                put_value(out, v, row, WEIR_TEXT_JSON);
            else
                cli_puts(out, "null");
        }
        cli_puts(out, "}\n");
        cli_drain(out);
    }
}

/* As much of a nested value as a table has room for: a list of a million elements is none. */
static void put_short(cli_out *out, const weir_vector *v, int64_t row)
{
    char *to = cli_reserve(out, CAT_NESTED + 8);
    const size_t size = weir_value_text(v, row, WEIR_TEXT_PLAIN, to, CAT_NESTED + 1);
    size_t cut = CAT_NESTED;

    if (size <= CAT_NESTED) {
        out->used += size;
        return;
    }
    while (cut > 0 && ((uint8_t)to[cut - 1] & 0xC0) == 0x80) /* a character that was cut, too */
        cut--;
    out->used += cut > 0 && (uint8_t)to[cut - 1] >= 0xC0 ? cut - 1 : cut;
    cli_puts(out, "\xe2\x80\xa6");
}

bool cat_put_cell(cli_out *out, const weir_vector *v, int64_t row)
{
    const bool is_null = !v || weir_is_null(v, row);

    if (is_null)
        cli_puts(out, "null");
    else if (v->type < WEIR_LIST)
        put_value(out, v, row, WEIR_TEXT_PLAIN);
    else
        put_short(out, v, row);
    return is_null;
}

static void put_table(cat_job *job, const weir_batch *batch)
{
    int64_t row;
    size_t i;

    for (row = 0; row < batch->rows; row++)
        for (i = 0; i < job->shows.count; i++) {
            const weir_vector *v = cli_shown_find(&job->shows.all[i], batch, row);

            job->scratch.used = 0;
            cat_put_cell(&job->scratch, v, row);
            cli_table_cell(job->table, job->scratch.data, job->scratch.used, !v);
        }
}

/* ---- before the first row and after the last ---- */

static void begin_table(cat_job *job)
{
    size_t i;

    job->table = cli_table_open(&job->session.out, job->shows.count, job->session.args->has_header);
    for (i = 0; i < job->shows.count; i++)
        cli_table_column(job->table, i, job->shows.all[i].name.data, job->shows.all[i].name.used,
                         cat_is_number(job->shows.all[i].field));
}

static void begin_delimited(cat_job *job)
{
    cli_out *out = &job->session.out;
    const char separator = job->session.args->format == CLI_CSV ? ',' : '\t';
    size_t i;

    if (!job->session.args->has_header || job->shows.count == 0)
        return;
    for (i = 0; i < job->shows.count; i++) {
        const size_t begin = out->used + (i > 0);

        if (i > 0)
            cli_putc(out, separator);
        cli_put(out, job->shows.all[i].name.data, job->shows.all[i].name.used);
        cli_quote(out, begin, separator);
    }
    cli_putc(out, '\n');
}

static void begin_jsonl(cat_job *job)
{
    size_t i;

    job->keys.fd = -1;
    job->key_ends = cli_alloc(NULL, job->shows.count, sizeof(*job->key_ends));
    for (i = 0; i < job->shows.count; i++) {
        if (i > 0)
            cli_putc(&job->keys, ',');
        cli_put_json_text(&job->keys, job->shows.all[i].name.data, job->shows.all[i].name.used);
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
    cli_shows_fini(&job->shows);
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
    if (job->session.args->is_events)
        return;
    if (job->session.args->format == CLI_TABLE)
        begin_table(job);
    else if (job->session.args->format == CLI_JSONL)
        begin_jsonl(job);
    else
        begin_delimited(job);
}

static void put_batch(cat_job *job, const weir_batch *batch)
{
    const cli_args *args = job->session.args;

    if (args->is_events)
        cat_put_events(&job->session.out, &job->scratch, &job->shows, batch, args->has_header);
    else if (args->format == CLI_TABLE)
        put_table(job, batch);
    else if (args->format == CLI_JSONL)
        put_jsonl(job, batch);
    else
        put_delimited(job, batch);
}

static void put_rows(cat_job *job)
{
    weir_query query = cli_query(job->session.args);
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_status status;
    weir_error err;

    query.picks = job->picks.picks;
    query.pick_count = job->picks.pick_count;
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

    if (cli_open(&job.session, args) && cli_pick(&job.session, &job.picks) &&
        cli_show(&job.session, &job.picks, &job.shows) && find_range(&job)) {
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
