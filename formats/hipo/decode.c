/* SPDX-License-Identifier: Apache-2.0
 * decode.c: step 6 of the line for HIPO: events to rows, a slice at a time.
 *
 * A slice is looked at once, for all banks that are wanted: how many rows each event has of each,
 * and where they begin. Of a whole record this is a walk over the structures of its events; by bank
 * and by column it stands in the directory. Then each column gathers its values, event by event, or
 * from a stream of its own all at once. */
#include "formats/hipo/span.h"

#include "core/error.h"
#include <inttypes.h>

enum {
    SLICE_PLACES = 64 * 1024, /* of all banks together: a slice of many has fewer events */
    SLICE_LEAST = 64,
    AHEAD = 2048, /* bytes that are asked for before they are walked */
    LINE = 64
};

/* weir_cursor.own, at the front of a hold of its own; made when the first page is fed. */
typedef struct hipo_cursor {
    weir_hold *self;
    weir_view *pages; /* by stream; plain */
    weir_hold **holds;
    uint64_t *passed; /* by wanted bank, of the events before: bytes in the bank's stream, or rows
                         in its columns' */
    uint32_t fed;
    bool has_end;            /* END was fed */
    weir_hipo_events events; /* whole: from cursor->row on */
} hipo_cursor;

/* Events in a row, and where their rows of each wanted bank are. */
typedef struct slice {
    int64_t passed;   /* whole events */
    int64_t count;    /* those of them that the filter lets through */
    int64_t most;     /* there is room for so many, and what is by event has one more */
    uint64_t weight;  /* about the bytes of the wanted columns */
    int32_t *rows;    /* by wanted bank, then by event: -1: the event lacks it */
    uint32_t *places; /* the same: where the bank begins, from `begin`, in its stream, or in rows
                         of its columns' */
    int64_t *all;     /* by wanted bank: rows in all events */
    uint32_t *tags;   /* by event */
    int64_t *numbers; /* the same, in the group; NULL: there is no filter */
    const uint8_t *begin;
    weir_status status; /* of the event after them: OK, or why it can't be read */
    const char *why;
} slice;

static int32_t *rows_of(const slice *s, uint32_t bank)
{
    return s->rows + (size_t)bank * (size_t)(s->most + 1);
}

static uint32_t *places_of(const slice *s, uint32_t bank)
{
    return s->places + (size_t)bank * (size_t)(s->most + 1);
}

static void break_off(slice *s, int64_t count, weir_status status, const char *why)
{
    s->count = count;
    s->status = status;
    s->why = why;
}

/* Even a list whose values nobody wants is counted in elements. */
static uint64_t weight_of(const weir_hipo_wanted *wanted, int64_t rows)
{
    return rows > 0 ? (uint64_t)rows * (wanted->value_size ? wanted->value_size : 1) : 0;
}

/* ---- whole records ---- */

/* A structure of event `index`; the weight of what is wanted of it. */
static uint64_t take_structure(const weir_hipo_span *span, const slice *s, int64_t index,
                               const weir_hipo_structure *structure)
{
    const int32_t found = weir_hipo_span_find(span, structure->id);
    const weir_hipo_wanted *wanted;
    uint32_t *place;
    int32_t rows;

    if (found < 0)
        return 0;
    place = &places_of(s, (uint32_t)found)[index];
    if (*place) /* the first of a name counts, whatever it is */
        return 0;
    *place = (uint32_t)(structure->data - s->begin);
    if (structure->format_size > 0 || structure->type == WEIR_HIPO_STRING)
        return 0;
    wanted = &span->wanted[found];
    rows = (int32_t)weir_hipo_rows(wanted->bank, structure->size);
    rows_of(s, (uint32_t)found)[index] = rows;
    return weight_of(wanted, rows);
}

/* The next event, number `index` of the slice; NULL, or what is wrong with it. */
static const char *take_event(const weir_hipo_span *span, const slice *s, int64_t index,
                              weir_hipo_events *events, uint64_t *weight)
{
    weir_hipo_structure structure;
    weir_hipo_event event;

    if (!weir_hipo_event_next(events, &event))
        return "the event reaches past its record's end";
    s->tags[index] = event.tag;
    while (weir_hipo_has_structure(&event)) {
        if (!weir_hipo_structure_next(&event, events->is_swapped, &structure))
            return "a structure reaches past its event's end";
        *weight += take_structure(span, s, index, &structure);
    }
    return NULL;
}

