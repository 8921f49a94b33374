/* SPDX-License-Identifier: Apache-2.0
 * schema.c: `weir schema`: the tree as Parquet's `message`, as JSON, or in Arrow's types. */
#include "cli.h"

#include <string.h>

#define SCHEMA_DEPTH 100 /* deeper groups are named, not shown */

static const char *const repetitions[] = { "required", "optional", "repeated" };
static const char *const units[] = { "", "SECONDS", "MILLIS", "MICROS", "NANOS" };

static bool is_int96(const weir_field *field)
{
    return field->type == WEIR_FIXED && field->logical == WEIR_LOGICAL_TIMESTAMP;
}

/* ---- message ---- */

static void put_physical(cli_out *out, const weir_field *field)
{
    static const char *const names[] = { "any",   "boolean", "int8",   "int16",  "int32",
                                         "int64", "uint8",   "uint16", "uint32", "uint64",
                                         "half",  "float",   "double", "binary" };

    if (is_int96(field))
        cli_puts(out, "int96");
    else if (field->type == WEIR_FIXED)
        cli_printf(out, "fixed_len_byte_array(%u)", field->width);
    else if (field->type <= WEIR_BYTES)
        cli_puts(out, names[field->type]);
    else
        cli_puts(out, "group");
}

static void put_annotation(cli_out *out, const weir_field *field)
{
    static const char *const names[] = {
        [WEIR_LOGICAL_STRING] = "STRING",     [WEIR_LOGICAL_ENUM] = "ENUM",
        [WEIR_LOGICAL_JSON] = "JSON",         [WEIR_LOGICAL_BSON] = "BSON",
        [WEIR_LOGICAL_UUID] = "UUID",         [WEIR_LOGICAL_INTEGER] = "INTEGER",
        [WEIR_LOGICAL_DECIMAL] = "DECIMAL",   [WEIR_LOGICAL_DATE] = "DATE",
        [WEIR_LOGICAL_TIME] = "TIME",         [WEIR_LOGICAL_TIMESTAMP] = "TIMESTAMP",
        [WEIR_LOGICAL_FLOAT16] = "FLOAT16",   [WEIR_LOGICAL_INTERVAL] = "INTERVAL",
        [WEIR_LOGICAL_NULL] = "UNKNOWN",      [WEIR_LOGICAL_LIST] = "LIST",
        [WEIR_LOGICAL_MAP] = "MAP",           [WEIR_LOGICAL_VARIANT] = "VARIANT",
        [WEIR_LOGICAL_GEOMETRY] = "GEOMETRY", [WEIR_LOGICAL_GEOGRAPHY] = "GEOGRAPHY",
    };

    if (field->logical == WEIR_LOGICAL_NONE || is_int96(field))
        return;
    cli_printf(out, " (%s", names[field->logical]);
    if (field->logical == WEIR_LOGICAL_INTEGER)
        cli_printf(out, "(%u,%s)", field->bits, field->is_signed ? "true" : "false");
    else if (field->logical == WEIR_LOGICAL_DECIMAL)
        cli_printf(out, "(%d,%d)", field->precision, field->scale);
    else if (field->logical == WEIR_LOGICAL_TIME || field->logical == WEIR_LOGICAL_TIMESTAMP)
        cli_printf(out, "(%s,%s)", units[field->unit], field->is_utc ? "true" : "false");
    cli_putc(out, ')');
}

static void put_indent(cli_out *out, int depth)
{
    while (depth-- > 0)
        cli_puts(out, "  ");
}

