/* SPDX-License-Identifier: Apache-2.0
 * pick.c: names, globs, paths and indices to columns and what is wanted of them. */
#include "readers/pick.h"

#include "core/error.h"
#include "core/glob.h"
#include "core/schema.h"
#include "readers/path.h"

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

static weir_status no_such_column(const weir_schema *schema, const char *name, weir_error *err)
{
    const weir_view view = { (const uint8_t *)name, strlen(name) };
    const weir_field *near = near_name(schema, view);

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

/* ---- names and globs ---- */

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
                            bool *any, weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const weir_view pattern = { (const uint8_t *)pick->path, strlen(pick->path) };
    const size_t before = all->count;

    for (int32_t c = 0; c < weir_schema_column_count(dataset->schema); c++)
        if (weir_glob_match(pattern, weir_schema_column(dataset->schema, c)->name, any_case))
            WEIR_TRY(add(all, dataset, c, pick, err));
    *any = all->count > before;
    return WEIR_OK;
}

/* ---- paths ---- */

static bool has_leaf(const weir_schema *schema, const weir_field *column, const uint8_t *keep)
{
    const int32_t count = weir_subtree_count(schema, column);

    for (int32_t i = 0; i < count; i++)
        if (keep[i] && weir_schema_field(schema, column->index + i)->leaf >= 0)
            return true;
    return false;
}

/* The choice that an earlier path made of the column, to which this pick can add. */
static weir_choice *find_pruned(choices *all, int32_t column, const weir_pick *pick)
{
    for (size_t i = all->count; i-- > 0;) {
        weir_choice *choice = &all->items[i];

        if (choice->column == column && choice->keep && choice->as == pick->as &&
            choice->forms == pick->forms)
            return choice;
    }
    return NULL;
}

static weir_status add_steps(choices *all, const weir_dataset *dataset, int32_t column,
                             const weir_path_steps *steps, const weir_pick *pick, bool *any,
                             weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const weir_field *field = weir_schema_column(dataset->schema, column);
    const size_t count = (size_t)weir_subtree_count(dataset->schema, field);
    uint8_t *keep = calloc(count, 1);
    weir_choice *choice;
    bool is_there = false;
    weir_status status = WEIR_OK;

    if (!keep)
        return weir_fail_memory(err, count);
    status = weir_path_mark(steps, dataset->schema, field, any_case, keep, &is_there, err);
    if (status != WEIR_OK || !is_there || !has_leaf(dataset->schema, field, keep)) {
        free(keep);
        return status;
    }
    *any = true;
    choice = find_pruned(all, column, pick);
    if (choice) {
        for (size_t i = 0; i < count; i++)
            choice->keep[i] |= keep[i];
        free(keep);
        return WEIR_OK;
    }
    status = add(all, dataset, column, pick, err);
    if (status == WEIR_OK)
        all->items[all->count - 1].keep = keep;
    else
        free(keep);
    return status;
}

static weir_status add_path(choices *all, const weir_dataset *dataset, const weir_pick *pick,
                            const weir_path_steps *steps, weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    bool any = false;
    int32_t column = -1;

    for (int32_t c = 0; c < weir_schema_column_count(dataset->schema); c++) {
        if (!weir_path_step_fits(&steps->at[0], weir_schema_column(dataset->schema, c)->name,
                                 any_case))
            continue;
        column = c;
        WEIR_TRY(add_steps(all, dataset, c, steps, pick, &any, err));
    }
    if (any)
        return WEIR_OK;
    if (column < 0)
        return no_such_column(dataset->schema, pick->path, err);
    return weir_fail(err, WEIR_BAD_CALL, "column `%s` has no `%s` inside",
                     (const char *)weir_schema_column(dataset->schema, column)->name.data,
                     pick->path);
}

/* A name that is no column's: a glob over names, or a path. */
static weir_status add_other(choices *all, const weir_dataset *dataset, const weir_pick *pick,
                             weir_error *err)
{
    const weir_view name = { (const uint8_t *)pick->path, strlen(pick->path) };
    weir_path_steps steps = { 0 };
    weir_arena arena;
    weir_status status;
    bool any = false;

    if (weir_glob_is(name)) {
        WEIR_TRY(add_glob(all, dataset, pick, &any, err));
        if (any)
            return WEIR_OK;
    }
    weir_arena_init(&arena);
    status = weir_path_read(pick->path, &arena, &steps, err);
    if (status == WEIR_OK && steps.count > 1)
        status = add_path(all, dataset, pick, &steps, err);
    else if (status == WEIR_OK && weir_glob_is(name))
        status = weir_fail(err, WEIR_BAD_CALL, "no column matches `%s`", pick->path);
    else if (status == WEIR_OK)
        status = no_such_column(dataset->schema, pick->path, err);
    weir_arena_fini(&arena);
    return status;
}

/* ---- picks ---- */

static weir_status add_pick(choices *all, const weir_dataset *dataset, const weir_pick *pick,
                            weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const int32_t columns = weir_schema_column_count(dataset->schema);
    int32_t column = pick->index;

    if (pick->path) {
        const weir_view name = { (const uint8_t *)pick->path, strlen(pick->path) };

        if (weir_schema_find(dataset->schema, name, any_case, 0) < 0 &&
            find_escaped(dataset->schema, pick->path) < 0)
            return add_other(all, dataset, pick, err);
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
        weir_choices_free(all.items, all.count);
        return status;
    }
    *out = all.items;
    *out_count = all.count;
    return WEIR_OK;
}

void weir_choices_free(weir_choice *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(all[i].keep);
    free(all);
}
