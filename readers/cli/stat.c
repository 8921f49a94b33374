/* SPDX-License-Identifier: Apache-2.0
 * stat.c: `weir stat`: values, nulls, NaNs, min, max, sum and mean of columns, by a fold over all
 * files on every thread. */
#include "stat_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct stat_job {
    cli_session session;
    cli_picks picks;
    stat_tree tree;
    const stat_loops *loops;
    weir_stats stats;
    int64_t rows;
    double seconds;
} stat_job;

/* ---- the fold; a state is a stat_column a part ---- */

static void fold_begin(void *state, void *user)
{
    const stat_job *job = user;
    stat_column *columns = state;
    size_t i;

    for (i = 0; i < job->tree.count; i++)
        stat_column_begin(&columns[i], stat_kind_of(job->tree.parts[i].field));
}

static bool fold_batch(void *state, const weir_batch *batch, void *user)
{
    const stat_job *job = user;

    stat_tree_add(&job->tree, state, batch, job->loops);
    return true;
}

static void fold_merge(void *into, void *from, void *user)
{
    const stat_job *job = user;
    stat_column *a = into;
    const stat_column *b = from;
    size_t i;

    for (i = 0; i < job->tree.count; i++)
        stat_column_merge(&a[i], &b[i], job->tree.parts[i].field);
}

static void fold_end(void *state, void *user)
{
    const stat_job *job = user;
    stat_column *columns = state;
    size_t i;

    for (i = 0; i < job->tree.count; i++)
        stat_column_end(&columns[i]);
}

/* ---- what comes out ---- */

/* What a column says of itself, `put` by one of the functions below; "" or null when it has none.
 */
typedef struct stat_writer {
    cli_out text;
    cli_table *table;
    cli_json *json;
} stat_writer;

static void write_text(stat_writer *writer, const char *name, bool is_said)
{
    if (writer->table)
        cli_table_cell(writer->table, writer->text.data, writer->text.used, false);
    else if (is_said)
        cli_json_raw(writer->json, name, writer->text.data, writer->text.used);
    else
        cli_json_null(writer->json, name);
    writer->text.used = 0;
}

static void write_count(stat_writer *writer, const char *name, int64_t count)
{
    cli_printf(&writer->text, "%" PRId64, count);
    write_text(writer, name, true);
}

/* Of a list or map: its lengths. */
static void write_lengths(stat_writer *writer, const stat_column *column, const weir_field *field)
{
    cli_out *text = &writer->text;

    write_count(writer, "rows", column->rows);
    write_count(writer, "nulls", column->nulls);
    write_count(writer, "empty", column->empty);
    write_text(writer, "min_length", stat_put_bound(text, column, field, true, WEIR_TEXT_JSON));
    write_text(writer, "max_length", stat_put_bound(text, column, field, false, WEIR_TEXT_JSON));
    if (!stat_put_sum(text, column, field, WEIR_TEXT_JSON))
        cli_printf(text, "0");
    write_text(writer, "total_length", true);
    write_text(writer, "mean_length", stat_put_mean(text, column, field, WEIR_TEXT_JSON));
}

static void write_column(stat_writer *writer, const stat_column *column, const weir_field *field,
                         bool has_empty)
{
    const weir_text_style style = writer->table ? WEIR_TEXT_PLAIN : WEIR_TEXT_JSON;
    cli_out *text = &writer->text;

    write_count(writer, "values", stat_values(column));
    write_count(writer, "nulls", column->nulls);
    if (has_empty && column->kind == STAT_LENGTHS)
        write_count(writer, "empty", column->empty);
    else if (has_empty)
        write_text(writer, "empty", false);
    write_count(writer, "nans", stat_nans(column));
    write_text(writer, "min", stat_put_bound(text, column, field, true, style));
    write_text(writer, "max", stat_put_bound(text, column, field, false, style));
    write_text(writer, "sum", stat_put_sum(text, column, field, style));
    write_text(writer, "mean", stat_put_mean(text, column, field, style));
}

static bool has_lists(const stat_job *job)
{
    size_t i;

    for (i = 0; i < job->tree.count; i++)
        if (stat_kind_of(job->tree.parts[i].field) == STAT_LENGTHS)
            return true;
    return false;
}

