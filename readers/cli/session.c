/* SPDX-License-Identifier: Apache-2.0
 * session.c: what every sub-command does first and last: open the files by the options given,
 * report, close. */
#include "cli.h"

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

/* Several calls may skip a file; it is said once. */
static void session_skipped(void *user, const weir_error *why)
{
    cli_session *session = user;

    for (int32_t i = 0; i < session->skipped_count; i++)
        if (session->skipped[i] == why->file)
            return;
    session->skipped =
        cli_alloc(session->skipped, (size_t)session->skipped_count + 1, sizeof(*session->skipped));
    session->skipped[session->skipped_count++] = why->file;
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
    options.record_tags = args->tags;
    options.record_tag_count = args->tag_count;
    if (weir_open(args->paths, args->path_count, &options, &session->dataset, &err) == WEIR_OK)
        return true;
    cli_fail(session, &err);
    return false;
}

weir_query cli_query(const cli_args *args)
{
    weir_query query = WEIR_QUERY_INIT;

    query.event_tags = args->event_tags;
    query.event_tag_count = args->event_tag_count;
    query.event_tag_mask = args->event_mask;
    query.present = (const char *const *)args->present;
    query.present_count = args->present_count;
    return query;
}

/* What --salvage left out, where it did. */
static void say_salvaged(const cli_session *session)
{
    const int32_t files = weir_dataset_file_count(session->dataset);
    int32_t i;

    if (!(session->args->flags & WEIR_SALVAGE))
        return;
    for (i = 0; i < files; i++) {
        weir_file_info info = { .size = sizeof(info) };

        if (weir_dataset_file(session->dataset, i, &info, NULL) == WEIR_OK &&
            strstr(info.index, "salvaged"))
            cli_say("%s: %s", info.path, info.index);
    }
}

int cli_close(cli_session *session)
{
    cli_progress_clear();
    cli_flush(&session->out);
    if (session->skipped_count > 0)
        cli_say("%" PRId32 " %s skipped", session->skipped_count,
                session->skipped_count == 1 ? "file" : "files");
    say_salvaged(session);
    free(session->skipped);
    weir_dataset_close(session->dataset);
    weir_context_close(session->context);
    cli_fini(&session->out);
    return session->code;
}
