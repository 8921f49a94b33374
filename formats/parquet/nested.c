/* SPDX-License-Identifier: Apache-2.0
 * nested.c: step 6 of the line for leaves inside lists, maps and structs. Levels come in slices;
 * what they build stands in core/nest.c. A row goes on until a repetition level of 0, maybe in the
 * next page: it counts only then, and what belongs to an unfinished one is cut off on failure. */
#include "formats/parquet/nested.h"

#include "core/bits.h"
#include "core/error.h"
#include "formats/parquet/dictionary.h"
#include "formats/parquet/nested_levels.h"
#include "formats/parquet/values.h"

#include <inttypes.h>

enum {
    SLICE = WEIR_NEST_SLICE,
    ROOM_LEAST = 1 << 16 /* smaller batches are not worth smaller slices */
};

/* weir_cursor.own, at the front of a hold of its own; made when the first page is fed. */
typedef struct nested_cursor {
    weir_hold *self;
    weir_error trouble; /* status OK: none */

    weir_page page; /* kind END: none */
    weir_parquet_note note;
    bool is_open, has_values;
    int64_t left; /* levels of the page not yet in a slice */
    weir_view body;
    size_t present_count; /* SPLIT: values of the whole page */
    weir_nested_levels levels;
    weir_values values;
    weir_strings strings;
    bool is_in_row; /* a row was begun and not ended */
    bool ends_row;  /* what the trouble begins with is a row's first level */
    int before;     /* definition level before the slice; -1: none */

    bool is_whole;    /* the slice: each level a row with a value, so that none need be looked at */
    size_t count, at; /* levels of the slice, and how many are done with */
    uint8_t repetitions[SLICE + WEIR_SLACK], definitions[SLICE + WEIR_SLACK];
    uint8_t begins[SLICE / 8 + WEIR_SLACK]; /* a bit a level: a row begins there */
    uint8_t present[SLICE / 8 + WEIR_SLACK];
    uint32_t numbers[SLICE + WEIR_SLACK / 4]; /* levels, then codes */
    size_t ready, first; /* views that were made ahead of their levels, and where they begin */
    weir_view views[WEIR_STRINGS_SLICE];
} nested_cursor;

static const weir_target *target_of(const weir_cursor *cursor)
{
    return &cursor->span->group->want->targets[cursor->span->columns[0]];
}

static const weir_parquet_leaf *leaf_of(const weir_cursor *cursor)
{
    return weir_parquet_span_own(cursor->span)->leaf;
}

static bool wants_shape(const weir_target *target)
{
    return target->forms >> WEIR_SHAPE & 1;
}

/* ---- trouble ---- */

static void keep_trouble(nested_cursor *own, const weir_error *error, weir_status status,
                         const char *part)
{
    own->trouble = *error;
    own->trouble.offset = (int64_t)own->page.offset;
    weir_blame(&own->trouble, status, "page %" PRIu32 ": %s", own->page.ordinal, part);
}

static void set_trouble(nested_cursor *own, const char *part, const char *why)
{
    weir_error error;

    keep_trouble(own, &error, weir_fail(&error, WEIR_CORRUPT, "%s", why ? why : "they end early"),
                 part);
}

/* Nothing more comes of the levels that there are. */
static void stop_here(nested_cursor *own)
{
    own->count = own->at;
    own->is_in_row = own->ends_row = false;
}

static weir_status tell_trouble(const nested_cursor *own, weir_error *err)
{
    if (err)
        *err = own->trouble;
    return own->trouble.status;
}

/* ---- pages ---- */

static void drop_page(nested_cursor *own)
{
    weir_hold_release(own->page.hold);
    own->page = (weir_page){ .kind = WEIR_PAGE_END };
}

static weir_status finish_page(const weir_cursor *cursor, weir_work *work, weir_error *err)
{
    nested_cursor *own = cursor->own;

    if (own->has_values && own->values.has_prefixes &&
        weir_parquet_span_own(cursor->span)->carries_prefix)
        WEIR_TRY(weir_strings_keep(&own->strings, work, err));
    drop_page(own);
    return WEIR_OK;
}

