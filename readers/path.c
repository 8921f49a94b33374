/* SPDX-License-Identifier: Apache-2.0
 * path.c: dotted paths into a column's tree. Both walks go over the fields in the schema's order,
 * parents first, or backwards: no recursion, and the work is fields times steps. */
#include "readers/path.h"

#include "core/error.h"
#include "core/glob.h"
#include "core/schema.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- steps ---- */

static uint8_t unescaped(uint8_t letter)
{
    return letter == 't' ? '\t' : letter == 'n' ? '\n' : letter;
}

/* The step that begins at `*at`, which moves past its dot; NULL: no memory. */
static uint8_t *read_step(const uint8_t **at, weir_path_step *out, weir_arena *arena)
{
    const uint8_t *p = *at;
    uint8_t *name, *to;

    while (*p && *p != '.')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    out->glob = (weir_view){ *at, (size_t)(p - *at) };
    name = to = weir_arena_alloc(arena, out->glob.size + 1);
    if (!name)
        return NULL;
    for (const uint8_t *from = *at; from < p; from++) {
        const bool is_escape = *from == '\\' && from + 1 < p;

        from += is_escape;
        *to++ = is_escape ? unescaped(*from) : *from;
    }
    *to = '\0';
    out->name = (weir_view){ name, (size_t)(to - name) };
    if (!weir_glob_is(out->glob))
        out->glob.size = 0;
    *at = *p ? p + 1 : p;
    return name;
}

static size_t count_steps(const char *path)
{
    size_t count = 1;

    for (; *path; path++) {
        if (*path == '\\' && path[1])
            path++;
        else
            count += *path == '.';
    }
    return count;
}

weir_status weir_path_read(const char *path, weir_arena *arena, weir_path_steps *out,
                           weir_error *err)
{
    const uint8_t *at = (const uint8_t *)path;

    out->count = count_steps(path);
    out->at = weir_arena_array(arena, out->count, sizeof *out->at);
    for (size_t i = 0; i < out->count; i++)
        if (!out->at || !read_step(&at, &out->at[i], arena))
            return weir_fail_memory(err, out->count * sizeof *out->at);
    return WEIR_OK;
}

static bool same_name(weir_view a, weir_view b, bool any_case)
{
    if (a.size != b.size || a.size == 0)
        return a.size == b.size;
    return any_case ? strncasecmp((const char *)a.data, (const char *)b.data, a.size) == 0
                    : memcmp(a.data, b.data, a.size) == 0;
}

bool weir_path_step_fits(const weir_path_step *step, weir_view name, bool any_case)
{
    return same_name(step->name, name, any_case) ||
           (step->glob.size > 0 && weir_glob_match(step->glob, name, any_case));
}

/* ---- marks ---- */

int32_t weir_subtree_count(const weir_schema *schema, const weir_field *column)
{
    const int32_t fields = weir_schema_field_count(schema);
    int32_t i = column->index;

    while (i < fields && weir_schema_field(schema, i)->column == column->column)
        i++;
    return i - column->index;
}

typedef struct marker {
    const weir_path_steps *steps;
    const weir_schema *schema;
    int32_t base, count; /* the subtree's fields */
    bool any_case;
    /* By field and number of steps taken, `width` of them: whether the rest of the steps means
     * something at the field or below; whether the walk from the column comes by. */
    uint8_t *leads, *passes;
    size_t width;
} marker;

static const weir_field *field_at(const marker *m, int32_t i)
{
    return weir_schema_field(m->schema, m->base + i);
}

static uint8_t *leads(const marker *m, const weir_field *field, size_t taken)
{
    return &m->leads[(size_t)(field->index - m->base) * m->width + taken];
}

static uint8_t *passes(const marker *m, const weir_field *field, size_t taken)
{
    return &m->passes[(size_t)(field->index - m->base) * m->width + taken];
}

static bool fits(const marker *m, size_t taken, weir_view name)
{
    return taken < m->steps->count && weir_path_step_fits(&m->steps->at[taken], name, m->any_case);
}

/* How many steps more are taken at `child` when `taken` were at its parent, in the `n`th way to
 * read them: the ways are tried in order, and the first that leads somewhere counts, or both of
 * the first two. SIZE_MAX: this way is none. */
