/* SPDX-License-Identifier: Apache-2.0
 * value.h: the values of a vector, as they lie and as what they mean. Part of weir.h. */
#ifndef WEIR_VALUE_H
#define WEIR_VALUE_H

#include <weir/data.h>

/* A program compiled with WEIR_CHECKED is stopped, with a word on stderr, where it asks an inline
 * function for another type than is there, for what lies outside, or for a row that is gone. */
#ifdef WEIR_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define WEIR_CHECK(ok, what)                                   \
    do {                                                       \
        if (!(ok)) {                                           \
            fprintf(stderr, "weir: %s: %s\n", __func__, what); \
            abort();                                           \
        }                                                      \
    } while (0)
#else
#define WEIR_CHECK(ok, what) ((void)0)
#endif
#define WEIR_CHECK_TYPE(v, t)                                                          \
    WEIR_CHECK((v)->type == (t) && ((v)->form == WEIR_PLAIN || (v)->form == WEIR_ONE), \
               "the values are of another type or form")
#define WEIR_CHECK_ROW(v, r) WEIR_CHECK((r) >= 0 && (r) < (v)->rows, "no such row")

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values in a vector; row counts from 0 in the batch ---- */

WEIR_INLINE bool weir_is_null(const weir_vector *v, int64_t row)
{
    const int64_t slot = v->first + (v->form == WEIR_ONE ? 0 : row);

    WEIR_CHECK_ROW(v, row);
    return v->validity && !(v->validity[slot >> 3] >> (slot & 7) & 1);
}

/* PLAIN values as a C array of v->rows; the type must be the vector's. */
WEIR_INLINE const int32_t *weir_i32s(const weir_vector *v)
{
    WEIR_CHECK_TYPE(v, WEIR_I32);
    return (const int32_t *)v->values + v->first;
}

WEIR_INLINE const int64_t *weir_i64s(const weir_vector *v)
{
    WEIR_CHECK_TYPE(v, WEIR_I64);
    return (const int64_t *)v->values + v->first;
}

WEIR_INLINE const float *weir_f32s(const weir_vector *v)
{
    WEIR_CHECK_TYPE(v, WEIR_F32);
    return (const float *)v->values + v->first;
}

WEIR_INLINE const double *weir_f64s(const weir_vector *v)
{
    WEIR_CHECK_TYPE(v, WEIR_F64);
    return (const double *)v->values + v->first;
}

WEIR_INLINE bool weir_bool(const weir_vector *v, int64_t row)
{
    const int64_t slot = v->first + row;

    WEIR_CHECK_TYPE(v, WEIR_BOOL);
    WEIR_CHECK_ROW(v, row);
    return ((const uint8_t *)v->values)[slot >> 3] >> (slot & 7) & 1;
}

/* BYTES or FIXED; good as long as the batch. A null is empty (BYTES) or zero bytes (FIXED). */
WEIR_INLINE weir_view weir_bytes(const weir_vector *v, int64_t row)
{
    weir_view view;
    const int64_t slot = v->first + row;

    WEIR_CHECK_TYPE(v, v->type == WEIR_BYTES ? WEIR_BYTES : WEIR_FIXED);
    WEIR_CHECK_ROW(v, row);
    if (v->type == WEIR_BYTES) {
        view.data = (const uint8_t *)v->values + v->offsets[slot];
        view.size = (size_t)(v->offsets[slot + 1] - v->offsets[slot]);
    } else {
        view.data = (const uint8_t *)v->values + (size_t)slot * v->width;
        view.size = v->width;
    }
    return view;
}

/* A FIXED_LIST's v->field->list_size elements, a C array of type v->field->element; good as long as
 * the batch. Those of a null are zero. */
WEIR_INLINE const void *weir_fixed_list(const weir_vector *v, int64_t row)
{
    WEIR_CHECK_TYPE(v, WEIR_FIXED_LIST);
    WEIR_CHECK_ROW(v, row);
    return (const uint8_t *)v->values + (size_t)(v->first + row) * v->width;
}

/* ---- values inside each other: a few words by value, no memory of their own ---- */

