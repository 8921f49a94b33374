/* SPDX-License-Identifier: Apache-2.0
 * arrow_schema.c: the Arrow type of a column, and the ArrowSchema that says so. After the line: for
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

/* What one released ArrowSchema frees: children and dictionary may be moved away before, so each
 * has memory of its own; what their structs lie in is the parent's. */
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

typedef struct column_schema { /* of one column: its strings, and the dictionary's struct */
    struct ArrowSchema values;
    char format[40];
    char metadata[96];
    char name[];
} column_schema;

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

weir_status weir_arrow_schema_open(const weir_field *field, const weir_arrow_type *type,
                                   bool is_nullable, bool is_coded, struct ArrowSchema *out,
                                   weir_error *err)
{
    const size_t size = sizeof(column_schema) + 3 * field->name.size + 1;
    const bool has_metadata = type->extension && !is_coded;
    column_schema *own = calloc(1, size);
    weir_status status = WEIR_OK;

    if (!own)
        return weir_fail_memory(err, size);
    put_name(field->name, own->name);
    if (has_metadata)
        put_extension(type->extension, own->metadata);
    if (is_coded) { /* codes are uint32 below 2^31: as int32 they are better understood */
        own->format[0] = 'i';
        status = weir_arrow_schema_open(field, type, is_nullable, false, &own->values, err);
    } else {
        memcpy(own->format, type->format, sizeof own->format);
    }
    if (status != WEIR_OK) {
        free(own);
        return status;
    }
    *out = (struct ArrowSchema){
        .format = own->format,
        .name = own->name,
        .metadata = has_metadata ? own->metadata : NULL,
        .flags = is_nullable ? ARROW_FLAG_NULLABLE : 0,
        .dictionary = is_coded ? &own->values : NULL,
        .release = release_schema,
        .private_data = own,
    };
    return WEIR_OK;
}

weir_status weir_arrow_schema_struct(size_t count, struct ArrowSchema *out, weir_error *err)
{
    const size_t size = count * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema));
    struct ArrowSchema **children = calloc(1, size + 1);

    if (!children)
        return weir_fail_memory(err, size);
    for (size_t i = 0; i < count; i++)
        children[i] = (struct ArrowSchema *)(void *)(children + count) + i;
    *out = (struct ArrowSchema){
        .format = "+s",
        .name = "",
        .n_children = (int64_t)count,
        .children = children,
        .release = release_schema,
        .private_data = children,
    };
    return WEIR_OK;
}
