/* SPDX-License-Identifier: Apache-2.0
 * folder.c: walking a folder. Real folders come first, then, round by round, the links to folders
 * that were met: so a folder goes by its own path, not by that of a link to it. */
#include "core/folder.h"

#include "core/error.h"
#include "core/glob.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct weir_folder_id {
    dev_t device;
    ino_t node;
    bool is_set;
} weir_folder_id;

typedef struct weir_walk {
    weir_paths *files;
    weir_paths folders, links; /* still to visit */
    weir_folder_id *visited;   /* a hash set, at most half full */
    size_t visited_count, visited_room;
} weir_walk;

typedef enum weir_entry_kind {
    ENTRY_OTHER, /* a device, a pipe, a link to itself: left out */
    ENTRY_FILE,
    ENTRY_FOLDER,
    ENTRY_LINK /* to a folder */
} weir_entry_kind;

/* Where `id` is or would be. */
static weir_folder_id *visited_slot(const weir_walk *walk, const struct stat *info)
{
    const uint64_t key = (uint64_t)info->st_ino ^ (uint64_t)info->st_dev << 32;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (walk->visited_room - 1);

    while (walk->visited[i].is_set &&
           (walk->visited[i].device != info->st_dev || walk->visited[i].node != info->st_ino))
        i = (i + 1) & (walk->visited_room - 1);
    return &walk->visited[i];
}

static weir_status visited_grow(weir_walk *walk, weir_error *err)
{
    weir_walk larger = *walk;

    larger.visited_room = walk->visited_room > 0 ? 2 * walk->visited_room : 64;
    larger.visited = calloc(larger.visited_room, sizeof *larger.visited);
    if (!larger.visited)
        return weir_fail_memory(err, larger.visited_room * sizeof *larger.visited);
    for (size_t i = 0; i < walk->visited_room; i++) {
        const weir_folder_id *id = &walk->visited[i];
        const struct stat info = { .st_dev = id->device, .st_ino = id->node };

        if (id->is_set)
            *visited_slot(&larger, &info) = *id;
    }
    free(walk->visited);
    walk->visited = larger.visited;
    walk->visited_room = larger.visited_room;
    return WEIR_OK;
}

/* `is_new`: false when the folder was visited before. */
static weir_status visit(weir_walk *walk, const struct stat *info, bool *is_new, weir_error *err)
{
    weir_folder_id *slot;

    if (2 * walk->visited_count >= walk->visited_room)
        WEIR_TRY(visited_grow(walk, err));
    slot = visited_slot(walk, info);
    *is_new = !slot->is_set;
    if (*is_new) {
        *slot = (weir_folder_id){ .device = info->st_dev, .node = info->st_ino, .is_set = true };
        walk->visited_count++;
    }
    return WEIR_OK;
}

static weir_entry_kind kind_of_mode(mode_t mode, bool is_link)
{
    if (S_ISREG(mode))
        return ENTRY_FILE;
    if (S_ISDIR(mode))
        return is_link ? ENTRY_LINK : ENTRY_FOLDER;
    return ENTRY_OTHER;
}

/* A link that leads nowhere counts as a file: opening it tells what is wrong. One that leads to
 * itself is nothing. */
static weir_entry_kind kind_of_entry(int folder, const struct dirent *entry)
{
    bool is_link = entry->d_type == DT_LNK;
    struct stat info;

    if (entry->d_type == DT_REG)
        return ENTRY_FILE;
    if (entry->d_type == DT_DIR)
        return ENTRY_FOLDER;
    if (entry->d_type == DT_UNKNOWN) { /* some file systems don't say */
        if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            return ENTRY_OTHER; /* gone again */
        is_link = S_ISLNK(info.st_mode);
        if (!is_link)
            return kind_of_mode(info.st_mode, false);
    }
    if (!is_link)
        return ENTRY_OTHER;
    if (fstatat(folder, entry->d_name, &info, 0) != 0)
        return errno == ELOOP ? ENTRY_OTHER : ENTRY_FILE;
    return kind_of_mode(info.st_mode, true);
}

