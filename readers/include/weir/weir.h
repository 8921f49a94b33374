/* SPDX-License-Identifier: Apache-2.0
 * weir.h: all that a user includes. A context holds threads and codecs, a dataset is files as one
 * table, a reader goes over it by columns, by rows, or as a fold. Structs that begin with `size`
 * may grow at their end: set it with the macros, zero the rest. `err` may be NULL everywhere; what
 * is handed out is written on success only; every close accepts NULL. */
#ifndef WEIR_H
#define WEIR_H

#include <weir/base.h>
#include <weir/data.h>
#include <weir/inform.h>
#include <weir/input.h>
#include <weir/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ArrowArrayStream;
struct ArrowArray;
struct ArrowSchema;
struct weir_codec;

/* ---- context: threads, codecs, recycled memory. Any thread. ---- */

typedef struct weir_context weir_context;

/* `threads` counts the caller's: 0: one a core; 1: none is started. */
WEIR_API weir_status weir_context_open(int threads, weir_context **out, weir_error *err);
/* Lives on until its last dataset, reader and batch go. */
WEIR_API void weir_context_close(weir_context *context);
/* For programs that link a codec in; before the context reads its first file. `codec` is never
 * let go. */
WEIR_API weir_status weir_context_add_codec(weir_context *context, const struct weir_codec *codec,
                                            weir_error *err);

/* Opens all plugins on the search path, and visits every codec and every refused or shadowed one.
 * The strings are good during the visit. */
WEIR_API weir_status weir_context_codecs(weir_context *context,
                                         void (*visit)(void *user, const weir_codec_info *info),
                                         void *user, weir_error *err);

/* ---- dataset: files as one table. Frozen: any thread, any number of readers. ---- */

typedef struct weir_dataset weir_dataset;

typedef struct weir_options { /* how to open */
    size_t size;
    weir_context *context; /* NULL: one of its own, with a thread a core */
    size_t memory;         /* target for pages and batches in flight; 0: 256 MiB */
    size_t memory_limit;   /* never beyond, LIMIT instead; 0: none */
    uint32_t flags;
    /* Told of each file that WEIR_SKIP_BAD skipped, by each call or reader that skips it: by
     * weir_open where the first ones are bad, by weir_dataset_rows, while reading. On the thread
     * that reads, never two at once for one reader. `why->file` says which. */
    void (*skipped)(void *user, const weir_error *why);
    /* After each batch, on the reader's thread; of a fold after each row group, on any thread,
     * never two at once. false cancels. `bytes` and `files` are done. */
    bool (*progress)(void *user, int64_t rows, uint64_t bytes, int32_t files);
    void *user;
    /* HIPO: records that have one of these tags (user word 1) are all that the file has; no others
     * are read. None: every record is. Copied. */
    const int64_t *record_tags;
    size_t record_tag_count;
} weir_options;
#define WEIR_OPTIONS_INIT WEIR_SIZED(sizeof(weir_options))

/* Paths: files, globs, folders (with what is below them, sorted by byte order of the path; names
 * that begin with `.` or `_` left out) and @list (a file with a path a line). One row numbering
 * over all files, in that order. No file is a BAD_CALL. */
WEIR_API weir_status weir_open(const char *const *paths, size_t count, const weir_options *options,
                               weir_dataset **out, weir_error *err);
/* Takes the inputs also on failure: each `close` is called. */
WEIR_API weir_status weir_open_inputs(const weir_input *inputs, size_t count,
                                      const weir_options *options, weir_dataset **out,
                                      weir_error *err);
/* Readers keep what they use: any order will do. */
WEIR_API void weir_dataset_close(weir_dataset *dataset);

/* The first file's, or the united one. As long as the dataset. */
WEIR_API const weir_schema *weir_dataset_schema(const weir_dataset *dataset);
WEIR_API int32_t weir_dataset_file_count(const weir_dataset *dataset);
/* As long as the dataset; NULL: no such file. */
WEIR_API const char *weir_dataset_path(const weir_dataset *dataset, int32_t file);
/* Rows of all files: reads the footers left, in parallel. */
WEIR_API weir_status weir_dataset_rows(const weir_dataset *dataset, int64_t *out, weir_error *err);
/* The column (child of the root) of that name: BAD_CALL when there is none (near names are
 * named) or several (their indices are). */
