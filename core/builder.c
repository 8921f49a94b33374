/* SPDX-License-Identifier: Apache-2.0
 * builder.c: a vector being filled. Its validity, offsets and values lie in one slab, so that a
 * batch counts one hold a column. */
#include "core/builder_parts.h"

#include "core/bits.h"
#include "core/error.h"

#include <inttypes.h>
#include <string.h>

/* Where the bytes of values are: one loop serves all, made anew for each. */
typedef enum bytes_kind {
    BYTES_VIEWS,
    BYTES_CODES,
    BYTES_PREFIXED /* each behind its length in four bytes */
} bytes_kind;

typedef struct bytes_from {
    bytes_kind kind;
    const weir_view *views;
    const uint32_t *codes;
    const int32_t *offsets; /* the dictionary's */
    const uint8_t *data;
    const uint8_t *at, *end; /* PREFIXED: the next length */
} bytes_from;

static bool accepts(const weir_builder *b, weir_form form)
{
    return (b->target->forms >> form & 1) != 0;
}

void weir_builder_init(weir_builder *builder, const weir_target *target, int64_t rows, size_t bytes)
{
    memset(builder, 0, sizeof *builder);
    builder->target = target;
    builder->form = accepts(builder, WEIR_SHAPE) ? WEIR_SHAPE : WEIR_PLAIN;
    builder->row_room = rows;
    builder->byte_room = bytes;
}

void weir_builder_fini(weir_builder *builder)
{
    if (builder->nested) {
        weir_hold *self = builder->nested->self;

        weir_nest_fini(&builder->nested->nest);
        weir_builder_fini(&builder->nested->leaf);
        weir_hold_release(self);
    }
    weir_hold_release(builder->slab);
    weir_hold_release(builder->dictionary_hold);
    memset(builder, 0, sizeof *builder);
}

int64_t weir_builder_left(const weir_builder *builder)
{
    return builder->is_full ? 0 : builder->row_room - builder->rows;
}

static size_t validity_size(const weir_builder *b)
{
    return weir_align64(weir_bits_size(b->row_room));
}

static size_t head_size(const weir_builder *b)
{
    const size_t slots = (size_t)b->row_room + 1;

    return validity_size(b) +
           (weir_builder_has_offsets(b) ? weir_align64(slots * sizeof(int32_t)) : 0);
}

static void place(weir_builder *b)
{
    b->validity = b->slab->data;
    b->offsets =
        weir_builder_has_offsets(b) ? (int32_t *)(void *)(b->slab->data + validity_size(b)) : NULL;
    b->values = b->slab->data + head_size(b);
    b->room = b->slab->size - head_size(b);
}

/* Memory on the first append, when the form is known. */
weir_status weir_builder_open(weir_builder *b, weir_work *work, weir_error *err)
{
    size_t size = head_size(b) + WEIR_SLACK;

    if (b->slab)
        return WEIR_OK;
    if (b->form != WEIR_SHAPE) {
        if (weir_builder_has_offsets(b))
            size += weir_min_u64(b->byte_room, (uint64_t)b->row_room * 16);
        else if (weir_builder_slot_size(b))
            size += (size_t)b->row_room * weir_builder_slot_size(b);
        else
            size += weir_bits_size(b->row_room);
    }
    WEIR_TRY(weir_memory_take(work->memory, size, &b->slab, err));
    place(b);
    if (b->offsets)
        b->offsets[0] = 0;
    return WEIR_OK;
}

/* Validity of `rows` rows that were just put in. It stays unwritten until the first null. */
static void note_rows(weir_builder *b, const weir_work *work, int64_t rows, const uint8_t *present,
                      int64_t count)
{
    if (count < rows) {
        if (b->nulls == 0)
            weir_bits_fill(b->validity, 0, b->rows);
        work->kernels->copy_bits(present, 0, (size_t)rows, b->validity, (size_t)b->rows);
        b->nulls += rows - count;
    } else if (b->nulls > 0) {
        weir_bits_fill(b->validity, b->rows, rows);
    }
    b->rows += rows;
    if (b->rows >= b->row_room)
        b->is_full = true;
}

/* The row of value `index`, `rows` when there is none. */
static int64_t row_of_value(const uint8_t *present, int64_t rows, int64_t index)
{
    if (!present)
        return weir_min_i64(index, rows);
    for (int64_t row = 0; row < rows; row++)
        if (weir_bit(present, row) && index-- == 0)
            return row;
    return rows;
}

