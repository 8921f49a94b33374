/* SPDX-License-Identifier: Apache-2.0
 * cast.c: which types hold which others exactly, and the loops that widen values; between decode
 * and assemble, where files of one dataset differ. */
#include "core/cast.h"

#include "core/bits.h"
#include "core/schema.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- what a field's values are ---- */

typedef enum family {
    FAMILY_OTHER,
    FAMILY_NULL,
    FAMILY_INTEGER,
    FAMILY_REAL,
    FAMILY_TIME,
    FAMILY_TIMESTAMP,
    FAMILY_DECIMAL,
    FAMILY_TEXT,
    FAMILY_BINARY
} family;

typedef struct meaning {
    family family;
    uint32_t bits; /* INTEGER, REAL */
    bool is_signed;
} meaning;

static meaning integer_meaning(const weir_field *field)
{
    meaning m = { .family = FAMILY_INTEGER };

    switch (field->type) {
    case WEIR_I8:
    case WEIR_U8:
        m.bits = 8;
        break;
    case WEIR_I16:
    case WEIR_U16:
        m.bits = 16;
        break;
    case WEIR_I32:
    case WEIR_U32:
        m.bits = 32;
        break;
    default:
        m.bits = 64;
        break;
    }
    m.is_signed = field->type >= WEIR_I8 && field->type <= WEIR_I64;
    if (field->logical == WEIR_LOGICAL_INTEGER) {
        m.bits = field->bits;
        m.is_signed = field->is_signed;
    }
    return m;
}

static meaning meaning_of(const weir_field *field)
{
    switch (field->logical) {
    case WEIR_LOGICAL_NULL:
        return (meaning){ .family = FAMILY_NULL };
    case WEIR_LOGICAL_TIME:
        return (meaning){ .family = FAMILY_TIME };
    case WEIR_LOGICAL_TIMESTAMP: /* INT96 has no unit and is like nothing but itself */
        return (meaning){ .family = field->type == WEIR_I64 ? FAMILY_TIMESTAMP : FAMILY_OTHER };
    case WEIR_LOGICAL_DECIMAL:
        return (meaning){ .family = FAMILY_DECIMAL };
    case WEIR_LOGICAL_STRING:
    case WEIR_LOGICAL_ENUM:
    case WEIR_LOGICAL_JSON:
        return (meaning){ .family = field->type == WEIR_BYTES ? FAMILY_TEXT : FAMILY_OTHER };
    case WEIR_LOGICAL_BSON:
        return (meaning){ .family = field->type == WEIR_BYTES ? FAMILY_BINARY : FAMILY_OTHER };
    case WEIR_LOGICAL_NONE:
    case WEIR_LOGICAL_INTEGER:
        break;
    default:
        return (meaning){ .family = FAMILY_OTHER };
    }
    if (field->type >= WEIR_I8 && field->type <= WEIR_U64)
        return integer_meaning(field);
    if (field->type == WEIR_F32 || field->type == WEIR_F64)
        return (meaning){ .family = FAMILY_REAL, .bits = field->type == WEIR_F32 ? 32 : 64 };
    if (field->type == WEIR_BYTES)
        return (meaning){ .family = FAMILY_BINARY };
    return (meaning){ .family = FAMILY_OTHER };
}

static bool same_storage(const weir_field *a, const weir_field *b)
{
    return a->type == b->type && a->width == b->width && a->element == b->element;
}

/* Units count from seconds in steps of 1000. */
static int64_t unit_factor(weir_unit coarse, weir_unit fine)
{
    int64_t factor = 1;

    for (int unit = (int)coarse; unit < (int)fine; unit++)
        factor *= 1000;
    return factor;
}

/* ---- planning ---- */

/* 4 or 8 bytes of storage: the widths that the loops below know. */
static bool is_i32_or_i64(const weir_field *field)
{
    return field->type == WEIR_I32 || field->type == WEIR_U32 || field->type == WEIR_I64 ||
           field->type == WEIR_U64;
}

static bool is_4_bytes(const weir_field *field)
{
    return field->type == WEIR_I32 || field->type == WEIR_U32;
}

