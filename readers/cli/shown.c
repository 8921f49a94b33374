/* SPDX-License-Identifier: Apache-2.0
 * shown.c: what is printed of the columns picked: each as it is, or its structs flattened; and what
 * csv and tsv can't hold. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_PATHS 400 /* bytes of the paths that a message tells */

static bool is_nested(const weir_field *field)
{
    return field->type >= WEIR_LIST;
}

static bool is_delimited(const cli_args *args)
{
    return args->format == CLI_CSV || args->format == CLI_TSV;
}

/* ---- flattening ---- */

/* How many fields lie above, the column's own left out. */
static size_t depth_of(const weir_schema *schema, const weir_field *field)
{
    size_t depth = 0;

    for (; field->parent > 0; field = weir_schema_field(schema, field->parent))
        depth++;
    return depth;
}

static int place_of(const weir_schema *schema, const weir_field *field)
{
    int32_t i = weir_schema_field(schema, field->parent)->first_child;
    int place = 0;

    for (; i != field->index; i = weir_schema_field(schema, i)->next_sibling)
        place++;
    return place;
}

void cli_put_field_name(cli_out *out, const cli_picks *picks, const weir_field *field)
{
    const size_t depth = depth_of(picks->schema, field);
    const weir_field **way = cli_alloc(NULL, depth, sizeof(const weir_field *));
    size_t i;

    cli_put(out, picks->names[field->column], picks->name_sizes[field->column]);
    for (i = depth; i-- > 0; field = weir_schema_field(picks->schema, field->parent))
        way[i] = field;
    for (i = 0; i < depth; i++) {
        cli_putc(out, '.');
        cli_put(out, (const char *)way[i]->name.data, way[i]->name.size);
    }
    free((void *)way);
}

static void add_shown(cli_shows *shows, const cli_picks *picks, const weir_field *field)
{
    const weir_field *at = field;
    cli_shown *shown;
    size_t i;

    shows->all = cli_alloc(shows->all, shows->count + 1, sizeof(*shows->all));
    shown = &shows->all[shows->count++];
    memset(shown, 0, sizeof(*shown));
    shown->column = (size_t)field->column;
    shown->field = field;
    shown->step_count = depth_of(picks->schema, field);
    shown->steps = cli_alloc(NULL, shown->step_count, sizeof(*shown->steps));
    shown->name.fd = -1;
    cli_put_field_name(&shown->name, picks, field);
    for (i = shown->step_count; i-- > 0; at = weir_schema_field(picks->schema, at->parent))
        shown->steps[i] = place_of(picks->schema, at);
}

/* Whether something above is flattened away already, or a list that is shown as a whole. */
static bool lies_in_list(const weir_schema *schema, const weir_field *field)
{
    while (field->parent > 0) {
        field = weir_schema_field(schema, field->parent);
        if (field->type != WEIR_STRUCT)
            return true;
    }
    return false;
}

static void add_flat(cli_shows *shows, const cli_picks *picks, size_t column)
{
    const int32_t count = weir_schema_field_count(picks->schema);
    int32_t i;

    for (i = picks->fields[column]->index; i < count; i++) {
        const weir_field *field = weir_schema_field(picks->schema, i);

        if (field->column != (int32_t)column)
            break;
        if (field->type != WEIR_STRUCT && !lies_in_list(picks->schema, field))
            add_shown(shows, picks, field);
    }
}

/* ---- refusing ---- */

/* The leaves that csv could hold: the paths by which -c picks them. */
static void put_paths(cli_out *out, const weir_schema *schema)
{
    const int32_t count = weir_schema_leaf_count(schema);
    const size_t begin = out->used;
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *leaf = weir_schema_leaf(schema, i);
        const size_t size = weir_schema_path(schema, leaf->index, NULL, 0);

        if (lies_in_list(schema, leaf))
            continue;
        if (out->used > begin)
            cli_puts(out, ", ");
        if (out->used + size > begin + SHOWN_PATHS) {
            cli_puts(out, "...");
            break;
        }
        weir_schema_path(schema, leaf->index, cli_reserve(out, size + 1), size + 1);
        out->used += size;
    }
    if (out->used == begin)
        cli_puts(out, "nothing here");
}

static const char *kind_of(const weir_field *field)
{
    return field->type == WEIR_STRUCT ? "struct" : field->type == WEIR_MAP ? "map" : "list";
}

static void refuse(cli_session *session, const weir_schema *schema, const cli_shown *shown)
{
    const char *format = session->args->format == CLI_CSV ? "csv" : "tsv";
    cli_out text = { .fd = -1 };

    cli_printf(&text, "%s can't hold column ", format);
    cli_put(&text, shown->name.data, shown->name.used);
    cli_printf(&text, ", a %s: choose with -c from ", kind_of(shown->field));
    put_paths(&text, schema);
    cli_puts(&text, shown->field->type == WEIR_STRUCT ? "; or --flatten, or --format jsonl"
                                                      : "; or --format jsonl");
    cli_putc(&text, '\0');
    cli_say("%s", text.data);
    cli_fini(&text);
    session->code = CLI_USAGE;
}

bool cli_show(cli_session *session, const cli_picks *picks, cli_shows *shows)
{
    const cli_args *args = session->args;
    const bool is_flat = args->is_flat || (is_delimited(args) && picks->has_paths);
    size_t i;

    memset(shows, 0, sizeof(*shows));
    for (i = 0; i < picks->count; i++) {
        if (is_flat && picks->fields[i]->type == WEIR_STRUCT)
            add_flat(shows, picks, i);
        else
            add_shown(shows, picks, picks->fields[i]);
    }
    for (i = 0; is_delimited(args) && i < shows->count; i++)
        if (is_nested(shows->all[i].field)) {
            refuse(session, picks->schema, &shows->all[i]);
            return false;
        }
    return true;
}

void cli_shows_fini(cli_shows *shows)
{
    size_t i;

    for (i = 0; i < shows->count; i++) {
        free(shows->all[i].steps);
        cli_fini(&shows->all[i].name);
    }
    free(shows->all);
    memset(shows, 0, sizeof(*shows));
}

const weir_vector *cli_shown_find(const cli_shown *shown, const weir_batch *batch, int64_t row)
{
    const weir_vector *v = &batch->columns[shown->column];
    size_t i;

    for (i = 0; i < shown->step_count; i++) {
        if (weir_is_null(v, row))
            return NULL;
        v = &v->children[shown->steps[i]];
    }
    return weir_is_null(v, row) ? NULL : v;
}
