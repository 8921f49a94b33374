/* SPDX-License-Identifier: Apache-2.0
 * decode.c: step 6 of the line for flat Parquet columns: plain pages in, rows of a vector out.
 *
 * A page is cut into slices of at most WEIR_SLICE rows, which stay in the first caches: levels
 * become presence bits, then the slice's values go to the builder. A slice that a builder can't
 * take whole stays with the cursor. What is wrong with a page is kept as `trouble` and told when
 * all rows before it are out, so that its row is exact. */
#include "core/bits.h"
#include "core/error.h"
#include "formats/parquet/dictionary.h"
#include "formats/parquet/levels.h"
#include "formats/parquet/nested.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/values.h"

#include <inttypes.h>

enum {
    SLICE_BYTES = 1 << 20 /* a slice of wide values has fewer rows */
};

/* Only leaves of bytes need it. Their slices are shorter where values come as views. */
typedef struct text_room {
    weir_strings strings;
    weir_view views[WEIR_STRINGS_SLICE];
} text_room;

/* weir_cursor.own, at the front of a hold of its own; made when the first page is fed. */
typedef struct flat_cursor {
    weir_hold *self;
    text_room *text;    /* behind it; NULL where it isn't needed */
    weir_error trouble; /* status OK: none */

    weir_page page; /* kind END: none */
    weir_parquet_note note;
    bool is_open;         /* its levels were found */
    bool has_values;      /* its values were begun */
    int64_t slots;        /* wanted ones of the page that were not cut into slices yet */
    int64_t behind;       /* rows of the page before cursor->row: nobody wants them */
    int64_t next_row;     /* the first row after the page */
    weir_view body;       /* the page after its levels */
    size_t present_count; /* SPLIT: values of the whole page */
    weir_levels levels;
    weir_values values;

    /* The slice. */
    int64_t rows, count; /* still to come; how many of them are present */
    size_t ready, first; /* codes or views of it that were decoded, and where they begin */
    uint8_t present[WEIR_SLICE / 8 + WEIR_SLACK]; /* unless all are */
    uint32_t codes[WEIR_SLICE + WEIR_SLACK / 4];
} flat_cursor;

static const weir_target *target_of(const weir_cursor *cursor)
{
    return &cursor->span->group->want->targets[cursor->span->columns[0]];
}

static bool wants_shape(const weir_target *target)
{
    return target->forms >> WEIR_SHAPE & 1;
}

/* ---- trouble ---- */

/* Keeps an error for when the rows before it are out. */
static void keep_trouble(flat_cursor *own, const weir_error *error, weir_status status,
                         const char *part)
{
    own->trouble = *error;
    own->trouble.offset = (int64_t)own->page.offset;
    weir_blame(&own->trouble, status, "page %" PRIu32 ": %s", own->page.ordinal, part);
}

static void set_trouble(flat_cursor *own, const char *part, const char *why)
{
    weir_error error;

    keep_trouble(own, &error, weir_fail(&error, WEIR_CORRUPT, "%s", why), part);
}

static void set_value_trouble(flat_cursor *own, const char *why)
{
    set_trouble(own, weir_encoding_name(own->note.encoding), why);
}

static weir_status tell_trouble(const flat_cursor *own, weir_error *err)
{
    if (err)
        *err = own->trouble;
    return own->trouble.status;
}

/* ---- pages ---- */

static void drop_page(flat_cursor *own)
{
    weir_hold_release(own->page.hold);
    own->page = (weir_page){ .kind = WEIR_PAGE_END };
}

/* An old writer's next page may begin with what this one's last value begins with. */
static weir_status finish_page(weir_cursor *cursor, weir_work *work, weir_error *err)
{
    flat_cursor *own = cursor->own;

    if (own->has_values && own->values.has_prefixes &&
        weir_parquet_span_own(cursor->span)->carries_prefix)
        WEIR_TRY(weir_strings_keep(&own->text->strings, work, err));
    drop_page(own);
    return WEIR_OK;
}

/* Values of the whole page, by its levels. */
static size_t count_page(const flat_cursor *own, const weir_work *work)
{
    uint8_t present[WEIR_SLICE / 8 + WEIR_SLACK];
    weir_levels levels = own->levels;
    size_t all = 0;

    for (int64_t left = own->page.value_count, n; left > 0; left -= n) {
        const int64_t want = weir_min_i64(left, WEIR_SLICE);
        size_t some;

        n = (int64_t)weir_levels_next(&levels, work->kernels, (size_t)want, present, &some);
        all += some;
        if (n < want)
            break;
    }
    return all;
}

