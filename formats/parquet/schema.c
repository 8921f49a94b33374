/* SPDX-License-Identifier: Apache-2.0
 * schema.c: the list of SchemaElement, depth first, to the tree of fields and the leaves. A loop
 * with a stack of its own, so that a hostile depth costs nothing. */
#include "formats/parquet/meta.h"

#include "core/error.h"
#include "core/schema.h"
#include "formats/parquet/annotation.h"

typedef struct open_group {
    int32_t index; /* of its field */
    int32_t left;  /* children still to come */
} open_group;

typedef struct builder {
    weir_schema *schema;
    weir_parquet_leaf *leaves;
    int32_t leaf_count;
    int32_t depth; /* groups open */
    open_group stack[WEIR_PARQUET_DEPTH];
} builder;

static weir_type leaf_type(const weir_parquet_element *element, uint32_t *width)
{
    *width = 0;
    switch (element->type) {
    case WEIR_PARQUET_BOOLEAN:
        return WEIR_BOOL;
    case WEIR_PARQUET_INT32:
        *width = 4;
        return WEIR_I32;
    case WEIR_PARQUET_INT64:
        *width = 8;
        return WEIR_I64;
    case WEIR_PARQUET_INT96:
        *width = 12;
        return WEIR_FIXED;
    case WEIR_PARQUET_FLOAT:
        *width = 4;
        return WEIR_F32;
    case WEIR_PARQUET_DOUBLE:
        *width = 8;
        return WEIR_F64;
    case WEIR_PARQUET_BYTE_ARRAY:
        return WEIR_BYTES;
    case WEIR_PARQUET_FIXED:
        *width = element->type_length > 0 ? (uint32_t)element->type_length : 0;
        return WEIR_FIXED;
    default:
        return WEIR_ANY; /* a type from the future: the leaf has `trouble` */
    }
}

/* The root's repetition means nothing, whatever it says. */
static void set_levels(const weir_field *parent, weir_field *field)
{
    if (!parent)
        return;
    field->max_definition =
        (int16_t)(parent->max_definition + (field->repetition != WEIR_REQUIRED));
    field->max_repetition =
        (int16_t)(parent->max_repetition + (field->repetition == WEIR_REPEATED));
}

static const char *leaf_trouble(const weir_field *field)
{
    if (field->max_definition > WEIR_NEST_LEVELS)
        return "nested more than 254 levels deep";
    if (field->type == WEIR_ANY)
        return "of a physical type that this version does not know";
    if (field->type == WEIR_FIXED && field->width == 0)
        return "FIXED_LEN_BYTE_ARRAY without a length";
    return NULL;
}

static weir_status add(builder *b, const weir_parquet_element *element, bool is_group,
                       weir_error *err)
{
    const int32_t parent = b->depth > 0 ? b->stack[b->depth - 1].index : -1;
    weir_field field = { .name = element->name, .type = WEIR_STRUCT, .id = element->id };

    if (parent >= 0 && element->repetition > WEIR_REPEATED)
        return weir_fail(err, WEIR_CORRUPT, "schema: %.*s has repetition type %d",
                         (int)(element->name.size < 100 ? element->name.size : 100),
                         (const char *)element->name.data, element->repetition);
    if (parent >= 0 && element->repetition > 0)
        field.repetition = (weir_repetition)element->repetition;
    if (!is_group)
        field.type = leaf_type(element, &field.width);
    set_levels(weir_schema_field(b->schema, parent), &field);
    weir_parquet_annotate(element, &field);
    return weir_schema_append(b->schema, parent, &field, err);
}

static weir_status add_element(builder *b, const weir_parquet_element *element, weir_error *err)
{
    const int32_t index = b->schema->field_count;
    const bool is_group = index == 0 || element->child_count > 0 || element->type < 0;

    WEIR_TRY(add(b, element, is_group, err));
    if (b->depth > 0)
        b->stack[b->depth - 1].left--;
    if (!is_group) {
        b->leaves[b->leaf_count++] = (weir_parquet_leaf){
            .type = (weir_parquet_type)element->type,
        };
    } else if (element->child_count > 0) {
        if (b->depth == WEIR_PARQUET_DEPTH)
            return weir_fail(err, WEIR_LIMIT, "schema: groups are nested more than %d deep",
                             WEIR_PARQUET_DEPTH);
        b->stack[b->depth++] = (open_group){ index, element->child_count };
    }
    while (b->depth > 0 && b->stack[b->depth - 1].left == 0)
        b->depth--;
    return WEIR_OK;
}

static weir_status read_elements(builder *b, weir_compact *in, uint32_t count, weir_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        weir_parquet_element element;

        weir_parquet_element_read(in, &element);
        if (in->why)
            return WEIR_OK; /* told by the caller, who knows the offset */
        if (element.child_count < -1)
            return weir_fail(err, WEIR_CORRUPT, "schema: element %u has %d children", i,
                             element.child_count);
        if (i > 0 && b->depth == 0)
            return weir_fail(err, WEIR_CORRUPT, "schema: %u elements belong to no group",
                             count - i);
        WEIR_TRY(add_element(b, &element, err));
    }
    if (b->depth > 0)
        return weir_fail(err, WEIR_CORRUPT, "schema: a group has fewer children than it says");
    return WEIR_OK;
}

/* Once the schema is sealed, its fields stay where they are. */
static void finish_leaves(const builder *b)
{
    for (int32_t i = 0; i < b->leaf_count; i++) {
        weir_parquet_leaf *leaf = &b->leaves[i];

        leaf->field = weir_schema_leaf(b->schema, i);
        leaf->width = leaf->field->width;
        leaf->max_definition = leaf->field->max_definition;
        leaf->max_repetition = leaf->field->max_repetition;
        leaf->column = leaf->field->column;
        leaf->trouble = leaf_trouble(leaf->field);
    }
}

weir_status weir_parquet_schema_read(weir_compact *in, const weir_compact_field *field,
                                     weir_arena *arena, weir_schema **out,
                                     const weir_parquet_leaf **leaves, weir_error *err)
{
    builder b = { 0 };
    uint32_t count = 0;
    weir_status status;

    if (!weir_compact_list(in, field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    /* An element has a name, if empty, and the end of its struct. */
    if (count == 0 || count > (size_t)(in->end - in->at) / 3 || count > INT32_MAX)
        return weir_fail(err, WEIR_CORRUPT, "schema: it cannot have %u elements", count);
    b.leaves = weir_arena_array(arena, count, sizeof *b.leaves);
    if (!b.leaves)
        return weir_fail_memory(err, (uint64_t)count * sizeof *b.leaves);
    WEIR_TRY(weir_schema_open((int32_t)count, &b.schema, err));
    status = read_elements(&b, in, count, err);
    if (status == WEIR_OK && !in->why)
        status = weir_schema_seal(b.schema, err);
    if (status != WEIR_OK || in->why) {
        weir_schema_release(b.schema);
        return status;
    }
    finish_leaves(&b);
    *out = b.schema;
    *leaves = b.leaves;
    return WEIR_OK;
}