static weir_status add_entry(weir_walk *walk, const char *path, int folder,
                             const struct dirent *entry, weir_error *err)
{
    if (entry->d_name[0] == '.' || entry->d_name[0] == '_')
        return WEIR_OK;
    switch (kind_of_entry(folder, entry)) {
    case ENTRY_FILE:
        return weir_paths_append(walk->files, path, entry->d_name, err);
    case ENTRY_FOLDER:
        return weir_paths_append(&walk->folders, path, entry->d_name, err);
    case ENTRY_LINK:
        return weir_paths_append(&walk->links, path, entry->d_name, err);
    default:
        return WEIR_OK;
    }
}

static weir_status read_folder(weir_walk *walk, const char *path, weir_error *err)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    struct stat info;
    bool is_new = false;
    weir_status status = WEIR_OK;

    if (!folder)
        return weir_fail_system(err, errno, "%s", path);
    if (fstat(dirfd(folder), &info) != 0)
        status = weir_fail_system(err, errno, "%s", path);
    if (status == WEIR_OK)
        status = visit(walk, &info, &is_new, err);
    while (status == WEIR_OK && is_new) {
        errno = 0;
        entry = readdir(folder);
        if (!entry && errno != 0)
            status = weir_fail_system(err, errno, "%s", path);
        if (!entry)
            break;
        status = add_entry(walk, path, dirfd(folder), entry, err);
    }
    closedir(folder);
    return status;
}

/* Visits `root` and the real folders below it; links are gathered. */
static weir_status walk_tree(weir_walk *walk, const char *root, weir_error *err)
{
    WEIR_TRY(read_folder(walk, root, err));
    while (walk->folders.count > 0)
        WEIR_TRY(read_folder(walk, walk->folders.items[--walk->folders.count], err));
    return WEIR_OK;
}

static weir_status walk_links(weir_walk *walk, weir_error *err)
{
    weir_status status = WEIR_OK;

    while (status == WEIR_OK && walk->links.count > 0) {
        weir_paths links = walk->links;

        weir_paths_init(&walk->links);
        weir_paths_sort(&links, 0);
        for (size_t i = 0; i < links.count && status == WEIR_OK; i++)
            status = walk_tree(walk, links.items[i], err);
        weir_paths_fini(&links);
    }
    return status;
}

static bool is_data(const char *path)
{
    static const char *const patterns[] = { "*.parquet", "*.parq", "*.pq",  "*.hipo",
                                            "*.h5",      "*.hdf5", "*.hdf", "*.he5" };
    const weir_view name = { .data = (const uint8_t *)path, .size = strlen(path) };

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const weir_view pattern = { .data = (const uint8_t *)patterns[i],
                                    .size = strlen(patterns[i]) };

        if (weir_glob_match(pattern, name, true))
            return true;
    }
    return false;
}

/* Where some of the files from `from` on have such an ending, the others go. */
static void keep_data(weir_paths *paths, size_t from)
{
    size_t kept = from;

    for (size_t i = from; i < paths->count; i++) {
        if (is_data(paths->items[i]))
            paths->items[kept++] = paths->items[i];
    }
    if (kept > from)
        paths->count = kept;
}

weir_status weir_folder_walk(const char *folder, weir_paths *paths, weir_error *err)
{
    const size_t from = paths->count;
    weir_walk walk = { .files = paths };
    weir_status status;

    weir_paths_init(&walk.folders);
    weir_paths_init(&walk.links);
    status = walk_tree(&walk, folder, err);
    if (status == WEIR_OK)
        status = walk_links(&walk, err);
    if (status == WEIR_OK) {
        keep_data(paths, from);
        weir_paths_sort(paths, from);
    }
    weir_paths_fini(&walk.folders);
    weir_paths_fini(&walk.links);
    free(walk.visited);
    return status;
}