/* Asks for the lines of events to come, three for each that is walked: the way from header to
 * header is none that a CPU foresees. Takes a quarter off the walk where a record is not in the L2
 * cache. An address past the record's end does no harm. */
static inline void fetch_ahead(const uint8_t *at)
{
    const uintptr_t ahead = (uintptr_t)at + AHEAD;

    for (uintptr_t line = 0; line < 3; line++)
        __builtin_prefetch((const void *)(ahead + line * LINE));
}

static void walk_events(const weir_hipo_span *span, hipo_cursor *own, uint64_t weight_most,
                        slice *s)
{
    const size_t size = (size_t)(s->most + 1) * span->wanted_count * sizeof(uint32_t);
    weir_hipo_events events = own->events;
    const char *why = NULL;
    uint64_t weight = 0;
    int64_t i = 0;

    memset(s->rows, 0xff, size);
    memset(s->places, 0, size);
    s->begin = events.end - span->record->data_size;
    while (i < s->most && weight < weight_most) {
        fetch_ahead(events.at);
        why = take_event(span, s, i, &events, &weight);
        if (why)
            break;
        i++;
    }
    own->events = events;
    break_off(s, i, why ? WEIR_CORRUPT : WEIR_OK, why);
}

/* ---- records with a directory ---- */

static void look_up_bank(const weir_hipo_span *span, const weir_hipo_wanted *wanted, int64_t first,
                         uint64_t passed, int32_t *rows, uint32_t *places, slice *s)
{
    const uint8_t *sizes = wanted->sizes + 4 * (size_t)first;
    const uint8_t *presence = wanted->presence + (size_t)first * span->presence_stride;
    uint32_t at = (uint32_t)passed; /* a stream has less than 4 GiB */

    for (int64_t i = 0; i < s->count; i++) {
        const uint32_t size = weir_load32(sizes + 4 * i);
        const uint32_t count = weir_hipo_rows(wanted->bank, size);
        const bool is_there = presence[(size_t)i * span->presence_stride] & wanted->presence_bit;

        places[i] = at;
        if (!is_there && size > 0)
            break_off(s, i, WEIR_CORRUPT, "directory: a bank has bytes where it is absent");
        else if (count > INT32_MAX)
            break_off(s, i, WEIR_LIMIT, "more than 2^31 - 1 rows of a bank");
        rows[i] = is_there ? (int32_t)count : -1;
        at += wanted->stream >= 0 ? size : count;
    }
    places[s->count] = at;
}

static void look_up_events(const weir_hipo_span *span, const hipo_cursor *own, int64_t first,
                           slice *s)
{
    memcpy(s->tags, span->tags + 4 * (size_t)first, (size_t)s->count * sizeof *s->tags);
    for (uint32_t b = 0; b < span->wanted_count; b++)
        if (span->wanted[b].sizes)
            look_up_bank(span, &span->wanted[b], first, own->passed[b], rows_of(s, b),
                         places_of(s, b), s);
        else
            memset(rows_of(s, b), 0xff, (size_t)s->count * sizeof *s->rows);
}

/* Rows of each bank in all events of the slice, and its weight. */
static void add_up(const weir_hipo_span *span, slice *s)
{
    s->weight = 0;
    for (uint32_t b = 0; b < span->wanted_count; b++) {
        const int32_t *rows = rows_of(s, b);

        s->all[b] = 0;
        for (int64_t i = 0; i < s->count; i++)
            s->all[b] += rows[i] > 0 ? rows[i] : 0;
        s->weight += weight_of(&span->wanted[b], s->all[b]);
    }
}

/* Ends the slice after the event in which it gets too heavy. */
static void cut_to_weight(const weir_hipo_span *span, uint64_t weight_most, slice *s)
{
    s->weight = 0;
    for (int64_t i = 0; i + 1 < s->count; i++) {
        for (uint32_t b = 0; b < span->wanted_count; b++)
            s->weight += weight_of(&span->wanted[b], rows_of(s, b)[i]);
        if (s->weight >= weight_most)
            break_off(s, i + 1, WEIR_OK, NULL);
    }
}