static void put_message(cli_out *out, const weir_schema *schema, const weir_field *field, int depth)
{
    int32_t child;

    put_indent(out, depth);
    if (depth == 0) {
        cli_puts(out, "message ");
    } else {
        cli_printf(out, "%s ", repetitions[field->repetition]);
        put_physical(out, field);
        cli_putc(out, ' ');
    }
    cli_put_shown(out, (const char *)field->name.data, field->name.size);
    if (depth > 0)
        put_annotation(out, field);
    if (field->id >= 0)
        cli_printf(out, " = %d", field->id);
    if (field->leaf >= 0) {
        cli_puts(out, ";\n");
        return;
    }
    cli_puts(out, " {\n");
    if (depth < SCHEMA_DEPTH)
        for (child = field->first_child; child >= 0;
             child = weir_schema_field(schema, child)->next_sibling)
            put_message(out, schema, weir_schema_field(schema, child), depth + 1);
    put_indent(out, depth);
    cli_puts(out, "}\n");
}

/* ---- JSON ---- */

static void put_json_logical(cli_json *json, const weir_field *field)
{
    static const char *const names[] = {
        [WEIR_LOGICAL_STRING] = "string",     [WEIR_LOGICAL_ENUM] = "enum",
        [WEIR_LOGICAL_JSON] = "json",         [WEIR_LOGICAL_BSON] = "bson",
        [WEIR_LOGICAL_UUID] = "uuid",         [WEIR_LOGICAL_INTEGER] = "integer",
        [WEIR_LOGICAL_DECIMAL] = "decimal",   [WEIR_LOGICAL_DATE] = "date",
        [WEIR_LOGICAL_TIME] = "time",         [WEIR_LOGICAL_TIMESTAMP] = "timestamp",
        [WEIR_LOGICAL_FLOAT16] = "float16",   [WEIR_LOGICAL_INTERVAL] = "interval",
        [WEIR_LOGICAL_NULL] = "null",         [WEIR_LOGICAL_LIST] = "list",
        [WEIR_LOGICAL_MAP] = "map",           [WEIR_LOGICAL_VARIANT] = "variant",
        [WEIR_LOGICAL_GEOMETRY] = "geometry", [WEIR_LOGICAL_GEOGRAPHY] = "geography",
    };

    if (field->logical == WEIR_LOGICAL_NONE)
        return;
    cli_json_string(json, "logical", names[field->logical]);
    if (field->logical == WEIR_LOGICAL_INTEGER) {
        cli_json_number(json, "bits", field->bits);
        cli_json_bool(json, "signed", field->is_signed);
    } else if (field->logical == WEIR_LOGICAL_DECIMAL) {
        cli_json_number(json, "precision", field->precision);
        cli_json_number(json, "scale", field->scale);
    } else if ((field->logical == WEIR_LOGICAL_TIME || field->logical == WEIR_LOGICAL_TIMESTAMP) &&
               !is_int96(field)) {
        static const char *const words[] = { "", "seconds", "millis", "micros", "nanos" };

        cli_json_string(json, "unit", words[field->unit]);
        cli_json_bool(json, "utc", field->is_utc);
    }
}

static void put_json_leaf(cli_json *json, const weir_field *field)
{
    cli_out type = { .fd = -1 };

    put_physical(&type, field);
    cli_json_text(json, "type", type.data, type.used);
    cli_fini(&type);
    if (field->type == WEIR_FIXED)
        cli_json_number(json, "width", field->width);
    put_json_logical(json, field);
    cli_json_number(json, "max_definition", field->max_definition);
    cli_json_number(json, "max_repetition", field->max_repetition);
}

static void put_json(cli_json *json, const weir_schema *schema, const weir_field *field, int depth)
{
    int32_t child;

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", (const char *)field->name.data, field->name.size);
    if (depth > 0)
        cli_json_string(json, "repetition", repetitions[field->repetition]);
    if (field->id >= 0)
        cli_json_number(json, "id", field->id);
    if (field->leaf >= 0) {
        put_json_leaf(json, field);
    } else {
        put_json_logical(json, field);
        cli_json_open(json, "fields", '[');
        for (child = field->first_child; child >= 0 && depth < SCHEMA_DEPTH;
             child = weir_schema_field(schema, child)->next_sibling)
            put_json(json, schema, weir_schema_field(schema, child), depth + 1);
        cli_json_close(json, ']');
    }
    cli_json_close(json, '}');
}

