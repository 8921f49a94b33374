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

/* Of one vector: a count of the batch, the list of buffers, and those that were made for it.
 * Children and dictionary may be moved away before, so each has its own; what their structs lie in
 * is this one's. */
typedef struct vector_array {
    const weir_batch *batch;
    const void *buffers[3];
    void *made[3];
    struct ArrowArray dictionary;
    struct ArrowArray *children[]; /* and behind the pointers the structs */
} vector_array;

static size_t children_size(size_t count)
{
    return count * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray));
}

/* All of them released at first. */
static void place_children(struct ArrowArray **children, size_t count, struct ArrowArray *out)
{
    for (size_t i = 0; i < count; i++)
        children[i] = (struct ArrowArray *)(void *)(children + count) + i;
    out->n_children = (int64_t)count;
    out->children = count ? children : NULL;
}

static void release_children(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
}

static void release_vector(struct ArrowArray *array)
{
    vector_array *own = array->private_data;

    release_children(array);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    for (int i = 0; i < 3; i++)
        free(own->made[i]);
    weir_batch_release(own->batch);
    free(own);
    array->release = NULL;
}

static void release_rows(struct ArrowArray *array)
{
    release_children(array);
    free(array->private_data);
    array->release = NULL;
}

weir_status weir_arrow_array_rows(size_t count, int64_t rows, struct ArrowArray *out,
                                  weir_error *err)
{
    typedef struct {
        const void *validity;
        struct ArrowArray *children[];
    } owned;
    const size_t size = sizeof(owned) + children_size(count);
    owned *own = calloc(1, size);

    if (!own)
        return weir_fail_memory(err, size);
    *out = (struct ArrowArray){
        .length = rows,
        .n_buffers = 1,
        .buffers = &own->validity,
        .release = release_rows,
        .private_data = own,
    };
    place_children(own->children, count, out);
    return WEIR_OK;
}