/* One value: a row of a column, an element of a list, a field of a struct. Its vector and row also
 * go to weir_value_i64 and the others below. Good as long as the batch; one of a row cursor, until
 * its next row. */
typedef struct weir_item {
    const weir_vector *vector;
    int64_t row; /* in the vector */
#ifdef WEIR_CHECKED
    const weir_batch *const *batch_now; /* of the row cursor; NULL: it comes from none */
    const int64_t *row_now;
    int64_t then; /* the cursor's row, in the dataset, that this is of */
#endif
} weir_item;

/* The elements of a list, or the entries of a map, in order. */
typedef struct weir_list {
    weir_item first;
    int64_t count;
} weir_list;

#ifdef WEIR_CHECKED
#define WEIR_CHECK_ITEM(i)                                                                      \
    WEIR_CHECK((i).vector, "a list or map of which the shape alone was read has no elements");  \
    WEIR_CHECK(!(i).batch_now || (*(i).batch_now &&                                             \
                                  weir_batch_number(*(i).batch_now, *(i).row_now) == (i).then), \
               "the cursor has left the row")
#else
#define WEIR_CHECK_ITEM(i) ((void)0)
#endif

/* The value of a vector's row. */
WEIR_INLINE weir_item weir_vector_item(const weir_vector *v, int64_t row)
{
    weir_item item;

    WEIR_CHECK_ROW(v, row);
    item.vector = v;
    item.row = row;
#ifdef WEIR_CHECKED
    item.batch_now = NULL;
    item.row_now = NULL;
    item.then = 0;
#endif
    return item;
}

/* The same row cursor's item, elsewhere. */
WEIR_INLINE weir_item weir_item_move(weir_item from, const weir_vector *v, int64_t row)
{
    WEIR_CHECK_ITEM(from);
    from.vector = v;
    from.row = row;
    return from;
}

WEIR_INLINE bool weir_item_is_null(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    return weir_is_null(item.vector, item.row);
}

/* The getters below are for values of that very type; a null gives false or zero. */
WEIR_INLINE bool weir_item_bool(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    return weir_bool(item.vector, item.row);
}

WEIR_INLINE int32_t weir_item_i32(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK_ROW(item.vector, item.row);
    return weir_i32s(item.vector)[item.row];
}

WEIR_INLINE int64_t weir_item_i64(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK_ROW(item.vector, item.row);
    return weir_i64s(item.vector)[item.row];
}

WEIR_INLINE float weir_item_f32(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK_ROW(item.vector, item.row);
    return weir_f32s(item.vector)[item.row];
}

WEIR_INLINE double weir_item_f64(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK_ROW(item.vector, item.row);
    return weir_f64s(item.vector)[item.row];
}

/* BYTES or FIXED. */
WEIR_INLINE weir_view weir_item_bytes(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    return weir_bytes(item.vector, item.row);
}

/* The fields of a struct, which may be null: ask. Those of a null struct are null or anything. */
WEIR_INLINE size_t weir_item_field_count(weir_item item)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK(item.vector->type == WEIR_STRUCT, "not a struct");
    return item.vector->child_count;
}

WEIR_INLINE weir_item weir_item_field(weir_item item, int field)
{
    WEIR_CHECK_ITEM(item);
    WEIR_CHECK(item.vector->type == WEIR_STRUCT, "not a struct");
    WEIR_CHECK(field >= 0 && (size_t)field < item.vector->child_count, "no such field");
    return weir_item_move(item, &item.vector->children[field], item.row);
}

/* Of a LIST or MAP; a null one is empty; of a SHAPE the count alone counts. A map's entries are
 * structs: the key, then the value if the map has values. */
WEIR_INLINE weir_list weir_item_list(weir_item item)
{
    const int32_t *offsets;
    weir_list list;

    WEIR_CHECK_ITEM(item);
    WEIR_CHECK(item.vector->type == WEIR_LIST || item.vector->type == WEIR_MAP,
               "neither a list nor a map");
    WEIR_CHECK_ROW(item.vector, item.row);
    offsets = item.vector->offsets + item.vector->first + item.row;
    list.first = weir_item_move(item, item.vector->children, offsets[0]);
    list.count = offsets[1] - offsets[0];
    return list;
}

