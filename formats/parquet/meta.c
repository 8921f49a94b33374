/* SPDX-License-Identifier: Apache-2.0
 * meta.c: the structs below a row group, from the footer's bytes (parquet.thrift: ColumnChunk,
 * ColumnMetaData, Statistics), and what is known of those who wrote them. */
#include "formats/parquet/meta.h"

#include "core/error.h"
#include <inttypes.h>

weir_status weir_parquet_trouble(const weir_compact *in, const uint8_t *bytes, uint64_t offset,
                                 const char *what, weir_error *err)
{
    return weir_fail_at(err, WEIR_CORRUPT, offset + (uint64_t)(in->spot - bytes), "%s: %s", what,
                        in->why);
}

static void read_flag(weir_compact *in, const weir_compact_field *field, int8_t *out)
{
    bool value;

    if (weir_compact_bool(in, field, &value))
        *out = value;
}

void weir_parquet_stats_read(weir_compact *in, weir_parquet_stats *out)
{
    weir_compact_field field = { 0 };

    *out = (weir_parquet_stats){
        .null_count = -1,
        .distinct_count = -1,
        .nan_count = -1,
        .is_max_exact = -1,
        .is_min_exact = -1,
    };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_binary(in, &field, &out->max);
            break;
        case 2:
            weir_compact_binary(in, &field, &out->min);
            break;
        case 3:
            weir_compact_i64(in, &field, &out->null_count);
            break;
        case 4:
            weir_compact_i64(in, &field, &out->distinct_count);
            break;
        case 5:
            weir_compact_binary(in, &field, &out->max_value);
            break;
        case 6:
            weir_compact_binary(in, &field, &out->min_value);
            break;
        case 7:
            read_flag(in, &field, &out->is_max_exact);
            break;
        case 8:
            read_flag(in, &field, &out->is_min_exact);
            break;
        case 9:
            weir_compact_i64(in, &field, &out->nan_count);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
}

static void read_column(weir_compact *in, weir_parquet_chunk *out)
{
    weir_compact_field field = { 0 };
    const uint8_t *at;

    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i32(in, &field, &out->type);
            break;
        case 2:
            at = in->at;
            weir_compact_skip(in, field.type);
            if (field.type == WEIR_COMPACT_LIST)
                out->encodings = (weir_view){ at, (size_t)(in->at - at) };
            break;
        case 4:
            weir_compact_i32(in, &field, &out->codec);
            break;
        case 5:
            weir_compact_i64(in, &field, &out->value_count);
            break;
        case 6:
            weir_compact_i64(in, &field, &out->plain_size);
            break;
        case 7:
            weir_compact_i64(in, &field, &out->size);
            break;
        case 9:
            weir_compact_i64(in, &field, &out->data_page);
            break;
        case 10:
            weir_compact_i64(in, &field, &out->index_page);
            break;
        case 11:
            weir_compact_i64(in, &field, &out->dictionary_page);
            break;
        case 12:
            if (weir_compact_struct(in, &field))
                weir_parquet_stats_read(in, &out->stats);
            break;
        case 14:
            weir_compact_i64(in, &field, &out->bloom_filter);
            break;
        case 15:
            weir_compact_i32(in, &field, &out->bloom_filter_size);
            break;
        default: /* path_in_schema (3) too: columns go by position, never by name */
            weir_compact_skip(in, field.type);
        }
}

void weir_parquet_chunk_read(weir_compact *in, weir_parquet_chunk *out)
{
    weir_compact_field field = { 0 };

    *out = (weir_parquet_chunk){
        .file_offset = -1,
        .offset_index = -1,
        .column_index = -1,
        .offset_index_size = -1,
        .column_index_size = -1,
        .type = -1,
        .codec = -1,
        .value_count = -1,
        .plain_size = -1,
        .size = -1,
        .data_page = -1,
        .index_page = -1,
        .dictionary_page = -1,
        .bloom_filter = -1,
        .bloom_filter_size = -1,
        .stats = { .null_count = -1,
                   .distinct_count = -1,
                   .nan_count = -1,
                   .is_max_exact = -1,
                   .is_min_exact = -1 },
    };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_binary(in, &field, &out->file_path);
            break;
        case 2:
            weir_compact_i64(in, &field, &out->file_offset);
            break;
        case 3:
            if (weir_compact_struct(in, &field)) {
                out->has_metadata = true;
                read_column(in, out);
            }
            break;
        case 4:
            weir_compact_i64(in, &field, &out->offset_index);
            break;
        case 5:
            weir_compact_i32(in, &field, &out->offset_index_size);
            break;
        case 6:
            weir_compact_i64(in, &field, &out->column_index);
            break;
        case 7:
            weir_compact_i32(in, &field, &out->column_index_size);
            break;
        case 8: /* crypto_metadata: the pages are encrypted, whatever else is said */
            out->is_encrypted = true;
            weir_compact_skip(in, field.type);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
}

