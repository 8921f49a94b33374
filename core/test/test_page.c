/* SPDX-License-Identifier: Apache-2.0
 * test_page.c: pages of which not everything is wanted: a codec that stops early, one that doesn't
 * look at how much is enough, and a guess that was too low. */
#include <criterion/criterion.h>

#include "core/page.h"

#include <string.h>

enum {
    SIZE = 1000
};

static uint8_t bytes[SIZE + WEIR_SLACK];
static int calls;
static size_t last_enough;
static uint64_t need_first, need_then;
static weir_slabs *slabs;
static weir_memory *memory;
static weir_work work;

/* Bytes as they are. */
static int copy(weir_codec_job *job, bool heeds)
{
    calls++;
    last_enough = job->enough;
    job->written = heeds && job->enough ? job->enough : job->src_size;
    memcpy(job->dst, job->src, job->written);
    return WEIR_CODEC_OK;
}

static int copy_some(void *state, weir_codec_job *job)
{
    (void)state;
    return copy(job, true);
}

static int copy_all(void *state, weir_codec_job *job)
{
    (void)state;
    return copy(job, false);
}

static uint64_t need(const weir_page *page, weir_view so_far)
{
    (void)page;
    return so_far.size ? need_then : need_first;
}

/* How many bytes of the page come out, when `first` are guessed and `then` are found. */
static size_t unpack(int (*decompress)(void *, weir_codec_job *), uint64_t first, uint64_t then)
{
    const weir_codec codec = { .name = "copy", .decompress = decompress };
    const weir_chain chain = { .count = 1, .steps = { { .codec = &codec } } };
    weir_source *source = NULL;
    weir_window window;
    weir_page page = { .kind = WEIR_PAGE_DATA,
                       .packed_size = SIZE,
                       .plain_size = SIZE,
                       .chain = &chain,
                       .need = need };
    size_t size;

    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 37 >> 3);
    calls = 0;
    need_first = first;
    need_then = then;
    cr_assert_eq(weir_slabs_open(&slabs, NULL), WEIR_OK);
    cr_assert_eq(weir_memory_open(slabs, 0, &memory, NULL), WEIR_OK);
    weir_work_init(&work, weir_kernels_pick(), memory);
    cr_assert_eq(weir_source_open_memory("m", bytes, SIZE, &source, NULL), WEIR_OK);
    weir_window_init(&window, source, memory, SIZE);
    cr_assert_eq(weir_page_unpack(&page, &window, &work, NULL), WEIR_OK);
    size = page.plain.size;
    cr_assert(memcmp(page.plain.data, bytes, size) == 0);
    weir_hold_release(page.hold);
    weir_window_fini(&window);
    weir_source_release(source);
    weir_work_fini(&work);
    cr_expect_eq(weir_memory_used(memory), 0);
    weir_memory_release(memory);
    weir_slabs_close(slabs);
    return size;
}

Test(page, is_unpacked_as_far_as_it_is_wanted)
{
    cr_expect_eq(unpack(copy_some, 100, 90), 100);
    cr_expect_eq(calls, 1);
    cr_expect_eq(unpack(copy_some, 100, 100), 100);
    cr_expect_eq(calls, 1);
}

Test(page, is_unpacked_whole_where_the_guess_was_too_low)
{
    cr_expect_eq(unpack(copy_some, 100, 101), SIZE);
    cr_expect_eq(calls, 2);
    cr_expect_eq(last_enough, 0);
    cr_expect_eq(unpack(copy_some, 100, UINT64_MAX), SIZE);
    cr_expect_eq(calls, 2);
}

Test(page, is_unpacked_whole_where_little_would_be_saved)
{
    cr_expect_eq(unpack(copy_some, SIZE / 2 + 1, 10), SIZE);
    cr_expect_eq(calls, 1);
    cr_expect_eq(unpack(copy_some, UINT64_MAX, 10), SIZE);
    cr_expect_eq(calls, 1);
}

Test(page, is_unpacked_whole_by_a_codec_that_knows_no_less)
{
    cr_expect_eq(unpack(copy_all, 100, 200), SIZE);
    cr_expect_eq(calls, 1);
    cr_expect_eq(last_enough, 100);
}
