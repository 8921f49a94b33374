/* SPDX-License-Identifier: Apache-2.0
 * info.c: `weir info`: what files say of themselves: one in full, several in a line each. */
#include "info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INFO_VALUE 60 /* bytes of a key's value that the text form shows */

/* ---- one file as text ---- */

static void put_size(cli_out *out, uint64_t bytes)
{
    cli_put_bytes(out, bytes);
    if (bytes >= 1024) {
        cli_puts(out, " (");
        cli_put_grouped(out, bytes);
        cli_puts(out, " bytes)");
    }
}

static void put_key_values(cli_out *out, const weir_file_info *info)
{
    size_t i;

    if (info->key_value_count > 0)
        cli_puts(out, "key-values\n");
    for (i = 0; i < info->key_value_count; i++) {
        const weir_view key = info->key_values[i][0], value = info->key_values[i][1];
        const size_t shown = value.size > INFO_VALUE ? INFO_VALUE : value.size;

        cli_puts(out, "  ");
        cli_put_shown(out, (const char *)key.data, key.size);
        cli_puts(out, " = ");
        cli_put_shown(out, (const char *)value.data, shown);
        if (shown < value.size)
            cli_printf(out, "... (%zu bytes)", value.size);
        cli_putc(out, '\n');
    }
}

static void put_summary(cli_out *out, const weir_file_info *info)
{
    cli_puts(out, "file        ");
    cli_put_shown(out, info->path, strlen(info->path));
    cli_printf(out, "\nformat      %s\nsize        ", info->format);
    put_size(out, info->bytes);
    cli_puts(out, "\nmetadata    ");
    put_size(out, info->metadata_bytes);
    cli_puts(out, "\nrows        ");
    cli_put_grouped(out, (uint64_t)info->rows);
    cli_printf(out, "\n%ss%*s", info->group_word, 11 - (int)strlen(info->group_word), "");
    cli_put_grouped(out, (uint64_t)info->group_count);
    if (info->index[0])
        cli_printf(out, "\nindex       %s", info->index);
    cli_puts(out, "\ncolumns     ");
    cli_put_grouped(out, (uint64_t)weir_schema_column_count(info->schema));
    cli_puts(out, "\nwriter      ");
    cli_put_shown(out, info->writer, strlen(info->writer));
    cli_putc(out, '\n');
    put_key_values(out, info);
}

/* An inexact bound, cut short by the writer, gets a mark. */
static void put_bound_cell(cli_table *table, cli_out *text, const info_leaf *leaf, bool is_min)
{
    text->used = 0;
    if (info_put_bound(text, leaf, is_min, WEIR_TEXT_PLAIN) &&
        !(is_min ? leaf->min_is_exact : leaf->max_is_exact))
        cli_puts(text, is_min ? " (or more)" : " (or less)");
    cli_table_cell(table, text->data, text->used, false);
}

/* Of what shares its bytes with other columns nobody says how many are its own. */
static void put_bytes_cell(cli_table *table, cli_out *text, const info_leaf *leaf, uint64_t bytes)
{
    text->used = 0;
    if (leaf->values < 0 && leaf->bytes == 0 && leaf->plain_bytes == 0)
        cli_putc(text, '?');
    else
        cli_put_bytes(text, bytes);
    cli_table_cell(table, text->data, text->used, false);
}

static void put_leaf_row(cli_table *table, cli_out *text, const weir_schema *written,
                         const info_leaf *leaf)
{
    const int32_t field = weir_schema_leaf(written, leaf->field->leaf)->index;
    const size_t size = weir_schema_path(written, field, NULL, 0);

    text->used = 0;
    weir_schema_path(written, field, cli_reserve(text, size + 1), size + 1);
    cli_table_cell(table, text->data, size, false);
    text->used = 0;
    cli_put_type(text, leaf->field);
    cli_table_cell(table, text->data, text->used, false);
    cli_table_cell(table, leaf->codecs.data, leaf->codecs.used, false);
    put_bytes_cell(table, text, leaf, leaf->bytes);
    put_bytes_cell(table, text, leaf, leaf->plain_bytes);
    if (leaf->bytes > 0)
        cli_table_cellf(table, "%.2f", (double)leaf->plain_bytes / (double)leaf->bytes);
    else
        cli_table_cell(table, "", 0, false);
    if (leaf->nulls >= 0)
        cli_table_cellf(table, "%" PRId64, leaf->nulls);
    else
        cli_table_cell(table, "?", 1, false);
    put_bound_cell(table, text, leaf, true);
    put_bound_cell(table, text, leaf, false);
    cli_table_cell(table, leaf->encodings.data, leaf->encodings.used, false);
}