/* Leaves out the events that the filter doesn't let through. */
static void sift(const weir_hipo_span *span, int64_t first_row, slice *s)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < s->count; i++) {
        bool passes = weir_hipo_passes_tag(span->filter, s->tags[i]);

        for (uint32_t p = 0; passes && p < span->asked_count; p++)
            passes = rows_of(s, span->asked[p])[i] >= 0;
        if (!passes)
            continue;
        s->numbers[kept] = first_row + i;
        s->tags[kept] = s->tags[i];
        for (uint32_t b = 0; b < span->wanted_count; b++) {
            rows_of(s, b)[kept] = rows_of(s, b)[i];
            places_of(s, b)[kept] = places_of(s, b)[i];
        }
        kept++;
    }
    s->count = kept;
}

/* ---- slices ---- */

static weir_status open_slice(const weir_hipo_span *span, int64_t most, weir_work *work, slice *s,
                              weir_error *err)
{
    const int64_t banks = span->wanted_count ? span->wanted_count : 1;
    const int64_t room = SLICE_PLACES / banks > SLICE_LEAST ? SLICE_PLACES / banks : SLICE_LEAST;
    size_t places;

    *s = (slice){ .count = weir_min_i64(most, weir_min_i64(room, WEIR_SLICE)) };
    s->most = s->count;
    places = (size_t)(s->most + 1) * (size_t)banks;
    s->rows = weir_arena_alloc(&work->scratch, places * sizeof *s->rows);
    s->places = weir_arena_alloc(&work->scratch, places * sizeof *s->places);
    s->all = weir_arena_array(&work->scratch, (size_t)banks, sizeof *s->all);
    s->tags = weir_arena_alloc(&work->scratch, (size_t)s->most * sizeof *s->tags);
    if (span->filter)
        s->numbers = weir_arena_alloc(&work->scratch, (size_t)s->most * sizeof *s->numbers);
    if (!s->rows || !s->places || !s->all || !s->tags || (span->filter && !s->numbers))
        return weir_fail_memory(err, places * 8);
    return WEIR_OK;
}

/* Past what was looked at: what is taken of it, `places` tell. */
static void pass(const weir_hipo_span *span, hipo_cursor *own, slice *s)
{
    s->passed = s->count;
    for (uint32_t b = 0; span->layout != WEIR_HIPO_WHOLE && b < span->wanted_count; b++)
        if (span->wanted[b].sizes)
            own->passed[b] = places_of(s, b)[s->count];
}

static void look_at(const weir_cursor *cursor, uint64_t weight_most, slice *s)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    hipo_cursor *own = cursor->own;

    if (span->layout == WEIR_HIPO_WHOLE)
        walk_events(span, own, weight_most, s);
    else
        look_up_events(span, own, cursor->row, s);
    add_up(span, s);
    if (span->layout != WEIR_HIPO_WHOLE && s->weight > weight_most) {
        cut_to_weight(span, weight_most, s);
        add_up(span, s);
    }
    pass(span, own, s);
    if (span->filter) {
        sift(span, cursor->row, s);
        add_up(span, s);
    }
}

/* ---- values ---- */

/* Column by column of one bank after the other. */
static void gather(uint8_t *to, const uint8_t *base, const int32_t *rows, const uint32_t *places,
                   int64_t count, const weir_hipo_column *column)
{
    const size_t width = (size_t)column->size * column->count, offset = column->offset;

    for (int64_t i = 0; i < count; i++) {
        const size_t n = rows[i] > 0 ? (size_t)rows[i] : 0;

        weir_copy_short(to, base + places[i] + n * offset, n * width);
        to += n * width;
    }
}

