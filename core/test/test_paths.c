/* SPDX-License-Identifier: Apache-2.0
 * test_paths.c: files, globs, folders and lists against a tree made for each test. */
#include <criterion/criterion.h>

#include "core/folder.h"
#include "core/paths.h"
#include <errno.h>
#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/weir-paths-XXXXXX";

static int drop(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void enter_tree(void)
{
    cr_assert(mkdtemp(home));
    cr_assert_eq(chdir(home), 0);
}

static void leave_tree(void)
{
    cr_assert_eq(chdir("/"), 0);
    nftw(home, drop, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes a file, and the folders above it. */
static void make(const char *path, const char *text)
{
    char folder[512];
    FILE *file;

    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        cr_assert(mkdir(folder, 0755) == 0 || errno == EEXIST, "%s", folder);
        *slash = '/';
    }
    file = fopen(path, "wb");
    cr_assert(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

static void make_all(const char *const *paths)
{
    for (; *paths; paths++)
        make(*paths, "");
}

/* Expands one argument and compares with `expected`, lines that end with `\n`. */
static void expect(const char *given, const char *expected)
{
    char got[4096] = "";
    weir_paths paths;
    weir_error err = { 0 };
    weir_status status = weir_paths_expand(&given, 1, &paths, &err);

    cr_assert_eq(status, WEIR_OK, "%s: %s", given, err.text);
    for (size_t i = 0; i < paths.count; i++) {
        strncat(got, paths.items[i], sizeof got - strlen(got) - 1);
        strncat(got, "\n", sizeof got - strlen(got) - 1);
    }
    cr_expect_str_eq(got, expected, "%s gave\n%s", given, got);
    weir_paths_fini(&paths);
}

static void expect_failure(const char *given, weir_status expected, const char *text)
{
    weir_paths paths;
    weir_error err = { 0 };
    weir_status status = weir_paths_expand(&given, 1, &paths, &err);

    cr_expect_eq(status, expected, "%s: status %d", given, (int)status);
    cr_expect_eq(err.status, status);
    cr_expect_str_eq(err.text, text);
}

TestSuite(paths, .init = enter_tree, .fini = leave_tree);

Test(paths, a_file_is_taken_as_it_is_given)
{
    static const char *const tree[] = { "a", "weird[1]*?.bin", "dir/_x", ".hidden", NULL };

    make_all(tree);
    expect("a", "a\n");
    expect("./a", "./a\n");
    expect("dir/../a", "dir/../a\n");
    expect("dir/_x", "dir/_x\n");
    expect(".hidden", ".hidden\n");
    expect("weird[1]*?.bin", "weird[1]*?.bin\n");
}

Test(paths, a_missing_file_is_told_by_its_name)
{
    expect_failure("no/such", WEIR_IO, "no/such: No such file or directory");
    expect_failure("", WEIR_BAD_CALL, "an empty path");
    expect_failure("no*such", WEIR_BAD_CALL, "no*such: matches no file");
    expect_failure("@no.txt", WEIR_IO, "no.txt: can't be opened: No such file or directory");
}

Test(paths, arguments_keep_their_order_and_may_repeat)
{
    static const char *const tree[] = { "b", "a1", "a2", NULL };
    static const char *const given[] = { "b", "a*", "b" };
    weir_paths paths;

    make_all(tree);
    cr_assert_eq(weir_paths_expand(given, 3, &paths, NULL), WEIR_OK);
    cr_assert_eq(paths.count, 4);
    cr_expect_str_eq(paths.items[0], "b");
    cr_expect_str_eq(paths.items[1], "a1");
    cr_expect_str_eq(paths.items[2], "a2");
    cr_expect_str_eq(paths.items[3], "b");
    weir_paths_fini(&paths);
}

Test(paths, no_path_or_a_null_one_is_the_callers_mistake)
{
    const char *const given[] = { NULL };
    weir_paths paths;
    weir_error err;

    cr_expect_eq(weir_paths_expand(NULL, 0, &paths, &err), WEIR_BAD_CALL);
    cr_expect_eq(weir_paths_expand(given, 1, &paths, &err), WEIR_BAD_CALL);
    cr_expect_str_eq(err.text, "path 0 is NULL");
    cr_expect_eq(weir_paths_expand(given, 1, &paths, NULL), WEIR_BAD_CALL);
}

Test(paths, a_glob_matches_component_by_component)
{
    static const char *const tree[] = {
        "y/2023/a.pq", "y/2024/b.pq", "y/2024/c.txt", "y/2024/.h.pq", "y/2024/_u.pq",
        "y/x/b.pq",    NULL
    };

    make_all(tree);
    expect("y/20*/*.pq", "y/2023/a.pq\ny/2024/_u.pq\ny/2024/b.pq\n");
    expect("y/202[!3]/?.*", "y/2024/b.pq\ny/2024/c.txt\n");
    expect("y/*/b.pq", "y/2024/b.pq\ny/x/b.pq\n");
    expect("y/2024/.*", "y/2024/.h.pq\n");
    expect("./y//x/*", "./y/x/b.pq\n");
    expect("y/2023/a.p[q]", "y/2023/a.pq\n");
    expect("y/*/", "y/2023/a.pq\ny/2024/b.pq\ny/x/b.pq\n");
    expect_failure("y/*.pq", WEIR_BAD_CALL, "y/*.pq: matches no file");
    expect_failure("y/2023/a.pq/*", WEIR_BAD_CALL, "y/2023/a.pq/*: matches no file");
}

Test(paths, an_absolute_glob_stays_absolute)
{
    char pattern[128], expected[128];

    make("one.pq", "");
    snprintf(pattern, sizeof pattern, "%s/*", home);
    snprintf(expected, sizeof expected, "%s/one.pq\n", home);
    expect(pattern, expected);
}

Test(paths, a_glob_walks_the_folders_it_matches)
{
    static const char *const tree[] = { "d1/a.pq",     "d1/s/b.pq", "d2/c.pq",
                                        "d2/_no/d.pq", "d3.pq",     NULL };

    make_all(tree);
    expect("d*", "d1/a.pq\nd1/s/b.pq\nd2/c.pq\nd3.pq\n");
}

Test(paths, a_folder_gives_what_is_below_it_by_byte_order_of_the_path)
{
    static const char *const tree[] = { "t/b.parquet",   "t/B.parquet",
                                        "t/a/z.parquet", "t/a.parquet",
                                        "t/a-b.parquet", "t/\xc3\xa4.parquet",
                                        "t/z.parquet",   NULL };

    make_all(tree);
    setlocale(LC_ALL, "C.UTF-8");
    expect("t", "t/B.parquet\nt/a-b.parquet\nt/a.parquet\nt/a/z.parquet\nt/b.parquet\n"
                "t/z.parquet\nt/\xc3\xa4.parquet\n");
    expect("t/a/", "t/a/z.parquet\n");
}

Test(paths, names_that_begin_with_a_dot_or_an_underscore_are_left_out_at_every_level)
{
    static const char *const tree[] = { "t/a.pq",        "t/.b.pq",   "t/_c.pq",   "t/_SUCCESS",
                                        "t/_d/e.pq",     "t/.f/g.pq", "t/h/_i.pq", "t/h/j.pq",
                                        "t/k=1/_l/m.pq", NULL };

    make_all(tree);
    expect("t", "t/a.pq\nt/h/j.pq\n");
    expect("t/_d", "t/_d/e.pq\n");
}

Test(paths, files_of_known_endings_hide_others)
{
    static const char *const tree[] = { "t/a.PARQUET", "t/b.hipo", "t/c.h5", "t/d.txt",
                                        "t/e",         "u/a.txt",  "u/b",    NULL };

    make_all(tree);
    expect("t", "t/a.PARQUET\nt/b.hipo\nt/c.h5\n");
    expect("u", "u/a.txt\nu/b\n");
}

Test(paths, a_folder_without_files_is_the_callers_mistake)
{
    cr_assert_eq(mkdir("t", 0755), 0);
    expect_failure("t", WEIR_BAD_CALL, "t: no file in this folder");
    make("t/_a", "");
    expect_failure("t", WEIR_BAD_CALL, "t: no file in this folder");
    expect_failure("[t]", WEIR_BAD_CALL, "[t]: matches no file");
}

Test(paths, loops_of_links_end_and_each_real_folder_is_visited_once)
{
    static const char *const tree[] = { "t/real/a.pq", "t/real/deep/b.pq", "out/c.pq", "out/d/e.pq",
                                        NULL };

    make_all(tree);
    cr_assert_eq(symlink("..", "t/real/up"), 0);
    cr_assert_eq(symlink(".", "t/self"), 0);
    cr_assert_eq(symlink("real", "t/again"), 0);
    cr_assert_eq(symlink("../out", "t/m"), 0);
    cr_assert_eq(symlink("../out/d", "t/n"), 0);
    cr_assert_eq(symlink("../../t", "out/d/back"), 0);
    cr_assert_eq(symlink("knot", "t/knot"), 0);
    cr_assert_eq(symlink("real/a.pq", "t/file.pq"), 0);
    expect("t", "t/file.pq\nt/m/c.pq\nt/m/d/e.pq\nt/real/a.pq\nt/real/deep/b.pq\n");
}

Test(paths, a_link_that_leads_nowhere_stays_so_that_opening_it_tells)
{
    make("t/a.pq", "");
    cr_assert_eq(symlink("gone", "t/b.pq"), 0);
    cr_assert_eq(symlink("gone", "t/c"), 0);
    expect("t", "t/a.pq\nt/b.pq\n");
    expect("t/*.pq", "t/a.pq\nt/b.pq\n");
    expect_failure("t/b.pq", WEIR_IO, "t/b.pq: No such file or directory");
}

Test(paths, pipes_in_a_folder_are_left_out)
{
    make("t/a.pq", "");
    cr_assert_eq(mkfifo("t/b.pq", 0644), 0);
    expect("t", "t/a.pq\n");
}

Test(paths, many_nested_folders_are_walked)
{
    char path[64];
    const char *given = "t";
    weir_paths paths;

    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "t/k=%d/p.parquet", i);
        make(path, "");
    }
    cr_assert_eq(symlink(".", "t/loop"), 0);
    cr_assert_eq(weir_paths_expand(&given, 1, &paths, NULL), WEIR_OK);
    cr_expect_eq(paths.count, 300);
    for (size_t i = 1; i < paths.count; i++)
        cr_expect_lt(strcmp(paths.items[i - 1], paths.items[i]), 0);
    weir_paths_fini(&paths);
}

Test(paths, a_list_counts_from_where_it_lies)
{
    static const char *const tree[] = { "l[1]/a.pq", "l[1]/sub/b.pq", "l[1]/sub/c.pq",
                                        "z.pq",      "l[1]/x y ",     NULL };

    make_all(tree);
    make("l[1]/list.txt", "\xef\xbb\xbf# a comment\r\n\r\na.pq\r\n\n../z.pq\nsub\n*.p[q]\nx y \n"
                          "sub/*b*");
    expect("@l[1]/list.txt", "l[1]/a.pq\nl[1]/../z.pq\nl[1]/sub/b.pq\nl[1]/sub/c.pq\nl[1]/a.pq\n"
                             "l[1]/x y \nl[1]/sub/b.pq\n");
    cr_assert_eq(chdir("l[1]"), 0);
    make("here.txt", "/etc/passwd\na.pq");
    expect("@here.txt", "/etc/passwd\na.pq\n");
    cr_assert_eq(chdir(".."), 0);
}

Test(paths, a_line_that_is_no_path_is_told_by_its_number)
{
    make("a", "");
    make("one.txt", "a\n\nmissing\n");
    expect_failure("@one.txt", WEIR_IO, "one.txt: line 3: missing: No such file or directory");
    make("two.txt", "a\n@one.txt\n");
    expect_failure("@two.txt", WEIR_BAD_CALL, "two.txt: line 2: @one.txt: a list inside a list");
    make("three.txt", "# nothing\n\n");
    expect_failure("@three.txt", WEIR_BAD_CALL, "three.txt: the list names no file");
    make("four.txt", "");
    expect_failure("@four.txt", WEIR_BAD_CALL, "four.txt: the list names no file");
    make("five.txt", "q*\n");
    expect_failure("@five.txt", WEIR_BAD_CALL, "five.txt: line 1: q*: matches no file");
    expect_failure("@.", WEIR_IO, ".: is a folder, not a regular file");
}

Test(paths, a_zero_byte_in_a_list_is_refused)
{
    FILE *file = fopen("zero.txt", "wb");

    fwrite("a\0b\n", 1, 4, file);
    fclose(file);
    make("a", "");
    expect_failure("@zero.txt", WEIR_BAD_CALL, "zero.txt: line 1: a zero byte in a path");
}
