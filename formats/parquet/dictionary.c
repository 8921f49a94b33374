/* SPDX-License-Identifier: Apache-2.0
 * dictionary.c: a dictionary page, decoded and cast once a chunk: rows only pick from it. An entry
 * that the cast refuses matters only where a row uses it. */
#include "formats/parquet/dictionary.h"

#include "core/bits.h"
#include "core/error.h"
#include "formats/parquet/plain.h"
#include "formats/parquet/values.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    ALIGN = 64
};

/* Where the parts lie in the hold. */
typedef struct layout {
    size_t refused, offsets, values, size;
} layout;

static bool add_part(layout *lay, size_t size, size_t *at)
{
    *at = lay->size;
    return !__builtin_add_overflow(lay->size, size, &lay->size) &&
           !__builtin_add_overflow(lay->size, (ALIGN - lay->size % ALIGN) % ALIGN, &lay->size);
}

/* Bytes of `entries` values of the target's type; BYTES: at most. */
static bool values_size(const weir_target *target, size_t entries, size_t page_size, size_t *out)
{
    if (target->field->type == WEIR_BYTES) {
        *out = page_size;
        return true;
    }
    if (target->field->type == WEIR_BOOL) {
        *out = weir_bits_size((int64_t)entries);
        return true;
    }
    return !__builtin_mul_overflow(entries, (size_t)target->field->width, out);
}

static bool make_layout(const weir_target *target, size_t entries, size_t page_size, layout *lay)
{
    const bool has_offsets = target->field->type == WEIR_BYTES;
    size_t size;

    *lay = (layout){ 0 };
    return values_size(target, entries, page_size, &size) &&
           add_part(lay, sizeof(weir_parquet_shared), &lay->refused) &&
           add_part(lay, weir_bits_size((int64_t)entries), &lay->refused) &&
           add_part(lay, has_offsets ? (entries + 1) * sizeof(int32_t) : 0, &lay->offsets) &&
           add_part(lay, size + WEIR_SLACK, &lay->values);
}

/* The least bytes that `entries` values take in the page. */
static uint64_t least_size(const weir_parquet_leaf *leaf, uint64_t entries)
{
    if (leaf->type == WEIR_PARQUET_BOOLEAN)
        return weir_bits_size((int64_t)entries);
    return entries * (leaf->type == WEIR_PARQUET_BYTE_ARRAY ? 4 : leaf->width);
}

static void refuse(weir_dictionary *dictionary, uint8_t *refused, size_t entries, size_t entry,
                   const char *why)
{
    if (!dictionary->refused) {
        memset(refused, 0, weir_bits_size((int64_t)entries));
        snprintf(dictionary->why, sizeof dictionary->why, "%s", why);
        dictionary->refused = refused;
    }
    weir_bit_set(refused, (int64_t)entry);
}

static weir_status too_short(const weir_page *page, size_t done, weir_error *err)
{
    return weir_fail_at(err, WEIR_CORRUPT, page->offset,
                        "dictionary page: %zu of its %" PRId64 " values are there", done,
                        page->value_count);
}

static weir_status read_bytes(const weir_page *page, weir_dictionary *dictionary, int32_t *offsets,
                              uint8_t *values, weir_error *err)
{
    const size_t entries = (size_t)page->value_count;
    weir_plain plain;
    size_t used = 0;

    weir_plain_init(&plain, page->plain.data, page->plain.size, 0);
    offsets[0] = 0;
    for (size_t i = 0; i < entries; i++) {
        weir_view view;

        if (weir_plain_views(&plain, 1, &view) == 0)
            return too_short(page, i, err);
        memcpy(values + used, view.data, view.size);
        used += view.size;
        offsets[i + 1] = (int32_t)used; /* a page is smaller than 2 GiB */
        if (view.size > dictionary->largest)
            dictionary->largest = view.size;
    }
    memset(values + used, 0, WEIR_SLACK);
    return WEIR_OK;
}

static weir_status read_decimals(const weir_target *target, const weir_page *page,
                                 weir_dictionary *dictionary, uint8_t *refused, uint8_t *values,
                                 weir_error *err)
{
    const size_t entries = (size_t)page->value_count;
    const size_t width = target->field->width;
    weir_plain plain;

    weir_plain_init(&plain, page->plain.data, page->plain.size, 0);
    for (size_t i = 0; i < entries; i++) {
        weir_view view;

        if (weir_plain_views(&plain, 1, &view) == 0)
            return too_short(page, i, err);
        if (!weir_cast_decimal(&target->cast, view, values + i * width)) {
            memset(values + i * width, 0, width);
            refuse(dictionary, refused, entries, i, "a decimal does not fit its new type");
        }
    }
    return WEIR_OK;
}

