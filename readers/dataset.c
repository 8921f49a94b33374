/* SPDX-License-Identifier: Apache-2.0
 * dataset.c: opening files as one table, and what they say of themselves. */
#include "readers/dataset.h"

#include "core/error.h"
#include "core/paths.h"
#include "core/schema.h"
#include "formats/table.h"
#include "readers/pick.h"
#include "readers/unify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one file ---- */

static void file_close(weir_file *file)
{
    if (!file)
        return;
    if (file->format)
        file->format->close(file);
    weir_schema_release(file->schema);
    weir_schema_release(file->written);
    weir_arena_fini(&file->arena);
    weir_source_release(file->source);
    free(file);
}

static weir_status file_open(const weir_dataset *dataset, const weir_entry *entry, weir_file **out,
                             weir_error *err)
{
    const bool is_mapped = (dataset->options.flags & WEIR_MAP_FILES) != 0;
    weir_file *file = calloc(1, sizeof *file);
    weir_status status = WEIR_OK;

    if (!file)
        return weir_fail_memory(err, sizeof *file);
    weir_arena_init(&file->arena);
    file->finder = &dataset->context->finder;
    file->flags = dataset->options.flags;
    file->tags = dataset->options.record_tags;
    file->tag_count = dataset->options.record_tag_count;
    if (entry->input)
        file->source = weir_source_keep(entry->input);
    else
        status = weir_source_open(entry->path, is_mapped ? WEIR_SOURCE_MAP : 0, &file->source, err);
    if (status == WEIR_OK && dataset->format)
        file->format = dataset->format;
    else if (status == WEIR_OK)
        status = weir_format_find(file->source, &file->format, err);
    if (status == WEIR_OK && file->tag_count > 0 && !file->format->has_tags)
        status = weir_fail(err, WEIR_UNSUPPORTED, "a %s file has no tags to choose by",
                           file->format->name);
    if (status == WEIR_OK)
        status = file->format->open(file, dataset->memory, err);
    if (status == WEIR_OK)
        *out = file;
    else
        file_close(file);
    return status;
}

weir_status weir_file_tell_trouble(const weir_file *file, const char *path, weir_error *err)
{
    if (!file->trouble)
        return WEIR_OK;
    if (err)
        *err = *file->trouble;
    return weir_blame(err, file->trouble->status, "%s", path);
}

/* `is_pinned`: its metadata stay as long as the dataset; they alone are wanted, so the source may
 * rest. */
static weir_status acquire(const weir_dataset *dataset, int32_t index, bool is_pinned,
                           weir_file **out, weir_error *err)
{
    weir_entry *entry = &dataset->entries[index];
    weir_status status = WEIR_OK;

    pthread_mutex_lock(&entry->mutex);
    if (!entry->file)
        status = file_open(dataset, entry, &entry->file, err);
    else if (!is_pinned)
        status = weir_source_wake(entry->file->source, err);
    if (status == WEIR_OK) {
        entry->users++;
        entry->is_pinned |= is_pinned;
        atomic_store_explicit(&entry->has_trouble, entry->file->trouble != NULL,
                              memory_order_relaxed);
        /* Pairs with the acquire in weir_dataset_file_rows: what is known with the rows. */
        atomic_store_explicit(&entry->rows, entry->file->row_count, memory_order_release);
        *out = entry->file;
    }
    pthread_mutex_unlock(&entry->mutex);
    if (status != WEIR_OK && err)
        err->file = index;
    return weir_blame(err, status, "%s", entry->path);
}

weir_status weir_dataset_acquire(const weir_dataset *dataset, int32_t index, weir_file **out,
                                 weir_error *err)
{
    return acquire(dataset, index, false, out, err);
}

void weir_dataset_release(const weir_dataset *dataset, int32_t index)
{
    weir_entry *entry = &dataset->entries[index];
    weir_file *closing = NULL;

    pthread_mutex_lock(&entry->mutex);
    if (--entry->users == 0 &&
        entry->is_pinned) { /* what was read of it stays, but no descriptor */
        weir_source_rest(entry->file->source);
    } else if (entry->users == 0) {
        closing = entry->file;
        entry->file = NULL;
    }
    pthread_mutex_unlock(&entry->mutex);
    file_close(closing);
}

