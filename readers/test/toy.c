/* SPDX-License-Identifier: Apache-2.0
 * toy.c: the test-only front-end. A file is "TOY1", its seed, groups with their pages' places, then
 * the pages. A page is an i32 (row that fails, or -1) and its values. */
#include "toy.h"

#include "core/bits.h"
#include "core/crc32.h"
#include "core/error.h"
#include "core/schema.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPANS = 3,
    ENTRIES = 50,
    PAGES = 4096
};

typedef struct toy_page {
    uint64_t offset;
    uint32_t rows, size, sum, is_dictionary;
} toy_page;

typedef struct toy_group {
    int64_t first, rows;
    uint32_t begin[SPANS], count[SPANS]; /* in the list of pages */
} toy_group;

typedef struct toy_head {
    char magic[8];
    uint64_t seed;
    uint32_t groups, pages;
} toy_head;

/* ---- truth ---- */

uint64_t toy_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash(uint64_t seed, int column, int64_t row)
{
    return toy_mix(seed * 31 + toy_mix((uint64_t)row * 8 + (uint64_t)column + 1));
}

bool toy_is_null(uint64_t seed, int column, int64_t row)
{
    /* Stretches without nulls, with some, and of nulls alone. */
    const uint64_t mood = toy_mix(seed + (uint64_t)(row / 500)) % 4;

    return column == TOY_B && (mood == 0 || (mood == 1 && hash(seed, 7, row) % 3 == 0));
}

int32_t toy_a(uint64_t seed, int64_t row)
{
    return (int32_t)hash(seed, TOY_A, row);
}

static uint32_t code_of(uint64_t seed, int64_t row)
{
    return (uint32_t)(hash(seed, TOY_B, row) % ENTRIES);
}

static int64_t entry(uint64_t seed, uint32_t code)
{
    return (int64_t)hash(seed, 6, code);
}

int64_t toy_b(uint64_t seed, int64_t row)
{
    return entry(seed, code_of(seed, row));
}

double toy_c(uint64_t seed, int64_t row)
{
    return (double)(hash(seed, TOY_C, row) >> 12);
}

size_t toy_d(uint64_t seed, int64_t row, uint8_t out[64])
{
    const uint64_t h = hash(seed, TOY_D, row);
    const size_t size = h % 97 == 0 ? 60 : h % 9;

    memset(out, (int)(h >> 56), size);
    return size;
}

/* ---- making a file ---- */

typedef struct maker {
    uint64_t seed, random;
    uint8_t *body;
    size_t size;
    toy_page pages[PAGES];
    uint32_t page_count;
    toy *out;
} maker;

static uint32_t rnd(maker *m, uint32_t n)
{
    m->random = toy_mix(m->random + 0x9e3779b97f4a7c15u);
    return (uint32_t)(m->random % n);
}

static void put(maker *m, const void *data, size_t size)
{
    m->body = realloc(m->body, m->size + size + 1);
    if (!m->body)
        abort();
    memcpy(m->body + m->size, data, size);
    m->size += size;
}

static void put_row(maker *m, int span, int64_t row)
{
    uint8_t text[64];

    if (span == 0) {
        const int32_t a = toy_a(m->seed, row);

        put(m, &a, sizeof a);
    } else if (span == 1) {
        const uint32_t code = toy_is_null(m->seed, TOY_B, row) ? UINT32_MAX : code_of(m->seed, row);

        put(m, &code, sizeof code);
    } else {
        const double c = toy_c(m->seed, row);
        const uint32_t size = (uint32_t)toy_d(m->seed, row, text);

        put(m, &c, sizeof c);
        put(m, &size, sizeof size);
        put(m, text, size);
    }
}

static void note_fault(maker *m, int span, int64_t row)
{
    const int column = span == 2 ? TOY_C : span;
    toy *out = m->out;

    if (out->bad_row < 0 || row < out->bad_row ||
        (row == out->bad_row && column < out->bad_column)) {
        out->bad_row = row;
        out->bad_column = column;
    }
}

static void put_page(maker *m, int span, int64_t first, int64_t rows, bool has_fault)
{
    toy_page *page = &m->pages[m->page_count++];
    const size_t start = m->size;
    const bool is_whole = has_fault && rnd(m, 2); /* the page's sum, or one row of it */
    const int32_t bad_at = has_fault && !is_whole ? (int32_t)rnd(m, (uint32_t)rows) : -1;

    put(m, &bad_at, sizeof bad_at);
    for (int64_t row = first; row < first + rows; row++)
        put_row(m, span, row);
    *page = (toy_page){ .offset = start,
                        .rows = (uint32_t)rows,
                        .size = (uint32_t)(m->size - start),
                        .sum = weir_crc32(0, m->body + start, m->size - start) };
    page->sum ^= is_whole;
    if (has_fault)
        note_fault(m, span, first + (is_whole ? 0 : bad_at));
}

