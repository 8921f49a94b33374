/* SPDX-License-Identifier: Apache-2.0
 * arrow.h: what the parts of the Arrow export share: a leaf's Arrow type and how its values get
 * there; schemas and arrays of whole columns. */
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
/* Of a leaf. */
void weir_arrow_type_of(const weir_field *field, const weir_arrow_options *options,
                        weir_arrow_type *out);
/* What stands for the elements of a FIXED_LIST, which Arrow has as a child. */
weir_field weir_arrow_element(const weir_field *list);
/* A map without values: the list of its keys, as Arrow's own readers take it. */
bool weir_arrow_is_set(const weir_field *field, const weir_field *entries);

/* ---- schemas ---- */

/* What a schema is made from: the fields of a schema, or the vectors of a batch, which know of
 * their nulls and their dictionaries. */
typedef struct weir_arrow_source {
    const weir_field *field;
    const weir_schema *schema; /* NULL: `vector` */
    const weir_vector *vector; /* NULL: `schema` */
    const weir_arrow_options *options;
    bool is_nullable; /* whatever the fields say */
} weir_arrow_source;

/* The failure of what has the form SHAPE. */
weir_status weir_arrow_no_type(weir_error *err);
/* A column's; dictionary-encoded if its vector has codes. Independent of the source afterwards. */
weir_status weir_arrow_schema_open(const weir_arrow_source *from, struct ArrowSchema *out,
                                   weir_error *err);
/* A struct with room for `count` columns: all released at first. */
weir_status weir_arrow_schema_rows(size_t count, struct ArrowSchema *out, weir_error *err);

/* ---- arrays ---- */

/* One vector of the batch; each array of it holds its own count of the batch. On an OK return
 * `fault` says how far the rows are good: `out` has all rows, and its caller cuts it there. */
weir_status weir_arrow_array_open(const weir_batch *batch, const weir_vector *vector,
                                  const weir_arrow_options *options, struct ArrowArray *out,
                                  weir_arrow_fault *fault, weir_error *err);
/* Back to the first `rows` rows, and children to what belongs to these. */
void weir_arrow_array_cut(const weir_vector *vector, struct ArrowArray *array, int64_t rows);
/* A struct of `count` columns, all released at first. */
weir_status weir_arrow_array_rows(size_t count, int64_t rows, struct ArrowArray *out,
                                  weir_error *err);

/* ---- values ---- */

void weir_arrow_set_fault(weir_arrow_fault *fault, weir_status status, int64_t row,
                          const char *text);
/* Strings must be UTF-8. */
void weir_arrow_check_text(const weir_vector *v, weir_arrow_fault *fault);
/* All rows, as `type` has them; `to` has room for them and is zeroed; nulls stay zero. */
void weir_arrow_convert(const weir_vector *v, const weir_arrow_type *type, void *to,
                        weir_arrow_fault *fault);

#endif
