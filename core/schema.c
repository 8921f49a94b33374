/* SPDX-License-Identifier: Apache-2.0
 * schema.c: the field tree: how it is built, numbered, and looked things up in. Frozen once
 * sealed. */
#include "core/schema.h"

#include "core/error.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool is_group(weir_type type)
{
    return type >= WEIR_LIST;
}

static uint8_t fold(uint8_t byte, bool any_case)
{
    return any_case && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

/* FNV-1a, seeded with where the schema lies: a file can't be made whose names all meet. */
static uint64_t name_hash(const weir_schema *schema, weir_view name, bool any_case)
{
    uint64_t hash = 0xcbf29ce484222325u ^ ((uintptr_t)schema * 0x9e3779b97f4a7c15u);

    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ fold(name.data[i], any_case)) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static bool name_equal(weir_view a, weir_view b, bool any_case)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++) {
        if (fold(a.data[i], any_case) != fold(b.data[i], any_case))
            return false;
    }
    return true;
}

static weir_view column_name(const weir_schema *schema, int32_t column)
{
    return schema->fields[schema->columns[column]].name;
}

/* From the last column to the first, so that each chain ends up in order of index. */
static weir_status index_names(weir_schema *schema, bool any_case, weir_name_index *out,
                               weir_error *err)
{
    const size_t count = (size_t)schema->column_count;
    size_t heads = 8;

    while (heads < count)
        heads *= 2;
    out->mask = (uint32_t)heads - 1;
    out->heads = weir_arena_array(&schema->arena, heads, sizeof *out->heads);
    out->next = weir_arena_array(&schema->arena, count, sizeof *out->next);
    if (!out->heads || !out->next)
        return weir_fail_memory(err, (heads + count) * sizeof *out->next);
    memset(out->heads, 0xff, heads * sizeof *out->heads); /* -1 */
    for (int32_t column = schema->column_count; column-- > 0;) {
        const uint64_t hash = name_hash(schema, column_name(schema, column), any_case);
        int32_t *head = &out->heads[hash & out->mask];

        out->next[column] = *head;
        *head = column;
    }
    return WEIR_OK;
}

static weir_status grow(weir_schema *schema, weir_error *err)
{
    const int32_t room = schema->field_room < 8 ? 8 : schema->field_room;
    weir_field *fields;

    if (room > INT32_MAX / 2)
        return weir_fail(err, WEIR_LIMIT, "more than %d fields", room);
    fields = weir_arena_array(&schema->arena, (size_t)room * 2, sizeof *fields);
    if (!fields)
        return weir_fail_memory(err, (uint64_t)room * 2 * sizeof *fields);
    if (schema->field_count > 0)
        memcpy(fields, schema->fields, (size_t)schema->field_count * sizeof *fields);
    schema->fields = fields;
    schema->field_room = room * 2;
    return WEIR_OK;
}

/* The last child of `parent` so far. Since fields come depth first, it is the newest field or above
 * it; what is passed on the way up is complete and is never passed again. */
static int32_t last_child(const weir_schema *schema, int32_t parent)
{
    int32_t index = schema->field_count - 1;

    if (index == parent)
        return -1;
    while (schema->fields[index].parent != parent) {
        index = schema->fields[index].parent;
        assert(index >= 0); /* `parent` was left: not depth first */
    }
    return index;
}

weir_status weir_schema_open(int32_t room, weir_schema **out, weir_error *err)
{
    weir_schema *schema = calloc(1, sizeof *schema);

    if (!schema)
        return weir_fail_memory(err, sizeof *schema);
    atomic_init(&schema->refs, 1);
    weir_arena_init(&schema->arena);
    if (room > 0) {
        schema->fields = weir_arena_array(&schema->arena, (size_t)room, sizeof *schema->fields);
        if (!schema->fields) {
            weir_schema_release(schema);
            return weir_fail_memory(err, (uint64_t)room * sizeof *schema->fields);
        }
        schema->field_room = room;
    }
    *out = schema;
    return WEIR_OK;
}