static void put_dictionary(maker *m)
{
    toy_page *page = &m->pages[m->page_count++];
    const size_t start = m->size;

    for (uint32_t i = 0; i < ENTRIES; i++) {
        const int64_t value = entry(m->seed, i);

        put(m, &value, sizeof value);
    }
    *page = (toy_page){ .offset = start,
                        .size = (uint32_t)(m->size - start),
                        .sum = weir_crc32(0, m->body + start, m->size - start),
                        .is_dictionary = 1 };
}

static void put_span(maker *m, toy_group *group, int span, int *faults, int chance)
{
    const uint32_t most = rnd(m, 3) ? 60 + rnd(m, 200) : 3000;

    group->begin[span] = m->page_count;
    if (span == 1 && group->rows)
        put_dictionary(m);
    for (int64_t at = 0; at < group->rows;) {
        const int64_t rows = weir_min_i64(1 + rnd(m, most), group->rows - at);
        const bool has_fault = *faults > 0 && rnd(m, (uint32_t)chance) == 0;

        *faults -= has_fault;
        put_page(m, span, group->first + at, rows, has_fault);
        at += rows;
    }
    group->count[span] = m->page_count - group->begin[span];
}

void toy_make(toy *out, uint64_t seed, int faults)
{
    maker *m = calloc(1, sizeof *m);
    toy_group groups[6] = { 0 };
    toy_head head = { .magic = "TOY1", .seed = seed };
    size_t index;

    if (!m)
        abort();
    *out = (toy){ .bad_row = -1 };
    m->out = out;
    m->seed = seed;
    m->random = toy_mix(seed);
    head.groups = 1 + rnd(m, 6);
    for (uint32_t g = 0; g < head.groups; g++) {
        groups[g].first = out->rows;
        groups[g].rows = rnd(m, 8) == 0 ? 0 : 1 + rnd(m, rnd(m, 4) ? 900 : 4000);
        out->rows += groups[g].rows;
        for (int span = 0; span < SPANS; span++)
            put_span(m, &groups[g], span, &faults, 12);
    }
    head.pages = out->pages = m->page_count;
    index = sizeof head + head.groups * sizeof *groups + head.pages * sizeof(toy_page);
    for (uint32_t i = 0; i < m->page_count; i++)
        m->pages[i].offset += index;
    out->body = index;
    out->size = index + m->size;
    out->data = malloc(out->size);
    if (!out->data)
        abort();
    memcpy(out->data, &head, sizeof head);
    memcpy(out->data + sizeof head, groups, head.groups * sizeof *groups);
    if (m->page_count > 0) {
        memcpy(out->data + sizeof head + head.groups * sizeof *groups, m->pages,
               head.pages * sizeof(toy_page));
        memcpy(out->data + index, m->body, m->size);
    }
    free(m->body);
    free(m);
}

void toy_free(toy *made)
{
    free(made->data);
}

/* ---- the front-end ---- */

typedef struct toy_file {
    toy_head head;
    toy_group *groups;
    toy_page *pages;
} toy_file;

typedef struct toy_span { /* own of a span */
    int span;
    const toy_group *group;
    int32_t columns[2]; /* targets */
    bool wants[2];      /* of span 2: c, d */
    weir_dictionary *dictionary;
    weir_hold *dictionary_hold;
} toy_span;

typedef struct toy_cursor {
    weir_page page;
    int64_t at, rows, pos; /* in the page */
    bool has_page;
} toy_cursor;

static weir_status toy_probe(weir_source *source, bool *is_toy, weir_error *err)
{
    (void)source;
    (void)err;
    *is_toy = true;
    return WEIR_OK;
}

static weir_status append(weir_schema *schema, const char *name, weir_type type, uint32_t width,
                          weir_repetition repetition, weir_error *err)
{
    const weir_field field = {
        .name = { (const uint8_t *)name, strlen(name) },
        .type = type,
        .width = width,
        .repetition = repetition,
        .id = -1,
    };

    return weir_schema_append(schema, 0, &field, err);
}