/* ---- Arrow; the names that pyarrow prints ---- */

static void put_arrow_physical(cli_out *out, const weir_field *field)
{
    static const char *const names[] = { "null",      "bool",  "int8",   "int16",  "int32",
                                         "int64",     "uint8", "uint16", "uint32", "uint64",
                                         "halffloat", "float", "double", "binary" };

    if (field->type == WEIR_FIXED)
        cli_printf(out, "fixed_size_binary[%u]", field->width);
    else
        cli_puts(out, names[field->type <= WEIR_BYTES ? field->type : WEIR_BYTES]);
}

/* Whether the logical type is one of Arrow's, given what it is stored as. */
static bool is_arrow_logical(const weir_field *field)
{
    const bool is_whole = field->type == WEIR_I32 || field->type == WEIR_I64;

    switch (field->logical) {
    case WEIR_LOGICAL_STRING:
    case WEIR_LOGICAL_ENUM:
    case WEIR_LOGICAL_JSON:
        return field->type == WEIR_BYTES;
    case WEIR_LOGICAL_INTEGER:
    case WEIR_LOGICAL_TIME:
        return is_whole;
    case WEIR_LOGICAL_DECIMAL:
        return (is_whole || field->type == WEIR_BYTES || field->type == WEIR_FIXED) &&
               field->precision >= 1 && field->precision <= 76;
    case WEIR_LOGICAL_DATE:
        return field->type == WEIR_I32;
    case WEIR_LOGICAL_TIMESTAMP:
        return field->type == WEIR_I64 || (field->type == WEIR_FIXED && field->width == 12);
    case WEIR_LOGICAL_FLOAT16:
        return field->width == 2;
    case WEIR_LOGICAL_NULL:
        return true;
    default:
        return false;
    }
}

static void put_arrow_leaf(cli_out *out, const weir_field *field)
{
    static const char *const unit_names[] = { "ns", "s", "ms", "us", "ns" }; /* INT96: ns */
    const char *unit = unit_names[field->unit];

    if (!is_arrow_logical(field))
        put_arrow_physical(out, field);
    else if (field->logical == WEIR_LOGICAL_INTEGER)
        cli_printf(out, "%sint%u", field->is_signed ? "" : "u", field->bits);
    else if (field->logical == WEIR_LOGICAL_DECIMAL)
        cli_printf(out, "decimal%d(%d, %d)", field->precision > 38 ? 256 : 128, field->precision,
                   field->scale);
    else if (field->logical == WEIR_LOGICAL_DATE)
        cli_puts(out, "date32[day]");
    else if (field->logical == WEIR_LOGICAL_TIME)
        cli_printf(out, "time%d[%s]", field->type == WEIR_I32 ? 32 : 64, unit);
    else if (field->logical == WEIR_LOGICAL_TIMESTAMP)
        cli_printf(out, "timestamp[%s%s]", unit, field->is_utc ? ", tz=UTC" : "");
    else if (field->logical == WEIR_LOGICAL_FLOAT16)
        cli_puts(out, "halffloat");
    else
        cli_puts(out, field->logical == WEIR_LOGICAL_NULL ? "null" : "string");
}

static void put_arrow(cli_out *out, const weir_schema *schema, const weir_field *field, int depth);

static void put_arrow_name(cli_out *out, const weir_field *field)
{
    cli_put_shown(out, (const char *)field->name.data, field->name.size);
    cli_puts(out, ": ");
}

static void put_arrow_children(cli_out *out, const weir_schema *schema, const weir_field *field,
                               int depth)
{
    int32_t child = field->first_child;

    while (child >= 0) {
        const weir_field *f = weir_schema_field(schema, child);

        put_arrow_name(out, f);
        put_arrow(out, schema, f, depth + 1);
        if (f->repetition == WEIR_REQUIRED)
            cli_puts(out, " not null");
        child = f->next_sibling;
        if (child >= 0)
            cli_puts(out, ", ");
    }
}

