/* SPDX-License-Identifier: Apache-2.0
 * parquet.h: what the two halves of the Parquet front-end tell each other. The metadata half
 * (footer, schema, scan) opens the file and describes pages; the value half (share, feed, decode)
 * turns plain pages into vectors. Numbers are those of parquet.thrift. */
#ifndef WEIR_PARQUET_H
#define WEIR_PARQUET_H

#include <string.h>
#include <weir/format.h>

typedef enum weir_parquet_type { /* Type */
    WEIR_PARQUET_BOOLEAN = 0,
    WEIR_PARQUET_INT32 = 1,
    WEIR_PARQUET_INT64 = 2,
    WEIR_PARQUET_INT96 = 3,
    WEIR_PARQUET_FLOAT = 4,
    WEIR_PARQUET_DOUBLE = 5,
    WEIR_PARQUET_BYTE_ARRAY = 6,
    WEIR_PARQUET_FIXED = 7 /* FIXED_LEN_BYTE_ARRAY */
} weir_parquet_type;

enum { /* Encoding */
    WEIR_PARQUET_PLAIN = 0,
    WEIR_PARQUET_PLAIN_DICTIONARY = 2,
    WEIR_PARQUET_RLE = 3,
    WEIR_PARQUET_BIT_PACKED = 4,
    WEIR_PARQUET_DELTA_BINARY_PACKED = 5,
    WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    WEIR_PARQUET_DELTA_BYTE_ARRAY = 7,
    WEIR_PARQUET_RLE_DICTIONARY = 8,
    WEIR_PARQUET_BYTE_STREAM_SPLIT = 9,
    WEIR_PARQUET_ALP = 10
};

/* A leaf of the schema as its pages need it. Lives as long as the file. */
typedef struct weir_parquet_leaf {
    const weir_field *field;
    weir_parquet_type type;
    uint32_t width; /* bytes of a PLAIN value: 12 for INT96, type_length for FIXED (never 0);
                       0 for BOOLEAN and BYTE_ARRAY */
    int16_t max_definition, max_repetition;
    int32_t column;      /* the root's child it hangs under */
    const char *trouble; /* why it can't be read ("nested"); NULL: it can */
} weir_parquet_leaf;

/* A page of the offset index. */
typedef struct weir_parquet_place {
    uint64_t offset;   /* of its header */
    int64_t first_row; /* in the group */
    int32_t size;      /* header and body */
} weir_parquet_place;

/* A page of a nested chunk that is not read from its first page on. */
typedef struct weir_parquet_landing {
    uint64_t at; /* its header, or what lies before it and is no data; 0: there is none */
    int64_t first_row, first_value; /* in the group, in the chunk */
    uint32_t ordinal;
} weir_parquet_landing;

/* weir_span.own: one column chunk. Frozen once entered. */
typedef struct weir_parquet_span {
    const weir_parquet_leaf *leaf;
    const weir_chain *chain; /* NULL: the chunk is not compressed */
    uint64_t begin;          /* header of the chunk's first page */
    uint64_t end;            /* no page begins there or beyond */
    uint64_t file_end;       /* no page reaches beyond */
    int64_t value_count;     /* slots of the chunk, by the footer */
    int64_t row_count;       /* of the group */
    bool carries_prefix;     /* PARQUET-246: the first value of a DELTA_BYTE_ARRAY page takes its
                                prefix from the last value of the page before */
    bool is_shape;           /* levels alone are wanted: no dictionary, no values */
    const weir_parquet_place *places; /* offset index; NULL: none that can be used */
    size_t place_count;
    weir_parquet_landing start; /* the pages before it are passed over */
    weir_chain chain_room;
} weir_parquet_span;

/* weir_page.note. A DATA page's `value_count` is what its header says, and what lies in the body:
 * strides and counts go by it. Its `row_count` is how many of these slots are wanted, from the
 * first on: less than value_count only where the chunk or the row group ends inside the page.
 * Both are never negative; flat columns always know `first_row`. A SHARED page's `value_count` is
 * the number of entries (0 to INT32_MAX, not trusted otherwise), its encoding as written. */
typedef struct weir_parquet_note {
    int32_t encoding;                           /* any number a file may hold */
    uint8_t version;                            /* 1, 2: DATA_PAGE, DATA_PAGE_V2 */
    uint8_t has_dictionary;                     /* the chunk began with a dictionary page */
    int8_t definition_encoding;                 /* v1: RLE, BIT_PACKED; -1: another number */
    int8_t repetition_encoding;                 /* the same; v2 has RLE in both */
    uint32_t repetition_size, definition_size;  /* v2: bytes of levels, repetition first; their sum
                                                   is page.bare_size */
    int64_t first_value;                        /* slots of the chunk before this page */
    int32_t null_count;                         /* v2: as declared, not trusted; -1: not said */
    uint8_t repetition_width, definition_width; /* bits of a level */
    uint16_t reserved;
} weir_parquet_note;

_Static_assert(sizeof(weir_parquet_note) == sizeof(((weir_page *)0)->note), "fits the page");

static inline weir_parquet_note weir_parquet_page_note(const weir_page *page)
{
    weir_parquet_note note;

    memcpy(&note, page->note, sizeof note);
    return note;
}

/* Bits that levels of that maximum take; 0: there are none. */
static inline uint8_t weir_parquet_level_width(int16_t most)
{
    return most ? (uint8_t)(32 - __builtin_clz((uint32_t)most)) : 0;
}

static inline const weir_parquet_span *weir_parquet_span_own(const weir_span *span)
{
    return span->own;
}

/* ---- the value half: rows of weir_format_parquet, see format.h ---- */

weir_status weir_parquet_share(weir_span *span, const weir_page *page, weir_work *work,
                               weir_error *err);
/* Called by leave with what share kept; accepts NULL. */
void weir_parquet_unshare(void *shared);
weir_status weir_parquet_start(weir_cursor *cursor, weir_error *err);
void weir_parquet_stop(weir_cursor *cursor);
weir_status weir_parquet_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                              weir_error *err);
weir_status weir_parquet_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                                weir_error *err);
weir_status weir_parquet_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err);

/* ---- the metadata half ---- */

weir_status weir_parquet_open(weir_file *file, weir_memory *memory, weir_error *err);
void weir_parquet_close(weir_file *file);
const char *weir_parquet_refusal(const weir_file *file, int32_t column);
void weir_parquet_group(const weir_file *file, int64_t index, weir_group *out);
weir_status weir_parquet_enter(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                               weir_error *err);
void weir_parquet_leave(weir_group *group, weir_span *spans, size_t count);
/* A chunk that ends before the group's rows, or has more of them, is CORRUPT here, once the pages
 * before are through: decode may take what it is fed for the rows that are wanted. */
weir_status weir_parquet_scan(const weir_span *span, int64_t from, weir_page *page,
                              weir_window *window, weir_error *err);
void weir_parquet_inform(const weir_file *file, weir_file_info *out);
void weir_parquet_inform_group(const weir_file *file, int64_t group, weir_group_info *out);
weir_status weir_parquet_inform_chunk(const weir_file *file, int64_t group, int32_t leaf,
                                      weir_chunk_info *out, weir_error *err);
weir_status weir_parquet_describe(const weir_file *file,
                                  bool (*visit)(void *user, const weir_fact *), void *user,
                                  weir_error *err);

#endif
