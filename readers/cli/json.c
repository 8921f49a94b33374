/* SPDX-License-Identifier: Apache-2.0
 * json.c: a JSON writer: two spaces a level, or all in one line. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

static void json_escape(cli_out *out, const char *data, size_t size)
{
    size_t at;

    cli_putc(out, '"');
    for (at = 0; at < size; at++) {
        const char c = data[at];

        if (c == '"' || c == '\\') {
            cli_putc(out, '\\');
            cli_putc(out, c);
        } else if (c == '\n') {
            cli_puts(out, "\\n");
        } else if (c == '\t') {
            cli_puts(out, "\\t");
        } else if (c == '\r') {
            cli_puts(out, "\\r");
        } else if ((uint8_t)c < 0x20) {
            cli_printf(out, "\\u%04x", (unsigned)(uint8_t)c);
        } else {
            cli_putc(out, c);
        }
    }
    cli_putc(out, '"');
}

/* RFC 4648, with padding. */
static void json_base64(cli_out *out, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at;

    cli_putc(out, '"');
    for (at = 0; at < size; at += 3) {
        const uint32_t left = (uint32_t)(size - at < 3 ? size - at : 3);
        uint32_t bits = (uint32_t)data[at] << 16;

        if (left > 1)
            bits |= (uint32_t)data[at + 1] << 8;
        if (left > 2)
            bits |= data[at + 2];
        cli_putc(out, digits[bits >> 18]);
        cli_putc(out, digits[bits >> 12 & 63]);
        cli_putc(out, left > 1 ? digits[bits >> 6 & 63] : '=');
        cli_putc(out, left > 2 ? digits[bits & 63] : '=');
    }
    cli_putc(out, '"');
}

void cli_put_json_text(cli_out *out, const char *data, size_t size)
{
    if (cli_is_utf8(data, size))
        json_escape(out, data, size);
    else
        json_base64(out, (const uint8_t *)data, size);
}

static void json_line(cli_json *json)
{
    int i;

    if (json->is_compact)
        return;
    cli_putc(json->out, '\n');
    for (i = 0; i < json->depth; i++)
        cli_puts(json->out, "  ");
}

void cli_json_key(cli_json *json, const char *name)
{
    cli_drain(json->out);
    if (!json->is_first)
        cli_putc(json->out, ',');
    if (json->depth > 0)
        json_line(json);
    json->is_first = false;
    if (name) {
        cli_put_json_text(json->out, name, strlen(name));
        cli_puts(json->out, json->is_compact ? ":" : ": ");
    }
}

void cli_json_open(cli_json *json, const char *name, char bracket)
{
    cli_json_key(json, name);
    cli_putc(json->out, bracket);
    json->depth++;
    json->is_first = true;
}

void cli_json_close(cli_json *json, char bracket)
{
    json->depth--;
    if (!json->is_first)
        json_line(json);
    cli_putc(json->out, bracket);
    json->is_first = false;
    if (json->depth == 0)
        cli_putc(json->out, '\n');
}

void cli_json_text(cli_json *json, const char *name, const char *data, size_t size)
{
    cli_json_key(json, name);
    cli_put_json_text(json->out, data, size);
}

void cli_json_string(cli_json *json, const char *name, const char *text)
{
    if (text)
        cli_json_text(json, name, text, strlen(text));
    else
        cli_json_null(json, name);
}

void cli_json_number(cli_json *json, const char *name, int64_t number)
{
    cli_json_key(json, name);
    cli_printf(json->out, "%" PRId64, number);
}

void cli_json_unsigned(cli_json *json, const char *name, uint64_t number)
{
    cli_json_key(json, name);
    cli_printf(json->out, "%" PRIu64, number);
}

void cli_json_bool(cli_json *json, const char *name, bool value)
{
    cli_json_key(json, name);
    cli_puts(json->out, value ? "true" : "false");
}

void cli_json_real(cli_json *json, const char *name, double value)
{
    cli_json_key(json, name);
    cli_put_real(json->out, value, WEIR_TEXT_JSON);
}

void cli_json_null(cli_json *json, const char *name)
{
    cli_json_key(json, name);
    cli_puts(json->out, "null");
}

void cli_json_raw(cli_json *json, const char *name, const char *data, size_t size)
{
    cli_json_key(json, name);
    cli_put(json->out, data, size);
}