/* The element below a LIST, by the rules of parquet-format LogicalTypes.md: the repeated field
 * itself, when it is no group of one field or bears one of two old names. */
static const weir_field *list_element(const weir_schema *schema, const weir_field *list,
                                      const weir_field *repeated)
{
    const size_t size = list->name.size;
    const bool is_tuple = repeated->name.size == size + 6 &&
                          memcmp(repeated->name.data, list->name.data, size) == 0 &&
                          memcmp(repeated->name.data + size, "_tuple", 6) == 0;
    const bool is_array = repeated->name.size == 5 && memcmp(repeated->name.data, "array", 5) == 0;

    if (repeated->child_count != 1 || is_tuple || is_array)
        return repeated;
    return weir_schema_field(schema, repeated->first_child);
}

static void put_arrow_group(cli_out *out, const weir_schema *schema, const weir_field *field,
                            int depth)
{
    const weir_field *repeated =
        field->child_count == 1 ? weir_schema_field(schema, field->first_child) : NULL;

    if (field->logical == WEIR_LOGICAL_LIST && repeated && repeated->repetition == WEIR_REPEATED) {
        const weir_field *element = list_element(schema, field, repeated);

        cli_puts(out, "list<");
        put_arrow_name(out, element);
        if (element == repeated && element->leaf < 0) {
            cli_puts(out, "struct<");
            put_arrow_children(out, schema, element, depth + 1);
            cli_putc(out, '>');
        } else if (element == repeated) {
            put_arrow_leaf(out, element);
        } else {
            put_arrow(out, schema, element, depth + 1);
        }
        if (element->repetition != WEIR_OPTIONAL)
            cli_puts(out, " not null");
        cli_putc(out, '>');
    } else if (field->logical == WEIR_LOGICAL_MAP && repeated && repeated->child_count == 2) {
        const weir_field *key = weir_schema_field(schema, repeated->first_child);

        cli_puts(out, "map<");
        put_arrow(out, schema, key, depth + 1);
        cli_puts(out, ", ");
        put_arrow(out, schema, weir_schema_field(schema, key->next_sibling), depth + 1);
        cli_putc(out, '>');
    } else {
        cli_puts(out, "struct<");
        put_arrow_children(out, schema, field, depth);
        cli_putc(out, '>');
    }
}

static void put_arrow(cli_out *out, const weir_schema *schema, const weir_field *field, int depth)
{
    const bool is_bare_list = field->repetition == WEIR_REPEATED;

    if (depth > SCHEMA_DEPTH) {
        cli_puts(out, "...");
        return;
    }
    if (is_bare_list) {
        cli_puts(out, "list<");
        put_arrow_name(out, field);
    }
    if (field->leaf >= 0)
        put_arrow_leaf(out, field);
    else
        put_arrow_group(out, schema, field, depth);
    if (is_bare_list)
        cli_puts(out, " not null> not null");
}

static void put_arrow_schema(cli_out *out, const weir_schema *schema)
{
    const int32_t count = weir_schema_column_count(schema);
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *field = weir_schema_column(schema, i);

        put_arrow_name(out, field);
        put_arrow(out, schema, field, 1);
        cli_puts(out, field->repetition == WEIR_REQUIRED ? " not null\n" : "\n");
    }
}

int cli_schema(const cli_args *args)
{
    cli_session session;

    if (cli_open(&session, args)) {
        const weir_schema *schema = weir_dataset_schema(session.dataset);
        cli_json json = { .out = &session.out, .is_first = true };

        if (args->is_arrow)
            put_arrow_schema(&session.out, schema);
        else if (args->is_json)
            put_json(&json, schema, weir_schema_field(schema, 0), 0);
        else
            put_message(&session.out, schema, weir_schema_field(schema, 0), 0);
    }
    return cli_close(&session);
}
