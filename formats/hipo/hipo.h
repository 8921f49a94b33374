/* SPDX-License-Identifier: Apache-2.0
 * hipo.h: what the parts of the HIPO front-end tell each other. A file is a header, a dictionary of
 * banks, and records of events; an event is structures, most of them banks: tables whose columns
 * lie behind each other. A row is an event, a column a bank, a group a record.
 *
 * Two byte orders, and three layouts of a record: whole (events one after another, packed
 * together), by bank, and by column of a bank, where each stream is packed for itself and a
 * directory says what belongs to which event. */
#ifndef WEIR_HIPO_H
#define WEIR_HIPO_H

#include "core/bits.h"
#include <weir/format.h>

enum {
    WEIR_HIPO_HEADER = 56, /* bytes of a file's or record's header; more may follow */
    WEIR_HIPO_EVENT = 16,
    WEIR_HIPO_STRUCTURE = 8,
    WEIR_HIPO_STRING = 6,           /* a structure's type: text, never a bank */
    WEIR_HIPO_TAGS = 15,            /* compression tags that mean something */
    WEIR_HIPO_BANK_MOST = 0xffffff, /* bytes of a bank: its length has 24 bits */
    WEIR_HIPO_COLUMNS_MOST = 100000
};

/* The codecs that tags stand for, as wire ids: the lowest tag that has it. */
enum {
    WEIR_HIPO_NONE = 0,
    WEIR_HIPO_LZ4 = 1,
    WEIR_HIPO_GZIP = 3,
    WEIR_HIPO_ZSTD = 4
};

typedef enum weir_hipo_layout {
    WEIR_HIPO_WHOLE,
    WEIR_HIPO_BY_BANK,
    WEIR_HIPO_BY_COLUMN
} weir_hipo_layout;

/* What a record's header says. */
typedef struct weir_hipo_record {
    uint64_t offset, size; /* in the file, header included */
    int64_t first_row;     /* in the file */
    uint64_t words[2];     /* the user's: the first is the record's tag */
    uint32_t header_size, event_count;
    uint32_t row_count; /* events that are given out: all, unless some had to be left out */
    uint32_t filler;    /* bytes at its end that mean nothing */
    uint32_t user_size; /* whole: bytes between the lengths and the events */
    uint32_t data_size; /* whole: bytes of all events */
    uint8_t tag;        /* of compression: codec and layout; above 14 unknown */
    bool is_swapped;    /* big-endian */
} weir_hipo_record;

/* ---- the dictionary ---- */

typedef struct weir_hipo_column {
    weir_view name;
    weir_type type;  /* of one number */
    uint32_t count;  /* T#N: N; else 1 */
    uint32_t size;   /* bytes of one number */
    uint32_t offset; /* in a row; times the rows: in a bank */
} weir_hipo_column;

typedef struct weir_hipo_bank {
    weir_view name;
    const weir_hipo_column *columns;
    uint32_t column_count;
    uint32_t row_size;
    uint32_t id;         /* group << 8 | item */
    uint64_t reciprocal; /* of row_size: 2^64 divided by it, rounded up */
} weir_hipo_bank;

__extension__ typedef unsigned __int128 weir_hipo_u128;

/* Rows of a bank of `size` bytes; what doesn't make a row is left out. By multiplication, which is
 * exact for 32 bits (Lemire, Kaser, Kurz, "Faster remainder by direct computation"). */
static inline uint32_t weir_hipo_rows(const weir_hipo_bank *bank, uint32_t size)
{
    if (bank->row_size == 1)
        return size;
    return (uint32_t)(((weir_hipo_u128)bank->reciprocal * size) >> 64);
}

/* Where in a table of open addresses a bank's id is looked for first. */
static inline uint32_t weir_hipo_hash(uint32_t id)
{
    const uint32_t mixed = id * 0x9e3779b1u;

    return mixed ^ mixed >> 15;
}

/* By leaf of the schema. */
typedef struct weir_hipo_leaf {
    int32_t bank;   /* -1: the event's tag */
    int32_t column; /* of the bank */
} weir_hipo_leaf;