static void open_page(const weir_cursor *cursor, const weir_work *work)
{
    flat_cursor *own = cursor->own;
    const weir_parquet_leaf *leaf = weir_parquet_span_own(cursor->span)->leaf;
    const weir_levels_page how = {
        .is_optional = leaf->max_definition > 0,
        .is_v2 = own->note.version == 2,
        .is_bit_packed = own->note.definition_encoding == WEIR_PARQUET_BIT_PACKED,
        .repetition_size = own->note.repetition_size,
        .definition_size = own->note.definition_size,
        .null_count = own->note.null_count,
        .slot_count = own->page.value_count,
    };
    const bool has_hybrid = how.is_v2 || how.is_bit_packed || !how.is_optional ||
                            own->note.definition_encoding == WEIR_PARQUET_RLE;
    weir_error error;
    weir_status status;

    own->is_open = true;
    own->has_values = false;
    if (own->page.first_row > cursor->row) {
        status = weir_fail(&error, WEIR_CORRUPT, "%" PRId64 " rows are missing before it",
                           own->page.first_row - cursor->row);
        keep_trouble(own, &error, status, "rows");
        return;
    }
    if (!has_hybrid) {
        status =
            weir_fail(&error, WEIR_UNSUPPORTED, "their encoding is neither RLE nor BIT_PACKED");
        keep_trouble(own, &error, status, "definition levels");
        return;
    }
    if (!weir_levels_init(&own->levels, &how, own->page.plain, &own->body)) {
        set_trouble(own, "definition levels", own->levels.why);
        return;
    }
    if (wants_shape(target_of(cursor)))
        return;
    status = weir_values_choose(&own->values, leaf, own->note.encoding, &error);
    if (status != WEIR_OK)
        keep_trouble(own, &error, status, "values");
    else if (own->values.kind == WEIR_VALUES_SPLIT)
        own->present_count = count_page(own, work);
}

/* At the first value that is present. */
static bool open_values(flat_cursor *own)
{
    if (own->has_values)
        return true;
    if (!weir_values_open(&own->values, own->body, own->text ? &own->text->strings : NULL,
                          own->present_count)) {
        set_value_trouble(own, own->values.why);
        return false;
    }
    own->has_values = true;
    return true;
}

/* ---- slices ---- */

/* The row of present value `index` of the slice; its end when there is none. */
static int64_t row_of_value(const flat_cursor *own, int64_t index)
{
    if (own->count == own->rows)
        return weir_min_i64(index, own->rows);
    for (int64_t row = 0; row < own->rows; row++)
        if (weir_bit(own->present, row) && index-- == 0)
            return row;
    return own->rows;
}

static int64_t count_of_rows(const flat_cursor *own, const weir_work *work, int64_t rows)
{
    if (own->count == own->rows)
        return rows;
    if (rows == own->rows)
        return own->count;
    return (int64_t)work->kernels->count_bits(own->present, (size_t)rows);
}

/* The slice ends before present value `count`: there is trouble. */
static void cut_slice(flat_cursor *own, int64_t count)
{
    const int64_t rows = row_of_value(own, count);

    own->rows = rows;
    own->count = count;
    own->slots = 0;
}

/* The first `rows` rows, `count` of them present, went out. */
static void pass_rows(flat_cursor *own, const weir_work *work, int64_t rows, int64_t count)
{
    const int64_t left = own->rows - rows;

    if (rows > 0 && left > 0 && own->count < own->rows) {
        uint8_t rest[WEIR_SLICE / 8 + WEIR_SLACK];

        work->kernels->copy_bits(own->present, (size_t)rows, (size_t)left, rest, 0);
        memcpy(own->present, rest, weir_bits_size(left));
    }
    own->rows = left;
    own->count -= count;
    if (own->ready) {
        own->ready -= (size_t)count;
        own->first += (size_t)count;
    }
}