/* Values of the whole page, by its levels. */
static size_t count_page(const weir_cursor *cursor, nested_cursor *own, const weir_work *work)
{
    weir_level_stream levels = own->levels.definition;
    const uint8_t most = (uint8_t)leaf_of(cursor)->max_definition;
    size_t all = 0;

    for (int64_t left = own->page.value_count; left > 0; left -= SLICE) {
        const size_t n =
            weir_level_stream_next(&levels, work->kernels, (size_t)weir_min_i64(left, SLICE),
                                   own->numbers, own->definitions);

        for (size_t i = 0; i < n; i++)
            all += own->definitions[i] == most;
    }
    return all;
}

static void open_page(const weir_cursor *cursor, const weir_work *work)
{
    nested_cursor *own = cursor->own;
    weir_error error;
    weir_status status;

    own->is_open = true;
    own->has_values = false;
    own->ready = 0;
    if (!weir_nested_levels_open(&own->levels, leaf_of(cursor), &own->page, &own->body)) {
        set_trouble(own, "levels", "their length reaches past the end of the page");
        return;
    }
    if (wants_shape(target_of(cursor)))
        return;
    status = weir_values_choose(&own->values, leaf_of(cursor), own->note.encoding, &error);
    if (status != WEIR_OK)
        keep_trouble(own, &error, status, "values");
    else if (own->values.kind == WEIR_VALUES_SPLIT)
        own->present_count = count_page(cursor, own, work);
}

/* At the first value that is present. */
static bool open_values(nested_cursor *own)
{
    if (own->has_values)
        return true;
    if (!weir_values_open(&own->values, own->body, &own->strings, own->present_count)) {
        set_trouble(own, weir_encoding_name(own->note.encoding), own->values.why);
        return false;
    }
    own->has_values = true;
    return true;
}

/* The bits past the last level are of no meaning. */
static void note_begins(nested_cursor *own, const weir_work *work, size_t count)
{
    work->kernels->mask_at_least(own->repetitions, count, 1, own->begins);
    for (size_t i = 0; i < count; i += 64) {
        const uint64_t begins = ~weir_load64(own->begins + i / 8);

        memcpy(own->begins + i / 8, &begins, sizeof begins);
    }
}

/* Levels of the next slice, checked. Those before what is wrong are kept. */
static void load_slice(const weir_cursor *cursor, weir_work *work)
{
    nested_cursor *own = cursor->own;
    const weir_path *path = target_of(cursor)->path;
    const size_t want = (size_t)weir_min_i64(own->left, SLICE);
    const int before = own->count > 0 ? own->definitions[own->count - 1] : own->before;
    weir_level_stream *repetition = &own->levels.repetition;
    weir_level_stream *definition = &own->levels.definition;
    const char *why;
    size_t n, m;

    own->is_whole = weir_level_stream_is_run(repetition, want, 0) &&
                    weir_level_stream_is_run(definition, want, leaf_of(cursor)->max_definition);
    n = weir_level_stream_next(repetition, work->kernels, want, own->numbers, own->repetitions);
    m = weir_level_stream_next(definition, work->kernels, want, own->numbers, own->definitions);
    own->at = 0;
    own->before = before;
    own->left -= (int64_t)want;
    if (own->is_whole) {
        memset(own->begins, 0xff, sizeof own->begins);
        own->count = want;
        return;
    }
    weir_count(&work->counters.levels, want);
    if (n < want || m < want)
        set_trouble(own, n < want ? "repetition levels" : "definition levels",
                    n < want ? repetition->rle.why : definition->rle.why);
    own->count = n = n < m ? n : m;
    note_begins(own, work, n);
    why = weir_nest_check(path, work->kernels, own->repetitions, own->definitions, n, before);
    while (why && n > 0) { /* found out one by one, once */
        const char *shorter;

        shorter =
            weir_nest_check(path, work->kernels, own->repetitions, own->definitions, n - 1, before);
        n--;
        if (!shorter) {
            own->count = n;
            own->ends_row = own->repetitions[n] == 0;
            set_trouble(own, "levels", why);
            break;
        }
        why = shorter;
    }
    if (own->trouble.status != WEIR_OK)
        own->left = 0;
}

