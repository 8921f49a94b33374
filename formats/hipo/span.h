/* SPDX-License-Identifier: Apache-2.0
 * span.h: what scan.c makes of a record and of what is wanted of it, for decode.c: which banks,
 * which of their columns, and which streams hold them. A record is one span, so that each event is
 * walked once, for all columns. */
#ifndef WEIR_HIPO_SPAN_H
#define WEIR_HIPO_SPAN_H

#include "formats/hipo/hipo.h"

/* A page: the whole record, or one of its streams. */
typedef struct weir_hipo_stream {
    uint64_t offset;
    uint32_t packed_size, plain_size;
    uint32_t sum;    /* of the packed bytes; 0: none is said */
    uint32_t planes; /* bytes that were split: of each value the first, then the second ...;
                        0: values lie as they are */
} weir_hipo_stream;

/* A wanted bank in the record. */
typedef struct weir_hipo_wanted {
    const weir_hipo_bank *bank;
    uint32_t value_size; /* bytes a row of all its wanted columns: what a slice is measured by */
    int32_t first_output, last_output; /* its columns of the span, linked */
    /* By bank and by column. `sizes` NULL: the record has none of it. */
    const uint8_t *sizes;    /* u32 an event: bytes of the bank in it */
    const uint8_t *presence; /* the byte of the first event that has its bit */
    uint8_t presence_bit;
    int32_t
        stream; /* of the whole bank; -1: its columns have their own, or nothing of it is read */
} weir_hipo_wanted;

/* A column of the span. */
typedef struct weir_hipo_output {
    int32_t wanted;                 /* its bank; -1: the tags of events */
    const weir_hipo_column *column; /* NULL: no values are wanted */
    int32_t stream;                 /* its own; -1: its bank's */
    int32_t next;                   /* of its bank's; -1: the last */
} weir_hipo_output;

typedef struct weir_hipo_place {
    uint32_t id;
    int32_t wanted; /* -1: free */
} weir_hipo_place;

typedef struct weir_hipo_span {
    const weir_hipo_record *record;
    weir_hipo_layout layout;
    const weir_chain *chain; /* NULL: nothing is packed */
    weir_hipo_stream *streams;
    weir_hipo_wanted *wanted;
    weir_hipo_output *outputs; /* by column of the span */
    const weir_filter *filter; /* NULL: every event is given out */
    uint32_t *asked;           /* wanted banks that the filter asks for */
    uint32_t stream_count, wanted_count, asked_count;
    const uint8_t *tags;      /* by bank and by column: u32 an event */
    uint32_t presence_stride; /* bytes of presence an event */
    weir_hipo_place *by_id;   /* by hash of a bank's id */
    uint32_t mask;
    weir_chain chain_room;
    weir_hold *directory; /* what sizes, presence and tags point into */
    weir_hold *self;      /* what this lies in, and all that it points to */
} weir_hipo_span;

/* Whether an event's tag passes the filter. */
static inline bool weir_hipo_passes_tag(const weir_filter *filter, uint32_t tag)
{
    bool passes = filter->tag_count == 0;

    for (size_t i = 0; i < filter->tag_count && !passes; i++)
        passes = filter->tags[i] == tag;
    return passes && (filter->tag_mask == 0 || (tag & filter->tag_mask) != 0);
}

static inline const weir_hipo_span *weir_hipo_span_own(const weir_span *span)
{
    return span->own;
}

/* The place of an id, or the free one where it belongs: there is always one. */
static inline weir_hipo_place *weir_hipo_span_place(const weir_hipo_span *span, uint32_t id)
{
    for (uint32_t at = weir_hipo_hash(id);; at++) {
        weir_hipo_place *place = &span->by_id[at & span->mask];

        if (place->id == id || place->wanted < 0)
            return place;
    }
}

/* The wanted bank with that id, -1: none. */
static inline int32_t weir_hipo_span_find(const weir_hipo_span *span, uint32_t id)
{
    return weir_hipo_span_place(span, id)->wanted;
}

/* directory.c: reads the directory of a record by bank or by column, and finds in it what `span`
 * wants: sizes, presence, tags, streams. */
weir_status weir_hipo_directory_read(const weir_file *file, weir_hipo_span *span, weir_work *work,
                                     weir_error *err);

#endif
