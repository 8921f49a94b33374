/* SPDX-License-Identifier: Apache-2.0
 * glob.c: patterns over names, byte by byte, whatever the locale. */
#include "core/glob.h"

static uint8_t fold(uint8_t byte, bool any_case)
{
    return any_case && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

/* The byte after the set that begins at `p` (a `[`), NULL when it isn't closed. */
static const uint8_t *set_end(const uint8_t *p, const uint8_t *end)
{
    p++;
    if (p < end && (*p == '!' || *p == '^'))
        p++;
    if (p < end && *p == ']') /* first in the set: a member */
        p++;
    while (p < end && *p != ']')
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    return p < end ? p + 1 : NULL;
}

/* Whether `byte` is in the set [p, end), brackets included. */
static bool set_has(const uint8_t *p, const uint8_t *end, uint8_t byte, bool any_case)
{
    bool is_negated = false, is_member = false;

    p++;
    end--;
    if (*p == '!' || *p == '^') {
        is_negated = true;
        p++;
    }
    byte = fold(byte, any_case);
    while (p < end) {
        uint8_t low, high;

        if (*p == '\\' && p + 1 < end)
            p++;
        low = high = *p++;
        if (p + 1 < end && *p == '-') {
            p += p[1] == '\\' && p + 2 < end ? 2 : 1;
            high = *p++;
        }
        if (fold(low, any_case) <= byte && byte <= fold(high, any_case))
            is_member = true;
    }
    return is_member != is_negated;
}

/* Bytes of the UTF-8 character at `p`; 1 where it is none. */
static size_t character_size(const uint8_t *p, const uint8_t *end)
{
    const size_t want = *p < 0xc0 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

    if ((size_t)(end - p) < want)
        return 1;
    for (size_t i = 1; i < want; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 1;
    }
    return want;
}

/* One element of the pattern that isn't `*` against the start of the name: what both advance by;
 * false: no match. */
static bool element_match(const uint8_t *pattern, const uint8_t *pattern_end, const uint8_t *name,
                          const uint8_t *name_end, bool any_case, size_t *pattern_step,
                          size_t *name_step)
{
    const uint8_t *set;

    *pattern_step = *name_step = 1;
    if (*pattern == '?') {
        *name_step = character_size(name, name_end);
        return true;
    }
    if (*pattern == '[' && (set = set_end(pattern, pattern_end))) {
        *pattern_step = (size_t)(set - pattern);
        return set_has(pattern, set, *name, any_case);
    }
    if (*pattern == '\\' && pattern + 1 < pattern_end) {
        pattern++;
        *pattern_step = 2;
    }
    return fold(*pattern, any_case) == fold(*name, any_case);
}

bool weir_glob_match(weir_view pattern, weir_view name, bool any_case)
{
    const uint8_t *p = pattern.data, *n = name.data;
    const uint8_t *const p_end = p + pattern.size, *const n_end = n + name.size;
    const uint8_t *star = NULL, *star_name = NULL; /* after the last `*`; where it was tried */

    /* Only the last `*` is ever tried again: what the ones before it took can stay, so the time is
     * the product of the lengths at most. */
    while (n < n_end) {
        size_t p_step, n_step;

        if (p < p_end && *p == '*') {
            star = ++p;
            star_name = n;
        } else if (p < p_end && element_match(p, p_end, n, n_end, any_case, &p_step, &n_step)) {
            p += p_step;
            n += n_step;
        } else if (star) {
            p = star;
            n = ++star_name;
        } else {
            return false;
        }
    }
    while (p < p_end && *p == '*')
        p++;
    return p == p_end;
}

bool weir_glob_is(weir_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '*' || text.data[i] == '?' || text.data[i] == '[')
            return true;
    }
    return false;
}
