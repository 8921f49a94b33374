/* SPDX-License-Identifier: Apache-2.0
 * annotation.c: logical and converted types of a schema's element (parquet-format LogicalTypes.md).
 */
#include "formats/parquet/annotation.h"

enum { /* ConvertedType */
    CONVERTED_UTF8 = 0,
    CONVERTED_MAP = 1,
    CONVERTED_MAP_KEY_VALUE = 2,
    CONVERTED_LIST = 3,
    CONVERTED_ENUM = 4,
    CONVERTED_DECIMAL = 5,
    CONVERTED_DATE = 6,
    CONVERTED_TIME_MILLIS = 7,
    CONVERTED_TIME_MICROS = 8,
    CONVERTED_TIMESTAMP_MILLIS = 9,
    CONVERTED_TIMESTAMP_MICROS = 10,
    CONVERTED_UINT_8 = 11,
    CONVERTED_UINT_64 = 14,
    CONVERTED_INT_8 = 15,
    CONVERTED_INT_64 = 18,
    CONVERTED_JSON = 19,
    CONVERTED_BSON = 20,
    CONVERTED_INTERVAL = 21
};

/* TimeUnit, a union of empty structs. */
static void read_unit(weir_compact *in, weir_unit *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field)) {
        if (field.id >= 1 && field.id <= 3)
            *out = (weir_unit)(WEIR_MILLIS + (field.id - 1));
        weir_compact_skip(in, field.type);
    }
}

/* DecimalType, TimeType, TimestampType, IntType: the members of LogicalType that have fields which
 * matter here. */
static void read_parameters(weir_compact *in, weir_parquet_annotation *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field))
        if (out->kind == WEIR_PARQUET_DECIMAL && field.id == 1)
            weir_compact_i32(in, &field, &out->scale);
        else if (out->kind == WEIR_PARQUET_DECIMAL && field.id == 2)
            weir_compact_i32(in, &field, &out->precision);
        else if (out->kind == WEIR_PARQUET_INTEGER && field.id == 1)
            weir_compact_i8(in, &field, &out->bits);
        else if (out->kind == WEIR_PARQUET_INTEGER && field.id == 2)
            weir_compact_bool(in, &field, &out->is_signed);
        else if ((out->kind == WEIR_PARQUET_TIME || out->kind == WEIR_PARQUET_TIMESTAMP) &&
                 field.id == 1)
            weir_compact_bool(in, &field, &out->is_utc);
        else if ((out->kind == WEIR_PARQUET_TIME || out->kind == WEIR_PARQUET_TIMESTAMP) &&
                 field.id == 2 && field.type == WEIR_COMPACT_STRUCT)
            read_unit(in, &out->unit);
        else
            weir_compact_skip(in, field.type);
}

static void read_logical(weir_compact *in, weir_parquet_annotation *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field)) {
        if (!weir_compact_struct(in, &field))
            continue;
        *out = (weir_parquet_annotation){ .kind = field.id };
        read_parameters(in, out);
    }
}

void weir_parquet_element_read(weir_compact *in, weir_parquet_element *out)
{
    weir_compact_field field = { 0 };

    *out = (weir_parquet_element){ .type = -1,
                                   .type_length = -1,
                                   .repetition = -1,
                                   .child_count = -1,
                                   .converted = -1,
                                   .scale = -1,
                                   .precision = -1,
                                   .id = -1,
                                   .name = { (const uint8_t *)"", 0 } };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i32(in, &field, &out->type);
            break;
        case 2:
            weir_compact_i32(in, &field, &out->type_length);
            break;
        case 3:
            weir_compact_i32(in, &field, &out->repetition);
            break;
        case 4:
            weir_compact_binary(in, &field, &out->name);
            break;
        case 5:
            weir_compact_i32(in, &field, &out->child_count);
            break;
        case 6:
            weir_compact_i32(in, &field, &out->converted);
            break;
        case 7:
            weir_compact_i32(in, &field, &out->scale);
            break;
        case 8:
            weir_compact_i32(in, &field, &out->precision);
            break;
        case 9:
            weir_compact_i32(in, &field, &out->id);
            break;
        case 10:
            if (weir_compact_struct(in, &field))
                read_logical(in, &out->logical);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
}

