/* SPDX-License-Identifier: Apache-2.0
 * arrow.h: what the parts of the Arrow export share: a column's Arrow type and how its values get
 * there. */
#ifndef WEIR_READERS_ARROW_H
#define WEIR_READERS_ARROW_H

#include "readers/arrow_abi.h"
#include <weir/weir.h>

typedef enum weir_arrow_way {
    WEIR_ARROW_LEND,    /* the layouts agree: the batch's own buffers */
    WEIR_ARROW_NARROW,  /* I32 to 8 or 16 bits */
    WEIR_ARROW_DECIMAL, /* to 16 or 32 bytes, little-endian */
    WEIR_ARROW_INT96,   /* to int64 in `unit` */
    WEIR_ARROW_NOTHING  /* the null type: no buffers */
} weir_arrow_way;

typedef struct weir_arrow_type {
    weir_arrow_way way;
    char format[40];       /* terminated */
    const char *extension; /* "arrow.uuid"; NULL: none */
    bool is_text;          /* BYTES that must be UTF-8 */
    bool is_signed;        /* NARROW */
    uint32_t width;        /* NARROW, DECIMAL, INT96: bytes a value */
    weir_unit unit;        /* INT96 */
} weir_arrow_type;

/* The first row that has no Arrow value, and why. */
typedef struct weir_arrow_fault {
    weir_status status; /* OK: none */
    int64_t row;        /* in the batch */
    char text[160];
} weir_arrow_fault;

/* Any options but `size` may be missing. */
weir_arrow_options weir_arrow_settle(const weir_arrow_options *options);
void weir_arrow_type_of(const weir_field *field, const weir_arrow_options *options,
                        weir_arrow_type *out);
/* A column's schema; dictionary-encoded if `is_coded`. Independent of `field` afterwards. */
weir_status weir_arrow_schema_open(const weir_field *field, const weir_arrow_type *type,
                                   bool is_nullable, bool is_coded, struct ArrowSchema *out,
                                   weir_error *err);
/* A struct of `count` children, which it takes, or whose room it makes: all released at first. */
weir_status weir_arrow_schema_struct(size_t count, struct ArrowSchema *out, weir_error *err);
/* One column of the batch; holds its own count of it. On an OK return `fault` says how far the
 * rows are good: `out` has all rows, and its caller cuts it there. */
weir_status weir_arrow_array_open(const weir_batch *batch, const weir_vector *column,
                                  const weir_arrow_type *type, struct ArrowArray *out,
                                  weir_arrow_fault *fault, weir_error *err);
weir_status weir_arrow_array_struct(size_t count, int64_t rows, struct ArrowArray *out,
                                    weir_error *err);

#endif
