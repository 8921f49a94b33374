/* SPDX-License-Identifier: Apache-2.0
 * test_hold.c: slabs are counted, recycled, charged and bounded. */
#include <criterion/criterion.h>

#include "core/hold.h"
#include "core/poison.h"
#include <string.h>

static weir_slabs *slabs;
static weir_memory *memory;
static weir_error err;

static void open_memory(void)
{
    cr_assert_eq(weir_slabs_open(&slabs, &err), WEIR_OK);
    cr_assert_eq(weir_memory_open(slabs, 0, &memory, &err), WEIR_OK);
}

static void close_memory(void)
{
    weir_memory_release(memory);
    weir_slabs_close(slabs);
}

static weir_hold *take(size_t size)
{
    weir_hold *hold = NULL;

    cr_assert_eq(weir_memory_take(memory, size, &hold, &err), WEIR_OK, "%s", err.text);
    return hold;
}

TestSuite(hold, .init = open_memory, .fini = close_memory);

Test(hold, a_slab_has_what_was_asked_aligned_and_64_readable_bytes_more)
{
    for (size_t size = 0; size < 200000; size += 1 + size / 3) {
        weir_hold *hold = take(size);
        volatile uint8_t sum = 0;

        cr_expect_geq(hold->size, size);
        cr_expect_leq(hold->size, size < 256 ? 256 : size + size / 4 + 1, "%zu wastes", size);
        cr_expect_eq((uintptr_t)hold->data % 64, 0);
        memset(hold->data, 1, hold->size);
        for (size_t i = 0; i < WEIR_SLACK; i++)
            sum = (uint8_t)(sum + hold->data[hold->size + i]);
        weir_hold_release(hold);
    }
}

Test(hold, a_released_slab_is_taken_again)
{
    weir_hold *first = take(100000), *second;
    const uint64_t fresh = weir_slabs_fresh(slabs);

    weir_hold_release(first);
    second = take(99000);
    cr_expect_eq(second, first, "the same class gives the same slab");
    cr_expect_eq(weir_slabs_fresh(slabs), fresh);
    weir_hold_release(second);
}

Test(hold, only_the_last_release_gives_a_slab_back)
{
    weir_hold *hold = take(1000), *other;

    cr_expect_not(weir_hold_is_shared(hold));
    cr_expect_eq(weir_hold_keep(hold), hold);
    cr_expect(weir_hold_is_shared(hold));
    weir_hold_release(hold);
    other = take(1000);
    cr_expect_neq(other, hold, "a held slab was given out again");
    hold->data[0] = 1;
    weir_hold_release(hold);
    weir_hold_release(other);
}

Test(hold, null_is_kept_and_released_as_nothing)
{
    cr_expect_null(weir_hold_keep(NULL));
    weir_hold_release(NULL);
    weir_memory_release(NULL);
    weir_slabs_close(NULL);
}

Test(hold, used_and_peak_follow_what_is_held)
{
    weir_hold *a = take(1 << 20), *b = take(1 << 20);

    cr_expect_eq(weir_memory_used(memory), 2 << 20);
    weir_hold_release(a);
    cr_expect_eq(weir_memory_used(memory), 1 << 20);
    weir_hold_release(b);
    cr_expect_eq(weir_memory_used(memory), 0);
    cr_expect_eq(weir_memory_peak(memory), 2 << 20);
}

Test(hold, the_limit_is_met_to_the_byte_and_says_the_numbers)
{
    weir_memory *tight;
    weir_hold *a = NULL, *b = NULL, *c = NULL;

    cr_assert_eq(weir_memory_open(slabs, 4096, &tight, &err), WEIR_OK);
    cr_expect_eq(weir_memory_take(tight, 2048, &a, &err), WEIR_OK);
    cr_expect_eq(weir_memory_take(tight, 2048, &b, &err), WEIR_OK);
    cr_expect_eq(weir_memory_take(tight, 1, &c, &err), WEIR_LIMIT);
    cr_expect_eq(err.status, WEIR_LIMIT);
    cr_expect_str_eq(err.text, "256 bytes more are needed while 4096 are in use: 4352 in all, and "
                               "the memory limit is 4096");
    cr_expect_eq(weir_memory_take(tight, SIZE_MAX, &c, NULL), WEIR_LIMIT);
    cr_expect_null(c, "written on failure");
    weir_hold_release(a);
    cr_expect_eq(weir_memory_take(tight, 2048, &c, &err), WEIR_OK, "what came back counts again");
    cr_expect_eq(weir_memory_peak(tight), 4096);
    weir_hold_release(b);
    weir_hold_release(c);
    weir_memory_release(tight);
}

Test(hold, limits_of_two_readers_are_their_own)
{
    weir_memory *tight;
    weir_hold *a = take(1 << 20), *b = NULL;

    cr_assert_eq(weir_memory_open(slabs, 4096, &tight, &err), WEIR_OK);
    cr_expect_eq(weir_memory_take(tight, 4096, &b, &err), WEIR_OK);
    cr_expect_eq(weir_memory_used(memory), 1 << 20);
    cr_expect_eq(weir_memory_used(tight), 4096);
    weir_hold_release(a);
    weir_hold_release(b);
    weir_memory_release(tight);
}