/* A buffer of `count` slots, zeroed, aligned as Arrow recommends; freed with the array. */
static weir_status make_buffer(vector_array *own, int index, int64_t count, size_t width,
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

static weir_status repeat_bytes(vector_array *own, const weir_vector *v, weir_vector *out,
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
static weir_status spread_one(vector_array *own, const weir_vector *v, weir_vector *out,
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

/* ---- a leaf ---- */

/* Bytes of a buffer that is never read, for vectors without one. */
static const uint64_t nothing[8];

/* Of an array without rows, as lists may have, Arrow C++ takes no values: an offset into them would
 * point past their end. */
static int64_t offset_of(const weir_vector *v)
{
    return v->rows ? v->first : 0;
}

static void lend(vector_array *own, const weir_vector *v, struct ArrowArray *out)
{
    out->offset = offset_of(v);
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
static weir_status convert_leaf(vector_array *own, const weir_vector *v,
                                const weir_arrow_type *type, struct ArrowArray *out,
                                weir_arrow_fault *fault, weir_error *err)
{
    const int64_t lead = v->first % 64;
    void *const before = own->made[1]; /* what ONE was spread to: `v` points into it */
    void *values;
    weir_status status;

    own->made[1] = NULL;
    out->offset = lead;
    if (v->validity)
        own->buffers[0] = v->validity + v->first / 64 * 8;
    status = make_buffer(own, 1, lead + v->rows, type->width, &values, err);
    if (status == WEIR_OK)
        weir_arrow_convert(v, type, (uint8_t *)values + (size_t)lead * type->width, fault);
    free(before);
    return status;
}

/* A dictionary that can't be exported whole is a fault of the batch's first row. */
static weir_status lend_codes(vector_array *own, const weir_vector *v,
                              const weir_arrow_options *options, struct ArrowArray *out,
                              weir_arrow_fault *fault, weir_error *err)
{
    lend(own, v, out);
    WEIR_TRY(
        weir_arrow_array_open(own->batch, v->dictionary, options, &own->dictionary, fault, err));
    fault->row = 0;
    out->dictionary = &own->dictionary;
    return WEIR_OK;
}

static weir_status fill_leaf(vector_array *own, const weir_vector *leaf,
                             const weir_arrow_options *options, struct ArrowArray *out,
                             weir_arrow_fault *fault, weir_error *err)
{
    weir_arrow_type type;
    weir_vector spread;
    const weir_vector *v = leaf;

    weir_arrow_type_of(leaf->field, options, &type);
    if (type.way == WEIR_ARROW_NOTHING) {
        out->n_buffers = 0;
        out->null_count = leaf->rows;
        return WEIR_OK;
    }
    if (leaf->form == WEIR_CODES)
        return lend_codes(own, leaf, options, out, fault, err);
    if (leaf->form == WEIR_ONE) {
        WEIR_TRY(spread_one(own, leaf, &spread, err));
        v = &spread;
    }
    if (type.way != WEIR_ARROW_LEND)
        return convert_leaf(own, v, &type, out, fault, err);
    lend(own, v, out);
    if (type.is_text)
        weir_arrow_check_text(v, fault);
    return WEIR_OK;
}

/* ---- structs, lists, maps ---- */

static size_t child_count(const weir_vector *v)
{
    if (v->type == WEIR_FIXED_LIST)
        return 1;
    return v->type < WEIR_LIST ? 0 : v->child_count;
}

/* All elements up to the last row's are the child: the offset of the lists is no offset of it. */
static weir_status fill_fixed_list(vector_array *own, const weir_vector *v,
                                   const weir_arrow_options *options, struct ArrowArray *out,
                                   weir_arrow_fault *fault, weir_error *err)
{
    const weir_field field = weir_arrow_element(v->field);
    weir_vector spread, elements = { .field = &field, .type = field.type, .width = field.width };
    vector_array *child;

    if (v->form == WEIR_ONE) {
        WEIR_TRY(spread_one(own, v, &spread, err));
        v = &spread;
    }
    out->n_buffers = 1;
    out->offset = offset_of(v);
    own->buffers[0] = v->validity;
    elements.rows = (out->offset + v->rows) * v->field->list_size;
    elements.values = v->values;
    WEIR_TRY(weir_arrow_array_open(own->batch, &elements, options, out->children[0], fault, err));
    child = out->children[0]->private_data;
    child->made[1] = own->made[1]; /* what ONE was spread to goes where the child goes */
    own->made[1] = NULL;
    return WEIR_OK;
}

/* What the child with that number is made of: of a map without values, its keys. */
static const weir_vector *child_of(const weir_vector *v, size_t index)
{
    const weir_vector *child = &v->children[index];

    return weir_arrow_is_set(v->field, child->field) ? &child->children[0] : child;
}

/* Bits from slot `first` on, moved to bit 0. */
static weir_status move_validity(vector_array *own, const weir_vector *v, weir_error *err)
{
    const unsigned shift = (unsigned)(v->first & 7);
    const uint8_t *from = v->validity + v->first / 8;
    const int64_t bytes = (v->rows + 7) / 8, last = (shift + v->rows - 1) / 8;
    uint8_t *to;
    void *made;

    WEIR_TRY(make_buffer(own, 0, bytes, 1, &made, err));
    to = made;
    for (int64_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)((from[i] | (i < last ? from[i + 1] : 0) << 8) >> shift);
    return WEIR_OK;
}

/* A struct's offset would shift its children, who have places of their own: it is always 0. */
static weir_status fill_struct(vector_array *own, const weir_vector *v, struct ArrowArray *out,
                               weir_error *err)
{
    out->n_buffers = 1;
    if (!v->validity)
        return WEIR_OK;
    if (v->first % 64)
        return move_validity(own, v, err);
    own->buffers[0] = v->validity + v->first / 8;
    return WEIR_OK;
}

static void fill_list(vector_array *own, const weir_vector *v, struct ArrowArray *out)
{
    out->offset = offset_of(v);
    own->buffers[0] = v->validity;
    own->buffers[1] = v->offsets;
}

/* The row whose list has element `element`. */
static int64_t row_of_element(const weir_vector *v, int64_t element)
{
    const int32_t *offsets = v->offsets + v->first;
    int64_t row = 0;

    while (offsets[row + 1] <= element)
        row++;
    return row;
}

static void find_null_key(const weir_vector *keys, weir_arrow_fault *fault)
{
    for (int64_t row = 0; row < keys->rows; row++)
        if (weir_is_null(keys, row)) {
            weir_arrow_set_fault(fault, WEIR_CORRUPT, row, "a map's key is null");
            return;
        }
}

/* The lowest row among the children's faults, as a row of the parent's. */
static weir_status fill_children(vector_array *own, const weir_vector *v,
                                 const weir_arrow_options *options, struct ArrowArray *out,
                                 weir_arrow_fault *fault, weir_error *err)
{
    for (size_t i = 0; i < v->child_count; i++) {
        const weir_vector *child = child_of(v, i);
        weir_arrow_fault found;

        WEIR_TRY(weir_arrow_array_open(own->batch, child, options, out->children[i], &found, err));
        if (v->type == WEIR_MAP && child->type == WEIR_STRUCT && found.status == WEIR_OK)
            find_null_key(&child->children[0], &found);
        if (found.status == WEIR_OK)
            continue;
        if (v->type != WEIR_STRUCT)
            found.row = row_of_element(v, found.row);
        if (fault->status == WEIR_OK || found.row < fault->row)
            *fault = found;
    }
    return WEIR_OK;
}

static weir_status fill_vector(vector_array *own, const weir_vector *v,
                               const weir_arrow_options *options, struct ArrowArray *out,
                               weir_arrow_fault *fault, weir_error *err)
{
    if (v->form == WEIR_SHAPE)
        return weir_arrow_no_type(err);
    if (v->type == WEIR_FIXED_LIST)
        return fill_fixed_list(own, v, options, out, fault, err);
    if (v->type < WEIR_LIST)
        return fill_leaf(own, v, options, out, fault, err);
    if (v->type == WEIR_STRUCT)
        WEIR_TRY(fill_struct(own, v, out, err));
    else
        fill_list(own, v, out);
    return fill_children(own, v, options, out, fault, err);
}

weir_status weir_arrow_array_open(const weir_batch *batch, const weir_vector *vector,
                                  const weir_arrow_options *options, struct ArrowArray *out,
                                  weir_arrow_fault *fault, weir_error *err)
{
    const size_t count = child_count(vector);
    const size_t size = sizeof(vector_array) + children_size(count);
    vector_array *own = calloc(1, size);
    struct ArrowArray array = { .length = vector->rows,
                                .null_count = vector->nulls,
                                .n_buffers = 2,
                                .release = release_vector };
    weir_status status;

    if (!own)
        return weir_fail_memory(err, size);
    own->batch = weir_batch_keep(batch);
    array.buffers = own->buffers;
    array.private_data = own;
    place_children(own->children, count, &array);
    *fault = (weir_arrow_fault){ .status = WEIR_OK };
    status = fill_vector(own, vector, options, &array, fault, err);
    if (status == WEIR_OK)
        *out = array;
    else
        release_vector(&array);
    return status;
}

void weir_arrow_array_cut(const weir_vector *vector, struct ArrowArray *array, int64_t rows)
{
    const bool is_list = vector->type == WEIR_LIST || vector->type == WEIR_MAP;

    if (rows == array->length)
        return;
    array->length = rows;
    /* Not counted again; the null type has no other. */
    array->null_count = array->n_buffers ? -1 : rows;
    for (size_t i = 0; vector->type >= WEIR_LIST && i < child_count(vector); i++)
        weir_arrow_array_cut(child_of(vector, i), array->children[i],
                             is_list ? vector->offsets[vector->first + rows] : rows);
}
