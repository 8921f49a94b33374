/* SPDX-License-Identifier: Apache-2.0
 * understand.c: the schema as it is written to the columns as they are meant: the repeated groups
 * that stand for lists and maps are left out, under all the rules for older writers (parquet-format
 * LogicalTypes.md, "Lists", "Maps", backward compatibility). Leaves keep their order. */
#include "core/error.h"
#include "core/schema.h"
#include "formats/parquet/meta.h"

#include <string.h>

typedef struct shaper {
    const weir_schema *from;
    weir_schema *to;
} shaper;

static const weir_field *child_of(const shaper *s, const weir_field *field)
{
    return weir_schema_field(s->from, field->first_child);
}

static bool name_is(const weir_field *field, const char *name, size_t size)
{
    return field->name.size == size && memcmp(field->name.data, name, size) == 0;
}

/* "array", or the list's name and "_tuple": the repeated group is the element itself. */
static bool is_old_element(const weir_field *list, const weir_field *repeated)
{
    const size_t size = list->name.size;

    return name_is(repeated, "array", 5) ||
           (repeated->name.size == size + 6 &&
            memcmp(repeated->name.data, list->name.data, size) == 0 &&
            memcmp(repeated->name.data + size, "_tuple", 6) == 0);
}

/* The repeated child of a group that is annotated as a list or a map; NULL: it isn't one. */
static const weir_field *repeated_child(const shaper *s, const weir_field *field)
{
    const weir_field *child = field->child_count == 1 ? child_of(s, field) : NULL;

    return child && child->repetition == WEIR_REPEATED ? child : NULL;
}

static bool is_map(const shaper *s, const weir_field *field)
{
    const weir_field *entries = repeated_child(s, field);

    return field->logical == WEIR_LOGICAL_MAP && entries && entries->type == WEIR_STRUCT &&
           (entries->child_count == 1 || entries->child_count == 2);
}

static bool is_list(const shaper *s, const weir_field *field)
{
    return field->logical == WEIR_LOGICAL_LIST && repeated_child(s, field);
}

static weir_status add(shaper *s, const weir_field *field, weir_type type, weir_logical logical,
                       weir_repetition repetition, int32_t under, int32_t *index, weir_error *err)
{
    weir_field copy = *field;

    copy.type = type;
    copy.logical = logical;
    copy.repetition = repetition;
    *index = s->to->field_count;
    return weir_schema_append(s->to, under, &copy, err);
}

static bool has_leaf(const shaper *s, const weir_field *field)
{
    if (field->leaf >= 0)
        return true;
    for (int32_t i = field->first_child; i >= 0; i = weir_schema_field(s->from, i)->next_sibling)
        if (has_leaf(s, weir_schema_field(s->from, i)))
            return true;
    return false;
}

static weir_status shape(shaper *s, const weir_field *field, bool is_element, int32_t under,
                         weir_error *err);

static weir_status shape_children(shaper *s, const weir_field *field, int32_t under,
                                  weir_error *err)
{
    for (int32_t i = field->first_child; i >= 0;) {
        const weir_field *child = weir_schema_field(s->from, i);

        /* A group without a leaf tells nothing; as a column it keeps its place, and is refused. */
        if (under == 0 || has_leaf(s, child))
            WEIR_TRY(shape(s, child, false, under, err));
        i = child->next_sibling;
    }
    return WEIR_OK;
}

/* Whether the repeated child of a list is a group around the element, not the element itself. */
static bool is_around_element(const shaper *s, const weir_field *list, const weir_field *repeated)
{
    return repeated->type == WEIR_STRUCT && repeated->child_count == 1 &&
           !is_old_element(list, repeated) && child_of(s, repeated)->repetition != WEIR_REPEATED;
}

static weir_status shape_list(shaper *s, const weir_field *field, weir_repetition repetition,
                              int32_t under, weir_error *err)
{
    const weir_field *repeated = repeated_child(s, field);
    const bool is_around = is_around_element(s, field, repeated);
    weir_field list = *field;
    int32_t index;

    if (is_around)
        list.repeated = repeated->name;
    WEIR_TRY(add(s, &list, WEIR_LIST, WEIR_LOGICAL_LIST, repetition, under, &index, err));
    return is_around ? shape(s, child_of(s, repeated), false, index, err)
                     : shape(s, repeated, true, index, err);
}

/* A list's definition level is where it is there, its elements' one more. */
static weir_status shape_bare(shaper *s, const weir_field *field, int32_t under, weir_error *err)
{
    weir_field list = *field;
    int32_t index;

    list.max_definition--;
    list.max_repetition--;
    WEIR_TRY(add(s, &list, WEIR_LIST, WEIR_LOGICAL_LIST, WEIR_REQUIRED, under, &index, err));
    return shape(s, field, true, index, err);
}

/* `is_element`: its repetition was spent on the list above it. The depth of the schema is capped
 * by who read it. */
static weir_status shape(shaper *s, const weir_field *field, bool is_element, int32_t under,
                         weir_error *err)
{
    const weir_repetition repetition = is_element ? WEIR_REQUIRED : field->repetition;
    int32_t index;

    if (field->repetition == WEIR_REPEATED && !is_element && under >= 0)
        return shape_bare(s, field, under, err);
    if (is_map(s, field)) {
        const weir_field *entries = repeated_child(s, field);

        WEIR_TRY(add(s, field, WEIR_MAP, WEIR_LOGICAL_MAP, repetition, under, &index, err));
        WEIR_TRY(
            add(s, entries, WEIR_STRUCT, WEIR_LOGICAL_NONE, WEIR_REQUIRED, index, &index, err));
        return shape_children(s, entries, index, err);
    }
    if (is_list(s, field))
        return shape_list(s, field, repetition, under, err);
    WEIR_TRY(add(s, field, field->type, field->logical, repetition, under, &index, err));
    return shape_children(s, field, index, err);
}

weir_status weir_parquet_understand(const weir_schema *written, weir_schema **out, weir_error *err)
{
    /* A bare repeated field becomes two. */
    const int64_t room = (int64_t)weir_schema_field_count(written) * 2;
    shaper s = { .from = written };
    weir_status status;

    WEIR_TRY(weir_schema_open(room > INT32_MAX ? INT32_MAX : (int32_t)room, &s.to, err));
    status = shape(&s, weir_schema_field(written, 0), false, -1, err);
    if (status == WEIR_OK)
        status = weir_schema_seal(s.to, err);
    if (status == WEIR_OK)
        *out = s.to;
    else
        weir_schema_release(s.to);
    return status;
}