/* Those from `right` to before `left` hold numbers. */
static void name_columns(cli_table *table, const char *const *names, size_t count, size_t right,
                         size_t left)
{
    size_t i;

    for (i = 0; i < count; i++)
        cli_table_column(table, i, names[i], strlen(names[i]), i >= right && i < left);
}

static void put_leaves(cli_session *session, const weir_file_info *info)
{
    static const char *const names[] = { "column", "type",  "codec", "size", "plain",
                                         "ratio",  "nulls", "min",   "max",  "encodings" };
    const size_t count = sizeof(names) / sizeof(names[0]);
    const int32_t leaves = weir_schema_leaf_count(info->schema);
    cli_table *table = cli_table_open(&session->out, count, true);
    cli_out text = { .fd = -1 };
    weir_error err;
    int32_t i;

    name_columns(table, names, count, 3, 9);
    for (i = 0; i < leaves; i++) {
        info_leaf leaf;

        if (info_leaf_read(&leaf, session->dataset, 0, info, i, &err) == WEIR_OK)
            put_leaf_row(table, &text, info->written, &leaf);
        else
            cli_fail(session, &err);
        info_leaf_fini(&leaf);
    }
    cli_table_close(table);
    cli_fini(&text);
}

static void put_one(cli_session *session)
{
    weir_file_info info = { .size = sizeof(info) };
    weir_error err;

    if (weir_dataset_file(session->dataset, 0, &info, &err) != WEIR_OK) {
        cli_fail(session, &err);
        return;
    }
    put_summary(&session->out, &info);
    info_put_kinds(session, &info);
    if (weir_schema_leaf_count(info.schema) > 0) {
        cli_putc(&session->out, '\n');
        put_leaves(session, &info);
    }
}

/* ---- many files as text ---- */

typedef struct info_total {
    uint64_t bytes;
    int64_t files, rows, groups;
} info_total;

static void add_total(info_total *total, const weir_file_info *info)
{
    total->bytes += info->bytes;
    total->files++;
    if (__builtin_add_overflow(total->rows, info->rows, &total->rows))
        total->rows = INT64_MAX;
    total->groups += info->group_count;
}

static void put_numbers(cli_table *table, uint64_t bytes, int64_t rows, int64_t groups)
{
    cli_out text = { .fd = -1 };

    cli_put_bytes(&text, bytes);
    cli_table_cell(table, text.data, text.used, false);
    cli_fini(&text);
    cli_table_cellf(table, "%" PRId64, rows);
    cli_table_cellf(table, "%" PRId64, groups);
}

static void put_many(cli_session *session)
{
    static const char *const names[] = {
        "file", "writer", "size", "rows", "row groups", "columns"
    };
    const size_t count = sizeof(names) / sizeof(names[0]);
    const int32_t files = weir_dataset_file_count(session->dataset);
    cli_table *table = cli_table_open(&session->out, count, true);
    info_total total = { 0 };
    weir_error err;
    int32_t i;

    name_columns(table, names, count, 2, count);
    for (i = 0; i < files; i++) {
        weir_file_info info = { .size = sizeof(info) };

        if (weir_dataset_file(session->dataset, i, &info, &err) != WEIR_OK) {
            cli_fail(session, &err);
            continue;
        }
        cli_table_cell(table, info.path, strlen(info.path), false);
        cli_table_cell(table, info.writer, strlen(info.writer), false);
        put_numbers(table, info.bytes, info.rows, info.group_count);
        cli_table_cellf(table, "%" PRId32, weir_schema_column_count(info.schema));
        add_total(&total, &info);
    }
    cli_table_cellf(table, "total: %" PRId64 " files", total.files);
    cli_table_cell(table, "", 0, false);
    put_numbers(table, total.bytes, total.rows, total.groups);
    cli_table_cell(table, "", 0, false);
    cli_table_close(table);
}

/* ---- JSON ---- */

static void put_json_bound(cli_json *json, const char *name, const info_leaf *leaf, bool is_min)
{
    cli_out text = { .fd = -1 };

    if (info_put_bound(&text, leaf, is_min, WEIR_TEXT_JSON))
        cli_json_raw(json, name, text.data, text.used);
    else
        cli_json_null(json, name);
    cli_fini(&text);
}

