/* SPDX-License-Identifier: Apache-2.0
 * compact.h: the Thrift compact protocol, walked in place: slices instead of strings, no memory,
 * no recursion that input drives beyond a cap. Footer, page headers and indexes are made of it.
 *
 * Trouble is sticky: it moves to the end and is told by `why`, after which every list is empty and
 * every struct is over, so a decoder asks once, when it is done. A value of another type than the
 * one asked for is skipped as if its field were unknown.
 *
 *     weir_compact_field field = { 0 };
 *     while (weir_compact_next(in, &field))
 *         switch (field.id) {
 *         case 1: weir_compact_i32(in, &field, &version); break;
 *         default: weir_compact_skip(in, field.type);
 *         } */
#ifndef WEIR_PARQUET_COMPACT_H
#define WEIR_PARQUET_COMPACT_H

#include <weir/base.h>

enum {
    WEIR_COMPACT_STOP,
    WEIR_COMPACT_TRUE,
    WEIR_COMPACT_FALSE,
    WEIR_COMPACT_I8,
    WEIR_COMPACT_I16,
    WEIR_COMPACT_I32,
    WEIR_COMPACT_I64,
    WEIR_COMPACT_DOUBLE,
    WEIR_COMPACT_BINARY,
    WEIR_COMPACT_LIST,
    WEIR_COMPACT_SET,
    WEIR_COMPACT_MAP,
    WEIR_COMPACT_STRUCT,
    WEIR_COMPACT_UUID
};

enum {
    WEIR_COMPACT_DEPTH = 64 /* structs, lists and maps inside each other that skip goes down */
};

typedef struct weir_compact {
    const uint8_t *at, *end;
    const char *why;     /* NULL: no trouble so far; static */
    const uint8_t *spot; /* where trouble was met */
    bool is_cut;         /* the trouble: more bytes were needed than there are */
} weir_compact;

typedef struct weir_compact_field {
    int16_t id;
    uint8_t type;
} weir_compact_field;

void weir_compact_init(weir_compact *in, const uint8_t *data, size_t size);
/* The next field of a struct; `field` is zeroed before the first. false: the struct is over, or
 * trouble. */
bool weir_compact_next(weir_compact *in, weir_compact_field *field);
/* Passes over a value of `type`, as a field has it. */
void weir_compact_skip(weir_compact *in, uint8_t type);
/* Passes over an element of a list, whose booleans take a byte. */
void weir_compact_skip_element(weir_compact *in, uint8_t type);
void weir_compact_fail(weir_compact *in, const char *why);

/* Values of fields: false: another type, skipped, or trouble; `out` is as it was. */
bool weir_compact_bool(weir_compact *in, const weir_compact_field *field, bool *out);
bool weir_compact_i8(weir_compact *in, const weir_compact_field *field, int8_t *out);
bool weir_compact_i16(weir_compact *in, const weir_compact_field *field, int16_t *out);
bool weir_compact_i32(weir_compact *in, const weir_compact_field *field, int32_t *out);
bool weir_compact_i64(weir_compact *in, const weir_compact_field *field, int64_t *out);
bool weir_compact_binary(weir_compact *in, const weir_compact_field *field, weir_view *out);
/* true: the struct's fields follow. */
bool weir_compact_struct(weir_compact *in, const weir_compact_field *field);
/* true: `count` elements of `type` follow, each of a byte at least, and so many bytes are there.
 * A list of another type is skipped; an empty one may claim any. */
bool weir_compact_list(weir_compact *in, const weir_compact_field *field, uint8_t type,
                       uint32_t *count);

/* Bare values: elements of lists, and what a generic walk needs. 0 or empty at trouble. */
int64_t weir_compact_read_int(weir_compact *in); /* zigzag: I16, I32, I64 */
uint8_t weir_compact_read_byte(weir_compact *in);
double weir_compact_read_double(weir_compact *in);
weir_view weir_compact_read_binary(weir_compact *in);
/* The head of a list or set, of elements of any type. */
uint32_t weir_compact_read_list(weir_compact *in, uint8_t *type);
/* The head of a map; the types are unset when it is empty. */
uint32_t weir_compact_read_map(weir_compact *in, uint8_t *key, uint8_t *value);

#endif
