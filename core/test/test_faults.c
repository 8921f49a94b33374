/* SPDX-License-Identifier: Apache-2.0
 * test_faults.c: each allocation of core's foundations made to fail in turn, alone and with all
 * that follow: an error, nothing written, nothing leaked (the leak sanitizer looks on), and what
 * was there goes on. */
#include <criterion/criterion.h>

#include "core/paths.h"
#include "core/schema.h"
#include "core/test/failing.h"
#include "core/window.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs the scenario until no allocation is left to fail. */
static void try_all(weir_status (*scenario)(weir_error *err), int64_t least)
{
    static const int64_t counts[] = { 1, INT64_MAX };

    for (size_t i = 0; i < 2; i++) {
        int64_t first = 0, seen;

        do {
            weir_error err = { 0 };
            weir_status status;

            failing_begin(first, counts[i]);
            status = scenario(&err);
            seen = failing_end();
            if (first >= seen)
                cr_assert_eq(status, WEIR_OK, "nothing failed: %s", err.text);
            else if (counts[i] > 1)
                cr_assert_eq(status, WEIR_NO_MEMORY, "allocation %d", (int)first);
            else /* one that fails alone may be tried again with success */
                cr_assert(status == WEIR_OK || status == WEIR_NO_MEMORY, "%d", (int)first);
            cr_assert_eq(err.status, status);
            first++;
        } while (first <= seen);
        cr_expect_geq(seen, least);
    }
}

static weir_status hold_scenario(weir_error *err)
{
    weir_slabs *slabs = NULL;
    weir_memory *memory = NULL;
    weir_hold *a = NULL, *b = NULL;
    weir_status status;

    status = weir_slabs_open(&slabs, err);
    if (status == WEIR_OK)
        status = weir_memory_open(slabs, 0, &memory, err);
    if (status == WEIR_OK)
        status = weir_memory_take(memory, 1000, &a, err);
    if (status == WEIR_OK) {
        memset(a->data, 1, 1000);
        status = weir_memory_take(memory, 3000, &b, err);
    }
    if (status == WEIR_OK) {
        weir_hold_release(b);
        b = NULL;
        status = weir_memory_grow(memory, &a, 1000, 5000, err);
        cr_assert_eq(a->data[999], 1);
    }
    weir_hold_release(a);
    weir_hold_release(b);
    if (memory)
        cr_assert_eq(weir_memory_used(memory), 0);
    weir_memory_release(memory);
    weir_slabs_close(slabs);
    return status;
}

Test(faults, slabs_and_memory)
{
    try_all(hold_scenario, 5);
}

Test(faults, a_slab_that_waits_makes_room_for_another_size)
{
    weir_slabs *slabs = NULL;
    weir_memory *memory = NULL;
    weir_hold *hold = NULL;

    cr_assert_eq(weir_slabs_open(&slabs, NULL), WEIR_OK);
    cr_assert_eq(weir_memory_open(slabs, 0, &memory, NULL), WEIR_OK);
    cr_assert_eq(weir_memory_take(memory, 100000, &hold, NULL), WEIR_OK);
    weir_hold_release(hold);
    failing_begin(0, 1);
    cr_expect_eq(weir_memory_take(memory, 300000, &hold, NULL), WEIR_OK, "it was tried again");
    failing_end();
    weir_hold_release(hold);
    weir_memory_release(memory);
    weir_slabs_close(slabs);
}

static weir_status foreign_scenario(weir_error *err)
{
    weir_hold *hold = NULL;

    WEIR_TRY(weir_hold_foreign("x", 1, NULL, NULL, &hold, err));
    weir_hold_release(hold);
    return WEIR_OK;
}

Test(faults, foreign_holds)
{
    try_all(foreign_scenario, 1);
}

static weir_status schema_scenario(weir_error *err)
{
    weir_field field = { .type = WEIR_STRUCT };
    char name[200];
    weir_schema *schema = NULL;
    weir_status status = weir_schema_open(3, &schema, err);

    if (status == WEIR_OK)
        status = weir_schema_append(schema, -1, &field, err);
    memset(name, 'n', sizeof name);
    field = (weir_field){ .type = WEIR_I32, .name = { (const uint8_t *)name, sizeof name } };
    for (int i = 0; i < 500 && status == WEIR_OK; i++)
        status = weir_schema_append(schema, 0, &field, err);
    if (status == WEIR_OK)
        status = weir_schema_seal(schema, err);
    weir_schema_release(schema);
    return status;
}

Test(faults, schemas)
{
    try_all(schema_scenario, 6);
}

static char home[] = "/tmp/weir-faults-XXXXXX";

static void make(const char *path, size_t size)
{
    FILE *file = fopen(path, "wb");

    cr_assert(file);
    for (size_t i = 0; i < size; i++)
        putc('x', file);
    fclose(file);
}

static void enter_tree(void)
{
    cr_assert(mkdtemp(home) && chdir(home) == 0);
    cr_assert_eq(mkdir("t", 0700), 0);
    cr_assert_eq(mkdir("t/u", 0700), 0);
    cr_assert_eq(symlink(".", "t/u/loop"), 0);
    make("t/a.pq", 600000);
    make("t/u/b.pq", 1);
}

static void leave_tree(void)
{
    static const char *const names[] = {
        "t/u/loop", "t/u/b.pq", "t/u", "t/a.pq", "t", "list", home
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
}

TestSuite(faults_of_files, .init = enter_tree, .fini = leave_tree);

static uint32_t source_flags;

static weir_status window_scenario(weir_error *err)
{
    weir_slabs *slabs = NULL;
    weir_memory *memory = NULL;
    weir_source *source = NULL;
    weir_window window = { 0 };
    weir_view view;
    weir_status status;

    status = weir_slabs_open(&slabs, err);
    if (status == WEIR_OK)
        status = weir_memory_open(slabs, 0, &memory, err);
    if (status == WEIR_OK)
        status = weir_source_open("t/a.pq", source_flags, &source, err);
    weir_window_init(&window, source, memory, 600000);
    if (status == WEIR_OK)
        status = weir_window_view(&window, 0, 10, &view, err);
    if (status == WEIR_OK)
        status = weir_window_view(&window, 5, 500000, &view, err);
    weir_window_fini(&window);
    weir_source_release(source);
    weir_memory_release(memory);
    weir_slabs_close(slabs);
    return status;
}

Test(faults_of_files, sources_and_windows)
{
    try_all(window_scenario, 5);
    source_flags = WEIR_SOURCE_MAP;
    try_all(window_scenario, 4);
}

static weir_status paths_scenario(weir_error *err)
{
    static const char *const given[] = { "t", "t/*", "t/*/*.pq", "t/a.pq", "@list" };
    weir_paths paths;

    WEIR_TRY(weir_paths_expand(given, 5, &paths, err));
    cr_assert_eq(paths.count, 2 + 2 + 1 + 1 + 2);
    weir_paths_fini(&paths);
    return WEIR_OK;
}

Test(faults_of_files, paths)
{
    FILE *list = fopen("list", "wb");

    cr_assert(list);
    fputs("t/a.pq\nt/u/*.pq\n", list);
    fclose(list);
    try_all(paths_scenario, 20);
}