static int64_t count_present(const weir_work *work, const uint8_t *present, int64_t rows)
{
    return present ? (int64_t)work->kernels->count_bits(present, (size_t)rows) : rows;
}

static weir_status no_scratch(weir_error *err)
{
    return weir_fail(err, WEIR_NO_MEMORY, "no memory for scratch");
}

static size_t from_width(const weir_target *target)
{
    return target->from->type == WEIR_BOOL ? 1 : target->from->width;
}

static uint8_t *values_end(const weir_builder *b)
{
    return b->values + (size_t)b->rows * weir_builder_slot_size(b);
}

weir_status weir_builder_stage(weir_builder *builder, weir_work *work, bool has_nulls, int64_t rows,
                               void **out, weir_error *err)
{
    const weir_target *target = builder->target;
    const size_t size = (size_t)rows * from_width(target);

    WEIR_TRY(weir_builder_open(builder, work, err));
    if (!has_nulls && target->cast.kind == WEIR_CAST_NONE && builder->form == WEIR_PLAIN &&
        weir_builder_slot_size(builder) && rows <= builder->row_room - builder->rows)
        *out = values_end(builder);
    else
        *out = weir_arena_alloc(&work->scratch, size + WEIR_SLACK);
    return *out ? WEIR_OK : no_scratch(err);
}

bool weir_builder_lend(weir_builder *builder, const uint8_t *values, int64_t rows, weir_hold *page)
{
    const weir_target *target = builder->target;
    const uint32_t width = target->field->width;

    if (builder->rows > 0 || builder->slab || builder->form != WEIR_PLAIN ||
        target->cast.kind != WEIR_CAST_NONE || (width != 4 && width != 8) ||
        (uintptr_t)values % width != 0 || rows > builder->row_room)
        return false;
    builder->slab = weir_hold_keep(page);
    builder->values = (uint8_t *)(uintptr_t)values; /* nobody writes to a lent vector */
    builder->rows = rows;
    builder->is_lent = builder->is_full = true;
    return true;
}

weir_status weir_builder_place_64(weir_builder *builder, weir_work *work, uint64_t **out,
                                  weir_error *err)
{
    const weir_type type = weir_builder_type(builder);

    *out = NULL;
    if (builder->form != WEIR_PLAIN || accepts(builder, WEIR_CODES) || type == WEIR_BOOL ||
        type == WEIR_BYTES || builder->target->field->width != 8)
        return WEIR_OK;
    WEIR_TRY(weir_builder_open(builder, work, err));
    *out = (uint64_t *)(void *)values_end(builder);
    return WEIR_OK;
}

void weir_builder_placed(weir_builder *builder, const weir_work *work, int64_t rows,
                         const uint8_t *present, int64_t count)
{
    note_rows(builder, work, rows, present, count);
}

/* Dense values of the target's type go to their slots. */
static void spread(const weir_builder *b, const weir_work *work, const void *dense,
                   const uint8_t *present, int64_t rows)
{
    const weir_kernels *kernels = work->kernels;
    void *slots = values_end(b);

    switch (weir_builder_slot_size(b)) {
    case 4:
        kernels->spread_32(dense, present, (size_t)rows, slots);
        break;
    case 8:
        kernels->spread_64(dense, present, (size_t)rows, slots);
        break;
    default:
        kernels->spread_wide(dense, weir_builder_slot_size(b), present, (size_t)rows, slots);
    }
}

static weir_status append_bools(weir_builder *b, weir_work *work, const uint8_t *staged,
                                int64_t rows, const uint8_t *present, weir_error *err)
{
    const uint8_t *bytes = staged;

    if (present) {
        uint8_t *all = weir_arena_alloc(&work->scratch, (size_t)rows + WEIR_SLACK);

        if (!all)
            return no_scratch(err);
        work->kernels->spread_8(staged, present, (size_t)rows, all);
        bytes = all;
    }
    work->kernels->pack_bools(bytes, (size_t)rows, b->values, (size_t)b->rows);
    return WEIR_OK;
}

/* Values of the file's type that need a cast: `*count` of them survive. */
static weir_status cast_values(const weir_builder *b, weir_work *work, const void **staged,
                               int64_t *count, bool in_place, weir_error *err)
{
    const weir_target *target = b->target;
    char why[160];
    void *to = in_place ? values_end(b)
                        : weir_arena_alloc(&work->scratch,
                                           (size_t)*count * target->field->width + WEIR_SLACK);
    size_t done;

    if (!to)
        return no_scratch(err);
    done =
        weir_cast_run(&target->cast, work->kernels, *staged, (size_t)*count, to, why, sizeof why);
    *staged = to;
    if (done == (size_t)*count)
        return WEIR_OK;
    *count = (int64_t)done;
    return weir_fail(err, WEIR_MISMATCH, "%s", why);
}

