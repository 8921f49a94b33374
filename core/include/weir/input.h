/* SPDX-License-Identifier: Apache-2.0
 * input.h: how a file is opened and where its bytes may come from. */
#ifndef WEIR_INPUT_H
#define WEIR_INPUT_H

#include <weir/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {                       /* weir_options.flags */
    WEIR_UNIFY = 1,          /* read all footers first; widen types; missing columns are null */
    WEIR_ANY_CASE = 2,       /* names match without regard to ASCII case */
    WEIR_SKIP_BAD = 4,       /* a CORRUPT file ends early and is reported; reading goes on */
    WEIR_MAP_FILES = 8,      /* map files: no copy, but SIGBUS if somebody shortens one */
    WEIR_NO_SUMS = 16,       /* don't verify page checksums */
    WEIR_NO_PAGE_INDEX = 32, /* don't use offset indexes */
    WEIR_SALVAGE =
        64 /* HIPO: read all that can be read, leave out what can't, at the cost of reading
              all when a file is opened; weir_file_info.index says how much it was */
};

/* Bytes of the caller: memory (`data`, `length`) or functions. */
typedef struct weir_input {
    size_t size;
    const char *name; /* for messages; copied */
    uint64_t length;
    const void *data; /* not NULL: the bytes; they stay until the dataset and its readers close */
    /* Fills all of [offset, offset + size), which lies inside the length. Any thread, several at
     * once. Not OK: the status and text go to the reader's caller. */
    weir_status (*read)(void *user, uint64_t offset, void *into, size_t size, weir_error *err);
    void (*close)(void *user); /* once, when nothing reads any more; may be NULL */
    void *user;
} weir_input;

#ifdef __cplusplus
}
#endif
#endif
