/* SPDX-License-Identifier: Apache-2.0
 * builder_parts.h: what builder.c and builder_nested.c tell each other. */
#ifndef WEIR_CORE_BUILDER_PARTS_H
#define WEIR_CORE_BUILDER_PARTS_H

#include "core/builder.h"

static inline weir_type weir_builder_type(const weir_builder *b)
{
    return b->target->field->type;
}

/* Bytes of one slot of the values' part; 0 where they are bits or of any length. */
static inline size_t weir_builder_slot_size(const weir_builder *b)
{
    return b->form == WEIR_CODES ? sizeof(uint32_t) : b->target->field->width;
}

static inline bool weir_builder_has_offsets(const weir_builder *b)
{
    return b->form == WEIR_PLAIN && weir_builder_type(b) == WEIR_BYTES;
}

/* The slab, taken by the first append, when the form is known. */
weir_status weir_builder_open(weir_builder *builder, weir_work *work, weir_error *err);
/* BYTES: room for `need` of them. */
weir_status weir_builder_grow(weir_builder *builder, weir_work *work, size_t need, weir_error *err);
/* weir_builder_finish of one with a path. */
weir_status weir_builder_finish_nested(weir_builder *builder, weir_work *work, weir_vector *out,
                                       weir_error *err);

#endif