/* ---- opening ---- */

static weir_status check_options(const weir_options *options, weir_error *err)
{
    const uint32_t known = WEIR_UNIFY | WEIR_ANY_CASE | WEIR_SKIP_BAD | WEIR_MAP_FILES |
                           WEIR_NO_SUMS | WEIR_NO_PAGE_INDEX | WEIR_SALVAGE;

    if (options->size < sizeof options->size || options->flags & ~known)
        return weir_fail(err, WEIR_BAD_CALL, "options of an unknown size, or unknown flags");
    return WEIR_OK;
}

/* The caller's array need not stay. */
static weir_status copy_tags(weir_dataset *dataset, weir_error *err)
{
    const size_t count = dataset->options.record_tag_count;
    int64_t *tags;

    if (count == 0)
        return WEIR_OK;
    if (!dataset->options.record_tags)
        return weir_fail(err, WEIR_BAD_CALL, "%zu record tags, and no array of them", count);
    tags = weir_arena_array(&dataset->arena, count, sizeof *tags);
    if (!tags)
        return weir_fail_memory(err, count * sizeof *tags);
    memcpy(tags, dataset->options.record_tags, count * sizeof *tags);
    dataset->options.record_tags = tags;
    return WEIR_OK;
}

static weir_status dataset_new(const weir_options *options, size_t count, weir_dataset **out,
                               weir_error *err)
{
    weir_dataset *dataset;
    weir_status status;

    if (count == 0 || count > INT32_MAX)
        return weir_fail(err, WEIR_BAD_CALL, "no file is named");
    dataset = calloc(1, sizeof *dataset);
    if (!dataset)
        return weir_fail_memory(err, sizeof *dataset);
    atomic_init(&dataset->refs, 1);
    weir_arena_init(&dataset->arena);
    if (options)
        memcpy(&dataset->options, options,
               options->size < sizeof *options ? options->size : sizeof *options);
    dataset->entries = weir_arena_array(&dataset->arena, count, sizeof *dataset->entries);
    status = dataset->entries
                 ? check_options(options ? options : &(weir_options)WEIR_OPTIONS_INIT, err)
                 : weir_fail_memory(err, count * sizeof *dataset->entries);
    if (status == WEIR_OK)
        status = copy_tags(dataset, err);
    if (status == WEIR_OK && dataset->options.context) {
        dataset->context = weir_context_keep(dataset->options.context);
        status = weir_context_check(dataset->context, err);
    } else if (status == WEIR_OK) {
        status = weir_context_open(0, &dataset->context, err);
    }
    if (status == WEIR_OK)
        status = weir_memory_open(dataset->context->slabs, dataset->options.memory_limit,
                                  &dataset->memory, err);
    for (; status == WEIR_OK && dataset->count < (int32_t)count; dataset->count++) {
        pthread_mutex_init(&dataset->entries[dataset->count].mutex, NULL);
        atomic_init(&dataset->entries[dataset->count].rows, -1);
    }
    if (status == WEIR_OK)
        *out = dataset;
    else
        weir_dataset_close(dataset);
    return status;
}

bool weir_dataset_passes_over(const weir_dataset *dataset, int32_t index, weir_status status,
                              weir_error *why)
{
    const weir_options *options = &dataset->options;

    if (status != WEIR_CORRUPT || !(options->flags & WEIR_SKIP_BAD))
        return false;
    why->file = index;
    if (options->skipped)
        options->skipped(options->user, why);
    return true;
}

/* The first good file's schema is the dataset's. Its metadata stay, so that the reader which comes
 * next need not read its footer again. */
static weir_status take_schema(weir_dataset *dataset, weir_error *err)
{
    weir_file *file = NULL;
    weir_error why;
    weir_status status;
    int32_t index = 0;

    if (dataset->options.flags & WEIR_UNIFY)
        return weir_dataset_unify(dataset, err);
    while ((status = acquire(dataset, index, true, &file, &why)) != WEIR_OK) {
        if (weir_dataset_passes_over(dataset, index, status, &why) && ++index < dataset->count)
            continue;
        if (err)
            *err = why;
        return status;
    }
    dataset->schema = weir_schema_keep(file->schema);
    weir_dataset_release(dataset, index);
    return WEIR_OK;
}

