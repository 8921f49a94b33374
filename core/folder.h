/* SPDX-License-Identifier: Apache-2.0
 * folder.h: the files below a folder. */
#ifndef WEIR_CORE_FOLDER_H
#define WEIR_CORE_FOLDER_H

#include "core/paths.h"

/* Appends the regular files below `folder`, sorted by byte order of the path, without those whose
 * name, or a folder's above them, begins with `.` or `_`. Where some have an ending that tells of
 * columnar data (.parquet, .hipo, .h5 and their like), those alone. Links are followed; each real
 * folder is visited once, by its own path where it has one below `folder`. */
weir_status weir_folder_walk(const char *folder, weir_paths *paths, weir_error *err);

#endif
