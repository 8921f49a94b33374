/* SPDX-License-Identifier: Apache-2.0
 * arrow_array.c: a vector as an ArrowArray: the batch's own buffers where the layouts agree, new
 * ones where they don't. After the line: for the Arrow export. */
#include "readers/arrow.h"

#include "core/bits.h"
#include "core/error.h"
#include "core/logical.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an array owns ---- */

/* Of one column: a count of the batch, the list of buffers, and those that were made for it.
 * Children and dictionary may be moved away before, so each has its own. */
typedef struct column_array {
    const weir_batch *batch;
    const void *buffers[3];
    void *made[3];
    struct ArrowArray dictionary;
} column_array;

static void release_column(struct ArrowArray *array)
{
    column_array *own = array->private_data;

    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    for (int i = 0; i < 3; i++)
        free(own->made[i]);
    weir_batch_release(own->batch);
    free(own);
    array->release = NULL;
}

static void release_struct(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    free(array->private_data);
    array->release = NULL;
}

weir_status weir_arrow_array_struct(size_t count, int64_t rows, struct ArrowArray *out,
                                    weir_error *err)
{
    typedef struct {
        const void *validity;
        struct ArrowArray *children[];
    } owned;
    const size_t size =
        sizeof(owned) + count * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray));
    owned *own = calloc(1, size);

    if (!own)
        return weir_fail_memory(err, size);
    for (size_t i = 0; i < count; i++)
        own->children[i] = (struct ArrowArray *)(void *)(own->children + count) + i;
    *out = (struct ArrowArray){
        .length = rows,
        .n_buffers = 1,
        .n_children = (int64_t)count,
        .buffers = &own->validity,
        .children = own->children,
        .release = release_struct,
        .private_data = own,
    };
    return WEIR_OK;
}

/* A buffer of `count` slots, zeroed, aligned as Arrow recommends; freed with the array. */
static weir_status make_buffer(column_array *own, int index, int64_t count, size_t width,
                               void **out, weir_error *err)
{
    size_t size;
    void *buffer;

    if (__builtin_mul_overflow((size_t)count, width, &size) || size > SIZE_MAX - 128)
        return weir_fail_memory(err, SIZE_MAX);
    size = (size + 127) & ~(size_t)63;
    buffer = aligned_alloc(64, size);
    if (!buffer)
        return weir_fail_memory(err, size);
    memset(buffer, 0, size);
    own->made[index] = buffer;
    own->buffers[index] = buffer;
    *out = buffer;
    return WEIR_OK;
}

/* ---- one value for all rows ---- */

/* Writes one value `count` times, doubling what is there. */
static void repeat(void *to, const void *value, size_t width, size_t count)
{
    uint8_t *const out = to;
    const size_t size = width * count;
    size_t done = width;

    if (size == 0)
        return;
    memcpy(out, value, width);
    while (done < size) {
        const size_t step = done < size - done ? done : size - done;

        memcpy(out + done, out, step);
        done += step;
    }
}

static weir_status repeat_bytes(column_array *own, const weir_vector *v, weir_vector *out,
                                weir_error *err)
{
    weir_vector first = *v;
    void *offsets, *values;
    weir_view view;

    first.form = WEIR_PLAIN;
    view = weir_bytes(&first, 0);
    if (view.size > 0 && v->rows > INT32_MAX / (int64_t)view.size)
        return weir_fail(err, WEIR_LIMIT, "%zu bytes, %" PRId64 " times, need 64-bit offsets",
                         view.size, v->rows);
    WEIR_TRY(make_buffer(own, 1, v->rows + 1, sizeof(int32_t), &offsets, err));
    WEIR_TRY(make_buffer(own, 2, v->rows, view.size, &values, err));
    for (int64_t i = 0; i <= v->rows; i++)
        ((int32_t *)offsets)[i] = (int32_t)(i * (int64_t)view.size);
    repeat(values, view.data, view.size, (size_t)v->rows);
    out->offsets = offsets;
    out->values = values;
    return WEIR_OK;
}

/* ONE as PLAIN, in buffers of the array. */
static weir_status spread_one(column_array *own, const weir_vector *v, weir_vector *out,
                              weir_error *err)
{
    const bool is_there = !weir_is_null(v, 0);
    void *values, *validity;

    *out = *v;
    out->form = WEIR_PLAIN;
    out->first = 0;
    out->validity = NULL;
    if (!is_there) {
        WEIR_TRY(make_buffer(own, 0, (v->rows + 7) / 8, 1, &validity, err));
        out->validity = validity;
    }
    if (v->type == WEIR_BYTES)
        return repeat_bytes(own, v, out, err);
    if (v->type == WEIR_BOOL) {
        WEIR_TRY(make_buffer(own, 1, (v->rows + 7) / 8, 1, &values, err));
        memset(values, is_there && weir_bit(v->values, v->first) ? 0xff : 0,
               (size_t)(v->rows + 7) / 8);
    } else {
        WEIR_TRY(make_buffer(own, 1, v->rows, v->width, &values, err));
        repeat(values, (const uint8_t *)v->values + (size_t)v->first * v->width, v->width,
               (size_t)v->rows);
    }
    out->values = values;
    return WEIR_OK;
}

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