/* Whether values may go in as `form`; if not, the builder is full and nothing is taken. */
static bool settle(weir_builder *b, weir_form form, const weir_dictionary *dictionary)
{
    if (b->form == WEIR_SHAPE)
        return true;
    if (b->rows == 0 && !b->slab)
        b->form = form;
    if (b->form != form || (form == WEIR_CODES && b->dictionary && b->dictionary != dictionary))
        b->is_full = true;
    return !b->is_full;
}

weir_status weir_builder_append(weir_builder *builder, weir_work *work, const void *staged,
                                int64_t rows, const uint8_t *present, int64_t count, int64_t *done,
                                weir_error *err)
{
    const weir_target *target = builder->target;
    const bool has_nulls = count < rows;
    weir_status status = WEIR_OK;

    *done = 0;
    if (!settle(builder, WEIR_PLAIN, NULL))
        return WEIR_OK;
    WEIR_TRY(weir_builder_open(builder, work, err));
    if (target->cast.kind != WEIR_CAST_NONE) {
        const int64_t all = count;

        status = cast_values(builder, work, &staged, &count, !has_nulls, err);
        if (status == WEIR_NO_MEMORY)
            return status;
        if (count < all) {
            rows = row_of_value(present, rows, count);
        }
    }
    if (!has_nulls)
        present = NULL;
    if (weir_builder_type(builder) == WEIR_BOOL)
        WEIR_TRY(append_bools(builder, work, staged, rows, present, err));
    else if (present)
        spread(builder, work, staged, present, rows);
    else if (staged != values_end(builder))
        memcpy(values_end(builder), staged, (size_t)rows * weir_builder_slot_size(builder));
    note_rows(builder, work, rows, present, count);
    *done = rows;
    return status;
}

weir_status weir_builder_append_shape(weir_builder *builder, weir_work *work, int64_t rows,
                                      const uint8_t *present, int64_t count, int64_t *done,
                                      weir_error *err)
{
    *done = 0;
    rows = weir_min_i64(rows, weir_builder_left(builder));
    if (builder->form != WEIR_SHAPE && !builder->slab)
        builder->form = WEIR_PLAIN;
    WEIR_TRY(weir_builder_open(builder, work, err));
    if (present && builder->form == WEIR_SHAPE)
        count = count_present(work, present, rows);
    if (builder->form == WEIR_PLAIN && builder->offsets) {
        for (int64_t i = 0; i < rows; i++)
            builder->offsets[builder->rows + i + 1] = (int32_t)builder->bytes;
    } else if (builder->form != WEIR_SHAPE && weir_builder_slot_size(builder)) {
        memset(values_end(builder), 0, (size_t)rows * weir_builder_slot_size(builder));
    } else if (builder->form != WEIR_SHAPE) {
        work->kernels->copy_bits(present, 0, (size_t)rows, builder->values, (size_t)builder->rows);
    }
    note_rows(builder, work, rows, present, count);
    *done = rows;
    return WEIR_OK;
}

/* ---- BYTES ---- */

weir_status weir_builder_grow(weir_builder *b, weir_work *work, size_t need, weir_error *err)
{
    const size_t head = head_size(b);
    size_t room = b->room * 2;

    if (room < need + WEIR_SLACK)
        room = need + WEIR_SLACK;
    WEIR_TRY(weir_memory_grow(work->memory, &b->slab, head + b->bytes, head + room, err));
    place(b);
    return WEIR_OK;
}

/* Value `i`, which is the next one; false: it reaches past the end. */
static inline bool next_value(const bytes_from *from, bytes_kind kind, int64_t i, weir_view *out)
{
    if (kind == BYTES_VIEWS) {
        *out = from->views[i];
    } else if (kind == BYTES_CODES) {
        const int32_t *offset = from->offsets + from->codes[i];

        *out = (weir_view){ from->data + offset[0], (size_t)(offset[1] - offset[0]) };
    } else {
        const size_t there = (size_t)(from->end - from->at);
        const size_t size = there < 4 ? 0 : weir_load32(from->at);

        if (there < 4 || size > there - 4)
            return false;
        *out = (weir_view){ from->at + 4, size };
    }
    return true;
}

