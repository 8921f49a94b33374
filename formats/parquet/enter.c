/* SPDX-License-Identifier: Apache-2.0
 * enter.c: step 3 of the line for Parquet: a row group's wanted column chunks become spans, with
 * what their pages share: codec, bounds, and the offset index when rows are to be left out. */
#include "formats/parquet/meta.h"
#include "formats/parquet/nested.h"

#include "core/bits.h"
#include "core/error.h"
#include <inttypes.h>

/* What enter makes, in one slab of recycled memory: the spans, then this for each. */
typedef struct entered_chunk {
    weir_parquet_span span;
    int32_t target;
    weir_hold *places;
} entered_chunk;

/* weir_group.own */
typedef struct entered {
    weir_hold *hold;
    entered_chunk *chunks;
} entered;

/* Whether the column of `field` can be read, and where it lies. */
static weir_status check_chunk(const weir_file *file, const weir_parquet_leaf *leaf,
                               const weir_parquet_chunk *meta, weir_error *err)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    const int64_t begin = weir_parquet_chunk_begin(meta);

    if (meta->file_path.size > 0)
        return weir_fail(err, WEIR_UNSUPPORTED, "its data is in another file, %.*s",
                         (int)weir_min_u64(meta->file_path.size, 200),
                         (const char *)meta->file_path.data);
    if (meta->type != -1 && meta->type != (int32_t)leaf->type)
        return weir_fail(err, WEIR_CORRUPT, "it has type %d in the row group, %d in the schema",
                         meta->type, (int)leaf->type);
    if (meta->value_count < 0)
        return weir_fail(err, WEIR_CORRUPT, "it has %" PRId64 " values", meta->value_count);
    if (meta->value_count > 0 && (begin <= 0 || (uint64_t)begin >= own->offset))
        return weir_fail(err, WEIR_CORRUPT,
                         "its pages begin at %" PRId64 ", the file's end at %" PRIu64, begin,
                         own->offset);
    return WEIR_OK;
}

static weir_status enter_codec(const weir_file *file, const weir_parquet_chunk *meta,
                               weir_parquet_span *span, weir_error *err)
{
    if (meta->codec == 0 || meta->value_count == 0)
        return WEIR_OK;
    if (meta->codec < 0)
        return weir_fail(err, WEIR_CORRUPT, "it has codec %d", meta->codec);
    WEIR_TRY(
        weir_chain_add(&span->chain_room, file->finder, "parquet", (uint32_t)meta->codec, err));
    span->chain = &span->chain_room;
    return WEIR_OK;
}

/* ---- offset index ---- */

static void read_place(weir_compact *in, weir_parquet_place *out)
{
    weir_compact_field field = { 0 };
    int64_t offset = -1;

    *out = (weir_parquet_place){ .first_row = -1, .size = -1 };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i64(in, &field, &offset);
            break;
        case 2:
            weir_compact_i32(in, &field, &out->size);
            break;
        case 3:
            weir_compact_i64(in, &field, &out->first_row);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
    out->offset = offset < 0 ? 0 : (uint64_t)offset;
}

/* Pages in order, from the group's first row on, each inside the chunk. What lies where the index
 * says is compared with it when it is used. */
static bool is_sound(const weir_parquet_span *span, const weir_parquet_place *place,
                     const weir_parquet_place *before)
{
    if (place->size <= 0 || place->offset < span->begin || place->offset >= span->end ||
        (uint64_t)place->size > span->file_end - place->offset)
        return false;
    if (!before)
        return place->first_row == 0;
    return place->first_row > before->first_row && place->first_row < span->row_count &&
           place->offset >= before->offset + (uint64_t)before->size;
}

/* Leaves the span without places when anything about them is odd. */
static weir_status read_places(weir_compact *in, weir_work *work, entered_chunk *chunk,
                               weir_error *err)
{
    weir_compact_field field = { 0 };
    weir_parquet_place *places;
    uint32_t count = 0;

    while (weir_compact_next(in, &field)) {
        if (field.id == 1)
            break;
        weir_compact_skip(in, field.type);
    }
    if (field.id != 1 || !weir_compact_list(in, &field, WEIR_COMPACT_STRUCT, &count))
        return WEIR_OK;
    /* A place has three numbers in two bytes each or more, and the end of its struct. */
    if (count == 0 || count > (size_t)(in->end - in->at) / 7)
        return WEIR_OK;
    WEIR_TRY(weir_memory_take(work->memory, count * sizeof *places, &chunk->places, err));
    places = (weir_parquet_place *)(void *)chunk->places->data;
    for (uint32_t i = 0; i < count; i++) {
        read_place(in, &places[i]);
        if (in->why || !is_sound(&chunk->span, &places[i], i ? &places[i - 1] : NULL))
            return WEIR_OK;
    }
    chunk->span.places = places;
    chunk->span.place_count = count;
    return WEIR_OK;
}

static weir_status load_places(const weir_file *file, const weir_parquet_chunk *meta,
                               weir_work *work, entered_chunk *chunk, weir_error *err)
{
    const uint64_t file_size = weir_source_size(file->source);
    weir_hold *bytes = NULL;
    weir_compact in;
    weir_status status;

    if (meta->offset_index <= 0 || meta->offset_index_size <= 0 ||
        (uint64_t)meta->offset_index >= file_size ||
        (uint64_t)meta->offset_index_size > file_size - (uint64_t)meta->offset_index)
        return WEIR_OK;
    WEIR_TRY(weir_memory_take(work->memory, (size_t)meta->offset_index_size, &bytes, err));
    status = weir_source_read(file->source, (uint64_t)meta->offset_index, bytes->data,
                              (size_t)meta->offset_index_size, err);
    if (status == WEIR_OK) {
        work->counters.bytes_read += (uint64_t)meta->offset_index_size;
        weir_compact_init(&in, bytes->data, (size_t)meta->offset_index_size);
        status = read_places(&in, work, chunk, err);
    }
    weir_hold_release(bytes);
    return status;
}

