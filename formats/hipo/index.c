/* SPDX-License-Identifier: Apache-2.0
 * index.c: step 1 of the line for HIPO: where the records are. The trailer has an index of them,
 * which is held against each record's header, since nothing else can tell that it is right; where
 * there is none, or it isn't, the headers are gone through, each of which knows its record's size.
 * What can't be a record ends the file: its events before are read, then the failure is told. */
#include "formats/hipo/hipo.h"

#include "core/error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ID_INDEX = 32111 << 8 | 1,
    ROW = 32, /* bytes of an index row: i64 position, i32 length, i32 entries, two i64 words */
    PEEK = 4096
};

typedef struct finder {
    weir_file *file;
    weir_hipo_file *own;
    weir_work *work;
    weir_hipo_record *records;
    size_t count, room;
    size_t met;        /* records, wanted or not */
    uint64_t last_end; /* of the last one met */
    int64_t rows;
    uint64_t lost_bytes, lost_events; /* of a salvage */
    uint64_t peeked;                  /* offset of what is in `bytes` */
    size_t peeked_size;
    uint8_t bytes[PEEK];
} finder;

/* ---- headers ---- */

/* The header at `offset`, of small records several with one read. NULL in *why: it is there. */
static weir_status read_header(finder *f, uint64_t offset, weir_hipo_record *out, const char **why,
                               weir_error *err)
{
    const uint64_t file_size = weir_source_size(f->file->source);

    if (offset > file_size || file_size - offset < WEIR_HIPO_HEADER) {
        *why = "the file ends within it";
        return WEIR_OK;
    }
    if (offset < f->peeked || offset - f->peeked > f->peeked_size ||
        f->peeked_size - (size_t)(offset - f->peeked) < WEIR_HIPO_HEADER) {
        const size_t size = (size_t)weir_min_u64(PEEK, file_size - offset);

        f->peeked_size = 0;
        WEIR_TRY(weir_source_read(f->file->source, offset, f->bytes, size, err));
        f->peeked = offset;
        f->peeked_size = size;
    }
    *why = weir_hipo_record_read(f->bytes + (offset - f->peeked), offset, file_size, out);
    return WEIR_OK;
}

static bool is_wanted(const weir_file *file, const weir_hipo_record *record)
{
    for (size_t i = 0; i < file->tag_count; i++)
        if ((uint64_t)file->tags[i] == record->words[0])
            return true;
    return file->tag_count == 0;
}

static bool is_salvage(const finder *f)
{
    return (f->file->flags & WEIR_SALVAGE) != 0;
}

static weir_status append(finder *f, weir_hipo_record *record, weir_error *err)
{
    f->met++;
    f->last_end = record->offset + record->size;
    if (record->event_count == 0 || !is_wanted(f->file, record))
        return WEIR_OK;
    if (is_salvage(f)) {
        WEIR_TRY(weir_hipo_salvage(f->file, record, f->work, &record->row_count, err));
        f->lost_events += record->event_count - record->row_count;
        if (record->row_count == 0)
            return WEIR_OK;
    }
    if (f->count == f->room) {
        const size_t room = f->room ? f->room * 2 : 64;
        weir_hipo_record *records = realloc(f->records, room * sizeof *records);

        if (!records)
            return weir_fail_memory(err, room * sizeof *records);
        f->records = records;
        f->room = room;
    }
    f->records[f->count] = *record;
    f->records[f->count++].first_row = f->rows;
    if (__builtin_add_overflow(f->rows, record->row_count, &f->rows))
        return weir_fail(err, WEIR_LIMIT, "more than 2^63 - 1 events");
    return WEIR_OK;
}

/* ---- the index ---- */

