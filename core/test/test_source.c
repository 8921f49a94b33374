/* SPDX-License-Identifier: Apache-2.0
 * test_source.c: files, maps, memory and the caller's functions give the same bytes and say what
 * is wrong. */
#include <criterion/criterion.h>

#include "core/source.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/weir-source-XXXXXX";
static uint8_t bytes[10000];
static weir_error err;

static void make_file(void)
{
    const int fd = mkstemp(path);

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + (i >> 8));
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, sizeof bytes), (ssize_t)sizeof bytes);
    close(fd);
}

static void drop_file(void)
{
    unlink(path);
}

TestSuite(source, .init = make_file, .fini = drop_file);

/* Reads at many places and past the end; takes over the source. */
static void check_reads(weir_source *source)
{
    uint8_t into[300];
    uint64_t total = 0;

    cr_expect_eq(weir_source_size(source), sizeof bytes);
    for (uint64_t offset = 0; offset <= sizeof bytes; offset += 97) {
        const size_t left = (size_t)(sizeof bytes - offset);
        const size_t size = left < sizeof into ? left : sizeof into;

        cr_assert_eq(weir_source_read(source, offset, into, size, &err), WEIR_OK, "%s", err.text);
        cr_assert_arr_eq(into, bytes + offset, size);
        total += size;
    }
    cr_expect_eq(weir_source_bytes_read(source), total);
    cr_expect_eq(weir_source_read(source, sizeof bytes, into, 0, &err), WEIR_OK);
    cr_expect_eq(weir_source_read(source, sizeof bytes, into, 1, &err), WEIR_CORRUPT);
    cr_expect_eq(err.offset, (int64_t)sizeof bytes);
    cr_expect_str_eq(err.text, "1 bytes at byte 10000 lie outside of the 10000 bytes there are");
    cr_expect_eq(weir_source_read(source, UINT64_MAX, into, 2, &err), WEIR_CORRUPT);
    cr_expect_eq(weir_source_read(source, 2, into, SIZE_MAX, NULL), WEIR_CORRUPT);
    weir_source_release(weir_source_keep(source));
    cr_expect_eq(weir_source_read(source, 5, into, 5, &err), WEIR_OK, "kept once more");
    weir_source_release(source);
}

Test(source, a_file_gives_its_bytes)
{
    weir_source *source = NULL;
    weir_view all;
    weir_hold *hold;

    cr_assert_eq(weir_source_open(path, 0, &source, &err), WEIR_OK, "%s", err.text);
    cr_expect_str_eq(weir_source_name(source), path);
    cr_expect_not(weir_source_mapped(source, &all, &hold));
    check_reads(source);
}

Test(source, a_mapped_file_gives_its_bytes_and_outlives_its_source)
{
    weir_source *source = NULL;
    weir_view all;
    weir_hold *hold = NULL;

    cr_assert_eq(weir_source_open(path, WEIR_SOURCE_MAP, &source, &err), WEIR_OK, "%s", err.text);
    cr_assert(weir_source_mapped(source, &all, &hold));
    cr_assert_eq(all.size, sizeof bytes);
    weir_hold_keep(hold);
    check_reads(source);
    cr_expect_arr_eq(all.data, bytes, sizeof bytes);
    weir_hold_release(hold);
}

Test(source, a_map_has_readable_bytes_after_a_file_of_whole_pages)
{
    weir_source *source = NULL;
    weir_view all;
    weir_hold *hold;
    uint8_t sum = 0;

    cr_assert_eq(truncate(path, 8192), 0);
    cr_assert_eq(weir_source_open(path, WEIR_SOURCE_MAP, &source, &err), WEIR_OK);
    cr_assert(weir_source_mapped(source, &all, &hold));
    for (size_t i = 0; i < WEIR_SLACK; i++)
        sum |= all.data[all.size + i];
    cr_expect_eq(sum, 0);
    weir_source_release(source);
}

Test(source, an_empty_file_opens_mapped_or_not)
{
    cr_assert_eq(truncate(path, 0), 0);
    for (uint32_t flags = 0; flags <= WEIR_SOURCE_MAP; flags++) {
        weir_source *source = NULL;

        cr_assert_eq(weir_source_open(path, flags, &source, &err), WEIR_OK, "%s", err.text);
        cr_expect_eq(weir_source_size(source), 0);
        weir_source_release(source);
    }
}