/* Cuts at most `most` rows off the page. */
static void cut_rows(flat_cursor *own, const weir_work *work, size_t width, int64_t most)
{
    const int64_t wide = width > SLICE_BYTES ? 1 : SLICE_BYTES / (int64_t)(width ? width : 1);
    const int64_t slice = own->values.way == WEIR_VALUES_AS_VIEWS ? WEIR_STRINGS_SLICE : WEIR_SLICE;
    const int64_t want = weir_min_i64(weir_min_i64(most, own->slots), weir_min_i64(wide, slice));
    size_t count = 0;

    own->rows =
        (int64_t)weir_levels_next(&own->levels, work->kernels, (size_t)want, own->present, &count);
    own->count = (int64_t)count;
    own->ready = own->first = 0;
    own->slots -= own->rows;
    if (own->rows < want) {
        set_trouble(own, "definition levels",
                    own->levels.kind == WEIR_LEVELS_HYBRID ? own->levels.rle.why : own->levels.why);
        own->slots = 0;
    }
}

/* Passes over the first `rows` rows of the slice; fewer before trouble. */
static weir_status pass_slice(weir_cursor *cursor, weir_work *work, int64_t rows, int64_t *done,
                              weir_error *err)
{
    flat_cursor *own = cursor->own;
    int64_t count = count_of_rows(own, work, rows);

    *done = 0;
    if (own->ready == 0 && count > 0 && !wants_shape(target_of(cursor))) {
        const weir_arena_mark mark = weir_arena_tell(&work->scratch);
        size_t passed = 0;
        weir_status status = WEIR_OK;

        if (open_values(own))
            status = weir_values_skip(&own->values, work, (size_t)count,
                                      own->text ? own->text->views : NULL, &passed, err);
        weir_arena_reset(&work->scratch, mark);
        if (status != WEIR_OK)
            return status;
        if ((int64_t)passed < count) {
            if (own->trouble.status == WEIR_OK)
                set_value_trouble(own, own->values.why);
            cut_slice(own, (int64_t)passed);
            rows = own->rows;
            count = own->count;
        }
    } else if (own->ready > 0 && count > (int64_t)own->ready) {
        /* What was decoded goes first. */
        count = (int64_t)own->ready;
        rows = row_of_value(own, count);
    }
    pass_rows(own, work, rows, count);
    *done = rows;
    return WEIR_OK;
}

/* The next slice, unless one is there; without rows afterwards: a page is wanted. */
static weir_status next_slice(weir_cursor *cursor, weir_work *work, int64_t most, weir_error *err)
{
    flat_cursor *own = cursor->own;
    const size_t width = target_of(cursor)->from->width;

    while (own->rows == 0) {
        if (own->trouble.status != WEIR_OK)
            return tell_trouble(own, err);
        if (own->page.kind == WEIR_PAGE_END) {
            cursor->hungry = true;
            return WEIR_OK;
        }
        if (own->slots == 0) {
            WEIR_TRY(finish_page(cursor, work, err));
        } else if (!own->is_open) {
            open_page(cursor, work);
        } else if (own->behind > 0) {
            int64_t done;

            cut_rows(own, work, width, own->behind);
            while (own->rows > 0) {
                WEIR_TRY(pass_slice(cursor, work, own->rows, &done, err));
                own->behind -= done;
            }
        } else {
            cut_rows(own, work, width, most);
        }
    }
    return WEIR_OK;
}

/* ---- to the builder ---- */

static const uint8_t *presence(const flat_cursor *own, int64_t rows, int64_t count)
{
    return count < rows ? own->present : NULL;
}

static weir_status give_shape(flat_cursor *own, weir_builder *out, weir_work *work, int64_t *done,
                              weir_error *err)
{
    return weir_builder_append_shape(out, work, own->rows, presence(own, own->rows, own->count),
                                     own->count, done, err);
}

/* Values of fixed size are decoded to where the builder wants them. */
static weir_status give_slots(flat_cursor *own, weir_builder *out, weir_work *work, int64_t *done,
                              weir_error *err)
{
    int64_t rows = weir_min_i64(own->rows, weir_builder_left(out));
    int64_t count = count_of_rows(own, work, rows);
    size_t got = 0;
    void *to;

    /* Nothing must be decoded that isn't taken: see whether the form would change first. */
    if (out->rows > 0 && out->form != WEIR_PLAIN) {
        out->is_full = true;
        return WEIR_OK;
    }
    WEIR_TRY(weir_builder_stage(out, work, count < rows, rows, &to, err));
    if (count > 0 && open_values(own))
        WEIR_TRY(weir_values_slots(&own->values, work, (size_t)count, to, &got, err));
    if ((int64_t)got < count) {
        if (own->trouble.status == WEIR_OK)
            set_value_trouble(own, own->values.why);
        cut_slice(own, (int64_t)got);
        rows = own->rows;
        count = own->count;
        if (rows == 0)
            return WEIR_OK;
    }
    return weir_builder_append(out, work, to, rows, presence(own, rows, count), count, done, err);
}

