/* SPDX-License-Identifier: Apache-2.0
 * logical.c: from physical values to what they mean: integers, doubles, times, decimals. Beside
 * the line: rows, the command and the Arrow export call it on finished vectors. */
#include "core/logical.h"

#include "core/bits.h"

#include <string.h>

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

enum {
    DECIMAL_DIGITS = 76,   /* what 256 bits hold */
    JULIAN_EPOCH = 2440588 /* the Julian day of 1970-01-01 */
};
static const int64_t nanos_a_day = INT64_C(86400000000000);

/* ---- one value ---- */

bool weir_cell_find(const weir_vector *v, int64_t row, weir_cell *out)
{
    const weir_vector *plain = v;

    if (v->form == WEIR_SHAPE || v->field->logical == WEIR_LOGICAL_NULL || weir_is_null(v, row))
        return false;
    if (v->form == WEIR_ONE)
        row = 0;
    if (v->form == WEIR_CODES) {
        row = ((const uint32_t *)v->values)[v->first + row];
        plain = v->dictionary;
    }
    *out = (weir_cell){ v->field, plain->type, plain->width, plain, row };
    return true;
}

bool weir_cell_is_unsigned(const weir_cell *c)
{
    if (c->field->logical == WEIR_LOGICAL_INTEGER)
        return !c->field->is_signed;
    return c->type >= WEIR_U8 && c->type <= WEIR_U64;
}

bool weir_cell_integer(const weir_cell *c, int64_t *out)
{
    const bool has_sign = !weir_cell_is_unsigned(c);
    const uint8_t *p;

    if (c->type < WEIR_I8 || c->type > WEIR_U64)
        return false;
    p = weir_cell_bytes(c);
    switch (c->type) {
    case WEIR_I8:
    case WEIR_U8:
        *out = has_sign ? (int8_t)*p : *p;
        return true;
    case WEIR_I16:
    case WEIR_U16:
        *out = has_sign ? (int16_t)weir_load16(p) : weir_load16(p);
        return true;
    case WEIR_I32:
    case WEIR_U32:
        *out = has_sign ? (int32_t)weir_load32(p) : (int64_t)weir_load32(p);
        return true;
    default:
        *out = (int64_t)weir_load64(p);
        return true;
    }
}

bool weir_cell_is_int96(const weir_cell *c)
{
    return c->field->logical == WEIR_LOGICAL_TIMESTAMP && c->type == WEIR_FIXED && c->width == 12;
}

bool weir_cell_is_half(const weir_cell *c)
{
    return c->type == WEIR_F16 ||
           (c->field->logical == WEIR_LOGICAL_FLOAT16 && c->type == WEIR_FIXED && c->width == 2);
}

static bool is_number(const weir_cell *c)
{
    return c->field->logical == WEIR_LOGICAL_NONE || c->field->logical == WEIR_LOGICAL_INTEGER;
}

/* ---- times ---- */

int64_t weir_unit_rate(weir_unit unit)
{
    static const int64_t rates[] = { 0, 1, 1000, 1000000, 1000000000 };
    const unsigned index = (unsigned)unit;

    return index < sizeof rates / sizeof *rates ? rates[index] : 0;
}

int64_t weir_floor_div(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0);
}

static bool rescale(int64_t value, weir_unit from, weir_unit to, int64_t *out)
{
    const int64_t have = weir_unit_rate(from), want = weir_unit_rate(to);

    if (have == 0 || want == 0)
        return false;
    if (have > want) {
        *out = weir_floor_div(value, have / want);
        return true;
    }
    return !__builtin_mul_overflow(value, want / have, out);
}

void weir_int96_split(const uint8_t value[12], int64_t *days, int64_t *nanos)
{
    const uint64_t of_day = weir_load64(value);

    *days =
        (int64_t)weir_load32(value + 8) - JULIAN_EPOCH + (int64_t)(of_day / (uint64_t)nanos_a_day);
    *nanos = (int64_t)(of_day % (uint64_t)nanos_a_day);
}

bool weir_int96_time(const uint8_t value[12], weir_unit unit, int64_t *out)
{
    const int64_t per_second = weir_unit_rate(unit);
    int64_t days, nanos;
    i128 time;

    if (per_second == 0)
        return false;
    weir_int96_split(value, &days, &nanos);
    time = (i128)days * 86400 * per_second + nanos / (1000000000 / per_second);
    *out = (int64_t)time;
    return *out == time;
}

/* ---- decimals ---- */

