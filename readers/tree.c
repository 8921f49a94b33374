/* SPDX-License-Identifier: Apache-2.0
 * tree.c: columns that are trees. */
#include "readers/tree.h"

#include "core/error.h"

#include <string.h>

bool weir_field_is_nested(const weir_field *field)
{
    return field->type >= WEIR_LIST;
}

weir_status weir_tree_append(weir_schema *out, const weir_schema *origin, int32_t from,
                             const weir_field *root, weir_error *err)
{
    const int32_t base = weir_schema_field_count(out);
    const int32_t column = weir_schema_field(origin, from)->column;

    WEIR_TRY(weir_schema_append(out, 0, root, err));
    for (int32_t i = from + 1; i < weir_schema_field_count(origin); i++) { /* parents come first */
        const weir_field *field = weir_schema_field(origin, i);

        if (field->column != column)
            break;
        WEIR_TRY(weir_schema_append(out, base + field->parent - from, field, err));
    }
    return WEIR_OK;
}

/* ---- matching ---- */

typedef struct matching {
    const weir_schema *result, *file;
    weir_arena *arena;
    weir_target *targets;
} matching;

static weir_status part(const matching *m, const weir_field *wanted, const weir_field *found,
                        weir_error *err)
{
    char path[200], a[80], b[80] = "missing";

    weir_schema_path(m->result, wanted->index, path, sizeof path);
    weir_field_describe(wanted, a, sizeof a);
    if (found)
        weir_field_describe(found, b, sizeof b);
    return weir_fail(err, WEIR_MISMATCH, "`%s` is %s, and here %s", path, a, b);
}

static const weir_field *child_named(const matching *m, const weir_field *group, weir_view name)
{
    for (int32_t i = group->first_child; i >= 0;) {
        const weir_field *child = weir_schema_field(m->file, i);

        if (child->name.size == name.size && memcmp(child->name.data, name.data, name.size) == 0)
            return child;
        i = child->next_sibling;
    }
    return NULL;
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
static weir_status make_path(const matching *m, const weir_field *wanted, const weir_field *found,
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
                return weir_fail(err, WEIR_UNSUPPORTED, "lists more than %d deep", WEIR_NEST_LEVELS);
            path->exists[++scope] = (uint8_t)(nodes[i].present + 1);
        }
    }
    path->nodes = nodes;
    path->count = depth;
    path->scopes = scope;
    *out = path;
    return WEIR_OK;
}

static weir_status match_leaf(const matching *m, const weir_field *wanted, const weir_field *found,
                              weir_error *err)
{
    weir_target *target = &m->targets[wanted->leaf];
    weir_path *path = NULL;

    if (!weir_field_same(wanted, found))
        return part(m, wanted, found, err);
    if (found->max_definition > WEIR_NEST_LEVELS)
        return weir_fail(err, WEIR_UNSUPPORTED, "nested more than %d levels deep", WEIR_NEST_LEVELS);
    WEIR_TRY(make_path(m, wanted, found, &path, err));
    target->from = found;
    target->field = wanted;
    target->path = path;
    return WEIR_OK;
}

/* As deep as the schema, which is capped by who read it. */
static weir_status match(const matching *m, const weir_field *wanted, const weir_field *found,
                         weir_error *err)
{
    if (wanted->leaf >= 0)
        return found->leaf >= 0 ? match_leaf(m, wanted, found, err) : part(m, wanted, found, err);
    if (wanted->type != found->type)
        return part(m, wanted, found, err);
    for (int32_t i = wanted->first_child, k = found->first_child; i >= 0;) {
        const weir_field *child = weir_schema_field(m->result, i);
        const weir_field *other = wanted->type == WEIR_STRUCT ? child_named(m, found, child->name)
                                  : k >= 0                    ? weir_schema_field(m->file, k)
                                                              : NULL;

        if (!other)
            return part(m, child, NULL, err);
        WEIR_TRY(match(m, child, other, err));
        i = child->next_sibling;
        k = other->next_sibling;
    }
    return WEIR_OK;
}

weir_status weir_tree_match(const weir_schema *result, int32_t wanted, const weir_schema *file,
                            int32_t found, weir_arena *arena, weir_target *targets, weir_error *err)
{
    const matching m = { result, file, arena, targets };

    return match(&m, weir_schema_field(result, wanted), weir_schema_field(file, found), err);
}