WEIR_API weir_status weir_dataset_find(const weir_dataset *dataset, const char *name, int32_t *out,
                                       weir_error *err);

/* ---- what a file says of itself. Pointers are good as long as the dataset. ---- */

/* `file_count` files; each opens on first use. `out->size` says how much is filled in. */
WEIR_API weir_status weir_dataset_file(const weir_dataset *dataset, int32_t file,
                                       weir_file_info *out, weir_error *err);
WEIR_API weir_status weir_dataset_group(const weir_dataset *dataset, int32_t file, int64_t group,
                                        weir_group_info *out, weir_error *err);
WEIR_API weir_status weir_dataset_chunk(const weir_dataset *dataset, int32_t file, int64_t group,
                                        int32_t leaf, weir_chunk_info *out, weir_error *err);

/* All that the file's metadata says, in its order, unknown fields included where they have a
 * number. Facts are good during the visit; false ends it. */
WEIR_API weir_status weir_dataset_describe(const weir_dataset *dataset, int32_t file,
                                           bool (*visit)(void *user, const weir_fact *fact),
                                           void *user, weir_error *err);

/* ---- columns: batches in row order. One thread at a time, but for cancel. ---- */

typedef struct weir_columns weir_columns;

/* `path` is a column's name; else a glob over names; else a path into columns: names or globs for
 * each level, with dots between and escaped as weir_schema_path has them. Lists and maps on the way
 * may be named as the file has them (sources.list.element.dataset), as they are understood
 * (sources.element.dataset) or not at all (sources.dataset); the longer reading comes first. Only
 * what lies at the paths is read; the column keeps its shape, with the rest left out, and a map its
 * keys. Paths into one column, of the same `as` and `forms`, make one column. */
typedef struct weir_pick {
    const char *path; /* NULL: column `index` */
    int32_t index;
    weir_type as;   /* ANY: the dataset's type; else values are widened to it, file by file */
    uint32_t forms; /* bits 1 << WEIR_CODES, 1 << WEIR_ONE: taken besides plain; 1 << WEIR_SHAPE:
                       the nulls, and the lengths of lists and maps, alone: see weir_vector. Of
                       what is nested this reads one leaf, the one of the fewest bytes */
} weir_pick;

typedef struct weir_query { /* what to read */
    size_t size;
    const weir_pick *picks; /* none: every column; those that this build can't read are errors */
    size_t pick_count;
    int64_t first_row;             /* of the dataset; < 0: counted from the end */
    int64_t row_limit;             /* 0: to the end */
    uint64_t byte_begin, byte_end; /* groups whose midpoint lies there, over the one file; 0, 0:
                                      all */
    int64_t batch_rows;            /* at most; 0: 16,384 */
    size_t batch_bytes;            /* about, and never less than a row; 0: 1 MiB */
    int threads;                   /* 0: the context's, which is the most; 1: the caller alone */
    /* HIPO: which events are given out: those that pass each of the three that is set.
     * Then first_row is still a row of the dataset, row_limit counts rows given out, and a batch
     * has the numbers of its rows. Of a record by bank or by column in which no event passes
     * nothing but the directory is read. */
    const uint32_t *event_tags; /* the event's tag is one of them */
    size_t event_tag_count;
    uint32_t event_tag_mask;    /* not 0: it has one of these bits */
    const char *const *present; /* columns (names of banks), each of which the event has */
    size_t present_count;
} weir_query;
#define WEIR_QUERY_INIT WEIR_SIZED(sizeof(weir_query))

typedef struct weir_stats { /* of one reader so far; times are summed over threads */
    size_t size;
    int64_t rows, batches;
    uint64_t bytes_read, pages, plain_bytes, values;
    uint64_t open_ns, read_ns, unpack_ns, decode_ns, wait_ns;
    uint64_t memory_peak; /* bytes of pages, dictionaries and vectors */
    int32_t files, files_skipped;
    int threads;
    uint64_t levels; /* entries of nested columns' levels that were looked at */
} weir_stats;
#define WEIR_STATS_INIT WEIR_SIZED(sizeof(weir_stats))