/* More levels, unless there are some: none afterwards: a page is wanted, or the end. */
static weir_status next_slice(weir_cursor *cursor, weir_work *work, weir_error *err)
{
    nested_cursor *own = cursor->own;

    while (own->at == own->count) {
        if (own->trouble.status != WEIR_OK)
            return tell_trouble(own, err);
        if (own->page.kind == WEIR_PAGE_END)
            return WEIR_OK;
        if (!own->is_open)
            open_page(cursor, work);
        else if (own->left > 0)
            load_slice(cursor, work);
        else
            WEIR_TRY(finish_page(cursor, work, err));
    }
    return WEIR_OK;
}

/* ---- values ---- */

/* The slot of value `index` of the bits from `slot` on. */
static int64_t slot_of_value(const nested_cursor *own, int64_t slot, int64_t slots, int64_t index)
{
    for (; slot < slots; slot++)
        if (weir_bit(own->present, slot) && index-- == 0)
            break;
    return slot;
}

/* Strings from the page into the vector, without views between. */
static weir_status put_straight(nested_cursor *own, weir_builder *leaf, weir_work *work,
                                int64_t rows, const uint8_t *present, int64_t *done, int64_t *got,
                                weir_error *err)
{
    WEIR_TRY(weir_values_append(&own->values, leaf, work, rows, present, done, err));
    *got = present ? (int64_t)work->kernels->count_bits(present, (size_t)*done) : *done;
    return WEIR_OK;
}

/* Decodes up to `count` values and appends them with the nulls before and between them: `slots`
 * slots remain, `present` tells which have one. `*got` of them were good; none: nulls up to the
 * first that isn't were appended. */
static weir_status put_some(const weir_cursor *cursor, nested_cursor *own, weir_builder *leaf,
                            weir_work *work, int64_t slot, int64_t slots, int64_t count,
                            const uint8_t *present, int64_t *done, int64_t *got, weir_error *err)
{
    const weir_parquet_shared *shared = cursor->span->shared;
    const bool has_nulls = count < slots - slot;
    int64_t rows = slots - slot;
    size_t n = 0;
    void *to = NULL;

    if (weir_values_go_straight(&own->values, leaf) && open_values(own))
        return put_straight(own, leaf, work, rows, present, done, got, err);
    if (!open_values(own)) {
        n = 0;
    } else if (own->values.way == WEIR_VALUES_AS_SLOTS) {
        WEIR_TRY(weir_builder_stage(leaf, work, has_nulls, rows, &to, err));
        WEIR_TRY(weir_values_slots(&own->values, work, (size_t)count, to, &n, err));
    } else if (own->values.way == WEIR_VALUES_AS_CODES) {
        n = shared ? weir_values_codes(&own->values, work->kernels, (size_t)count, own->numbers)
                   : 0;
        if (!shared)
            own->values.why = "there is no dictionary page before it";
    } else {
        n = weir_min_u64((uint64_t)count, own->ready);
    }
    *got = (int64_t)n;
    if ((int64_t)n < count)
        rows = has_nulls ? slot_of_value(own, slot, slots, (int64_t)n) - slot : (int64_t)n;
    if (rows == 0)
        return WEIR_OK;
    if (n == 0)
        return weir_builder_append_shape(leaf, work, rows, present, 0, done, err);
    if (own->values.way == WEIR_VALUES_AS_SLOTS)
        return weir_builder_append(leaf, work, to, rows, present, *got, done, err);
    if (own->values.way == WEIR_VALUES_AS_CODES)
        return weir_builder_append_codes(leaf, work, own->numbers, rows, present, *got,
                                         &shared->dictionary, shared->hold, done, err);
    own->ready -= n;
    own->first += n;
    return weir_builder_append_views(leaf, work, own->views + own->first - n, rows, present, *got,
                                     done, err);
}

