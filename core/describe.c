/* SPDX-License-Identifier: Apache-2.0
 * describe.c: a field in words: its path and its type, for messages and tables. */
#include "core/schema.h"

#include <stdio.h>
#include <string.h>

/* The letter that stands for `byte` after a `\` in a path; 0: it stands for itself. */
static char escape_of(uint8_t byte)
{
    switch (byte) {
    case '.':
    case '\\':
        return (char)byte;
    case '\t':
        return 't';
    case '\n':
        return 'n';
    default:
        return 0;
    }
}

static size_t escaped_size(weir_view name)
{
    size_t size = name.size;

    for (size_t i = 0; i < name.size; i++)
        size += escape_of(name.data[i]) != 0;
    return size;
}

/* One byte at `at`, where that leaves room for the terminator. */
static void put(char *out, size_t room, size_t at, char byte)
{
    if (at + 1 < room)
        out[at] = byte;
}

static void put_name(char *out, size_t room, size_t at, weir_view name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char escape = escape_of(name.data[i]);

        if (escape)
            put(out, room, at++, '\\');
        put(out, room, at++, escape ? escape : (char)name.data[i]);
    }
}

size_t weir_schema_path(const weir_schema *schema, int32_t field, char *out, size_t room)
{
    const weir_field *fields = schema->fields;
    size_t size = 0, at;

    if (field < 0 || field >= schema->field_count)
        field = 0; /* as the root: the empty path */
    for (int32_t i = field; i > 0; i = fields[i].parent)
        size += escaped_size(fields[i].name) + (fields[i].parent > 0);
    /* The way up gives names last to first, so they are put from the end. */
    at = size;
    for (int32_t i = field; i > 0; i = fields[i].parent) {
        at -= escaped_size(fields[i].name);
        put_name(out, room, at, fields[i].name);
        if (fields[i].parent > 0)
            put(out, room, --at, '.');
    }
    if (room > 0)
        out[size < room ? size : room - 1] = '\0';
    return size;
}

/* An annotation that repeats what the physical type says (INT_32 on I32) is none. */
static weir_logical logical_of(const weir_field *field)
{
    const uint8_t bits = field->type == WEIR_I64 ? 64 : field->type == WEIR_I32 ? 32 : 0;

    if (field->logical == WEIR_LOGICAL_INTEGER && field->is_signed && field->bits == bits)
        return WEIR_LOGICAL_NONE;
    return field->logical;
}

bool weir_field_same(const weir_field *a, const weir_field *b)
{
    const weir_logical logical = logical_of(a);

    if (a->type != b->type || a->width != b->width || a->element != b->element ||
        logical != logical_of(b))
        return false;
    switch (logical) {
    case WEIR_LOGICAL_INTEGER:
        return a->bits == b->bits && a->is_signed == b->is_signed;
    case WEIR_LOGICAL_DECIMAL:
        return a->precision == b->precision && a->scale == b->scale;
    case WEIR_LOGICAL_TIME:
    case WEIR_LOGICAL_TIMESTAMP:
        return a->unit == b->unit && a->is_utc == b->is_utc;
    default:
        return true;
    }
}

static const char *const physical_names[] = {
    [WEIR_ANY] = "any",    [WEIR_BOOL] = "boolean",  [WEIR_I8] = "int8",
    [WEIR_I16] = "int16",  [WEIR_I32] = "int32",     [WEIR_I64] = "int64",
    [WEIR_U8] = "uint8",   [WEIR_U16] = "uint16",    [WEIR_U32] = "uint32",
    [WEIR_U64] = "uint64", [WEIR_F16] = "float16",   [WEIR_F32] = "float",
    [WEIR_F64] = "double", [WEIR_BYTES] = "bytes",   [WEIR_FIXED] = "fixed",
    [WEIR_LIST] = "list",  [WEIR_STRUCT] = "struct", [WEIR_MAP] = "map",
};