weir_status weir_open(const char *const *paths, size_t count, const weir_options *options,
                      weir_dataset **out, weir_error *err)
{
    weir_dataset *dataset = NULL;
    weir_paths found;
    weir_status status;

    if (!out || (!paths && count))
        return weir_fail(err, WEIR_BAD_CALL, "no paths, or nowhere to put the dataset");
    weir_paths_init(&found);
    status = weir_paths_expand(paths, count, &found, err);
    if (status == WEIR_OK)
        status = dataset_new(options, found.count, &dataset, err);
    for (size_t i = 0; status == WEIR_OK && i < found.count; i++) {
        dataset->entries[i].path =
            weir_arena_copy(&dataset->arena, found.items[i], strlen(found.items[i]));
        if (!dataset->entries[i].path)
            status = weir_fail_memory(err, strlen(found.items[i]));
    }
    if (status == WEIR_OK)
        status = take_schema(dataset, err);
    if (status == WEIR_OK)
        *out = dataset;
    else
        weir_dataset_close(dataset);
    weir_paths_fini(&found);
    return status;
}

weir_status weir_dataset_open(const weir_input *inputs, size_t count, const weir_options *options,
                              const weir_format *format, weir_dataset **out, weir_error *err)
{
    weir_dataset *dataset = NULL;
    size_t taken = 0;
    weir_status status = dataset_new(options, inputs ? count : 0, &dataset, err);

    for (; status == WEIR_OK && taken < count; taken++) {
        weir_entry *entry = &dataset->entries[taken];

        status = weir_source_open_input(&inputs[taken], &entry->input, err);
        if (status != WEIR_OK)
            break;
        entry->path = weir_source_name(entry->input);
    }
    if (status == WEIR_OK) {
        dataset->format = format;
        status = take_schema(dataset, err);
    }
    for (size_t i = taken; inputs && i < count; i++) /* those that no source closes */
        if (inputs[i].close)
            inputs[i].close(inputs[i].user);
    if (status == WEIR_OK)
        *out = dataset;
    else
        weir_dataset_close(dataset);
    return status;
}

weir_status weir_open_inputs(const weir_input *inputs, size_t count, const weir_options *options,
                             weir_dataset **out, weir_error *err)
{
    if (!out || (!inputs && count))
        return weir_fail(err, WEIR_BAD_CALL, "no inputs, or nowhere to put the dataset");
    return weir_dataset_open(inputs, count, options, NULL, out, err);
}

weir_dataset *weir_dataset_keep(const weir_dataset *dataset)
{
    weir_dataset *kept = (weir_dataset *)(uintptr_t)dataset;

    atomic_fetch_add_explicit(&kept->refs, 1, memory_order_relaxed);
    return kept;
}