/* The leaf's slots of a run of levels. Fewer than there are: trouble, in a status or the cursor. */
static weir_status put_leaf(const weir_cursor *cursor, weir_builder *leaf, weir_work *work,
                            const weir_nest_leaf *run, weir_error *err)
{
    nested_cursor *own = cursor->own;
    int64_t slot = 0, values = 0, done = 0, got;

    if (run->slots == 0)
        return WEIR_OK;
    WEIR_TRY(weir_builder_reserve(leaf, work, run->slots, err));
    if (wants_shape(leaf->target))
        return weir_builder_append_shape(leaf, work, run->slots,
                                         run->values < run->slots ? own->present : NULL,
                                         run->values, &done, err);
    if (own->values.way != WEIR_VALUES_AS_CODES) /* codes are of no use beside them */
        WEIR_TRY(weir_builder_spell_out(leaf, work, err));
    for (; slot < run->slots; slot += done) {
        const int64_t rows = run->slots - slot, count = run->values - values;
        uint8_t shifted[SLICE / 8 + WEIR_SLACK];
        const uint8_t *present = count < rows ? own->present : NULL;

        if (present && slot > 0) {
            work->kernels->copy_bits(own->present, (size_t)slot, (size_t)rows, shifted, 0);
            present = shifted;
        }
        done = 0;
        if (count == 0) {
            WEIR_TRY(weir_builder_append_shape(leaf, work, rows, present, 0, &done, err));
            continue;
        }
        WEIR_TRY(
            put_some(cursor, own, leaf, work, slot, run->slots, count, present, &done, &got, err));
        values += got;
        if (got == 0 && done == 0 && !leaf->is_full) {
            set_trouble(own, weir_encoding_name(own->note.encoding), own->values.why);
            return WEIR_OK;
        }
        if (done == 0)
            return weir_fail(err, WEIR_LIMIT, "one row holds more than 2^31 bytes: a vector can't");
    }
    return WEIR_OK;
}

/* ---- rows ---- */

/* At most `most` levels from own->at on that belong to at most `rows` rows that begin there;
 * `*begun` of them do. */
static size_t levels_of_rows(const nested_cursor *own, int64_t rows, size_t most, int64_t *begun)
{
    const size_t end = most < own->count - own->at ? own->at + most : own->count;
    size_t i = own->at, n;

    for (*begun = 0; i < end; i += n) {
        const size_t within = i % 64;
        uint64_t begins = weir_load64(own->begins + i / 64 * 8) >> within;
        int64_t here;

        n = weir_min_u64(64 - within, end - i);
        begins &= UINT64_MAX >> (64 - n);
        here = __builtin_popcountll(begins);
        if (*begun + here > rows) { /* up to where one row too many begins */
            for (; *begun < rows; ++*begun)
                begins &= begins - 1;
            return i + (size_t)__builtin_ctzll(begins) - own->at;
        }
        *begun += here;
    }
    return end - own->at;
}

/* Rows that are whole before slot `slot` of the leaf, among levels [at, at + count). */
static int64_t rows_before_slot(const weir_cursor *cursor, size_t count, int64_t slot)
{
    const nested_cursor *own = cursor->own;
    const weir_path *path = target_of(cursor)->path;
    int64_t rows = own->is_in_row ? 1 : 0;

    for (size_t i = own->at; i < own->at + count; i++) {
        rows += own->repetitions[i] == 0;
        if (own->definitions[i] >= path->exists[path->scopes] && slot-- == 0)
            break;
    }
    return rows > 0 ? rows - 1 : 0;
}

