/* SPDX-License-Identifier: Apache-2.0
 * footer.c: step 1 of the line for Parquet: the file's tail to schema and row groups
 * (parquet.thrift: FileMetaData). The footer's bytes stay in the file's arena, frozen, and what is
 * not needed of every chunk stays in them. */
#include "formats/parquet/meta.h"

#include "core/bits.h"
#include "core/error.h"
#include "core/schema.h"
#include <inttypes.h>

enum {
    MAGIC_SIZE = 4,
    TAIL_SIZE = 8, /* length of the footer, magic */
    TAIL_READ = 64 * 1024
};

/* The footer's bytes, however long, and 64 readable ones after them. A footer is at most as large
 * as its file, so a hostile length costs no more than the file did. */
static weir_status copy_footer(weir_file *file, weir_parquet_file *own, const uint8_t *tail,
                               size_t tail_size, weir_error *err)
{
    const uint64_t file_size = weir_source_size(file->source);
    const uint32_t size = weir_load32(tail + tail_size - TAIL_SIZE);
    uint8_t *bytes;

    if (size == 0 || size > file_size - TAIL_SIZE)
        return weir_fail_at(err, WEIR_CORRUPT, file_size - TAIL_SIZE,
                            "the footer has %" PRIu32 " bytes by its length, the file %" PRIu64,
                            size, file_size);
    bytes = weir_arena_alloc(&file->arena, size);
    if (!bytes)
        return weir_fail_memory(err, size);
    own->footer = (weir_view){ bytes, size };
    own->offset = file_size - TAIL_SIZE - size;
    own->metadata_size = (uint64_t)size + TAIL_SIZE;
    if (size <= tail_size - TAIL_SIZE)
        memcpy(bytes, tail + tail_size - TAIL_SIZE - size, size);
    else
        return weir_source_read(file->source, own->offset, bytes, size, err);
    return WEIR_OK;
}

static weir_status read_footer(weir_file *file, weir_parquet_file *own, weir_memory *memory,
                               weir_error *err)
{
    const uint64_t file_size = weir_source_size(file->source);
    const size_t size = (size_t)weir_min_u64(file_size, TAIL_READ);
    weir_hold *tail = NULL;
    weir_status status;

    if (file_size < TAIL_SIZE + MAGIC_SIZE)
        return weir_fail(err, WEIR_CORRUPT, "%" PRIu64 " bytes are too few for a Parquet file",
                         file_size);
    WEIR_TRY(weir_memory_take(memory, size, &tail, err));
    status = weir_source_read(file->source, file_size - size, tail->data, size, err);
    if (status != WEIR_OK)
        goto done;
    if (memcmp(tail->data + size - MAGIC_SIZE, "PARE", MAGIC_SIZE) == 0)
        status = weir_fail(err, WEIR_UNSUPPORTED, "the footer is encrypted (it ends with PARE)");
    else if (memcmp(tail->data + size - MAGIC_SIZE, "PAR1", MAGIC_SIZE) != 0)
        status = weir_fail_at(err, WEIR_CORRUPT, file_size - MAGIC_SIZE,
                              "the file does not end with PAR1: it is cut short or not Parquet");
    else
        status = copy_footer(file, own, tail->data, size, err);
done:
    weir_hold_release(tail);
    return status;
}

/* ---- row groups ---- */