/* Where values may end without more being done. */
static size_t ends_by(const weir_builder *b)
{
    return b->room < WEIR_SLACK ? 0 : (size_t)weir_min_u64(b->room - WEIR_SLACK, INT32_MAX);
}

/* The value that ends at byte `after` is longer than the room, or than a vector may be. */
static weir_status make_room(weir_builder *b, weir_work *work, size_t size, size_t after,
                             bool is_first, weir_error *err)
{
    if (after <= INT32_MAX)
        return weir_builder_grow(b, work, after, err);
    b->is_full = true;
    return is_first ? weir_fail(err, WEIR_LIMIT,
                                "a value of %zu bytes: a vector holds at most 2 GiB", size)
                    : WEIR_OK;
}

/* Copies rows until one goes past the byte room. The builder's fields stay in registers: for all
 * that a compiler knows the bytes that are copied lie over them. */
static inline __attribute__((always_inline)) weir_status
append_bytes(weir_builder *b, weir_work *work, bytes_from *from, bytes_kind kind, int64_t rows,
             const uint8_t *present, int64_t *done, int64_t *used, weir_error *err)
{
    bytes_from in = *from;
    uint8_t *values = b->values;
    int32_t *ends = b->offsets + b->rows + 1;
    size_t bytes = b->bytes, room = ends_by(b);
    const size_t most = b->byte_room;
    int64_t row = 0, value = 0;
    weir_status status = WEIR_OK;

    for (; row < rows; row++) {
        if (!present || weir_bit(present, row)) {
            weir_view view;

            if (!next_value(&in, kind, value, &view))
                break;
            const size_t after = bytes + view.size;

            if (after > room) {
                b->bytes = bytes;
                status = make_room(b, work, view.size, after, b->rows + row == 0, err);
                if (status != WEIR_OK || b->is_full)
                    break;
                values = b->values;
                ends = b->offsets + b->rows + 1;
                room = ends_by(b);
            }
            if (view.size)
                weir_copy_short(values + bytes, view.data, view.size);
            if (kind == BYTES_PREFIXED)
                in.at = view.data + view.size;
            bytes = after;
            value++;
        }
        ends[row] = (int32_t)bytes;
        if (bytes >= most) {
            b->is_full = true;
            row++;
            break;
        }
    }
    b->bytes = bytes;
    *from = in;
    *done = row;
    *used = value;
    return status;
}

static weir_status append_bytes_rows(weir_builder *b, weir_work *work, bytes_from *from,
                                     int64_t rows, const uint8_t *present, int64_t *done,
                                     weir_error *err)
{
    int64_t used = 0;
    weir_status status;

    WEIR_TRY(weir_builder_open(b, work, err));
    rows = weir_min_i64(rows, weir_builder_left(b));
    if (from->kind == BYTES_VIEWS)
        status = append_bytes(b, work, from, BYTES_VIEWS, rows, present, done, &used, err);
    else if (from->kind == BYTES_CODES)
        status = append_bytes(b, work, from, BYTES_CODES, rows, present, done, &used, err);
    else
        status = append_bytes(b, work, from, BYTES_PREFIXED, rows, present, done, &used, err);
    note_rows(b, work, *done, present, used);
    return status;
}

weir_status weir_builder_append_prefixed(weir_builder *builder, weir_work *work, const uint8_t **at,
                                         const uint8_t *end, int64_t rows, const uint8_t *present,
                                         int64_t *done, weir_error *err)
{
    bytes_from from = { .kind = BYTES_PREFIXED, .at = *at, .end = end };
    weir_status status;

    *done = 0;
    if (!settle(builder, WEIR_PLAIN, NULL))
        return WEIR_OK;
    status = append_bytes_rows(builder, work, &from, rows, present, done, err);
    *at = from.at;
    return status;
}

