/* SPDX-License-Identifier: Apache-2.0
 * paths.c: before step 0 of the line: what a user gives to open becomes a list of files. */
#include "core/paths.h"

#include "core/error.h"
#include "core/folder.h"
#include "core/glob.h"
#include "core/source.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const uint64_t list_size_most = (uint64_t)256 << 20;

static weir_view view_of(const char *text)
{
    return (weir_view){ .data = (const uint8_t *)text, .size = strlen(text) };
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b); /* as unsigned bytes */
}

static weir_status append_item(weir_paths *paths, char *item, weir_error *err)
{
    if (paths->count == paths->room) {
        const size_t room = paths->room > 0 ? 2 * paths->room : 16;
        char **items = realloc(paths->items, room * sizeof *items);

        if (!items)
            return weir_fail_memory(err, room * sizeof *items);
        paths->items = items;
        paths->room = room;
    }
    paths->items[paths->count++] = item;
    return WEIR_OK;
}

/* ---- globs ---- */

/* One `/`-separated part of a pattern. */
typedef struct weir_part {
    weir_view text;
    bool is_pattern;
} weir_part;

/* The part at `*at`, which moves past it; false at the end. */
static bool next_part(const char **at, weir_part *out)
{
    const char *begin = *at, *end;

    while (*begin == '/')
        begin++;
    end = begin;
    while (*end && *end != '/')
        end++;
    *at = end;
    out->text = (weir_view){ .data = (const uint8_t *)begin, .size = (size_t)(end - begin) };
    out->is_pattern = weir_glob_is(out->text) || memchr(begin, '\\', out->text.size);
    return begin != end;
}

static bool entry_match(weir_view pattern, const char *name)
{
    const bool is_hidden = name[0] == '.';

    if (is_hidden && (pattern.data[0] != '.' || !name[1] || strcmp(name, "..") == 0))
        return false;
    return weir_glob_match(pattern, view_of(name), false);
}

/* Appends to `out` what `folder` holds that matches. A folder that isn't there holds nothing. */
static weir_status match_entries(const char *folder, weir_view pattern, weir_paths *out,
                                 weir_error *err)
{
    const char *path = folder[0] ? folder : ".";
    DIR *opened = opendir(path);
    const struct dirent *entry;
    weir_status status = WEIR_OK;

    if (!opened && (errno == ENOENT || errno == ENOTDIR))
        return WEIR_OK;
    if (!opened)
        return weir_fail_system(err, errno, "%s", path);
    while (status == WEIR_OK) {
        errno = 0;
        entry = readdir(opened);
        if (!entry && errno != 0)
            status = weir_fail_system(err, errno, "%s", path);
        if (!entry)
            break;
        if (entry_match(pattern, entry->d_name))
            status = weir_paths_append(out, folder, entry->d_name, err);
    }
    closedir(opened);
    return status;
}

/* All of `from`, each with one more part. A part that is no pattern need not exist: the next one
 * or the end of the glob finds out. */
static weir_status extend(const weir_paths *from, const weir_part *part, weir_paths *out,
                          weir_error *err)
{
    char *name;

    if (part->is_pattern) {
        for (size_t i = 0; i < from->count; i++)
            WEIR_TRY(match_entries(from->items[i], part->text, out, err));
        return WEIR_OK;
    }
    name = weir_arena_copy(&out->arena, part->text.data, part->text.size);
    if (!name)
        return weir_fail_memory(err, part->text.size);
    for (size_t i = 0; i < from->count; i++)
        WEIR_TRY(weir_paths_append(out, from->items[i], name, err));
    return WEIR_OK;
}

/* What matches `pattern` below `base`; `base` is not a pattern. */
static weir_status match_parts(const char *base, const char *pattern, weir_paths *out,
                               weir_error *err)
{
    weir_part part;

    WEIR_TRY(weir_paths_append(out, "", pattern[0] == '/' ? "/" : base, err));
    while (next_part(&pattern, &part)) {
        weir_paths longer;
        weir_status status;

        weir_paths_init(&longer);
        status = extend(out, &part, &longer, err);
        weir_paths_fini(out);
        *out = longer;
        WEIR_TRY(status);
    }
    return WEIR_OK;
}

