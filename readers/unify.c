/* SPDX-License-Identifier: Apache-2.0
 * unify.c: the schema of files that differ. */
#include "readers/unify.h"

#include "core/cast.h"
#include "core/error.h"
#include "core/schema.h"
#include "readers/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct footers { /* what the parallel step leaves, one a file */
    const weir_dataset *dataset;
    const weir_schema **schemas;
    weir_status *statuses;
    weir_error *errors;
} footers;

typedef struct united { /* a column of the result so far */
    weir_field field;
    const weir_schema *origin; /* whose subtree it is */
    int32_t column;            /* there */
    int32_t occurrence;        /* the how-manieth of its name */
    int32_t file;              /* where it was met first */
    const char *clash;
} united;

static void read_footer(void *user, int64_t index)
{
    footers *all = user;
    weir_file *file = NULL;

    all->statuses[index] =
        weir_dataset_acquire(all->dataset, (int32_t)index, &file, &all->errors[index]);
    if (all->statuses[index] == WEIR_OK) {
        all->schemas[index] = weir_schema_keep(file->schema);
        weir_dataset_release(all->dataset, (int32_t)index);
    }
}

static bool same_name(weir_view a, weir_view b, bool any_case)
{
    if (a.size != b.size)
        return false;
    return any_case ? strncasecmp((const char *)a.data, (const char *)b.data, a.size) == 0
                    : memcmp(a.data, b.data, a.size) == 0;
}

static const char *describe_clash(weir_dataset *dataset, const united *column, int32_t file,
                                  const weir_field *other)
{
    char a[80], b[80], first_room[110], other_room[110], text[400];
    const char *first =
        weir_shorten(dataset->entries[column->file].path, first_room, sizeof first_room);

    weir_field_describe(&column->field, a, sizeof a);
    weir_field_describe(other, b, sizeof b);
    snprintf(text, sizeof text, "%s in %s and %s in %s have no common type: name one in the pick",
             a, first, b, weir_shorten(dataset->entries[file].path, other_room, sizeof other_room));
    return weir_arena_copy(&dataset->arena, text, strlen(text));
}

/* Brings one file's column into the result. */
static weir_status join_column(weir_dataset *dataset, united *all, int32_t *count,
                               const weir_schema *schema, int32_t column, int32_t file,
                               weir_error *err)
{
    const bool any_case = (dataset->options.flags & WEIR_ANY_CASE) != 0;
    const weir_field *field = weir_schema_column(schema, column);
    int32_t occurrence = 0;
    weir_field common;

    for (int32_t c = 0; (c = weir_schema_find(schema, field->name, any_case, c)) < column; c++)
        occurrence++;
    for (int32_t i = 0; i < *count; i++) {
        united *old = &all[i];

        if (old->occurrence != occurrence || !same_name(old->field.name, field->name, any_case))
            continue;
        if (field->repetition == WEIR_OPTIONAL)
            old->field.repetition = WEIR_OPTIONAL;
        if (old->clash || weir_field_is_nested(field) || weir_field_same(&old->field, field))
            return WEIR_OK; /* trees are held against each other when the files are opened */
        if (weir_cast_common(&old->field, field, &common)) {
            old->field = common;
            return WEIR_OK;
        }
        old->clash = describe_clash(dataset, old, file, field);
        return old->clash ? WEIR_OK : weir_fail_memory(err, 400);
    }
    all[(*count)++] = (united){ *field, schema, column, occurrence, file, NULL };
    return WEIR_OK;
}

static weir_status make_schema(weir_dataset *dataset, const united *all, int32_t count,
                               weir_error *err)
{
    const weir_field root = { .type = WEIR_STRUCT, .id = -1, .leaf = -1 };
    weir_schema *schema = NULL;
    weir_status status = weir_schema_open(count + 1, &schema, err);

    if (status == WEIR_OK)
        status = weir_schema_append(schema, -1, &root, err);
    for (int32_t i = 0; status == WEIR_OK && i < count; i++) {
        const weir_field *field = weir_schema_column(all[i].origin, all[i].column);

        status = weir_tree_append(schema, all[i].origin, field->index, &all[i].field, NULL, err);
        dataset->clashes[i] = all[i].clash;
    }
    if (status == WEIR_OK)
        status = weir_schema_seal(schema, err);
    if (status == WEIR_OK)
        dataset->schema = schema;
    else
        weir_schema_release(schema);
    return status;
}

static weir_status unite(weir_dataset *dataset, const footers *read, weir_error *err)
{
    int64_t room = 0;
    int32_t count = 0;
    united *all;
    weir_status status = WEIR_OK;

    for (int32_t i = 0; i < dataset->count; i++)
        if (read->schemas[i])
            room += weir_schema_column_count(read->schemas[i]);
    all = calloc((size_t)room + 1, sizeof *all);
    if (!all)
        return weir_fail_memory(err, (size_t)room * sizeof *all);
    for (int32_t i = 0; status == WEIR_OK && i < dataset->count; i++)
        for (int32_t c = 0; status == WEIR_OK && read->schemas[i] &&
                            c < weir_schema_column_count(read->schemas[i]);
             c++)
            status = join_column(dataset, all, &count, read->schemas[i], c, i, err);
    dataset->clashes = weir_arena_array(&dataset->arena, (size_t)count + 1, sizeof(char *));
    if (status == WEIR_OK && !dataset->clashes)
        status = weir_fail_memory(err, (size_t)count * sizeof(char *));
    if (status == WEIR_OK)
        status = make_schema(dataset, all, count, err);
    free(all);
    return status;
}

/* The first failure that WEIR_SKIP_BAD doesn't pass over. */
static weir_status first_failure(const weir_dataset *dataset, const footers *read, weir_error *err)
{
    bool any = false;

    for (int32_t i = 0; i < dataset->count; i++) {
        any = any || read->schemas[i];
        if (read->statuses[i] == WEIR_OK ||
            weir_dataset_passes_over(dataset, i, read->statuses[i], &read->errors[i]))
            continue;
        if (err)
            *err = read->errors[i];
        return read->statuses[i];
    }
    if (!any && err)
        *err = read->errors[0];
    return any ? WEIR_OK : read->statuses[0];
}

weir_status weir_dataset_unify(weir_dataset *dataset, weir_error *err)
{
    const size_t count = (size_t)dataset->count;
    footers read = { .dataset = dataset };
    weir_status status = WEIR_OK;

    read.schemas = calloc(count, sizeof *read.schemas);
    read.statuses = calloc(count, sizeof *read.statuses);
    read.errors = calloc(count, sizeof *read.errors);
    if (!read.schemas || !read.statuses || !read.errors)
        status = weir_fail_memory(err, count * sizeof *read.errors);
    if (status == WEIR_OK) {
        weir_context_each(dataset->context, dataset->count, read_footer, &read);
        status = first_failure(dataset, &read, err);
    }
    if (status == WEIR_OK)
        status = unite(dataset, &read, err);
    for (size_t i = 0; read.schemas && i < count; i++)
        weir_schema_release(read.schemas[i]);
    free(read.schemas);
    free(read.statuses);
    free(read.errors);
    return status;
}
