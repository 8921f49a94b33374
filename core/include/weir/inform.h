/* SPDX-License-Identifier: Apache-2.0
 * inform.h: what files and codecs say of themselves. Part of weir.h. */
#ifndef WEIR_INFORM_H
#define WEIR_INFORM_H

#include <weir/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_codec_state_kind {
    WEIR_CODEC_READY,   /* linked in, or its object is there */
    WEIR_CODEC_REFUSED, /* an object that was found and not taken: `why` */
    WEIR_CODEC_SHADOWED /* taken, but this id belongs to a built-in codec: `why` */
} weir_codec_state_kind;

typedef struct weir_codec_info {
    const char *name;    /* "zstd"; of a refused object, its file name */
    const char *version; /* of the library inside; NULL: not said */
    const char *origin;  /* "linked in", or the path of the object */
    const char *ids;     /* "parquet 6, hdf5 32015" */
    const char *why;     /* NULL when ready */
    weir_codec_state_kind state;
} weir_codec_info;

typedef struct weir_file_info {
    size_t size;
    const char *path, *format; /* "parquet" */
    const char *writer;        /* created_by; "" if not said */
    uint64_t bytes, metadata_bytes;
    int64_t rows;
    int64_t group_count;
    const weir_schema *schema; /* its columns, as they are read */
    const weir_schema
        *written; /* as the file has it, with the groups that stand for lists and maps */
    size_t key_value_count;
    const weir_view (*key_values)[2]; /* as stored, in file order */
    const char *index;                /* how its groups were found; "" where there is one way */
    const char *group_word;           /* what they are called: "row group", "record" */
} weir_file_info;
#define WEIR_FILE_INFO_INIT WEIR_SIZED(sizeof(weir_file_info))

typedef struct weir_group_info { /* a row group, a record */
    size_t size;
    int64_t first_row, rows; /* in the file */
    uint64_t offset, bytes, plain_bytes;
    char kind[64]; /* what tells it from others: "tag 0, whole, lz4"; "" where all are alike */
} weir_group_info;
#define WEIR_GROUP_INFO_INIT WEIR_SIZED(sizeof(weir_group_info))

typedef struct weir_chunk_info { /* one leaf of one row group */
    size_t size;
    char codec[24];      /* "ZSTD", "codec 99" */
    char encodings[232]; /* "PLAIN, RLE_DICTIONARY", in the footer's order, each once */
    uint64_t offset, bytes, plain_bytes;
    int64_t values;   /* level entries; -1: not said */
    int64_t nulls;    /* -1: not said */
    int64_t distinct; /* -1: not said */
    bool has_bounds;  /* min, max hold physical values and can be trusted for this type */
    bool min_is_exact, max_is_exact;
    weir_view min, max; /* PLAIN encoded, BYTES without length */
} weir_chunk_info;
#define WEIR_CHUNK_INFO_INIT WEIR_SIZED(sizeof(weir_chunk_info))

typedef enum weir_fact_kind {
    WEIR_FACT_OPEN, /* a struct begins: facts with names until CLOSE */
    WEIR_FACT_LIST, /* a list begins: facts without names until CLOSE */
    WEIR_FACT_CLOSE,
    WEIR_FACT_INT,   /* `number` */
    WEIR_FACT_REAL,  /* `real` */
    WEIR_FACT_BOOL,  /* `number`: 0 or 1 */
    WEIR_FACT_TEXT,  /* `bytes`, UTF-8 */
    WEIR_FACT_BYTES, /* `bytes`, any */
    WEIR_FACT_WORD   /* `bytes`, a name of the format: "ZSTD", "OPTIONAL" */
} weir_fact_kind;

typedef struct weir_fact {
    weir_fact_kind kind;
    const char *name; /* NULL inside a list */
    int64_t number;
    double real;
    weir_view bytes;
} weir_fact;

#ifdef __cplusplus
}
#endif
#endif
