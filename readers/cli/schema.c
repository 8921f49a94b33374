/* SPDX-License-Identifier: Apache-2.0
 * schema.c: `weir schema`: the tree as written, as Parquet's `message` or as JSON, and how its
 * lists and maps are understood; or in Arrow's types. */
#include "schema.h"

#include <string.h>

#define SCHEMA_DEPTH 512 /* deeper groups are named, not shown */

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
    else if (field->type == WEIR_FIXED_LIST)
        cli_printf(out, "%s[%u]", names[field->element], field->list_size);
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

static void put_message(cli_out *out, const weir_schema *schema, const weir_field *field,
                        weir_repetition repetition, int depth);

static void put_fields(cli_out *out, const weir_schema *schema, const weir_field *field, int depth)
{
    int32_t child = field->first_child;

    while (child >= 0 && depth < SCHEMA_DEPTH) {
        const weir_field *f = weir_schema_field(schema, child);

        put_message(out, schema, f, field->type == WEIR_MAP ? WEIR_REPEATED : f->repetition,
                    depth + 1);
        child = f->next_sibling;
    }
}

/* A united schema has lists and maps as they are understood: these get the repeated groups that
 * the format's rules give them. */
static void put_message(cli_out *out, const weir_schema *schema, const weir_field *field,
                        weir_repetition repetition, int depth)
{
    put_indent(out, depth);
    if (depth == 0) {
        cli_puts(out, "message ");
    } else {
        cli_printf(out, "%s ", repetitions[repetition]);
        put_physical(out, field);
        cli_putc(out, ' ');
    }
    if (field->name.size == 0)
        cli_puts(out, "\"\"");
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
    if (field->type == WEIR_LIST) {
        put_indent(out, depth + 1);
        cli_puts(out, "repeated group list {\n");
        put_fields(out, schema, field, depth + 1);
        put_indent(out, depth + 1);
        cli_puts(out, "}\n");
    } else {
        put_fields(out, schema, field, depth);
    }
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

static void put_json(cli_json *json, const char *name, const weir_schema *schema,
                     const weir_field *field, int depth);

/* "list", "map" and "struct" where they are understood; a group as written has no type. */
static void put_json_nested(cli_json *json, const weir_schema *schema, const weir_field *field,
                            int depth)
{
    int32_t child;

    if (field->type == WEIR_LIST || field->type == WEIR_MAP)
        cli_json_string(json, "type", field->type == WEIR_LIST ? "list" : "map");
    put_json_logical(json, field);
    cli_json_open(json, "fields", '[');
    for (child = field->first_child; child >= 0 && depth < SCHEMA_DEPTH;
         child = weir_schema_field(schema, child)->next_sibling)
        put_json(json, NULL, schema, weir_schema_field(schema, child), depth + 1);
    cli_json_close(json, ']');
}

static void put_json_members(cli_json *json, const weir_schema *schema, const weir_field *field,
                             int depth)
{
    cli_json_text(json, "name", (const char *)field->name.data, field->name.size);
    if (depth > 0)
        cli_json_string(json, "repetition", repetitions[field->repetition]);
    if (field->id >= 0)
        cli_json_number(json, "id", field->id);
    if (field->leaf >= 0)
        put_json_leaf(json, field);
    else
        put_json_nested(json, schema, field, depth);
}

static void put_json(cli_json *json, const char *name, const weir_schema *schema,
                     const weir_field *field, int depth)
{
    cli_json_open(json, name, '{');
    put_json_members(json, schema, field, depth);
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
    else if (field->type == WEIR_FIXED_LIST)
        cli_printf(out, "fixed_size_list<item: %s not null>[%u]", names[field->element],
                   field->list_size);
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

static void put_arrow_nested(cli_out *out, const weir_schema *schema, const weir_field *field,
                             int depth)
{
    const weir_field *child = weir_schema_field(schema, field->first_child);

    if (field->type == WEIR_LIST) {
        cli_puts(out, "list<");
        put_arrow_children(out, schema, field, depth);
    } else if (field->type == WEIR_MAP && child->child_count == 2) {
        const weir_field *key = weir_schema_field(schema, child->first_child);

        cli_puts(out, "map<");
        put_arrow(out, schema, key, depth + 1);
        cli_puts(out, ", ");
        put_arrow(out, schema, weir_schema_field(schema, key->next_sibling), depth + 1);
    } else if (field->type == WEIR_MAP) { /* keys alone: Arrow has no such map */
        cli_puts(out, "list<");
        put_arrow_children(out, schema, child, depth);
    } else {
        cli_puts(out, "struct<");
        put_arrow_children(out, schema, field, depth);
    }
    cli_putc(out, '>');
}

/* As deep as the schema; the reader of the file caps it, and so does this. */
static void put_arrow(cli_out *out, const weir_schema *schema, const weir_field *field, int depth)
{
    if (depth > SCHEMA_DEPTH)
        cli_puts(out, "...");
    else if (field->leaf >= 0)
        put_arrow_leaf(out, field);
    else
        put_arrow_nested(out, schema, field, depth);
}

static void put_arrow_column(cli_out *out, const weir_schema *schema, int32_t column)
{
    const weir_field *field = weir_schema_column(schema, column);

    put_arrow_name(out, field);
    put_arrow(out, schema, field, 1);
    cli_puts(out, field->repetition == WEIR_REQUIRED ? " not null\n" : "\n");
}

static void put_arrow_schema(cli_out *out, const weir_schema *schema)
{
    const int32_t count = weir_schema_column_count(schema);
    int32_t i;

    for (i = 0; i < count; i++)
        put_arrow_column(out, schema, i);
}

/* ---- as written, and as understood ---- */

static bool has_name(const weir_field *field, const char *name, size_t size)
{
    return field->name.size == size && memcmp(field->name.data, name, size) == 0;
}

/* The repeated field of a list is the element itself: parquet-format LogicalTypes.md, "Lists",
 * backward compatibility. */
static bool is_old_list(const weir_schema *schema, const weir_field *list,
                        const weir_field *repeated)
{
    const size_t size = list->name.size;
    const bool is_tuple = repeated->name.size == size + 6 &&
                          memcmp(repeated->name.data, list->name.data, size) == 0 &&
                          memcmp(repeated->name.data + size, "_tuple", 6) == 0;

    return repeated->child_count != 1 || is_tuple || has_name(repeated, "array", 5) ||
           weir_schema_field(schema, repeated->first_child)->repetition == WEIR_REPEATED;
}

/* Whether the group is a list or a map in the shape that writers have to give it today. */
static bool is_modern(const weir_schema *schema, const weir_field *group)
{
    const weir_field *repeated = weir_schema_field(schema, group->first_child);
    const weir_field *key;

    if (group->child_count != 1 || repeated->repetition != WEIR_REPEATED)
        return false;
    if (group->logical == WEIR_LOGICAL_LIST)
        return !is_old_list(schema, group, repeated);
    key = weir_schema_field(schema, repeated->first_child);
    return repeated->child_count == 2 && key->repetition == WEIR_REQUIRED;
}

/* Whether reading the column takes one of the format's rules for older writers. */
static bool is_legacy(const weir_schema *schema, const weir_field *column)
{
    const int32_t count = weir_schema_field_count(schema);
    int32_t i;

    for (i = column->index; i < count; i++) {
        const weir_field *field = weir_schema_field(schema, i);
        const weir_field *parent = weir_schema_field(schema, field->parent);

        if (field->column != column->column)
            break;
        if (field->leaf < 0 &&
            (field->logical == WEIR_LOGICAL_LIST || field->logical == WEIR_LOGICAL_MAP) &&
            !is_modern(schema, field))
            return true;
        if (field->repetition == WEIR_REPEATED && parent->logical != WEIR_LOGICAL_LIST &&
            parent->logical != WEIR_LOGICAL_MAP)
            return true;
    }
    return false;
}

/* After the message, which stays one that other programs parse. */
static void put_understood(cli_out *out, const weir_file_info *info)
{
    const int32_t count = weir_schema_column_count(info->written);
    bool is_first = true;
    int32_t i;

    for (i = 0; i < count; i++) {
        if (!is_legacy(info->written, weir_schema_column(info->written, i)))
            continue;
        if (is_first)
            cli_puts(out, "\nunderstood as:\n");
        is_first = false;
        cli_puts(out, "  ");
        put_arrow_column(out, info->schema, i);
    }
}

static bool has_nested(const weir_schema *schema)
{
    return weir_schema_leaf_count(schema) + 1 != weir_schema_field_count(schema);
}

static void put_schema(cli_session *session, const weir_schema *written, const weir_file_info *info)
{
    const weir_field *root = weir_schema_field(written, 0);
    cli_json json = { .out = &session->out, .is_first = true };

    if (!session->args->is_json) {
        put_message(&session->out, written, root, root->repetition, 0);
        if (info)
            put_understood(&session->out, info);
        return;
    }
    cli_json_open(&json, NULL, '{');
    put_json_members(&json, written, root, 0);
    if (info && has_nested(info->schema))
        put_json(&json, "understood", info->schema, weir_schema_field(info->schema, 0), 0);
    cli_json_close(&json, '}');
}

/* The first file that can be read; the dataset's schema is its, unless files are united. */
static bool find_first(cli_session *session, weir_file_info *info)
{
    const int32_t files = weir_dataset_file_count(session->dataset);
    weir_error err;
    int32_t i;

    for (i = 0; i < files; i++)
        if (weir_dataset_file(session->dataset, i, info, &err) == WEIR_OK)
            return true;
    cli_fail(session, &err);
    return false;
}

int cli_schema(const cli_args *args)
{
    cli_session session;

    if (cli_open(&session, args)) {
        const weir_schema *schema = weir_dataset_schema(session.dataset);
        weir_file_info info = { .size = sizeof(info) };

        if (args->is_arrow)
            put_arrow_schema(&session.out, schema);
        else if (args->flags & WEIR_UNIFY)
            put_schema(&session, schema, NULL);
        else if (find_first(&session, &info) && args->is_hipo)
            schema_put_hipo(&session, &info);
        else if (info.written)
            put_schema(&session, info.written, &info);
    }
    return cli_close(&session);
}