/* ---- spans ---- */

/* Rows before those wanted are passed over: a flat chunk's by its offset index, if it has one. */
static weir_status find_start(const weir_group *group, const weir_parquet_chunk *meta,
                              weir_work *work, entered_chunk *chunk, weir_error *err)
{
    const weir_file *file = group->file;
    const int64_t row = group->want->from - group->first_row;
    weir_parquet_span *span = &chunk->span;

    if (row <= 0)
        return WEIR_OK;
    if (span->leaf->max_repetition == 0)
        return file->flags & WEIR_NO_PAGE_INDEX ? WEIR_OK
                                                : load_places(file, meta, work, chunk, err);
    if (!span->is_shape && !span->carries_prefix)
        weir_nested_find_start(span, file->source, row, work);
    return WEIR_OK;
}

static weir_status enter_chunk(weir_group *group, weir_work *work, weir_span *span,
                               entered_chunk *chunk, weir_error *err)
{
    const weir_file *file = group->file;
    const weir_parquet_file *own = weir_parquet_file_own(file);
    const weir_field *field = group->want->targets[chunk->target].from;
    weir_parquet_span *out = &chunk->span;
    weir_parquet_chunk meta;

    *span = (weir_span){ .group = group, .columns = &chunk->target, .column_count = 1, .own = out };
    if (field->leaf < 0 || own->leaves[field->leaf].trouble)
        return weir_fail(err, WEIR_UNSUPPORTED, "%s",
                         field->leaf < 0 ? "nested" : own->leaves[field->leaf].trouble);
    out->leaf = &own->leaves[field->leaf];
    WEIR_TRY(weir_parquet_chunk_find(file, group->ordinal, field->leaf, &meta, err));
    WEIR_TRY(check_chunk(file, out->leaf, &meta, err));
    out->begin = meta.value_count > 0 ? (uint64_t)weir_parquet_chunk_begin(&meta) : 4;
    out->file_end = own->offset;
    out->end = own->offset;
    if (meta.size > 0 && (uint64_t)meta.size < own->offset - weir_min_u64(own->offset, out->begin))
        out->end = out->begin + (uint64_t)meta.size;
    out->value_count = meta.value_count;
    out->row_count = group->row_count;
    out->is_shape = group->want->targets[chunk->target].forms >> WEIR_SHAPE & 1;
    out->carries_prefix = !out->is_shape && own->carries_prefix &&
                          weir_parquet_chunk_uses(&meta, WEIR_PARQUET_DELTA_BYTE_ARRAY);
    WEIR_TRY(enter_codec(file, &meta, out, err));
    WEIR_TRY(find_start(group, &meta, work, chunk, err));
    span->flags = out->carries_prefix || out->leaf->max_repetition > 0 ? 0 : WEIR_SPAN_ANY_ROW;
    span->offset = out->begin;
    span->size = out->end - weir_min_u64(out->begin, out->end);
    return WEIR_OK;
}

static weir_status make_room(weir_group *group, weir_work *work, size_t count, weir_span **spans,
                             weir_error *err)
{
    const size_t head = weir_align64(sizeof(entered)),
                 spans_size = weir_align64(count * sizeof(weir_span));
    const size_t size = head + spans_size + count * sizeof(entered_chunk);
    weir_hold *hold;
    entered *own;

    WEIR_TRY(weir_memory_take(work->memory, size, &hold, err));
    memset(hold->data, 0, size);
    own = (entered *)(void *)hold->data;
    own->hold = hold;
    own->chunks = (entered_chunk *)(void *)(hold->data + head + spans_size);
    *spans = (weir_span *)(void *)(hold->data + head);
    group->own = own;
    return WEIR_OK;
}

weir_status weir_parquet_enter(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                               weir_error *err)
{
    const weir_want *want = group->want;
    weir_span *made = NULL;
    entered *own;
    size_t n = 0;

    for (size_t i = 0; i < want->count; i++)
        n += want->targets[i].from != NULL;
    WEIR_TRY(make_room(group, work, n, &made, err));
    own = group->own;
    n = 0;
    for (size_t i = 0; i < want->count; i++) {
        weir_status status;

        if (!want->targets[i].from)
            continue;
        own->chunks[n].target = (int32_t)i;
        status = enter_chunk(group, work, &made[n], &own->chunks[n], err);
        n++;
        if (status != WEIR_OK) {
            char path[200];

            weir_schema_path(group->file->schema, want->targets[i].from->index, path, sizeof path);
            weir_parquet_leave(group, made, n);
            return weir_blame(err, status, "column `%s`", path);
        }
    }
    *spans = made;
    *count = n;
    return WEIR_OK;
}

void weir_parquet_leave(weir_group *group, weir_span *spans, size_t count)
{
    entered *own = group->own;

    if (!own)
        return;
    for (size_t i = 0; i < count; i++) {
        weir_parquet_unshare(spans[i].shared);
        weir_hold_release(own->chunks[i].places);
    }
    group->own = NULL;
    weir_hold_release(own->hold);
}