static void print_table(stat_job *job, const stat_column *columns)
{
    static const char *const names[] = { "column", "type", "values", "nulls", "empty",
                                         "nans",   "min",  "max",    "sum",   "mean" };
    const size_t count = sizeof(names) / sizeof(names[0]);
    const bool has_empty = has_lists(job);
    stat_writer writer = { .text = { .fd = -1 } };
    size_t i, at = 0;

    writer.table = cli_table_open(&job->session.out, count - !has_empty, true);
    for (i = 0; i < count; i++)
        if (has_empty || strcmp(names[i], "empty") != 0)
            cli_table_column(writer.table, at++, names[i], strlen(names[i]), i > 1);
    for (i = 0; i < job->tree.count; i++) {
        const stat_part *part = &job->tree.parts[i];

        if (part->is_silent)
            continue;
        cli_table_cell(writer.table, part->name.data, part->name.used, false);
        cli_put_type(&writer.text, part->field);
        if (columns[i].kind == STAT_LENGTHS)
            cli_puts(&writer.text, ", lengths");
        write_text(&writer, NULL, true);
        write_column(&writer, &columns[i], part->field, has_empty);
    }
    cli_table_close(writer.table);
    cli_fini(&writer.text);
}

/* The counters of the reading, each with its name. */
static void visit_counters(const stat_job *job, void *user,
                           void (*visit)(void *user, const char *name, uint64_t value))
{
    const weir_stats *s = &job->stats;

    visit(user, "threads", (uint64_t)s->threads);
    visit(user, "files", (uint64_t)s->files);
    visit(user, "files_skipped", (uint64_t)s->files_skipped);
    visit(user, "rows", (uint64_t)s->rows);
    visit(user, "batches", (uint64_t)s->batches);
    visit(user, "pages", s->pages);
    visit(user, "values", s->values);
    visit(user, "bytes_read", s->bytes_read);
    visit(user, "plain_bytes", s->plain_bytes);
    visit(user, "memory_peak", s->memory_peak);
    visit(user, "open_ns", s->open_ns);
    visit(user, "read_ns", s->read_ns);
    visit(user, "unpack_ns", s->unpack_ns);
    visit(user, "decode_ns", s->decode_ns);
    visit(user, "wait_ns", s->wait_ns);
}

static void print_json_counter(void *user, const char *name, uint64_t value)
{
    cli_json_unsigned(user, name, value);
}

