/* SPDX-License-Identifier: Apache-2.0
 * scan.c: steps 3 and 4 of the line for Parquet: a row group to its column chunks, a column chunk
 * to its pages, still packed. A chunk is walked header by header until its values are through; the
 * offset index is only used to leave pages out. */
#include "formats/parquet/header.h"

#include "core/bits.h"
#include "core/error.h"
#include <inttypes.h>

enum {
    HEADER_GUESS = 256,             /* holds nearly every header */
    HEADER_LIMIT = 16 * 1024 * 1024 /* statistics of a page may hold long strings; not longer */
};

/* What a walk along a chunk has met; a page's note holds it all. */
typedef struct walk {
    const weir_parquet_span *span;
    weir_window *window;
    uint64_t at;         /* next header */
    int64_t values;      /* before it */
    uint32_t ordinal;    /* of the next data page */
    bool has_dictionary; /* one was given out */
} walk;

static walk walk_from(const weir_parquet_span *span, const weir_page *page, weir_window *window)
{
    const weir_parquet_note note = weir_parquet_page_note(page);
    walk w = { .span = span, .window = window, .at = span->begin };

    if (page->next == 0) /* no page begins there: that is where the file's magic lies */
        return w;
    w.at = page->next;
    w.values = note.first_value;
    w.has_dictionary = note.has_dictionary;
    if (page->kind == WEIR_PAGE_DATA) {
        w.values += page->value_count;
        w.ordinal = page->ordinal + 1;
    }
    return w;
}

/* A header by a read of its own, for pages that are passed over: their bodies stay unread. false:
 * it is longer than that, or there is trouble, and the window will tell. */
static bool read_alone(const walk *w, weir_parquet_header *out, uint64_t *body)
{
    uint8_t bytes[HEADER_GUESS];
    const size_t size = (size_t)weir_min_u64(sizeof bytes, w->span->file_end - w->at);
    weir_compact in;

    if (weir_window_has(w->window, w->at, size) ||
        weir_source_read(w->window->source, w->at, bytes, size, NULL) != WEIR_OK)
        return false;
    w->window->bytes_read += size;
    weir_compact_init(&in, bytes, size);
    weir_parquet_header_read(&in, out);
    *body = w->at + (uint64_t)(in.at - bytes);
    return in.why == NULL;
}

/* The header at w->at, and the place after it. Rows before `from` are not wanted. */
static weir_status read_header(const walk *w, int64_t from, weir_parquet_header *out,
                               uint64_t *body, weir_error *err)
{
    const uint64_t left = w->span->file_end - w->at;
    size_t least = HEADER_GUESS;

    if (from > w->values && read_alone(w, out, body))
        return WEIR_OK;
    for (;;) {
        weir_view bytes;
        weir_compact in;

        least = (size_t)weir_min_u64(least, left);
        WEIR_TRY(weir_window_peek(w->window, w->at, least, &bytes, err));
        bytes.size = (size_t)weir_min_u64(bytes.size, left);
        weir_compact_init(&in, bytes.data, bytes.size);
        weir_parquet_header_read(&in, out);
        if (!in.why) {
            *body = w->at + (uint64_t)(in.at - bytes.data);
            return WEIR_OK;
        }
        if (!in.is_cut || bytes.size >= HEADER_LIMIT || bytes.size >= left)
            return weir_parquet_trouble(&in, bytes.data, w->at, "page header", err);
        least = bytes.size > SIZE_MAX / 4 ? bytes.size : bytes.size * 4;
    }
}

static bool levels_fit(const weir_parquet_header *header)
{
    const int64_t size = (int64_t)header->definition_size + header->repetition_size;

    return header->definition_size >= 0 && header->repetition_size >= 0 &&
           size <= header->packed_size && size <= header->plain_size;
}