static bool plan_integer(const weir_field *from, const weir_field *to, meaning a, meaning b,
                         weir_cast *out)
{
    const bool fits =
        a.is_signed == b.is_signed ? b.bits >= a.bits : b.is_signed && b.bits > a.bits;

    if (!fits)
        return false;
    if (from->type == to->type || (is_4_bytes(from) && is_4_bytes(to)) ||
        (is_i32_or_i64(from) && is_i32_or_i64(to) && is_4_bytes(from) == is_4_bytes(to)))
        return true;
    if (!is_4_bytes(from) || !is_i32_or_i64(to))
        return false;
    out->kind = a.is_signed ? WEIR_CAST_I32_I64 : WEIR_CAST_U32_I64;
    return true;
}

static bool plan_real(const weir_field *from, const weir_field *to, meaning a, weir_cast *out)
{
    if (from->type == to->type)
        return true;
    if (to->type != WEIR_F64)
        return false;
    if (a.family == FAMILY_REAL) {
        out->kind = WEIR_CAST_F32_F64;
        return true;
    }
    if (!is_i32_or_i64(from))
        return false;
    if (is_4_bytes(from))
        out->kind = a.is_signed ? WEIR_CAST_I32_F64 : WEIR_CAST_U32_F64;
    else
        out->kind = a.is_signed ? WEIR_CAST_I64_F64 : WEIR_CAST_U64_F64;
    return true;
}

static bool plan_time(const weir_field *from, const weir_field *to, weir_cast *out)
{
    if (from->is_utc != to->is_utc || from->unit == WEIR_UNIT_NONE || from->unit > to->unit)
        return false;
    out->factor = unit_factor(from->unit, to->unit);
    if (from->type == to->type) {
        out->kind = out->factor == 1 ? WEIR_CAST_NONE : WEIR_CAST_SCALE_I64;
        return out->kind == WEIR_CAST_NONE || from->type == WEIR_I64;
    }
    out->kind = WEIR_CAST_SCALE_I32_I64;
    return from->type == WEIR_I32 && to->type == WEIR_I64;
}

static bool plan_decimal(const weir_field *from, const weir_field *to, weir_cast *out)
{
    if (from->scale != to->scale || from->precision > to->precision)
        return false;
    if (same_storage(from, to))
        return true;
    out->kind = WEIR_CAST_DECIMAL;
    return to->type == WEIR_I64 || (to->type == WEIR_FIXED && to->width > 0);
}

static bool plan(const weir_field *from, const weir_field *to, weir_cast *out)
{
    const meaning a = meaning_of(from), b = meaning_of(to);

    if (a.family == FAMILY_NULL) {
        const bool is_same = b.family == FAMILY_NULL && same_storage(from, to);

        out->kind = is_same ? WEIR_CAST_NONE : WEIR_CAST_NULL;
        return true;
    }
    if (a.family == FAMILY_INTEGER && b.family == FAMILY_INTEGER)
        return plan_integer(from, to, a, b, out);
    if ((a.family == FAMILY_INTEGER || a.family == FAMILY_REAL) && b.family == FAMILY_REAL)
        return plan_real(from, to, a, out);
    if (weir_field_same(from, to) || (to->logical == WEIR_LOGICAL_NONE && same_storage(from, to)))
        return true;
    if (a.family == FAMILY_TEXT && b.family == FAMILY_TEXT)
        return to->logical == WEIR_LOGICAL_STRING;
    if (a.family != b.family)
        return false;
    if (a.family == FAMILY_TIME || a.family == FAMILY_TIMESTAMP)
        return plan_time(from, to, out);
    return a.family == FAMILY_DECIMAL && plan_decimal(from, to, out);
}

/* ---- what holds two types ---- */

static void make_integer(weir_field *out, uint32_t bits, bool is_signed)
{
    const bool is_plain = is_signed && bits >= 32;

    out->type = bits < 64 ? WEIR_I32 : WEIR_I64;
    out->width = bits < 64 ? 4 : 8;
    out->logical = is_plain ? WEIR_LOGICAL_NONE : WEIR_LOGICAL_INTEGER;
    out->bits = is_plain ? 0 : (uint8_t)bits;
    out->is_signed = !is_plain && is_signed;
}

static void make_double(weir_field *out)
{
    out->type = WEIR_F64;
    out->width = 8;
    out->logical = WEIR_LOGICAL_NONE;
    out->bits = 0;
    out->is_signed = false;
}