/* Codes or views for the slice, if there are none: without any there is trouble, and the slice
 * ends before the first. */
static weir_status make_ready(flat_cursor *own, weir_work *work, weir_error *err)
{
    if (own->count == 0 || own->ready > 0)
        return WEIR_OK;
    own->first = 0;
    if (open_values(own)) {
        if (own->values.way == WEIR_VALUES_AS_CODES)
            own->ready =
                weir_values_codes(&own->values, work->kernels, (size_t)own->count, own->codes);
        else
            WEIR_TRY(weir_values_views(&own->values, work, (size_t)own->count, own->text->views,
                                       &own->ready, err));
        if (own->ready == 0)
            set_value_trouble(own, own->values.why);
    }
    if (own->ready == 0)
        cut_slice(own, 0);
    return WEIR_OK;
}

/* Values of 8 bytes right out of the dictionary, without codes between: most columns of most files.
 * Takes nothing where something stands in the way, a code that has no entry for instance: then the
 * slice goes by its codes, which tell the row. */
static weir_status give_entries(weir_cursor *cursor, weir_builder *out, weir_work *work,
                                int64_t *done, weir_error *err)
{
    const weir_parquet_shared *shared = cursor->span->shared;
    flat_cursor *own = cursor->own;
    const int64_t rows = weir_min_i64(own->rows, weir_builder_left(out));
    const int64_t count = count_of_rows(own, work, rows);
    const size_t entries = shared ? (size_t)shared->dictionary.values.rows : 0;
    uint64_t *to, *dense;
    weir_rle before;
    uint32_t most;
    size_t got;

    /* Over nulls, codes are cheaper to spread than values, unless they are looked up in registers.
     */
    if (own->ready > 0 || entries == 0 || shared->dictionary.refused || count == 0 ||
        (count < rows && entries > 16) || !open_values(own))
        return WEIR_OK;
    WEIR_TRY(weir_builder_place_64(out, work, &to, err));
    if (!to)
        return WEIR_OK;
    dense = count < rows ? weir_arena_alloc(&work->scratch, (size_t)count * 8 + WEIR_SLACK) : to;
    if (!dense)
        return weir_fail_memory(err, (size_t)count * 8);
    before = own->values.in.rle;
    got = weir_rle_look_up_64(&own->values.in.rle, work->kernels, (size_t)count,
                              shared->dictionary.values.values, entries, dense, &most);
    if ((int64_t)got < count || most >= entries) {
        own->values.in.rle = before;
        return WEIR_OK;
    }
    if (count < rows)
        work->kernels->spread_64(dense, own->present, (size_t)rows, to);
    weir_builder_placed(out, work, rows, presence(own, rows, count), count);
    *done = rows;
    return WEIR_OK;
}

/* Strings from the page into the vector, without views between. */
static weir_status give_straight(flat_cursor *own, weir_builder *out, weir_work *work,
                                 int64_t *done, weir_error *err)
{
    if (open_values(own))
        WEIR_TRY(weir_values_append(&own->values, out, work, own->rows,
                                    presence(own, own->rows, own->count), done, err));
    if (*done == 0 && !out->is_full) {
        if (own->trouble.status == WEIR_OK)
            set_value_trouble(own, own->values.why);
        cut_slice(own, 0);
    }
    return WEIR_OK;
}

static weir_status give_ready(weir_cursor *cursor, weir_builder *out, weir_work *work,
                              int64_t *done, weir_error *err)
{
    const weir_parquet_shared *shared = cursor->span->shared;
    flat_cursor *own = cursor->own;
    const bool is_codes = own->values.way == WEIR_VALUES_AS_CODES;
    int64_t rows, count;

    if (is_codes && !shared && own->count > 0) {
        set_value_trouble(own, "there is no dictionary page before it");
        cut_slice(own, 0);
    }
    if (own->count > 0 && weir_values_go_straight(&own->values, out))
        return give_straight(own, out, work, done, err);
    if (is_codes) {
        WEIR_TRY(give_entries(cursor, out, work, done, err));
        if (*done > 0)
            return WEIR_OK;
    }
    WEIR_TRY(make_ready(own, work, err));
    if (own->rows == 0)
        return WEIR_OK;
    count = weir_min_i64(own->count, (int64_t)own->ready);
    rows = count < own->count ? row_of_value(own, count) : own->rows;
    if (is_codes && shared)
        return weir_builder_append_codes(out, work, own->codes + own->first, rows,
                                         presence(own, rows, count), count, &shared->dictionary,
                                         shared->hold, done, err);
    if (count == 0)
        return weir_builder_append_shape(out, work, rows, own->present, 0, done, err);
    return weir_builder_append_views(out, work, own->text->views + own->first, rows,
                                     presence(own, rows, count), count, done, err);
}