/* weir_file.own */
typedef struct weir_hipo_file {
    const weir_hipo_bank *banks;
    const weir_hipo_leaf *leaves;
    const weir_hipo_record *records;
    int32_t bank_count;
    int32_t refused;                      /* entries of the dictionary that are no bank */
    uint64_t dictionary, dictionary_size; /* its record */
    uint64_t first_record, trailer;
    uint32_t number, bits; /* as the header has them */
    bool is_swapped;
    const char *index; /* where the records were found */
    const weir_view (*key_values)[2];
    size_t key_value_count;
} weir_hipo_file;

static inline const weir_hipo_file *weir_hipo_file_own(const weir_file *file)
{
    return file->own;
}

/* ---- numbers in the byte order of their record ---- */

static inline uint16_t weir_hipo_16(const void *p, bool is_swapped)
{
    const uint16_t v = weir_load16(p);

    return is_swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t weir_hipo_32(const void *p, bool is_swapped)
{
    const uint32_t v = weir_load32(p);

    return is_swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t weir_hipo_64(const void *p, bool is_swapped)
{
    const uint64_t v = weir_load64(p);

    return is_swapped ? __builtin_bswap64(v) : v;
}

/* ---- header.c ---- */

uint32_t weir_hipo_codec_of(uint8_t tag);
weir_hipo_layout weir_hipo_layout_of(uint8_t tag);
/* "lz4", "by column"; of an unknown tag "unknown". */
const char *weir_hipo_codec_name(uint8_t tag);
const char *weir_hipo_layout_name(uint8_t tag);
/* Whether the file begins as a HIPO file does. */
weir_status weir_hipo_probe(weir_source *source, bool *is_it, weir_error *err);
weir_status weir_hipo_header_read(weir_file *file, weir_error *err);
/* From the header's WEIR_HIPO_HEADER bytes; NULL, or why it is none. What it says of its content is
 * only checked as far as memory and counts of rows depend on it. */
const char *weir_hipo_record_read(const uint8_t *bytes, uint64_t offset, uint64_t file_size,
                                  weir_hipo_record *out);

/* ---- events.c: the events of a whole record, one after another ---- */

typedef struct weir_hipo_events {
    const uint8_t *length; /* of the next event: u32 */
    const uint8_t *at, *end;
    uint32_t left; /* events */
    bool is_swapped;
} weir_hipo_events;

typedef struct weir_hipo_event {
    uint32_t tag;
    const uint8_t *at, *end; /* of its structures */
} weir_hipo_event;

typedef struct weir_hipo_structure {
    uint32_t id; /* group << 8 | item */
    uint8_t type;
    uint8_t format_size; /* > 0: a composite, which begins with its format */
    uint32_t size;
    const uint8_t *data; /* format included */
} weir_hipo_structure;

/* Plain bytes that a whole record unpacks to, before what its user put behind. */
static inline uint64_t weir_hipo_plain_size(const weir_hipo_record *record)
{
    return 4 * (uint64_t)record->event_count + record->user_size + record->data_size;
}

/* `plain` is at least weir_hipo_plain_size of the record long. */
void weir_hipo_events_init(weir_hipo_events *events, const weir_hipo_record *record,
                           const uint8_t *plain);

/* The next of events->left events, which is at least 1; false: it reaches past the record's. */
static inline bool weir_hipo_event_next(weir_hipo_events *events, weir_hipo_event *out)
{
    const uint32_t length = weir_hipo_32(events->length, events->is_swapped);
    const uint8_t *at = events->at;

    if (length > (size_t)(events->end - at))
        return false;
    events->length += 4;
    events->at += length;
    events->left--;
    *out = (weir_hipo_event){ 0, at, at };
    if (length < WEIR_HIPO_EVENT) /* no header, no structures */
        return true;
    out->tag = weir_hipo_32(at + 8, events->is_swapped);
    if (length > WEIR_HIPO_EVENT) { /* what the event says of its own size doesn't count */
        out->at = at + WEIR_HIPO_EVENT;
        out->end = at + length;
    }
    return true;
}

static inline bool weir_hipo_has_structure(const weir_hipo_event *event)
{
    return event->end - event->at >= WEIR_HIPO_STRUCTURE;
}

/* The next structure; false: it reaches past the event's end. Its header is one number of 64 bits:
 * group 16, item 8, type 8, size 24, size of a format 8, from the lowest bits up. */
static inline bool weir_hipo_structure_next(weir_hipo_event *event, bool is_swapped,
                                            weir_hipo_structure *out)
{
    const uint8_t *at = event->at;
    uint64_t head = weir_load64(at);
    uint32_t size;

    if (is_swapped)
        head = weir_hipo_16(at, true) | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
               (uint64_t)weir_hipo_32(at + 4, true) << 32;
    size = head >> 32 & 0xffffff;
    if (size > (size_t)(event->end - at) - WEIR_HIPO_STRUCTURE)
        return false;
    *out = (weir_hipo_structure){
        .id = (uint32_t)(head & 0xffff) << 8 | (head >> 16 & 0xff),
        .type = (uint8_t)(head >> 24),
        .format_size = (uint8_t)(head >> 56),
        .size = size,
        .data = at + WEIR_HIPO_STRUCTURE,
    };
    event->at = at + WEIR_HIPO_STRUCTURE + size;
    return true;
}

/* Reads and unpacks a whole record, for open. `*hold` keeps the bytes of `out`. */
weir_status weir_hipo_events_load(const weir_file *file, const weir_hipo_record *record,
                                  weir_work *work, weir_hipo_events *out, weir_hold **hold,
                                  weir_error *err);
/* The codec of a whole record, and its one page. */
weir_status weir_hipo_whole_chain(const weir_file *file, const weir_hipo_record *record,
                                  weir_chain *room, const weir_chain **out, weir_error *err);
void weir_hipo_whole_page(const weir_hipo_record *record, const weir_chain *chain, weir_page *out);
/* A codec into `room`; *out NULL: nothing is packed. */
weir_status weir_hipo_chain(const weir_file *file, const weir_hipo_record *record, uint32_t codec,
                            weir_chain *room, const weir_chain **out, weir_error *err);

/* ---- dictionary.c, bank.c, index.c ---- */

/* Banks, key-values and both schemas. */
weir_status weir_hipo_dictionary_read(weir_file *file, weir_work *work, weir_error *err);
/* One bank as text, {NAME/GROUP/ITEM}{COLUMN/TYPE,...}, or as JSON; CORRUPT: it is none. */
weir_status weir_hipo_bank_from_text(weir_view text, weir_arena *arena, weir_hipo_bank *out);
weir_status weir_hipo_bank_from_json(weir_view text, weir_arena *arena, weir_hipo_bank *out);
/* The text that weir_hipo_bank_from_text takes; as snprintf. */
size_t weir_hipo_bank_text(const weir_hipo_bank *bank, char *out, size_t room);
/* salvage.c: how many events at the front of a record can be read. */
weir_status weir_hipo_salvage(weir_file *file, const weir_hipo_record *record, weir_work *work,
                              uint32_t *count, weir_error *err);
/* Where the records are. */
weir_status weir_hipo_index_read(weir_file *file, weir_work *work, weir_error *err);

/* ---- rows of weir_format_hipo, see format.h ---- */

weir_status weir_hipo_open(weir_file *file, weir_memory *memory, weir_error *err);
void weir_hipo_close(weir_file *file);
const char *weir_hipo_refusal(const weir_file *file, int32_t column);
void weir_hipo_group(const weir_file *file, int64_t index, weir_group *out);
weir_status weir_hipo_enter(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                            weir_error *err);
void weir_hipo_leave(weir_group *group, weir_span *spans, size_t count);
weir_status weir_hipo_scan(const weir_span *span, int64_t from, weir_page *page,
                           weir_window *window, weir_error *err);
weir_status weir_hipo_start(weir_cursor *cursor, weir_error *err);
void weir_hipo_stop(weir_cursor *cursor);
weir_status weir_hipo_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                           weir_error *err);
weir_status weir_hipo_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                             weir_error *err);
weir_status weir_hipo_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err);
void weir_hipo_inform(const weir_file *file, weir_file_info *out);
void weir_hipo_inform_group(const weir_file *file, int64_t group, weir_group_info *out);
weir_status weir_hipo_inform_chunk(const weir_file *file, int64_t group, int32_t leaf,
                                   weir_chunk_info *out, weir_error *err);
weir_status weir_hipo_describe(const weir_file *file, bool (*visit)(void *user, const weir_fact *),
                               void *user, weir_error *err);

#endif
