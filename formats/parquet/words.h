/* SPDX-License-Identifier: Apache-2.0
 * words.h: names of parquet.thrift: its enums, its structs and their fields. */
#ifndef WEIR_PARQUET_WORDS_H
#define WEIR_PARQUET_WORDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_parquet_words { /* an enum; NULL where a number has no name */
    const char *const *names;
    size_t count;
} weir_parquet_words;

typedef enum weir_parquet_kind { /* what a field's value is, beside its type on the wire */
    WEIR_PARQUET_NUMBER,         /* or a boolean */
    WEIR_PARQUET_TEXT,
    WEIR_PARQUET_BYTES,
    WEIR_PARQUET_WORD,
    WEIR_PARQUET_STRUCT
} weir_parquet_kind;

typedef struct weir_parquet_member { /* a field of a struct, or the elements of a list */
    int16_t id;
    const char *name;
    weir_parquet_kind kind;
    const weir_parquet_words *words;        /* WORD */
    const struct weir_parquet_shape *shape; /* STRUCT */
} weir_parquet_member;

typedef struct weir_parquet_shape { /* a struct or union */
    const weir_parquet_member *members;
    size_t count;
} weir_parquet_shape;

extern const weir_parquet_words weir_parquet_codecs;
extern const weir_parquet_words weir_parquet_encodings;
extern const weir_parquet_shape weir_parquet_file_shape; /* FileMetaData */

/* NULL: the number has no name. */
const char *weir_parquet_word(const weir_parquet_words *words, int64_t number);
/* NULL: the struct has no such field that we know of. */
const weir_parquet_member *weir_parquet_member_find(const weir_parquet_shape *shape, int16_t id);

#endif
