/* SPDX-License-Identifier: Apache-2.0
 * test_error.c: what an error says after it has travelled up. */
#include <criterion/criterion.h>

#include "core/error.h"
#include <errno.h>
#include <string.h>

static weir_error err;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

Test(error, each_level_puts_itself_before_the_last)
{
    cr_expect_eq(weir_fail_at(&err, WEIR_CORRUPT, 77, "corrupt frame %d", 3), WEIR_CORRUPT);
    cr_expect_eq(weir_blame(&err, WEIR_CORRUPT, "page %d", 17), WEIR_CORRUPT);
    cr_expect_eq(weir_blame(&err, WEIR_CORRUPT, "%s", "a.parquet"), WEIR_CORRUPT);
    cr_expect_str_eq(err.text, "a.parquet: page 17: corrupt frame 3");
    cr_expect(err.status == WEIR_CORRUPT && err.offset == 77 && err.file == -1 && err.row == -1);
    cr_expect_eq(weir_blame(&err, WEIR_OK, "nothing"), WEIR_OK);
    cr_expect_str_eq(err.text, "a.parquet: page 17: corrupt frame 3");
}

Test(error, nobody_need_listen)
{
    cr_expect_eq(weir_fail(NULL, WEIR_LIMIT, "x"), WEIR_LIMIT);
    cr_expect_eq(weir_blame(NULL, WEIR_LIMIT, "x"), WEIR_LIMIT);
    cr_expect_eq(weir_fail_system(NULL, ENOENT, "x"), WEIR_IO);
    cr_expect_eq(weir_fail_memory(NULL, 1), WEIR_NO_MEMORY);
}

Test(error, a_name_cannot_forge_a_line)
{
    weir_fail(&err, WEIR_CORRUPT, "column `%s`", "a\nweir: \x1b[31mred\x7f");
    cr_expect_str_eq(err.text, "column `a\\x0aweir: \\x1b[31mred\\x7f`");
    weir_blame(&err, WEIR_CORRUPT, "%s", "b\tc");
    cr_expect_str_eq(err.text, "b\\x09c: column `a\\x0aweir: \\x1b[31mred\\x7f`");
}

Test(error, a_long_path_loses_its_middle_and_not_the_cause)
{
    char path[4001];

    for (size_t i = 0; i + 1 < sizeof path; i++)
        path[i] = (char)('a' + i % 26);
    memcpy(path, "/begin/", 7);
    memcpy(path + sizeof path - 9, "/end.par", 9);
    weir_fail(&err, WEIR_CORRUPT, "the cause");
    weir_blame(&err, WEIR_CORRUPT, "page 3");
    weir_blame(&err, WEIR_CORRUPT, "column `%s`", path);
    weir_blame(&err, WEIR_CORRUPT, "%s: row group 5", path);
    cr_expect(ends_with(err.text, "`: page 3: the cause"), "%s", err.text);
    cr_expect(strncmp(err.text, "/begin/", 7) == 0, "%s", err.text);
    cr_expect(strstr(err.text, "/end.par: row group 5: column `/begin/"), "%s", err.text);
}

Test(error, what_is_cut_ends_and_begins_with_whole_characters)
{
    char name[3001], room[40];

    for (size_t shift = 0; shift < 3; shift++) {
        memset(name, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xe6\x97\xa5\0", 4);
        for (size_t size = 20; size <= sizeof room; size++) {
            const char *out = weir_shorten(name, room, size);
            const char *gap = strstr(out, "...");

            cr_assert(strlen(out) < size && gap && gap > out);
            cr_expect(((unsigned char)gap[3] & 0xc0) != 0x80, "%zu: %s", size, out);
            cr_expect_eq(((size_t)(gap - out) - shift) % 3, 0, "%zu: %s", size, out);
        }
        weir_fail(&err, WEIR_CORRUPT, "%s", name);
        cr_expect_eq((strlen(err.text) - shift) % 3, 0, "%zu bytes", strlen(err.text));
        cr_expect_gt(strlen(err.text), sizeof err.text - 5);
    }
    cr_expect_str_eq(weir_shorten("short", room, sizeof room), "short");
}

Test(error, the_systems_words_are_english_and_memory_is_its_own_status)
{
    cr_expect_eq(weir_fail_system(&err, ENOENT, "%s", "can't be opened"), WEIR_IO);
    cr_expect_str_eq(err.text, "can't be opened: No such file or directory");
    cr_expect_eq(weir_fail_system(&err, ENOMEM, "x"), WEIR_NO_MEMORY);
    cr_expect_eq(err.status, WEIR_NO_MEMORY);
}

Test(error, each_status_has_a_name)
{
    for (int i = WEIR_OK; i <= WEIR_LIMIT; i++)
        for (int j = WEIR_OK; j < i; j++)
            cr_expect_str_neq(weir_status_name((weir_status)i), weir_status_name((weir_status)j));
    cr_expect_str_eq(weir_status_name((weir_status)99), "unknown status");
}