Test(hold, a_size_that_no_machine_has_is_no_memory)
{
    weir_hold *hold = NULL;

    cr_expect_eq(weir_memory_take(memory, SIZE_MAX, &hold, &err), WEIR_NO_MEMORY);
    cr_expect_eq(weir_memory_take(memory, SIZE_MAX / 2, &hold, &err), WEIR_NO_MEMORY);
    cr_expect_null(hold);
    cr_expect_eq(weir_memory_used(memory), 0, "a failed take is not charged");
}

Test(hold, growing_keeps_the_first_bytes)
{
    weir_hold *hold = take(300), *before = hold;

    memset(hold->data, 7, hold->size);
    cr_expect_eq(weir_memory_grow(memory, &hold, 300, hold->size, &err), WEIR_OK);
    cr_expect_eq(hold, before, "there was room already");
    cr_expect_eq(weir_memory_grow(memory, &hold, 300, 5000, &err), WEIR_OK);
    cr_expect_geq(hold->size, 5000);
    for (size_t i = 0; i < 300; i++)
        cr_assert_eq(hold->data[i], 7);
    cr_expect_eq(weir_memory_used(memory), hold->size, "the old one went");
    weir_hold_release(hold);
}

Test(hold, growing_past_the_limit_leaves_the_old_one)
{
    weir_memory *tight;
    weir_hold *hold = NULL, *before;

    cr_assert_eq(weir_memory_open(slabs, 2048, &tight, &err), WEIR_OK);
    cr_assert_eq(weir_memory_take(tight, 1024, &hold, &err), WEIR_OK);
    before = hold;
    cr_expect_eq(weir_memory_grow(tight, &hold, 1, 2048, &err), WEIR_LIMIT);
    cr_expect_eq(hold, before);
    cr_expect_eq(weir_memory_used(tight), 1024);
    weir_hold_release(hold);
    weir_memory_release(tight);
}

Test(hold_alone, slabs_outlive_their_reader_and_context)
{
    weir_hold *hold;

    open_memory();
    hold = take(5000);
    memset(hold->data, 3, hold->size);
    close_memory();
    cr_expect_eq(hold->data[4999], 3);
    cr_expect_eq(weir_hold_keep(hold), hold);
    weir_hold_release(hold);
    cr_expect_eq(hold->data[0], 3);
    weir_hold_release(hold); /* the leak sanitizer looks on */
}

/* Takes `count` slabs at once and releases them. */
static void hold_at_once(size_t size, size_t count)
{
    weir_hold *held[512];

    cr_assert_leq(count, 512);
    for (size_t i = 0; i < count; i++)
        held[i] = take(size);
    for (size_t i = 0; i < count; i++)
        weir_hold_release(held[i]);
}

Test(hold, the_same_work_again_asks_nothing_of_the_system)
{
    uint64_t fresh;

    for (int pass = 0; pass < 2; pass++) {
        fresh = weir_slabs_fresh(slabs);
        hold_at_once(1 << 20, 200);
        hold_at_once(300000, 100);
        hold_at_once(2000, 300);
    }
    cr_expect_eq(weir_slabs_fresh(slabs), fresh);
}

Test(hold, slabs_of_sizes_no_longer_used_make_room_for_others)
{
    uint64_t fresh;

    hold_at_once(1 << 20, 200); /* 200 MiB wait */
    hold_at_once(1 << 19, 400); /* half of them must go: 300 MiB is the bound */
    fresh = weir_slabs_fresh(slabs);
    hold_at_once(1 << 19, 400);
    cr_expect_eq(weir_slabs_fresh(slabs), fresh, "the new size is warm");
    hold_at_once(1 << 20, 200);
    cr_expect_geq(weir_slabs_fresh(slabs), fresh + 90, "the old one was kept beyond the bound");
}

static int let_go_count;

static void let_go(weir_hold *hold)
{
    cr_expect_eq(hold->user, (void *)&let_go_count);
    cr_expect_eq(hold->size, 9);
    let_go_count++;
}

Test(hold, foreign_bytes_are_let_go_once_by_the_last)
{
    static const char bytes[9 + WEIR_SLACK] = "somewhere";
    weir_hold *hold = NULL;

    cr_assert_eq(weir_hold_foreign(bytes, 9, let_go, &let_go_count, &hold, &err), WEIR_OK);
    cr_expect_eq((const void *)hold->data, (const void *)bytes);
    weir_hold_keep(hold);
    weir_hold_release(hold);
    cr_expect_eq(let_go_count, 0);
    weir_hold_release(hold);
    cr_expect_eq(let_go_count, 1);
    cr_assert_eq(weir_hold_foreign(bytes, 9, NULL, NULL, &hold, &err), WEIR_OK);
    weir_hold_release(hold);
}

#ifdef WEIR_HAS_ASAN
Test(hold, the_address_sanitizer_sees_a_use_after_release)
{
    weir_hold *hold = take(1000);
    uint8_t *data = hold->data;

    cr_expect_not(__asan_address_is_poisoned(data));
    weir_hold_release(hold);
    cr_expect(__asan_address_is_poisoned(data));
    hold = take(1000);
    cr_expect_not(__asan_address_is_poisoned(data + hold->size + WEIR_SLACK - 1));
    weir_hold_release(hold);
}
#endif
