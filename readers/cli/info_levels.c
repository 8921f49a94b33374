/* SPDX-License-Identifier: Apache-2.0
 * info_levels.c: `weir info --leaves`: each leaf in full, with the histograms of its levels where
 * the footer has them (parquet-format, SizeStatistics). */
#include "info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_DEPTH 16 /* of the facts that are looked at */

/* ---- what the footer says ---- */

typedef struct levels_visit {
    info_levels *leaves;
    int32_t count, leaf;
    const char *names[LEVELS_DEPTH]; /* of what is open */
    int depth;                       /* counts on beyond */
    int level;                       /* of the next number in a histogram */
} levels_visit;

static bool is_named(const char *name, const char *want)
{
    return name && strcmp(name, want) == 0;
}

/* Inside row_groups[].columns[].meta_data.size_statistics. */
static bool is_in_sizes(const levels_visit *visit)
{
    return visit->depth >= 6 && visit->depth <= LEVELS_DEPTH &&
           is_named(visit->names[0], "row_groups") && is_named(visit->names[2], "columns") &&
           is_named(visit->names[4], "meta_data") && is_named(visit->names[5], "size_statistics") &&
           visit->leaf >= 0 && visit->leaf < visit->count;
}

static void open_fact(levels_visit *visit, const weir_fact *fact)
{
    if (visit->depth < LEVELS_DEPTH)
        visit->names[visit->depth] = fact->name;
    visit->depth++;
    if (visit->depth == 3) /* the columns of a row group */
        visit->leaf = -1;
    else if (visit->depth == 4 && is_named(visit->names[2], "columns"))
        visit->leaf++;
    visit->level = 0;
}

static void add(int64_t *sum, int64_t number)
{
    *sum = *sum < 0 || number < 0 || __builtin_add_overflow(*sum, number, sum) ? -1 : *sum;
}

static void take_number(levels_visit *visit, const weir_fact *fact)
{
    info_levels *leaf;
    info_histogram *histogram = NULL;

    if (!is_in_sizes(visit))
        return;
    leaf = &visit->leaves[visit->leaf];
    if (visit->depth == 6 && is_named(fact->name, "unencoded_byte_array_data_bytes")) {
        add(&leaf->plain_bytes, fact->number);
        leaf->has_plain_bytes = true;
    }
    if (visit->depth == 7 && is_named(visit->names[6], "repetition_level_histogram"))
        histogram = &leaf->repetition;
    if (visit->depth == 7 && is_named(visit->names[6], "definition_level_histogram"))
        histogram = &leaf->definition;
    if (!histogram || visit->level >= INFO_LEVELS)
        return;
    add(&histogram->counts[visit->level++], fact->number);
    if (histogram->size < visit->level)
        histogram->size = visit->level;
}

static bool take_fact(void *user, const weir_fact *fact)
{
    levels_visit *visit = user;

    if (fact->kind == WEIR_FACT_OPEN || fact->kind == WEIR_FACT_LIST)
        open_fact(visit, fact);
    else if (fact->kind == WEIR_FACT_CLOSE)
        visit->depth--;
    else if (fact->kind == WEIR_FACT_INT)
        take_number(visit, fact);
    return true;
}

weir_status info_levels_read(const weir_dataset *dataset, int32_t file, const weir_file_info *info,
                             info_levels **out, weir_error *err)
{
    levels_visit visit = { .count = weir_schema_leaf_count(info->written), .leaf = -1 };
    weir_status status;

    visit.leaves = cli_alloc(NULL, (size_t)visit.count, sizeof(*visit.leaves));
    memset(visit.leaves, 0, (size_t)visit.count * sizeof(*visit.leaves));
    status = weir_dataset_describe(dataset, file, take_fact, &visit, err);
    if (status == WEIR_OK)
        *out = visit.leaves;
    else
        free(visit.leaves);
    return status;
}

/* ---- text ---- */

static void put_histogram(cli_out *out, const char *name, const info_histogram *histogram)
{
    int level;

    if (histogram->size == 0)
        return;
    cli_printf(out, "  %-18s", name);
    for (level = 0; level < histogram->size; level++) {
        cli_printf(out, "%s%d: ", level > 0 ? ", " : "", level);
        if (histogram->counts[level] < 0)
            cli_puts(out, "?");
        else
            cli_put_grouped(out, (uint64_t)histogram->counts[level]);
    }
    cli_putc(out, '\n');
}