weir_status weir_schema_append(weir_schema *schema, int32_t parent, const weir_field *field,
                               weir_error *err)
{
    const int32_t index = schema->field_count;
    const char *name, *repeated;
    weir_field *own;

    assert(parent < index && (parent < 0) == (index == 0));
    if (index == schema->field_room)
        WEIR_TRY(grow(schema, err));
    name = weir_arena_copy(&schema->arena, field->name.data, field->name.size);
    repeated = field->repeated.size == 0
                   ? ""
                   : weir_arena_copy(&schema->arena, field->repeated.data, field->repeated.size);
    if (!name || !repeated)
        return weir_fail_memory(err, field->name.size + field->repeated.size);
    own = &schema->fields[index];
    *own = *field;
    own->name.data = (const uint8_t *)name;
    own->repeated.data = (const uint8_t *)repeated;
    own->index = index;
    own->parent = parent;
    own->child_count = 0;
    own->first_child = own->next_sibling = own->leaf = own->column = -1;
    if (parent >= 0) {
        weir_field *above = &schema->fields[parent];
        const int32_t sibling = last_child(schema, parent);

        if (sibling >= 0)
            schema->fields[sibling].next_sibling = index;
        else
            above->first_child = index;
        own->column = parent == 0 ? above->child_count : above->column;
        above->child_count++;
    }
    schema->field_count++;
    return WEIR_OK;
}

weir_status weir_schema_seal(weir_schema *schema, weir_error *err)
{
    const size_t count = (size_t)schema->field_count;

    schema->leaves = weir_arena_array(&schema->arena, count, sizeof *schema->leaves);
    schema->columns = weir_arena_array(&schema->arena, count, sizeof *schema->columns);
    if (!schema->leaves || !schema->columns)
        return weir_fail_memory(err, 2 * count * sizeof *schema->leaves);
    schema->leaf_count = schema->column_count = 0;
    for (int32_t i = 0; i < schema->field_count; i++) {
        weir_field *field = &schema->fields[i];

        if (!is_group(field->type)) {
            field->leaf = schema->leaf_count;
            schema->leaves[schema->leaf_count++] = i;
        }
        if (field->parent == 0)
            schema->columns[schema->column_count++] = i;
    }
    WEIR_TRY(index_names(schema, false, &schema->by_name, err));
    return index_names(schema, true, &schema->by_any_case, err);
}

weir_schema *weir_schema_keep(const weir_schema *schema)
{
    weir_schema *own = (weir_schema *)(uintptr_t)schema; /* frozen but for its count */

    /* Relaxed: whoever keeps has a count already. */
    atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
    return own;
}

void weir_schema_release(const weir_schema *schema)
{
    weir_schema *own = (weir_schema *)(uintptr_t)schema;

    /* acq_rel: all use comes before the end. */
    if (!own || atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) != 1)
        return;
    weir_arena_fini(&own->arena);
    free(own);
}

int32_t weir_schema_field_count(const weir_schema *schema)
{
    return schema->field_count;
}

int32_t weir_schema_leaf_count(const weir_schema *schema)
{
    return schema->leaf_count;
}

int32_t weir_schema_column_count(const weir_schema *schema)
{
    return schema->column_count;
}

const weir_field *weir_schema_field(const weir_schema *schema, int32_t index)
{
    return index >= 0 && index < schema->field_count ? &schema->fields[index] : NULL;
}

const weir_field *weir_schema_leaf(const weir_schema *schema, int32_t leaf)
{
    return leaf >= 0 && leaf < schema->leaf_count ? &schema->fields[schema->leaves[leaf]] : NULL;
}

const weir_field *weir_schema_column(const weir_schema *schema, int32_t column)
{
    return column >= 0 && column < schema->column_count ? &schema->fields[schema->columns[column]]
                                                        : NULL;
}

int32_t weir_schema_find(const weir_schema *schema, weir_view name, bool any_case, int32_t from)
{
    const weir_name_index *index = any_case ? &schema->by_any_case : &schema->by_name;
    int32_t column;

    if (from >= schema->column_count)
        return -1;
    /* One who asks for the next of many columns of one name goes on along the chain. */
    if (from > 0 && name_equal(column_name(schema, from - 1), name, any_case))
        column = index->next[from - 1];
    else
        column = index->heads[name_hash(schema, name, any_case) & index->mask];
    while (column >= 0 &&
           (column < from || !name_equal(column_name(schema, column), name, any_case)))
        column = index->next[column];
    return column;
}
