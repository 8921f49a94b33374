/* SPDX-License-Identifier: Apache-2.0
 * test_glob.c: patterns over names. */
#include <criterion/criterion.h>

#include "core/glob.h"
#include <string.h>

static weir_view view_of(const char *text)
{
    return (weir_view){ .data = (const uint8_t *)text, .size = strlen(text) };
}

Test(glob, each_pattern_matches_what_it_should_and_nothing_else)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        { "", "", true },
        { "", "a", false },
        { "*", "", true },
        { "*", "abc", true },
        { "a*", "abc", true },
        { "a*", "b", false },
        { "*c", "abc", true },
        { "*c", "abcd", false },
        { "a*c", "ac", true },
        { "a*b*c", "axbxbxc", true },
        { "a*b*c", "axcxb", false },
        { "**", "x", true },
        { "?", "a", true },
        { "?", "", false },
        { "?", "ab", false },
        { "?", "\xc3\xa4", true },
        { "??", "\xc3\xa4", false },
        { "?", "\xe2\x82\xac", true },
        { "?", "\xff", true },
        { "??",
          "\xc3"
          "a",
          true },
        { "[abc]", "b", true },
        { "[abc]", "d", false },
        { "[a-c]x", "bx", true },
        { "[!a-c]", "b", false },
        { "[^a-c]", "d", true },
        { "[]]", "]", true },
        { "[!]]", "]", false },
        { "[!]]", "a", true },
        { "[a-]", "-", true },
        { "[-a]", "-", true },
        { "[\\]]", "]", true },
        { "[", "[", true },
        { "[ab", "[ab", true },
        { "a[", "a[", true },
        { "[]", "[]", true },
        { "\\*", "*", true },
        { "\\*", "a", false },
        { "\\", "\\", true },
        { "a\\?c", "a?c", true },
        { "a\\?c", "abc", false },
        { "A", "a", false },
        { "*.parquet", ".parquet", true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(weir_glob_match(view_of(cases[i].pattern), view_of(cases[i].name), false),
                     cases[i].matches, "%s against %s", cases[i].pattern, cases[i].name);
}

Test(glob, case_is_left_aside_on_request_in_ascii_alone)
{
    cr_expect(weir_glob_match(view_of("TIP_*"), view_of("tip_amount"), true));
    cr_expect(weir_glob_match(view_of("[A-C]"), view_of("b"), true));
    cr_expect_not(weir_glob_match(view_of("\xc3\x84"), view_of("\xc3\xa4"), true));
}

Test(glob, names_may_hold_any_byte)
{
    const weir_view name = { .data = (const uint8_t *)"a\0\n", .size = 3 };

    cr_expect(weir_glob_match(view_of("a??"), name, false));
    cr_expect(weir_glob_match(view_of("a*"), name, false));
    cr_expect_not(weir_glob_match(view_of("a"), name, false));
}

Test(glob, many_stars_take_no_exponential_time, .timeout = 20)
{
    char pattern[401] = "", name[2001] = "";

    for (size_t i = 0; i < 200; i++)
        strcat(pattern, "*a");
    memset(name, 'a', 2000);
    cr_expect(weir_glob_match(view_of(pattern), view_of(name), false));
    name[1999] = 'b';
    cr_expect_not(weir_glob_match(view_of(pattern), view_of(name), false));
}

Test(glob, a_pattern_is_known_by_its_signs)
{
    cr_expect(weir_glob_is(view_of("a*")));
    cr_expect(weir_glob_is(view_of("?")));
    cr_expect(weir_glob_is(view_of("[")));
    cr_expect_not(weir_glob_is(view_of("a.b-c\\]")));
    cr_expect_not(weir_glob_is(view_of("")));
}