static weir_status toy_open(weir_file *file, weir_memory *memory, weir_error *err)
{
    toy_file *own = weir_arena_array(&file->arena, 1, sizeof *own);
    const weir_field root = { .type = WEIR_STRUCT, .id = -1 };
    size_t groups, pages;

    (void)memory;
    if (!own)
        return weir_fail_memory(err, sizeof *own);
    file->own = own;
    WEIR_TRY(weir_source_read(file->source, 0, &own->head, sizeof own->head, err));
    groups = own->head.groups * sizeof(toy_group);
    pages = own->head.pages * sizeof(toy_page);
    own->groups = weir_arena_alloc(&file->arena, groups);
    own->pages = weir_arena_alloc(&file->arena, pages);
    if (!own->groups || !own->pages)
        return weir_fail_memory(err, groups + pages);
    WEIR_TRY(weir_source_read(file->source, sizeof own->head, own->groups, groups, err));
    WEIR_TRY(weir_source_read(file->source, sizeof own->head + groups, own->pages, pages, err));
    for (uint32_t g = 0; g < own->head.groups; g++)
        file->row_count += own->groups[g].rows;
    file->group_count = own->head.groups;
    WEIR_TRY(weir_schema_open(5, &file->schema, err));
    WEIR_TRY(weir_schema_append(file->schema, -1, &root, err));
    WEIR_TRY(append(file->schema, "a", WEIR_I32, 4, WEIR_REQUIRED, err));
    WEIR_TRY(append(file->schema, "b", WEIR_I64, 8, WEIR_OPTIONAL, err));
    WEIR_TRY(append(file->schema, "c", WEIR_F64, 8, WEIR_REQUIRED, err));
    WEIR_TRY(append(file->schema, "d", WEIR_BYTES, 0, WEIR_REQUIRED, err));
    return weir_schema_seal(file->schema, err);
}

static void toy_close(weir_file *file)
{
    (void)file;
}

static const char *toy_refusal(const weir_file *file, int32_t column)
{
    (void)file;
    (void)column;
    return NULL;
}

static void toy_group_at(const weir_file *file, int64_t index, weir_group *out)
{
    const toy_file *own = file->own;

    out->first_row = own->groups[index].first;
    out->row_count = own->groups[index].rows;
}

static weir_status toy_enter(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                             weir_error *err)
{
    const toy_file *own = group->file->own;
    weir_span *made = calloc(TOY_COLUMNS, sizeof *made);
    toy_span *owns = calloc(TOY_COLUMNS, sizeof *owns);
    size_t used = 0;

    (void)work;
    if (!made || !owns) {
        free(made);
        free(owns);
        return weir_fail_memory(err, sizeof *made);
    }
    for (size_t i = 0; i < group->want->count; i++) {
        const int column = group->want->targets[i].from->column;
        const int span = column == TOY_D ? 2 : column;
        weir_span *joined = NULL;

        for (size_t k = 0; k < used && span == 2; k++)
            if (owns[k].span == 2)
                joined = &made[k];
        if (joined) {
            toy_span *its = joined->own;

            its->columns[joined->column_count++] = (int32_t)i;
            continue;
        }
        owns[used] = (toy_span){ .span = span,
                                 .group = &own->groups[group->ordinal],
                                 .columns = { (int32_t)i } };
        made[used] = (weir_span){ .group = group,
                                  .columns = owns[used].columns,
                                  .column_count = 1,
                                  .flags = WEIR_SPAN_ANY_ROW,
                                  .size = weir_source_size(group->file->source),
                                  .own = &owns[used] };
        used++;
    }
    group->own = owns;
    *spans = made;
    *count = used;
    return WEIR_OK;
}

static void toy_leave(weir_group *group, weir_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        toy_span *own = spans[i].own;

        weir_hold_release(own->dictionary_hold);
    }
    free(group->own);
    free(spans);
}

static weir_status toy_scan(const weir_span *span, int64_t from, weir_page *page,
                            weir_window *window, weir_error *err)
{
    const toy_span *own = span->own;
    const toy_file *file = span->group->file->own;
    uint32_t next = (uint32_t)page->note[0];
    int64_t row = (int64_t)page->note[1];
    const toy_page *its;

    (void)window;
    (void)err;
    for (;; row += its->rows, next++) {
        its = &file->pages[own->group->begin[own->span] + next];
        if (next >= own->group->count[own->span] || its->is_dictionary || row + its->rows > from)
            break;
    }
    memset(page, 0, sizeof *page);
    page->ordinal = next;
    page->note[0] = next + 1;
    if (next >= own->group->count[own->span])
        return WEIR_OK; /* END */
    page->kind = its->is_dictionary ? WEIR_PAGE_SHARED : WEIR_PAGE_DATA;
    page->note[1] = (uint64_t)(row + its->rows);
    page->first_row = row;
    page->row_count = its->rows;
    page->offset = its->offset;
    page->packed_size = page->plain_size = its->size;
    page->sum_kind = WEIR_SUM_CRC32;
    page->sum = its->sum;
    return WEIR_OK;
}

static weir_status toy_share(weir_span *span, const weir_page *page, weir_work *work,
                             weir_error *err)
{
    toy_span *own = span->own;
    weir_dictionary *dictionary;

    WEIR_TRY(weir_memory_take(work->memory, sizeof *dictionary + page->plain.size,
                              &own->dictionary_hold, err));
    dictionary = (weir_dictionary *)(void *)own->dictionary_hold->data;
    memset(dictionary, 0, sizeof *dictionary);
    memcpy(dictionary + 1, page->plain.data, page->plain.size);
    dictionary->values =
        (weir_vector){ .type = WEIR_I64, .width = 8, .rows = ENTRIES, .values = dictionary + 1 };
    own->dictionary = dictionary;
    return WEIR_OK;
}

