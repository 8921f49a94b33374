/* SPDX-License-Identifier: Apache-2.0
 * values.c: from an encoding's number and a leaf's type to the decoder that reads it. */
#include "formats/parquet/values.h"

#include "core/bits.h"
#include "core/error.h"
#include "formats/parquet/words.h"

const char *weir_encoding_name(int32_t encoding)
{
    const char *word = weir_parquet_word(&weir_parquet_encodings, encoding);

    return word ? word : "an unknown encoding";
}

static const char *type_name(weir_parquet_type type)
{
    static const char *const names[] = {
        "BOOLEAN", "INT32",  "INT64",      "INT96",
        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
    };

    return names[type];
}

static bool choose(weir_values *values, weir_values_kind kind, weir_values_way way)
{
    values->kind = kind;
    values->way = way;
    return true;
}

static bool choose_plain(weir_values *values, weir_parquet_type type)
{
    if (type == WEIR_PARQUET_BOOLEAN)
        return choose(values, WEIR_VALUES_PLAIN_BOOLS, WEIR_VALUES_AS_SLOTS);
    if (type == WEIR_PARQUET_BYTE_ARRAY)
        return choose(values, WEIR_VALUES_PLAIN_VIEWS, WEIR_VALUES_AS_VIEWS);
    return choose(values, WEIR_VALUES_PLAIN_FIXED, WEIR_VALUES_AS_SLOTS);
}

/* parquet-format Encodings.md, the types each section lists. */
static bool choose_any(weir_values *values, weir_parquet_type type, int32_t encoding)
{
    const bool is_int = type == WEIR_PARQUET_INT32 || type == WEIR_PARQUET_INT64;
    const bool is_real = type == WEIR_PARQUET_FLOAT || type == WEIR_PARQUET_DOUBLE;

    switch (encoding) {
    case WEIR_PARQUET_PLAIN:
        return choose_plain(values, type);
    case WEIR_PARQUET_PLAIN_DICTIONARY:
    case WEIR_PARQUET_RLE_DICTIONARY:
        return choose(values, WEIR_VALUES_CODES, WEIR_VALUES_AS_CODES);
    case WEIR_PARQUET_RLE:
        return type == WEIR_PARQUET_BOOLEAN &&
               choose(values, WEIR_VALUES_RLE_BOOLS, WEIR_VALUES_AS_SLOTS);
    case WEIR_PARQUET_DELTA_BINARY_PACKED:
        return is_int &&
               choose(values,
                      type == WEIR_PARQUET_INT32 ? WEIR_VALUES_DELTA_32 : WEIR_VALUES_DELTA_64,
                      WEIR_VALUES_AS_SLOTS);
    case WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return type == WEIR_PARQUET_BYTE_ARRAY &&
               choose(values, WEIR_VALUES_STRINGS, WEIR_VALUES_AS_VIEWS);
    case WEIR_PARQUET_DELTA_BYTE_ARRAY:
        if (type == WEIR_PARQUET_BYTE_ARRAY)
            return choose(values, WEIR_VALUES_STRINGS, WEIR_VALUES_AS_VIEWS);
        return type == WEIR_PARQUET_FIXED &&
               choose(values, WEIR_VALUES_STRINGS_FIXED, WEIR_VALUES_AS_SLOTS);
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        return (is_int || is_real || type == WEIR_PARQUET_FIXED) &&
               choose(values, WEIR_VALUES_SPLIT, WEIR_VALUES_AS_SLOTS);
    default:
        return false;
    }
}

weir_status weir_values_choose(weir_values *values, const weir_parquet_leaf *leaf, int32_t encoding,
                               weir_error *err)
{
    *values = (weir_values){ .width = leaf->width,
                             .has_prefixes = encoding == WEIR_PARQUET_DELTA_BYTE_ARRAY };
    if (choose_any(values, leaf->type, encoding))
        return WEIR_OK;
    if (encoding == WEIR_PARQUET_ALP)
        return weir_fail(err, WEIR_UNSUPPORTED, "the encoding ALP can't be read yet");
    return weir_fail(err, WEIR_UNSUPPORTED, "encoding %d (%s) on %s", (int)encoding,
                     weir_encoding_name(encoding), type_name(leaf->type));
}

