/* SPDX-License-Identifier: Apache-2.0
 * arrow_schema.c: the Arrow type of a leaf, and the ArrowSchema that says so. After the line: for
 * the Arrow export. */
#include "readers/arrow.h"

#include "core/error.h"
#include "core/logical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which type ---- */

weir_arrow_options weir_arrow_settle(const weir_arrow_options *options)
{
    weir_arrow_options settled = WEIR_ARROW_OPTIONS_INIT;

    if (options && options->size >= sizeof settled)
        settled = *options;
    if (settled.int96_unit == WEIR_UNIT_NONE)
        settled.int96_unit = WEIR_NANOS;
    return settled;
}

static char unit_letter(weir_unit unit)
{
    return unit == WEIR_SECONDS ? 's' : unit == WEIR_MILLIS ? 'm' : unit == WEIR_MICROS ? 'u' : 'n';
}

static void set_format(weir_arrow_type *type, const char *format)
{
    snprintf(type->format, sizeof type->format, "%s", format);
}

/* What the bytes are, whatever they mean. */
static void physical_type(const weir_field *field, weir_arrow_type *out)
{
    static const char *const formats[] = {
        [WEIR_BOOL] = "b",  [WEIR_I8] = "c",    [WEIR_I16] = "s", [WEIR_I32] = "i",
        [WEIR_I64] = "l",   [WEIR_U8] = "C",    [WEIR_U16] = "S", [WEIR_U32] = "I",
        [WEIR_U64] = "L",   [WEIR_F16] = "e",   [WEIR_F32] = "f", [WEIR_F64] = "g",
        [WEIR_BYTES] = "z", [WEIR_FIXED] = "w",
    };

    if (field->type == WEIR_FIXED)
        snprintf(out->format, sizeof out->format, "w:%u", (unsigned)field->width);
    else
        set_format(out, formats[field->type]);
}

/* Narrow integers lie in I32: their bytes must move, those of 32 and 64 bits only change name. */
static void integer_type(const weir_field *field, weir_arrow_type *out)
{
    const uint8_t bits = field->bits;

    if (field->type == WEIR_I32 && (bits == 8 || bits == 16)) {
        out->way = WEIR_ARROW_NARROW;
        out->width = bits / 8u;
        out->is_signed = field->is_signed;
        set_format(out, bits == 8 ? (field->is_signed ? "c" : "C") : field->is_signed ? "s" : "S");
    } else if (!field->is_signed && field->type == WEIR_I32) {
        set_format(out, "I");
    } else if (!field->is_signed && field->type == WEIR_I64) {
        set_format(out, "L");
    }
}

static void decimal_type(const weir_field *field, weir_arrow_type *out)
{
    const bool is_stored = field->type == WEIR_I32 || field->type == WEIR_I64 ||
                           field->type == WEIR_FIXED || field->type == WEIR_BYTES;

    if (!is_stored || field->precision < 1 || field->precision > 76)
        return;
    out->way = WEIR_ARROW_DECIMAL;
    out->width = field->precision <= 38 ? 16 : 32;
    snprintf(out->format, sizeof out->format, out->width == 16 ? "d:%d,%d" : "d:%d,%d,256",
             (int)field->precision, (int)field->scale);
}

static void timestamp_type(const weir_field *field, const weir_arrow_options *options,
                           weir_arrow_type *out)
{
    weir_unit unit = field->unit;

    if (field->type == WEIR_FIXED && field->width == 12) {
        unit = options->int96_unit;
        out->way = WEIR_ARROW_INT96;
        out->width = 8;
        out->unit = unit;
    } else if (field->type != WEIR_I64 || unit == WEIR_UNIT_NONE) {
        return;
    }
    snprintf(out->format, sizeof out->format, "ts%c:%s", unit_letter(unit),
             field->is_utc ? "UTC" : "");
}

static void time_type(const weir_field *field, weir_arrow_type *out)
{
    const bool is_short = field->unit == WEIR_SECONDS || field->unit == WEIR_MILLIS;

    if (field->unit != WEIR_UNIT_NONE && field->type == (is_short ? WEIR_I32 : WEIR_I64))
        snprintf(out->format, sizeof out->format, "tt%c", unit_letter(field->unit));
}

static void text_type(const weir_field *field, const weir_arrow_options *options,
                      weir_arrow_type *out)
{
    if (field->type != WEIR_BYTES || options->strings_as_binary)
        return;
    out->is_text = true;
    set_format(out, "u");
    if (field->logical == WEIR_LOGICAL_JSON)
        out->extension = "arrow.json";
}

