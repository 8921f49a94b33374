/* SPDX-License-Identifier: Apache-2.0
 * events.c: whole records: their one page, and the events in it. hipo.h has what goes from event to
 * event and from structure to structure. */
#include "formats/hipo/hipo.h"

#include "core/error.h"
#include <inttypes.h>

enum {
    ROOM = 64 * 1024 /* some writers' blocks give a few bytes more than they say */
};

void weir_hipo_events_init(weir_hipo_events *events, const weir_hipo_record *record,
                           const uint8_t *plain)
{
    const uint8_t *first = plain + 4 * (uint64_t)record->event_count + record->user_size;

    *events = (weir_hipo_events){
        .length = plain,
        .at = first,
        .end = first + record->data_size,
        .left = record->event_count,
        .is_swapped = record->is_swapped,
    };
}

weir_status weir_hipo_chain(const weir_file *file, const weir_hipo_record *record, uint32_t codec,
                            weir_chain *room, const weir_chain **out, weir_error *err)
{
    *out = NULL;
    if (codec == WEIR_HIPO_NONE)
        return WEIR_OK;
    room->count = 0;
    WEIR_TRY(weir_blame(err, weir_chain_add(room, file->finder, "hipo", codec, err),
                        "compression tag %u", record->tag));
    *out = room;
    return WEIR_OK;
}

weir_status weir_hipo_whole_chain(const weir_file *file, const weir_hipo_record *record,
                                  weir_chain *room, const weir_chain **out, weir_error *err)
{
    const uint64_t stored = record->size - record->header_size;
    const uint32_t codec = weir_hipo_codec_of(record->tag);

    if (codec == WEIR_HIPO_NONE && weir_hipo_plain_size(record) > stored)
        return weir_fail_at(err, WEIR_CORRUPT, record->offset,
                            "record header: %" PRIu64 " bytes of events in a record of %" PRIu64,
                            weir_hipo_plain_size(record), stored);
    return weir_hipo_chain(file, record, codec, room, out, err);
}

void weir_hipo_whole_page(const weir_hipo_record *record, const weir_chain *chain, weir_page *out)
{
    const uint64_t plain = weir_hipo_plain_size(record);

    *out = (weir_page){
        .kind = WEIR_PAGE_DATA,
        .row_count = record->event_count,
        .value_count = record->event_count,
        .offset = record->offset + record->header_size,
        .next = record->offset + record->size,
        .packed_size = chain ? record->size - record->header_size - record->filler : plain,
        .plain_size = weir_hipo_codec_of(record->tag) == WEIR_HIPO_LZ4 ? plain + ROOM : plain,
        .chain = chain,
    };
}

weir_status weir_hipo_events_load(const weir_file *file, const weir_hipo_record *record,
                                  weir_work *work, weir_hipo_events *out, weir_hold **hold,
                                  weir_error *err)
{
    const weir_chain *chain;
    weir_chain room;
    weir_page page;

    if (record->tag >= WEIR_HIPO_TAGS || weir_hipo_layout_of(record->tag) != WEIR_HIPO_WHOLE)
        return weir_fail_at(err, WEIR_UNSUPPORTED, record->offset,
                            "compression tag %u, which is of no whole record", record->tag);
    WEIR_TRY(weir_hipo_whole_chain(file, record, &room, &chain, err));
    weir_hipo_whole_page(record, chain, &page);
    WEIR_TRY(weir_page_unpack_alone(&page, file->source, work, err));
    if (page.plain.size < weir_hipo_plain_size(record)) {
        weir_hold_release(page.hold);
        return weir_fail_at(err, WEIR_CORRUPT, record->offset, "%zu bytes come out, not %" PRIu64,
                            page.plain.size, weir_hipo_plain_size(record));
    }
    weir_hipo_events_init(out, record, page.plain.data);
    *hold = page.hold;
    return WEIR_OK;
}