/* The index in the one event of a record; `out` is empty where there is none. */
static weir_status load_index(finder *f, const weir_hipo_record *record, weir_view *out,
                              weir_hold **hold, weir_error *err)
{
    weir_hipo_structure structure;
    weir_hipo_events events;
    weir_hipo_event event;

    *out = (weir_view){ NULL, 0 };
    WEIR_TRY(weir_hipo_events_load(f->file, record, f->work, &events, hold, err));
    if (events.left == 0 || !weir_hipo_event_next(&events, &event))
        return WEIR_OK;
    while (weir_hipo_has_structure(&event) &&
           weir_hipo_structure_next(&event, record->is_swapped, &structure))
        if (structure.id == ID_INDEX) {
            *out = (weir_view){ structure.data, structure.size };
            break;
        }
    return WEIR_OK;
}

/* The record that row `i` of the index tells of, where its header says the same, and it lies right
 * behind the one before: an index that leaves one out is wrong, too. */
static weir_status take_row(finder *f, weir_view index, size_t i, bool is_swapped, bool *is_right,
                            weir_error *err)
{
    const size_t rows = index.size / ROW;
    const uint64_t offset = weir_hipo_64(index.data + 8 * i, is_swapped);
    const uint32_t length = weir_hipo_32(index.data + 8 * rows + 4 * i, is_swapped);
    const uint32_t entries = weir_hipo_32(index.data + 12 * rows + 4 * i, is_swapped);
    weir_hipo_record record;
    const char *why;

    *is_right = true;
    if (offset == f->own->trailer)
        return WEIR_OK;
    *is_right = offset == f->last_end;
    if (!*is_right)
        return WEIR_OK;
    WEIR_TRY(read_header(f, offset, &record, &why, err));
    *is_right = !why && record.size == length && record.event_count == entries;
    return *is_right ? append(f, &record, err) : WEIR_OK;
}

/* Fills the records from the trailer's index. *why NULL: all of it is right; else what is used in
 * its place, and the reason. */
static weir_status read_index(finder *f, const char **why, weir_error *err)
{
    weir_hipo_record trailer;
    weir_hold *hold = NULL;
    weir_view index = { NULL, 0 };
    weir_status status;
    bool is_right = true;

    if (f->own->trailer == 0) {
        *why = "record headers: there is no trailer";
        return WEIR_OK;
    }
    WEIR_TRY(read_header(f, f->own->trailer, &trailer, why, err));
    if (*why) {
        *why = "record headers: there is no record where the trailer should be";
        return WEIR_OK;
    }
    status = load_index(f, &trailer, &index, &hold, NULL);
    if (status == WEIR_IO || status == WEIR_NO_MEMORY || status == WEIR_LIMIT)
        return weir_fail_at(err, status, f->own->trailer, "the trailer can't be read");
    if (status != WEIR_OK || index.size == 0 || index.size % ROW != 0)
        *why = "record headers: the trailer has no index";
    for (size_t i = 0; !*why && is_right && i < index.size / ROW; i++) {
        status = take_row(f, index, i, trailer.is_swapped, &is_right, err);
        if (status != WEIR_OK)
            break;
        is_right = is_right && (i + 1 < index.size / ROW || f->last_end == f->own->trailer);
        if (!is_right)
            *why = "record headers: the trailer's index is wrong";
    }
    weir_hold_release(hold);
    return status == WEIR_CORRUPT || status == WEIR_UNSUPPORTED || status == WEIR_NO_CODEC ? WEIR_OK
                                                                                           : status;
}

/* ---- going through ---- */

/* Whether the record is a trailer: one event with an index, or with nothing, where the header
 * points. One that nobody points to is looked into, of those it could be by the size alone: that of
 * an index. */
static weir_status is_trailer(finder *f, const weir_hipo_record *record, bool *out, weir_error *err)
{
    const uint64_t head = WEIR_HIPO_EVENT + WEIR_HIPO_STRUCTURE;
    weir_hold *hold = NULL;
    weir_view index;
    weir_status status;

    *out = record->offset == f->own->trailer && record->event_count <= 1;
    if (*out || record->event_count != 1 || record->data_size < head ||
        (record->data_size - head) % ROW != 0 || record->tag >= WEIR_HIPO_TAGS ||
        weir_hipo_layout_of(record->tag) != WEIR_HIPO_WHOLE)
        return WEIR_OK;
    status = load_index(f, record, &index, &hold, err);
    *out = status == WEIR_OK && index.data;
    weir_hold_release(hold);
    /* What else is wrong with it is told when its events are wanted. */
    return status == WEIR_IO || status == WEIR_NO_MEMORY ? status : WEIR_OK;
}