static void print_json(stat_job *job, const stat_column *columns)
{
    cli_json json = { .out = &job->session.out, .is_first = true };
    stat_writer writer = { .text = { .fd = -1 }, .json = &json };
    size_t i;

    cli_json_open(&json, NULL, '{');
    cli_json_number(&json, "files", weir_dataset_file_count(job->session.dataset));
    cli_json_number(&json, "rows", job->rows);
    cli_json_open(&json, "columns", '[');
    for (i = 0; i < job->tree.count; i++) {
        const stat_part *part = &job->tree.parts[i];

        if (part->is_silent)
            continue;
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", part->name.data, part->name.used);
        cli_put_type(&writer.text, part->field);
        cli_json_text(&json, "type", writer.text.data, writer.text.used);
        writer.text.used = 0;
        if (columns[i].kind == STAT_LENGTHS)
            write_lengths(&writer, &columns[i], part->field);
        else
            write_column(&writer, &columns[i], part->field, false);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    if (job->session.args->is_timed) {
        cli_json_open(&json, "time", '{');
        cli_json_real(&json, "seconds", job->seconds);
        visit_counters(job, &json, print_json_counter);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, '}');
    cli_fini(&writer.text);
}

/* "unpack_ns", 1234567 -> `  unpack           0.001235 s`. */
static void print_counter(void *user, const char *name, uint64_t value)
{
    cli_out *out = user;
    const size_t size = strlen(name);
    const bool is_time = size > 3 && strcmp(name + size - 3, "_ns") == 0;
    size_t i;

    cli_puts(out, "  ");
    for (i = 0; i < (is_time ? size - 3 : size); i++)
        cli_putc(out, name[i] == '_' ? ' ' : name[i]);
    for (; i < 16; i++)
        cli_putc(out, ' ');
    if (is_time) {
        cli_printf(out, "%.6f s", (double)value / 1e9);
    } else {
        cli_put_grouped(out, value);
        if (size > 5 && (strstr(name, "bytes") || strstr(name, "memory"))) {
            cli_puts(out, " (");
            cli_put_bytes(out, value);
            cli_putc(out, ')');
        }
    }
    cli_putc(out, '\n');
}

/* On stderr: stdout carries data alone. */
static void print_time(const stat_job *job)
{
    cli_out out = { .fd = -1 };

    cli_printf(&out, "%.6f s", job->seconds);
    if (job->seconds > 0) {
        cli_puts(&out, ", ");
        cli_put_grouped(&out, (uint64_t)((double)job->rows / job->seconds));
        cli_puts(&out, " rows/s, ");
        cli_put_bytes(&out, (uint64_t)((double)job->stats.bytes_read / job->seconds));
        cli_puts(&out, "/s; times below are summed over threads");
    }
    cli_putc(&out, '\n');
    visit_counters(job, &out, print_counter);
    out.fd = STDERR_FILENO;
    cli_flush(&out);
    cli_fini(&out);
}

/* ---- the job ---- */

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run_fold(stat_job *job, stat_column *columns)
{
    weir_folder folder = { .size = sizeof(folder),
                           .state_size = job->tree.count * sizeof(stat_column),
                           .begin = fold_begin,
                           .batch = fold_batch,
                           .merge = fold_merge,
                           .end = fold_end };
    const weir_schema *all = weir_dataset_schema(job->session.dataset);
    weir_query query = cli_query(job->session.args);
    weir_error err;
    size_t i;

    for (i = 0; i < job->picks.pick_count; i++) { /* bytes need not be spread of a dictionary */
        weir_pick *pick = &job->picks.picks[i];
        const stat_kind kind =
            pick->path ? STAT_PRESENCE : stat_kind_of(weir_schema_column(all, pick->index));

        if (kind == STAT_WIDE || kind == STAT_BYTES)
            pick->forms = 1u << WEIR_CODES;
    }
    query.picks = job->picks.picks;
    query.pick_count = job->picks.pick_count;
    if (weir_fold(job->session.dataset, &query, &folder, job, columns, &job->stats, &err) ==
        WEIR_OK) {
        job->rows = job->picks.count ? columns[0].rows : 0;
        return true;
    }
    cli_fail(&job->session, &err);
    return false;
}

/* Without a column to read, the footers know the rows. */
static bool count_rows(stat_job *job)
{
    weir_error err;

    if (weir_dataset_rows(job->session.dataset, &job->rows, &err) == WEIR_OK)
        return true;
    cli_fail(&job->session, &err);
    return false;
}

static void report(stat_job *job, const stat_column *columns)
{
    size_t i;

    if (job->session.args->is_json)
        print_json(job, columns);
    else if (job->picks.count > 0)
        print_table(job, columns);
    cli_flush(&job->session.out);
    if (job->session.args->is_timed && !job->session.args->is_json)
        print_time(job);
    for (i = 0; i < job->tree.count; i++) {
        if (columns[i].kind == STAT_WIDE && columns[i].as.wide.is_lost) {
            cli_say("column %.*s: a decimal of more than 256 bits: no sum",
                    (int)job->tree.parts[i].name.used, job->tree.parts[i].name.data);
            job->session.code = CLI_DATA;
        }
    }
}

int cli_stat(const cli_args *args)
{
    stat_job job = { .loops = stat_loops_pick(), .stats = WEIR_STATS_INIT };
    stat_column *columns = NULL;
    double begin;

    if (cli_open(&job.session, args) && cli_pick(&job.session, &job.picks)) {
        int64_t rows = -1;

        if (isatty(STDERR_FILENO) && !args->is_quiet)
            (void)weir_dataset_rows(job.session.dataset, &rows, NULL);
        cli_progress_begin(&job.session.progress, args, job.session.dataset, true, rows);
        stat_tree_init(&job.tree, &job.picks);
        columns = cli_alloc(NULL, job.tree.count, sizeof(*columns));
        memset(columns, 0, job.tree.count * sizeof(*columns));
        begin = now_seconds();
        if (job.picks.count ? run_fold(&job, columns) : count_rows(&job)) {
            job.seconds = now_seconds() - begin;
            cli_progress_clear();
            report(&job, columns);
        }
        fold_end(columns, &job);
        free(columns);
        stat_tree_fini(&job.tree);
    }
    cli_picks_fini(&job.picks);
    return cli_close(&job.session);
}