WEIR_INLINE weir_item weir_list_at(weir_list list, int64_t index)
{
    WEIR_CHECK(index >= 0 && index < list.count, "no such element");
    return weir_item_move(list.first, list.first.vector, list.first.row + index);
}

/* One field of each element of a list of structs; so also the keys (0) or the values (1) of a
 * map. */
WEIR_INLINE weir_list weir_list_field(weir_list list, int field)
{
    list.first = weir_item_field(list.first, field);
    return list;
}

/* The elements as a C array of list.count; the type must be theirs. */
WEIR_INLINE const int32_t *weir_list_i32s(weir_list list)
{
    WEIR_CHECK_ITEM(list.first);
    return weir_i32s(list.first.vector) + list.first.row;
}

WEIR_INLINE const int64_t *weir_list_i64s(weir_list list)
{
    WEIR_CHECK_ITEM(list.first);
    return weir_i64s(list.first.vector) + list.first.row;
}

WEIR_INLINE const float *weir_list_f32s(weir_list list)
{
    WEIR_CHECK_ITEM(list.first);
    return weir_f32s(list.first.vector) + list.first.row;
}

WEIR_INLINE const double *weir_list_f64s(weir_list list)
{
    WEIR_CHECK_ITEM(list.first);
    return weir_f64s(list.first.vector) + list.first.row;
}

/* The field of that name in a struct, in the elements of a list of structs, or in a map's entries;
 * -1: none, or several. Outside the loop. */
WEIR_API int weir_field_find(const weir_vector *v, const char *name);
/* The entry of a MAP with that key, from 0; -1: none. Keys are BYTES or FIXED, or any integer. Of
 * several the last counts (parquet-format LogicalTypes.md, "Maps"); to see all, go over the list.
 */
WEIR_API int64_t weir_map_entry(const weir_vector *v, int64_t row, weir_view key);
WEIR_API int64_t weir_map_entry_i64(const weir_vector *v, int64_t row, int64_t key);

#define WEIR_CHECK_KEYS(map, are_integers)                                                \
    WEIR_CHECK_ITEM(map);                                                                 \
    WEIR_CHECK((map).vector->type == WEIR_MAP && (map).vector->form != WEIR_SHAPE,        \
               "not a map, or its shape alone");                                          \
    WEIR_CHECK((are_integers) == ((map).vector->children->children->type != WEIR_BYTES && \
                                  (map).vector->children->children->type != WEIR_FIXED),  \
               "the keys are of another type")

/* The value of that key, which may be null; where a map has no values, the key. false: no such
 * entry; a null map has none. */
WEIR_INLINE bool weir_map_find(weir_item map, weir_view key, weir_item *out)
{
    int64_t entry;

    WEIR_CHECK_KEYS(map, false);
    entry = weir_map_entry(map.vector, map.row, key);
    if (entry >= 0) {
        *out = weir_list_at(weir_item_list(map), entry);
        *out = weir_item_field(*out, (int)out->vector->child_count - 1);
    }
    return entry >= 0;
}

WEIR_INLINE bool weir_map_find_i64(weir_item map, int64_t key, weir_item *out)
{
    int64_t entry;

    WEIR_CHECK_KEYS(map, true);
    entry = weir_map_entry_i64(map.vector, map.row, key);
    if (entry >= 0) {
        *out = weir_list_at(weir_item_list(map), entry);
        *out = weir_item_field(*out, (int)out->vector->child_count - 1);
    }
    return entry >= 0;
}

/* ---- the tree of a value, without knowing its schema ---- */

typedef enum weir_visit_kind {
    WEIR_VISIT_VALUE, /* what has no others inside, or a null of any type */
    WEIR_VISIT_OPEN,  /* a struct, list or map that is there: what is inside comes next */
    WEIR_VISIT_CLOSE  /* the same again */
} weir_visit_kind;