/* Rows [first, first + count) of a column's own stream. */
static void copy_stream(uint8_t *to, const weir_hipo_stream *stream, const uint8_t *page,
                        uint64_t first, int64_t count, const weir_hipo_column *column,
                        const weir_kernels *kernels)
{
    const size_t width = (size_t)column->size * column->count;

    if (stream->planes) {
        const size_t values = width / stream->planes; /* a row */

        kernels->join_streams(page + first * values, stream->plain_size / stream->planes,
                              stream->planes, (size_t)count * values, to);
    } else {
        memcpy(to, page + first * width, (size_t)count * width);
    }
}

/* The same of events that don't follow each other. */
static void copy_rows(uint8_t *to, const weir_hipo_stream *stream, const uint8_t *page,
                      const int32_t *rows, const uint32_t *places, int64_t count,
                      const weir_hipo_column *column, const weir_kernels *kernels)
{
    const size_t width = (size_t)column->size * column->count;

    for (int64_t i = 0, next; i < count; i = next) {
        uint32_t end = places[i];

        for (next = i; next < count && places[next] == end; next++)
            end += rows[next] > 0 ? (uint32_t)rows[next] : 0;
        copy_stream(to, stream, page, places[i], end - places[i], column, kernels);
        to += (end - places[i]) * width;
    }
}

static void swap_numbers(uint8_t *at, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, at += size)
        for (size_t k = 0; k < size / 2; k++) {
            const uint8_t byte = at[k];

            at[k] = at[size - 1 - k];
            at[size - 1 - k] = byte;
        }
}

static void put_values(const weir_cursor *cursor, const weir_hipo_output *output, const slice *s,
                       const weir_kernels *kernels, uint8_t *to)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const hipo_cursor *own = cursor->own;
    const weir_hipo_column *column = output->column;
    const uint32_t bank = (uint32_t)output->wanted;
    const int32_t stream = output->stream >= 0 ? output->stream : span->wanted[bank].stream;

    if (output->stream >= 0 && !s->numbers) /* nothing was left out: all of them at once */
        copy_stream(to, &span->streams[stream], own->pages[stream].data, places_of(s, bank)[0],
                    s->all[bank], column, kernels);
    else if (output->stream >= 0)
        copy_rows(to, &span->streams[stream], own->pages[stream].data, rows_of(s, bank),
                  places_of(s, bank), s->count, column, kernels);
    else
        gather(to, stream >= 0 ? own->pages[stream].data : s->begin, rows_of(s, bank),
               places_of(s, bank), s->count, column);
    if (span->record->is_swapped)
        swap_numbers(to, (size_t)s->all[bank] * column->count, column->size);
}

/* Rows of the leaf to make room for: at first for as many as the batch will have, if its events are
 * like these. */
static int64_t rows_ahead(const weir_builder *out, const weir_builder *leaf, const slice *s,
                          int64_t rows)
{
    const int64_t like_these = rows * (out->row_room / s->count + 1);
    const int64_t most = (int64_t)(out->byte_room / leaf->target->field->width) + rows;

    return leaf->slab ? rows : weir_min_i64(like_these, most);
}

/* Lists of one bank are built once, by the `leader` among its columns; NULL: this one is it. */
static weir_status append_list(const weir_cursor *cursor, const weir_hipo_output *output,
                               weir_builder *out, const weir_builder *leader, const slice *s,
                               weir_work *work, weir_error *err)
{
    const uint32_t bank = (uint32_t)output->wanted;
    int64_t rows = s->all[bank], done;
    weir_builder *leaf;
    weir_nested *nested;
    void *to;

    WEIR_TRY(weir_builder_nested(out, work, &nested, err));
    if (leader)
        weir_nest_follow(&nested->nest, &leader->nested->nest);
    else
        WEIR_TRY(weir_nest_add_lists(&nested->nest, work, rows_of(s, bank), s->count, &rows, err));
    leaf = &nested->leaf;
    if (out->target->path->is_shape || rows == 0)
        return WEIR_OK;
    WEIR_TRY(weir_builder_reserve(leaf, work, rows_ahead(out, leaf, s, rows), err));
    if (!output->column)
        return weir_builder_append_shape(leaf, work, rows, NULL, rows, &done, err);
    WEIR_TRY(weir_builder_stage(leaf, work, false, rows, &to, err));
    put_values(cursor, output, s, work->kernels, to);
    return weir_builder_append(leaf, work, to, rows, NULL, rows, &done, err);
}

