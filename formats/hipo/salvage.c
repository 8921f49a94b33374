/* SPDX-License-Identifier: Apache-2.0
 * salvage.c: which events of a damaged file can be read: each record is unpacked when the file is
 * opened. Of a whole record the events before the first broken one are good; one by bank or by
 * column is good as a whole, or not at all, since each stream holds something of every event. */
#include "formats/hipo/span.h"

#include "core/error.h"

/* Failures that are not the file's. */
static bool is_ours(weir_status status)
{
    return status == WEIR_IO || status == WEIR_NO_MEMORY || status == WEIR_LIMIT ||
           status == WEIR_NO_CODEC;
}

static uint32_t count_whole(weir_hipo_events *events)
{
    const uint32_t all = events->left;
    weir_hipo_structure structure;
    weir_hipo_event event;

    while (events->left > 0) {
        const uint32_t before = all - events->left;

        if (!weir_hipo_event_next(events, &event))
            return before;
        while (weir_hipo_has_structure(&event))
            if (!weir_hipo_structure_next(&event, events->is_swapped, &structure))
                return before;
    }
    return all;
}

static weir_status salvage_whole(weir_file *file, const weir_hipo_record *record, weir_work *work,
                                 uint32_t *count, weir_error *err)
{
    weir_hipo_events events;
    weir_hold *hold = NULL;

    WEIR_TRY(weir_hipo_events_load(file, record, work, &events, &hold, err));
    *count = count_whole(&events);
    weir_hold_release(hold);
    return WEIR_OK;
}

static weir_status unpack_all(const weir_span *span, weir_work *work, weir_error *err)
{
    weir_page page = { .kind = WEIR_PAGE_END };
    weir_window window;
    weir_status status;

    weir_window_init(&window, span->group->file->source, work->memory, span->offset + span->size);
    do {
        status = weir_hipo_scan(span, 0, &page, &window, err);
        if (status == WEIR_OK)
            status = weir_page_unpack(&page, &window, work, err);
        if (status == WEIR_OK && page.kind == WEIR_PAGE_DATA) {
            if (page.plain.size < page.plain_size)
                status = weir_fail(err, WEIR_CORRUPT, "a stream is cut short");
            weir_hold_release(page.hold);
        }
    } while (status == WEIR_OK && page.kind != WEIR_PAGE_END);
    weir_window_fini(&window);
    return status;
}

/* What decode would stop at: a bank that has bytes in an event that lacks it, or too many rows. */
static bool can_be_decoded(const weir_hipo_span *span)
{
    for (uint32_t b = 0; b < span->wanted_count; b++) {
        const weir_hipo_wanted *wanted = &span->wanted[b];

        for (size_t e = 0; wanted->sizes && e < span->record->event_count; e++) {
            const uint32_t size = weir_load32(wanted->sizes + 4 * e);
            const bool is_there =
                wanted->presence[e * span->presence_stride] & wanted->presence_bit;

            if ((size > 0 && !is_there) || weir_hipo_rows(wanted->bank, size) > INT32_MAX)
                return false;
        }
    }
    return true;
}

/* All columns of the record, as a reader would enter it. */
static weir_status salvage_streams(weir_file *file, const weir_hipo_record *record, weir_work *work,
                                   uint32_t *count, weir_error *err)
{
    const size_t leaves = (size_t)weir_schema_leaf_count(file->schema);
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_target *targets = weir_arena_array(&work->scratch, leaves, sizeof *targets);
    const weir_want want = { .targets = targets, .count = leaves };
    weir_group group = { .file = file, .want = &want };
    weir_hipo_file *own = file->own;
    weir_span *span = NULL;
    size_t spans = 0;
    weir_status status;

    if (!targets)
        return weir_fail_memory(err, leaves * sizeof *targets);
    for (size_t i = 0; i < leaves; i++)
        targets[i].from = weir_schema_leaf(file->schema, (int32_t)i);
    own->records = record; /* the only one so far: group 0 */
    status = weir_hipo_enter(&group, work, &span, &spans, err);
    if (status == WEIR_OK) {
        status = can_be_decoded(span->own) ? unpack_all(span, work, err)
                                           : weir_fail(err, WEIR_CORRUPT, "its banks");
        weir_hipo_leave(&group, span, spans);
    }
    own->records = NULL;
    weir_arena_reset(&work->scratch, mark);
    *count = status == WEIR_OK ? record->event_count : 0;
    return status;
}

weir_status weir_hipo_salvage(weir_file *file, const weir_hipo_record *record, weir_work *work,
                              uint32_t *count, weir_error *err)
{
    const bool is_whole =
        record->tag < WEIR_HIPO_TAGS && weir_hipo_layout_of(record->tag) == WEIR_HIPO_WHOLE;
    weir_status status;

    *count = 0;
    if (record->tag >= WEIR_HIPO_TAGS)
        return WEIR_OK;
    status = is_whole ? salvage_whole(file, record, work, count, err)
                      : salvage_streams(file, record, work, count, err);
    return is_ours(status) ? status : WEIR_OK;
}
