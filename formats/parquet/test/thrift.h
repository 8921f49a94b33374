/* SPDX-License-Identifier: Apache-2.0
 * thrift.h: a writer of the Thrift compact protocol for tests, as its text says it. */
#ifndef WEIR_PARQUET_TEST_THRIFT_H
#define WEIR_PARQUET_TEST_THRIFT_H

#include "encode.h"

enum { /* types on the wire */
    WIRE_TRUE = 1,
    WIRE_FALSE = 2,
    WIRE_I8 = 3,
    WIRE_I16 = 4,
    WIRE_I32 = 5,
    WIRE_I64 = 6,
    WIRE_DOUBLE = 7,
    WIRE_BINARY = 8,
    WIRE_LIST = 9,
    WIRE_SET = 10,
    WIRE_MAP = 11,
    WIRE_STRUCT = 12
};

/* Zeroed, it stands in a struct. */
typedef struct thrift {
    bytes out;
    int last[64]; /* field of each struct that is open */
    int depth;
} thrift;

static inline void t_free(thrift *t)
{
    bytes_free(&t->out);
    *t = (thrift){ 0 };
}

static inline void t_field(thrift *t, int id, uint32_t type)
{
    const int delta = id - t->last[t->depth];

    if (delta > 0 && delta < 16) {
        put_byte(&t->out, (uint32_t)delta << 4 | type);
    } else {
        put_byte(&t->out, type);
        put_zigzag(&t->out, id);
    }
    t->last[t->depth] = id;
}

static inline void t_i8(thrift *t, int id, int8_t value)
{
    t_field(t, id, WIRE_I8);
    put_byte(&t->out, (uint8_t)value);
}

static inline void t_i16(thrift *t, int id, int16_t value)
{
    t_field(t, id, WIRE_I16);
    put_zigzag(&t->out, value);
}

static inline void t_i32(thrift *t, int id, int32_t value)
{
    t_field(t, id, WIRE_I32);
    put_zigzag(&t->out, value);
}

static inline void t_i64(thrift *t, int id, int64_t value)
{
    t_field(t, id, WIRE_I64);
    put_zigzag(&t->out, value);
}

static inline void t_bool(thrift *t, int id, bool value)
{
    t_field(t, id, value ? WIRE_TRUE : WIRE_FALSE);
}

static inline void t_bytes(thrift *t, int id, const void *data, size_t size)
{
    t_field(t, id, WIRE_BINARY);
    put_varint(&t->out, size);
    put_raw(&t->out, data, size);
}

static inline void t_text(thrift *t, int id, const char *text)
{
    t_bytes(t, id, text, strlen(text));
}

/* `count` elements of `type` are to follow. */
static inline void t_list(thrift *t, int id, uint32_t type, size_t count)
{
    t_field(t, id, WIRE_LIST);
    if (count < 15) {
        put_byte(&t->out, (uint32_t)count << 4 | type);
    } else {
        put_byte(&t->out, 0xf0 | type);
        put_varint(&t->out, count);
    }
}

/* A struct in a list, or the outermost. */
static inline void t_open(thrift *t)
{
    t->last[++t->depth] = 0;
}

static inline void t_struct(thrift *t, int id)
{
    t_field(t, id, WIRE_STRUCT);
    t_open(t);
}

static inline void t_end(thrift *t)
{
    put_byte(&t->out, 0);
    t->depth--;
}

/* An empty struct as a field: what unions such as LogicalType are made of. */
static inline void t_empty(thrift *t, int id)
{
    t_struct(t, id);
    t_end(t);
}

#endif
