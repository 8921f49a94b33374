/* SPDX-License-Identifier: Apache-2.0
 * compact.c: the Thrift compact protocol over bytes in memory (thrift-compact-protocol.md). Every
 * size is compared with the bytes that remain before it is believed. */
#include "formats/parquet/compact.h"

#include "core/bits.h"

enum {
    VARINT_BYTES = 10 /* of 64 bits */
};

void weir_compact_init(weir_compact *in, const uint8_t *data, size_t size)
{
    *in = (weir_compact){ .at = data, .end = data + size };
}

void weir_compact_fail(weir_compact *in, const char *why)
{
    if (in->why)
        return;
    in->why = why;
    in->spot = in->at;
    in->at = in->end;
}

static void fail_cut(weir_compact *in)
{
    if (in->why)
        return;
    weir_compact_fail(in, "it is cut short");
    in->is_cut = true;
}

static size_t left(const weir_compact *in)
{
    return (size_t)(in->end - in->at);
}

static uint64_t read_long_varint(weir_compact *in)
{
    const uint8_t *at = in->at;
    uint64_t value = 0;

    for (unsigned i = 0; i < VARINT_BYTES && at < in->end; i++, at++) {
        value |= (uint64_t)(*at & 0x7f) << (7 * i);
        if (*at < 0x80) {
            if (i == VARINT_BYTES - 1 && *at > 1)
                break;
            in->at = at + 1;
            return value;
        }
    }
    if (at == in->end && left(in) < VARINT_BYTES)
        fail_cut(in);
    else
        weir_compact_fail(in, "a number has more than 64 bits");
    return 0;
}

/* Nearly all numbers have one byte. */
static inline uint64_t read_varint(weir_compact *in)
{
    return in->at < in->end && *in->at < 0x80 ? *in->at++ : read_long_varint(in);
}

