/* SPDX-License-Identifier: Apache-2.0
 * error.h: making and extending the text of a weir_error on its way up. `err` may be NULL
 * everywhere. */
#ifndef WEIR_CORE_ERROR_H
#define WEIR_CORE_ERROR_H

#include <weir/base.h>

/* Starts an error: status, text; file, row and offset become -1. Returns `status`. */
weir_status weir_fail(weir_error *err, weir_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As weir_fail, with the byte of the file where it was seen. */
weir_status weir_fail_at(weir_error *err, weir_status status, uint64_t offset, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));
/* Puts "<text>: " before what `err` says, unless `status` is OK; returns `status`. When the whole
 * does not fit, the middle of `text` is left out, so that neither the cause nor a path's end is
 * lost. Control characters in names are escaped. */
weir_status weir_blame(weir_error *err, weir_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
weir_status weir_fail_memory(weir_error *err, uint64_t size);
/* "<text>: <what errno `code` means>", in English whatever the locale: IO, or NO_MEMORY for
 * ENOMEM. */
weir_status weir_fail_system(weir_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `text`, or where that is longer than `size` - 1 bytes a copy in `room` without its middle. */
const char *weir_shorten(const char *text, char *room, size_t size);

#endif