bool weir_i256_from_be(weir_view bytes, weir_i256 *out)
{
    const uint8_t sign = bytes.size > 0 && bytes.data[0] & 0x80 ? 0xff : 0;
    uint8_t little[32];

    while (bytes.size > sizeof little && bytes.data[0] == sign) {
        bytes.data++;
        bytes.size--;
    }
    if (bytes.size > sizeof little)
        return false;
    if (bytes.size == sizeof little && (bytes.data[0] & 0x80) != (sign & 0x80))
        return false;
    memset(little, sign, sizeof little);
    for (size_t i = 0; i < bytes.size; i++)
        little[i] = bytes.data[bytes.size - 1 - i];
    memcpy(out->word, little, sizeof little);
    return true;
}

bool weir_i256_is_negative(const weir_i256 *value)
{
    return value->word[3] >> 63;
}

weir_i256 weir_i256_magnitude(const weir_i256 *value)
{
    weir_i256 out = *value;

    if (weir_i256_is_negative(value)) {
        unsigned carry = 1;

        for (int i = 0; i < 4; i++) {
            out.word[i] = ~out.word[i] + carry;
            carry = carry && out.word[i] == 0;
        }
    }
    return out;
}

/* One word more than a decimal: room for the bit that division shifts out. */
enum {
    WIDE = 5
};

typedef struct wide { /* least significant word first, no sign */
    uint64_t word[WIDE];
} wide;

