/* SPDX-License-Identifier: Apache-2.0
 * builder_nested.c: the builder of a nested column: its leaf has room for any number of slots, its
 * way stands in nest.c, and it is cut at the rows that are whole. */
#include "core/builder_parts.h"

#include "core/bits.h"
#include "core/error.h"

#include <inttypes.h>
#include <string.h>

enum {
    ELEMENTS = 1 << 30 /* in a nested vector: it ends where a row begins after so many */
};

/* A larger slab; what is there moves along. */
static weir_status widen(weir_builder *b, weir_work *work, int64_t row_room, weir_error *err)
{
    weir_builder old = *b;
    weir_status status;

    b->row_room = row_room;
    b->slab = NULL;
    status = weir_builder_open(b, work, err);
    if (status == WEIR_OK && b->offsets && b->room < old.bytes + WEIR_SLACK) {
        b->bytes = 0;
        status = weir_builder_grow(b, work, old.bytes, err);
        b->bytes = old.bytes;
    }
    if (status != WEIR_OK) {
        weir_hold_release(b->slab);
        *b = old;
        return status;
    }
    memcpy(b->validity, old.validity, old.nulls ? weir_bits_size(old.rows) : 0);
    if (b->offsets) {
        memcpy(b->offsets, old.offsets, ((size_t)old.rows + 1) * sizeof(int32_t));
        memcpy(b->values, old.values, old.bytes);
    } else if (b->form != WEIR_SHAPE) {
        memcpy(b->values, old.values,
               weir_builder_slot_size(b) ? (size_t)old.rows * weir_builder_slot_size(b)
                                         : weir_bits_size(old.rows));
    }
    weir_hold_release(old.slab);
    return WEIR_OK;
}

weir_status weir_builder_reserve(weir_builder *builder, weir_work *work, int64_t rows,
                                 weir_error *err)
{
    int64_t room = builder->row_room;

    builder->is_full = false;
    if (builder->rows + rows < room)
        return WEIR_OK;
    room = room * 2 > builder->rows + rows ? room * 2 : builder->rows + rows + 1;
    if (builder->slab)
        return widen(builder, work, room, err);
    builder->row_room = room;
    return WEIR_OK;
}

/* Codes of rows [from, from + rows), without those of nulls. */
static const uint32_t *dense_codes(const weir_builder *b, int64_t from, int64_t rows,
                                   uint32_t *room)
{
    const uint32_t *codes = (const uint32_t *)(const void *)b->values + from;
    int64_t count = 0;

    if (b->nulls == 0)
        return codes;
    for (int64_t i = 0; i < rows; i++) {
        room[count] = codes[i];
        count += weir_bit(b->validity, from + i);
    }
    return room;
}

/* Rows [from, from + rows) of `b`, which are codes, go to `plain`. */
static weir_status spell(const weir_builder *b, weir_work *work, int64_t from, int64_t rows,
                         weir_builder *plain, weir_error *err)
{
    uint32_t room[WEIR_SLICE + WEIR_SLACK / sizeof(uint32_t)];
    uint8_t present[WEIR_SLICE / 8 + WEIR_SLACK];
    const uint32_t *codes = dense_codes(b, from, rows, room);
    int64_t count = rows, done;

    if (b->nulls > 0) {
        work->kernels->copy_bits(b->validity, (size_t)from, (size_t)rows, present, 0);
        count = (int64_t)work->kernels->count_bits(present, (size_t)rows);
    }
    if (count == 0)
        return weir_builder_append_shape(plain, work, rows, present, 0, &done, err);
    WEIR_TRY(weir_builder_append_codes(plain, work, codes, rows, count < rows ? present : NULL,
                                       count, b->dictionary, b->dictionary_hold, &done, err));
    return done == rows ? WEIR_OK
                        : weir_fail(err, WEIR_LIMIT,
                                    "the values of %" PRId64
                                    " codes take more than 2^31 bytes: a vector can't",
                                    b->rows);
}

