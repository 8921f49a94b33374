/* SPDX-License-Identifier: Apache-2.0
 * session.c: what every sub-command does first and last: open the files by the options given,
 * find the columns asked for, report, close. */
#include "cli.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_put_error(cli_out *out, const weir_error *err)
{
    cli_puts(out, err->text[0] ? err->text : weir_status_name(err->status));
    if (err->row >= 0 && err->offset >= 0)
        cli_printf(out, " (row %" PRId64 ", byte %" PRId64 ")", err->row, err->offset);
    else if (err->row >= 0)
        cli_printf(out, " (row %" PRId64 ")", err->row);
    else if (err->offset >= 0)
        cli_printf(out, " (byte %" PRId64 ")", err->offset);
}

static void session_say(const char *prefix, const weir_error *err)
{
    cli_out text = { .fd = -1 };

    cli_put_error(&text, err);
    cli_putc(&text, '\0');
    cli_say("%s%s", prefix, text.data);
    cli_fini(&text);
}

void cli_fail(cli_session *session, const weir_error *err)
{
    const int code = err->status == WEIR_BAD_CALL ? CLI_USAGE : CLI_DATA;

    cli_flush(&session->out); /* the data before the failure, then the failure */
    session_say("", err);
    if (code > session->code)
        session->code = code;
}

static void session_skipped(void *user, const weir_error *why)
{
    cli_session *session = user;

    session->skipped++;
    session_say("skipped: ", why);
}

static bool session_progress(void *user, int64_t rows, uint64_t bytes, int32_t files)
{
    cli_session *session = user;

    cli_progress_show(&session->progress, rows, bytes, files);
    return true;
}

bool cli_open_context(cli_session *session, const cli_args *args)
{
    weir_error err;

    memset(session, 0, sizeof(*session));
    session->args = args;
    session->out.fd = STDOUT_FILENO;
    if (weir_context_open(args->threads, &session->context, &err) == WEIR_OK)
        return true;
    cli_fail(session, &err);
    return false;
}

bool cli_open(cli_session *session, const cli_args *args)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_error err;

    if (!cli_open_context(session, args))
        return false;
    options.context = session->context;
    options.memory_limit = args->memory_limit;
    options.flags = args->flags;
    options.skipped = session_skipped;
    options.progress = session_progress;
    options.user = session;
    if (weir_open(args->paths, args->path_count, &options, &session->dataset, &err) == WEIR_OK)
        return true;
    cli_fail(session, &err);
    return false;
}

int cli_close(cli_session *session)
{
    cli_progress_clear();
    cli_flush(&session->out);
    if (session->skipped > 0)
        cli_say("%" PRId32 " %s skipped", session->skipped,
                session->skipped == 1 ? "file" : "files");
    weir_dataset_close(session->dataset);
    weir_context_close(session->context);
    cli_fini(&session->out);
    return session->code;
}

/* ---- columns ---- */

bool cli_is_flat(const weir_field *field)
{
    return field->leaf >= 0 && field->parent == 0 && field->repetition != WEIR_REPEATED;
}

static bool name_is(const weir_field *field, const char *name, size_t size)
{
    return field->name.size == size && memcmp(field->name.data, name, size) == 0;
}

/* The column at place `nth` (from 1) among those of that name; -1: none. */
static int32_t find_nth(const weir_schema *schema, const char *name, size_t size, int64_t nth)
{
    const int32_t count = weir_schema_column_count(schema);
    int32_t i;

    for (i = 0; i < count; i++)
        if (name_is(weir_schema_column(schema, i), name, size) && --nth == 0)
            return i;
    return -1;
}

/* The whole text a number: it, else -1. */
static int64_t number_of(const char *text)
{
    int64_t number = 0;

    if (*text == '\0')
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || number > INT32_MAX)
            return -1;
        number = number * 10 + (*text - '0');
    }
    return number;
}

static void picks_add(cli_picks *picks, const weir_schema *schema, int32_t column)
{
    const size_t n = picks->count++;

    picks->picks = cli_alloc(picks->picks, n + 1, sizeof(*picks->picks));
    picks->fields = cli_alloc(picks->fields, n + 1, sizeof(const weir_field *));
    memset(&picks->picks[n], 0, sizeof(picks->picks[n]));
    picks->picks[n].index = column;
    picks->fields[n] = weir_schema_column(schema, column);
}

static bool picks_add_matches(cli_picks *picks, const weir_schema *schema, const char *glob,
                              int flags)
{
    const int32_t count = weir_schema_column_count(schema);
    const size_t before = picks->count;
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *field = weir_schema_column(schema, i);

        if (fnmatch(glob, (const char *)field->name.data, flags) == 0)
            picks_add(picks, schema, i);
    }
    return picks->count > before;
}