void weir_arrow_type_of(const weir_field *field, const weir_arrow_options *options,
                        weir_arrow_type *out)
{
    *out = (weir_arrow_type){ .way = WEIR_ARROW_LEND };
    physical_type(field, out);
    switch (field->logical) {
    case WEIR_LOGICAL_STRING:
    case WEIR_LOGICAL_ENUM:
    case WEIR_LOGICAL_JSON:
        text_type(field, options, out);
        break;
    case WEIR_LOGICAL_UUID:
        if (field->type == WEIR_FIXED && field->width == 16)
            out->extension = "arrow.uuid";
        break;
    case WEIR_LOGICAL_INTEGER:
        integer_type(field, out);
        break;
    case WEIR_LOGICAL_DECIMAL:
        decimal_type(field, out);
        break;
    case WEIR_LOGICAL_DATE:
        if (field->type == WEIR_I32)
            set_format(out, "tdD");
        break;
    case WEIR_LOGICAL_TIME:
        time_type(field, out);
        break;
    case WEIR_LOGICAL_TIMESTAMP:
        timestamp_type(field, options, out);
        break;
    case WEIR_LOGICAL_FLOAT16:
        if (field->type == WEIR_FIXED && field->width == 2)
            set_format(out, "e");
        break;
    case WEIR_LOGICAL_NULL:
        out->way = WEIR_ARROW_NOTHING;
        set_format(out, "n");
        break;
    default:
        break;
    }
}

/* ---- the structs ---- */

/* Of one column or what is below it: its strings, the dictionary's struct, and the children's.
 * Children and dictionary may be moved away before, so each has memory of its own. */
typedef struct field_schema {
    struct ArrowSchema values;
    char format[40];
    char metadata[96];
    char *name;
    struct ArrowSchema *children[]; /* then their structs, then the name */
} field_schema;

static size_t children_size(size_t count)
{
    return count * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema));
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->private_data);
    schema->release = NULL;
}

/* All of them released at first; gives where their structs end. */
static char *place_children(struct ArrowSchema **children, size_t count, struct ArrowSchema *out)
{
    struct ArrowSchema *structs = (struct ArrowSchema *)(void *)(children + count);

    for (size_t i = 0; i < count; i++)
        children[i] = &structs[i];
    out->n_children = (int64_t)count;
    out->children = count ? children : NULL;
    return (char *)(structs + count);
}

/* CDataInterface, ArrowSchema.metadata: int32 count of pairs, then int32 length and bytes of key
 * and of value, native endian. */
static void put_extension(const char *extension, char *out)
{
    const char *const pair[] = { "ARROW:extension:name", extension };
    const char *const empty[] = { "ARROW:extension:metadata", "" };
    const int32_t count = 2;

    memcpy(out, &count, sizeof count);
    out += sizeof count;
    for (int i = 0; i < 4; i++) {
        const char *word = i < 2 ? pair[i] : empty[i - 2];
        const int32_t size = (int32_t)strlen(word);

        memcpy(out, &size, sizeof size);
        memcpy(out + sizeof size, word, (size_t)size);
        out += sizeof size + (size_t)size;
    }
}

/* Arrow's names are UTF-8 and end at a zero byte: a byte that isn't either becomes U+FFFD. */
static void put_name(weir_view name, char *out)
{
    while (name.size > 0) {
        size_t good = weir_utf8_check(name.data, name.size);
        const uint8_t *zero = memchr(name.data, 0, good);

        if (zero)
            good = (size_t)(zero - name.data);
        memcpy(out, name.data, good);
        out += good;
        if (good < name.size) {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
            good++;
        }
        name.data += good;
        name.size -= good;
    }
    *out = '\0';
}

/* ---- columns ---- */

bool weir_arrow_is_set(const weir_field *field, const weir_field *entries)
{
    return field->type == WEIR_MAP && entries->child_count == 1;
}

static bool is_nullable(const weir_arrow_source *from)
{
    return from->is_nullable || from->field->repetition != WEIR_REQUIRED ||
           (from->vector && from->vector->nulls > 0);
}

/* The child after `before`, which is zeroed for the first. */
static void next_child(const weir_arrow_source *from, size_t index, weir_arrow_source *child)
{
    const weir_field *before = child->field;

    *child = *from;
    if (from->vector) {
        child->vector = &from->vector->children[index];
        child->field = child->vector->field;
    } else {
        child->field = weir_schema_field(from->schema,
                                         before ? before->next_sibling : from->field->first_child);
    }
}

weir_field weir_arrow_element(const weir_field *list)
{
    return (weir_field){ .name = { (const uint8_t *)"item", 4 },
                         .type = list->element,
                         .width = list->width / list->list_size };
}

static weir_status fill_element(const weir_arrow_source *from, struct ArrowSchema *out,
                                weir_error *err)
{
    const weir_field field = weir_arrow_element(from->field);
    const weir_arrow_source element = { .field = &field, .options = from->options };

    return weir_arrow_schema_open(&element, out, err);
}