/* Whether the next `rows` rows of the page are all present. */
static bool are_present(flat_cursor *own, int64_t rows)
{
    uint32_t level;

    if (own->levels.kind == WEIR_LEVELS_NONE)
        return true;
    return own->levels.kind == WEIR_LEVELS_HYBRID &&
           weir_rle_is_run(&own->levels.rle, (size_t)rows, &level) && level == 1;
}

/* Lends a whole vector's worth of PLAIN values: copying them would cost as much as all the rest of
 * decoding. Less than a whole one is copied, or pages cut differently in each column would make
 * batches small. */
static bool lend(weir_cursor *cursor, weir_builder *out, const weir_work *work)
{
    flat_cursor *own = cursor->own;
    const int64_t rows = weir_builder_left(out);
    weir_plain *plain = &own->values.in.plain;

    if (own->page.kind == WEIR_PAGE_END || own->rows > 0 || own->slots < rows || own->behind > 0 ||
        out->rows > 0 || own->trouble.status != WEIR_OK)
        return false;
    if (!own->is_open)
        open_page(cursor, work);
    if (own->trouble.status != WEIR_OK || wants_shape(out->target) ||
        own->values.kind != WEIR_VALUES_PLAIN_FIXED || !are_present(own, rows) ||
        !open_values(own) || (size_t)(plain->end - plain->at) / plain->width < (size_t)rows ||
        !weir_builder_lend(out, plain->at, rows, own->page.hold))
        return false;
    if (own->levels.kind == WEIR_LEVELS_HYBRID)
        weir_rle_skip(&own->levels.rle, (size_t)rows);
    weir_plain_skip_fixed(plain, (size_t)rows);
    own->slots -= rows;
    cursor->row += rows;
    return true;
}

/* Offers the slice; what the builder took has left it afterwards. */
static weir_status give_slice(weir_cursor *cursor, weir_builder *out, weir_work *work,
                              weir_error *err)
{
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    flat_cursor *own = cursor->own;
    int64_t done = 0;
    weir_error error;
    weir_status status;

    if (wants_shape(out->target))
        status = give_shape(own, out, work, &done, &error);
    else if (own->values.way == WEIR_VALUES_AS_SLOTS)
        status = give_slots(own, out, work, &done, &error);
    else
        status = give_ready(cursor, out, work, &done, &error);
    weir_arena_reset(&work->scratch, mark);
    pass_rows(own, work, done, count_of_rows(own, work, done));
    cursor->row += done;
    if (status == WEIR_OK)
        return WEIR_OK;
    keep_trouble(own, &error, status, weir_encoding_name(own->note.encoding));
    own->rows = own->count = 0;
    return tell_trouble(own, err);
}

/* ---- the format's functions ---- */

weir_status weir_parquet_share(weir_span *span, const weir_page *page, weir_work *work,
                               weir_error *err)
{
    const weir_target *target = &span->group->want->targets[span->columns[0]];
    weir_parquet_shared *shared;

    if (span->shared)
        return weir_fail_at(err, WEIR_CORRUPT, page->offset, "a second dictionary page");
    if (wants_shape(target))
        return WEIR_OK;
    WEIR_TRY(
        weir_dictionary_read(weir_parquet_span_own(span)->leaf, target, page, work, &shared, err));
    span->shared = shared;
    return WEIR_OK;
}

void weir_parquet_unshare(void *shared)
{
    if (shared)
        weir_hold_release(((weir_parquet_shared *)shared)->hold);
}

weir_status weir_parquet_start(weir_cursor *cursor, weir_error *err)
{
    (void)err;
    cursor->own = NULL; /* made by the first page */
    cursor->hungry = true;
    cursor->ended = false;
    return WEIR_OK;
}

void weir_parquet_stop(weir_cursor *cursor)
{
    flat_cursor *own = cursor->own;

    if (target_of(cursor)->path) {
        weir_nested_stop(cursor);
        return;
    }
    if (!own)
        return;
    drop_page(own);
    if (own->text)
        weir_strings_fini(&own->text->strings);
    cursor->own = NULL;
    weir_hold_release(own->self);
}