/* Decimals of any length under a cast to a fixed width. */
static weir_status append_decimals(weir_builder *b, weir_work *work, const weir_view *views,
                                   int64_t rows, const uint8_t *present, int64_t count,
                                   int64_t *done, weir_error *err)
{
    const size_t width = b->target->field->width;
    uint8_t *dense = weir_arena_alloc(&work->scratch, (size_t)count * width + WEIR_SLACK);
    weir_status status = WEIR_OK;

    if (!dense)
        return no_scratch(err);
    for (int64_t i = 0; i < count; i++)
        if (!weir_cast_decimal(&b->target->cast, views[i], dense + (size_t)i * width)) {
            status = weir_fail(err, WEIR_MISMATCH, "a decimal of %zu bytes does not fit %zu",
                               views[i].size, width);
            rows = row_of_value(present, rows, i);
            count = i;
        }
    WEIR_TRY(weir_builder_open(b, work, err));
    if (present)
        spread(b, work, dense, present, rows);
    else
        memcpy(values_end(b), dense, (size_t)rows * width);
    note_rows(b, work, rows, present, count);
    *done = rows;
    return status;
}

weir_status weir_builder_append_views(weir_builder *builder, weir_work *work,
                                      const weir_view *views, int64_t rows, const uint8_t *present,
                                      int64_t count, int64_t *done, weir_error *err)
{
    *done = 0;
    if (!settle(builder, WEIR_PLAIN, NULL))
        return WEIR_OK;
    if (weir_builder_type(builder) != WEIR_BYTES) {
        if (rows > weir_builder_left(builder)) {
            rows = weir_builder_left(builder);
            count = count_present(work, present, rows);
        }
        return append_decimals(builder, work, views, rows, count < rows ? present : NULL, count,
                               done, err);
    }
    return append_bytes_rows(builder, work, &(bytes_from){ .kind = BYTES_VIEWS, .views = views },
                             rows, count < rows ? present : NULL, done, err);
}

/* ---- codes ---- */

/* Codes before the first that the dictionary can't answer; the error says why it can't. */
static weir_status check_codes(weir_work *work, const uint32_t *codes, int64_t *count,
                               const weir_dictionary *dictionary, weir_error *err)
{
    const uint32_t entries = (uint32_t)dictionary->values.rows;

    if (*count == 0)
        return WEIR_OK;
    if (work->kernels->max_u32(codes, (size_t)*count) < entries && !dictionary->refused)
        return WEIR_OK;
    for (int64_t i = 0; i < *count; i++) {
        const uint32_t code = codes[i];

        if (code < entries && !(dictionary->refused && weir_bit(dictionary->refused, code)))
            continue;
        *count = i;
        return code < entries
                   ? weir_fail(err, WEIR_MISMATCH, "%s", dictionary->why)
                   : weir_fail(err, WEIR_CORRUPT,
                               "code %" PRIu32 " into a dictionary of %" PRIu32 " values", code,
                               entries);
    }
    return WEIR_OK;
}

static void gather(const weir_builder *b, const weir_work *work, const weir_dictionary *dictionary,
                   const uint32_t *codes, int64_t count, void *to)
{
    const weir_kernels *kernels = work->kernels;
    const weir_vector *values = &dictionary->values;

    switch (weir_builder_slot_size(b)) {
    case 4:
        kernels->gather_32(values->values, (size_t)values->rows, codes, (size_t)count, to);
        break;
    case 8:
        kernels->gather_64(values->values, (size_t)values->rows, codes, (size_t)count, to);
        break;
    default:
        kernels->gather_wide(values->values, weir_builder_slot_size(b), codes, (size_t)count, to);
    }
}

static weir_status append_gathered(weir_builder *b, weir_work *work, const uint32_t *codes,
                                   int64_t rows, const uint8_t *present, int64_t count,
                                   const weir_dictionary *dictionary, weir_error *err)
{
    const weir_kernels *kernels = work->kernels;
    const weir_vector *values = &dictionary->values;
    void *to = values_end(b);
    uint8_t *dense;

    if (!present) {
        gather(b, work, dictionary, codes, count, to);
        return WEIR_OK;
    }
    switch (weir_builder_slot_size(b)) {
    case 4:
        kernels->gather_spread_32(values->values, (size_t)values->rows, codes, present,
                                  (size_t)rows, to);
        return WEIR_OK;
    case 8:
        kernels->gather_spread_64(values->values, (size_t)values->rows, codes, present,
                                  (size_t)rows, to);
        return WEIR_OK;
    default:
        break;
    }
    dense =
        weir_arena_alloc(&work->scratch, (size_t)count * weir_builder_slot_size(b) + WEIR_SLACK);
    if (!dense)
        return no_scratch(err);
    gather(b, work, dictionary, codes, count, dense);
    spread(b, work, dense, present, rows);
    return WEIR_OK;
}