/* `levels` NULL: not asked for. */
static void put_json_leaf(cli_json *json, const weir_schema *written, const info_leaf *leaf,
                          const info_levels *levels)
{
    const weir_field *field = weir_schema_leaf(written, leaf->field->leaf);
    cli_out text = { .fd = -1 };
    const size_t size = weir_schema_path(written, field->index, NULL, 0);

    cli_json_open(json, NULL, '{');
    weir_schema_path(written, field->index, cli_reserve(&text, size + 1), size + 1);
    cli_json_text(json, "path", text.data, size);
    cli_put_type(&text, leaf->field);
    cli_json_text(json, "type", text.data, text.used);
    cli_json_text(json, "codec", leaf->codecs.data, leaf->codecs.used);
    cli_json_text(json, "encodings", leaf->encodings.data, leaf->encodings.used);
    cli_json_unsigned(json, "bytes", leaf->bytes);
    cli_json_unsigned(json, "plain_bytes", leaf->plain_bytes);
    if (leaf->bytes > 0)
        cli_json_real(json, "ratio", (double)leaf->plain_bytes / (double)leaf->bytes);
    else
        cli_json_null(json, "ratio");
    put_json_bound(json, "min", leaf, true);
    put_json_bound(json, "max", leaf, false);
    if (leaf->has_bounds) {
        cli_json_bool(json, "min_is_exact", leaf->min_is_exact);
        cli_json_bool(json, "max_is_exact", leaf->max_is_exact);
    }
    if (leaf->nulls >= 0)
        cli_json_number(json, "nulls", leaf->nulls);
    else
        cli_json_null(json, "nulls");
    if (levels)
        info_put_json_levels(json, field, levels);
    cli_json_close(json, '}');
    cli_fini(&text);
}

static void put_json_summary(cli_json *json, const weir_file_info *info)
{
    size_t i;

    cli_json_string(json, "file", info->path);
    cli_json_string(json, "format", info->format);
    cli_json_unsigned(json, "bytes", info->bytes);
    cli_json_unsigned(json, "metadata_bytes", info->metadata_bytes);
    cli_json_number(json, "rows", info->rows);
    cli_json_number(json, "row_groups", info->group_count);
    if (info->index[0])
        cli_json_string(json, "index", info->index);
    cli_json_string(json, "writer", info->writer);
    cli_json_open(json, "key_values", '[');
    for (i = 0; i < info->key_value_count; i++) {
        const weir_view key = info->key_values[i][0], value = info->key_values[i][1];

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "key", (const char *)key.data, key.size);
        cli_json_text(json, "value", (const char *)value.data, value.size);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_json_file(cli_session *session, cli_json *json, int32_t file, info_total *total)
{
    weir_file_info info = { .size = sizeof(info) };
    info_levels *levels = NULL;
    weir_error err;
    int32_t i;

    if (weir_dataset_file(session->dataset, file, &info, &err) != WEIR_OK ||
        (session->args->is_leaves &&
         info_levels_read(session->dataset, file, &info, &levels, &err) != WEIR_OK)) {
        cli_fail(session, &err);
        return;
    }
    add_total(total, &info);
    cli_json_open(json, NULL, '{');
    put_json_summary(json, &info);
    info_put_json_kinds(session, json, file, &info);
    cli_json_open(json, "columns", '[');
    for (i = 0; i < weir_schema_leaf_count(info.schema); i++) {
        info_leaf leaf;

        if (info_leaf_read(&leaf, session->dataset, file, &info, i, &err) == WEIR_OK)
            put_json_leaf(json, info.written, &leaf, levels ? &levels[i] : NULL);
        else
            cli_fail(session, &err);
        info_leaf_fini(&leaf);
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    free(levels);
}

static void put_json(cli_session *session)
{
    const int32_t files = weir_dataset_file_count(session->dataset);
    cli_json json = { .out = &session->out, .is_first = true };
    info_total total = { 0 };
    int32_t i;

    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "files", '[');
    for (i = 0; i < files; i++)
        put_json_file(session, &json, i, &total);
    cli_json_close(&json, ']');
    cli_json_open(&json, "total", '{');
    cli_json_number(&json, "files", total.files);
    cli_json_unsigned(&json, "bytes", total.bytes);
    cli_json_number(&json, "rows", total.rows);
    cli_json_number(&json, "row_groups", total.groups);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
}

int cli_info(const cli_args *args)
{
    cli_session session;

    if (cli_open(&session, args)) {
        const int32_t files = weir_dataset_file_count(session.dataset);
        int32_t i;

        if (args->is_footer)
            info_put_footers(&session);
        else if (args->is_json)
            put_json(&session);
        else if (args->is_leaves)
            for (i = 0; i < files; i++)
                info_put_leaves(&session, i);
        else if (files == 1)
            put_one(&session);
        else
            put_many(&session);
    }
    return cli_close(&session);
}
