/* SPDX-License-Identifier: Apache-2.0
 * strings.c: DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. Values that share nothing with the one
 * before are views into the page; the others are put together in scratch. */
#include "formats/parquet/strings.h"

#include "core/bits.h"

#include <string.h>

static const char past_end[] = "a value's length reaches past the end";

static bool fail(weir_strings *strings, const char *why)
{
    strings->why = why;
    return false;
}

bool weir_strings_open(weir_strings *strings, const uint8_t *data, size_t size, bool has_prefixes)
{
    const uint8_t *end = data + size;

    strings->begin = data;
    strings->has_prefixes = has_prefixes;
    strings->used = strings->have = 0;
    strings->why = NULL;
    if (has_prefixes) {
        if (!weir_delta_init(&strings->prefixes, data, size) ||
            !weir_delta_find_end(&strings->prefixes, &data))
            return fail(strings, "the prefix lengths are cut or malformed");
    }
    if (!weir_delta_init(&strings->sizes, data, (size_t)(end - data)) ||
        !weir_delta_find_end(&strings->sizes, &strings->at))
        return fail(strings, "the lengths are cut or malformed");
    strings->end = end;
    return true;
}

void weir_strings_forget(weir_strings *strings)
{
    strings->last = (weir_view){ 0 };
    strings->last_is_ours = false;
}

void weir_strings_fini(weir_strings *strings)
{
    weir_hold_release(strings->scratch);
    strings->scratch = NULL;
}

/* Room for `size` bytes of scratch, of which the first `kept` stay. */
static weir_status make_room(weir_strings *strings, weir_work *work, size_t kept, size_t size,
                             weir_error *err)
{
    if (!strings->scratch)
        return weir_memory_take(work->memory, size, &strings->scratch, err);
    if (strings->scratch->size >= size)
        return WEIR_OK;
    return weir_memory_grow(work->memory, &strings->scratch, kept, size, err);
}

weir_status weir_strings_keep(weir_strings *strings, weir_work *work, weir_error *err)
{
    const size_t size = strings->last.size;

    if (size == 0)
        weir_strings_forget(strings);
    if (size == 0 || strings->last_is_ours)
        return WEIR_OK;
    WEIR_TRY(make_room(strings, work, 0, size, err));
    memcpy(strings->scratch->data, strings->last.data, size);
    strings->last.data = strings->scratch->data;
    strings->last_is_ours = true;
    return WEIR_OK;
}

/* Lengths for the next `count` values, at most WEIR_STRINGS_SLICE of them. */
static bool refill(weir_strings *strings, const weir_kernels *kernels, size_t count)
{
    const size_t want = weir_min_u64(count, WEIR_STRINGS_SLICE);

    strings->used = 0;
    strings->have = weir_delta_next_32(&strings->sizes, kernels, want, strings->size);
    if (strings->have < want)
        strings->why = strings->sizes.why;
    if (strings->has_prefixes) {
        const size_t n =
            weir_delta_next_32(&strings->prefixes, kernels, strings->have, strings->prefix);

        if (n < strings->have)
            strings->why = strings->prefixes.why;
        strings->have = n;
    }
    return strings->have > 0;
}

/* How many of the next `count` values are sound and fit the room together; `total` is what those
 * of them that share something take. Lengths are unsigned here: a negative one reaches past the
 * end, since pages are smaller than 2 GiB. */
static size_t measure(weir_strings *strings, size_t count, size_t *total)
{
    size_t before = strings->last.size, there = (size_t)(strings->end - strings->at);
    size_t n = 0;

    *total = 0;
    for (; n < count && *total < WEIR_STRINGS_ROOM; n++) {
        const size_t prefix = strings->prefix[strings->used + n];
        const size_t size = strings->size[strings->used + n];

        if (prefix > before) {
            strings->why = "a prefix is longer than the value before";
            break;
        }
        if (size > there) {
            strings->why = past_end;
            break;
        }
        there -= size;
        before = prefix + size;
        if (prefix)
            *total += before;
    }
    return n;
}

enum {
    SHORT = 32
};

/* A value's first bytes, in registers: a wide load of what two narrower stores just wrote would
 * wait for both (measured: 10 of 15 ns a value). */
typedef struct front {
    uint64_t word[SHORT / 8];
} front;

static inline front load_front(const uint8_t *from)
{
    front f;

    memcpy(&f, from, sizeof f);
    return f;
}