static bool common_number(meaning a, meaning b, weir_field *out)
{
    const uint32_t most = a.bits > b.bits ? a.bits : b.bits;
    const uint32_t unsigned_bits = a.is_signed ? b.bits : a.bits;
    const uint32_t signed_bits = a.is_signed ? a.bits : b.bits;

    if (a.family == FAMILY_REAL || b.family == FAMILY_REAL)
        make_double(out);
    else if (a.is_signed == b.is_signed)
        make_integer(out, most, a.is_signed);
    else if (unsigned_bits == 64)
        make_double(out);
    else
        make_integer(out, signed_bits > unsigned_bits ? signed_bits : unsigned_bits * 2, true);
    return true;
}

static bool common_time(const weir_field *a, const weir_field *b, weir_field *out)
{
    const weir_field *fine = a->unit < b->unit ? b : a;

    if (a->is_utc != b->is_utc)
        return false;
    out->type = fine->type;
    out->width = fine->width;
    out->unit = fine->unit;
    return true;
}

static bool common_decimal(const weir_field *a, const weir_field *b, weir_field *out)
{
    out->precision = a->precision > b->precision ? a->precision : b->precision;
    if (a->scale != b->scale)
        return false;
    if (same_storage(a, b))
        return true;
    out->type = out->precision <= 18 ? WEIR_I64 : WEIR_FIXED;
    out->width = out->precision <= 18 ? 8 : out->precision <= 38 ? 16 : 32;
    return out->precision <= 76;
}

static bool common_bytes(family a, family b, weir_field *out)
{
    const bool is_text = a == FAMILY_TEXT && b == FAMILY_TEXT;

    out->logical = is_text ? WEIR_LOGICAL_STRING : WEIR_LOGICAL_NONE;
    return true;
}

/* What describes the values, from `field`; all else stays as it is in `out`. */
static void take_type(weir_field *out, const weir_field *field)
{
    out->type = field->type;
    out->width = field->width;
    out->logical = field->logical;
    out->unit = field->unit;
    out->is_utc = field->is_utc;
    out->is_signed = field->is_signed;
    out->bits = field->bits;
    out->precision = field->precision;
    out->scale = field->scale;
}

static bool common(const weir_field *a, const weir_field *b, weir_field *out)
{
    const meaning x = meaning_of(a), y = meaning_of(b);
    const bool x_is_number = x.family == FAMILY_INTEGER || x.family == FAMILY_REAL;
    const bool y_is_number = y.family == FAMILY_INTEGER || y.family == FAMILY_REAL;
    const bool x_is_bytes = x.family == FAMILY_TEXT || x.family == FAMILY_BINARY;
    const bool y_is_bytes = y.family == FAMILY_TEXT || y.family == FAMILY_BINARY;

    if (x.family == FAMILY_INTEGER && y.family == FAMILY_INTEGER) /* one spelling of int32 */
        return common_number(x, y, out);
    if (weir_field_same(a, b) || y.family == FAMILY_NULL)
        return true;
    if (x.family == FAMILY_NULL) {
        take_type(out, b);
        return true;
    }
    if (x_is_number && y_is_number)
        return common_number(x, y, out);
    if (x_is_bytes && y_is_bytes)
        return common_bytes(x.family, y.family, out);
    if (x.family != y.family)
        return false;
    if (x.family == FAMILY_TIME || x.family == FAMILY_TIMESTAMP)
        return common_time(a, b, out);
    return x.family == FAMILY_DECIMAL && common_decimal(a, b, out);
}

/* ---- running ---- */

static void say_number(char *text, size_t room, bool is_signed, int64_t value, const char *why)
{
    if (is_signed)
        snprintf(text, room, "%" PRId64 " %s", value, why);
    else
        snprintf(text, room, "%" PRIu64 " %s", (uint64_t)value, why);
}

static void u32_to_f64(const uint32_t *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

static size_t u64_to_f64(const uint64_t *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++) {
        const double value = (double)from[i];

        /* Rounded up to 2^64 it could not be converted back. */
        if (!(value < 18446744073709551616.0) || (uint64_t)value != from[i])
            return i;
        to[i] = value;
    }
    return count;
}

static size_t scale_i64(const int64_t *from, size_t count, int64_t factor, int64_t *to)
{
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(from[i], factor, &to[i]))
            return i;
    return count;
}

/* 32 bits times at most 10^9 fit 64 bits. */
static void scale_i32(const int32_t *from, size_t count, int64_t factor, int64_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] * factor;
}

