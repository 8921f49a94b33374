/* SPDX-License-Identifier: Apache-2.0
 * nested_start.c: where to begin in a nested chunk so as to come to a row. Headers of version 1
 * don't tell how many rows a page has, and an offset index that is wrong about them can't be told
 * from one that is right; but a row begins at each repetition level of 0, and levels lie in front.
 */
#include "formats/parquet/nested.h"
#include "formats/parquet/nested_levels.h"

#include "core/bits.h"

enum {
    SLICE = WEIR_SLICE
};

/* Rows that begin in the page; false: its levels can't be read. */
static bool count_rows(const weir_parquet_leaf *leaf, const weir_page *page, weir_work *work,
                       int64_t *rows, bool *begins_row)
{
    uint8_t levels[SLICE + WEIR_SLACK], inside[SLICE / 8 + WEIR_SLACK];
    uint32_t room[SLICE + WEIR_SLACK / sizeof(uint32_t)];
    const weir_kernels *kernels = work->kernels;
    weir_nested_levels in;
    weir_view body;

    *rows = 0;
    if (!weir_nested_levels_open(&in, leaf, page, &body))
        return false;
    weir_count(&work->counters.levels, (uint64_t)page->value_count);
    for (int64_t left = page->value_count; left > 0; left -= SLICE) {
        const size_t want = (size_t)weir_min_i64(left, SLICE);

        if (weir_level_stream_next(&in.repetition, kernels, want, room, levels) < want)
            return false;
        if (left == page->value_count)
            *begins_row = levels[0] == 0;
        kernels->mask_at_least(levels, want, 1, inside);
        *rows += (int64_t)(want - kernels->count_bits(inside, want));
    }
    return true;
}

/* The page as far as its levels, counted; false: it can't be read. */
static bool count_page(const weir_parquet_leaf *leaf, weir_page *page, weir_window *window,
                       weir_work *work, int64_t *rows, bool *begins_row)
{
    bool is_good;

    if (weir_page_unpack(page, window, work, NULL) != WEIR_OK)
        return false;
    is_good = count_rows(leaf, page, work, rows, begins_row);
    weir_hold_release(page->hold);
    return is_good;
}

static bool is_last(const weir_parquet_span *chunk, const weir_page *page)
{
    return weir_parquet_page_note(page).first_value + page->value_count >= chunk->value_count;
}

void weir_nested_find_start(weir_parquet_span *chunk, weir_source *source, int64_t row,
                            weir_work *work)
{
    weir_parquet_span levels_alone = *chunk;
    const weir_span span = { .own = &levels_alone };
    weir_page page = { 0 };
    weir_window window;
    uint64_t at = 0; /* where the page before ends; 0: there is none */
    int64_t before = 0, rows;
    bool begins_row;

    levels_alone.is_shape = true;
    weir_window_init(&window, source, work->memory, chunk->end);
    while (before <= row && weir_parquet_scan(&span, 0, &page, &window, NULL) == WEIR_OK &&
           page.kind != WEIR_PAGE_END) {
        if (at == 0 && is_last(chunk, &page)) /* there is no other */
            break;
        if (!count_page(chunk->leaf, &page, &window, work, &rows, &begins_row))
            break;
        if (at > 0 && begins_row)
            chunk->start = (weir_parquet_landing){
                .at = at,
                .first_row = before,
                .first_value = weir_parquet_page_note(&page).first_value,
                .ordinal = page.ordinal,
            };
        before += rows;
        at = page.next;
    }
    weir_window_count(&window, work);
    weir_window_fini(&window);
}
