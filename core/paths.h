/* SPDX-License-Identifier: Apache-2.0
 * paths.h: what a user gives to open (files, globs, folders, lists) as a list of files. */
#ifndef WEIR_CORE_PATHS_H
#define WEIR_CORE_PATHS_H

#include "core/arena.h"

typedef struct weir_paths {
    char **items; /* as long as the list */
    size_t count, room;
    weir_arena arena; /* their bytes */
} weir_paths;

void weir_paths_init(weir_paths *paths);
void weir_paths_fini(weir_paths *paths);
/* Appends `folder` and `name` with a `/` between where there is none; `folder` may be "". */
weir_status weir_paths_append(weir_paths *paths, const char *folder, const char *name,
                              weir_error *err);
/* By byte order, whatever the locale, from item `from` on. */
void weir_paths_sort(weir_paths *paths, size_t from);

/* Each of `given`, in its order:
 * - `@list`: a path a line, relative to where the list lies; empty lines and those that begin with
 *   `#` are left out, a CR at the end too; a line is a file, a glob or a folder;
 * - a name that exists: a file as it is, a folder as weir_folder_walk (folder.h) has it;
 * - else, with `*`, `?` or `[` in it, a glob (glob.h, component by component, where a leading `.`
 *   needs one in the pattern), sorted; folders among what it matches are walked.
 * BAD_CALL names the first that comes to no file, IO one that doesn't exist. */
weir_status weir_paths_expand(const char *const *given, size_t count, weir_paths *out,
                              weir_error *err);

#endif