static weir_status append_code_bools(weir_builder *b, weir_work *work, const uint32_t *codes,
                                     int64_t rows, const uint8_t *present, int64_t count,
                                     const weir_dictionary *dictionary, weir_error *err)
{
    uint8_t *dense = weir_arena_alloc(&work->scratch, (size_t)count + WEIR_SLACK);

    if (!dense)
        return no_scratch(err);
    for (int64_t i = 0; i < count; i++)
        dense[i] = weir_bit(dictionary->values.values, codes[i]);
    return append_bools(b, work, dense, rows, present, err);
}

static void keep_codes(weir_builder *b, const weir_work *work, const uint32_t *codes, int64_t rows,
                       const uint8_t *present, const weir_dictionary *dictionary,
                       weir_hold *dictionary_hold)
{
    if (!b->dictionary) {
        b->dictionary = dictionary;
        b->dictionary_hold = weir_hold_keep(dictionary_hold);
    }
    if (present)
        spread(b, work, codes, present, rows);
    else
        memcpy(values_end(b), codes, (size_t)rows * sizeof *codes);
}

weir_status weir_builder_append_codes(weir_builder *builder, weir_work *work, const uint32_t *codes,
                                      int64_t rows, const uint8_t *present, int64_t count,
                                      const weir_dictionary *dictionary, weir_hold *dictionary_hold,
                                      int64_t *done, weir_error *err)
{
    const bool as_codes =
        accepts(builder, WEIR_CODES) && (!builder->slab || builder->form == WEIR_CODES);
    weir_status status, checked;

    *done = 0;
    if (!settle(builder, as_codes ? WEIR_CODES : WEIR_PLAIN, dictionary))
        return WEIR_OK;
    if (rows > weir_builder_left(builder)) {
        rows = weir_builder_left(builder);
        count = count_present(work, present, rows);
    }
    if (count == rows)
        present = NULL;
    checked = check_codes(work, codes, &count, dictionary, err);
    if (checked != WEIR_OK)
        rows = row_of_value(present, rows, count);
    if (weir_builder_has_offsets(builder)) {
        bytes_from from = { .kind = BYTES_CODES,
                            .codes = codes,
                            .offsets = dictionary->values.offsets,
                            .data = dictionary->values.values };
        const int64_t wanted = rows;

        status = append_bytes_rows(builder, work, &from, rows, present, done, err);
        return status != WEIR_OK || *done < wanted ? status : checked;
    }
    WEIR_TRY(weir_builder_open(builder, work, err));
    status = WEIR_OK;
    if (builder->form == WEIR_CODES)
        keep_codes(builder, work, codes, rows, present, dictionary, dictionary_hold);
    else if (weir_builder_type(builder) == WEIR_BOOL)
        status = append_code_bools(builder, work, codes, rows, present, count, dictionary, err);
    else
        status = append_gathered(builder, work, codes, rows, present, count, dictionary, err);
    if (status != WEIR_OK)
        return status;
    note_rows(builder, work, rows, present, count);
    *done = rows;
    return checked;
}

/* ---- the end ---- */

/* No old memory leaks out past the last row, and two runs give equal bytes. */
static void clear_tail(weir_builder *b)
{
    const size_t used = b->form == WEIR_SHAPE       ? 0
                        : b->offsets                ? b->bytes
                        : weir_builder_slot_size(b) ? (size_t)b->rows * weir_builder_slot_size(b)
                                                    : weir_bits_size(b->rows);

    memset(b->values + used, 0, WEIR_SLACK);
}

weir_status weir_builder_finish(weir_builder *builder, weir_work *work, weir_vector *out,
                                weir_error *err)
{
    const weir_field *field = builder->target->field;

    if (builder->target->path && !builder->is_leaf)
        return weir_builder_finish_nested(builder, work, out, err);
    WEIR_TRY(weir_builder_open(builder, work, err));
    if (!builder->is_lent) {
        clear_tail(builder);
        builder->slab->with = builder->dictionary_hold;
    }
    *out = (weir_vector){
        .field = field,
        .type = field->type,
        .form = builder->form,
        .width = field->width,
        .rows = builder->rows,
        .nulls = builder->nulls,
        .validity = builder->nulls ? builder->validity : NULL,
        .values = builder->form == WEIR_SHAPE ? NULL : builder->values,
        .offsets = builder->offsets,
        .dictionary = builder->dictionary ? &builder->dictionary->values : NULL,
        .hold = builder->slab,
    };
    memset(builder, 0, sizeof *builder);
    return WEIR_OK;
}