static void put_count(cli_out *out, const char *name, int64_t count)
{
    cli_printf(out, "  %-18s", name);
    if (count < 0)
        cli_putc(out, '?');
    else
        cli_put_grouped(out, (uint64_t)count);
    cli_putc(out, '\n');
}

static void put_bound(cli_out *out, const char *name, const info_leaf *leaf, bool is_min)
{
    cli_out text = { .fd = -1 };

    if (info_put_bound(&text, leaf, is_min, WEIR_TEXT_PLAIN)) {
        cli_printf(out, "  %-18s", name);
        cli_put_shown(out, text.data, text.used);
        if (!(is_min ? leaf->min_is_exact : leaf->max_is_exact))
            cli_puts(out, is_min ? " (or more)" : " (or less)");
        cli_putc(out, '\n');
    }
    cli_fini(&text);
}

static void put_leaf(cli_out *out, const weir_schema *written, const info_leaf *leaf,
                     const info_levels *levels)
{
    const weir_field *field = weir_schema_leaf(written, leaf->field->leaf);
    const size_t size = weir_schema_path(written, field->index, NULL, 0);
    cli_out path = { .fd = -1 };

    weir_schema_path(written, field->index, cli_reserve(&path, size + 1), size + 1);
    cli_put_shown(out, path.data, size);
    cli_fini(&path);
    cli_puts(out, "\n  type              ");
    cli_put_type(out, field);
    cli_printf(out,
               "\n  levels            repetition to %d, definition to %d\n  packed            ",
               field->max_repetition, field->max_definition);
    cli_put_bytes(out, leaf->bytes);
    cli_printf(out, ", %.*s; ", (int)leaf->codecs.used, leaf->codecs.data);
    cli_put_bytes(out, leaf->plain_bytes);
    cli_printf(out, " plain\n  encodings         %.*s\n", (int)leaf->encodings.used,
               leaf->encodings.data);
    put_count(out, "slots", leaf->values);
    put_count(out, "nulls", leaf->nulls);
    put_bound(out, "min", leaf, true);
    put_bound(out, "max", leaf, false);
    if (levels->has_plain_bytes)
        put_count(out, "bytes of values", levels->plain_bytes);
    put_histogram(out, "repetition levels", &levels->repetition);
    put_histogram(out, "definition levels", &levels->definition);
    cli_drain(out);
}

void info_put_leaves(cli_session *session, int32_t file)
{
    const int32_t files = weir_dataset_file_count(session->dataset);
    weir_file_info info = { .size = sizeof(info) };
    info_levels *levels = NULL;
    weir_error err;
    int32_t i;

    if (weir_dataset_file(session->dataset, file, &info, &err) != WEIR_OK ||
        info_levels_read(session->dataset, file, &info, &levels, &err) != WEIR_OK) {
        cli_fail(session, &err);
        return;
    }
    if (files > 1) {
        cli_put_shown(&session->out, info.path, strlen(info.path));
        cli_puts(&session->out, ":\n");
    }
    for (i = 0; i < weir_schema_leaf_count(info.schema); i++) {
        info_leaf leaf;

        if (info_leaf_read(&leaf, session->dataset, file, &info, i, &err) == WEIR_OK)
            put_leaf(&session->out, info.written, &leaf, &levels[i]);
        else
            cli_fail(session, &err);
        info_leaf_fini(&leaf);
    }
    free(levels);
}

/* ---- JSON ---- */

static void put_json_histogram(cli_json *json, const char *name, const info_histogram *histogram)
{
    int level;

    if (histogram->size == 0) {
        cli_json_null(json, name);
        return;
    }
    cli_json_open(json, name, '[');
    for (level = 0; level < histogram->size; level++)
        cli_json_number(json, NULL, histogram->counts[level]);
    cli_json_close(json, ']');
}

void info_put_json_levels(cli_json *json, const weir_field *written, const info_levels *levels)
{
    cli_json_number(json, "max_repetition", written->max_repetition);
    cli_json_number(json, "max_definition", written->max_definition);
    if (levels->has_plain_bytes)
        cli_json_number(json, "value_bytes", levels->plain_bytes);
    put_json_histogram(json, "repetition_levels", &levels->repetition);
    put_json_histogram(json, "definition_levels", &levels->definition);
}
