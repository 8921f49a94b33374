/* SPDX-License-Identifier: Apache-2.0
 * json.c: JSON values in place. */
#include "formats/hipo/json.h"

#include <string.h>

static bool fail(weir_json *json)
{
    json->is_bad = true;
    return false;
}

/* The next byte that is no blank, 0 at the end. */
static uint8_t peek(weir_json *json)
{
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r'))
        json->at++;
    return json->at < json->end && !json->is_bad ? *json->at : 0;
}

static bool take(weir_json *json, char byte)
{
    if (peek(json) != (uint8_t)byte)
        return fail(json);
    json->at++;
    return true;
}

bool weir_json_open(weir_json *json, char bracket)
{
    const char closes = bracket == '{' ? '}' : ']';

    if (!take(json, bracket))
        return false;
    if (peek(json) != (uint8_t)closes)
        return true;
    json->at++;
    return false;
}

bool weir_json_more(weir_json *json, char closes)
{
    if (peek(json) == ',') {
        json->at++;
        return true;
    }
    take(json, closes);
    return false;
}

/* ---- strings ---- */

static int digit_of(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Four hex digits; -1: there are none. */
static int32_t read_unit(const uint8_t *at, const uint8_t *end)
{
    int32_t unit = 0;

    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = digit_of(at[i]);

        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t put_utf8(uint8_t *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (uint8_t)(0xc0 | code >> 6);
        to[1] = (uint8_t)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (uint8_t)(0xe0 | code >> 12);
        to[1] = (uint8_t)(0x80 | (code >> 6 & 63));
        to[2] = (uint8_t)(0x80 | (code & 63));
        return 3;
    }
    to[0] = (uint8_t)(0xf0 | code >> 18);
    to[1] = (uint8_t)(0x80 | (code >> 12 & 63));
    to[2] = (uint8_t)(0x80 | (code >> 6 & 63));
    to[3] = (uint8_t)(0x80 | (code & 63));
    return 4;
}

/* After `\u`: one unit, or two that are a pair. Six bytes a unit become three at the most, twelve a
 * pair four. */
static bool read_code(weir_json *json, uint8_t **to)
{
    const int32_t first = read_unit(json->at, json->end);
    uint32_t code = (uint32_t)first;

    if (first < 0)
        return fail(json);
    json->at += 4;
    if (first >= 0xd800 && first < 0xe000) {
        const bool is_pair = json->end - json->at >= 6 && json->at[0] == '\\' && json->at[1] == 'u';
        const int32_t second = is_pair ? read_unit(json->at + 2, json->end) : -1;

        code = 0xfffd;
        if (first < 0xdc00 && second >= 0xdc00 && second < 0xe000) {
            code = 0x10000 + ((uint32_t)first - 0xd800) * 0x400 + ((uint32_t)second - 0xdc00);
            json->at += 6;
        }
    }
    *to += put_utf8(*to, code);
    return true;
}

static bool read_escape(weir_json *json, uint8_t **to)
{
    static const char from[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *at;

    if (json->at == json->end)
        return fail(json);
    if (*json->at == 'u') {
        json->at++;
        return read_code(json, to);
    }
    at = *json->at ? strchr(from, *json->at) : NULL;
    if (!at)
        return fail(json);
    json->at++;
    *(*to)++ = (uint8_t)means[at - from];
    return true;
}

/* The byte after the string's last quote; NULL: it has none. */
static const uint8_t *find_quote(const uint8_t *at, const uint8_t *end)
{
    for (; at < end; at++) {
        if (*at == '"')
            return at;
        at += *at == '\\';
    }
    return NULL;
}

bool weir_json_string(weir_json *json, weir_arena *arena, weir_view *out)
{
    const uint8_t *quote;
    uint8_t *text, *to;

    if (!take(json, '"'))
        return false;
    quote = find_quote(json->at, json->end);
    if (!quote)
        return fail(json);
    text = to = weir_arena_alloc(arena, (size_t)(quote - json->at));
    if (!text) {
        json->has_no_memory = true;
        return fail(json);
    }
    while (json->at < quote) {
        if (*json->at != '\\') {
            *to++ = *json->at++;
            continue;
        }
        json->at++;
        if (!read_escape(json, &to))
            return false;
    }
    json->at = quote + 1;
    *out = (weir_view){ text, (size_t)(to - text) };
    return true;
}

bool weir_json_key(weir_json *json, weir_arena *arena, weir_view *out)
{
    return weir_json_string(json, arena, out) && take(json, ':');
}

/* ---- the rest ---- */

bool weir_json_integer(weir_json *json, int64_t *out)
{
    const bool is_negative = peek(json) == '-';
    int64_t value = 0;

    json->at += is_negative;
    if (json->at == json->end || *json->at < '0' || *json->at > '9')
        return fail(json);
    for (; json->at < json->end && *json->at >= '0' && *json->at <= '9'; json->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *json->at - '0', &value))
            return fail(json);
    *out = is_negative ? -value : value;
    return true;
}

/* Brackets are counted, not matched: what is skipped need not be right. */
bool weir_json_skip(weir_json *json)
{
    size_t depth = 0;

    do {
        const uint8_t byte = peek(json);

        if (byte == 0)
            return fail(json);
        if (byte == '"') {
            const uint8_t *quote = find_quote(json->at + 1, json->end);

            if (!quote)
                return fail(json);
            json->at = quote + 1;
            continue;
        }
        if (depth == 0 && (byte == '}' || byte == ']' || byte == ','))
            return fail(json);
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        json->at++;
        if (byte != '{' && byte != '[' && byte != '}' && byte != ']' && depth == 0)
            while (json->at < json->end && !strchr(",}] \t\r\n", *json->at))
                json->at++;
    } while (depth > 0);
    return true;
}

bool weir_json_is(weir_view text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}
