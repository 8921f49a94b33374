/* SPDX-License-Identifier: Apache-2.0
 * info_kinds.c: `weir info` of a file whose groups differ, as records of HIPO do by tag, layout and
 * codec: how many of each kind there are, and how much is in them. */
#include "info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct info_kind {
    char name[sizeof(((weir_group_info *)0)->kind)];
    int64_t groups, rows;
    uint64_t bytes, plain_bytes;
} info_kind;

typedef struct info_kinds { /* in the order in which they are met */
    info_kind *all;
    size_t count;
} info_kinds;

static info_kind *find_kind(info_kinds *kinds, const char *name)
{
    size_t i;

    for (i = kinds->count; i-- > 0;)
        if (strcmp(kinds->all[i].name, name) == 0)
            return &kinds->all[i];
    kinds->all = cli_alloc(kinds->all, kinds->count + 1, sizeof(*kinds->all));
    memset(&kinds->all[kinds->count], 0, sizeof(*kinds->all));
    strcpy(kinds->all[kinds->count].name, name);
    return &kinds->all[kinds->count++];
}

/* Without any where all groups are alike. */
static void read_kinds(cli_session *session, int32_t file, const weir_file_info *info,
                       info_kinds *kinds)
{
    weir_error err;
    int64_t i;

    for (i = 0; i < info->group_count; i++) {
        weir_group_info group = { .size = sizeof(group) };
        info_kind *kind;

        if (weir_dataset_group(session->dataset, file, i, &group, &err) != WEIR_OK) {
            cli_fail(session, &err);
            return;
        }
        if (!group.kind[0])
            return;
        kind = find_kind(kinds, group.kind);
        kind->groups++;
        kind->rows += group.rows;
        kind->bytes += group.bytes;
        kind->plain_bytes += group.plain_bytes;
    }
}

static void put_kind(cli_table *table, const info_kind *kind)
{
    cli_out text = { .fd = -1 };

    cli_table_cell(table, kind->name, strlen(kind->name), false);
    cli_table_cellf(table, "%" PRId64, kind->groups);
    cli_table_cellf(table, "%" PRId64, kind->rows);
    cli_put_bytes(&text, kind->bytes);
    cli_table_cell(table, text.data, text.used, false);
    text.used = 0;
    cli_put_bytes(&text, kind->plain_bytes);
    cli_table_cell(table, text.data, text.used, false);
    cli_fini(&text);
}

void info_put_kinds(cli_session *session, const weir_file_info *info)
{
    static const char *const names[] = { "kind", "number", "rows", "size", "plain" };
    info_kinds kinds = { 0 };
    cli_table *table;
    size_t i;

    read_kinds(session, 0, info, &kinds);
    if (kinds.count > 0) {
        cli_putc(&session->out, '\n');
        table = cli_table_open(&session->out, sizeof(names) / sizeof(names[0]), true);
        for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            cli_table_column(table, i, names[i], strlen(names[i]), i > 0);
        for (i = 0; i < kinds.count; i++)
            put_kind(table, &kinds.all[i]);
        cli_table_close(table);
    }
    free(kinds.all);
}

void info_put_json_kinds(cli_session *session, cli_json *json, int32_t file,
                         const weir_file_info *info)
{
    info_kinds kinds = { 0 };
    size_t i;

    read_kinds(session, file, info, &kinds);
    if (kinds.count > 0)
        cli_json_open(json, "kinds", '[');
    for (i = 0; i < kinds.count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_string(json, "kind", kinds.all[i].name);
        cli_json_number(json, "number", kinds.all[i].groups);
        cli_json_number(json, "rows", kinds.all[i].rows);
        cli_json_unsigned(json, "bytes", kinds.all[i].bytes);
        cli_json_unsigned(json, "plain_bytes", kinds.all[i].plain_bytes);
        cli_json_close(json, '}');
    }
    if (kinds.count > 0)
        cli_json_close(json, ']');
    free(kinds.all);
}