/* The logical type that a converted one stands for. The older times are instants in UTC. */
static weir_parquet_annotation from_converted(const weir_parquet_element *element)
{
    const int32_t converted = element->converted;
    weir_parquet_annotation a = { 0 };

    switch (converted) {
    case CONVERTED_UTF8:
        a.kind = WEIR_PARQUET_STRING;
        break;
    case CONVERTED_MAP:
    case CONVERTED_MAP_KEY_VALUE:
        a.kind = WEIR_PARQUET_MAP;
        break;
    case CONVERTED_LIST:
        a.kind = WEIR_PARQUET_LIST;
        break;
    case CONVERTED_ENUM:
        a.kind = WEIR_PARQUET_ENUM;
        break;
    case CONVERTED_DECIMAL:
        a.kind = WEIR_PARQUET_DECIMAL;
        a.precision = element->precision;
        a.scale = element->scale > 0 ? element->scale : 0;
        break;
    case CONVERTED_DATE:
        a.kind = WEIR_PARQUET_DATE;
        break;
    case CONVERTED_TIME_MILLIS:
    case CONVERTED_TIME_MICROS:
        a.kind = WEIR_PARQUET_TIME;
        a.unit = converted == CONVERTED_TIME_MILLIS ? WEIR_MILLIS : WEIR_MICROS;
        a.is_utc = true;
        break;
    case CONVERTED_TIMESTAMP_MILLIS:
    case CONVERTED_TIMESTAMP_MICROS:
        a.kind = WEIR_PARQUET_TIMESTAMP;
        a.unit = converted == CONVERTED_TIMESTAMP_MILLIS ? WEIR_MILLIS : WEIR_MICROS;
        a.is_utc = true;
        break;
    case CONVERTED_JSON:
        a.kind = WEIR_PARQUET_JSON;
        break;
    case CONVERTED_BSON:
        a.kind = WEIR_PARQUET_BSON;
        break;
    default:
        if (converted >= CONVERTED_UINT_8 && converted <= CONVERTED_INT_64) {
            a.kind = WEIR_PARQUET_INTEGER;
            a.is_signed = converted >= CONVERTED_INT_8;
            a.bits =
                (int8_t)(8 << (converted - (a.is_signed ? CONVERTED_INT_8 : CONVERTED_UINT_8)));
        }
    }
    return a;
}

static bool apply_integer(const weir_parquet_annotation *a, weir_field *field)
{
    const bool is_narrow = a->bits == 8 || a->bits == 16 || a->bits == 32;

    if (!(is_narrow && field->type == WEIR_I32) && !(a->bits == 64 && field->type == WEIR_I64))
        return false;
    field->logical = WEIR_LOGICAL_INTEGER;
    field->bits = (uint8_t)a->bits;
    field->is_signed = a->is_signed;
    return true;
}

/* A precision that is more than the physical type can hold does no harm. */
static bool apply_decimal(const weir_parquet_annotation *a, weir_field *field)
{
    const bool fits = field->type == WEIR_I32 || field->type == WEIR_I64 ||
                      field->type == WEIR_BYTES || field->type == WEIR_FIXED;

    if (!fits || a->precision < 1 || a->scale < 0 || a->scale > a->precision)
        return false;
    field->logical = WEIR_LOGICAL_DECIMAL;
    field->precision = a->precision;
    field->scale = a->scale;
    return true;
}

