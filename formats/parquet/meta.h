/* SPDX-License-Identifier: Apache-2.0
 * meta.h: a footer as the metadata half keeps it: its bytes, and in the file's arena what is needed
 * of all of it. A column chunk's own metadata is found by its place in those bytes and decoded when
 * it is asked for, since most of a wide file's chunks never are. */
#ifndef WEIR_PARQUET_META_H
#define WEIR_PARQUET_META_H

#include "formats/parquet/compact.h"
#include "formats/parquet/parquet.h"

enum {
    WEIR_PARQUET_DEPTH = 500 /* groups inside each other that a schema may have */
};

/* An order of min_value and max_value: the field of the union ColumnOrder; 0: none is said. */
enum {
    WEIR_PARQUET_TYPE_ORDER = 1,
    WEIR_PARQUET_TOTAL_ORDER = 2,
    WEIR_PARQUET_INT96_ORDER = 3
};

typedef struct weir_parquet_rows { /* RowGroup */
    int64_t first_row, row_count;
    int64_t plain_size;      /* total_byte_size */
    int64_t file_offset;     /* -1: not said */
    int64_t size;            /* total_compressed_size; -1: not said */
    const uint32_t *columns; /* where in the footer the ColumnChunk of each leaf begins */
    uint32_t column_count;   /* leaves beyond it have no chunk */
} weir_parquet_rows;

typedef struct weir_parquet_file { /* weir_file.own */
    weir_view footer;              /* FileMetaData's bytes, in the arena */
    uint64_t offset;               /* of the footer in the file */
    uint64_t metadata_size;
    const weir_parquet_leaf *leaves;
    int32_t leaf_count;
    const weir_parquet_rows *groups;
    weir_view writer; /* created_by; terminated; data NULL: not said */
    const weir_view (*key_values)[2];
    size_t key_value_count;
    const uint8_t *orders; /* by leaf; leaves beyond order_count have none */
    uint32_t order_count;
    bool is_encrypted;   /* some columns may be */
    bool carries_prefix; /* PARQUET-246, for its DELTA_BYTE_ARRAY columns */
} weir_parquet_file;

typedef struct weir_parquet_stats { /* Statistics; a view's data is NULL where it is not said */
    weir_view max, min;             /* the deprecated pair */
    weir_view max_value, min_value;
    int64_t null_count, distinct_count, nan_count; /* -1: not said */
    int8_t is_max_exact, is_min_exact;             /* -1: not said */
} weir_parquet_stats;

typedef struct weir_parquet_chunk { /* ColumnChunk and ColumnMetaData; -1: not said */
    weir_view file_path;            /* data NULL: not said */
    int64_t file_offset;
    int64_t offset_index, column_index;
    int32_t offset_index_size, column_index_size;
    bool has_metadata, is_encrypted;
    int32_t type, codec;
    weir_view encodings; /* the list as it lies in the footer, head included */
    int64_t value_count, plain_size, size;
    int64_t data_page, index_page, dictionary_page; /* offsets */
    int64_t bloom_filter;
    int32_t bloom_filter_size;
    weir_parquet_stats stats;
} weir_parquet_chunk;

static inline const weir_parquet_file *weir_parquet_file_own(const weir_file *file)
{
    return file->own;
}

/* ---- meta.c: structs of parquet.thrift ---- */

/* The fields of the struct that `in` stands in; trouble is in->why. */
void weir_parquet_stats_read(weir_compact *in, weir_parquet_stats *out);
void weir_parquet_chunk_read(weir_compact *in, weir_parquet_chunk *out);
/* The chunk of a leaf. CORRUPT where the group has none, or one without metadata. */
weir_status weir_parquet_chunk_find(const weir_file *file, int64_t group, int32_t leaf,
                                    weir_parquet_chunk *out, weir_error *err);
/* The header of the chunk's first page. */
int64_t weir_parquet_chunk_begin(const weir_parquet_chunk *chunk);
bool weir_parquet_chunk_uses(const weir_parquet_chunk *chunk, int32_t encoding);
/* Whether old parquet-mr wrote it, or nobody says who did: PARQUET-246. */
bool weir_parquet_writer_carries_prefix(weir_view created_by);
/* CORRUPT with the place in the file where `in`, over `bytes` at `offset`, met its trouble. */
weir_status weir_parquet_trouble(const weir_compact *in, const uint8_t *bytes, uint64_t offset,
                                 const char *what, weir_error *err);

/* ---- schema.c ---- */

/* The list of SchemaElement that `field` announces. `leaves` are in `arena`. */
weir_status weir_parquet_schema_read(weir_compact *in, const weir_compact_field *field,
                                     weir_arena *arena, weir_schema **out,
                                     const weir_parquet_leaf **leaves, weir_error *err);

/* ---- understand.c ---- */

/* The columns that a schema means: lists and maps without the repeated groups they are written as.
 * Its leaves are those of `written`, in the same order. */
weir_status weir_parquet_understand(const weir_schema *written, weir_schema **out, weir_error *err);

#endif
