/* SPDX-License-Identifier: Apache-2.0
 * pick.c: names, globs and indices to columns. */
#include "readers/pick.h"

#include "core/error.h"
#include "core/glob.h"
#include "core/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "1, 4, 9": the indices of all columns of a name. */
static void list_indices(const weir_schema *schema, weir_view name, bool any_case, char *out,
                         size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (int32_t c = 0; (c = weir_schema_find(schema, name, any_case, c)) >= 0; c++) {
        const int n = snprintf(out + used, room - used, "%s%" PRId32, used ? ", " : "", c);

        if (n < 0 || (size_t)n >= room - used)
            break;
        used += (size_t)n;
    }
}

/* A column that is spelt otherwise or begins alike, for the message; NULL: none. */
static const weir_field *near_name(const weir_schema *schema, weir_view name)
{
    const weir_field *best = NULL;

    for (int32_t c = 0; c < weir_schema_column_count(schema); c++) {
        const weir_field *field = weir_schema_column(schema, c);
        const size_t least = field->name.size < name.size ? field->name.size : name.size;
        const bool is_like = least && strncasecmp((const char *)field->name.data,
                                                  (const char *)name.data, least) == 0;

        if (is_like && field->name.size == name.size)
            return field;
        if (is_like && !best && least >= 3)
            best = field;
    }
    return best;
}

/* A field below a column, by its dotted path: it exists, and can't be read yet. */
static bool is_nested_path(const weir_schema *schema, const char *name)
{
    const size_t size = strlen(name);
    char path[512];

    for (int32_t i = 1; i < weir_schema_field_count(schema); i++)
        if (weir_schema_field(schema, i)->parent != 0 &&
            weir_schema_path(schema, i, path, sizeof path) == size && strcmp(path, name) == 0)
            return true;
    return false;
}

static weir_status no_such_column(const weir_schema *schema, const char *name, weir_error *err)
{
    const weir_view view = { (const uint8_t *)name, strlen(name) };
    const weir_field *near = near_name(schema, view);

    if (is_nested_path(schema, name))
        return weir_fail(err, WEIR_UNSUPPORTED, "column `%s` lies inside a nested column", name);
    if (near)
        return weir_fail(err, WEIR_BAD_CALL, "no column `%s`; there is `%s`", name,
                         (const char *)near->name.data);
    return weir_fail(err, WEIR_BAD_CALL, "no column `%s` among %" PRId32, name,
                     weir_schema_column_count(schema));
}

/* A column by its escaped path, for names that hold dots or newlines; -1: none. */
static int32_t find_escaped(const weir_schema *schema, const char *name)
{
    const size_t size = strlen(name);
    char path[512];

    if (!strchr(name, '\\') || size >= sizeof path)
        return -1;
    for (int32_t c = 0; c < weir_schema_column_count(schema); c++)
        if (weir_schema_path(schema, weir_schema_column(schema, c)->index, path, sizeof path) ==
                size &&
            strcmp(path, name) == 0)
            return c;
    return -1;
}

weir_status weir_column_find(const weir_schema *schema, const char *name, bool any_case,
                             int32_t *out, weir_error *err)
{
    const weir_view view = { (const uint8_t *)name, strlen(name) };
    int32_t column = weir_schema_find(schema, view, any_case, 0);
    char indices[120];

    if (column < 0)
        column = find_escaped(schema, name);
    if (column < 0)
        return no_such_column(schema, name, err);
    if (weir_schema_find(schema, view, any_case, column + 1) >= 0) {
        list_indices(schema, view, any_case, indices, sizeof indices);
        return weir_fail(err, WEIR_BAD_CALL, "column `%s` is ambiguous: pick by index: %s", name,
                         indices);
    }
    *out = column;
    return WEIR_OK;
}

/* ---- picks ---- */

typedef struct choices {
    weir_choice *items;
    size_t count, room;
} choices;

static weir_status add(choices *all, const weir_dataset *dataset, int32_t column,
                       const weir_pick *pick, weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const weir_view name = weir_schema_column(dataset->schema, column)->name;
    weir_choice choice = { .column = column };

    if (all->count == all->room) {
        const size_t room = all->room ? all->room * 2 : 16;
        weir_choice *items = realloc(all->items, room * sizeof *items);

        if (!items)
            return weir_fail_memory(err, room * sizeof *items);
        all->items = items;
        all->room = room;
    }
    if (pick) {
        choice.as = pick->as;
        choice.forms = pick->forms;
    }
    for (int32_t c = 0; (c = weir_schema_find(dataset->schema, name, any_case, c)) < column; c++)
        choice.occurrence++;
    all->items[all->count++] = choice;
    return WEIR_OK;
}

static weir_status add_glob(choices *all, const weir_dataset *dataset, const weir_pick *pick,
                            weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const weir_view pattern = { (const uint8_t *)pick->path, strlen(pick->path) };
    const size_t before = all->count;

    for (int32_t c = 0; c < weir_schema_column_count(dataset->schema); c++)
        if (weir_glob_match(pattern, weir_schema_column(dataset->schema, c)->name, any_case))
            WEIR_TRY(add(all, dataset, c, pick, err));
    if (all->count == before)
        return weir_fail(err, WEIR_BAD_CALL, "no column matches `%s`", pick->path);
    return WEIR_OK;
}

static weir_status add_pick(choices *all, const weir_dataset *dataset, const weir_pick *pick,
                            weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const int32_t columns = weir_schema_column_count(dataset->schema);
    int32_t column = pick->index;

    if (pick->path) {
        const weir_view name = { (const uint8_t *)pick->path, strlen(pick->path) };

        if (weir_schema_find(dataset->schema, name, any_case, 0) < 0 && weir_glob_is(name))
            return add_glob(all, dataset, pick, err);
        WEIR_TRY(weir_column_find(dataset->schema, pick->path, any_case, &column, err));
    } else if (column < 0 || column >= columns) {
        return weir_fail(err, WEIR_BAD_CALL, "no column %" PRId32 ": there are %" PRId32, column,
                         columns);
    }
    return add(all, dataset, column, pick, err);
}

weir_status weir_picks_expand(const weir_dataset *dataset, const weir_pick *picks, size_t count,
                              weir_choice **out, size_t *out_count, weir_error *err)
{
    choices all = { 0 };
    weir_status status = WEIR_OK;

    for (size_t i = 0; status == WEIR_OK && i < count; i++)
        status = add_pick(&all, dataset, &picks[i], err);
    for (int32_t c = 0;
         status == WEIR_OK && count == 0 && c < weir_schema_column_count(dataset->schema); c++)
        status = add(&all, dataset, c, NULL, err);
    if (status != WEIR_OK) {
        free(all.items);
        return status;
    }
    *out = all.items;
    *out_count = all.count;
    return WEIR_OK;
}