static size_t decimals(const weir_cast *cast, const uint8_t *from, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t swapped[8];
        weir_view view = { from + i * cast->from_width, cast->from_width };

        if (cast->from == WEIR_I32 || cast->from == WEIR_I64) {
            for (size_t j = 0; j < view.size; j++)
                swapped[j] = view.data[view.size - 1 - j];
            view.data = swapped;
        }
        if (!weir_cast_decimal(cast, view, to + i * cast->to_width))
            return i;
    }
    return count;
}

bool weir_cast_plan(const weir_field *from, const weir_field *to, weir_cast *out, char *why,
                    size_t room)
{
    char from_text[96], to_text[96];
    weir_cast cast = { .kind = WEIR_CAST_NONE,
                       .from = from->type,
                       .to = to->type,
                       .from_width = from->width,
                       .to_width = to->width,
                       .factor = 1 };

    if (plan(from, to, &cast)) {
        *out = cast;
        return true;
    }
    weir_field_describe(from, from_text, sizeof from_text);
    weir_field_describe(to, to_text, sizeof to_text);
    snprintf(why, room, "%s has no exact %s", from_text, to_text);
    return false;
}

bool weir_cast_common(const weir_field *a, const weir_field *b, weir_field *out)
{
    weir_field field = *a;

    if (!common(a, b, &field))
        return false;
    *out = field;
    return true;
}

bool weir_cast_decimal(const weir_cast *cast, weir_view from, void *to)
{
    const uint8_t sign = from.size > 0 && from.data[0] & 0x80 ? 0xff : 0;
    const size_t width = cast->to_width;
    uint8_t *const out = to;

    if (cast->kind != WEIR_CAST_DECIMAL)
        return false;
    while (from.size > width && from.data[0] == sign) {
        from.data++;
        from.size--;
    }
    /* What is left must fit, and its first bit still be the sign. */
    if (from.size > width || (from.size == width && (from.data[0] & 0x80) != (sign & 0x80)))
        return false;
    for (size_t i = 0; i < width; i++) {
        const size_t digit = width - 1 - i; /* counted from the least significant byte */
        const uint8_t byte = digit < from.size ? from.data[from.size - 1 - digit] : sign;

        out[cast->to == WEIR_FIXED ? i : digit] = byte;
    }
    return true;
}

size_t weir_cast_run(const weir_cast *cast, const weir_kernels *kernels, const void *from,
                     size_t count, void *to, char *text, size_t room)
{
    size_t done = count;

    switch (cast->kind) {
    case WEIR_CAST_NONE:
        memcpy(to, from, count * cast->to_width);
        break;
    case WEIR_CAST_I32_I64:
        kernels->i32_to_i64(from, count, to);
        break;
    case WEIR_CAST_U32_I64:
        kernels->u32_to_i64(from, count, to);
        break;
    case WEIR_CAST_I32_F64:
        kernels->i32_to_f64(from, count, to);
        break;
    case WEIR_CAST_U32_F64:
        u32_to_f64(from, count, to);
        break;
    case WEIR_CAST_F32_F64:
        kernels->f32_to_f64(from, count, to);
        break;
    case WEIR_CAST_SCALE_I32_I64:
        scale_i32(from, count, cast->factor, to);
        break;
    case WEIR_CAST_I64_F64:
        done = kernels->i64_to_f64(from, count, to);
        break;
    case WEIR_CAST_U64_F64:
        done = u64_to_f64(from, count, to);
        break;
    case WEIR_CAST_SCALE_I64:
        done = scale_i64(from, count, cast->factor, to);
        break;
    case WEIR_CAST_DECIMAL:
        done = decimals(cast, from, count, to);
        break;
    case WEIR_CAST_NULL:
        done = 0;
        break;
    }
    if (done == count)
        return count;
    if (cast->kind == WEIR_CAST_NULL)
        snprintf(text, room, "a value in a column of nulls");
    else if (cast->kind == WEIR_CAST_DECIMAL)
        snprintf(text, room, "a decimal does not fit %" PRIu32 " bytes", cast->to_width);
    else
        say_number(text, room, cast->kind != WEIR_CAST_U64_F64, ((const int64_t *)from)[done],
                   cast->kind == WEIR_CAST_SCALE_I64 ? "does not fit the finer unit"
                                                     : "has no exact double");
    return done;
}
