/* SPDX-License-Identifier: Apache-2.0
 * test_loader.c: what is refused, and in which words. */
#include "core/test/failing.h"
#include "plugins/loader.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first codec of TEST_PLUGINS/FOLDER/weir-codec-NAME.so, or why it is refused. */
static const weir_codec *open_plugin(const char *folder, const char *name, char why[WEIR_WHY])
{
    const weir_codec *const *codecs;
    char path[4096];

    snprintf(path, sizeof path, TEST_PLUGINS "/%s/weir-codec-%s.so", folder, name);
    codecs = weir_object_open(path, why, WEIR_WHY);
    if (!codecs || !weir_codec_check(codecs[0], why, WEIR_WHY))
        return NULL;
    return codecs[0];
}

Test(loader, a_good_plugin_is_taken_even_when_its_struct_is_longer)
{
    char why[WEIR_WHY] = "";
    const weir_codec *const codec = open_plugin("first", "first", why);

    cr_assert_not_null(codec, "%s", why);
    cr_expect_str_eq(codec->name, "first");
    cr_expect(codec->size > sizeof *codec);
}

Test(loader, each_bad_plugin_is_refused_with_its_own_words)
{
    static const struct {
        const char *name, *word;
    } bad[] = {
        { "abi", "ABI 2, this build takes 1" },
        { "size", "struct has" },
        { "nameless", "no name" },
        { "name", "a-z, 0-9 and _" },
        { "function", "bad has no function decompress" },
        { "flags", "flags 0x80000000" },
        { "ids", "no wire id" },
        { "half", "only one of the functions alloc and free" },
        { "entry", "no function weir_codecs" },
        { "service", "can't serve codec ABI 1" },
        { "symbol", "undefined symbol: weir_test_no_such_function" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char why[WEIR_WHY] = "";

        cr_expect_null(open_plugin("bad", bad[i].name, why), "%s was taken", bad[i].name);
        cr_expect_not_null(strstr(why, bad[i].word), "%s: \"%s\" without \"%s\"", bad[i].name, why,
                           bad[i].word);
        cr_expect_null(strstr(why, TEST_PLUGINS), "%s: \"%s\" names the path again", bad[i].name,
                       why);
    }
}

Test(loader, a_file_that_is_no_object_is_refused)
{
    char why[WEIR_WHY] = "";

    cr_expect_null(weir_object_open(TEST_SOURCE "/plugins/test/test_loader.c", why, sizeof why));
    cr_expect(why[0] != '\0');
    cr_expect_null(weir_object_open("/nowhere/weir-codec-x.so", why, sizeof why));
    cr_expect_not_null(strstr(why, "No such file"), "%s", why);
}

Test(loader, objects_are_listed_by_name)
{
    char **names = NULL;
    size_t count = 0;

    cr_assert(weir_objects_list(TEST_PLUGINS "/bad", &names, &count));
    cr_assert_eq(count, 11);
    cr_expect_str_eq(names[0], "weir-codec-abi.so");
    for (size_t i = 1; i < count; i++)
        cr_expect(strcmp(names[i - 1], names[i]) < 0, "%s before %s", names[i - 1], names[i]);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    cr_assert(weir_objects_list("/nowhere", &names, &count));
    cr_expect_eq(count, 0);
}

Test(loader, without_memory_nothing_is_listed_and_nothing_leaks)
{
    for (int64_t failing = 0;; failing++) {
        char **names = NULL;
        size_t count = 0;
        bool is_done;

        failing_begin(failing, 1);
        is_done = weir_objects_list(TEST_PLUGINS "/first", &names, &count);
        if (failing_end() <= failing) {
            cr_expect(is_done && count == 1);
            cr_expect(failing > 0);
            free(names[0]);
            free(names);
            break;
        }
        cr_expect_not(is_done);
    }
}