static bool fail(weir_values *values, const char *why)
{
    values->why = why;
    return false;
}

static bool open_codes(weir_values *values, weir_view body)
{
    if (body.size == 0)
        return fail(values, "the page ends before the width of its codes");
    if (body.data[0] > WEIR_RLE_WIDTH)
        return fail(values, "codes of more than 32 bits");
    weir_rle_init(&values->in.rle, body.data + 1, body.size - 1, body.data[0]);
    return true;
}

static bool open_rle_bools(weir_values *values, weir_view body)
{
    if (body.size < 4 || weir_load32(body.data) > body.size - 4)
        return fail(values, "the length of the runs reaches past the end");
    weir_rle_init(&values->in.rle, body.data + 4, weir_load32(body.data), 1);
    return true;
}

bool weir_values_open(weir_values *values, weir_view body, weir_strings *strings, size_t count)
{
    switch (values->kind) {
    case WEIR_VALUES_PLAIN_FIXED:
    case WEIR_VALUES_PLAIN_BOOLS:
    case WEIR_VALUES_PLAIN_VIEWS:
        weir_plain_init(&values->in.plain, body.data, body.size, values->width);
        return true;
    case WEIR_VALUES_CODES:
        return open_codes(values, body);
    case WEIR_VALUES_RLE_BOOLS:
        return open_rle_bools(values, body);
    case WEIR_VALUES_DELTA_32:
    case WEIR_VALUES_DELTA_64:
        return weir_delta_init(&values->in.delta, body.data, body.size) ||
               fail(values, values->in.delta.why);
    case WEIR_VALUES_STRINGS:
    case WEIR_VALUES_STRINGS_FIXED:
        values->in.strings = strings;
        return weir_strings_open(strings, body.data, body.size, values->has_prefixes) ||
               fail(values, strings->why);
    case WEIR_VALUES_SPLIT:
        return weir_split_init(&values->in.split, body.data, body.size, values->width, count) ||
               fail(values, "there are too few bytes for the page's values, or too many");
    }
    return false;
}

weir_status weir_values_slots(weir_values *values, weir_work *work, size_t count, void *dst,
                              size_t *done, weir_error *err)
{
    const weir_kernels *kernels = work->kernels;

    switch (values->kind) {
    case WEIR_VALUES_PLAIN_FIXED:
        *done = weir_plain_fixed(&values->in.plain, count, dst);
        values->why = values->in.plain.why;
        return WEIR_OK;
    case WEIR_VALUES_PLAIN_BOOLS:
        *done = weir_plain_bools(&values->in.plain, kernels, count, dst);
        values->why = values->in.plain.why;
        return WEIR_OK;
    case WEIR_VALUES_RLE_BOOLS:
        *done = weir_rle_bools(&values->in.rle, kernels, count, dst);
        values->why = values->in.rle.why;
        return WEIR_OK;
    case WEIR_VALUES_DELTA_32:
        *done = weir_delta_next_32(&values->in.delta, kernels, count, dst);
        values->why = values->in.delta.why;
        return WEIR_OK;
    case WEIR_VALUES_DELTA_64:
        *done = weir_delta_next_64(&values->in.delta, kernels, count, dst);
        values->why = values->in.delta.why;
        return WEIR_OK;
    case WEIR_VALUES_STRINGS_FIXED:
        WEIR_TRY(
            weir_strings_fixed(values->in.strings, work, count, values->width, dst, done, err));
        values->why = values->in.strings->why;
        return WEIR_OK;
    default: /* SPLIT */
        *done = weir_split_next(&values->in.split, kernels, count, dst);
        values->why = "the streams end too soon";
        return WEIR_OK;
    }
}

size_t weir_values_codes(weir_values *values, const weir_kernels *kernels, size_t count,
                         uint32_t *dst)
{
    const size_t n = weir_rle_next(&values->in.rle, kernels, count, dst);

    values->why = values->in.rle.why;
    return n;
}

