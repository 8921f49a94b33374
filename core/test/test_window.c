/* SPDX-License-Identifier: Apache-2.0
 * test_window.c: the window over block borders, at the end of the file, and when reads fail. */
#include <criterion/criterion.h>

#include "core/window.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIZE = 3 * WEIR_WINDOW_BLOCK + 1234
};

static char path[] = "/tmp/weir-window-XXXXXX";
static uint8_t *bytes;
static weir_slabs *slabs;
static weir_memory *memory;
static weir_error err;

static void set_up(void)
{
    const int fd = mkstemp(path);

    bytes = malloc(SIZE);
    cr_assert(bytes && fd >= 0);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 16);
    cr_assert_eq(write(fd, bytes, SIZE), SIZE);
    close(fd);
    cr_assert_eq(weir_slabs_open(&slabs, &err), WEIR_OK);
    cr_assert_eq(weir_memory_open(slabs, 0, &memory, &err), WEIR_OK);
}

static void tear_down(void)
{
    cr_expect_eq(weir_memory_used(memory), 0, "a window kept its slab");
    weir_memory_release(memory);
    weir_slabs_close(slabs);
    free(bytes);
    unlink(path);
}

TestSuite(window, .init = set_up, .fini = tear_down);

static void check_view(const weir_view *view, uint64_t offset, size_t size)
{
    volatile uint8_t sum = 0;

    cr_assert_eq(view->size, size);
    cr_assert(memcmp(view->data, bytes + offset, size) == 0, "at %llu", (unsigned long long)offset);
    for (size_t i = 0; i < WEIR_SLACK; i++)
        sum = (uint8_t)(sum + view->data[size + i]);
}

/* Each kind of source: a file, a map, memory. */
static weir_source *open_kind(int kind)
{
    weir_source *source = NULL;

    if (kind < 2)
        cr_assert_eq(weir_source_open(path, kind ? WEIR_SOURCE_MAP : 0, &source, &err), WEIR_OK);
    else
        cr_assert_eq(weir_source_open_memory("m", bytes, SIZE, &source, &err), WEIR_OK);
    return source;
}

Test(window, views_of_all_sizes_at_all_places_are_right)
{
    static const size_t sizes[] = {
        0, 1, 63, 64, 4096, WEIR_WINDOW_BLOCK - 1, WEIR_WINDOW_BLOCK, WEIR_WINDOW_BLOCK + 1, 700000
    };

    for (int kind = 0; kind < 3; kind++) {
        weir_source *source = open_kind(kind);
        weir_window window;

        weir_window_init(&window, source, memory, SIZE);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (uint64_t offset = 0; offset < SIZE; offset += 77777) {
                weir_view view;
                weir_status status = weir_window_view(&window, offset, sizes[s], &view, &err);

                if (offset + sizes[s] <= SIZE) {
                    cr_assert_eq(status, WEIR_OK, "%s", err.text);
                    check_view(&view, offset, sizes[s]);
                    cr_assert(weir_window_has(&window, offset, sizes[s]));
                } else {
                    cr_assert_eq(status, WEIR_CORRUPT);
                    cr_assert_eq(err.offset, (int64_t)offset);
                }
            }
        }
        weir_window_fini(&window);
        weir_source_release(source);
    }
}

Test(window, going_forward_reads_every_byte_once)
{
    weir_source *source = open_kind(0);
    weir_window window;
    weir_view view;
    uint64_t offset = 0;

    weir_window_init(&window, source, memory, SIZE);
    for (size_t step = 1; offset + step < SIZE; step = step * 5 % 90001) {
        cr_assert_eq(weir_window_view(&window, offset, step, &view, &err), WEIR_OK);
        check_view(&view, offset, step);
        offset += step;
    }
    cr_expect_leq(window.bytes_read, SIZE);
    cr_expect_eq(window.bytes_read, weir_source_bytes_read(source));
    cr_expect_gt(window.read_ns, 0);
    weir_window_fini(&window);
    weir_source_release(source);
}

Test(window, peek_gives_what_is_loaded_and_stops_at_the_end_of_the_file)
{
    for (int kind = 0; kind < 3; kind++) {
        weir_source *source = open_kind(kind);
        weir_window window;
        weir_view view;

        weir_window_init(&window, source, memory, SIZE);
        cr_assert_eq(weir_window_peek(&window, 10, 16, &view, &err), WEIR_OK);
        cr_expect_eq(view.size, WEIR_WINDOW_BLOCK, "a block at once");
        check_view(&view, 10, view.size);
        cr_assert_eq(weir_window_peek(&window, SIZE - 5, 100, &view, &err), WEIR_OK);
        check_view(&view, SIZE - 5, 5);
        cr_assert_eq(weir_window_peek(&window, SIZE - 5, SIZE_MAX, &view, &err), WEIR_OK);
        check_view(&view, SIZE - 5, 5);
        cr_assert_eq(weir_window_peek(&window, SIZE, 1, &view, &err), WEIR_OK);
        cr_expect_eq(view.size, 0);
        cr_expect_eq(view.data[WEIR_SLACK - 1], 0, "also nothing has its slack");
        cr_assert_eq(weir_window_peek(&window, UINT64_MAX, SIZE_MAX, &view, &err), WEIR_OK);
        cr_expect_eq(view.size, 0);
        weir_window_fini(&window);
        weir_source_release(source);
    }
}