static void set_fault(weir_arrow_fault *fault, weir_status status, int64_t row, const char *text)
{
    fault->status = status;
    fault->row = row;
    snprintf(fault->text, sizeof fault->text, "%s", text);
}

static void check_text(const weir_vector *v, weir_arrow_fault *fault)
{
    if (is_all_text(v))
        return;
    for (int64_t row = 0; row < v->rows; row++)
        if (!is_text(v, row)) {
            set_fault(fault, WEIR_CORRUPT, row,
                      "a string is not UTF-8 (the option strings_as_binary takes it as it is)");
            return;
        }
}

/* ---- conversions: `to` has room for the rows and is zeroed; nulls stay zero ---- */

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

static void convert(const weir_vector *v, const weir_arrow_type *type, void *to,
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
        set_fault(fault, WEIR_CORRUPT, row, text);
        return;
    }
}

/* ---- one column ---- */

/* Bytes of a buffer that is never read, for vectors without one. */
static const uint64_t nothing[8];

static void lend(column_array *own, const weir_vector *v, struct ArrowArray *out)
{
    out->offset = v->first;
    own->buffers[0] = v->validity;
    if (v->form == WEIR_PLAIN && v->type == WEIR_BYTES) {
        out->n_buffers = 3;
        own->buffers[1] = v->offsets;
        own->buffers[2] = v->values ? v->values : nothing;
    } else {
        own->buffers[1] = v->values ? v->values : nothing;
    }
}

/* The validity is lent from the last multiple of 64 slots, so that the new values need no more
 * slots before the first than that. */
static weir_status convert_column(column_array *own, const weir_vector *v,
                                  const weir_arrow_type *type, struct ArrowArray *out,
                                  weir_arrow_fault *fault, weir_error *err)
{
    const int64_t lead = v->first % 64;
    void *values;

    out->offset = lead;
    if (v->validity)
        own->buffers[0] = v->validity + v->first / 64 * 8;
    free(own->made[1]);
    own->made[1] = NULL;
    WEIR_TRY(make_buffer(own, 1, lead + v->rows, type->width, &values, err));
    convert(v, type, (uint8_t *)values + (size_t)lead * type->width, fault);
    return WEIR_OK;
}

/* A dictionary that can't be exported whole is a fault of the batch's first row. */
static weir_status lend_codes(column_array *own, const weir_vector *v, const weir_arrow_type *type,
                              struct ArrowArray *out, weir_arrow_fault *fault, weir_error *err)
{
    lend(own, v, out);
    WEIR_TRY(weir_arrow_array_open(own->batch, v->dictionary, type, &own->dictionary, fault, err));
    fault->row = 0;
    out->dictionary = &own->dictionary;
    return WEIR_OK;
}

static weir_status fill_column(column_array *own, const weir_vector *column,
                               const weir_arrow_type *type, struct ArrowArray *out,
                               weir_arrow_fault *fault, weir_error *err)
{
    weir_vector spread;
    const weir_vector *v = column;

    if (type->way == WEIR_ARROW_NOTHING) {
        out->n_buffers = 0;
        out->null_count = column->rows;
        return WEIR_OK;
    }
    if (column->form == WEIR_SHAPE)
        return weir_fail(err, WEIR_BAD_CALL,
                         "a column of which only the shape was read has no "
                         "Arrow type");
    if (column->form == WEIR_CODES)
        return lend_codes(own, column, type, out, fault, err);
    if (column->form == WEIR_ONE) {
        WEIR_TRY(spread_one(own, column, &spread, err));
        v = &spread;
    }
    if (type->way != WEIR_ARROW_LEND)
        return convert_column(own, v, type, out, fault, err);
    lend(own, v, out);
    if (type->is_text)
        check_text(v, fault);
    return WEIR_OK;
}

weir_status weir_arrow_array_open(const weir_batch *batch, const weir_vector *column,
                                  const weir_arrow_type *type, struct ArrowArray *out,
                                  weir_arrow_fault *fault, weir_error *err)
{
    column_array *own = calloc(1, sizeof *own);
    struct ArrowArray array = { .length = column->rows,
                                .null_count = column->nulls,
                                .n_buffers = 2,
                                .release = release_column };
    weir_status status;

    if (!own)
        return weir_fail_memory(err, sizeof *own);
    own->batch = weir_batch_keep(batch);
    array.buffers = own->buffers;
    array.private_data = own;
    *fault = (weir_arrow_fault){ .status = WEIR_OK };
    status = fill_column(own, column, type, &array, fault, err);
    if (status == WEIR_OK)
        *out = array;
    else
        release_column(&array);
    return status;
}
