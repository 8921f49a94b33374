/* SPDX-License-Identifier: Apache-2.0
 * source.h: where bytes come from: a file, a map, memory, the caller's callbacks. The only module
 * that reads. A source is counted; reading it is safe on any thread. */
#ifndef WEIR_CORE_SOURCE_H
#define WEIR_CORE_SOURCE_H

#include "core/hold.h"
#include <weir/base.h>
#include <weir/input.h>

typedef struct weir_source weir_source;

enum {
    WEIR_SOURCE_MAP = 1
}; /* map the file: no copy, but SIGBUS if somebody shortens it */

/* A regular file. A directory, a pipe or a missing file is IO; whoever opens adds the path. */
weir_status weir_source_open(const char *path, uint32_t flags, weir_source **out, weir_error *err);
/* Bytes of the caller, who keeps them until the source closes. */
weir_status weir_source_open_memory(const char *name, const void *data, size_t size,
                                    weir_source **out, weir_error *err);
/* The caller's functions (weir.h, weir_input); `close` is called by the last release. */
weir_status weir_source_open_input(const weir_input *input, weir_source **out, weir_error *err);
weir_source *weir_source_keep(weir_source *source);
void weir_source_release(weir_source *source);

/* Lets go of a file's descriptor until weir_source_wake. Nobody reads the source meanwhile. */
void weir_source_rest(weir_source *source);
/* Opens the file again; IO when it is gone or another one by now. */
weir_status weir_source_wake(weir_source *source, weir_error *err);

const char *weir_source_name(const weir_source *source);
uint64_t weir_source_size(const weir_source *source);
/* Bytes read so far, by everybody. */
uint64_t weir_source_bytes_read(const weir_source *source);
/* All of [offset, offset + size) or an error: IO when the system fails or the file is shorter
 * than it was, CORRUPT when the range lies outside. EINTR and short reads are dealt with. */
weir_status weir_source_read(weir_source *source, uint64_t offset, void *into, size_t size,
                             weir_error *err);
/* The whole file where it is mapped, with the hold that keeps it; false: not mapped. */
bool weir_source_mapped(weir_source *source, weir_view *all, weir_hold **hold);

#endif
