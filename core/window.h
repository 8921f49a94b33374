/* SPDX-License-Identifier: Apache-2.0
 * window.h: a moving view of one range of a source: a column chunk, a record. Reads in blocks of
 * 256 KB into recycled memory and lends slices of them, so that a page header costs no system call
 * and a page that needs no codec is not copied. One owner at a time. */
#ifndef WEIR_CORE_WINDOW_H
#define WEIR_CORE_WINDOW_H

#include "core/hold.h"
#include "core/source.h"

enum {
    WEIR_WINDOW_BLOCK = 256 * 1024,
    WEIR_WINDOW_WHOLE = 2 * 1024 * 1024
};

typedef struct weir_window {
    weir_source *source; /* borrowed */
    weir_memory *memory; /* borrowed */
    uint64_t end;        /* reading ahead never passes it (a chunk's end); asking may */
    uint64_t whole;      /* a range of no more bytes is read at once; init leaves 0 */
    uint64_t offset;     /* of what is loaded */
    const uint8_t *data;
    size_t size;
    weir_hold *hold;
    uint64_t bytes_read, read_ns; /* counters, since init */
} weir_window;

void weir_window_init(weir_window *window, weir_source *source, weir_memory *memory, uint64_t end);
void weir_window_fini(weir_window *window);
/* Lets go of what is loaded; the window may go on. */
void weir_window_drop(weir_window *window);
/* All loaded bytes from `offset` on, at least `least` of them unless the file ends before; `out`
 * may be empty at the end of the file. Valid until the next call, or as long as the caller keeps
 * `window->hold`. 64 readable bytes follow. */
weir_status weir_window_peek(weir_window *window, uint64_t offset, size_t least, weir_view *out,
                             weir_error *err);
/* Exactly [offset, offset + size); CORRUPT when the file ends before. */
weir_status weir_window_view(weir_window *window, uint64_t offset, size_t size, weir_view *out,
                             weir_error *err);
/* True when the range is loaded: a run of pages ends where it would be false. */
bool weir_window_has(const weir_window *window, uint64_t offset, size_t size);

#endif