/* A file, or the files of a folder; what isn't there, none, but for a link that leads nowhere:
 * opening it tells. */
static weir_status append_found(weir_paths *paths, const char *path, bool only_folders,
                                weir_error *err)
{
    struct stat info;

    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return weir_folder_walk(path, paths, err);
    } else if (lstat(path, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return WEIR_OK;
        return weir_fail_system(err, errno, "%s", path);
    }
    return only_folders ? WEIR_OK : weir_paths_append(paths, "", path, err);
}

static weir_status expand_glob(weir_paths *paths, const char *base, const char *pattern,
                               weir_error *err)
{
    const size_t from = paths->count, length = strlen(pattern);
    const bool only_folders = length > 0 && pattern[length - 1] == '/';
    weir_paths found;
    weir_status status;

    weir_paths_init(&found);
    status = match_parts(base, pattern, &found, err);
    for (size_t i = 0; i < found.count && status == WEIR_OK; i++)
        status = append_found(paths, found.items[i], only_folders, err);
    weir_paths_fini(&found);
    weir_paths_sort(paths, from);
    return status;
}

/* ---- one path, a list ---- */

/* A file, a folder or a glob; a relative one counts from `base` ("": the current folder). */
static weir_status expand_path(weir_paths *paths, const char *base, const char *text,
                               weir_error *err)
{
    const size_t from = paths->count;
    struct stat info;
    weir_paths whole; /* one item: where `text` is without being a pattern */
    const char *path;
    weir_status status;

    if (!text[0])
        return weir_fail(err, WEIR_BAD_CALL, "an empty path");
    weir_paths_init(&whole);
    status = weir_paths_append(&whole, text[0] == '/' ? "" : base, text, err);
    if (status != WEIR_OK)
        goto done;
    path = whole.items[0];
    if (stat(path, &info) == 0) {
        status = S_ISDIR(info.st_mode) ? weir_folder_walk(path, paths, err)
                                       : weir_paths_append(paths, "", path, err);
        if (status == WEIR_OK && paths->count == from)
            status = weir_fail(err, WEIR_BAD_CALL, "%s: no file in this folder", path);
    } else if ((errno == ENOENT || errno == ENOTDIR) && weir_glob_is(view_of(text))) {
        status = expand_glob(paths, base, text, err);
        if (status == WEIR_OK && paths->count == from)
            status = weir_fail(err, WEIR_BAD_CALL, "%s: matches no file", path);
    } else {
        status = weir_fail_system(err, errno, "%s", path);
    }
done:
    weir_paths_fini(&whole);
    return status;
}

/* `line` of `size` bytes, in a buffer where the byte after it can be written. */
static weir_status expand_line(weir_paths *paths, const char *base, char *line, size_t size,
                               weir_error *err)
{
    if (size > 0 && line[size - 1] == '\r')
        size--;
    line[size] = '\0';
    if (size == 0 || line[0] == '#')
        return WEIR_OK;
    if (strlen(line) != size)
        return weir_fail(err, WEIR_BAD_CALL, "a zero byte in a path");
    if (line[0] == '@')
        return weir_fail(err, WEIR_BAD_CALL, "%s: a list inside a list", line);
    return expand_path(paths, base, line, err);
}