typedef struct weir_visit {
    weir_visit_kind kind;
    int depth;                 /* of the value that was asked for: 0 */
    const weir_vector *vector; /* with field and type */
    int64_t row;
    const weir_vector *parent; /* what it lies in; NULL at depth 0 */
    int64_t index;             /* which field, element or entry of the parent it is */
    int64_t count;             /* how many are inside; VALUE: 0 */
} weir_visit;

enum {
    WEIR_VISIT_DEPTH = 1000 /* more than any file that is read has; what lies deeper is left out */
};

/* Depth first, in order. false from `visit` ends it, and is given back. Takes no memory and does
 * not call itself. */
WEIR_API bool weir_value_visit(const weir_vector *v, int64_t row,
                               bool (*visit)(void *user, const weir_visit *at), void *user);

/* ---- what a value means. Any form but SHAPE; a null gives false. ---- */

/* 256 bits, two's complement, least significant word first. */
typedef struct weir_i256 {
    uint64_t word[4];
} weir_i256;

/* Any integer, boolean, date, time or timestamp as stored, sign or no sign by its logical type;
 * false: no integer, or a U64 beyond INT64_MAX. */
WEIR_API bool weir_value_i64(const weir_vector *v, int64_t row, int64_t *out);
/* Integers, floats, float16 and decimals (nearest double). */
WEIR_API bool weir_value_f64(const weir_vector *v, int64_t row, double *out);
/* A TIME, TIMESTAMP, DATE or INT96 in `unit` (rounded down; since midnight or since 1970); false:
 * another type, or it does not fit 64 bits: never wrapped. */
WEIR_API bool weir_value_time(const weir_vector *v, int64_t row, weir_unit unit, int64_t *out);
/* A DECIMAL's unscaled value; false: another type, or more than 256 bits. */
WEIR_API bool weir_value_decimal(const weir_vector *v, int64_t row, weir_i256 *out);

typedef enum weir_text_style {
    WEIR_TEXT_PLAIN, /* as a person reads it */
    WEIR_TEXT_JSON   /* a JSON value */
} weir_text_style;

/* The value's text, as snprintf: the length it needs, at most `room` - 1 bytes written and
 * terminated (it may hold zero bytes all the same). In both styles:
 * - integers exact; floats in the shortest form that reads back to the same bits (of their own
 *   width), as 0.1, 1.0, 1e+16; NaN, Infinity, -Infinity; decimals with all digits;
 * - dates and times ISO 8601 and exact, with the digits of their unit: 2024-02-29,
 *   2024-02-29T12:00:00.123456, with Z at the end where UTC; years outside 0 to 9999 get a sign and
 *   at least five digits; a time of day beyond 24 hours keeps counting;
 * - interval P1M2DT3.004S; UUID in its usual form.
 * JSON: numbers and booleans bare, all else, NaN and infinities and decimals too, as strings; a
 * null is null. Bytes that are UTF-8 are a string, whether marked STRING, ENUM, JSON or not at all;
 * other bytes, and BSON, VARIANT, GEOMETRY, GEOGRAPHY always, are base64.
 * PLAIN: a null is empty; STRING, ENUM, JSON and any other UTF-8 as they are; other bytes, and BSON
 * and its like always, as ASCII with \xHH for what is not printable and for the backslash.
 * Nested values, in JSON: a struct is an object, a list (of fixed size too) an array. A map whose
 * keys are STRING, ENUM or JSON and can't be null is an object, its entries in order, equal keys as
 * often as they come; another map is an array of {"key":...,"value":...}, and one without values an
 * array of its keys. Names and keys that aren't UTF-8 are base64. PLAIN: {name: text, name: text}
 * for structs and maps, [text, text] for lists, null for nulls inside; text inside is quoted as in
 * JSON where it could be mistaken: empty, `null`, with blanks at its ends, controls, or any of
 * ,:{}[]" in it. */
WEIR_API size_t weir_value_text(const weir_vector *v, int64_t row, weir_text_style style, char *out,
                                size_t room);

#ifdef __cplusplus
}
#endif
#endif