Test(window, a_small_range_is_read_at_once_where_that_is_wished)
{
    for (int kind = 0; kind < 3; kind++) {
        for (uint64_t whole = SIZE - 11; whole <= SIZE - 9; whole++) {
            weir_source *source = open_kind(kind);
            weir_window window;
            weir_view view;

            weir_window_init(&window, source, memory, SIZE);
            window.whole = whole;
            cr_assert_eq(weir_window_peek(&window, 10, 16, &view, &err), WEIR_OK);
            cr_expect_eq(view.size, whole < SIZE - 10 ? WEIR_WINDOW_BLOCK : SIZE - 10);
            check_view(&view, 10, view.size);
            weir_window_fini(&window);
            weir_window_init(&window, source, memory, 500);
            window.whole = whole;
            cr_assert_eq(weir_window_view(&window, 10, 1000, &view, &err), WEIR_OK);
            check_view(&view, 10, 1000); /* asked for beyond the range's end */
            weir_window_fini(&window);
            weir_source_release(source);
        }
    }
}

Test(window, reading_ahead_never_passes_the_end_but_asking_may)
{
    weir_source *source = open_kind(0);
    weir_window window;
    weir_view view;

    weir_window_init(&window, source, memory, 5000);
    cr_assert_eq(weir_window_peek(&window, 1000, 10, &view, &err), WEIR_OK);
    cr_expect_eq(view.size, 4000);
    cr_expect_eq(weir_source_bytes_read(source), 4000);
    cr_expect(weir_window_has(&window, 1000, 4000));
    cr_expect_not(weir_window_has(&window, 1000, 4001));
    cr_expect_not(weir_window_has(&window, 999, 1));
    cr_assert_eq(weir_window_view(&window, 4990, 20, &view, &err), WEIR_OK);
    check_view(&view, 4990, 20);
    cr_expect_eq(weir_source_bytes_read(source), 4010, "bytes that were loaded moved along");
    cr_assert_eq(weir_window_view(&window, 9000, 7, &view, &err), WEIR_OK);
    check_view(&view, 9000, 7);
    cr_expect_eq(weir_source_bytes_read(source), 4017);
    weir_window_fini(&window);
    weir_source_release(source);
}

Test(window, kept_bytes_stay_when_the_window_moves)
{
    for (int kind = 0; kind < 3; kind++) {
        weir_source *source = open_kind(kind);
        weir_window window;
        weir_view first, second;
        weir_hold *hold;

        weir_window_init(&window, source, memory, SIZE);
        cr_assert_eq(weir_window_view(&window, 0, 1000, &first, &err), WEIR_OK);
        hold = weir_hold_keep(window.hold);
        cr_assert_eq(weir_window_view(&window, 500, WEIR_WINDOW_BLOCK, &second, &err), WEIR_OK);
        check_view(&first, 0, 1000);
        check_view(&second, 500, WEIR_WINDOW_BLOCK);
        weir_window_fini(&window);
        weir_source_release(source);
        check_view(&first, 0, 1000);
        weir_hold_release(hold);
    }
}

Test(window, many_blocks_use_the_same_slab_again)
{
    weir_source *source = open_kind(0);
    uint64_t fresh = 0;

    for (int pass = 0; pass < 3; pass++) {
        weir_window window;
        weir_view view;

        weir_window_init(&window, source, memory, SIZE);
        for (uint64_t offset = 0; offset + 5000 < SIZE; offset += 5000)
            cr_assert_eq(weir_window_view(&window, offset, 5000, &view, &err), WEIR_OK);
        weir_window_fini(&window);
        if (pass == 0)
            fresh = weir_slabs_fresh(slabs);
    }
    cr_expect_eq(weir_slabs_fresh(slabs), fresh);
    weir_source_release(source);
}

/* ---- reads that fail ---- */

static int reads_left;

static weir_status read_some(void *user, uint64_t offset, void *into, size_t size, weir_error *out)
{
    (void)user;
    if (reads_left-- == 0) {
        snprintf(out->text, sizeof out->text, "scripted");
        return WEIR_IO;
    }
    memcpy(into, bytes + offset, size);
    return WEIR_OK;
}

Test(window, a_failed_read_leaves_a_window_that_goes_on)
{
    const weir_input input = { .size = sizeof input, .length = SIZE, .read = read_some };

    for (int failing = 0; failing < 3; failing++) {
        weir_source *source = NULL;
        weir_window window;
        int failed = 0;

        reads_left = failing;
        cr_assert_eq(weir_source_open_input(&input, &source, &err), WEIR_OK);
        weir_window_init(&window, source, memory, SIZE);
        for (uint64_t offset = 0; offset + 9000 <= SIZE; offset += 9000) {
            weir_view view;
            weir_status status = weir_window_view(&window, offset, 9000, &view, &err);

            if (status != WEIR_OK) {
                cr_expect_eq(status, WEIR_IO);
                cr_expect_str_eq(err.text, "scripted");
                failed++;
                status = weir_window_view(&window, offset, 9000, &view, &err);
            }
            cr_assert_eq(status, WEIR_OK);
            check_view(&view, offset, 9000);
        }
        cr_expect_eq(failed, 1, "read %d", failing);
        weir_window_fini(&window);
        weir_source_release(source);
    }
}

Test(window, the_memory_limit_is_met_with_an_error)
{
    weir_source *source = open_kind(0);
    weir_memory *tight;
    weir_window window;
    weir_view view;

    cr_assert_eq(weir_memory_open(slabs, 300000, &tight, &err), WEIR_OK);
    weir_window_init(&window, source, tight, SIZE);
    cr_assert_eq(weir_window_view(&window, 0, 10, &view, &err), WEIR_OK);
    cr_expect_eq(weir_window_view(&window, 0, 400000, &view, &err), WEIR_LIMIT);
    cr_assert_eq(weir_window_view(&window, 5, 10, &view, &err), WEIR_OK, "it goes on");
    check_view(&view, 5, 10);
    weir_window_fini(&window);
    weir_memory_release(tight);
    weir_source_release(source);
}
