/* SPDX-License-Identifier: Apache-2.0
 * data.h: how columns are described and how their values lie in memory: type, field, schema,
 * vector, batch. The layout of a vector is Arrow's. */
#ifndef WEIR_DATA_H
#define WEIR_DATA_H

#include <weir/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The physical type: what the bytes of a vector are. What they mean stands in the field. */
typedef enum weir_type {
    WEIR_ANY,
    WEIR_BOOL, /* one bit a value, least significant first */
    WEIR_I8,
    WEIR_I16,
    WEIR_I32,
    WEIR_I64,
    WEIR_U8,
    WEIR_U16,
    WEIR_U32,
    WEIR_U64,
    WEIR_F16,
    WEIR_F32,
    WEIR_F64,
    WEIR_BYTES,      /* any length: int32 offsets into values */
    WEIR_FIXED,      /* `width` bytes a value; Parquet's INT96 is FIXED 12 */
    WEIR_FIXED_LIST, /* `list_size` numbers of type `element` a value, `width` bytes in all */
    WEIR_LIST,       /* from here on: types of fields with others inside */
    WEIR_STRUCT,
    WEIR_MAP
} weir_type;

/* What a value means (parquet-format LogicalTypes.md; the older converted types are mapped here).
 */
typedef enum weir_logical {
    WEIR_LOGICAL_NONE, /* as the physical type says; unknown annotations too */
    WEIR_LOGICAL_STRING,
    WEIR_LOGICAL_ENUM,
    WEIR_LOGICAL_JSON,
    WEIR_LOGICAL_BSON,
    WEIR_LOGICAL_UUID,
    WEIR_LOGICAL_INTEGER,   /* bits, is_signed; I32 below 64 bits, else I64 */
    WEIR_LOGICAL_DECIMAL,   /* precision, scale; I32, I64, or big-endian BYTES or FIXED */
    WEIR_LOGICAL_DATE,      /* I32: days since 1970-01-01 */
    WEIR_LOGICAL_TIME,      /* unit, is_utc; I32 for milliseconds, else I64: since midnight */
    WEIR_LOGICAL_TIMESTAMP, /* unit, is_utc; I64 since 1970-01-01; FIXED 12: INT96 */
    WEIR_LOGICAL_FLOAT16,   /* FIXED 2, little-endian */
    WEIR_LOGICAL_INTERVAL,  /* FIXED 12: u32 months, days, milliseconds, little-endian */
    WEIR_LOGICAL_NULL,      /* every value is null */
    WEIR_LOGICAL_LIST,
    WEIR_LOGICAL_MAP,
    WEIR_LOGICAL_VARIANT,
    WEIR_LOGICAL_GEOMETRY,
    WEIR_LOGICAL_GEOGRAPHY
} weir_logical;

typedef enum weir_unit {
    WEIR_UNIT_NONE,
    WEIR_SECONDS,
    WEIR_MILLIS,
    WEIR_MICROS,
    WEIR_NANOS
} weir_unit;

typedef enum weir_repetition {
    WEIR_REQUIRED,
    WEIR_OPTIONAL,
    WEIR_REPEATED
} weir_repetition;

/* A node of the schema's tree. Plain data; the strings live as long as the schema. */
typedef struct weir_field {
    weir_view name; /* UTF-8 as the file has it; terminated, but it may hold any byte */
    weir_type type; /* STRUCT for the root and for every other group of the file */
    weir_logical logical;
    weir_unit unit;    /* of TIME, TIMESTAMP; NONE for INT96, which is exact to a nanosecond */
    bool is_utc;       /* TIME, TIMESTAMP: an instant, not a wall clock's reading */
    bool is_signed;    /* INTEGER */
    uint8_t bits;      /* INTEGER: 8, 16, 32, 64 */
    int32_t precision; /* DECIMAL: digits */
    int32_t scale;     /* DECIMAL: digits after the point */
    uint32_t width;    /* bytes of a value; 0 for BYTES and BOOL, and for groups */
    weir_repetition repetition;
    int16_t max_definition, max_repetition; /* Parquet's level maxima; bank depth elsewhere */
    int32_t id;                             /* the file's field id; -1: none */
    int32_t index;                          /* its own index, parents first; the root is 0 */
    int32_t parent;                         /* -1 for the root */
    int32_t child_count;
    int32_t first_child;  /* -1: none */
    int32_t next_sibling; /* -1: none */
    int32_t leaf;         /* index among the leaves in file order; -1: a group */
    int32_t column;       /* index of the root's child it hangs under; -1 for the root */
    /* LIST: the name of the group that the file has between it and its elements; empty: none. */
    weir_view repeated;
    weir_type element;  /* FIXED_LIST: a type of fixed size, not BOOL; else ANY */
    uint32_t list_size; /* FIXED_LIST: elements of each value, at least 1; else 0 */
} weir_field;

