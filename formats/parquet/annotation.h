/* SPDX-License-Identifier: Apache-2.0
 * annotation.h: what a SchemaElement says of its values, beside the schema's shape. */
#ifndef WEIR_PARQUET_ANNOTATION_H
#define WEIR_PARQUET_ANNOTATION_H

#include "formats/parquet/compact.h"
#include <weir/data.h>

enum { /* fields of the union LogicalType; 0: there is none */
    WEIR_PARQUET_STRING = 1,
    WEIR_PARQUET_MAP = 2,
    WEIR_PARQUET_LIST = 3,
    WEIR_PARQUET_ENUM = 4,
    WEIR_PARQUET_DECIMAL = 5,
    WEIR_PARQUET_DATE = 6,
    WEIR_PARQUET_TIME = 7,
    WEIR_PARQUET_TIMESTAMP = 8,
    WEIR_PARQUET_INTERVAL = 9, /* reserved for it, and used */
    WEIR_PARQUET_INTEGER = 10,
    WEIR_PARQUET_UNKNOWN = 11,
    WEIR_PARQUET_JSON = 12,
    WEIR_PARQUET_BSON = 13,
    WEIR_PARQUET_UUID = 14,
    WEIR_PARQUET_FLOAT16 = 15,
    WEIR_PARQUET_VARIANT = 16,
    WEIR_PARQUET_GEOMETRY = 17,
    WEIR_PARQUET_GEOGRAPHY = 18
};

typedef struct weir_parquet_annotation { /* LogicalType; 0 where a number is not said */
    int16_t kind;
    weir_unit unit;
    bool is_utc, is_signed;
    int8_t bits;
    int32_t precision, scale;
} weir_parquet_annotation;

typedef struct weir_parquet_element { /* SchemaElement; -1: not said */
    int32_t type, type_length, repetition, child_count, converted, scale, precision, id;
    weir_view name;
    weir_parquet_annotation logical;
} weir_parquet_element;

/* The fields of the struct that `in` stands in; trouble is in->why. */
void weir_parquet_element_read(weir_compact *in, weir_parquet_element *out);
/* Sets the logical type and its parameters in `field`, whose physical type and width are set, from
 * LogicalType, else from ConvertedType. One that doesn't fit the physical type is left out: the
 * values are still what the physical type says. */
void weir_parquet_annotate(const weir_parquet_element *element, weir_field *field);

#endif