static bool apply_time(const weir_parquet_annotation *a, weir_field *field)
{
    const bool is_instant = a->kind == WEIR_PARQUET_TIMESTAMP;
    const weir_type wanted = is_instant || a->unit != WEIR_MILLIS ? WEIR_I64 : WEIR_I32;

    if (a->unit == WEIR_UNIT_NONE || field->type != wanted)
        return false;
    field->logical = is_instant ? WEIR_LOGICAL_TIMESTAMP : WEIR_LOGICAL_TIME;
    field->unit = a->unit;
    field->is_utc = a->is_utc;
    return true;
}

static bool apply(const weir_parquet_annotation *a, weir_field *field)
{
    static const struct {
        weir_logical logical;
        weir_type type; /* ANY: every leaf */
        uint32_t width;
    } plain[] = {
        [WEIR_PARQUET_STRING] = { WEIR_LOGICAL_STRING, WEIR_BYTES, 0 },
        [WEIR_PARQUET_MAP] = { WEIR_LOGICAL_MAP, WEIR_STRUCT, 0 },
        [WEIR_PARQUET_LIST] = { WEIR_LOGICAL_LIST, WEIR_STRUCT, 0 },
        [WEIR_PARQUET_ENUM] = { WEIR_LOGICAL_ENUM, WEIR_BYTES, 0 },
        [WEIR_PARQUET_DATE] = { WEIR_LOGICAL_DATE, WEIR_I32, 4 },
        [WEIR_PARQUET_INTERVAL] = { WEIR_LOGICAL_INTERVAL, WEIR_FIXED, 12 },
        [WEIR_PARQUET_UNKNOWN] = { WEIR_LOGICAL_NULL, WEIR_ANY, 0 },
        [WEIR_PARQUET_JSON] = { WEIR_LOGICAL_JSON, WEIR_BYTES, 0 },
        [WEIR_PARQUET_BSON] = { WEIR_LOGICAL_BSON, WEIR_BYTES, 0 },
        [WEIR_PARQUET_UUID] = { WEIR_LOGICAL_UUID, WEIR_FIXED, 16 },
        [WEIR_PARQUET_FLOAT16] = { WEIR_LOGICAL_FLOAT16, WEIR_FIXED, 2 },
        [WEIR_PARQUET_VARIANT] = { WEIR_LOGICAL_VARIANT, WEIR_STRUCT, 0 },
        [WEIR_PARQUET_GEOMETRY] = { WEIR_LOGICAL_GEOMETRY, WEIR_BYTES, 0 },
        [WEIR_PARQUET_GEOGRAPHY] = { WEIR_LOGICAL_GEOGRAPHY, WEIR_BYTES, 0 },
    };

    switch (a->kind) {
    case WEIR_PARQUET_DECIMAL:
        return apply_decimal(a, field);
    case WEIR_PARQUET_TIME:
    case WEIR_PARQUET_TIMESTAMP:
        return apply_time(a, field);
    case WEIR_PARQUET_INTEGER:
        return apply_integer(a, field);
    default:
        break;
    }
    if (a->kind < 0 || a->kind >= (int)(sizeof plain / sizeof *plain) ||
        plain[a->kind].logical == WEIR_LOGICAL_NONE)
        return false;
    if (plain[a->kind].type == WEIR_ANY
            ? field->type == WEIR_STRUCT
            : field->type != plain[a->kind].type || field->width != plain[a->kind].width)
        return false;
    field->logical = plain[a->kind].logical;
    return true;
}

void weir_parquet_annotate(const weir_parquet_element *element, weir_field *field)
{
    const weir_parquet_annotation older = from_converted(element);

    if (apply(&element->logical, field) || apply(&older, field))
        return;
    /* INT96 needs no annotation, and INTERVAL has mostly the older one. */
    if (field->type != WEIR_FIXED || field->width != 12)
        return;
    if (element->type == 3)
        field->logical = WEIR_LOGICAL_TIMESTAMP;
    else if (element->converted == CONVERTED_INTERVAL)
        field->logical = WEIR_LOGICAL_INTERVAL;
}