/* One value an event, of `width` bytes. */
static weir_status append_flat(weir_builder *out, const void *values, size_t width, int64_t count,
                               weir_work *work, weir_error *err)
{
    int64_t done;
    void *to;

    WEIR_TRY(weir_builder_stage(out, work, false, count, &to, err));
    memcpy(to, values, (size_t)count * width);
    return weir_builder_append(out, work, to, count, NULL, count, &done, err);
}

static weir_status append_tags(weir_builder *out, const slice *s, weir_work *work, weir_error *err)
{
    int64_t done;

    if (out->target->forms >> WEIR_SHAPE & 1)
        return weir_builder_append_shape(out, work, s->count, NULL, s->count, &done, err);
    return append_flat(out, s->tags, sizeof *s->tags, s->count, work, err);
}

/* The first column of the same bank whose way goes as far; a shape's ends at the list. */
static const weir_builder *leader_of(const weir_hipo_span *span, const weir_builder *out,
                                     uint32_t index)
{
    const int32_t first = span->wanted[span->outputs[index].wanted].first_output;

    return (uint32_t)first != index &&
                   out[first].target->path->count == out[index].target->path->count
               ? &out[first]
               : NULL;
}

/* The lists first, whose rows are only counted once all are there; then the numbers and the tags,
 * the first column last of all: whatever fails, no column is shorter than the first one. */
static weir_status append_slice(weir_cursor *cursor, weir_builder *out, const slice *s,
                                weir_work *work, weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const uint32_t count = cursor->span->column_count;

    for (uint32_t i = 0; i < count; i++)
        if (span->outputs[i].wanted >= 0)
            WEIR_TRY(append_list(cursor, &span->outputs[i], &out[i], leader_of(span, out, i), s,
                                 work, err));
    if (span->filter)
        WEIR_TRY(append_flat(&out[count], s->numbers, sizeof *s->numbers, s->count, work, err));
    for (uint32_t i = count; i-- > 0;) {
        if (span->outputs[i].wanted >= 0)
            out[i].rows += s->count;
        else
            WEIR_TRY(append_tags(&out[i], s, work, err));
    }
    return WEIR_OK;
}

/* ---- going on ---- */

/* Events up to where nothing more is wanted. */
static int64_t events_left(const weir_cursor *cursor)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const int64_t end = span->record->row_count;

    return (span->filter ? weir_min_i64(cursor->to, end) : end) - cursor->row;
}

static weir_status decode_slice(weir_cursor *cursor, weir_builder *out, weir_work *work,
                                weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_status status;
    slice s;

    status =
        open_slice(span, weir_min_i64(events_left(cursor), weir_builder_left(out)), work, &s, err);
    if (status == WEIR_OK) {
        look_at(cursor, out->byte_room, &s);
        if (s.count > 0)
            status = append_slice(cursor, out, &s, work, err);
        if (status == WEIR_OK)
            cursor->row += s.passed;
    }
    weir_arena_reset(&work->scratch, mark);
    WEIR_TRY(status);
    if (s.status != WEIR_OK)
        return weir_fail_at(err, s.status, span->record->offset, "event %" PRId64 ": %s",
                            cursor->row, s.why);
    for (uint32_t i = 0; i < cursor->span->column_count; i++)
        if (weir_builder_is_past(&out[i]))
            out[0].is_full = true;
    return WEIR_OK;
}

/* Whether there are events to look at; if not, what is missing is asked for. */
static bool is_ready(weir_cursor *cursor)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const hipo_cursor *own = cursor->own;
    const bool is_fed = own && (own->fed == span->stream_count);
    const bool is_over = cursor->row == span->record->row_count;

    cursor->hungry = !is_fed || (is_over && !own->has_end);
    cursor->ended = is_over && own && own->has_end;
    return is_fed && !is_over;
}

weir_status weir_hipo_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                             weir_error *err)
{
    while (weir_builder_left(out) > 0 && is_ready(cursor) && events_left(cursor) > 0)
        WEIR_TRY(decode_slice(cursor, out, work, err));
    return WEIR_OK;
}

/* ---- skipping ---- */

