/* SPDX-License-Identifier: Apache-2.0
 * picks.c: the columns asked for: by name, number, glob or path, and what comes of them. */
#include "cli.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static weir_pick *picks_add(cli_picks *picks)
{
    weir_pick *pick;

    picks->picks = cli_alloc(picks->picks, picks->pick_count + 1, sizeof(*picks->picks));
    pick = &picks->picks[picks->pick_count++];
    memset(pick, 0, sizeof(*pick));
    return pick;
}

static bool picks_add_matches(cli_picks *picks, const weir_schema *schema, const char *glob,
                              int flags)
{
    const int32_t count = weir_schema_column_count(schema);
    const size_t before = picks->pick_count;
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *field = weir_schema_column(schema, i);

        if (fnmatch(glob, (const char *)field->name.data, flags) == 0)
            picks_add(picks)->index = i;
    }
    return picks->pick_count > before;
}

/* A name; else `name#2`, the second of that name; else a number, from 0; else a glob; else a path
 * into columns. */
static weir_status picks_add_given(cli_session *session, cli_picks *picks, const char *given,
                                   weir_error *err)
{
    const weir_schema *schema = weir_dataset_schema(session->dataset);
    const char *mark = strrchr(given, '#');
    const int64_t number = number_of(given);
    weir_status status = WEIR_OK;
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
        status = weir_dataset_find(session->dataset, given, &column, err);
    if (status == WEIR_OK) {
        picks_add(picks)->index = column;
    } else if (status == WEIR_BAD_CALL && strpbrk(given, ".*?[")) {
        picks_add(picks)->path = given; /* said by the library if it is none */
        picks->has_paths = true;
        return WEIR_OK;
    }
    return status;
}

static void picks_add_all(cli_picks *picks, const weir_schema *schema)
{
    const int32_t count = weir_schema_column_count(schema);
    int32_t i;

    for (i = 0; i < count; i++)
        picks_add(picks)->index = i;
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

/* What comes out is known once a reader is open; this one reads nothing. */
static weir_status picks_resolve(cli_session *session, cli_picks *picks, weir_error *err)
{
    weir_query query = WEIR_QUERY_INIT;
    size_t i;

    query.picks = picks->picks;
    query.pick_count = picks->pick_count;
    query.threads = 1;
    WEIR_TRY(weir_columns_open(session->dataset, &query, &picks->opened, err));
    picks->schema = weir_columns_schema(picks->opened);
    picks->count = (size_t)weir_schema_column_count(picks->schema);
    picks->fields = cli_alloc(NULL, picks->count, sizeof(const weir_field *));
    for (i = 0; i < picks->count; i++)
        picks->fields[i] = weir_schema_column(picks->schema, (int32_t)i);
    picks_name(picks);
    return WEIR_OK;
}

bool cli_pick(cli_session *session, cli_picks *picks)
{
    weir_error err;
    weir_status status = WEIR_OK;
    size_t i;

    memset(picks, 0, sizeof(*picks));
    for (i = 0; i < session->args->column_count && status == WEIR_OK; i++)
        status = picks_add_given(session, picks, session->args->columns[i], &err);
    if (session->args->column_count == 0)
        picks_add_all(picks, weir_dataset_schema(session->dataset));
    if (status == WEIR_OK && picks->pick_count > 0)
        status = picks_resolve(session, picks, &err);
    if (status != WEIR_OK)
        cli_fail(session, &err);
    return status == WEIR_OK;
}

void cli_picks_fini(cli_picks *picks)
{
    size_t i;

    for (i = 0; picks->names && i < picks->count; i++)
        free(picks->names[i]);
    free(picks->names);
    free(picks->name_sizes);
    free(picks->picks);
    free((void *)picks->fields);
    weir_columns_close(picks->opened, NULL);
    memset(picks, 0, sizeof(*picks));
}
