/* SPDX-License-Identifier: Apache-2.0
 * value.c: single values outside of batches (sums, bounds of statistics), their order, their text,
 * and the names of types. */
#include "cli.h"

#include <string.h>

void cli_put_value(cli_out *out, const weir_vector *vector, int64_t row, weir_text_style style)
{
    char *to = cli_reserve(out, 64);
    size_t room = out->room - out->used;
    size_t size = weir_value_text(vector, row, style, to, room);

    if (size >= room) {
        room = size + 1;
        size = weir_value_text(vector, row, style, cli_reserve(out, room), room);
    }
    out->used += size;
}

/* ---- single values ---- */

static void single_begin(cli_single *single, const weir_field *field)
{
    memset(single, 0, sizeof(*single));
    single->vector.field = field;
    single->vector.type = field->type;
    single->vector.width = field->width;
    single->vector.rows = 1;
}

bool cli_single_set(cli_single *single, const weir_field *field, weir_view plain)
{
    single_begin(single, field);
    if (field->type == WEIR_BYTES) {
        if (plain.size > INT32_MAX)
            return false;
        single->vector.values = plain.size ? plain.data : single->bytes;
        single->offsets[1] = (int32_t)plain.size;
        single->vector.offsets = single->offsets;
        return true;
    }
    if (plain.size != (field->type == WEIR_BOOL ? 1 : field->width))
        return false;
    if (plain.size <= sizeof(single->bytes)) { /* aligned, too */
        memcpy(single->bytes, plain.data, plain.size);
        single->vector.values = single->bytes;
    } else {
        single->vector.values = plain.data;
    }
    return true;
}

void cli_single_set_whole(cli_single *single, const weir_field *field, int64_t value)
{
    const size_t width = field->type == WEIR_BOOL ? 1 : field->width;

    single_begin(single, field);
    memcpy(single->bytes, &value, width < 8 ? width : 8); /* little-endian: the low bytes */
    single->vector.values = single->bytes;
}

void cli_single_set_real(cli_single *single, double value)
{
    static const weir_field field = { .type = WEIR_F64, .width = 8, .id = -1 };

    single_begin(single, &field);
    single->real = value;
    single->vector.values = &single->real;
}

void cli_put_real(cli_out *out, double value, weir_text_style style)
{
    cli_single single;

    cli_single_set_real(&single, value);
    cli_put_value(out, &single.vector, 0, style);
}

/* ---- order ---- */

bool cli_is_unsigned(const weir_field *field)
{
    return (field->type >= WEIR_U8 && field->type <= WEIR_U64) ||
           (field->logical == WEIR_LOGICAL_INTEGER && !field->is_signed);
}

bool cli_has_order(const weir_field *field)
{
    return field->logical != WEIR_LOGICAL_INTERVAL && field->logical != WEIR_LOGICAL_NULL &&
           field->logical != WEIR_LOGICAL_GEOMETRY && field->logical != WEIR_LOGICAL_GEOGRAPHY &&
           field->type != WEIR_FIXED_LIST && field->leaf >= 0;
}