static weir_status read_cast(const weir_parquet_leaf *leaf, const weir_target *target,
                             const weir_page *page, weir_dictionary *dictionary, uint8_t *refused,
                             uint8_t *values, weir_work *work, weir_error *err)
{
    const size_t entries = (size_t)page->value_count;
    const size_t width = target->field->width, from_width = leaf->width;
    uint8_t *from = weir_arena_alloc(&work->scratch, entries * from_width);
    size_t done = 0;

    if (!from)
        return weir_fail_memory(err, entries * from_width);
    if (entries)
        memcpy(from, page->plain.data, entries * from_width); /* aligned for the cast */
    while (done < entries) {
        char why[sizeof dictionary->why];

        done += weir_cast_run(&target->cast, work->kernels, from + done * from_width,
                              entries - done, values + done * width, why, sizeof why);
        if (done == entries)
            break;
        memset(values + done * width, 0, width);
        refuse(dictionary, refused, entries, done++, why);
    }
    return WEIR_OK;
}

static weir_status read_values(const weir_parquet_leaf *leaf, const weir_target *target,
                               const weir_page *page, const layout *lay, uint8_t *base,
                               weir_work *work, weir_error *err)
{
    weir_dictionary *dictionary = &((weir_parquet_shared *)(void *)base)->dictionary;
    uint8_t *values = base + lay->values, *refused = base + lay->refused;

    dictionary->values.values = values;
    if (target->field->type == WEIR_BYTES) {
        int32_t *offsets = (int32_t *)(void *)(base + lay->offsets);

        dictionary->values.offsets = offsets;
        return read_bytes(page, dictionary, offsets, values, err);
    }
    if (leaf->type == WEIR_PARQUET_BYTE_ARRAY)
        return read_decimals(target, page, dictionary, refused, values, err);
    if (target->cast.kind != WEIR_CAST_NONE)
        return read_cast(leaf, target, page, dictionary, refused, values, work, err);
    if (page->plain.size)
        memcpy(values, page->plain.data, least_size(leaf, (uint64_t)page->value_count));
    return WEIR_OK;
}

weir_status weir_dictionary_read(const weir_parquet_leaf *leaf, const weir_target *target,
                                 const weir_page *page, weir_work *work, weir_parquet_shared **out,
                                 weir_error *err)
{
    const int32_t encoding = weir_parquet_page_note(page).encoding;
    const size_t entries = (size_t)page->value_count;
    const weir_arena_mark mark = weir_arena_tell(&work->scratch);
    weir_parquet_shared *shared;
    weir_status status;
    weir_hold *hold;
    layout lay;

    if (encoding != WEIR_PARQUET_PLAIN && encoding != WEIR_PARQUET_PLAIN_DICTIONARY)
        return weir_fail_at(err, WEIR_UNSUPPORTED, page->offset,
                            "dictionary page: encoding %d (%s) is not PLAIN", (int)encoding,
                            weir_encoding_name(encoding));
    if (page->value_count < 0 || page->value_count > INT32_MAX ||
        least_size(leaf, entries) > page->plain.size)
        return weir_fail_at(err, WEIR_CORRUPT, page->offset,
                            "dictionary page: %" PRId64 " values don't fit %zu bytes",
                            page->value_count, page->plain.size);
    if (!make_layout(target, entries, page->plain.size, &lay))
        return weir_fail_at(err, WEIR_LIMIT, page->offset, "dictionary page: too large");
    WEIR_TRY(weir_memory_take(work->memory, lay.size, &hold, err));
    shared = (weir_parquet_shared *)(void *)hold->data;
    *shared = (weir_parquet_shared){
        .hold = hold,
        .dictionary.values = { .field = target->field,
                               .type = target->field->type,
                               .form = WEIR_PLAIN,
                               .width = target->field->width,
                               .rows = (int64_t)entries,
                               .hold = hold },
    };
    status = read_values(leaf, target, page, &lay, hold->data, work, err);
    weir_arena_reset(&work->scratch, mark);
    if (status == WEIR_OK)
        *out = shared;
    else
        weir_hold_release(hold);
    return status;
}
