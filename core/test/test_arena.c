/* SPDX-License-Identifier: Apache-2.0
 * test_arena.c: bump memory. */
#include <criterion/criterion.h>

#include "core/arena.h"
#include "core/hold.h"
#include <string.h>

Test(arena, allocations_are_aligned_apart_and_have_64_readable_bytes_after_them)
{
    weir_arena arena;
    uint8_t *all[300];
    size_t sizes[300];
    volatile uint8_t sum = 0;

    weir_arena_init(&arena);
    for (size_t i = 0; i < 300; i++) {
        sizes[i] = i * i * 7 % 9000;
        all[i] = weir_arena_alloc(&arena, sizes[i]);
        cr_assert(all[i]);
        cr_expect_eq((uintptr_t)all[i] % 64, 0);
        memset(all[i], (int)i, sizes[i]);
        for (size_t k = 0; k < WEIR_SLACK; k++)
            sum = (uint8_t)(sum + all[i][sizes[i] + k]);
    }
    for (size_t i = 0; i < 300; i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(all[i][k], (uint8_t)i, "allocation %zu was written over", i);
    }
    weir_arena_fini(&arena);
}

Test(arena, arrays_are_zeroed_also_where_memory_was_used_before)
{
    weir_arena arena;
    weir_arena_mark mark;
    const uint8_t *array;

    weir_arena_init(&arena);
    mark = weir_arena_tell(&arena);
    memset(weir_arena_alloc(&arena, 3000), 0xff, 3000);
    weir_arena_reset(&arena, mark);
    array = weir_arena_array(&arena, 300, 10);
    cr_assert(array);
    cr_expect_eq((uintptr_t)array % 16, 0);
    for (size_t i = 0; i < 3000; i++)
        cr_assert_eq(array[i], 0);
    weir_arena_fini(&arena);
}

Test(arena, sizes_that_overflow_are_no_memory)
{
    weir_arena arena;

    weir_arena_init(&arena);
    cr_expect_null(weir_arena_array(&arena, SIZE_MAX / 2, 3));
    cr_expect_null(weir_arena_alloc(&arena, SIZE_MAX));
    cr_expect_null(weir_arena_alloc(&arena, SIZE_MAX - 100));
    cr_expect_null(weir_arena_copy(&arena, NULL, SIZE_MAX));
    cr_expect(weir_arena_alloc(&arena, 10), "it can be used afterwards");
    cr_expect_null(weir_arena_alloc(&arena, SIZE_MAX - 63));
    weir_arena_fini(&arena);
}

Test(arena, copies_are_terminated)
{
    weir_arena arena;

    weir_arena_init(&arena);
    cr_expect_str_eq(weir_arena_copy(&arena, "wordy", 4), "word");
    cr_expect_str_eq(weir_arena_copy(&arena, NULL, 0), "");
    weir_arena_fini(&arena);
}

Test(arena, reset_gives_back_what_came_after_the_mark_alone)
{
    weir_arena arena;
    weir_arena_mark mark;
    uint8_t *before, *after;

    weir_arena_init(&arena);
    before = weir_arena_alloc(&arena, 100);
    memset(before, 5, 100);
    mark = weir_arena_tell(&arena);
    after = weir_arena_alloc(&arena, 50);
    weir_arena_reset(&arena, mark);
    cr_expect_eq(weir_arena_alloc(&arena, 50), after, "the same place again");
    for (size_t i = 0; i < 100; i++)
        cr_assert_eq(before[i], 5);
    weir_arena_fini(&arena);
}

Test(arena, scratch_that_was_used_once_is_never_asked_of_the_system_again)
{
    weir_arena arena;
    const weir_arena_mark empty = { 0 };
    size_t used = 0;

    weir_arena_init(&arena);
    for (int pass = 0; pass < 5; pass++) {
        const weir_arena_mark mark = weir_arena_tell(&arena);

        for (size_t i = 0; i < 50; i++)
            cr_assert(weir_arena_alloc(&arena, 100 + i * 997));
        weir_arena_reset(&arena, mark);
        if (pass == 0)
            used = arena.used;
        cr_expect_eq(arena.used, used, "pass %d", pass);
    }
    weir_arena_reset(&arena, empty);
    weir_arena_fini(&arena);
}

Test(arena, finished_it_is_as_new)
{
    weir_arena arena;

    weir_arena_init(&arena);
    cr_assert(weir_arena_alloc(&arena, 1));
    weir_arena_fini(&arena);
    cr_expect_eq(arena.used, 0);
    cr_assert(weir_arena_alloc(&arena, 1));
    weir_arena_fini(&arena);
}