/* Rows that are whole before value `value` of the levels [at, at + count). */
static int64_t rows_before_value(const weir_cursor *cursor, size_t count, int64_t value)
{
    const nested_cursor *own = cursor->own;
    const uint8_t most = (uint8_t)leaf_of(cursor)->max_definition;
    int64_t rows = own->is_in_row ? 1 : 0;

    for (size_t i = own->at; i < own->at + count; i++) {
        rows += own->repetitions[i] == 0;
        if (own->definitions[i] == most && value-- == 0)
            break;
    }
    return rows > 0 ? rows - 1 : 0;
}

static void pass_row(weir_cursor *cursor, weir_builder *out, int64_t rows)
{
    out->rows += rows;
    cursor->row += rows;
}

/* Whether a row ends only where the next begins: without lists each level is a row. */
static bool may_go_on(const weir_cursor *cursor)
{
    return leaf_of(cursor)->max_repetition > 0;
}

/* `begun` rows have begun: all but the last are whole. */
static void pass_begun(weir_cursor *cursor, weir_builder *out, int64_t begun)
{
    nested_cursor *own = cursor->own;

    pass_row(cursor, out, begun + own->is_in_row - may_go_on(cursor));
    own->is_in_row = may_go_on(cursor);
}

/* Adds levels [at, at + count), in which `begun` rows begin. */
static weir_status add_levels(weir_cursor *cursor, weir_builder *out, weir_work *work, size_t count,
                              int64_t begun, weir_error *err)
{
    nested_cursor *own = cursor->own;
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_nest_leaf leaf = { .present = own->present };
    weir_nested *nested;
    int64_t slots = 0, before;
    weir_error error;
    weir_status status;

    WEIR_TRY(weir_builder_nested(out, work, &nested, err));
    before = nested->leaf.rows;
    if (own->is_whole)
        status = weir_nest_add_whole(&nested->nest, work, count, &leaf, &error);
    else
        status = weir_nest_add(&nested->nest, work, own->repetitions + own->at,
                               own->definitions + own->at, count, &leaf, &error);
    if (status != WEIR_OK) { /* the column isn't whole behind these rows */
        keep_trouble(own, &error, status, "levels");
        stop_here(own);
        return tell_trouble(own, err);
    }
    status = put_leaf(cursor, &nested->leaf, work, &leaf, &error);
    weir_arena_reset(&work->scratch, mark);
    if (status != WEIR_OK)
        keep_trouble(own, &error, status, weir_encoding_name(own->note.encoding));
    slots = nested->leaf.rows - before;
    if (slots < leaf.slots || status != WEIR_OK) {
        pass_row(cursor, out, rows_before_slot(cursor, count, slots));
        stop_here(own);
        return tell_trouble(own, err);
    }
    pass_begun(cursor, out, begun); /* whatever the levels after these are */
    own->at += count;
    return WEIR_OK;
}

/* Codes come out as long as the vector has nothing else. */
static bool gives_codes(const weir_builder *out, const nested_cursor *own)
{
    const weir_builder *leaf = out->nested ? &out->nested->leaf : NULL;

    return out->target->forms >> WEIR_CODES & 1 && own->values.way == WEIR_VALUES_AS_CODES &&
           (!leaf || !leaf->slab || leaf->form == WEIR_CODES);
}

/* Codes, and what comes next has none: where a row begins, a vector ends. */
static bool loses_codes(const weir_builder *out, const nested_cursor *own)
{
    return out->nested && out->nested->leaf.form == WEIR_CODES &&
           own->values.way != WEIR_VALUES_AS_CODES;
}

/* Levels to take at once: about as many as fill a batch, so that one of long values is not many
 * times as large as it should be. */