static weir_status check_header(const walk *w, const weir_parquet_header *header, uint64_t body,
                                weir_error *err)
{
    const bool is_data = header->type == WEIR_PARQUET_DATA_PAGE && header->has_data;
    const bool is_dictionary =
        header->type == WEIR_PARQUET_DICTIONARY_PAGE && header->has_dictionary;
    const bool is_v2 = header->type == WEIR_PARQUET_DATA_PAGE_V2 && header->has_data_v2;

    if (header->packed_size < 0 || header->plain_size < 0)
        return weir_fail_at(err, WEIR_CORRUPT, w->at, "page header: its sizes are %d and %d",
                            header->packed_size, header->plain_size);
    if ((uint64_t)header->packed_size > w->span->file_end - body)
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "page header: %d bytes of its page lie beyond the pages' end",
                            header->packed_size);
    if (header->type != WEIR_PARQUET_DATA_PAGE && header->type != WEIR_PARQUET_DICTIONARY_PAGE &&
        header->type != WEIR_PARQUET_DATA_PAGE_V2)
        return WEIR_OK;
    if (!is_data && !is_dictionary && !is_v2)
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "page header: it lacks what type %d is to have", header->type);
    if (header->value_count < 0)
        return weir_fail_at(err, WEIR_CORRUPT, w->at, "page header: the page has %d values",
                            header->value_count);
    if (is_v2 && !levels_fit(header))
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "page header: levels of %d and %d bytes in a page of %d and %d",
                            header->repetition_size, header->definition_size, header->packed_size,
                            header->plain_size);
    return WEIR_OK;
}

static int8_t level_encoding(int32_t encoding)
{
    return encoding == WEIR_PARQUET_RLE || encoding == WEIR_PARQUET_BIT_PACKED ? (int8_t)encoding
                                                                               : -1;
}

/* Whether a codec was at the page's values. `is_compressed` may be false of values that are: then
 * the two sizes differ, which they don't where nothing was done (parquet-cpp before 2.0). */
static bool is_packed(const walk *w, const weir_parquet_header *header, uint32_t bare_size)
{
    if (!w->span->chain || (uint32_t)header->packed_size == bare_size)
        return false;
    if (header->type == WEIR_PARQUET_DATA_PAGE_V2 && !header->is_compressed)
        return header->packed_size != header->plain_size;
    return true;
}

/* The rows that are wanted of a page: those of the chunk, as far as the row group goes. */
static int64_t wanted_rows(const walk *w, int64_t value_count)
{
    const weir_parquet_span *span = w->span;
    const int64_t limit = weir_min_i64(span->value_count, span->row_count);

    if (span->leaf->max_repetition > 0)
        return -1;
    return weir_min_i64(value_count, limit - w->values);
}

/* Of a v1 page its levels, which lie in front of its values. */
static uint64_t need_levels(const weir_page *page, weir_view so_far)
{
    const weir_parquet_note note = weir_parquet_page_note(page);
    const uint32_t widths[] = { note.repetition_width, note.definition_width };
    const int8_t encodings[] = { note.repetition_encoding, note.definition_encoding };
    uint64_t at = 0;

    for (int i = 0; i < 2; i++) {
        const uint64_t packed = ((uint64_t)page->value_count * widths[i] + 7) / 8;

        if (widths[i] == 0)
            continue;
        if (encodings[i] == WEIR_PARQUET_BIT_PACKED)
            at += packed;
        else if (so_far.size >= at + 4)
            at += 4 + (uint64_t)weir_load32(so_far.data + at);
        else
            at += 4 + packed + packed / 4 + 64; /* a guess: short runs take more */
    }
    return at;
}

/* Of a nested page it is known of the one that was looked for. */
static int64_t first_row(const walk *w)
{
    const weir_parquet_landing *start = &w->span->start;

    if (w->span->leaf->max_repetition == 0)
        return w->values;
    return start->at > 0 && w->values == start->first_value ? start->first_row : -1;
}

static bool need_none(const weir_parquet_note *note)
{
    return note->repetition_width == 0 && note->definition_width == 0;
}

static void fill_page(const walk *w, const weir_parquet_header *header, uint64_t body,
                      weir_page *page)
{
    weir_parquet_note note = {
        .encoding = header->encoding,
        .version = 1,
        .has_dictionary = w->has_dictionary,
        .definition_encoding = level_encoding(header->definition_encoding),
        .repetition_encoding = level_encoding(header->repetition_encoding),
        .repetition_width = weir_parquet_level_width(w->span->leaf->max_repetition),
        .definition_width = weir_parquet_level_width(w->span->leaf->max_definition),
        .first_value = w->values,
        .null_count = -1,
    };

    *page = (weir_page){
        .kind = WEIR_PAGE_DATA,
        .ordinal = w->ordinal,
        .first_row = first_row(w),
        .row_count = wanted_rows(w, header->value_count),
        .value_count = header->value_count,
        .offset = body,
        .next = body + (uint64_t)header->packed_size,
        .packed_size = (uint64_t)header->packed_size,
        .plain_size = (uint64_t)header->plain_size,
        .sum_kind = header->has_crc ? WEIR_SUM_CRC32 : WEIR_SUM_NONE,
        .sum = (uint32_t)header->crc,
    };
    if (header->type == WEIR_PARQUET_DATA_PAGE_V2) {
        note.version = 2;
        note.definition_encoding = note.repetition_encoding = WEIR_PARQUET_RLE;
        note.definition_size = (uint32_t)header->definition_size;
        note.repetition_size = (uint32_t)header->repetition_size;
        note.null_count = header->null_count;
        page->bare_size = note.definition_size + note.repetition_size;
    }
    /* A shape takes the levels alone, which no codec touched in v2, or there may be none. */
    if (is_packed(w, header, page->bare_size) &&
        !(w->span->is_shape && (note.version == 2 || need_none(&note))))
        page->chain = w->span->chain;
    if (page->chain && w->span->is_shape)
        page->need = need_levels;
    memcpy(page->note, &note, sizeof note);
}

