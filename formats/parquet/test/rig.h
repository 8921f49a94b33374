/* SPDX-License-Identifier: Apache-2.0
 * rig.h: one flat column chunk without a file: pages made by hand go through the value half of the
 * front-end as a reader would drive it. */
#ifndef WEIR_PARQUET_TEST_RIG_H
#define WEIR_PARQUET_TEST_RIG_H

#include "core/hold.h"
#include "core/work.h"
#include "formats/parquet/parquet.h"

#include <stdlib.h>
#include <string.h>

typedef struct rig {
    weir_slabs *slabs;
    weir_memory *memory;
    weir_work work;
    weir_field from, field;
    weir_target target;
    weir_want want;
    weir_group group;
    weir_parquet_leaf leaf;
    weir_parquet_span chunk;
    weir_span span;
    int32_t column;
    weir_cursor cursor;
    int64_t next_row; /* of the page to be made next */
    uint32_t ordinal;
    int32_t pages_held; /* fed and not yet let go */
} rig;

static inline void rig_init(rig *r, weir_parquet_type type, uint32_t width, bool is_optional,
                            const weir_kernels *kernels)
{
    static const weir_type types[] = { WEIR_BOOL, WEIR_I32, WEIR_I64,   WEIR_FIXED,
                                       WEIR_F32,  WEIR_F64, WEIR_BYTES, WEIR_FIXED };
    static const uint32_t widths[] = { 0, 4, 8, 12, 4, 8, 0, 0 };

    memset(r, 0, sizeof *r);
    if (weir_slabs_open(&r->slabs, NULL) != WEIR_OK ||
        weir_memory_open(r->slabs, 0, &r->memory, NULL) != WEIR_OK)
        abort();
    weir_work_init(&r->work, kernels, r->memory);
    if (type != WEIR_PARQUET_FIXED)
        width = widths[type];
    r->from = (weir_field){ .type = types[type],
                            .width = width,
                            .repetition = is_optional ? WEIR_OPTIONAL : WEIR_REQUIRED,
                            .max_definition = is_optional };
    r->field = r->from;
    r->target = (weir_target){ .from = &r->from, .field = &r->field };
    r->target.cast = (weir_cast){ .from = r->from.type, .to = r->from.type };
    r->want = (weir_want){ .targets = &r->target, .count = 1 };
    r->group = (weir_group){ .want = &r->want };
    r->leaf = (weir_parquet_leaf){
        .field = &r->from, .type = type, .width = width, .max_definition = is_optional
    };
    r->chunk = (weir_parquet_span){ .leaf = &r->leaf };
    r->span = (weir_span){
        .group = &r->group, .columns = &r->column, .column_count = 1, .own = &r->chunk
    };
    r->cursor = (weir_cursor){ .span = &r->span, .hungry = true };
    weir_parquet_start(&r->cursor, NULL);
}

/* Back to the first row, dictionary and all forgotten. */
static inline void rig_again(rig *r)
{
    weir_parquet_stop(&r->cursor);
    weir_parquet_unshare(r->span.shared);
    r->span.shared = NULL;
    r->cursor = (weir_cursor){ .span = &r->span, .hungry = true };
    weir_parquet_start(&r->cursor, NULL);
    r->next_row = 0;
    r->ordinal = 0;
}

static inline void rig_fini(rig *r)
{
    rig_again(r);
    weir_work_fini(&r->work);
    weir_memory_release(r->memory);
    weir_slabs_close(r->slabs);
}

static inline void rig_page_let_go(weir_hold *hold)
{
    --*(int32_t *)hold->user;
}

/* The bytes stay the caller's, who keeps 64 readable bytes after them. */
static inline weir_page rig_page(rig *r, weir_page_kind kind, weir_parquet_note note,
                                 const uint8_t *data, size_t size, int64_t slots)
{
    weir_page page = { .kind = kind,
                       .ordinal = r->ordinal,
                       .first_row = r->next_row,
                       .row_count = slots,
                       .value_count = slots,
                       .offset = 1000 + r->ordinal,
                       .plain = { data, size } };

    memcpy(page.note, &note, sizeof note);
    if (kind == WEIR_PAGE_DATA) {
        r->next_row += slots;
        r->ordinal++;
    }
    return page;
}

/* Gives a page to the cursor, counted. */
static inline weir_status rig_feed(rig *r, const weir_page *page, weir_error *err)
{
    weir_page fed = *page;

    if (page->kind == WEIR_PAGE_SHARED)
        return weir_parquet_share(&r->span, page, &r->work, err);
    if (weir_hold_foreign(page->plain.data, page->plain.size, rig_page_let_go, &r->pages_held,
                          &fed.hold, err) != WEIR_OK)
        abort();
    r->pages_held++;
    return weir_parquet_feed(&r->cursor, &fed, &r->work, err);
}

#endif
