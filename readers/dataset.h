/* SPDX-License-Identifier: Apache-2.0
 * dataset.h: files as one table. A file is open while somebody uses it, and opens again on need:
 * ten thousand files don't need ten thousand descriptors. */
#ifndef WEIR_READERS_DATASET_H
#define WEIR_READERS_DATASET_H

#include "core/arena.h"
#include "readers/context.h"
#include <pthread.h>
#include <weir/format.h>

typedef struct weir_entry { /* one file */
    const char *path;
    weir_source *input;    /* the caller's bytes; NULL: `path` is a file */
    pthread_mutex_t mutex; /* of what follows */
    weir_file *file;       /* NULL: not open */
    int32_t users;
    bool is_pinned;        /* somebody was given pointers into it: it stays, without a descriptor */
    _Atomic(int64_t) rows; /* -1: not known yet */
    _Atomic(bool) has_trouble; /* behind them: weir_file.trouble; known when they are */
} weir_entry;

struct weir_dataset {
    _Atomic(int32_t) refs;
    weir_context *context;
    weir_options options;
    weir_memory *memory;       /* for metadata being read */
    const weir_format *format; /* the one to use; NULL: asked of the bytes */
    weir_arena arena;
    weir_entry *entries;
    int32_t count;
    const weir_schema *schema; /* the first file's, or the united one */
    /* United: why files have no common type for a column; NULL: they have. */
    const char **clashes;
};

weir_dataset *weir_dataset_keep(const weir_dataset *dataset);
/* Whether file `index`, which failed to open or to be read by `status`, is skipped; then it is told
 * of, as `why`. An I/O fault never is. */
bool weir_dataset_passes_over(const weir_dataset *dataset, int32_t index, weir_status status,
                              weir_error *why);
/* Opens a file, or joins those who use it. */
weir_status weir_dataset_acquire(const weir_dataset *dataset, int32_t index, weir_file **out,
                                 weir_error *err);
void weir_dataset_release(const weir_dataset *dataset, int32_t index);
/* What follows the file's last group and can't be read, if anything does. */
weir_status weir_file_tell_trouble(const weir_file *file, const char *path, weir_error *err);
/* The rows of one file; opens it if they are not known. */
weir_status weir_dataset_file_rows(const weir_dataset *dataset, int32_t index, int64_t *out,
                                   weir_error *err);
/* The file that holds `row` and the number of its first row; past the end: index `count`. */
weir_status weir_dataset_locate(const weir_dataset *dataset, int64_t row, int32_t *index,
                                int64_t *first, weir_error *err);
/* weir_open_inputs with a front-end of the caller's: for tests. */
weir_status weir_dataset_open(const weir_input *inputs, size_t count, const weir_options *options,
                              const weir_format *format, weir_dataset **out, weir_error *err);

#endif