/* A name; else `name#2`, the second of that name; else a number, from 0; else a glob. */
static weir_status picks_add_given(cli_session *session, cli_picks *picks, const char *given,
                                   weir_error *err)
{
    const weir_schema *schema = weir_dataset_schema(session->dataset);
    const char *mark = strrchr(given, '#');
    const int64_t number = number_of(given);
    int32_t column = -1;

    if (find_nth(schema, given, strlen(given), 1) < 0) {
        if (mark && number_of(mark + 1) > 0)
            column = find_nth(schema, given, (size_t)(mark - given), number_of(mark + 1));
        if (column < 0 && number >= 0 && number < weir_schema_column_count(schema))
            column = (int32_t)number;
        if (column < 0 && strpbrk(given, "*?[") &&
            picks_add_matches(picks, schema, given,
                              session->args->flags & WEIR_ANY_CASE ? FNM_CASEFOLD : 0))
            return WEIR_OK;
    }
    if (column < 0)
        WEIR_TRY(weir_dataset_find(session->dataset, given, &column, err));
    picks_add(picks, schema, column);
    return WEIR_OK;
}

static void picks_add_all(cli_session *session, cli_picks *picks)
{
    const weir_schema *schema = weir_dataset_schema(session->dataset);
    const int32_t count = weir_schema_column_count(schema);
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *field = weir_schema_column(schema, i);
        char path[256];

        if (cli_is_flat(field)) {
            picks_add(picks, schema, i);
            continue;
        }
        weir_schema_path(schema, field->index, path, sizeof(path));
        cli_say("%s: column %s: nested: can't be read yet, left out",
                weir_dataset_path(session->dataset, 0), path);
        if (session->code < CLI_DATA)
            session->code = CLI_DATA;
    }
}

static int compare_places(const void *a, const void *b, void *user)
{
    const cli_picks *picks = user;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const weir_view p = picks->fields[x]->name, q = picks->fields[y]->name;
    int order;

    if (p.size != q.size)
        return p.size < q.size ? -1 : 1;
    order = memcmp(p.data, q.data, p.size);
    return order ? order : (x > y) - (x < y);
}

static void picks_set_name(cli_picks *picks, size_t pick, int64_t nth)
{
    const weir_view name = picks->fields[pick]->name;
    char *out = cli_alloc(NULL, name.size + 24, 1);

    memcpy(out, name.data, name.size);
    out[name.size] = '\0';
    picks->name_sizes[pick] = name.size;
    if (nth > 1)
        picks->name_sizes[pick] += (size_t)sprintf(out + name.size, "#%" PRId64, nth);
    free(picks->names[pick]);
    picks->names[pick] = out;
}

static bool name_is_borne(const cli_picks *picks, const char *name, size_t size)
{
    size_t i;

    for (i = 0; i < picks->count; i++)
        if (name_is(picks->fields[i], name, size))
            return true;
    return false;
}

/* The second column of one name is called name#2; if something else bears that name, name#3. */
static void picks_name(cli_picks *picks)
{
    size_t *places = cli_alloc(NULL, picks->count, sizeof(*places));
    int64_t nth = 1;
    size_t i;

    picks->names = cli_alloc(NULL, picks->count, sizeof(char *));
    picks->name_sizes = cli_alloc(NULL, picks->count, sizeof(size_t));
    for (i = 0; i < picks->count; i++) {
        places[i] = i;
        picks->names[i] = NULL;
    }
    qsort_r(places, picks->count, sizeof(*places), compare_places, picks);
    for (i = 0; i < picks->count; i++) {
        const weir_view name = picks->fields[places[i]]->name;

        if (i > 0 && name_is(picks->fields[places[i - 1]], (const char *)name.data, name.size))
            nth++;
        else
            nth = 1;
        picks_set_name(picks, places[i], nth);
        while (nth > 1 &&
               name_is_borne(picks, picks->names[places[i]], picks->name_sizes[places[i]]))
            picks_set_name(picks, places[i], ++nth);
    }
    free(places);
}

bool cli_pick(cli_session *session, cli_picks *picks)
{
    weir_error err;
    weir_status status = WEIR_OK;
    size_t i;

    memset(picks, 0, sizeof(*picks));
    for (i = 0; i < session->args->column_count && status == WEIR_OK; i++)
        status = picks_add_given(session, picks, session->args->columns[i], &err);
    if (status != WEIR_OK) {
        cli_fail(session, &err);
        return false;
    }
    if (session->args->column_count == 0)
        picks_add_all(session, picks);
    picks_name(picks);
    return true;
}

void cli_picks_fini(cli_picks *picks)
{
    size_t i;

    for (i = 0; picks->names && i < picks->count; i++)
        free(picks->names[i]);
    free(picks->names);
    free(picks->name_sizes);
    free(picks->picks);
    free(picks->fields);
    memset(picks, 0, sizeof(*picks));
}