static const char *const logical_names[] = {
    [WEIR_LOGICAL_STRING] = "string",     [WEIR_LOGICAL_ENUM] = "enum",
    [WEIR_LOGICAL_JSON] = "json",         [WEIR_LOGICAL_BSON] = "bson",
    [WEIR_LOGICAL_UUID] = "uuid",         [WEIR_LOGICAL_DATE] = "date",
    [WEIR_LOGICAL_FLOAT16] = "float16",   [WEIR_LOGICAL_INTERVAL] = "interval",
    [WEIR_LOGICAL_NULL] = "null",         [WEIR_LOGICAL_LIST] = "list",
    [WEIR_LOGICAL_MAP] = "map",           [WEIR_LOGICAL_VARIANT] = "variant",
    [WEIR_LOGICAL_GEOMETRY] = "geometry", [WEIR_LOGICAL_GEOGRAPHY] = "geography",
};

static const char *unit_name(weir_unit unit)
{
    static const char *const names[] = { "int96", "s", "ms", "us", "ns" };
    const unsigned index = (unsigned)unit;

    return index < sizeof names / sizeof *names ? names[index] : "?";
}

static void describe_physical(const weir_field *field, char *out, size_t room)
{
    const bool is_list = field->type == WEIR_FIXED_LIST;
    const unsigned type = (unsigned)(is_list ? field->element : field->type);
    const char *name =
        type < sizeof physical_names / sizeof *physical_names ? physical_names[type] : "unknown";

    if (field->type == WEIR_FIXED)
        snprintf(out, room, "%s %u", name, field->width);
    else if (is_list)
        snprintf(out, room, "%s[%u]", name, field->list_size);
    else
        snprintf(out, room, "%s", name);
}

static void describe_logical(const weir_field *field, weir_logical logical, char *out, size_t room)
{
    const char *utc = field->is_utc ? ", UTC" : "";

    switch (logical) {
    case WEIR_LOGICAL_INTEGER:
        snprintf(out, room, "%sint%u", field->is_signed ? "" : "u", field->bits);
        break;
    case WEIR_LOGICAL_DECIMAL:
        snprintf(out, room, "decimal(%d,%d)", field->precision, field->scale);
        break;
    case WEIR_LOGICAL_TIME:
        snprintf(out, room, "time(%s%s)", unit_name(field->unit), utc);
        break;
    case WEIR_LOGICAL_TIMESTAMP:
        snprintf(out, room, "timestamp(%s%s)", unit_name(field->unit), utc);
        break;
    default:
        snprintf(out, room, "%s", logical_names[logical]);
    }
}

/* Whether the logical type is stored as it mostly is, so that words about it say nothing new. */
static bool is_usual(const weir_field *field, weir_logical logical)
{
    switch (logical) {
    case WEIR_LOGICAL_UUID:
    case WEIR_LOGICAL_FLOAT16:
    case WEIR_LOGICAL_INTERVAL:
        return field->type == WEIR_FIXED;
    case WEIR_LOGICAL_INTEGER:
        return field->type == (field->bits == 64 ? WEIR_I64 : WEIR_I32);
    case WEIR_LOGICAL_DECIMAL:
        return false;
    case WEIR_LOGICAL_DATE:
        return field->type == WEIR_I32;
    case WEIR_LOGICAL_TIME:
        return field->type == (field->unit == WEIR_MILLIS ? WEIR_I32 : WEIR_I64);
    case WEIR_LOGICAL_TIMESTAMP:
        return field->type == (field->unit == WEIR_UNIT_NONE ? WEIR_FIXED : WEIR_I64);
    case WEIR_LOGICAL_NULL:
    case WEIR_LOGICAL_LIST:
    case WEIR_LOGICAL_MAP:
    case WEIR_LOGICAL_VARIANT:
        return true;
    default:
        return field->type == WEIR_BYTES;
    }
}

size_t weir_field_describe(const weir_field *field, char *out, size_t room)
{
    weir_logical logical = logical_of(field);
    char physical[32], text[64];
    int size;

    if ((unsigned)logical > WEIR_LOGICAL_GEOGRAPHY)
        logical = WEIR_LOGICAL_NONE;
    describe_physical(field, physical, sizeof physical);
    if (logical == WEIR_LOGICAL_NONE)
        return (size_t)snprintf(out, room, "%s", physical);
    describe_logical(field, logical, text, sizeof text);
    if (is_usual(field, logical))
        size = snprintf(out, room, "%s", text);
    else
        size = snprintf(out, room, "%s on %s", text, physical);
    return (size_t)size;
}