static int compare_bytes(weir_view a, weir_view b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Big-endian two's complement of any length. */
static int compare_decimals(weir_view a, weir_view b)
{
    const bool a_negative = a.size && a.data[0] & 0x80;
    const bool b_negative = b.size && b.data[0] & 0x80;
    const uint8_t fill = a_negative ? 0xFF : 0;

    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    for (; a.size && a.data[0] == fill; a.data++)
        a.size--;
    for (; b.size && b.data[0] == fill; b.data++)
        b.size--;
    if (a.size != b.size)
        return (a.size < b.size) == a_negative ? 1 : -1;
    return compare_bytes(a, b);
}

/* parquet-format Encodings.md, INT96: nanoseconds, which may pass a day, then the Julian day. */
static cli_i128 int96_nanos(const uint8_t *value)
{
    int64_t nanos;
    uint32_t day;

    memcpy(&nanos, value, 8);
    memcpy(&day, value + 8, 4);
    return (cli_i128)day * 86400000000000 + nanos;
}

static int compare_wholes(const weir_field *field, weir_view a, weir_view b)
{
    int64_t x, y;

    cli_whole(field, a, &x);
    cli_whole(field, b, &y);
    if (cli_is_unsigned(field))
        return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
    return (x > y) - (x < y);
}

static int compare_reals(const weir_field *field, weir_view a, weir_view b)
{
    cli_single single;
    double x = 0, y = 0;

    if (cli_single_set(&single, field, a))
        weir_value_f64(&single.vector, 0, &x);
    if (cli_single_set(&single, field, b))
        weir_value_f64(&single.vector, 0, &y);
    return (x > y) - (x < y);
}

bool cli_whole(const weir_field *field, weir_view plain, int64_t *out)
{
    uint64_t bits = 0;

    if (plain.size == 0 || plain.size > 8)
        return false;
    memcpy(&bits, plain.data, plain.size);
    if (!cli_is_unsigned(field) && field->type != WEIR_BOOL && plain.size < 8) {
        const uint64_t sign = (uint64_t)1 << (plain.size * 8 - 1);

        bits = (bits ^ sign) - sign;
    }
    *out = (int64_t)bits;
    return true;
}

int cli_compare(const weir_field *field, weir_view a, weir_view b)
{
    if (field->logical == WEIR_LOGICAL_FLOAT16 || field->type == WEIR_F16 ||
        field->type == WEIR_F32 || field->type == WEIR_F64)
        return compare_reals(field, a, b);
    if (field->type == WEIR_FIXED && field->logical == WEIR_LOGICAL_TIMESTAMP && a.size == 12 &&
        b.size == 12) {
        const cli_i128 x = int96_nanos(a.data), y = int96_nanos(b.data);

        return (x > y) - (x < y);
    }
    if (field->type == WEIR_BYTES || field->type == WEIR_FIXED)
        return field->logical == WEIR_LOGICAL_DECIMAL ? compare_decimals(a, b)
                                                      : compare_bytes(a, b);
    return compare_wholes(field, a, b);
}

/* ---- names of types ---- */

static const char *const unit_names[] = { "", "s", "ms", "us", "ns" };

static void put_physical(cli_out *out, const weir_field *field)
{
    static const char *const names[] = { "any",       "bool",  "int8",   "int16",  "int32",
                                         "int64",     "uint8", "uint16", "uint32", "uint64",
                                         "halffloat", "float", "double", "binary", "fixed",
                                         "list",      "list",  "struct", "map" };

    if (field->type == WEIR_FIXED)
        cli_printf(out, "fixed[%u]", field->width);
    else if (field->type == WEIR_FIXED_LIST)
        cli_printf(out, "%s[%u]", names[field->element], field->list_size);
    else
        cli_puts(out, names[field->type]);
}

void cli_put_type(cli_out *out, const weir_field *field)
{
    static const char *const names[] = {
        [WEIR_LOGICAL_STRING] = "string",     [WEIR_LOGICAL_ENUM] = "enum",
        [WEIR_LOGICAL_JSON] = "json",         [WEIR_LOGICAL_BSON] = "bson",
        [WEIR_LOGICAL_UUID] = "uuid",         [WEIR_LOGICAL_DATE] = "date",
        [WEIR_LOGICAL_FLOAT16] = "float16",   [WEIR_LOGICAL_INTERVAL] = "interval",
        [WEIR_LOGICAL_NULL] = "null",         [WEIR_LOGICAL_LIST] = "list",
        [WEIR_LOGICAL_MAP] = "map",           [WEIR_LOGICAL_VARIANT] = "variant",
        [WEIR_LOGICAL_GEOMETRY] = "geometry", [WEIR_LOGICAL_GEOGRAPHY] = "geography",
    };

    switch (field->logical) {
    case WEIR_LOGICAL_NONE:
        put_physical(out, field);
        break;
    case WEIR_LOGICAL_INTEGER:
        cli_printf(out, "%sint%u", field->is_signed ? "" : "u", field->bits);
        break;
    case WEIR_LOGICAL_DECIMAL:
        cli_printf(out, "decimal(%d, %d)", field->precision, field->scale);
        break;
    case WEIR_LOGICAL_TIME:
    case WEIR_LOGICAL_TIMESTAMP:
        if (field->unit == WEIR_UNIT_NONE) {
            cli_puts(out, "int96");
            break;
        }
        cli_printf(out, "%s[%s%s]", field->logical == WEIR_LOGICAL_TIME ? "time" : "timestamp",
                   unit_names[field->unit], field->is_utc ? ", UTC" : "");
        break;
    default:
        cli_puts(out, names[field->logical]);
    }
}
