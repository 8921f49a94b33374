/* SPDX-License-Identifier: Apache-2.0
 * out.c: stdout, fully buffered by the command itself, so that values can be formatted in place and
 * a full disk or a closed pipe is met in one spot. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT_WRITE 262144 /* bytes that are written at once */

void *cli_alloc(void *old, size_t count, size_t size)
{
    size_t bytes;
    void *memory = NULL;

    if (!__builtin_mul_overflow(count, size, &bytes))
        memory = realloc(old, bytes ? bytes : 1);
    if (!memory) {
        cli_say("out of memory");
        _exit(CLI_DATA);
    }
    return memory;
}

/* Leaves without closing anything: there is nobody left to write for. */
static void out_failed(int error)
{
    cli_progress_clear();
    if (error == EPIPE)
        _exit(CLI_OK);
    cli_say("standard output: %s", strerror(error));
    _exit(CLI_DATA);
}

void cli_flush(cli_out *out)
{
    size_t done = 0;

    while (out->fd >= 0 && done < out->used) {
        const ssize_t n = write(out->fd, out->data + done, out->used - done);

        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            out_failed(errno);
    }
    if (out->fd >= 0)
        out->used = 0;
}

void cli_drain(cli_out *out)
{
    if (out->fd >= 0 && out->used >= OUT_WRITE)
        cli_flush(out);
}

char *cli_reserve(cli_out *out, size_t size)
{
    if (out->room - out->used < size) {
        size_t room = out->room ? out->room * 2 : 4096;

        if (out->fd >= 0 && room < OUT_WRITE * 2)
            room = OUT_WRITE * 2;
        if (room - out->used < size)
            room = out->used + size;
        out->data = cli_alloc(out->data, room, 1);
        out->room = room;
    }
    return out->data + out->used;
}

void cli_put(cli_out *out, const void *data, size_t size)
{
    if (size > 0)
        memcpy(cli_reserve(out, size), data, size);
    out->used += size;
}

void cli_puts(cli_out *out, const char *text)
{
    cli_put(out, text, strlen(text));
}

void cli_putc(cli_out *out, char c)
{
    *cli_reserve(out, 1) = c;
    out->used++;
}

void cli_printf(cli_out *out, const char *format, ...)
{
    va_list args, again;
    int size;

    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size > 0) {
        vsnprintf(cli_reserve(out, (size_t)size + 1), (size_t)size + 1, format, again);
        out->used += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

void cli_fini(cli_out *out)
{
    free(out->data);
    out->data = NULL;
    out->used = out->room = 0;
}
