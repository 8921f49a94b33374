/* SPDX-License-Identifier: Apache-2.0
 * json.h: as much of JSON (RFC 8259) as a dictionary's entries need: a value at a time, in place,
 * without a tree. After trouble `is_bad` stays set and every call ends at once; `has_no_memory`
 * when that was the trouble. */
#ifndef WEIR_HIPO_JSON_H
#define WEIR_HIPO_JSON_H

#include "core/arena.h"
#include <weir/base.h>

typedef struct weir_json {
    const uint8_t *at, *end;
    bool is_bad, has_no_memory;
} weir_json;

/* Goes into an object `{` or an array `[`; false: it is empty, or none. */
bool weir_json_open(weir_json *json, char bracket);
/* After an element: whether another follows, before what `closes`. */
bool weir_json_more(weir_json *json, char closes);
/* The name of a member, and its colon. */
bool weir_json_key(weir_json *json, weir_arena *arena, weir_view *out);
/* A string, its escapes undone, in the arena; a lone surrogate becomes U+FFFD. */
bool weir_json_string(weir_json *json, weir_arena *arena, weir_view *out);
bool weir_json_integer(weir_json *json, int64_t *out);
/* Any value, however deep. */
bool weir_json_skip(weir_json *json);
bool weir_json_is(weir_view text, const char *word);

#endif