/* `prefix` bytes of `last`, then those at `at`. Reads SHORT bytes from `at - prefix` on. */
static inline front splice(front last, const uint8_t *at, size_t prefix)
{
    static const uint8_t masks[2 * SHORT] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    const front mask = load_front(masks + SHORT - prefix), rest = load_front(at - prefix);

    for (size_t i = 0; i < SHORT / 8; i++)
        last.word[i] = (last.word[i] & mask.word[i]) | (rest.word[i] & ~mask.word[i]);
    return last;
}

/* Puts the next `count` values together, which were measured. The last value before them moves to
 * the front of the scratch, if it lies there. */
static weir_status join(weir_strings *strings, weir_work *work, size_t count, size_t total,
                        weir_view *dst, weir_error *err)
{
    const size_t kept = strings->last_is_ours ? strings->last.size : 0;
    uint8_t *to;

    if (total) {
        if (kept)
            memmove(strings->scratch->data, strings->last.data, kept);
        WEIR_TRY(make_room(strings, work, kept, kept + total, err));
        if (kept)
            strings->last.data = strings->scratch->data;
    }
    to = total ? strings->scratch->data + kept : NULL;
    /* Locals, since any byte written might be one of the struct's. */
    const uint32_t *prefixes = strings->prefix + strings->used;
    const uint32_t *sizes = strings->size + strings->used;
    const uint8_t *at = strings->at;
    weir_view last = strings->last;
    front head = last.data ? load_front(last.data) : (front){ { 0 } };
    const bool has_before = at - strings->begin >= SHORT;
    for (size_t i = 0; i < count; i++) {
        const size_t prefix = prefixes[i], size = sizes[i];

        if (prefix == 0) {
            last = (weir_view){ at, size };
            head = load_front(at);
        } else if (prefix + size <= SHORT && has_before) {
            head = splice(head, at, prefix);
            memcpy(to, &head, sizeof head); /* what is too much the next one overwrites, or slack */
            last = (weir_view){ to, prefix + size };
            to += prefix + size;
        } else {
            memcpy(to, last.data, prefix);
            memcpy(to + prefix, at, size);
            last = (weir_view){ to, prefix + size };
            head = load_front(to);
            to += prefix + size;
        }
        at += size;
        dst[i] = last;
    }
    if (count)
        strings->last_is_ours = prefixes[count - 1] > 0;
    strings->used += count;
    strings->at = at;
    strings->last = last;
    return WEIR_OK;
}

static size_t cut_views(weir_strings *strings, size_t count, weir_view *dst)
{
    const uint8_t *at = strings->at;
    size_t n = 0;

    for (; n < count; n++) {
        const size_t size = strings->size[strings->used + n];

        if (size > (size_t)(strings->end - at)) {
            strings->why = past_end;
            break;
        }
        dst[n] = (weir_view){ at, size };
        at += size;
    }
    strings->at = at;
    strings->used += n;
    return n;
}

weir_status weir_strings_views(weir_strings *strings, weir_work *work, size_t count, weir_view *dst,
                               size_t *done, weir_error *err)
{
    size_t n, total;

    *done = 0;
    if (strings->used == strings->have && !refill(strings, work->kernels, count))
        return WEIR_OK;
    n = weir_min_u64(count, strings->have - strings->used);
    if (!strings->has_prefixes) {
        *done = cut_views(strings, n, dst);
        return WEIR_OK;
    }
    n = measure(strings, n, &total);
    WEIR_TRY(join(strings, work, n, total, dst, err));
    *done = n;
    return WEIR_OK;
}

/* One value of `width` bytes. */
static bool next_fixed(weir_strings *strings, size_t width, uint8_t *dst)
{
    const size_t prefix = strings->prefix[strings->used], size = strings->size[strings->used];

    if (prefix > strings->last.size)
        return fail(strings, "a prefix is longer than the value before");
    if (size > (size_t)(strings->end - strings->at))
        return fail(strings, past_end);
    if (prefix + size != width)
        return fail(strings, "a value is not as long as its type says");
    if (prefix)
        memcpy(dst, strings->last.data, prefix);
    memcpy(dst + prefix, strings->at, size);
    strings->at += size;
    strings->used++;
    strings->last = (weir_view){ dst, width };
    return true;
}

weir_status weir_strings_fixed(weir_strings *strings, weir_work *work, size_t count, size_t width,
                               uint8_t *dst, size_t *done, weir_error *err)
{
    size_t n = 0;

    *done = 0;
    while (n < count) {
        if (strings->used == strings->have && !refill(strings, work->kernels, count - n))
            break;
        if (!next_fixed(strings, width, dst + n * width))
            break;
        n++;
    }
    if (n > 0) { /* dst is the caller's: the value is needed for longer */
        strings->last_is_ours = false;
        WEIR_TRY(weir_strings_keep(strings, work, err));
    }
    *done = n;
    return WEIR_OK;
}