weir_status weir_parquet_chunk_find(const weir_file *file, int64_t group, int32_t leaf,
                                    weir_parquet_chunk *out, weir_error *err)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    const weir_parquet_rows *rows = &own->groups[group];
    const uint8_t *end = own->footer.data + own->footer.size;
    const uint8_t *at;
    weir_compact in;

    if ((uint32_t)leaf >= rows->column_count)
        return weir_fail(err, WEIR_CORRUPT, "row group %" PRId64 " has %" PRIu32 " columns of %d",
                         group, rows->column_count, own->leaf_count);
    at = own->footer.data + rows->columns[leaf];
    weir_compact_init(&in, at, (size_t)(end - at));
    weir_parquet_chunk_read(&in, out);
    if (in.why)
        return weir_parquet_trouble(&in, own->footer.data, own->offset, "column metadata", err);
    if (out->is_encrypted)
        return weir_fail(err, WEIR_UNSUPPORTED, "the column is encrypted");
    if (!out->has_metadata)
        return weir_fail(err, WEIR_CORRUPT, "row group %" PRId64 " has no metadata of it", group);
    return WEIR_OK;
}

/* The dictionary, where one is said to come first. Its offset may be 0, that of the data page or
 * one after it: then it means nothing, and what the chunk begins with is seen when it is read. */
int64_t weir_parquet_chunk_begin(const weir_parquet_chunk *chunk)
{
    if (chunk->dictionary_page > 0 && chunk->dictionary_page < chunk->data_page)
        return chunk->dictionary_page;
    return chunk->data_page;
}

bool weir_parquet_chunk_uses(const weir_parquet_chunk *chunk, int32_t encoding)
{
    weir_compact in;
    uint8_t type;
    uint32_t count;

    if (!chunk->encodings.data)
        return false;
    weir_compact_init(&in, chunk->encodings.data, chunk->encodings.size);
    count = weir_compact_read_list(&in, &type);
    for (uint32_t i = 0; i < count && type == WEIR_COMPACT_I32; i++)
        if (weir_compact_read_int(&in) == encoding && !in.why)
            return true;
    return false;
}

/* A number of at most four digits; -1: there is none. */
static int read_number(weir_view *text)
{
    int value = -1;

    for (int i = 0; i < 4 && text->size > 0 && *text->data >= '0' && *text->data <= '9'; i++) {
        value = (value < 0 ? 0 : value * 10) + (*text->data - '0');
        text->data++;
        text->size--;
    }
    return value;
}

static bool take(weir_view *text, const char *word)
{
    const size_t size = strlen(word);

    if (text->size < size || memcmp(text->data, word, size) != 0)
        return false;
    text->data += size;
    text->size -= size;
    return true;
}

/* "parquet-mr version 1.7.0 (build ...)": its column writer kept the last value of a page as the
 * prefix of the next one's first until 1.8.0. A reader that carries the prefix reads files without
 * the fault just as well, so whoever can't be named is taken for faulty. */
bool weir_parquet_writer_carries_prefix(weir_view created_by)
{
    weir_view text = created_by;
    int major, minor;

    if (text.size == 0)
        return true;
    if (!take(&text, "parquet-mr"))
        return false;
    if (!take(&text, " version "))
        return true;
    major = read_number(&text);
    if (major != 1)
        return major < 1;
    if (!take(&text, "."))
        return true;
    minor = read_number(&text);
    return minor < 8;
}