Test(source, what_is_no_regular_file_is_refused, .timeout = 20)
{
    char pipe[64];
    weir_source *source = NULL;

    cr_expect_eq(weir_source_open("/tmp", 0, &source, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "is a folder, not a regular file");
    cr_expect_eq(weir_source_open("/no/such", 0, &source, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "can't be opened: No such file or directory");
    cr_expect_eq(weir_source_open("/dev/null", 0, &source, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "is a device, not a regular file");
    cr_expect_eq(weir_source_open("/no/such", 0, &source, NULL), WEIR_IO);

    snprintf(pipe, sizeof pipe, "%s.pipe", path);
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    cr_expect_eq(weir_source_open(pipe, 0, &source, &err), WEIR_IO); /* and it doesn't hang */
    cr_expect_str_eq(err.text, "is a pipe, not a regular file");
    unlink(pipe);
    cr_expect_null(source);
}

Test(source, a_file_that_may_not_be_read_is_io)
{
    weir_source *source = NULL;

    if (geteuid() == 0 && seteuid(65534) != 0)
        cr_skip_test("can't become somebody else");
    cr_expect_eq(weir_source_open("/etc/shadow", 0, &source, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "can't be opened: Permission denied");
    cr_expect_eq(seteuid(getuid()), 0);
}

Test(source, a_file_that_shrank_is_io_at_the_byte)
{
    uint8_t into[1000];
    weir_source *source = NULL;

    cr_assert_eq(weir_source_open(path, 0, &source, &err), WEIR_OK);
    cr_assert_eq(truncate(path, 5000), 0);
    cr_expect_eq(weir_source_read(source, 4000, into, 1000, &err), WEIR_OK);
    cr_expect_eq(weir_source_read(source, 4500, into, 1000, &err), WEIR_IO);
    cr_expect_eq(err.offset, 5000);
    cr_expect_str_eq(err.text, "the file ends at byte 5000; it had 10000 bytes when it was opened");
    weir_source_release(source);
}

Test(source, at_rest_has_no_descriptor_and_knows_its_file_again)
{
    char other[300];
    weir_source *source = NULL;
    uint8_t first[4];
    const int next = dup(0);

    close(next);
    cr_assert_eq(weir_source_open(path, 0, &source, &err), WEIR_OK);
    weir_source_rest(source);
    cr_expect_eq(fcntl(next, F_GETFD), -1, "still open");
    cr_expect_eq(weir_source_wake(source, &err), WEIR_OK);
    cr_expect_eq(weir_source_wake(source, &err), WEIR_OK, "awake it stays so");
    cr_expect_eq(weir_source_read(source, 0, first, sizeof first, &err), WEIR_OK);
    weir_source_rest(source);
    snprintf(other, sizeof other, "%s.other", path);
    cr_assert_eq(rename(path, other), 0);
    cr_expect_eq(weir_source_wake(source, &err), WEIR_IO);
    FILE *made = fopen(path, "wb");
    cr_assert(made && fclose(made) == 0);
    cr_expect_eq(weir_source_wake(source, &err), WEIR_IO);
    cr_expect(strstr(err.text, "replaced"), "%s", err.text);
    cr_expect_eq(fcntl(next, F_GETFD), -1, "open after a failure");
    cr_assert_eq(rename(other, path), 0);
    cr_expect_eq(weir_source_wake(source, &err), WEIR_OK);
    weir_source_release(source);
    cr_expect_eq(fcntl(next, F_GETFD), -1, "open after the release");
}

Test(source, descriptors_close_on_exec_and_on_release)
{
    weir_source *source = NULL;
    const int next = dup(0);

    close(next);
    cr_assert_eq(weir_source_open(path, 0, &source, &err), WEIR_OK);
    cr_expect(fcntl(next, F_GETFD) & FD_CLOEXEC);
    weir_source_release(source);
    cr_expect_eq(fcntl(next, F_GETFD), -1, "still open");
}

Test(source, memory_gives_its_bytes)
{
    weir_source *source = NULL;
    weir_view all;
    weir_hold *hold;

    cr_assert_eq(weir_source_open_memory("mem", bytes, sizeof bytes, &source, &err), WEIR_OK);
    cr_expect_str_eq(weir_source_name(source), "mem");
    cr_expect_not(weir_source_mapped(source, &all, &hold), "bytes of the caller can't be lent");
    check_reads(source);
    cr_assert_eq(weir_source_open_memory(NULL, NULL, 0, &source, &err), WEIR_OK);
    cr_expect_eq(weir_source_size(source), 0);
    weir_source_release(source);
    cr_expect_eq(weir_source_open_memory(NULL, NULL, 1, &source, &err), WEIR_BAD_CALL);
}

/* ---- a system that does less than it was asked; the linker sends pread here ---- */

ssize_t __real_pread(int fd, void *into, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *into, size_t size, off_t offset);

static bool is_hasty;
static int errno_left; /* what the third call fails with; 0: nothing */
static int call_count;

ssize_t __wrap_pread(int fd, void *into, size_t size, off_t offset)
{
    if (!is_hasty)
        return __real_pread(fd, into, size, offset);
    call_count++;
    if (call_count == 3 && errno_left) {
        errno = errno_left;
        return -1;
    }
    if (call_count % 2) {
        errno = EINTR;
        return -1;
    }
    return __real_pread(fd, into, size < 7 ? size : 7, offset);
}

Test(source, interrupted_and_short_reads_are_gone_on_with)
{
    weir_source *source = NULL;
    uint8_t into[1000];

    cr_assert_eq(weir_source_open(path, 0, &source, &err), WEIR_OK);
    is_hasty = true;
    cr_expect_eq(weir_source_read(source, 123, into, sizeof into, &err), WEIR_OK);
    cr_expect_arr_eq(into, bytes + 123, sizeof into);
    cr_expect_eq(call_count, 2 * 143, "7 bytes every other call");
    call_count = 0;
    errno_left = EIO;
    cr_expect_eq(weir_source_read(source, 123, into, sizeof into, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "reading 993 bytes at byte 130: Input/output error");
    is_hasty = false;
    weir_source_release(source);
}

/* ---- the caller's functions ---- */

typedef struct scripted {
    weir_status status;
    const char *text; /* NULL: says nothing */
    int reads, closes;
} scripted;

static weir_status read_scripted(void *user, uint64_t offset, void *into, size_t size,
                                 weir_error *out)
{
    scripted *script = user;

    script->reads++;
    cr_assert_leq(offset + size, sizeof bytes, "asked outside of the length");
    if (script->text)
        snprintf(out->text, sizeof out->text, "%s", script->text);
    if (script->status == WEIR_OK)
        memcpy(into, bytes + offset, size);
    return script->status;
}

static void close_scripted(void *user)
{
    ((scripted *)user)->closes++;
}

static weir_source *open_scripted(scripted *script)
{
    char name[] = "the input";
    const weir_input input = { .size = sizeof input,
                               .name = name,
                               .length = sizeof bytes,
                               .read = read_scripted,
                               .close = close_scripted,
                               .user = script };
    weir_source *source = NULL;

    cr_assert_eq(weir_source_open_input(&input, &source, &err), WEIR_OK);
    name[0] = 'x';
    cr_expect_str_eq(weir_source_name(source), "the input", "the name is copied");
    return source;
}

Test(source, callbacks_give_their_bytes_and_close_once)
{
    scripted script = { 0 };

    check_reads(open_scripted(&script));
    cr_expect_gt(script.reads, 100);
    cr_expect_eq(script.closes, 1);
}

Test(source, a_failing_callback_has_the_word)
{
    scripted script = { .status = WEIR_CANCELLED, .text = "the network is gone" };
    weir_source *source = open_scripted(&script);
    uint8_t into[8];

    cr_expect_eq(weir_source_read(source, 7, into, 8, &err), WEIR_CANCELLED);
    cr_expect_eq(err.status, WEIR_CANCELLED);
    cr_expect_eq(err.offset, 7);
    cr_expect_str_eq(err.text, "the network is gone");
    cr_expect_eq(weir_source_read(source, 7, into, 8, NULL), WEIR_CANCELLED);
    script.text = NULL;
    script.status = WEIR_IO;
    cr_expect_eq(weir_source_read(source, 7, into, 8, &err), WEIR_IO);
    cr_expect_str_eq(err.text, "the input's read function failed");
    script.status = (weir_status)4711;
    cr_expect_eq(weir_source_read(source, 7, into, 8, &err), WEIR_IO, "a status that is none");
    cr_expect_eq(weir_source_bytes_read(source), 0);
    weir_source_release(source);
    cr_expect_eq(script.closes, 1);
}

Test(source, a_callback_that_succeeds_leaves_the_error_alone)
{
    scripted script = { .text = "noise" };
    weir_source *source = open_scripted(&script);
    uint8_t into[8];

    err = (weir_error){ .text = "before" };
    cr_expect_eq(weir_source_read(source, 0, into, 8, &err), WEIR_OK);
    cr_expect_str_eq(err.text, "before");
    weir_source_release(source);
}

Test(source, an_input_without_bytes_is_the_callers_mistake)
{
    weir_input input = { .size = sizeof input, .length = 1 };
    weir_source *source = NULL;

    cr_expect_eq(weir_source_open_input(&input, &source, &err), WEIR_BAD_CALL);
    input.read = read_scripted;
    input.length = UINT64_MAX;
    cr_expect_eq(weir_source_open_input(&input, &source, &err), WEIR_BAD_CALL);
    input = (weir_input){ .size = sizeof input, .data = bytes, .length = sizeof bytes };
    cr_assert_eq(weir_source_open_input(&input, &source, &err), WEIR_OK);
    check_reads(source);
}