static weir_status make_own(weir_cursor *cursor, weir_work *work, weir_error *err)
{
    const weir_parquet_leaf *leaf = weir_parquet_span_own(cursor->span)->leaf;
    const bool has_text = leaf->type == WEIR_PARQUET_BYTE_ARRAY || leaf->type == WEIR_PARQUET_FIXED;
    const size_t size = (sizeof(flat_cursor) + 63) / 64 * 64;
    flat_cursor *own;
    weir_hold *self;

    WEIR_TRY(weir_memory_take(work->memory, size + (has_text ? sizeof(text_room) : 0), &self, err));
    memset(self->data, 0, size + (has_text ? sizeof(text_room) : 0));
    own = (flat_cursor *)(void *)self->data;
    own->self = self;
    own->text = has_text ? (text_room *)(void *)(self->data + size) : NULL;
    own->next_row = cursor->row;
    cursor->own = own;
    return WEIR_OK;
}

weir_status weir_parquet_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                              weir_error *err)
{
    static const uint8_t nothing[WEIR_SLACK];
    flat_cursor *own;
    bool is_next;

    if (target_of(cursor)->path)
        return weir_nested_feed(cursor, page, work, err);
    cursor->hungry = false;
    if (page->kind == WEIR_PAGE_END) {
        cursor->ended = true;
        weir_hold_release(page->hold);
        return WEIR_OK;
    }
    if (!cursor->own) {
        const weir_status status = make_own(cursor, work, err);

        if (status != WEIR_OK) {
            weir_hold_release(page->hold);
            return status;
        }
    }
    own = cursor->own;
    is_next = page->first_row == own->next_row;
    own->page = *page;
    own->note = weir_parquet_page_note(page);
    if (!own->page.plain.data)
        own->page.plain = (weir_view){ nothing, 0 };
    own->is_open = own->has_values = false;
    own->slots = page->row_count;
    own->next_row = page->first_row + page->row_count;
    own->behind = cursor->row > page->first_row
                      ? weir_min_i64(cursor->row - page->first_row, page->row_count)
                      : 0;
    if (own->text && !(is_next && weir_parquet_span_own(cursor->span)->carries_prefix))
        weir_strings_forget(&own->text->strings);
    return WEIR_OK;
}

weir_status weir_parquet_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                                weir_error *err)
{
    flat_cursor *own = cursor->own;

    if (target_of(cursor)->path)
        return weir_nested_decode(cursor, out, work, err);
    while (own && !cursor->ended && weir_builder_left(out) > 0) {
        if (lend(cursor, out, work))
            break;
        WEIR_TRY(next_slice(cursor, work, weir_builder_left(out), err));
        if (cursor->hungry)
            break;
        WEIR_TRY(give_slice(cursor, out, work, err));
        if (own->rows == 0 && own->slots == 0 && own->trouble.status == WEIR_OK)
            WEIR_TRY(finish_page(cursor, work, err));
    }
    return WEIR_OK;
}

/* Whether the rest of the page can be left alone. */
static bool can_drop(const weir_cursor *cursor)
{
    const flat_cursor *own = cursor->own;

    return !(own->note.encoding == WEIR_PARQUET_DELTA_BYTE_ARRAY &&
             weir_parquet_span_own(cursor->span)->carries_prefix);
}

weir_status weir_parquet_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err)
{
    flat_cursor *own = cursor->own;

    if (target_of(cursor)->path)
        return weir_nested_skip(cursor, to, work, err);
    while (own && !cursor->ended && cursor->row < to) {
        int64_t done;

        /* Scan left out the pages that hold no row from `to` on. */
        if (own->page.kind == WEIR_PAGE_DATA && !own->is_open &&
            cursor->row < own->page.first_row) {
            cursor->row = weir_min_i64(to, own->page.first_row);
            continue;
        }
        if (own->rows == 0 && own->trouble.status == WEIR_OK && own->slots > 0 &&
            own->next_row <= to && can_drop(cursor)) {
            cursor->row = own->next_row;
            own->slots = 0;
            drop_page(own);
            continue;
        }
        WEIR_TRY(next_slice(cursor, work, to - cursor->row, err));
        if (cursor->hungry)
            break;
        WEIR_TRY(pass_slice(cursor, work, weir_min_i64(own->rows, to - cursor->row), &done, err));
        cursor->row += done;
    }
    return WEIR_OK;
}