static size_t way_in(const marker *m, const weir_field *parent, const weir_field *child,
                     size_t taken, int n)
{
    const bool is_child = fits(m, taken, child->name);
    const bool is_group =
        parent->type == WEIR_LIST && parent->repeated.size > 0 && fits(m, taken, parent->repeated);

    switch (n) {
    case 0: /* list.element */
        return is_group && fits(m, taken + 1, child->name) ? 2 : SIZE_MAX;
    case 1: /* element, key_value, or a struct's field */
        return is_child ? 1 : SIZE_MAX;
    case 2: /* list */
        return is_group ? 1 : SIZE_MAX;
    default:
        return parent->type == WEIR_LIST || parent->type == WEIR_MAP ? 0 : SIZE_MAX;
    }
}

enum {
    WAYS = 4
};

/* Visits the ways from `field` to `child` that lead somewhere; whether there are any. */
static bool take_ways(const marker *m, const weir_field *field, const weir_field *child,
                      size_t taken, bool marks)
{
    bool any = false;

    for (int n = 0; n < WAYS && !(any && n > 1); n++) {
        const size_t more = way_in(m, field, child, taken, n);

        if (more == SIZE_MAX || !*leads(m, child, taken + more))
            continue;
        any = true;
        if (marks)
            *passes(m, child, taken + more) = 1;
    }
    return any;
}

static bool go_down(const marker *m, const weir_field *field, size_t taken, bool marks)
{
    bool any = false;

    for (int32_t i = field->first_child; i >= 0;) {
        const weir_field *child = weir_schema_field(m->schema, i);

        any = take_ways(m, field, child, taken, marks) || any;
        i = child->next_sibling;
    }
    return any;
}

static void keep_subtree(const marker *m, const weir_field *field, uint8_t *keep)
{
    const int32_t end = m->base + m->count;

    keep[field->index - m->base] |= WEIR_KEEP;
    for (int32_t i = field->index + 1; i < end; i++) {
        const weir_field *below = weir_schema_field(m->schema, i);

        if (below->parent < field->index)
            break;
        keep[i - m->base] |= WEIR_KEEP;
    }
}

/* What the walk ended at; then all above it, and the keys of maps. */
static bool settle(const marker *m, uint8_t *keep)
{
    bool any = false;

    for (int32_t i = 0; i < m->count; i++)
        if (*passes(m, field_at(m, i), m->steps->count)) {
            keep_subtree(m, field_at(m, i), keep);
            keep[i] |= WEIR_END;
            any = true;
        }
    for (int32_t i = m->count; i-- > 1;)
        if (keep[i])
            keep[field_at(m, i)->parent - m->base] |= WEIR_KEEP;
    for (int32_t i = 0; i < m->count; i++) {
        const weir_field *field = field_at(m, i);
        const weir_field *entries = weir_schema_field(m->schema, field->first_child);

        if (keep[i] && field->type == WEIR_MAP && entries && entries->first_child >= 0)
            keep_subtree(m, weir_schema_field(m->schema, entries->first_child), keep);
    }
    return any;
}

static void mark(const marker *m)
{
    for (int32_t i = m->count; i-- > 0;) {
        const weir_field *field = field_at(m, i);

        *leads(m, field, m->steps->count) = 1;
        for (size_t taken = 1; taken < m->steps->count; taken++)
            *leads(m, field, taken) = go_down(m, field, taken, false);
    }
    *passes(m, field_at(m, 0), 1) = 1;
    for (int32_t i = 0; i < m->count; i++)
        for (size_t taken = 1; taken < m->steps->count; taken++)
            if (*passes(m, field_at(m, i), taken))
                go_down(m, field_at(m, i), taken, true);
}

weir_status weir_path_mark(const weir_path_steps *steps, const weir_schema *schema,
                           const weir_field *column, bool any_case, uint8_t *keep, bool *any,
                           weir_error *err)
{
    marker m = {
        .steps = steps,
        .schema = schema,
        .base = column->index,
        .count = weir_subtree_count(schema, column),
        .any_case = any_case,
        .width = steps->count + 1,
    };
    size_t size;

    if (__builtin_mul_overflow((size_t)m.count, m.width, &size))
        return weir_fail_memory(err, SIZE_MAX);
    m.leads = calloc(size, 2);
    if (!m.leads)
        return weir_fail_memory(err, size);
    m.passes = m.leads + size;
    mark(&m);
    *any = settle(&m, keep);
    free(m.leads);
    return WEIR_OK;
}
