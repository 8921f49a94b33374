/* SPDX-License-Identifier: Apache-2.0
 * scan.c: steps 3 and 4 of the line for HIPO: a record to one span of all that is wanted of it, and
 * the span to pages: the whole record, or of records by bank and by column the wanted streams. */
#include "formats/hipo/span.h"

#include "core/error.h"

/* ---- memory ---- */

static uint32_t places_for(size_t count)
{
    uint32_t places = 4;

    while (places < 2 * count)
        places *= 2;
    return places;
}

/* Span, columns and all that the format has of them, for `columns` columns and the banks that the
 * filter asks for, in one slab. */
static weir_status make_room(weir_group *group, weir_work *work, size_t columns, weir_span **out,
                             weir_error *err)
{
    const size_t asked = group->want->filter ? group->want->filter->present_count : 0;
    const size_t count = columns + asked;
    const uint32_t places = places_for(count);
    const size_t parts[] = {
        weir_align64(sizeof(weir_span)),
        weir_align64(count * sizeof(int32_t)),
        weir_align64(sizeof(weir_hipo_span)),
        weir_align64(count * sizeof(weir_hipo_stream)),
        weir_align64(count * sizeof(weir_hipo_wanted)),
        weir_align64(count * sizeof(weir_hipo_output)),
        weir_align64(places * sizeof(weir_hipo_place)),
        weir_align64(asked * sizeof(uint32_t)),
    };
    void *at[sizeof parts / sizeof *parts];
    weir_hipo_span *own;
    weir_hold *hold;
    size_t size = 0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        size += parts[i];
    WEIR_TRY(weir_memory_take(work->memory, size, &hold, err));
    memset(hold->data, 0, size);
    size = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        at[i] = hold->data + size;
        size += parts[i];
    }
    own = at[2];
    own->streams = at[3];
    own->wanted = at[4];
    own->outputs = at[5];
    own->by_id = at[6];
    own->mask = places - 1;
    own->asked = at[7];
    own->filter = group->want->filter;
    memset(own->by_id, 0xff, places * sizeof *own->by_id);
    *out = at[0];
    **out = (weir_span){ .group = group, .columns = at[1], .own = own };
    own->self = hold;
    group->own = own;
    return WEIR_OK;
}

/* ---- what is wanted ---- */

static int32_t want_bank(weir_hipo_span *own, const weir_hipo_bank *bank)
{
    weir_hipo_place *place = weir_hipo_span_place(own, bank->id);

    if (place->wanted >= 0)
        return place->wanted;
    *place = (weir_hipo_place){ bank->id, (int32_t)own->wanted_count };
    own->wanted[own->wanted_count] =
        (weir_hipo_wanted){ .bank = bank, .first_output = -1, .stream = -1 };
    return (int32_t)own->wanted_count++;
}

static void link_output(weir_hipo_span *own, weir_hipo_wanted *wanted, int32_t output)
{
    if (wanted->first_output < 0)
        wanted->first_output = output;
    else
        own->outputs[wanted->last_output].next = output;
    wanted->last_output = output;
}

/* Whether the target's values are read; if not, how many there are in each event will do. */
static bool wants_values(const weir_target *target)
{
    return !(target->path && target->path->is_shape) && !(target->forms >> WEIR_SHAPE & 1);
}

static void want_target(const weir_hipo_file *file, weir_hipo_span *own, const weir_target *target,
                        int32_t number)
{
    const weir_hipo_leaf *leaf = &file->leaves[target->from->leaf];
    weir_hipo_output *output = &own->outputs[number];
    const weir_hipo_bank *bank;

    *output = (weir_hipo_output){ .wanted = -1, .stream = -1, .next = -1 };
    if (leaf->bank < 0)
        return;
    bank = &file->banks[leaf->bank];
    output->wanted = want_bank(own, bank);
    link_output(own, &own->wanted[output->wanted], number);
    if (wants_values(target)) {
        output->column = &bank->columns[leaf->column];
        own->wanted[output->wanted].value_size += output->column->size * output->column->count;
    }
}

static void want_targets(const weir_group *group, weir_span *span)
{
    int32_t *columns = (int32_t *)(uintptr_t)span->columns; /* ours until the span is entered */

    for (size_t i = 0; i < group->want->count; i++) {
        const weir_target *target = &group->want->targets[i];

        if (!target->from)
            continue;
        want_target(weir_hipo_file_own(group->file), span->own, target,
                    (int32_t)span->column_count);
        columns[span->column_count++] = (int32_t)i;
    }
}