static weir_status skip_events(weir_cursor *cursor, int64_t to, weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    hipo_cursor *own = cursor->own;
    weir_hipo_event event;

    for (; cursor->row < to; cursor->row++)
        if (!weir_hipo_event_next(&own->events, &event))
            return weir_fail_at(err, WEIR_CORRUPT, span->record->offset,
                                "event %" PRId64 ": the event reaches past its record's end",
                                cursor->row);
    return WEIR_OK;
}

static void skip_in_directory(weir_cursor *cursor, int64_t to)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    hipo_cursor *own = cursor->own;

    for (uint32_t b = 0; b < span->wanted_count; b++) {
        const weir_hipo_wanted *wanted = &span->wanted[b];

        for (int64_t i = cursor->row; wanted->sizes && i < to; i++) {
            const uint32_t size = weir_load32(wanted->sizes + 4 * (size_t)i);

            own->passed[b] += wanted->stream >= 0 ? size : weir_hipo_rows(wanted->bank, size);
        }
    }
    cursor->row = to;
}

weir_status weir_hipo_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);

    (void)work;
    to = weir_min_i64(to, span->record->row_count);
    if (!is_ready(cursor) || to <= cursor->row)
        return WEIR_OK;
    if (span->layout == WEIR_HIPO_WHOLE)
        WEIR_TRY(skip_events(cursor, to, err));
    else
        skip_in_directory(cursor, to);
    is_ready(cursor);
    return WEIR_OK;
}

/* ---- pages ---- */

weir_status weir_hipo_start(weir_cursor *cursor, weir_error *err)
{
    (void)cursor;
    (void)err;
    return WEIR_OK;
}

static weir_status make_own(weir_cursor *cursor, weir_work *work, weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const size_t streams = span->stream_count;
    const size_t size = sizeof(hipo_cursor) + streams * (sizeof(weir_view) + sizeof(weir_hold *)) +
                        span->wanted_count * sizeof(uint64_t);
    hipo_cursor *own;
    weir_hold *self;

    WEIR_TRY(weir_memory_take(work->memory, size, &self, err));
    own = (hipo_cursor *)(void *)self->data;
    memset(own, 0, size);
    own->self = self;
    own->pages = (weir_view *)(void *)(own + 1);
    own->holds = (weir_hold **)(void *)(own->pages + streams);
    own->passed = (uint64_t *)(void *)(own->holds + streams);
    cursor->own = own;
    return WEIR_OK;
}

static weir_status take_page(weir_cursor *cursor, const weir_page *page, weir_error *err)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    const bool is_whole = span->layout == WEIR_HIPO_WHOLE;
    const uint64_t wanted =
        is_whole ? weir_hipo_plain_size(span->record) : span->streams[page->ordinal].plain_size;
    hipo_cursor *own = cursor->own;

    own->pages[page->ordinal] = page->plain;
    own->holds[page->ordinal] = page->hold;
    own->fed++;
    if (page->plain.size < wanted)
        return weir_fail_at(err, WEIR_CORRUPT, page->offset, "%zu bytes come out, not %" PRIu64,
                            page->plain.size, wanted);
    if (is_whole)
        weir_hipo_events_init(&own->events, span->record, page->plain.data);
    return WEIR_OK;
}

weir_status weir_hipo_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                           weir_error *err)
{
    hipo_cursor *own;

    cursor->hungry = false;
    if (!cursor->own) {
        const weir_status status = make_own(cursor, work, err);

        if (status != WEIR_OK) {
            weir_hold_release(page->hold);
            return status;
        }
    }
    if (page->kind != WEIR_PAGE_END)
        return take_page(cursor, page, err);
    own = cursor->own;
    own->has_end = true;
    weir_hold_release(page->hold);
    return WEIR_OK;
}

void weir_hipo_stop(weir_cursor *cursor)
{
    const weir_hipo_span *span = weir_hipo_span_own(cursor->span);
    hipo_cursor *own = cursor->own;

    if (!own)
        return;
    for (uint32_t i = 0; i < span->stream_count; i++)
        weir_hold_release(own->holds[i]);
    cursor->own = NULL;
    weir_hold_release(own->self);
}
