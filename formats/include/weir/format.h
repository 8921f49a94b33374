/* SPDX-License-Identifier: Apache-2.0
 * format.h: what a front-end is: the functions that turn a file into schema, groups, spans, pages
 * and vectors. They get everything they may touch as arguments and keep no statics. Not installed:
 * ours alone until several formats have shaped it. */
#ifndef WEIR_FORMAT_H
#define WEIR_FORMAT_H

#include "core/builder.h"
#include "core/page.h"
#include "core/source.h"
#include <weir/data.h>
#include <weir/inform.h>

typedef struct weir_format weir_format;

/* An open file; frozen after open. The reader makes it, the format fills it. */
typedef struct weir_file {
    const weir_format *format;
    weir_source *source;              /* borrowed from the reader, as long as the file */
    const weir_codecs_finder *finder; /* borrowed, as long as the file */
    uint32_t flags;                   /* weir_options.flags */
    const int64_t *tags;              /* groups with one of them are all there are; borrowed */
    size_t tag_count;                 /* 0: every group is */
    weir_arena arena;                 /* metadata; freed with the file */
    weir_schema *schema;              /* set by open; one count, the reader lets go */
    weir_schema *written;             /* the same, as it is in the file; NULL: no other */
    int64_t row_count, group_count;   /* set by open */
    const weir_error *trouble;        /* what follows the last group and can't be read; in the
                                         arena; NULL: nothing does */
    void *own;                        /* the format's */
} weir_file;

/* Which rows are given out: those that pass each test that is set. Frozen. */
typedef struct weir_filter {
    const uint32_t *tags; /* the row's tag is one of them */
    size_t tag_count;
    uint32_t tag_mask;      /* or not 0: it has one of these bits */
    const int32_t *present; /* columns of the file's schema, none of which is null in the row */
    size_t present_count;
} weir_filter;

/* What one reader wants of one file. Frozen. */
typedef struct weir_want {
    const weir_target *targets; /* one a column of the result */
    size_t count;
    int64_t from;              /* first row wanted, in the file: lets enter skip to it */
    const weir_filter *filter; /* NULL: every row is given out */
} weir_want;

/* Rows that stand alone: a row group. */
typedef struct weir_group {
    const weir_file *file;
    const weir_want *want;
    int64_t first_row, row_count; /* in the file */
    uint64_t offset, size;        /* where its bytes lie: splits, progress */
    int64_t ordinal;
    void *own; /* the format's: set by enter, freed by leave */
} weir_group;

enum {
    WEIR_SPAN_ANY_ROW = 1
}; /* pages say their rows and decode alone: several cursors may run */

/* The wanted columns that share pages, over one group: in Parquet, one column. */
typedef struct weir_span {
    const weir_group *group;
    const int32_t *columns; /* indexes into want->targets; column_count vectors come out */
    uint32_t column_count, flags;
    uint64_t offset, size; /* its bytes: where windows begin and end */
    void *shared;          /* set by share before any cursor is fed; then frozen */
    void *own;
} weir_span;

typedef struct weir_cursor {
    weir_span *span;
    int64_t row; /* next row to come out, in the group */
    int64_t to;  /* where a filter stands: rows from here on aren't looked at */
    bool hungry; /* decode or skip stopped for want of a page: feed it. Begins true. */
    bool ended;  /* END was fed and all rows came out */
    void *own;
} weir_cursor;

struct weir_format {
    const char *name;
    const char *group_word; /* what a group is called there: "row group" */
    bool has_tags;          /* groups have tags: weir_file.tags counts */
    bool has_filter;        /* rows have tags: weir_want.filter counts; a group is one span */
    /* Whether the bytes are this format's, by what stands at their ends. */
    weir_status (*probe)(weir_source *source, bool *is_it, weir_error *err);

    /* Reads what describes the file. On failure close is still called. */
    weir_status (*open)(weir_file *file, weir_memory *memory, weir_error *err);
    void (*close)(weir_file *file);
    /* NULL: column `column` of the file's schema can be read; else why not ("nested"). */
    const char *(*refusal)(const weir_file *file, int32_t column);

    /* Group `index`, from metadata alone; file and want are set by the caller. */
    void (*group)(const weir_file *file, int64_t index, weir_group *out);
    /* Makes the group's spans, one or more targets each (targets without `from` have none), in the
     * order of their lowest target; with a filter one, even of no target. May read what they share
     * (offset index). A span that can't be entered fails the group with the column in the text. */
    weir_status (*enter)(weir_group *group, weir_work *work, weir_span **spans, size_t *count,
                         weir_error *err);
    void (*leave)(weir_group *group, weir_span *spans, size_t count);

    /* Replaces `page` by the one after it (a zeroed one: the first) that may hold a row >= from.
     * Reads headers through `window`, no bodies. Depends on its arguments alone: runs ahead of
     * decode, on any thread. */
    weir_status (*scan)(const weir_span *span, int64_t from, weir_page *page, weir_window *window,
                        weir_error *err);
    /* Keeps a plain SHARED page in the span. Once, before any cursor of the span is fed. Takes its
     * own count of page->hold if it needs it. */
    weir_status (*share)(weir_span *span, const weir_page *page, weir_work *work, weir_error *err);

    weir_status (*start)(weir_cursor *cursor, weir_error *err); /* at row cursor->row */
    void (*stop)(weir_cursor *cursor);
    /* Gives the next plain page; the cursor takes over the count of page->hold, on success and
     * failure; END: there are no more. Not hungry afterwards. */
    weir_status (*feed)(weir_cursor *cursor, const weir_page *page, weir_work *work,
                        weir_error *err);
    /* Appends rows to `out` (column_count builders) until a builder is full, a page is wanted
     * (hungry), the end (ended), or trouble. cursor->row counts the rows that are whole in all
     * columns, also when it fails. With a filter, rows that pass it are appended alone, cursor->row
     * counts the others too and stops at cursor->to, and one more builder, out[column_count], gets
     * the numbers of the rows in the group, as I64. */
    weir_status (*decode)(weir_cursor *cursor, weir_builder *out, weir_work *work, weir_error *err);
    /* The same with nothing coming out, up to row `to`. */
    weir_status (*skip)(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err);

    /* What the file says of itself: see weir.h. From what open read: the source may be at rest. */
    void (*inform)(const weir_file *file, weir_file_info *out);
    void (*inform_group)(const weir_file *file, int64_t group, weir_group_info *out);
    weir_status (*inform_chunk)(const weir_file *file, int64_t group, int32_t leaf,
                                weir_chunk_info *out, weir_error *err);
    weir_status (*describe)(const weir_file *file, bool (*visit)(void *user, const weir_fact *),
                            void *user, weir_error *err);
};

#endif