static size_t levels_at_once(const weir_cursor *cursor, const weir_builder *out)
{
    const nested_cursor *own = cursor->own;
    const weir_parquet_shared *shared = cursor->span->shared;
    const uint64_t room = out->byte_room < ROOM_LEAST ? ROOM_LEAST : out->byte_room;
    uint64_t each = out->target->field->width;

    if (wants_shape(out->target))
        return SLICE;
    if (gives_codes(out, own))
        each = sizeof(uint32_t);
    else if (out->target->field->type == WEIR_BYTES && own->values.way == WEIR_VALUES_AS_CODES)
        each = shared ? shared->dictionary.largest : 0;
    else if (out->target->field->type == WEIR_BYTES)
        each = own->body.size / (uint64_t)own->page.value_count;
    return (size_t)weir_min_u64(SLICE, room / (each + 1) + 1);
}

/* Levels up to the value after the next `values`. */
static size_t levels_of_values(const weir_cursor *cursor, size_t values)
{
    const nested_cursor *own = cursor->own;
    const uint8_t most = (uint8_t)leaf_of(cursor)->max_definition;
    size_t i = own->at;

    for (; i < own->count; i++)
        if (own->definitions[i] == most && values-- == 0)
            break;
    return i - own->at;
}

/* Strings that share beginnings tell how long they are once they are put together. So this is done
 * before their levels are taken, and as many are taken as there are values for. */
static weir_status make_ready(const weir_cursor *cursor, const weir_builder *out, weir_work *work,
                              size_t *levels, weir_error *err)
{
    nested_cursor *own = cursor->own;
    const uint8_t most = (uint8_t)leaf_of(cursor)->max_definition;
    size_t values = 0, bytes = 0, n = 0;

    if (wants_shape(out->target) || own->values.way != WEIR_VALUES_AS_VIEWS ||
        weir_values_go_straight(&own->values, out))
        return WEIR_OK;
    for (size_t i = own->at; i < own->count && values < WEIR_STRINGS_SLICE; i++)
        values += own->definitions[i] == most;
    if (own->ready == 0 && values > 0 && open_values(own)) {
        WEIR_TRY(weir_values_views(&own->values, work, values, own->views, &own->ready, err));
        own->first = 0;
    }
    while (n < own->ready && (n == 0 || bytes + own->views[own->first + n].size < ROOM_LEAST))
        bytes += own->views[own->first + n++].size;
    if (own->ready > 0)
        *levels = weir_min_u64(*levels, levels_of_values(cursor, n));
    return WEIR_OK;
}

static void end_row(weir_cursor *cursor, weir_builder *out)
{
    nested_cursor *own = cursor->own;

    if (own && own->is_in_row)
        pass_row(cursor, out, 1);
    if (own)
        own->is_in_row = false;
}

weir_status weir_nested_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                               weir_error *err)
{
    nested_cursor *own = cursor->own;

    while (own && weir_builder_left(out) > 0) {
        weir_status status;
        int64_t begun, rows;
        size_t count, most;

        status = next_slice(cursor, work, err);
        if (status != WEIR_OK && own->ends_row)
            end_row(cursor, out);
        WEIR_TRY(status);
        if (own->at == own->count) {
            cursor->hungry = !cursor->ended;
            if (cursor->ended)
                end_row(cursor, out);
            return WEIR_OK;
        }
        if (own->repetitions[own->at] == 0) {
            end_row(cursor, out);
            if (weir_builder_is_past(out) || out->rows == out->row_room || loses_codes(out, own)) {
                out->is_full = true;
                return WEIR_OK;
            }
        }
        rows = weir_builder_is_past(out) ? 0 : weir_builder_left(out) - own->is_in_row;
        most = levels_at_once(cursor, out);
        WEIR_TRY(make_ready(cursor, out, work, &most, err));
        count = levels_of_rows(own, rows, most, &begun);
        WEIR_TRY(add_levels(cursor, out, work, count, begun, err));
    }
    return WEIR_OK;
}

/* ---- skipping ---- */

