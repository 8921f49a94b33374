/* SPDX-License-Identifier: Apache-2.0
 * delimited.c: quoting of csv and tsv by RFC 4180, with line feeds at the ends of lines. A null is
 * an empty field, an empty string is "": so they differ. */
#include "cli.h"

#include <string.h>

static bool quote_is_needed(const char *data, size_t size, char separator)
{
    size_t i;

    if (size == 0)
        return true;
    for (i = 0; i < size; i++)
        if (data[i] == separator || data[i] == '"' || data[i] == '\n' || data[i] == '\r')
            return true;
    return false;
}

void cli_quote(cli_out *out, size_t begin, char separator)
{
    const size_t size = out->used - begin;
    size_t quotes = 0, i;
    char *to;

    cli_reserve(out, 2); /* so that there is a buffer */
    if (!quote_is_needed(out->data + begin, size, separator))
        return;
    for (i = 0; i < size; i++)
        quotes += out->data[begin + i] == '"';
    cli_reserve(out, quotes + 2);
    to = out->data + begin + size + quotes + 2;
    out->used = begin + size + quotes + 2;
    *--to = '"';
    for (i = size; i-- > 0;) {
        const char c = out->data[begin + i];

        *--to = c;
        if (c == '"')
            *--to = '"';
    }
    out->data[begin] = '"';
}
