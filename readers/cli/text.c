/* SPDX-License-Identifier: Apache-2.0
 * text.c: UTF-8, how many columns it takes on a terminal, and how a file's bytes are shown without
 * the terminal obeying them. */
#include "cli.h"

#include "width_table.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int32_t cli_decode(const char *data, size_t size, size_t *used)
{
    /* By the top five bits of the first byte: bytes in all; the least code that needs so many. */
    static const uint8_t lengths[32] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 4, 0 };
    static const int32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const uint8_t *p = (const uint8_t *)data;
    const size_t length = lengths[p[0] >> 3];
    int32_t code;
    size_t i;

    *used = 1;
    if (length == 1)
        return p[0];
    if (length == 0 || length > size)
        return -1;
    code = p[0] & (0x7F >> length);
    for (i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return -1;
        code = code << 6 | (p[i] & 0x3F);
    }
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return -1;
    *used = length;
    return code;
}

bool cli_is_utf8(const char *data, size_t size)
{
    size_t at = 0, used;

    while (at < size) {
        if ((uint8_t)data[at] < 0x80)
            used = 1;
        else if (cli_decode(data + at, size - at, &used) < 0)
            return false;
        at += used;
    }
    return true;
}

static bool width_find(const width_range *ranges, size_t count, int32_t code)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

int cli_width(int32_t code)
{
    if (code < 0x300)
        return 1;
    if (width_find(joined, sizeof(joined) / sizeof(joined[0]), code))
        return 0;
    return width_find(wide, sizeof(wide) / sizeof(wide[0]), code) ? 2 : 1;
}

/* Controls, and the marks that turn the direction of what follows. */
static bool text_is_hostile(int32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

static size_t text_escape(cli_out *out, int32_t code, uint8_t byte)
{
    const size_t before = out->used;

    if (code < 0)
        cli_printf(out, "\\x%02x", byte);
    else if (code == '\n')
        cli_puts(out, "\\n");
    else if (code == '\t')
        cli_puts(out, "\\t");
    else if (code == '\r')
        cli_puts(out, "\\r");
    else
        cli_printf(out, code < 0x80 ? "\\x%02" PRIx32 : "\\u%04" PRIx32, (uint32_t)code);
    return out->used - before;
}

size_t cli_put_shown(cli_out *out, const char *data, size_t size)
{
    size_t at = 0, used, columns = 0;

    while (at < size) {
        const int32_t code = cli_decode(data + at, size - at, &used);

        if (code < 0 || text_is_hostile(code)) {
            columns += text_escape(out, code, (uint8_t)data[at]);
        } else {
            cli_put(out, data + at, used);
            columns += (size_t)cli_width(code);
        }
        at += used;
    }
    return columns;
}

void cli_say(const char *format, ...)
{
    char text[4096];
    cli_out line = { .fd = -1 };
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    cli_progress_clear();
    cli_puts(&line, "weir: ");
    cli_put_shown(&line, text, strlen(text));
    cli_putc(&line, '\n');
    fwrite(line.data, 1, line.used, stderr);
    cli_fini(&line);
}

void cli_put_grouped(cli_out *out, uint64_t number)
{
    char digits[24];
    const int count = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    int i;

    for (i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            cli_putc(out, ',');
        cli_putc(out, digits[i]);
    }
}

void cli_put_bytes(cli_out *out, uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double value = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        cli_printf(out, "%" PRIu64 " B", bytes);
        return;
    }
    while (value >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    cli_printf(out, "%.1f %s", value, units[unit]);
}

bool cli_has_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(fd) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}