weir_status weir_builder_spell_out(weir_builder *builder, weir_work *work, weir_error *err)
{
    weir_builder plain;
    weir_status status;

    if (builder->form != WEIR_CODES)
        return WEIR_OK;
    weir_builder_init(&plain, builder->target, builder->row_room, builder->byte_room);
    plain.is_leaf = builder->is_leaf;
    status = weir_builder_open(&plain, work, err); /* which settles its form */
    for (int64_t row = 0; status == WEIR_OK && row < builder->rows; row += WEIR_SLICE)
        status =
            spell(builder, work, row, weir_min_i64(WEIR_SLICE, builder->rows - row), &plain, err);
    if (status != WEIR_OK) {
        weir_builder_fini(&plain);
        return status;
    }
    weir_builder_fini(builder);
    *builder = plain;
    return WEIR_OK;
}

weir_status weir_builder_nested(weir_builder *builder, weir_work *work, weir_nested **out,
                                weir_error *err)
{
    if (!builder->nested) {
        weir_hold *self = NULL;
        weir_nested *nested;
        weir_status status;

        WEIR_TRY(weir_memory_take(work->memory, sizeof *nested, &self, err));
        nested = (weir_nested *)(void *)self->data;
        memset(nested, 0, sizeof *nested);
        nested->self = self;
        status = weir_nest_init(&nested->nest, builder->target->path, work, err);
        if (status != WEIR_OK) {
            weir_hold_release(self);
            return status;
        }
        weir_builder_init(&nested->leaf, builder->target, builder->row_room + 1, SIZE_MAX / 2);
        nested->leaf.is_leaf = true;
        builder->nested = nested;
    }
    *out = builder->nested;
    return WEIR_OK;
}

/* Bytes that the vector has so far, its validity left out; in CODES the codes alone. */
static size_t bytes_of(const weir_builder *b)
{
    const size_t rows = (size_t)b->rows;

    if (b->form == WEIR_SHAPE)
        return 0;
    if (weir_builder_has_offsets(b))
        return b->bytes + rows * sizeof(int32_t);
    return weir_builder_slot_size(b) ? rows * weir_builder_slot_size(b) : weir_bits_size(b->rows);
}

bool weir_builder_is_past(const weir_builder *builder)
{
    const weir_nested *nested = builder->nested;

    return nested &&
           (weir_nest_bytes(&nested->nest) + bytes_of(&nested->leaf) >= builder->byte_room ||
            weir_nest_most(&nested->nest) >= ELEMENTS);
}

/* Back to the first `rows` slots. */
static void cut_leaf(weir_builder *b, const weir_work *work, int64_t rows)
{
    if (rows >= b->rows)
        return;
    b->rows = rows;
    if (b->nulls)
        b->nulls = rows - (int64_t)work->kernels->count_bits(b->validity, (size_t)rows);
    if (b->offsets)
        b->bytes = (size_t)b->offsets[rows];
}

/* The leaf of a shape has no vector. */
static weir_status finish_leaf(weir_builder *leaf, weir_work *work, int64_t rows, weir_vector *out,
                               weir_error *err)
{
    cut_leaf(leaf, work, rows);
    if (leaf->target->path->is_shape)
        return WEIR_OK;
    WEIR_TRY(weir_builder_reserve(leaf, work, 0, err));
    return weir_builder_finish(leaf, work, out, err);
}

weir_status weir_builder_finish_nested(weir_builder *builder, weir_work *work, weir_vector *out,
                                       weir_error *err)
{
    weir_nested *nested;
    weir_vector leaf = { 0 }, *vectors = NULL;
    weir_hold *hold = NULL;
    weir_status status;
    uint32_t depth;
    int64_t slots;

    WEIR_TRY(weir_builder_nested(builder, work, &nested, err));
    depth = nested->nest.path->count;
    slots = weir_nest_cut(&nested->nest, work, builder->rows);
    WEIR_TRY(finish_leaf(&nested->leaf, work, slots, &leaf, err));
    status = weir_nest_finish(&nested->nest, work, leaf.hold, &vectors, &hold, err);
    if (status != WEIR_OK) {
        weir_hold_release(leaf.hold);
        weir_hold_release(hold);
        return status;
    }
    leaf.hold = NULL;
    vectors[depth] = leaf;
    *out = vectors[0];
    out->hold = hold;
    weir_builder_fini(builder);
    return WEIR_OK;
}