WEIR_API weir_status weir_columns_open(const weir_dataset *dataset, const weir_query *query,
                                       weir_columns **out, weir_error *err);
/* NULL: the end, or trouble, or cancelled: weir_columns_error tells. The batch is good until the
 * next call, or as long as it is kept. */
WEIR_API const weir_batch *weir_columns_next(weir_columns *columns);
/* OK at the end of all rows. */
WEIR_API weir_status weir_columns_error(const weir_columns *columns, weir_error *err);
/* Rows that a reader of `query` gives out: by headers alone, or with a filter by what it takes to
 * ask it. Picks are not looked at. */
WEIR_API weir_status weir_dataset_count(const weir_dataset *dataset, const weir_query *query,
                                        int64_t *out, weir_error *err);
/* What comes out: a column a pick (globs expanded, paths into one column together). As long as
 * the reader. */
WEIR_API const weir_schema *weir_columns_schema(const weir_columns *columns);
WEIR_API void weir_columns_stats(const weir_columns *columns, weir_stats *out);
/* Any thread, until close begins. The reader ends with CANCELLED. */
WEIR_API void weir_columns_cancel(weir_columns *columns);
/* The error that weir_columns_error gives. */
WEIR_API weir_status weir_columns_close(weir_columns *columns, weir_error *err);

/* One more count; the batch outlives reader, dataset and context. */
WEIR_API const weir_batch *weir_batch_keep(const weir_batch *batch);
WEIR_API void weir_batch_release(const weir_batch *batch); /* any thread */

/* ---- fold: the caller's function on every worker ---- */

typedef struct weir_folder {
    size_t size, state_size;                /* states are zeroed, aligned to 64 */
    void (*begin)(void *state, void *user); /* may be NULL */
    /* Several threads, each its own state; batches of one state come in row order. false stops. */
    bool (*batch)(void *state, const weir_batch *batch, void *user);
    /* In row order, one at a time: the same result on any number of threads. */
    void (*merge)(void *into, void *from, void *user);
    /* For what a state owns: once for each state begun, merged or not, but not for `result`. On
     * any thread. May be NULL. */
    void (*end)(void *state, void *user);
} weir_folder;

/* `result` is a state, begun by the call. On failure it holds all splits before the failing one,
 * and that one's good batches. `stats` may be NULL. */
WEIR_API weir_status weir_fold(const weir_dataset *dataset, const weir_query *query,
                               const weir_folder *folder, void *user, void *result,
                               weir_stats *stats, weir_error *err);

/* ---- Arrow C data interface ---- */

typedef struct weir_arrow_options {
    size_t size;
    weir_unit int96_unit;   /* NONE: nanoseconds; a value that doesn't fit is an error at its row */
    bool strings_as_binary; /* STRING without a check of its UTF-8 */
} weir_arrow_options;
#define WEIR_ARROW_OPTIONS_INIT WEIR_SIZED(sizeof(weir_arrow_options))

/* The stream holds what it needs: the dataset may be closed. `options` may be NULL. Columns are
 * PLAIN, whatever forms the picks accept. A value without an Arrow value (a STRING that isn't
 * UTF-8, an INT96 beyond the unit, an integer or decimal wider than its type) ends the stream at
 * its row; the rows before it are delivered. With several files every column is nullable. UUID and
 * JSON bear the canonical extension names arrow.uuid and arrow.json. Lists, structs and maps bear
 * the names that their parts have in the file; a map without values is the list of its keys, and a
 * null key has no Arrow value. */
WEIR_API weir_status weir_arrow_stream(const weir_dataset *dataset, const weir_query *query,
                                       const weir_arrow_options *options,
                                       struct ArrowArrayStream *out, weir_error *err);
/* One batch as a struct array; each exported array holds its own count of the batch, and buffers
 * are shared with it where the layouts agree. CODES come as Arrow dictionaries with int32 codes,
 * ONE as all its rows. A value without an Arrow value is the call's error, with its row. */