void weir_dataset_close(weir_dataset *dataset)
{
    if (!dataset || atomic_fetch_sub_explicit(&dataset->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int32_t i = 0; i < dataset->count; i++) {
        file_close(dataset->entries[i].file);
        weir_source_release(dataset->entries[i].input);
        pthread_mutex_destroy(&dataset->entries[i].mutex);
    }
    weir_schema_release(dataset->schema);
    weir_memory_release(dataset->memory);
    weir_context_close(dataset->context);
    weir_arena_fini(&dataset->arena);
    free(dataset);
}

/* ---- rows and columns ---- */

const weir_schema *weir_dataset_schema(const weir_dataset *dataset)
{
    return dataset ? dataset->schema : NULL;
}

int32_t weir_dataset_file_count(const weir_dataset *dataset)
{
    return dataset ? dataset->count : 0;
}

const char *weir_dataset_path(const weir_dataset *dataset, int32_t file)
{
    return dataset && file >= 0 && file < dataset->count ? dataset->entries[file].path : NULL;
}

weir_status weir_dataset_file_rows(const weir_dataset *dataset, int32_t index, int64_t *out,
                                   weir_error *err)
{
    weir_file *file = NULL;
    const int64_t known = atomic_load_explicit(&dataset->entries[index].rows, memory_order_acquire);

    if (known >= 0) {
        *out = known;
        return WEIR_OK;
    }
    WEIR_TRY(weir_dataset_acquire(dataset, index, &file, err));
    *out = file->row_count;
    weir_dataset_release(dataset, index);
    return WEIR_OK;
}

static void learn_rows(void *user, int64_t index)
{
    int64_t rows;

    (void)weir_dataset_file_rows(user, (int32_t)index, &rows, NULL);
}

/* A file that WEIR_SKIP_BAD passes over has no rows. */
static weir_status rows_or_skip(const weir_dataset *dataset, int32_t index, int64_t *out,
                                weir_error *err)
{
    weir_error why;
    const weir_status status = weir_dataset_file_rows(dataset, index, out, &why);

    if (status == WEIR_OK)
        return WEIR_OK;
    if (weir_dataset_passes_over(dataset, index, status, &why)) {
        *out = 0;
        return WEIR_OK;
    }
    if (err)
        *err = why;
    return status;
}

/* How many rows a file has that can't be read to its end, nobody knows; WEIR_SKIP_BAD counts those
 * that can be read. */
static weir_status check_whole(const weir_dataset *dataset, int32_t index, weir_error *err)
{
    weir_file *file = NULL;
    weir_error why;
    weir_status status;

    if (!atomic_load_explicit(&dataset->entries[index].has_trouble, memory_order_relaxed))
        return WEIR_OK;
    status = weir_dataset_acquire(dataset, index, &file, &why);
    if (status == WEIR_OK) {
        status = weir_file_tell_trouble(file, dataset->entries[index].path, &why);
        weir_dataset_release(dataset, index);
    }
    if (status == WEIR_OK || weir_dataset_passes_over(dataset, index, status, &why))
        return WEIR_OK;
    why.file = index;
    if (err)
        *err = why;
    return status;
}

weir_status weir_dataset_rows(const weir_dataset *dataset, int64_t *out, weir_error *err)
{
    int64_t total = 0;

    if (!dataset || !out)
        return weir_fail(err, WEIR_BAD_CALL, "no dataset, or nowhere to put its rows");
    WEIR_TRY(weir_context_check(dataset->context, err));
    weir_context_each(dataset->context, dataset->count, learn_rows, (void *)(uintptr_t)dataset);
    for (int32_t i = 0; i < dataset->count; i++) {
        int64_t rows;

        WEIR_TRY(rows_or_skip(dataset, i, &rows, err));
        WEIR_TRY(check_whole(dataset, i, err));
        if (__builtin_add_overflow(total, rows, &total))
            return weir_fail(err, WEIR_LIMIT, "more than 2^63 rows");
    }
    *out = total;
    return WEIR_OK;
}

weir_status weir_dataset_locate(const weir_dataset *dataset, int64_t row, int32_t *index,
                                int64_t *first, weir_error *err)
{
    int64_t base = 0;
    bool were_asked = false;

    for (int32_t i = 0; i < dataset->count; i++) {
        int64_t rows, next;

        if (row == base) { /* what lies here needs no footer to be known */
            *index = i;
            *first = base;
            return WEIR_OK;
        }
        if (!were_asked &&
            atomic_load_explicit(&dataset->entries[i].rows, memory_order_relaxed) < 0) {
            weir_context_each(dataset->context, dataset->count, learn_rows,
                              (void *)(uintptr_t)dataset);
            were_asked = true;
        }
        WEIR_TRY(rows_or_skip(dataset, i, &rows, err));
        if (__builtin_add_overflow(base, rows, &next) || row < next) {
            *index = i;
            *first = base;
            return WEIR_OK;
        }
        WEIR_TRY(check_whole(dataset, i, err)); /* what row follows one that is cut nobody knows */
        base = next;
    }
    *index = dataset->count;
    *first = base;
    return WEIR_OK;
}

weir_status weir_dataset_find(const weir_dataset *dataset, const char *name, int32_t *out,
                              weir_error *err)
{
    if (!dataset || !name || !out)
        return weir_fail(err, WEIR_BAD_CALL, "no dataset or no name");
    return weir_column_find(dataset->schema, name, (dataset->options.flags & WEIR_ANY_CASE) != 0,
                            out, err);
}

/* ---- what files say of themselves ---- */

static weir_status pin_checked(const weir_dataset *dataset, int32_t index, weir_file **file,
                               weir_error *err)
{
    if (!dataset || index < 0 || index >= dataset->count)
        return weir_fail(err, WEIR_BAD_CALL, "no file %" PRId32 " in the dataset", index);
    WEIR_TRY(weir_context_check(dataset->context, err));
    return acquire(dataset, index, true, file, err);
}

/* `out` begins with its size, as its owner knows the struct. */
static weir_status check_out(const void *out, weir_error *err)
{
    if (!out || *(const size_t *)out < sizeof(size_t))
        return weir_fail(err, WEIR_BAD_CALL, "nowhere to put it, or a struct of an unknown size");
    return WEIR_OK;
}

static void give_out(size_t *out, const void *info, size_t size)
{
    const size_t room = *out;

    memcpy(out, info, room < size ? room : size);
    *out = room;
}

weir_status weir_dataset_file(const weir_dataset *dataset, int32_t file, weir_file_info *out,
                              weir_error *err)
{
    weir_file_info info = WEIR_FILE_INFO_INIT;
    weir_file *opened = NULL;

    WEIR_TRY(check_out(out, err));
    WEIR_TRY(pin_checked(dataset, file, &opened, err));
    info.index = "";
    opened->format->inform(opened, &info);
    info.path = dataset->entries[file].path;
    info.format = opened->format->name;
    info.group_word = opened->format->group_word;
    info.bytes = weir_source_size(opened->source);
    info.rows = opened->row_count;
    info.group_count = opened->group_count;
    info.schema = opened->schema;
    info.written = opened->written ? opened->written : opened->schema;
    weir_dataset_release(dataset, file);
    give_out(&out->size, &info, sizeof info);
    return WEIR_OK;
}

static weir_status pin_group(const weir_dataset *dataset, int32_t index, int64_t group,
                             weir_file **file, weir_error *err)
{
    WEIR_TRY(pin_checked(dataset, index, file, err));
    if (group >= 0 && group < (*file)->group_count)
        return WEIR_OK;
    weir_dataset_release(dataset, index);
    return weir_fail(err, WEIR_BAD_CALL, "%s: no %s %" PRId64, dataset->entries[index].path,
                     (*file)->format->group_word, group);
}

weir_status weir_dataset_group(const weir_dataset *dataset, int32_t file, int64_t group,
                               weir_group_info *out, weir_error *err)
{
    weir_group_info info = WEIR_GROUP_INFO_INIT;
    weir_file *opened = NULL;

    WEIR_TRY(check_out(out, err));
    WEIR_TRY(pin_group(dataset, file, group, &opened, err));
    opened->format->inform_group(opened, group, &info);
    weir_dataset_release(dataset, file);
    give_out(&out->size, &info, sizeof info);
    return WEIR_OK;
}

weir_status weir_dataset_chunk(const weir_dataset *dataset, int32_t file, int64_t group,
                               int32_t leaf, weir_chunk_info *out, weir_error *err)
{
    weir_chunk_info info = WEIR_CHUNK_INFO_INIT;
    weir_file *opened = NULL;
    weir_status status;

    WEIR_TRY(check_out(out, err));
    WEIR_TRY(pin_group(dataset, file, group, &opened, err));
    if (leaf >= 0 && leaf < weir_schema_leaf_count(opened->schema))
        status = opened->format->inform_chunk(opened, group, leaf, &info, err);
    else
        status = weir_fail(err, WEIR_BAD_CALL, "no leaf %" PRId32, leaf);
    weir_dataset_release(dataset, file);
    if (status == WEIR_OK)
        give_out(&out->size, &info, sizeof info);
    return weir_blame(err, status, "%s: %s %" PRId64, dataset->entries[file].path,
                      opened->format->group_word, group);
}

weir_status weir_dataset_describe(const weir_dataset *dataset, int32_t file,
                                  bool (*visit)(void *user, const weir_fact *fact), void *user,
                                  weir_error *err)
{
    weir_file *opened = NULL;
    weir_status status;

    if (!visit)
        return weir_fail(err, WEIR_BAD_CALL, "no visitor");
    WEIR_TRY(pin_checked(dataset, file, &opened, err));
    status = opened->format->describe(opened, visit, user, err);
    weir_dataset_release(dataset, file);
    return weir_blame(err, status, "%s", dataset->entries[file].path);
}
