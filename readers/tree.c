/* SPDX-License-Identifier: Apache-2.0
 * tree.c: columns that are trees. */
#include "readers/tree.h"

#include "core/error.h"

#include <string.h>
#include <strings.h>

bool weir_field_is_nested(const weir_field *field)
{
    return field->type >= WEIR_LIST;
}

/* Fields come depth first: the parent of the next one is the newest, or above it. */
weir_status weir_tree_append(weir_schema *out, const weir_schema *origin, int32_t from,
                             const weir_field *root, const uint8_t *keep, weir_error *err)
{
    const int32_t column = weir_schema_field(origin, from)->column;
    const int32_t end = weir_schema_field_count(origin);
    int32_t newest = from, place = weir_schema_field_count(out); /* the same field in both */

    WEIR_TRY(weir_schema_append(out, 0, root, err));
    for (int32_t i = from + 1; i < end; i++) {
        const weir_field *field = weir_schema_field(origin, i);

        if (field->column != column)
            break;
        if (keep && !keep[i - from])
            continue;
        while (newest != field->parent) {
            newest = weir_schema_field(origin, newest)->parent;
            place = weir_schema_field(out, place)->parent;
        }
        WEIR_TRY(weir_schema_append(out, place, field, err));
        newest = i;
        place = weir_schema_field_count(out) - 1;
    }
    return WEIR_OK;
}

/* ---- matching ---- */

static weir_status part(const weir_match *m, const weir_field *wanted, const weir_field *found,
                        weir_error *err)
{
    char path[200], a[80], b[80] = "missing";

    weir_schema_path(m->result, wanted->index, path, sizeof path);
    weir_field_describe(wanted, a, sizeof a);
    if (found)
        weir_field_describe(found, b, sizeof b);
    return weir_fail(err, WEIR_MISMATCH, "`%s` is %s, and here %s", path, a, b);
}

static bool same_name(const weir_field *a, const weir_field *b, bool any_case)
{
    return a->name.size == b->name.size &&
           (a->name.size == 0 ||
            (any_case ? strncasecmp((const char *)a->name.data, (const char *)b->name.data,
                                    a->name.size) == 0
                      : memcmp(a->name.data, b->name.data, a->name.size) == 0));
}

static const weir_field *next_of(const weir_schema *schema, const weir_field *field)
{
    return weir_schema_field(schema, field->next_sibling);
}

/* The field of the file's struct that stands for a field of the dataset's: of one name there, the
 * how-manieth counts. */
static const weir_field *child_like(const weir_match *m, const weir_field *origin,
                                    const weir_field *group)
{
    const weir_field *parent = weir_schema_field(m->dataset, origin->parent);
    const weir_field *child = weir_schema_field(m->dataset, parent->first_child);
    int32_t before = 0;

    for (; child != origin; child = next_of(m->dataset, child))
        before += same_name(child, origin, m->any_case);
    child = weir_schema_field(m->file, group->first_child);
    while (child && !(same_name(child, origin, m->any_case) && before-- == 0))
        child = next_of(m->file, child);
    return child;
}

static weir_nest_node node_of(const weir_field *wanted, const weir_field *found, uint8_t scope)
{
    return (weir_nest_node){
        .field = wanted,
        .type = found->type,
        .scope = scope,
        .present = (uint8_t)found->max_definition,
        .is_nullable = found->repetition == WEIR_OPTIONAL,
    };
}

/* The nodes above the leaf, from both schemas side by side, bottom up. */
static weir_status make_path(const weir_match *m, const weir_field *wanted, const weir_field *found,
                             weir_path **out, weir_error *err)
{
    weir_path *path = weir_arena_array(m->arena, 1, sizeof *path);
    weir_nest_node *nodes;
    uint32_t depth = 0;
    uint8_t scope = 0;

    for (const weir_field *f = wanted; f->parent > 0; f = weir_schema_field(m->result, f->parent))
        depth++;
    nodes = weir_arena_array(m->arena, depth, sizeof *nodes);
    if (!path || !nodes)
        return weir_fail_memory(err, depth * sizeof *nodes);
    path->leaf_present = (uint8_t)found->max_definition;
    for (uint32_t i = depth; i-- > 0;) {
        wanted = weir_schema_field(m->result, wanted->parent);
        found = weir_schema_field(m->file, found->parent);
        nodes[i] = node_of(wanted, found, 0);
    }
    for (uint32_t i = 0; i < depth; i++) {
        nodes[i].scope = scope;
        if (nodes[i].type != WEIR_STRUCT) {
            if (scope == WEIR_NEST_LEVELS)
                return weir_fail(err, WEIR_UNSUPPORTED, "lists more than %d deep",
                                 WEIR_NEST_LEVELS);
            path->exists[++scope] = (uint8_t)(nodes[i].present + 1);
        }
    }
    path->nodes = nodes;
    path->count = depth;
    path->scopes = scope;
    *out = path;
    return WEIR_OK;
}

static weir_status match_leaf(const weir_match *m, const weir_field *wanted,
                              const weir_field *found, weir_error *err)
{
    weir_target *target = &m->targets[wanted->leaf];
    weir_path *path = NULL;

    if (!weir_field_same(wanted, found))
        return part(m, wanted, found, err);
    if (found->max_definition > WEIR_NEST_LEVELS)
        return weir_fail(err, WEIR_UNSUPPORTED, "nested more than %d levels deep",
                         WEIR_NEST_LEVELS);
    WEIR_TRY(make_path(m, wanted, found, &path, err));
    target->from = found;
    target->field = wanted;
    target->path = path;
    return WEIR_OK;
}

static bool is_kept(const weir_match *m, const weir_field *origin)
{
    return !m->keep || m->keep[origin->index - m->origin];
}

static weir_status match(const weir_match *m, const weir_field *wanted, const weir_field *origin,
                         const weir_field *found, weir_error *err);

/* Structs are mostly the same in all files: then names need not be looked up. */
static weir_status match_children(const weir_match *m, const weir_field *wanted,
                                  const weir_field *origin, const weir_field *found,
                                  weir_error *err)
{
    const bool by_name = origin->type == WEIR_STRUCT;
    const weir_field *child = weir_schema_field(m->result, wanted->first_child);
    const weir_field *model = weir_schema_field(m->dataset, origin->first_child);
    const weir_field *beside = weir_schema_field(m->file, found->first_child);
    bool is_alike = true;

    for (; model; model = next_of(m->dataset, model)) {
        const weir_field *other = beside;

        is_alike = is_alike && beside && (!by_name || same_name(model, beside, m->any_case));
        beside = beside ? next_of(m->file, beside) : NULL;
        if (!is_kept(m, model))
            continue;
        if (!is_alike)
            other = by_name ? child_like(m, model, found) : NULL;
        if (!other)
            return part(m, child, NULL, err);
        WEIR_TRY(match(m, child, model, other, err));
        child = next_of(m->result, child);
    }
    return WEIR_OK;
}

/* As deep as the schema, which is capped by who read it. */
static weir_status match(const weir_match *m, const weir_field *wanted, const weir_field *origin,
                         const weir_field *found, weir_error *err)
{
    if (wanted->leaf >= 0)
        return found->leaf >= 0 ? match_leaf(m, wanted, found, err) : part(m, wanted, found, err);
    if (wanted->type != found->type)
        return part(m, wanted, found, err);
    return match_children(m, wanted, origin, found, err);
}

weir_status weir_tree_match(const weir_match *m, weir_error *err)
{
    return match(m, weir_schema_field(m->result, m->wanted),
                 weir_schema_field(m->dataset, m->origin), weir_schema_field(m->file, m->found),
                 err);
}