static weir_status read_columns(weir_arena *arena, weir_compact *in,
                                const weir_compact_field *field, const uint8_t *base,
                                weir_parquet_rows *out, weir_error *err)
{
    uint32_t count = 0, *columns;

    if (!weir_compact_list(in, field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    columns = weir_arena_array(arena, count, sizeof *columns);
    if (!columns)
        return weir_fail_memory(err, (uint64_t)count * sizeof *columns);
    for (uint32_t i = 0; i < count && !in->why; i++) {
        columns[i] = (uint32_t)(in->at - base);
        weir_compact_skip_element(in, WEIR_COMPACT_STRUCT);
    }
    out->columns = columns;
    out->column_count = count;
    return WEIR_OK;
}

static weir_status read_group(weir_arena *arena, weir_compact *in, const uint8_t *base,
                              weir_parquet_rows *out, weir_error *err)
{
    weir_compact_field field = { 0 };

    *out = (weir_parquet_rows){ .row_count = -1, .file_offset = -1, .size = -1 };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            WEIR_TRY(read_columns(arena, in, &field, base, out, err));
            break;
        case 2:
            weir_compact_i64(in, &field, &out->plain_size);
            break;
        case 3:
            weir_compact_i64(in, &field, &out->row_count);
            break;
        case 5:
            weir_compact_i64(in, &field, &out->file_offset);
            break;
        case 6:
            weir_compact_i64(in, &field, &out->size);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
    return WEIR_OK;
}

/* The footer's own num_rows is not looked at: there are writers that leave it 0. */
static weir_status read_groups(weir_file *file, weir_compact *in, const weir_compact_field *field,
                               weir_error *err)
{
    weir_parquet_file *own = file->own;
    weir_parquet_rows *groups;
    uint32_t count = 0;
    int64_t rows = 0;

    if (!weir_compact_list(in, field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    /* A group has num_rows, in two bytes or more, and the end of its struct. */
    if (count > (size_t)(in->end - in->at) / 3)
        return weir_fail(err, WEIR_CORRUPT, "footer: it cannot have %" PRIu32 " row groups", count);
    groups = weir_arena_array(&file->arena, count, sizeof *groups);
    if (!groups)
        return weir_fail_memory(err, (uint64_t)count * sizeof *groups);
    for (uint32_t i = 0; i < count; i++) {
        WEIR_TRY(read_group(&file->arena, in, own->footer.data, &groups[i], err));
        if (in->why)
            return WEIR_OK;
        groups[i].first_row = rows;
        if (groups[i].row_count < 0 || __builtin_add_overflow(rows, groups[i].row_count, &rows))
            return weir_fail_at(
                err, WEIR_CORRUPT, own->offset + (uint64_t)(in->at - own->footer.data),
                "row group %" PRIu32 " has %" PRId64 " rows", i, groups[i].row_count);
    }
    own->groups = groups;
    file->group_count = count;
    file->row_count = rows;
    return WEIR_OK;
}

/* ---- the rest of FileMetaData ---- */

static void read_key_value(weir_compact *in, weir_view out[2])
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field))
        if (field.id == 1 || field.id == 2)
            weir_compact_binary(in, &field, &out[field.id - 1]);
        else
            weir_compact_skip(in, field.type);
}

static weir_status read_key_values(weir_file *file, weir_compact *in,
                                   const weir_compact_field *field, weir_error *err)
{
    weir_parquet_file *own = file->own;
    weir_view(*pairs)[2];
    uint32_t count = 0;

    if (!weir_compact_list(in, field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    pairs = weir_arena_array(&file->arena, count, sizeof *pairs);
    if (!pairs)
        return weir_fail_memory(err, (uint64_t)count * sizeof *pairs);
    for (uint32_t i = 0; i < count && !in->why; i++)
        read_key_value(in, pairs[i]);
    own->key_values = (const weir_view(*)[2])pairs;
    own->key_value_count = count;
    return WEIR_OK;
}

static weir_status read_orders(weir_file *file, weir_compact *in, const weir_compact_field *field,
                               weir_error *err)
{
    weir_parquet_file *own = file->own;
    uint8_t *orders;
    uint32_t count = 0;

    if (!weir_compact_list(in, field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    orders = weir_arena_array(&file->arena, count, 1);
    if (!orders)
        return weir_fail_memory(err, count);
    for (uint32_t i = 0; i < count && !in->why; i++) {
        weir_compact_field order = { 0 };

        while (weir_compact_next(in, &order)) {
            orders[i] = order.id > 0 && order.id < UINT8_MAX ? (uint8_t)order.id : UINT8_MAX;
            weir_compact_skip(in, order.type);
        }
    }
    own->orders = orders;
    own->order_count = count;
    return WEIR_OK;
}

static weir_status read_writer(weir_file *file, weir_compact *in, const weir_compact_field *field,
                               weir_error *err)
{
    weir_parquet_file *own = file->own;
    weir_view text;

    if (!weir_compact_binary(in, field, &text))
        return WEIR_OK;
    own->writer.data = (const uint8_t *)weir_arena_copy(&file->arena, text.data, text.size);
    own->writer.size = text.size;
    return own->writer.data ? WEIR_OK : weir_fail_memory(err, text.size);
}

static weir_status read_schema(weir_file *file, weir_compact *in, const weir_compact_field *field,
                               weir_error *err)
{
    weir_parquet_file *own = file->own;
    weir_schema *schema = NULL;
    const weir_status status =
        weir_parquet_schema_read(in, field, &file->arena, &schema, &own->leaves, err);

    if (status != WEIR_OK) {
        if (err && err->offset < 0)
            err->offset = (int64_t)(own->offset + (uint64_t)(in->at - own->footer.data));
        return status;
    }
    if (schema) { /* said twice: the last one counts, as with any repeated field */
        weir_schema_release(file->written);
        file->written = schema;
        own->leaf_count = weir_schema_leaf_count(schema);
    }
    return WEIR_OK;
}

static weir_status read_field(weir_file *file, weir_compact *in, const weir_compact_field *field,
                              weir_error *err)
{
    weir_parquet_file *own = file->own;

    switch (field->id) {
    case 2:
        return read_schema(file, in, field, err);
    case 4:
        return read_groups(file, in, field, err);
    case 5:
        return read_key_values(file, in, field, err);
    case 6:
        return read_writer(file, in, field, err);
    case 7:
        return read_orders(file, in, field, err);
    case 8:
        own->is_encrypted = true;
        break;
    default:
        break;
    }
    weir_compact_skip(in, field->type);
    return WEIR_OK;
}

/* Which columns are encrypted stands in their chunks; those of the first group tell. */
static void mark_encrypted(weir_file *file)
{
    weir_parquet_file *own = file->own;
    weir_parquet_leaf *leaves = (weir_parquet_leaf *)own->leaves; /* not frozen yet */

    for (int32_t i = 0; i < own->leaf_count && file->group_count > 0; i++) {
        weir_parquet_chunk chunk;

        if (weir_parquet_chunk_find(file, 0, i, &chunk, NULL) == WEIR_UNSUPPORTED)
            leaves[i].trouble = "encrypted";
    }
}

weir_status weir_parquet_open(weir_file *file, weir_memory *memory, weir_error *err)
{
    weir_parquet_file *own = weir_arena_array(&file->arena, 1, sizeof *own);
    weir_compact_field field = { 0 };
    weir_compact in;

    if (!own)
        return weir_fail_memory(err, sizeof *own);
    file->own = own;
    WEIR_TRY(read_footer(file, own, memory, err));
    weir_compact_init(&in, own->footer.data, own->footer.size);
    while (weir_compact_next(&in, &field))
        WEIR_TRY(read_field(file, &in, &field, err));
    if (in.why)
        return weir_parquet_trouble(&in, own->footer.data, own->offset, "footer", err);
    if (!file->written)
        return weir_fail_at(err, WEIR_CORRUPT, own->offset, "footer: it has no schema");
    WEIR_TRY(weir_parquet_understand(file->written, &file->schema, err));
    own->carries_prefix = weir_parquet_writer_carries_prefix(own->writer);
    if (own->is_encrypted)
        mark_encrypted(file);
    return WEIR_OK;
}

/* All is in the arena, or the reader's to let go. */
void weir_parquet_close(weir_file *file)
{
    file->own = NULL;
}

/* Why the leaves under a column can't all be read. */
static const char *refuse_group(const weir_file *file, int32_t column)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    bool has_leaf = false;

    for (int32_t i = 0; i < own->leaf_count; i++)
        if (own->leaves[i].column == column) {
            if (own->leaves[i].trouble)
                return own->leaves[i].trouble;
            has_leaf = true;
        }
    return has_leaf ? NULL : "a group without a leaf";
}

const char *weir_parquet_refusal(const weir_file *file, int32_t column)
{
    const weir_field *field = weir_schema_column(file->written, column);

    if (!field)
        return "not in the file";
    if (field->leaf >= 0)
        return weir_parquet_file_own(file)->leaves[field->leaf].trouble;
    return refuse_group(file, column);
}

/* The size isn't said by older files, and the file offset that some say is wrong: the chunks know
 * both. A chunk that can't be read has neither, and is told of when the group is entered. */
void weir_parquet_group(const weir_file *file, int64_t index, weir_group *out)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    const weir_parquet_rows *rows = &own->groups[index];
    uint64_t size = rows->size > 0 ? (uint64_t)rows->size : 0;
    const uint64_t file_size = weir_source_size(file->source);
    const int32_t count = (int32_t)weir_min_i64(own->leaf_count, rows->column_count);
    int64_t offset = -1;

    for (int32_t i = 0; i < count && (offset < 0 || rows->size <= 0); i++) {
        weir_parquet_chunk chunk;

        if (weir_parquet_chunk_find(file, index, i, &chunk, NULL) != WEIR_OK)
            continue;
        if (offset < 0)
            offset = weir_parquet_chunk_begin(&chunk);
        if (rows->size <= 0 && chunk.size > 0)
            size += weir_min_u64((uint64_t)chunk.size, file_size);
    }
    if (offset < 0)
        offset = rows->file_offset > 0 ? rows->file_offset : 0;
    out->first_row = rows->first_row;
    out->row_count = rows->row_count;
    out->offset = (uint64_t)offset;
    out->size = weir_min_u64(size, file_size);
    out->ordinal = index;
    out->own = NULL;
}