static weir_status keep_trouble(finder *f, uint64_t offset, const char *why, weir_error *err)
{
    weir_error *trouble = weir_arena_array(&f->file->arena, 1, sizeof *trouble);

    if (!trouble)
        return weir_fail_memory(err, sizeof *trouble);
    weir_fail_at(trouble, WEIR_CORRUPT, offset, "record %zu: header: %s", f->met, why);
    f->file->trouble = trouble;
    return WEIR_OK;
}

/* The next place from `*offset` on that begins as a record does; records lie four bytes apart. What
 * is passed over is lost. */
static weir_status find_next(finder *f, uint64_t *offset, weir_error *err)
{
    const uint64_t file_size = weir_source_size(f->file->source), begin = *offset;
    const char *why = "";

    while (why && *offset < file_size) {
        weir_hipo_record record;

        *offset += weir_min_u64(4, file_size - *offset);
        WEIR_TRY(read_header(f, *offset, &record, &why, err));
        if (!why && (record.tag >= WEIR_HIPO_TAGS || record.event_count == 0))
            why = "nothing to gain";
    }
    f->lost_bytes += *offset - begin;
    return WEIR_OK;
}

static weir_status go_through(finder *f, weir_error *err)
{
    const uint64_t file_size = weir_source_size(f->file->source);
    uint64_t offset = f->own->first_record;

    f->count = f->met = 0;
    f->rows = 0;
    while (offset < file_size) {
        weir_hipo_record record;
        const char *why;
        bool is_not_data;

        WEIR_TRY(read_header(f, offset, &record, &why, err));
        if (why && is_salvage(f)) {
            WEIR_TRY(find_next(f, &offset, err));
            continue;
        }
        if (why)
            return keep_trouble(f, offset, why, err);
        WEIR_TRY(is_trailer(f, &record, &is_not_data, err));
        if (!is_not_data)
            WEIR_TRY(append(f, &record, err));
        offset += record.size;
    }
    return WEIR_OK;
}

static weir_status tell_lost(finder *f, weir_error *err)
{
    char text[160];
    const int size =
        snprintf(text, sizeof text,
                 "record headers, salvaged: %" PRIu64 " events of records that can't be "
                 "read and %" PRIu64 " bytes between records are left out",
                 f->lost_events, f->lost_bytes);

    f->own->index = weir_arena_copy(&f->file->arena, text, (size_t)size);
    return f->own->index ? WEIR_OK : weir_fail_memory(err, sizeof text);
}

static weir_status find_records(finder *f, weir_error *err)
{
    const char *why = NULL;
    weir_hipo_record *records;

    f->last_end = f->own->first_record;
    if (is_salvage(f))
        why = "record headers: all can be read";
    else
        WEIR_TRY(read_index(f, &why, err));
    f->own->index = why ? why : "trailer";
    if (why)
        WEIR_TRY(go_through(f, err));
    if (f->lost_bytes + f->lost_events > 0)
        WEIR_TRY(tell_lost(f, err));
    records = weir_arena_array(&f->file->arena, f->count, sizeof *records);
    if (!records)
        return weir_fail_memory(err, f->count * sizeof *records);
    if (f->count > 0)
        memcpy(records, f->records, f->count * sizeof *records);
    f->own->records = records;
    f->file->group_count = (int64_t)f->count;
    f->file->row_count = f->rows;
    return WEIR_OK;
}

weir_status weir_hipo_index_read(weir_file *file, weir_work *work, weir_error *err)
{
    finder f = { .file = file, .own = file->own, .work = work };
    const weir_status status = find_records(&f, err);

    free(f.records);
    return status;
}