/* The tree of fields. Frozen: any thread. Lives as long as what gave it. */
typedef struct weir_schema weir_schema;

WEIR_API int32_t weir_schema_field_count(const weir_schema *schema);
WEIR_API int32_t weir_schema_leaf_count(const weir_schema *schema);
/* Children of the root: the columns. */
WEIR_API int32_t weir_schema_column_count(const weir_schema *schema);
/* NULL when the index is out of range. */
WEIR_API const weir_field *weir_schema_field(const weir_schema *schema, int32_t index);
WEIR_API const weir_field *weir_schema_leaf(const weir_schema *schema, int32_t leaf);
WEIR_API const weir_field *weir_schema_column(const weir_schema *schema, int32_t column);
/* The dotted path of a field, the root left out; `.`, `\`, tab and newline inside a name are
 * escaped by `\`, the last two as \t and \n. Gives the length it needs, as snprintf does. */
WEIR_API size_t weir_schema_path(const weir_schema *schema, int32_t field, char *out, size_t room);

/* How a vector's values lie; a caller gets PLAIN unless its pick says it takes more. */
typedef enum weir_form {
    WEIR_PLAIN, /* one slot a row; the slot of a null holds zero bytes, so sums need no test */
    WEIR_CODES, /* uint32 a row into `dictionary`; a null's code is 0 */
    WEIR_ONE,   /* slot 0 stands for every row: a missing column */
    WEIR_SHAPE  /* validity, of a LIST or MAP offsets too: no values, no children */
} weir_form;

struct weir_hold; /* counted memory; freed by the last release, on whatever thread */

/* Values of one column. Row r of the batch is slot `first + r` of the buffers (of `validity`, of
 * `values` in units of the type, of `offsets`), since slices share buffers. 64 bytes past the last
 * value can be read.
 * STRUCT: children of as many rows; its own `first` is that of its validity alone. LIST, MAP: one
 * child, in a map a STRUCT of key and value, or of key alone; offsets[first + r] to
 * offsets[first + r + 1] are rows of the child; offsets[first] is 0, and the child has no row after
 * the last. A null list is empty; under a null struct children are null where they can be, and
 * lists empty: of a required struct or list there only the one above tells that it isn't. Of a
 * nested pick with SHAPE, the vectors of what its path says (of a name: the column) are SHAPE: a
 * list's lengths are there, and no child. They have no Arrow type. */
typedef struct weir_vector {
    const weir_field *field; /* name and logical type; lives as long as the batch */
    weir_type type;
    weir_form form;
    uint32_t width; /* bytes of a value of fixed size; 0 for BOOL and BYTES */
    int64_t rows, nulls;
    int64_t first;           /* slot of row 0 */
    const uint8_t *validity; /* a bit a slot, set: present; NULL: no nulls */
    const void *values;      /* BYTES: what the offsets point into; CODES: uint32 codes */
    const int32_t *offsets;  /* BYTES, LIST, MAP: rows + 1 from slot `first` */
    const struct weir_vector *children;
    size_t child_count;
    const struct weir_vector *dictionary; /* CODES: its values, PLAIN, `first` 0 */
    struct weir_hold *hold;               /* the library's own */
} weir_vector;

/* The same rows in every column. Given out by weir_columns_next; counted, see weir_batch_keep. */
typedef struct weir_batch {
    int64_t first_row; /* over the whole dataset */
    int64_t rows;      /* at least 1 */
    size_t column_count;
    const weir_vector *columns; /* in the order of the picks */
    const int64_t *numbers; /* each row's, ascending, over the whole dataset, where a filter left
                               rows out; NULL: they follow each other from first_row on */
} weir_batch;

/* The number in the dataset of a row of the batch. */
WEIR_INLINE int64_t weir_batch_number(const weir_batch *batch, int64_t row)
{
    return batch->numbers ? batch->numbers[row] : batch->first_row + row;
}

#ifdef __cplusplus
}
#endif
#endif
