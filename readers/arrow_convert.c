/* SPDX-License-Identifier: Apache-2.0
 * arrow_convert.c: values whose Arrow form is not the stored one, and values that have none. After
 * the line: for the Arrow export. */
#include "readers/arrow.h"

#include "core/logical.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

static bool is_text(const weir_vector *v, int64_t row)
{
    const weir_view view = weir_bytes(v, row);

    return weir_utf8_check(view.data, view.size) == view.size;
}

/* All strings at once: the whole is UTF-8, and none begins within a character. */
static bool is_all_text(const weir_vector *v)
{
    const int32_t *offsets = v->offsets + v->first;
    const uint8_t *data = (const uint8_t *)v->values + offsets[0];
    const size_t size = (size_t)(offsets[v->rows] - offsets[0]);

    if (weir_utf8_check(data, size) != size)
        return false;
    for (int64_t row = 0; row < v->rows; row++)
        if (offsets[row] < offsets[v->rows] &&
            (((const uint8_t *)v->values)[offsets[row]] & 0xc0) == 0x80)
            return false;
    return true;
}

void weir_arrow_set_fault(weir_arrow_fault *fault, weir_status status, int64_t row,
                          const char *text)
{
    fault->status = status;
    fault->row = row;
    snprintf(fault->text, sizeof fault->text, "%s", text);
}

void weir_arrow_check_text(const weir_vector *v, weir_arrow_fault *fault)
{
    if (is_all_text(v))
        return;
    for (int64_t row = 0; row < v->rows; row++)
        if (!is_text(v, row)) {
            weir_arrow_set_fault(
                fault, WEIR_CORRUPT, row,
                "a string is not UTF-8 (the option strings_as_binary takes it as it is)");
            return;
        }
}

/* ---- conversions ---- */

static bool narrow(const weir_vector *v, const weir_arrow_type *type, int64_t row, void *to)
{
    const int32_t value = weir_i32s(v)[row];
    const int32_t bits = (int32_t)type->width * 8;
    const int32_t least = type->is_signed ? -(1 << (bits - 1)) : 0;
    const int32_t most = type->is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;

    if (type->width == 1)
        ((uint8_t *)to)[row] = (uint8_t)value;
    else
        ((uint16_t *)to)[row] = (uint16_t)value;
    return value >= least && value <= most;
}

static bool decimal(const weir_vector *v, const weir_arrow_type *type, int64_t row, void *to)
{
    weir_i256 value;
    uint64_t sign;

    if (v->type == WEIR_BYTES || v->type == WEIR_FIXED) {
        if (!weir_i256_from_be(weir_bytes(v, row), &value))
            return false;
    } else {
        const int64_t integer = v->type == WEIR_I32 ? weir_i32s(v)[row] : weir_i64s(v)[row];

        value.word[0] = (uint64_t)integer;
        value.word[1] = value.word[2] = value.word[3] = integer < 0 ? UINT64_MAX : 0;
    }
    memcpy((uint8_t *)to + (size_t)row * type->width, value.word, type->width);
    sign = value.word[1] >> 63 ? UINT64_MAX : 0;
    return type->width == 32 || (value.word[2] == sign && value.word[3] == sign);
}

static bool int96(const weir_vector *v, const weir_arrow_type *type, int64_t row, void *to)
{
    const weir_view view = weir_bytes(v, row);

    return weir_is_null(v, row) || weir_int96_time(view.data, type->unit, (int64_t *)to + row);
}

void weir_arrow_convert(const weir_vector *v, const weir_arrow_type *type, void *to,
                        weir_arrow_fault *fault)
{
    bool (*const one)(const weir_vector *, const weir_arrow_type *, int64_t, void *) =
        type->way == WEIR_ARROW_NARROW    ? narrow
        : type->way == WEIR_ARROW_DECIMAL ? decimal
                                          : int96;
    char text[96];

    for (int64_t row = 0; row < v->rows; row++) {
        if (one(v, type, row, to))
            continue;
        if (type->way == WEIR_ARROW_NARROW)
            snprintf(text, sizeof text, "%" PRId32 " does not fit %" PRIu32 " bits",
                     weir_i32s(v)[row], type->width * 8);
        else if (type->way == WEIR_ARROW_DECIMAL)
            snprintf(text, sizeof text, "a decimal does not fit %" PRIu32 " bits", type->width * 8);
        else
            snprintf(text, sizeof text,
                     "an INT96 time does not fit 64 bits (the option int96_unit takes a coarser "
                     "unit)");
        weir_arrow_set_fault(fault, WEIR_CORRUPT, row, text);
        return;
    }
}