static void wide_multiply(wide *a, uint64_t factor)
{
    u128 carry = 0;

    for (int i = 0; i < WIDE; i++) {
        carry += (u128)a->word[i] * factor;
        a->word[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* 10^exponent, for exponents up to 76. */
static wide wide_power(int32_t exponent)
{
    wide out = { { 1 } };

    for (; exponent >= 19; exponent -= 19)
        wide_multiply(&out, UINT64_C(10000000000000000000));
    for (; exponent > 0; exponent--)
        wide_multiply(&out, 10);
    return out;
}

static int wide_compare(const wide *a, const wide *b)
{
    for (int i = WIDE - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static void wide_subtract(wide *a, const wide *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < WIDE; i++) {
        const u128 difference = (u128)a->word[i] - b->word[i] - borrow;

        a->word[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
}

static void wide_double(wide *a)
{
    for (int i = WIDE - 1; i > 0; i--)
        a->word[i] = a->word[i] << 1 | a->word[i - 1] >> 63;
    a->word[0] <<= 1;
}

static int wide_bits(const wide *a)
{
    for (int i = WIDE - 1; i >= 0; i--)
        if (a->word[i])
            return 64 * i + 64 - __builtin_clzll(a->word[i]);
    return 0;
}

/* x * 2^exponent; libm's ldexp would be all that the library needs of libm. */
static double scaled(double x, int exponent)
{
    uint64_t bits;
    double factor;

    for (; exponent < -1000; exponent += 1000)
        x *= 0x1p-1000;
    for (; exponent > 1000; exponent -= 1000)
        x *= 0x1p1000;
    bits = (uint64_t)(exponent + 1023) << 52;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

/* number / 10^scale, the nearest double, ties to even: long division to 62 or 63 bits, the last
 * of which is set if anything remains; the conversion then rounds once. */
static double divide(wide number, int32_t scale)
{
    wide divisor = wide_power(scale);
    int shift = wide_bits(&number) - wide_bits(&divisor);
    uint64_t quotient = 0;

    if (wide_bits(&number) == 0)
        return 0;
    for (int i = 0; i < -shift; i++)
        wide_double(&number);
    for (int i = 0; i < shift; i++)
        wide_double(&divisor);
    for (int i = 0; i < 63; i++) {
        quotient <<= 1;
        if (wide_compare(&number, &divisor) >= 0) {
            wide_subtract(&number, &divisor);
            quotient |= 1;
        }
        wide_double(&number);
    }
    quotient |= wide_bits(&number) > 0;
    return scaled((double)quotient, shift - 62);
}

static double decimal_to_f64(const weir_i256 *value, int32_t scale)
{
    const weir_i256 m = weir_i256_magnitude(value);
    wide number = { { m.word[0], m.word[1], m.word[2], m.word[3] } };
    double result;

    /* Both are exact doubles, so that one division rounds once. */
    if (scale <= 22 && m.word[0] <= UINT64_C(1) << 53 && !(m.word[1] | m.word[2] | m.word[3])) {
        double power = 1;

        for (int32_t i = 0; i < scale; i++)
            power *= 10;
        result = (double)m.word[0] / power;
    } else {
        result = divide(number, scale);
    }
    return weir_i256_is_negative(value) ? -result : result;
}

bool weir_cell_decimal(const weir_cell *c, weir_i256 *out)
{
    int64_t value;

    if (c->field->logical != WEIR_LOGICAL_DECIMAL)
        return false;
    if (c->type == WEIR_BYTES || c->type == WEIR_FIXED)
        return weir_i256_from_be(weir_bytes(c->vector, c->row), out);
    if (!weir_cell_integer(c, &value))
        return false;
    out->word[0] = (uint64_t)value;
    out->word[1] = out->word[2] = out->word[3] = value < 0 ? UINT64_MAX : 0;
    return true;
}

bool weir_i256_fits(const weir_i256 *value, int32_t precision)
{
    const weir_i256 m = weir_i256_magnitude(value);
    const wide number = { { m.word[0], m.word[1], m.word[2], m.word[3] } };
    wide limit;

    if (precision > DECIMAL_DIGITS)
        return true;
    limit = wide_power(precision);
    return wide_compare(&number, &limit) < 0;
}

/* ---- floats ---- */

double weir_f16_to_f64(uint16_t half)
{
    const uint64_t sign = (uint64_t)(half >> 15) << 63;
    const uint64_t fraction = half & 0x3ff;
    const uint32_t exponent = half >> 10 & 31;
    uint64_t bits;
    double value;

    if (exponent == 0) {
        const double small = (double)fraction * 0x1p-24;

        return sign ? -small : small;
    }
    bits = sign | (uint64_t)(exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- UTF-8 ---- */

/* The bytes of the character that begins at `p`, 0 if none does (Unicode 15, table 3-7). */
static size_t character_size(const uint8_t *p, size_t left)
{
    const uint8_t lead = p[0];
    const size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint8_t low = 0x80, high = 0xbf;

    if (size == 1)
        return 1;
    if (lead < 0xc2 || lead > 0xf4 || left < size)
        return 0;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

size_t weir_utf8_check(const uint8_t *data, size_t size)
{
    size_t at = 0;

    while (at < size) {
        while (size - at >= 32) { /* most text is ASCII */
            const uint64_t any = weir_load64(data + at) | weir_load64(data + at + 8) |
                                 weir_load64(data + at + 16) | weir_load64(data + at + 24);

            if (any & UINT64_C(0x8080808080808080))
                break;
            at += 32;
        }
        for (size_t end = size - at > 32 ? at + 32 : size; at < end;) {
            const size_t step = character_size(data + at, size - at);

            if (step == 0)
                return at;
            at += step;
        }
    }
    return size;
}

/* ---- what weir.h gives ---- */

bool weir_value_i64(const weir_vector *v, int64_t row, int64_t *out)
{
    int64_t value;
    weir_cell c;

    if (!weir_cell_find(v, row, &c))
        return false;
    if (c.type == WEIR_BOOL) {
        *out = weir_bool(c.vector, c.row);
        return true;
    }
    if (c.field->logical == WEIR_LOGICAL_DECIMAL || !weir_cell_integer(&c, &value) ||
        (weir_cell_is_unsigned(&c) && value < 0))
        return false;
    *out = value;
    return true;
}

bool weir_value_f64(const weir_vector *v, int64_t row, double *out)
{
    weir_i256 unscaled;
    int64_t integer;
    float single;
    weir_cell c;

    if (!weir_cell_find(v, row, &c))
        return false;
    if (c.field->logical == WEIR_LOGICAL_DECIMAL) {
        if (c.field->scale < 0 || c.field->scale > DECIMAL_DIGITS ||
            !weir_cell_decimal(&c, &unscaled))
            return false;
        *out = decimal_to_f64(&unscaled, c.field->scale);
    } else if (weir_cell_is_half(&c)) {
        *out = weir_f16_to_f64(weir_load16(weir_cell_bytes(&c)));
    } else if (c.type == WEIR_F32) {
        memcpy(&single, weir_cell_bytes(&c), sizeof single);
        *out = single;
    } else if (c.type == WEIR_F64) {
        memcpy(out, weir_cell_bytes(&c), sizeof *out);
    } else if (is_number(&c) && weir_cell_integer(&c, &integer)) {
        *out = weir_cell_is_unsigned(&c) ? (double)(uint64_t)integer : (double)integer;
    } else {
        return false;
    }
    return true;
}

bool weir_value_time(const weir_vector *v, int64_t row, weir_unit unit, int64_t *out)
{
    int64_t value;
    weir_cell c;

    if (!weir_cell_find(v, row, &c))
        return false;
    if (weir_cell_is_int96(&c))
        return weir_int96_time(weir_cell_bytes(&c), unit, out);
    if (!weir_cell_integer(&c, &value))
        return false;
    switch (c.field->logical) {
    case WEIR_LOGICAL_TIME:
    case WEIR_LOGICAL_TIMESTAMP:
        return rescale(value, c.field->unit, unit, out);
    case WEIR_LOGICAL_DATE:
        return !__builtin_mul_overflow(value, 86400, &value) &&
               rescale(value, WEIR_SECONDS, unit, out);
    default:
        return false;
    }
}

bool weir_value_decimal(const weir_vector *v, int64_t row, weir_i256 *out)
{
    weir_cell c;

    return weir_cell_find(v, row, &c) && weir_cell_decimal(&c, out);
}
