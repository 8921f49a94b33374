/* SPDX-License-Identifier: Apache-2.0
 * base.h: status, error, view and version: what every other header of weir stands on. */
#ifndef WEIR_BASE_H
#define WEIR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0
#define WEIR_VERSION_STRING "0.1.0"

#define WEIR_API __attribute__((visibility("default")))
#ifndef WEIR_INLINE
#define WEIR_INLINE static inline
#endif

/* One status for each thing a caller would do differently; all else is text. */
typedef enum weir_status {
    WEIR_OK,
    WEIR_BAD_CALL,    /* the caller's mistake: a null pointer, an unknown column, a wrong type */
    WEIR_NO_MEMORY,   /* the system gave none */
    WEIR_IO,          /* the system could not read; never skipped */
    WEIR_CORRUPT,     /* the bytes are not what the format allows */
    WEIR_UNSUPPORTED, /* well formed, and this build can't */
    WEIR_NO_CODEC,    /* no codec for the id the file names: install a plugin */
    WEIR_CANCELLED,
    WEIR_MISMATCH, /* files of one dataset differ: unify, or name a type */
    WEIR_LIMIT     /* a limit of the options was met: raise it */
} weir_status;

/* Borrowed bytes. */
typedef struct weir_view {
    const uint8_t *data;
    size_t size;
} weir_view;

/* Why something failed. `text` is a path from the outside in:
 * `a.parquet: row group 3: column fare: page 17: zstd: corrupt frame`. */
typedef struct weir_error {
    weir_status status;
    int32_t file;   /* index in the dataset; -1: none */
    int64_t row;    /* first row that is not whole, in the dataset; -1: none */
    int64_t offset; /* byte in the file; -1: none */
    char text[488]; /* always terminated */
} weir_error;

/* "ok", "corrupt" and so on: static, never NULL. */
WEIR_API const char *weir_status_name(weir_status status);
/* The library's version at run time. */
WEIR_API const char *weir_version(void);

/* The start of a struct that begins with `size`: WEIR_QUERY_INIT and its like. */
#ifdef __cplusplus
#define WEIR_SIZED(n) \
    {                 \
        n             \
    }
#else
#define WEIR_SIZED(n) \
    {                 \
        .size = n     \
    }
#endif

#define WEIR_TRY(x)                   \
    do {                              \
        const weir_status try_ = (x); \
        if (try_ != WEIR_OK)          \
            return try_;              \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