/* A dictionary comes first, if there is one. One without bytes has nothing to tell. */
static weir_status take_dictionary(walk *w, const weir_parquet_header *header, uint64_t body,
                                   weir_page *page, bool *taken, weir_error *err)
{
    if (w->has_dictionary)
        return weir_fail_at(err, WEIR_CORRUPT, w->at, "a second dictionary page");
    if (w->ordinal > 0)
        return weir_fail_at(err, WEIR_CORRUPT, w->at, "a dictionary page after data pages");
    w->has_dictionary = header->packed_size > 0;
    *taken = w->has_dictionary && !w->span->is_shape;
    if (!*taken)
        return WEIR_OK;
    fill_page(w, header, body, page);
    page->kind = WEIR_PAGE_SHARED;
    page->first_row = page->row_count = 0;
    return WEIR_OK;
}

/* The chunk is over by its values. Its size may leave out the header of its dictionary page (some
 * 15 bytes), so its last page may end beyond it, but none begins there: what does is the next
 * column's. */
static bool is_over(const walk *w)
{
    const weir_parquet_span *span = w->span;

    return w->values >= span->value_count || w->at >= span->end || w->at >= span->file_end;
}

/* A flat column must have as many values as the row group has rows: what is missing, or too much,
 * is told once the rows before it are out. */
static weir_status check_rows(const walk *w, weir_error *err)
{
    const weir_parquet_span *span = w->span;
    const int64_t values = weir_min_i64(w->values, span->value_count);

    if (values < span->row_count)
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "the column ends after %" PRId64 " of the row group's %" PRId64 " rows",
                            values, span->row_count);
    if (values > span->row_count)
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "the column has %" PRId64 " values or more, its row group %" PRId64
                            " rows",
                            values, span->row_count);
    return WEIR_OK;
}

/* A nested column's rows are counted by decode; the levels of its last one end where the chunk
 * says.
 */
static weir_status check_levels(const walk *w, weir_error *err)
{
    if (w->values == w->span->value_count)
        return WEIR_OK;
    return weir_fail_at(err, WEIR_CORRUPT, w->at,
                        "the pages hold %" PRId64 " values or more, the column chunk %" PRId64,
                        w->values, w->span->value_count);
}

/* ---- offset index ---- */