weir_status weir_values_views(weir_values *values, weir_work *work, size_t count, weir_view *dst,
                              size_t *done, weir_error *err)
{
    if (values->kind == WEIR_VALUES_PLAIN_VIEWS) {
        *done = weir_plain_views(&values->in.plain, count, dst);
        values->why = values->in.plain.why;
        return WEIR_OK;
    }
    WEIR_TRY(weir_strings_views(values->in.strings, work, count, dst, done, err));
    values->why = values->in.strings->why;
    return WEIR_OK;
}

bool weir_values_go_straight(const weir_values *values, const weir_builder *out)
{
    return values->kind == WEIR_VALUES_PLAIN_VIEWS && out->target->field->type == WEIR_BYTES;
}

weir_status weir_values_append(weir_values *values, weir_builder *out, weir_work *work,
                               int64_t rows, const uint8_t *present, int64_t *done, weir_error *err)
{
    weir_plain *plain = &values->in.plain;
    const weir_status status =
        weir_builder_append_prefixed(out, work, &plain->at, plain->end, rows, present, done, err);
    weir_view bad;

    if (status == WEIR_OK && *done == 0 && !out->is_full) {
        weir_plain_views(plain, 1, &bad);
        values->why = plain->why;
    }
    return status;
}

/* Strings that share beginnings have to be put together to be passed. */
static weir_status skip_strings(weir_values *values, weir_work *work, size_t count, weir_view *room,
                                size_t *done, weir_error *err)
{
    size_t n = 1;

    for (*done = 0; n > 0 && *done < count; *done += n)
        WEIR_TRY(weir_strings_views(values->in.strings, work,
                                    weir_min_u64(count - *done, WEIR_STRINGS_SLICE), room, &n,
                                    err));
    values->why = values->in.strings->why;
    return WEIR_OK;
}

static weir_status skip_strings_fixed(weir_values *values, weir_work *work, size_t count,
                                      size_t *done, weir_error *err)
{
    uint8_t *room = weir_arena_alloc(&work->scratch, values->width);
    size_t n = 1;

    if (!room)
        return weir_fail_memory(err, values->width);
    for (*done = 0; n > 0 && *done < count; *done += n)
        WEIR_TRY(weir_strings_fixed(values->in.strings, work, 1, values->width, room, &n, err));
    values->why = values->in.strings->why;
    return WEIR_OK;
}

weir_status weir_values_skip(weir_values *values, weir_work *work, size_t count, weir_view *room,
                             size_t *done, weir_error *err)
{
    switch (values->kind) {
    case WEIR_VALUES_PLAIN_FIXED:
        *done = weir_plain_skip_fixed(&values->in.plain, count);
        values->why = values->in.plain.why;
        return WEIR_OK;
    case WEIR_VALUES_PLAIN_BOOLS:
        *done = weir_plain_skip_bools(&values->in.plain, count);
        values->why = values->in.plain.why;
        return WEIR_OK;
    case WEIR_VALUES_PLAIN_VIEWS:
        *done = weir_plain_skip_views(&values->in.plain, count);
        values->why = values->in.plain.why;
        return WEIR_OK;
    case WEIR_VALUES_CODES:
    case WEIR_VALUES_RLE_BOOLS:
        *done = weir_rle_skip(&values->in.rle, count);
        values->why = values->in.rle.why;
        return WEIR_OK;
    case WEIR_VALUES_DELTA_32:
    case WEIR_VALUES_DELTA_64:
        *done = weir_delta_skip(&values->in.delta, work->kernels, count);
        values->why = values->in.delta.why;
        return WEIR_OK;
    case WEIR_VALUES_STRINGS:
        return skip_strings(values, work, count, room, done, err);
    case WEIR_VALUES_STRINGS_FIXED:
        return skip_strings_fixed(values, work, count, done, err);
    default: /* SPLIT */
        *done = weir_split_skip(&values->in.split, count);
        values->why = "the streams end too soon";
        return WEIR_OK;
    }
}