static weir_status toy_start(weir_cursor *cursor, weir_error *err)
{
    cursor->own = calloc(1, sizeof(toy_cursor));
    return cursor->own ? WEIR_OK : weir_fail_memory(err, sizeof(toy_cursor));
}

static void toy_stop(weir_cursor *cursor)
{
    toy_cursor *own = cursor->own;

    if (own && own->has_page)
        weir_hold_release(own->page.hold);
    free(own);
}

static weir_status toy_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                            weir_error *err)
{
    toy_cursor *own = cursor->own;

    (void)work;
    (void)err;
    cursor->hungry = false;
    if (page->kind == WEIR_PAGE_END) {
        cursor->ended = true;
        return WEIR_OK;
    }
    own->page = *page;
    own->has_page = true;
    own->at = 0;
    own->pos = 4;
    own->rows = page->row_count;
    cursor->row = page->first_row;
    return WEIR_OK;
}

/* One row of the page into the builders (NULL: nowhere). */
static weir_status one_row(weir_cursor *cursor, weir_builder *out, weir_work *work, int64_t *done,
                           weir_error *err)
{
    toy_cursor *own = cursor->own;
    const weir_span *span = cursor->span;
    const toy_span *its = span->own;
    const uint8_t *at = own->page.plain.data + own->pos;
    const weir_view view = { at + 12, its->span == 2 ? weir_load32(at + 8) : 0 };
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_status status = WEIR_OK;
    void *staged;

    *done = 1;
    if ((int32_t)weir_load32(own->page.plain.data) == own->at)
        return *done = 0, weir_fail(err, WEIR_CORRUPT, "planted");
    for (uint32_t i = 0; out && status == WEIR_OK && i < span->column_count; i++) {
        const weir_field *from = out[i].target->from;
        const uint32_t code = weir_load32(at);
        const uint8_t absent[1 + WEIR_SLACK] = { 0 };
        uint32_t codes[1 + WEIR_SLACK / 4] = { 0 };

        codes[0] = code;
        if (its->span == 1 && code == UINT32_MAX) {
            status = weir_builder_append_shape(&out[i], work, 1, absent, 0, done, err);
        } else if (its->span == 1) {
            status = weir_builder_append_codes(&out[i], work, codes, 1, NULL, 1, its->dictionary,
                                               its->dictionary_hold, done, err);
        } else if (from->type == WEIR_BYTES) {
            status = weir_builder_append_views(&out[i], work, &view, 1, NULL, 1, done, err);
        } else {
            status = weir_builder_stage(&out[i], work, false, 1, &staged, err);
            if (status == WEIR_OK) {
                memcpy(staged, at, from->width);
                status = weir_builder_append(&out[i], work, staged, 1, NULL, 1, done, err);
            }
        }
    }
    weir_arena_reset(&work->scratch, mark);
    own->pos += its->span == 2 ? 12 + (int64_t)view.size : 4;
    return status;
}

static weir_status walk(weir_cursor *cursor, int64_t to, weir_builder *out, weir_work *work,
                        weir_error *err)
{
    toy_cursor *own = cursor->own;
    const weir_span *span = cursor->span;

    for (;;) {
        int64_t done = 1;

        if (!own->has_page) {
            cursor->hungry = !cursor->ended;
            return WEIR_OK;
        }
        while (own->at < own->rows && cursor->row < to) {
            for (uint32_t i = 0; out && i < span->column_count; i++)
                if (weir_builder_left(&out[i]) == 0)
                    return WEIR_OK;
            WEIR_TRY(one_row(cursor, out, work, &done, err));
            own->at++;
            cursor->row++;
        }
        if (own->at < own->rows)
            return WEIR_OK;
        weir_hold_release(own->page.hold);
        own->has_page = false;
    }
}

static weir_status toy_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                              weir_error *err)
{
    return walk(cursor, INT64_MAX, out, work, err);
}

static weir_status toy_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err)
{
    return walk(cursor, to, NULL, work, err);
}

const weir_format weir_format_toy = {
    .name = "toy",
    .group_word = "row group",
    .probe = toy_probe,
    .open = toy_open,
    .close = toy_close,
    .refusal = toy_refusal,
    .group = toy_group_at,
    .enter = toy_enter,
    .leave = toy_leave,
    .scan = toy_scan,
    .share = toy_share,
    .start = toy_start,
    .stop = toy_stop,
    .feed = toy_feed,
    .decode = toy_decode,
    .skip = toy_skip,
};