int64_t weir_compact_read_int(weir_compact *in)
{
    const uint64_t value = read_varint(in);

    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

uint8_t weir_compact_read_byte(weir_compact *in)
{
    if (in->at == in->end) {
        fail_cut(in);
        return 0;
    }
    return *in->at++;
}

double weir_compact_read_double(weir_compact *in)
{
    double value;

    if (left(in) < sizeof value) {
        fail_cut(in);
        return 0;
    }
    memcpy(&value, in->at, sizeof value);
    in->at += sizeof value;
    return value;
}

weir_view weir_compact_read_binary(weir_compact *in)
{
    const uint64_t size = read_varint(in);
    weir_view view = { in->at, 0 };

    if (size > left(in)) {
        fail_cut(in);
        return view;
    }
    view.size = (size_t)size;
    in->at += size;
    return view;
}

uint32_t weir_compact_read_list(weir_compact *in, uint8_t *type)
{
    const uint8_t head = weir_compact_read_byte(in);
    uint64_t count = head >> 4;

    *type = head & 15;
    if (count == 15)
        count = read_varint(in);
    /* The least that an element takes is a byte: an empty string, a struct without fields. */
    if (count > left(in) || count > UINT32_MAX) {
        fail_cut(in);
        return 0;
    }
    return (uint32_t)count;
}

uint32_t weir_compact_read_map(weir_compact *in, uint8_t *key, uint8_t *value)
{
    const uint64_t count = read_varint(in);
    uint8_t types;

    if (count == 0)
        return 0;
    types = weir_compact_read_byte(in);
    *key = types >> 4;
    *value = types & 15;
    if (count > left(in) / 2 || count > UINT32_MAX) {
        fail_cut(in);
        return 0;
    }
    return (uint32_t)count;
}

/* A field's number is the one before it and 1 to 15, or said in full. */
static inline bool next(weir_compact *in, weir_compact_field *field)
{
    int64_t id;
    uint8_t head;

    if (in->at == in->end) {
        fail_cut(in);
        return false;
    }
    head = *in->at++;
    field->type = head & 15;
    if (field->type == WEIR_COMPACT_STOP)
        return false;
    id = head >> 4 ? field->id + (head >> 4) : weir_compact_read_int(in);
    if (id != (int16_t)id)
        weir_compact_fail(in, "a field's number has more than 16 bits");
    field->id = (int16_t)id;
    return in->why == NULL;
}

bool weir_compact_next(weir_compact *in, weir_compact_field *field)
{
    return next(in, field);
}

static void skip_bytes(weir_compact *in, uint64_t size)
{
    if (size > left(in))
        fail_cut(in);
    else
        in->at += size;
}

static void skip_value(weir_compact *in, uint8_t type, int depth);

static void skip_elements(weir_compact *in, uint8_t type, uint32_t count, int depth)
{
    if (type == WEIR_COMPACT_TRUE || type == WEIR_COMPACT_FALSE || type == WEIR_COMPACT_I8) {
        skip_bytes(in, count);
        return;
    }
    for (uint32_t i = 0; i < count && !in->why; i++)
        skip_value(in, type, depth);
}

static void skip_map(weir_compact *in, int depth)
{
    uint8_t key = 0, value = 0;
    const uint32_t count = weir_compact_read_map(in, &key, &value);

    for (uint32_t i = 0; i < count && !in->why; i++) {
        skip_elements(in, key, 1, depth);
        skip_elements(in, value, 1, depth);
    }
}

/* The fields of a struct to its end. Nearly all of a footer is passed over here, so what is short
 * is done in place. */
static void skip_fields(weir_compact *in, int depth)
{
    const uint8_t *const end = in->end;
    const uint8_t *at = in->at;
    int64_t id = 0;

    while (at < end && (*at & 15) != WEIR_COMPACT_STOP) {
        const uint8_t type = *at & 15, delta = *at >> 4;

        at++;
        id += delta;
        if (delta == 0 || id > INT16_MAX) {
            in->at = at;
            id = delta ? id : weir_compact_read_int(in);
            if (id != (int16_t)id)
                weir_compact_fail(in, "a field's number has more than 16 bits");
            at = in->at;
        }
        if (type == WEIR_COMPACT_TRUE || type == WEIR_COMPACT_FALSE)
            continue;
        if (type >= WEIR_COMPACT_I16 && type <= WEIR_COMPACT_I64 && at < end && *at < 0x80) {
            at++;
        } else if (type == WEIR_COMPACT_BINARY && at < end && *at < 0x80 && *at < end - at) {
            at += 1 + *at;
        } else {
            in->at = at;
            skip_value(in, type, depth);
            at = in->at;
        }
    }
    in->at = at;
    if (at == end)
        fail_cut(in);
    else
        in->at++;
}

/* A boolean of a field lies in the field's type and takes no byte. */
static void skip_value(weir_compact *in, uint8_t type, int depth)
{
    uint32_t count;

    if (depth >= WEIR_COMPACT_DEPTH) {
        weir_compact_fail(in, "its structs are nested too deep");
        return;
    }
    switch (type) {
    case WEIR_COMPACT_TRUE:
    case WEIR_COMPACT_FALSE:
        break;
    case WEIR_COMPACT_I8:
        skip_bytes(in, 1);
        break;
    case WEIR_COMPACT_I16:
    case WEIR_COMPACT_I32:
    case WEIR_COMPACT_I64:
        read_varint(in);
        break;
    case WEIR_COMPACT_DOUBLE:
        skip_bytes(in, 8);
        break;
    case WEIR_COMPACT_UUID:
        skip_bytes(in, 16);
        break;
    case WEIR_COMPACT_BINARY:
        weir_compact_read_binary(in);
        break;
    case WEIR_COMPACT_LIST:
    case WEIR_COMPACT_SET:
        count = weir_compact_read_list(in, &type);
        skip_elements(in, type, count, depth + 1);
        break;
    case WEIR_COMPACT_MAP:
        skip_map(in, depth + 1);
        break;
    case WEIR_COMPACT_STRUCT:
        skip_fields(in, depth + 1);
        break;
    default:
        weir_compact_fail(in, "a value has no type of the Thrift compact protocol");
    }
}

void weir_compact_skip(weir_compact *in, uint8_t type)
{
    skip_value(in, type, 0);
}

void weir_compact_skip_element(weir_compact *in, uint8_t type)
{
    skip_elements(in, type, 1, 0);
}

bool weir_compact_bool(weir_compact *in, const weir_compact_field *field, bool *out)
{
    if (field->type != WEIR_COMPACT_TRUE && field->type != WEIR_COMPACT_FALSE) {
        weir_compact_skip(in, field->type);
        return false;
    }
    *out = field->type == WEIR_COMPACT_TRUE;
    return true;
}

bool weir_compact_i8(weir_compact *in, const weir_compact_field *field, int8_t *out)
{
    uint8_t value;

    if (field->type != WEIR_COMPACT_I8) {
        weir_compact_skip(in, field->type);
        return false;
    }
    value = weir_compact_read_byte(in);
    if (!in->why)
        *out = (int8_t)value;
    return in->why == NULL;
}

static bool read_int_field(weir_compact *in, const weir_compact_field *field, uint8_t type,
                           int64_t least, int64_t most, int64_t *out)
{
    int64_t value;

    if (field->type != type) {
        weir_compact_skip(in, field->type);
        return false;
    }
    value = weir_compact_read_int(in);
    if (value < least || value > most)
        weir_compact_fail(in, "a number is too large for its field");
    if (!in->why)
        *out = value;
    return in->why == NULL;
}

bool weir_compact_i16(weir_compact *in, const weir_compact_field *field, int16_t *out)
{
    int64_t value;

    if (!read_int_field(in, field, WEIR_COMPACT_I16, INT16_MIN, INT16_MAX, &value))
        return false;
    *out = (int16_t)value;
    return true;
}

bool weir_compact_i32(weir_compact *in, const weir_compact_field *field, int32_t *out)
{
    int64_t value;

    if (!read_int_field(in, field, WEIR_COMPACT_I32, INT32_MIN, INT32_MAX, &value))
        return false;
    *out = (int32_t)value;
    return true;
}

bool weir_compact_i64(weir_compact *in, const weir_compact_field *field, int64_t *out)
{
    return read_int_field(in, field, WEIR_COMPACT_I64, INT64_MIN, INT64_MAX, out);
}

bool weir_compact_binary(weir_compact *in, const weir_compact_field *field, weir_view *out)
{
    weir_view view;

    if (field->type != WEIR_COMPACT_BINARY) {
        weir_compact_skip(in, field->type);
        return false;
    }
    view = weir_compact_read_binary(in);
    if (!in->why)
        *out = view;
    return in->why == NULL;
}

bool weir_compact_struct(weir_compact *in, const weir_compact_field *field)
{
    if (field->type == WEIR_COMPACT_STRUCT)
        return true;
    weir_compact_skip(in, field->type);
    return false;
}

bool weir_compact_list(weir_compact *in, const weir_compact_field *field, uint8_t type,
                       uint32_t *count)
{
    uint8_t found;
    uint32_t n;

    if (field->type != WEIR_COMPACT_LIST) {
        weir_compact_skip(in, field->type);
        return false;
    }
    n = weir_compact_read_list(in, &found);
    if (n > 0 && found != type) {
        skip_elements(in, found, n, 1);
        return false;
    }
    *count = n;
    return in->why == NULL;
}