/* The bank that is a column of the schema; -1: the event's tag. */
static int32_t bank_of(const weir_file *file, int32_t column)
{
    const weir_field *field = weir_schema_column(file->schema, column);

    while (field->leaf < 0)
        field = weir_schema_field(file->schema, field->first_child);
    return weir_hipo_file_own(file)->leaves[field->leaf].bank;
}

/* The tag is in every event. */
static void want_asked(const weir_file *file, weir_hipo_span *own)
{
    const weir_hipo_bank *banks = weir_hipo_file_own(file)->banks;

    for (size_t i = 0; own->filter && i < own->filter->present_count; i++) {
        const int32_t bank = bank_of(file, own->filter->present[i]);

        if (bank >= 0)
            own->asked[own->asked_count++] = (uint32_t)want_bank(own, &banks[bank]);
    }
}

/* ---- enter and leave ---- */

static weir_status enter_whole(const weir_file *file, weir_hipo_span *own, weir_error *err)
{
    own->stream_count = 1;
    return weir_hipo_whole_chain(file, own->record, &own->chain_room, &own->chain, err);
}

static weir_status enter_record(weir_group *group, weir_span *span, weir_work *work,
                                weir_error *err)
{
    weir_hipo_span *own = span->own;

    own->record = &weir_hipo_file_own(group->file)->records[group->ordinal];
    span->offset = own->record->offset;
    span->size = own->record->size;
    if (own->record->tag >= WEIR_HIPO_TAGS)
        return weir_fail_at(err, WEIR_UNSUPPORTED, own->record->offset,
                            "record header: compression tag %u, which means nothing",
                            own->record->tag);
    own->layout = weir_hipo_layout_of(own->record->tag);
    want_targets(group, span);
    want_asked(group->file, own);
    if (own->layout == WEIR_HIPO_WHOLE)
        return enter_whole(group->file, own, err);
    return weir_hipo_directory_read(group->file, own, work, err);
}

weir_status weir_hipo_enter(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                            weir_error *err)
{
    weir_span *span = NULL;
    size_t columns = 0;
    weir_status status;

    for (size_t i = 0; i < group->want->count; i++)
        columns += group->want->targets[i].from != NULL;
    *spans = NULL;
    *count = 0;
    if (columns == 0 && !group->want->filter)
        return WEIR_OK;
    WEIR_TRY(make_room(group, work, columns, &span, err));
    status = enter_record(group, span, work, err);
    if (status != WEIR_OK) {
        weir_hipo_leave(group, NULL, 0);
        return status;
    }
    *spans = span;
    *count = 1;
    return WEIR_OK;
}

/* Of a group that was entered and not begun no span is told. */
void weir_hipo_leave(weir_group *group, weir_span *spans, size_t count)
{
    weir_hipo_span *own = group->own;

    (void)spans;
    (void)count;
    if (!own)
        return;
    weir_hold_release(own->directory);
    group->own = NULL;
    weir_hold_release(own->self);
}

/* ---- pages ---- */

static void stream_page(const weir_hipo_span *own, uint32_t index, weir_page *out)
{
    const weir_hipo_stream *stream = &own->streams[index];

    *out = (weir_page){
        .kind = WEIR_PAGE_DATA,
        .first_row = 0,
        .row_count = own->record->event_count,
        .value_count = own->record->event_count,
        .offset = stream->offset,
        .next = stream->offset + stream->packed_size,
        .packed_size = stream->packed_size,
        .plain_size = stream->plain_size,
        .chain = own->chain,
        .sum_kind = stream->sum ? WEIR_SUM_XXH3 : WEIR_SUM_NONE,
        .sum = stream->sum,
    };
}

/* Pages are numbered as streams are. */
weir_status weir_hipo_scan(const weir_span *span, int64_t from, weir_page *page,
                           weir_window *window, weir_error *err)
{
    const weir_hipo_span *own = weir_hipo_span_own(span);
    const bool is_first = page->next == 0; /* no page begins there: the file's header does */
    const uint32_t index = is_first ? 0 : page->ordinal + 1;

    (void)from;
    (void)window;
    (void)err;
    if (index >= own->stream_count) {
        *page = (weir_page){ .kind = WEIR_PAGE_END,
                             .ordinal = index,
                             .first_row = own->record->event_count,
                             .next = span->offset + span->size };
        return WEIR_OK;
    }
    if (own->layout == WEIR_HIPO_WHOLE)
        weir_hipo_whole_page(own->record, own->chain, page);
    else
        stream_page(own, index, page);
    page->ordinal = index;
    return WEIR_OK;
}