/* The last place that begins at row `from` or before. */
static size_t find_place(const weir_parquet_span *span, int64_t from)
{
    size_t low = 0, high = span->place_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (span->places[middle].first_row <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

/* Whether the pages at places [begin, end) have as many values as the index says. */
static weir_status confirm(const walk *w, size_t begin, size_t end, bool *is_so, weir_error *err)
{
    const weir_parquet_span *span = w->span;
    walk there = *w;

    *is_so = false;
    for (size_t i = begin; i < end; i++) {
        const bool is_last = i + 1 == span->place_count;
        const int64_t next_row = is_last ? span->row_count : span->places[i + 1].first_row;
        const uint64_t next = is_last ? span->file_end : span->places[i + 1].offset;
        weir_parquet_header header;
        uint64_t body;
        weir_status status;

        there.at = span->places[i].offset;
        status = read_header(&there, INT64_MAX, &header, &body, err);
        if (status != WEIR_OK)
            return status == WEIR_CORRUPT ? WEIR_OK : status;
        if ((header.type != WEIR_PARQUET_DATA_PAGE && header.type != WEIR_PARQUET_DATA_PAGE_V2) ||
            header.value_count != next_row - span->places[i].first_row || header.packed_size < 0 ||
            body > next || (uint64_t)header.packed_size > next - body)
            return WEIR_OK;
    }
    *is_so = true;
    return WEIR_OK;
}

/* Goes to the page with row `from`. An index whose rows are shifted looks like any other, so its
 * rows are counted in the headers, from here to the page or from the page to the chunk's end,
 * whichever is nearer: if they differ it stays, and the headers between are walked. */
static weir_status jump(walk *w, int64_t from, weir_error *err)
{
    const weir_parquet_span *span = w->span;
    const size_t here = find_place(span, w->values), there = find_place(span, from);
    const bool is_near = there - here < span->place_count - there;
    bool is_so;

    /* An index that knows of more rows than the chunk has values is found out by walking. */
    if (there <= here || span->places[there].offset <= w->at ||
        span->places[there].first_row >= span->value_count ||
        (is_near && span->places[here].offset != w->at))
        return WEIR_OK;
    WEIR_TRY(confirm(w, is_near ? here : there, is_near ? there : span->place_count, &is_so, err));
    if (is_so) {
        w->at = span->places[there].offset;
        w->values = span->places[there].first_row;
        w->ordinal = (uint32_t)there;
    }
    return WEIR_OK;
}

/* A nested chunk's start is the one that was found, a flat one's is told by its values. */
static bool is_wanted(const walk *w, int64_t value_count, int64_t from)
{
    if (w->span->leaf->max_repetition > 0)
        return w->at >= w->span->start.at;
    return w->values + value_count > from;
}

static void go_to_start(walk *w)
{
    const weir_parquet_landing *start = &w->span->start;

    w->at = start->at;
    w->values = start->first_value;
    w->ordinal = start->ordinal;
}

/* Makes `page` of what lies at w->at, unless it is to be passed over. */
static weir_status take(walk *w, const weir_parquet_header *header, uint64_t body, int64_t from,
                        weir_page *page, bool *taken, weir_error *err)
{
    const bool is_flat = w->span->leaf->max_repetition == 0;

    *taken = false;
    if (header->type == WEIR_PARQUET_DICTIONARY_PAGE)
        return take_dictionary(w, header, body, page, taken, err);
    if (header->type != WEIR_PARQUET_DATA_PAGE && header->type != WEIR_PARQUET_DATA_PAGE_V2)
        return WEIR_OK; /* of an index, or of a kind from the future */
    if (is_flat && header->value_count > 0 && w->values >= w->span->row_count)
        return weir_fail_at(err, WEIR_CORRUPT, w->at,
                            "a page beyond the row group's %" PRId64 " rows", w->span->row_count);
    *taken = header->value_count > 0 && is_wanted(w, header->value_count, from);
    if (*taken) {
        fill_page(w, header, body, page);
        return WEIR_OK;
    }
    w->values += header->value_count;
    w->ordinal++;
    return WEIR_OK;
}

/* The page at w->at: made when it is wanted, else passed. */
static weir_status step(walk *w, int64_t from, weir_page *page, bool *taken, weir_error *err)
{
    weir_parquet_header header;
    uint64_t body;
    weir_status status = read_header(w, from, &header, &body, err);

    if (status == WEIR_OK)
        status = check_header(w, &header, body, err);
    if (status == WEIR_OK)
        status = take(w, &header, body, from, page, taken, err);
    if (status != WEIR_OK)
        return weir_blame(err, status, "page %" PRIu32, w->ordinal);
    if (!*taken)
        w->at = body + (uint64_t)header.packed_size;
    return WEIR_OK;
}

weir_status weir_parquet_scan(const weir_span *span, int64_t from, weir_page *page,
                              weir_window *window, weir_error *err)
{
    walk w = walk_from(weir_parquet_span_own(span), page, window);
    const bool is_flat = w.span->leaf->max_repetition == 0;
    bool may_jump = w.span->place_count > 0, taken = false;

    if (is_flat && weir_min_i64(w.values, w.span->value_count) > w.span->row_count)
        return check_rows(&w, err);
    while (!is_over(&w)) {
        /* What the chunk begins with must be seen: it may be its dictionary. */
        const bool is_begun = w.has_dictionary || w.ordinal > 0;

        if (may_jump && from > w.values && is_begun) {
            may_jump = false;
            WEIR_TRY(jump(&w, from, err));
        }
        if (is_begun && w.at < w.span->start.at)
            go_to_start(&w);
        WEIR_TRY(step(&w, from, page, &taken, err));
        if (taken)
            return WEIR_OK;
    }
    WEIR_TRY(is_flat ? check_rows(&w, err) : check_levels(&w, err));
    *page = (weir_page){
        .kind = WEIR_PAGE_END, .ordinal = w.ordinal, .first_row = w.span->row_count, .next = w.at
    };
    return WEIR_OK;
}