WEIR_API weir_status weir_arrow_batch(const weir_batch *batch, const weir_arrow_options *options,
                                      struct ArrowArray *out, struct ArrowSchema *schema,
                                      weir_error *err);

/* ---- rows: the head is visible so that next and the getters are inline ---- */

typedef struct weir_rows {
    int64_t row, count; /* in the batch */
    const weir_vector *columns;
    const weir_batch *batch;
} weir_rows;

WEIR_API weir_status weir_rows_open(const weir_dataset *dataset, const weir_query *query,
                                    weir_rows **out, weir_error *err);
WEIR_API bool weir_rows_refill(weir_rows *rows);
/* The next call of next goes to `row` of the dataset, or the first behind it that a filter lets
 * through. Reads no page more than it must. */
WEIR_API weir_status weir_rows_seek(weir_rows *rows, int64_t row, weir_error *err);
/* The column of that name in what comes out; -1: none, or several. Outside the loop. */
WEIR_API int weir_rows_column(const weir_rows *rows, const char *name);
WEIR_API const weir_schema *weir_rows_schema(const weir_rows *rows);
WEIR_API void weir_rows_stats(const weir_rows *rows, weir_stats *out);
WEIR_API void weir_rows_cancel(weir_rows *rows);
WEIR_API weir_status weir_rows_error(const weir_rows *rows, weir_error *err);
WEIR_API weir_status weir_rows_close(weir_rows *rows, weir_error *err);

/* false: the end, or trouble. */
WEIR_INLINE bool weir_rows_next(weir_rows *rows)
{
    return ++rows->row < rows->count || weir_rows_refill(rows);
}

#define WEIR_CHECK_CURSOR(rows)                                                  \
    WEIR_CHECK((rows)->batch && (rows)->row >= 0 && (rows)->row < (rows)->count, \
               "no row: before the first next, or past the end")

/* The row's number in the dataset. */
WEIR_INLINE int64_t weir_rows_number(const weir_rows *rows)
{
    WEIR_CHECK_CURSOR(rows);
    return weir_batch_number(rows->batch, rows->row);
}

#define WEIR_CHECK_COLUMN(rows, column) \
    WEIR_CHECK_CURSOR(rows);            \
    WEIR_CHECK((column) >= 0 && (size_t)(column) < (rows)->batch->column_count, "no such column")

WEIR_INLINE bool weir_rows_is_null(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_is_null(&rows->columns[column], rows->row);
}

WEIR_INLINE bool weir_rows_bool(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_bool(&rows->columns[column], rows->row);
}

WEIR_INLINE int32_t weir_rows_i32(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_i32s(&rows->columns[column])[rows->row];
}

WEIR_INLINE int64_t weir_rows_i64(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_i64s(&rows->columns[column])[rows->row];
}

WEIR_INLINE float weir_rows_f32(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_f32s(&rows->columns[column])[rows->row];
}

WEIR_INLINE double weir_rows_f64(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_f64s(&rows->columns[column])[rows->row];
}

WEIR_INLINE weir_view weir_rows_bytes(const weir_rows *rows, int column)
{
    WEIR_CHECK_COLUMN(rows, column);
    return weir_bytes(&rows->columns[column], rows->row);
}

/* Any value, also a struct, list or map: value.h goes on from there. Until the next row. */
WEIR_INLINE weir_item weir_rows_item(const weir_rows *rows, int column)
{
    weir_item item;

    WEIR_CHECK_COLUMN(rows, column);
    item = weir_vector_item(&rows->columns[column], rows->row);
#ifdef WEIR_CHECKED
    item.batch_now = &rows->batch;
    item.row_now = &rows->row;
    item.then = weir_rows_number(rows);
#endif
    return item;
}

/* The whole tree of the row: weir_value_visit of each column. */
WEIR_INLINE bool weir_rows_visit(const weir_rows *rows,
                                 bool (*visit)(void *user, const weir_visit *at), void *user)
{
    size_t i;

    WEIR_CHECK_CURSOR(rows);
    for (i = 0; i < rows->batch->column_count; i++)
        if (!weir_value_visit(&rows->columns[i], rows->row, visit, user))
            return false;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