static weir_status fill_children(const weir_arrow_source *from, struct ArrowSchema *out,
                                 weir_error *err)
{
    weir_arrow_source child = { .field = NULL }, key = { .field = NULL };

    if (from->field->type == WEIR_FIXED_LIST)
        return fill_element(from, out->children[0], err);
    for (size_t i = 0; i < (size_t)out->n_children; i++) {
        next_child(from, i, &child);
        if (weir_arrow_is_set(from->field, child.field)) {
            next_child(&child, 0, &key);
            return weir_arrow_schema_open(&key, out->children[0], err);
        }
        WEIR_TRY(weir_arrow_schema_open(&child, out->children[i], err));
    }
    if (from->field->type == WEIR_MAP) { /* Arrow's maps have neither null entries nor null keys */
        out->children[0]->flags = 0;
        out->children[0]->children[0]->flags = 0;
    }
    return WEIR_OK;
}

static void set_format_of(const weir_arrow_source *from, field_schema *own, weir_arrow_type *type)
{
    const weir_field *entries = NULL;
    weir_arrow_source child = { .field = NULL };

    if (from->field->type == WEIR_FIXED_LIST) {
        snprintf(own->format, sizeof own->format, "+w:%u", (unsigned)from->field->list_size);
        return;
    }
    if (from->field->type < WEIR_LIST) {
        weir_arrow_type_of(from->field, from->options, type);
        memcpy(own->format, type->format, sizeof own->format);
        return;
    }
    if (from->field->type == WEIR_MAP) {
        next_child(from, 0, &child);
        entries = child.field;
    }
    own->format[0] = '+';
    own->format[1] = from->field->type == WEIR_STRUCT                      ? 's'
                     : entries && !weir_arrow_is_set(from->field, entries) ? 'm'
                                                                           : 'l';
}

/* Codes are uint32 below 2^31: as int32 they are better understood. */
static weir_status fill_coded(const weir_arrow_source *from, field_schema *own,
                              struct ArrowSchema *out, weir_error *err)
{
    weir_arrow_source values = *from;
    weir_vector plain = *from->vector;

    plain.form = WEIR_PLAIN;
    values.vector = &plain;
    own->format[0] = 'i';
    out->dictionary = &own->values;
    return weir_arrow_schema_open(&values, &own->values, err);
}

weir_status weir_arrow_no_type(weir_error *err)
{
    return weir_fail(err, WEIR_BAD_CALL,
                     "a column of which only the shape was read has no Arrow type");
}

static size_t child_count(const weir_field *field)
{
    if (field->type == WEIR_FIXED_LIST)
        return 1;
    return field->type < WEIR_LIST ? 0 : (size_t)field->child_count;
}

static weir_status open_schema(const weir_arrow_source *from, struct ArrowSchema *out,
                               weir_error *err)
{
    const size_t count = child_count(from->field);
    const size_t size =
        sizeof(field_schema) + children_size(count) + 3 * from->field->name.size + 1;
    field_schema *own = calloc(1, size);
    struct ArrowSchema made = { .release = release_schema, .private_data = own };
    weir_arrow_type type = { .extension = NULL };
    weir_status status;

    if (!own)
        return weir_fail_memory(err, size);
    own->name = place_children(own->children, count, &made);
    put_name(from->field->name, own->name);
    made.format = own->format;
    made.name = own->name;
    made.flags = is_nullable(from) ? ARROW_FLAG_NULLABLE : 0;
    if (from->vector && from->vector->form == WEIR_CODES) {
        status = fill_coded(from, own, &made, err);
    } else {
        set_format_of(from, own, &type);
        status = fill_children(from, &made, err);
    }
    if (type.extension) {
        put_extension(type.extension, own->metadata);
        made.metadata = own->metadata;
    }
    if (status == WEIR_OK)
        *out = made;
    else
        release_schema(&made);
    return status;
}

weir_status weir_arrow_schema_open(const weir_arrow_source *from, struct ArrowSchema *out,
                                   weir_error *err)
{
    const bool is_shape = from->vector && from->vector->form == WEIR_SHAPE;

    return is_shape ? weir_arrow_no_type(err) : open_schema(from, out, err);
}

weir_status weir_arrow_schema_rows(size_t count, struct ArrowSchema *out, weir_error *err)
{
    const size_t size = children_size(count);
    struct ArrowSchema **children = calloc(1, size + 1);

    if (!children)
        return weir_fail_memory(err, size);
    *out = (struct ArrowSchema){
        .format = "+s", .name = "", .release = release_schema, .private_data = children
    };
    place_children(children, count, out);
    return WEIR_OK;
}
