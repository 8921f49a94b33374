/* SPDX-License-Identifier: Apache-2.0
 * test_registry.c: which codec an id gets, when objects are opened, and what is told of them. */
#include "core/test/failing.h"
#include "plugins/registry.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST TEST_PLUGINS "/first"
#define SECOND TEST_PLUGINS "/second"
#define BAD TEST_PLUGINS "/bad"

static weir_registry *open_with(const char *path)
{
    weir_registry *registry = NULL;

    if (path)
        setenv("WEIR_PLUGIN_PATH", path, 1);
    else
        unsetenv("WEIR_PLUGIN_PATH");
    unsetenv("TEST_PLUGIN_OPENED");
    cr_assert_eq(weir_registry_open(&registry, NULL), WEIR_OK);
    return registry;
}

static const char *find_name(weir_registry *registry, const char *format, uint32_t id,
                             weir_error *err)
{
    const weir_codec *codec = NULL;

    return weir_registry_find(registry, format, id, &codec, err) == WEIR_OK ? codec->name : NULL;
}

/* Everything that a visit tells, a line each. */
static void take_down(void *user, const weir_codec_info *info)
{
    static const char *const states[] = { "ready", "refused", "shadowed" };
    char *const text = user;
    const size_t used = strlen(text);

    snprintf(text + used, 8192 - used, "%s %s %s [%s] %s: %s\n", states[info->state], info->name,
             info->version ? info->version : "-", info->ids, info->origin,
             info->why ? info->why : "");
}

static bool is_mapped(const char *object)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool is_found = false;

    cr_assert_not_null(maps);
    while (fgets(line, sizeof line, maps))
        is_found |= strstr(line, object) != NULL;
    fclose(maps);
    return is_found;
}

Test(registry, a_built_in_id_opens_its_own_object_and_no_plugin)
{
    weir_registry *const registry = open_with(FIRST);

    cr_expect_not(is_mapped("weir-codec-"), "an object was open before any was needed");
    cr_expect_str_eq(find_name(registry, "parquet", 6, NULL), "zstd");
    cr_expect_str_eq(find_name(registry, "parquet", 7, NULL), "lz4_raw");
    cr_expect_not(is_mapped("weir-codec-gzip"));
    cr_expect_null(getenv("TEST_PLUGIN_OPENED"), "a plugin was opened for a built-in id");
    weir_registry_close(registry);
}

Test(registry, any_other_id_opens_the_plugins_once)
{
    weir_registry *const registry = open_with("/nowhere:" FIRST ":" FIRST "::" SECOND);
    const weir_codec *codec = NULL;
    char text[8192] = "";

    cr_expect_str_eq(find_name(registry, "parquet", 200, NULL), "first");
    cr_expect_str_eq(getenv("TEST_PLUGIN_OPENED"), "second");
    cr_expect_str_eq(find_name(registry, "parquet", 201, NULL), "second");
    unsetenv("TEST_PLUGIN_OPENED");
    cr_expect_eq(weir_registry_find(registry, "hipo", 200, &codec, NULL), WEIR_NO_CODEC);
    cr_expect_null(codec);
    cr_expect_null(getenv("TEST_PLUGIN_OPENED"));
    cr_assert_eq(weir_registry_visit(registry, take_down, text, NULL), WEIR_OK);
    cr_expect_null(strstr(strstr(text, "ready first") + 1, "ready first"), "listed twice: %s",
                   text);
    weir_registry_close(registry);
}

