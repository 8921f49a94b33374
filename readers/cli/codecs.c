/* SPDX-License-Identifier: Apache-2.0
 * codecs.c: `weir codecs`: every codec, and every plugin that was refused or shadowed and why. */
#include "cli.h"

#include <string.h>

typedef struct codecs_visit {
    cli_table *table;
    cli_json *json;
    bool has_trouble;
} codecs_visit;

static const char *const state_names[] = { "ready", "refused", "shadowed" };

static void cell(cli_table *table, const char *text)
{
    cli_table_cell(table, text ? text : "", text ? strlen(text) : 0, false);
}

static void print_ready(void *user, const weir_codec_info *info)
{
    codecs_visit *visit = user;

    if (info->state != WEIR_CODEC_READY) {
        visit->has_trouble = true;
        return;
    }
    cell(visit->table, info->name);
    cell(visit->table, info->version);
    cell(visit->table, info->ids);
    cell(visit->table, info->origin);
}

static void print_trouble(void *user, const weir_codec_info *info)
{
    codecs_visit *visit = user;

    if (info->state == WEIR_CODEC_READY)
        return;
    cell(visit->table, info->name);
    cell(visit->table, state_names[info->state]);
    cell(visit->table, info->why);
    cell(visit->table, info->origin);
}

static void print_json(void *user, const weir_codec_info *info)
{
    cli_json *json = ((codecs_visit *)user)->json;

    cli_json_open(json, NULL, '{');
    cli_json_string(json, "name", info->name);
    cli_json_string(json, "state", state_names[info->state]);
    cli_json_string(json, "version", info->version);
    cli_json_string(json, "ids", info->ids);
    cli_json_string(json, "origin", info->origin);
    cli_json_string(json, "why", info->why);
    cli_json_close(json, '}');
}

static void name_columns(cli_table *table, const char *const names[4])
{
    size_t i;

    for (i = 0; i < 4; i++)
        cli_table_column(table, i, names[i], strlen(names[i]), false);
}

static weir_status print_tables(cli_session *session, weir_error *err)
{
    static const char *const ready[4] = { "codec", "version", "ids", "from" };
    static const char *const trouble[4] = { "plugin", "state", "why", "from" };
    codecs_visit visit = { .table = cli_table_open(&session->out, 4, true) };
    weir_status status;

    name_columns(visit.table, ready);
    status = weir_context_codecs(session->context, print_ready, &visit, err);
    cli_table_close(visit.table);
    if (status != WEIR_OK || !visit.has_trouble)
        return status;
    cli_putc(&session->out, '\n');
    visit.table = cli_table_open(&session->out, 4, true);
    name_columns(visit.table, trouble);
    status = weir_context_codecs(session->context, print_trouble, &visit, err);
    cli_table_close(visit.table);
    return status;
}

static weir_status print_list(cli_session *session, weir_error *err)
{
    cli_json json = { .out = &session->out, .is_first = true };
    codecs_visit visit = { .json = &json };
    weir_status status;

    cli_json_open(&json, NULL, '[');
    status = weir_context_codecs(session->context, print_json, &visit, err);
    cli_json_close(&json, ']');
    return status;
}

int cli_codecs(const cli_args *args)
{
    cli_session session;
    weir_error err;

    if (cli_open_context(&session, args) &&
        (args->is_json ? print_list : print_tables)(&session, &err) != WEIR_OK)
        cli_fail(&session, &err);
    return cli_close(&session);
}