static weir_status skip_levels(weir_cursor *cursor, weir_work *work, size_t count, weir_error *err)
{
    nested_cursor *own = cursor->own;
    const uint8_t most = (uint8_t)leaf_of(cursor)->max_definition;
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_status status = WEIR_OK;
    size_t values = 0, passed = 0, ready;

    for (size_t i = own->at; i < own->at + count; i++)
        values += own->definitions[i] == most;
    ready = weir_min_u64(values, own->ready);
    own->ready -= ready;
    own->first += ready;
    values -= ready;
    if (values > 0 && !wants_shape(target_of(cursor)) && open_values(own))
        status = weir_values_skip(&own->values, work, values, own->views, &passed, err);
    weir_arena_reset(&work->scratch, mark);
    WEIR_TRY(status);
    if (passed < values && !wants_shape(target_of(cursor))) {
        if (own->trouble.status == WEIR_OK)
            set_trouble(own, weir_encoding_name(own->note.encoding), own->values.why);
        cursor->row += rows_before_value(cursor, count, (int64_t)(ready + passed));
        stop_here(own);
        return tell_trouble(own, err);
    }
    own->at += count;
    return WEIR_OK;
}

static void skip_row_end(weir_cursor *cursor)
{
    nested_cursor *own = cursor->own;

    cursor->row += own->is_in_row;
    own->is_in_row = false;
}

weir_status weir_nested_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err)
{
    nested_cursor *own = cursor->own;

    while (own && cursor->row < to) {
        weir_status status;
        int64_t begun;
        size_t count;

        status = next_slice(cursor, work, err);
        if (status != WEIR_OK && own->ends_row)
            skip_row_end(cursor);
        WEIR_TRY(status);
        if (own->at == own->count) {
            cursor->hungry = !cursor->ended;
            if (cursor->ended)
                skip_row_end(cursor);
            return WEIR_OK;
        }
        if (own->repetitions[own->at] == 0 && own->is_in_row) {
            skip_row_end(cursor);
            continue;
        }
        count = levels_of_rows(own, to - cursor->row - own->is_in_row, SLICE, &begun);
        WEIR_TRY(skip_levels(cursor, work, count, err));
        cursor->row += begun + own->is_in_row - may_go_on(cursor);
        own->is_in_row = may_go_on(cursor);
    }
    return WEIR_OK;
}

/* ---- feeding ---- */

static weir_status make_own(weir_cursor *cursor, weir_work *work, weir_error *err)
{
    nested_cursor *own;
    weir_hold *self;

    WEIR_TRY(weir_memory_take(work->memory, sizeof *own, &self, err));
    own = (nested_cursor *)(void *)self->data;
    memset(own, 0, sizeof *own);
    own->self = self;
    own->before = -1;
    cursor->own = own;
    return WEIR_OK;
}

weir_status weir_nested_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                             weir_error *err)
{
    static const uint8_t nothing[WEIR_SLACK];
    nested_cursor *own;

    cursor->hungry = false;
    if (!cursor->own) {
        const weir_status status = make_own(cursor, work, err);

        if (status != WEIR_OK) {
            weir_hold_release(page->hold);
            return status;
        }
    }
    own = cursor->own;
    if (page->kind == WEIR_PAGE_END) {
        cursor->ended = true;
        weir_hold_release(page->hold);
        return WEIR_OK;
    }
    own->page = *page;
    own->note = weir_parquet_page_note(page);
    if (!own->page.plain.data)
        own->page.plain = (weir_view){ nothing, 0 };
    own->is_open = own->has_values = false;
    own->left = page->row_count >= 0 ? page->row_count : page->value_count;
    if (page->first_row >
        cursor->row + own->is_in_row) /* pages without a wanted row were left out */
        cursor->row = page->first_row;
    if (!weir_parquet_span_own(cursor->span)->carries_prefix)
        weir_strings_forget(&own->strings);
    return WEIR_OK;
}

void weir_nested_stop(weir_cursor *cursor)
{
    nested_cursor *own = cursor->own;

    if (!own)
        return;
    drop_page(own);
    weir_strings_fini(&own->strings);
    cursor->own = NULL;
    weir_hold_release(own->self);
}