Test(registry, the_first_claim_to_an_id_wins_and_a_built_in_one_always)
{
    weir_registry *const registry = open_with(FIRST ":" SECOND);
    char text[8192] = "";

    cr_expect_str_eq(find_name(registry, "parquet", 200, NULL), "first");
    cr_expect_str_eq(find_name(registry, "parquet", 6, NULL), "zstd");
    cr_assert_eq(weir_registry_visit(registry, take_down, text, NULL), WEIR_OK);
    cr_expect_not_null(strstr(text, "ready first 7.1 [parquet 200, parquet 202] " FIRST
                                    "/weir-codec-first.so: \n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "shadowed first 7.1 [parquet 6] " FIRST "/weir-codec-first.so: "
                                    "parquet 6 belongs to zstd, "),
                       "%s", text);
    cr_expect_not_null(strstr(text, "ready second 7.1 [parquet 201] "), "%s", text);
    cr_expect_not_null(strstr(text, "shadowed second 7.1 [parquet 200] " SECOND
                                    "/weir-codec-second.so: parquet 200 belongs to first, " FIRST
                                    "/weir-codec-first.so\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "ready zstd 1."), "%s", text);
    weir_registry_close(registry);
}

Test(registry, what_is_refused_keeps_its_reason_and_the_others_still_load)
{
    weir_registry *const registry = open_with(BAD ":" FIRST ":" BAD);
    weir_error err;
    char text[8192] = "";
    int refused = 0;

    cr_expect_str_eq(find_name(registry, "parquet", 200, NULL), "first");
    cr_expect_null(find_name(registry, "parquet", 77, &err));
    cr_expect_not_null(strstr(err.text, "; refused " BAD "/weir-codec-abi.so: "), "%s", err.text);
    cr_assert_eq(weir_registry_visit(registry, take_down, text, NULL), WEIR_OK);
    for (const char *at = text; (at = strstr(at, "refused weir-codec-")); at++)
        refused++;
    cr_expect_eq(refused, 11, "%s", text);
    cr_expect_not_null(strstr(text, "refused weir-codec-flags.so - [] " BAD "/weir-codec-flags.so: "
                                    "codec bad has flags"),
                       "%s", text);
    weir_registry_close(registry);
}

Test(registry, no_codec_names_the_id_and_where_was_looked)
{
    weir_registry *registry = open_with(NULL);
    const weir_codec *codec = NULL;
    weir_error err;

    cr_assert_eq(weir_registry_find(registry, "parquet", 3, &codec, &err), WEIR_NO_CODEC);
    cr_expect_not_null(strstr(err.text, "parquet 3 (LZO): looked in /"), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "WEIR_PLUGIN_PATH is not set"), "%s", err.text);
    weir_registry_close(registry);
    registry = open_with("/nowhere");
    cr_assert_eq(weir_registry_find(registry, "parquet", 99, &codec, &err), WEIR_NO_CODEC);
    cr_expect_not_null(strstr(err.text, "parquet 99: looked in WEIR_PLUGIN_PATH=/nowhere and /"),
                       "%s", err.text);
    weir_registry_close(registry);
}

static int linked_decompress(void *state, weir_codec_job *job)
{
    (void)state;
    job->written = 0;
    return WEIR_CODEC_OK;
}

static const weir_codec linked = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof linked,
    .name = "linked",
    .wire_ids = (const weir_wire_id[]){ { "parquet", 200 }, { "parquet", 2 }, { NULL, 0 } },
    .decompress = linked_decompress
};

Test(registry, a_codec_linked_in_comes_before_plugins_and_after_built_in_ones)
{
    weir_registry *const registry = open_with(FIRST);
    weir_codec bad = linked;
    weir_error err;
    char text[8192] = "";

    cr_assert_eq(weir_registry_add(registry, &linked, NULL), WEIR_OK);
    cr_expect_str_eq(find_name(registry, "parquet", 200, NULL), "linked");
    cr_expect_null(getenv("TEST_PLUGIN_OPENED"));
    cr_expect_str_eq(find_name(registry, "parquet", 2, NULL), "gzip");
    cr_assert_eq(weir_registry_visit(registry, take_down, text, NULL), WEIR_OK);
    cr_expect_not_null(strstr(text, "ready linked - [parquet 200] linked in: \n"), "%s", text);
    cr_expect_not_null(strstr(text, "shadowed linked - [parquet 2] linked in: "), "%s", text);
    cr_expect_not_null(strstr(text, "shadowed first 7.1 [parquet 200, parquet 6] "), "%s", text);
    bad.decompress = NULL;
    cr_expect_eq(weir_registry_add(registry, &bad, &err), WEIR_BAD_CALL);
    cr_expect_not_null(strstr(err.text, "no function decompress"), "%s", err.text);
    cr_expect_eq(weir_registry_add(registry, NULL, NULL), WEIR_BAD_CALL);
    weir_registry_close(registry);
}

static void ask_back(void *user, const weir_codec_info *info)
{
    (void)info;
    cr_expect_str_eq(find_name(user, "parquet", 1, NULL), "snappy");
}

Test(registry, a_visitor_may_ask_the_registry)
{
    weir_registry *const registry = open_with(NULL);

    cr_expect_eq(weir_registry_visit(registry, ask_back, registry, NULL), WEIR_OK);
    weir_registry_close(registry);
    weir_registry_close(NULL);
}

/* A round that may fail anywhere: NO_MEMORY, or all is well. */
static weir_status go_round(void)
{
    weir_registry *registry = NULL;
    const weir_codec *codec;
    char text[8192] = "";
    weir_status status = weir_registry_open(&registry, NULL);

    if (status == WEIR_OK)
        status = weir_registry_find(registry, "parquet", 6, &codec, NULL);
    if (status == WEIR_OK)
        status = weir_registry_find(registry, "parquet", 200, &codec, NULL);
    if (status == WEIR_OK)
        status = weir_registry_visit(registry, take_down, text, NULL);
    if (status == WEIR_OK)
        cr_assert_not_null(strstr(text, "ready first"));
    weir_registry_close(registry);
    return status;
}

Test(registry, each_allocation_may_fail)
{
    int64_t failing = 0;

    setenv("WEIR_PLUGIN_PATH", BAD ":" FIRST, 1);
    for (;; failing++) {
        weir_status status;

        failing_begin(failing, 1);
        status = go_round();
        if (failing_end() <= failing)
            break;
        cr_expect_eq(status, WEIR_NO_MEMORY, "allocation %d: status %d", (int)failing, status);
    }
    cr_expect(failing > 20);
    printf("%d allocations made to fail\n", (int)failing);
}
