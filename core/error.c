/* SPDX-License-Identifier: Apache-2.0
 * error.c: text of errors, built from the inside out as an error travels up. */
#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    WHERE_MOST = 4200, /* a path and some words */
    LEVEL_MOST = 300,  /* of one level, so that none takes all the room */
    LEVEL_LEAST = 64
};

const char *weir_status_name(weir_status status)
{
    static const char *const names[] = {
        "ok",          "bad call", "no memory", "i/o error", "corrupt",
        "unsupported", "no codec", "cancelled", "mismatch",  "limit",
    };
    const unsigned index = (unsigned)status;

    return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

const char *weir_version(void)
{
    return WEIR_VERSION_STRING;
}

/* Control characters become escapes, so that a name can't forge a line of a log; a text that is cut
 * ends at a whole UTF-8 character. */
static void clean(char *out, size_t room, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = (const unsigned char *)text;
    size_t used = 0;

    for (; *p; p++) {
        const bool is_control = *p < 0x20 || *p == 0x7f;

        if (used + (is_control ? 4 : 1) >= room)
            break;
        if (is_control) {
            out[used++] = '\\';
            out[used++] = 'x';
            out[used++] = hex[*p >> 4];
            out[used++] = hex[*p & 15];
        } else {
            out[used++] = (char)*p;
        }
    }
    if ((*p & 0xc0) == 0x80) /* cut inside a character */
        while (used > 0 && ((unsigned char)out[--used] & 0xc0) == 0x80)
            ;
    out[used] = '\0';
}

/* The first byte of a character at or after `at`. */
static size_t character(const char *text, size_t at)
{
    while (((unsigned char)text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

const char *weir_shorten(const char *text, char *room, size_t size)
{
    static const char gap[] = "...";
    const size_t length = strlen(text);
    size_t head, tail;

    if (length < size)
        return text;
    head = (size - sizeof gap) / 4; /* of a path the end says more */
    while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
        head--;
    tail = character(text, length - (size - sizeof gap - head));
    memcpy(room, text, head);
    memcpy(room + head, gap, sizeof gap - 1);
    memcpy(room + head + sizeof gap - 1, text + tail, length - tail + 1);
    return room;
}

static weir_status fail_va(weir_error *err, weir_status status, int64_t offset, const char *format,
                           va_list args)
{
    char text[sizeof err->text + 8]; /* so that `clean` sees where it cuts */

    if (!err)
        return status;
    vsnprintf(text, sizeof text, format, args);
    *err = (weir_error){ .status = status, .file = -1, .row = -1, .offset = offset };
    clean(err->text, sizeof err->text, text);
    return status;
}

weir_status weir_fail(weir_error *err, weir_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_va(err, status, -1, format, args);
    va_end(args);
    return status;
}

weir_status weir_fail_at(weir_error *err, weir_status status, uint64_t offset, const char *format,
                         ...)
{
    va_list args;

    va_start(args, format);
    fail_va(err, status, (int64_t)offset, format, args);
    va_end(args);
    return status;
}

weir_status weir_fail_memory(weir_error *err, uint64_t size)
{
    return weir_fail(err, WEIR_NO_MEMORY, "no memory for %" PRIu64 " bytes", size);
}

/* The C library's own words: strerror would follow the locale and share a buffer. */
static const char *system_text(int code)
{
#if defined(__GLIBC__)
    const char *text = strerrordesc_np(code);

    return text ? text : "unknown error";
#else
    return strerror(code);
#endif
}

weir_status weir_fail_system(weir_error *err, int code, const char *format, ...)
{
    const weir_status status = code == ENOMEM ? WEIR_NO_MEMORY : WEIR_IO;
    char where[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
    weir_fail(err, status, "%s", system_text(code));
    return weir_blame(err, status, "%s", where);
}

weir_status weir_blame(weir_error *err, weir_status status, const char *format, ...)
{
    char where[WHERE_MOST], clear[WHERE_MOST], room[LEVEL_MOST], text[sizeof room + sizeof *err];
    size_t left;
    va_list args;

    if (!err || status == WEIR_OK)
        return status;
    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
    clean(clear, sizeof clear, where);
    left = sizeof err->text - strlen(err->text);
    left = left < LEVEL_LEAST + 2 ? LEVEL_LEAST : left - 2; /* the colon and the space */
    left = left < sizeof room ? left : sizeof room;
    snprintf(text, sizeof text, "%s: %s", weir_shorten(clear, room, left), err->text);
    clean(err->text, sizeof err->text, text);
    return status;
}