/* Reads the list into `arena`, with a byte more than it has. */
static weir_status read_list(weir_arena *arena, const char *path, char **out, size_t *out_size,
                             weir_error *err)
{
    weir_source *source = NULL;
    uint64_t size;
    weir_status status;

    status = weir_source_open(path, 0, &source, err);
    if (status != WEIR_OK)
        return weir_blame(err, status, "%s", path);
    size = weir_source_size(source);
    if (size > list_size_most) {
        status = weir_fail(err, WEIR_LIMIT, "%s: a list of more than 256 MiB", path);
    } else if (!(*out = weir_arena_alloc(arena, (size_t)size + 1))) {
        status = weir_fail_memory(err, size);
    } else {
        *out_size = (size_t)size;
        status = weir_source_read(source, 0, *out, (size_t)size, err);
        status = weir_blame(err, status, "%s", path);
    }
    weir_source_release(source);
    return status;
}

static weir_status expand_lines(weir_paths *paths, const char *list, const char *base, char *text,
                                size_t size, weir_error *err)
{
    char *const end = text + size;
    size_t number = 1;

    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* a byte order mark */
    for (; text < end; number++) {
        char *line_end = memchr(text, '\n', (size_t)(end - text));
        weir_status status;

        if (!line_end)
            line_end = end;
        status = expand_line(paths, base, text, (size_t)(line_end - text), err);
        if (status != WEIR_OK)
            return weir_blame(err, status, "%s: line %zu", list, number);
        text = line_end + 1;
    }
    return WEIR_OK;
}

static weir_status expand_list(weir_paths *paths, const char *list, weir_error *err)
{
    const size_t from = paths->count;
    const char *slash = strrchr(list, '/');
    char *base, *text = NULL;
    size_t size = 0;
    weir_arena arena;
    weir_status status;

    weir_arena_init(&arena);
    base = weir_arena_copy(&arena, list, slash ? (size_t)(slash + 1 - list) : 0);
    if (base)
        status = read_list(&arena, list, &text, &size, err);
    else
        status = weir_fail_memory(err, strlen(list));
    if (status == WEIR_OK)
        status = expand_lines(paths, list, base, text, size, err);
    if (status == WEIR_OK && paths->count == from)
        status = weir_fail(err, WEIR_BAD_CALL, "%s: the list names no file", list);
    weir_arena_fini(&arena);
    return status;
}

void weir_paths_init(weir_paths *paths)
{
    *paths = (weir_paths){ 0 };
    weir_arena_init(&paths->arena);
}

void weir_paths_fini(weir_paths *paths)
{
    free(paths->items);
    weir_arena_fini(&paths->arena);
    *paths = (weir_paths){ 0 };
}

weir_status weir_paths_append(weir_paths *paths, const char *folder, const char *name,
                              weir_error *err)
{
    const size_t folder_size = strlen(folder), name_size = strlen(name);
    const bool needs_slash = folder_size > 0 && folder[folder_size - 1] != '/';
    const size_t size = folder_size + needs_slash + name_size;
    char *item = weir_arena_array(&paths->arena, size + 1, 1);

    if (!item)
        return weir_fail_memory(err, size + 1);
    memcpy(item, folder, folder_size);
    if (needs_slash)
        item[folder_size] = '/';
    memcpy(item + folder_size + needs_slash, name, name_size);
    return append_item(paths, item, err);
}

void weir_paths_sort(weir_paths *paths, size_t from)
{
    if (paths->count > from)
        qsort(paths->items + from, paths->count - from, sizeof *paths->items, compare);
}

weir_status weir_paths_expand(const char *const *given, size_t count, weir_paths *out,
                              weir_error *err)
{
    weir_paths paths;
    weir_status status = WEIR_OK;

    weir_paths_init(&paths);
    if (count == 0)
        status = weir_fail(err, WEIR_BAD_CALL, "no path was given");
    for (size_t i = 0; i < count && status == WEIR_OK; i++) {
        if (!given || !given[i])
            status = weir_fail(err, WEIR_BAD_CALL, "path %zu is NULL", i);
        else if (given[i][0] == '@')
            status = expand_list(&paths, given[i] + 1, err);
        else
            status = expand_path(&paths, "", given[i], err);
    }
    if (status == WEIR_OK)
        *out = paths;
    else
        weir_paths_fini(&paths);
    return status;
}
