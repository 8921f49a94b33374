/* SPDX-License-Identifier: Apache-2.0
 * builder.h: a vector being filled by decode: takes values, codes or nulls as they lie in a page
 * and settles them into what the pick accepts (gather, cast, spread over nulls). One owner at a
 * time. Flat types; a front-end appends slices of at most WEIR_SLICE rows. */
#ifndef WEIR_CORE_BUILDER_H
#define WEIR_CORE_BUILDER_H

#include "core/cast.h"
#include "core/hold.h"
#include "core/nest.h"
#include "core/work.h"
#include <weir/data.h>

/* One wanted column of one file: what it is there and what comes out. Frozen. */
typedef struct weir_target {
    const weir_field *from;  /* in the file; NULL: the file lacks it, all null */
    const weir_field *field; /* what comes out: name, type, logical type */
    const weir_path *path;   /* the lists, maps and structs above it; NULL: a flat column */
    weir_cast cast;
    uint32_t forms; /* 1 << WEIR_CODES, 1 << WEIR_ONE accepted; 1 << WEIR_SHAPE: shape alone */
} weir_target;

/* A dictionary page, decoded: PLAIN values of the target's type. Counted by `hold`, frozen. */
typedef struct weir_dictionary {
    weir_vector values;     /* rows entries, no nulls */
    const uint8_t *refused; /* a bit an entry that the cast refused; NULL: none */
    char why[120];          /* what the first refused entry was */
    size_t largest;         /* BYTES: the longest entry */
} weir_dictionary;

typedef struct weir_builder {
    const weir_target *target;
    weir_form form; /* settled by the first append */
    bool is_leaf;   /* of a nested one: rows are slots of the leaf */
    bool is_full;   /* a limit was met or the form would change: deliver what is there */
    bool is_lent;   /* `slab` is a page's, and `values` lie in it */
    int64_t rows, nulls;
    int64_t row_room; /* most rows */
    size_t byte_room; /* BYTES: stop once past, but not before one row */
    weir_hold *slab;  /* validity, offsets and values, in this order; NULL until an append */
    uint8_t *validity;
    int32_t *offsets;
    uint8_t *values;
    size_t bytes, room;                /* BYTES: used of values, and their room */
    const weir_dictionary *dictionary; /* CODES */
    weir_hold *dictionary_hold;
    struct weir_nested *nested; /* of a target with a path; see weir_builder_nested */
} weir_builder;

/* A nested column's builder: rows are counted by the builder, whole ones alone; what they hold is
 * built here. The last row may be unfinished until the next one begins. */
typedef struct weir_nested {
    weir_hold *self;
    weir_nest nest;
    weir_builder leaf; /* its rows are the leaf's slots; it has room for any number */
} weir_nested;

/* Empty, with room for `rows` rows; memory is taken by the first append. */
void weir_builder_init(weir_builder *builder, const weir_target *target, int64_t rows,
                       size_t bytes);
void weir_builder_fini(weir_builder *builder);

/* The appends below share a contract: `rows` <= WEIR_SLICE rows follow, `present` has a bit a row
 * (from bit 0; NULL: all present; it and
 * codes and values have WEIR_SLACK readable bytes past their end), `count` of them set; `done` says
 * how many rows went in whole, also on failure (then `done` is the row that failed). They may stop
 * early with OK when the builder is full; rows not taken are offered again by the next call, to
 * another builder. */

/* Fixed size and BOOL. Where `count` values of the file's type should be decoded to: in the vector
 * itself where nothing stands between, else scratch. BOOL: one byte a value, 0 or 1. There is room
 * for WEIR_SLACK bytes more. Never more than fits: ask weir_builder_left first. */
weir_status weir_builder_stage(weir_builder *builder, weir_work *work, bool has_nulls, int64_t rows,
                               void **out, weir_error *err);
/* `staged` (from weir_builder_stage) now holds `count` values. */
weir_status weir_builder_append(weir_builder *builder, weir_work *work, const void *staged,
                                int64_t rows, const uint8_t *present, int64_t count, int64_t *done,
                                weir_error *err);
/* Codes into `dictionary`, one a present row; each is checked against the dictionary's size. */
weir_status weir_builder_append_codes(weir_builder *builder, weir_work *work, const uint32_t *codes,
                                      int64_t rows, const uint8_t *present, int64_t count,
                                      const weir_dictionary *dictionary, weir_hold *dictionary_hold,
                                      int64_t *done, weir_error *err);
/* BYTES: one view a present row, into memory that can be read for WEIR_SLACK bytes more, as pages
 * and holds can. Also decimals stored as BYTES under a cast. */
weir_status weir_builder_append_views(weir_builder *builder, weir_work *work,
                                      const weir_view *views, int64_t rows, const uint8_t *present,
                                      int64_t count, int64_t *done, weir_error *err);
/* BYTES without a cast: values as they lie from `*at` on, each behind its length in four bytes
 * (Parquet's PLAIN); WEIR_SLACK bytes may be read past `end`. Stops also before a value that
 * reaches past `end`; `*at` goes behind what was taken. */
weir_status weir_builder_append_prefixed(weir_builder *builder, weir_work *work, const uint8_t **at,
                                         const uint8_t *end, int64_t rows, const uint8_t *present,
                                         int64_t *done, weir_error *err);
/* Rows of which only the shape is wanted, or all null (`present` not NULL, count 0). */
weir_status weir_builder_append_shape(weir_builder *builder, weir_work *work, int64_t rows,
                                      const uint8_t *present, int64_t count, int64_t *done,
                                      weir_error *err);
/* Room for `rows` more rows in a builder that is not limited: the leaf of a nested one. */
weir_status weir_builder_reserve(weir_builder *builder, weir_work *work, int64_t rows,
                                 weir_error *err);
/* Codes become the values that they stand for, so that plain ones may follow: the leaf of a nested
 * one, whose last row goes on where the dictionary ends. */
weir_status weir_builder_spell_out(weir_builder *builder, weir_work *work, weir_error *err);
/* What a target with a path is built in; made on first need. */
weir_status weir_builder_nested(weir_builder *builder, weir_work *work, weir_nested **out,
                                weir_error *err);
/* PLAIN values of 4 or 8 bytes, none of them null, as they lie in a page: an empty builder keeps
 * the page instead of a copy, and is full. False: it can't (it isn't empty, a cast stands between,
 * they aren't aligned). 64 readable bytes follow the values. */
bool weir_builder_lend(weir_builder *builder, const uint8_t *values, int64_t rows, weir_hold *page);
/* Where values of 8 bytes, of the target's type, go for the next `rows` rows, which fit; there is
 * room for WEIR_SLACK bytes more. NULL: this builder takes them otherwise. Nothing was taken until
 * weir_builder_placed tells that all are there, zeros where `present` (NULL: all present) has no
 * bit. */
weir_status weir_builder_place_64(weir_builder *builder, weir_work *work, uint64_t **out,
                                  weir_error *err);
void weir_builder_placed(weir_builder *builder, const weir_work *work, int64_t rows,
                         const uint8_t *present, int64_t count);
/* Whether a nested one has as many bytes as it should, or so many elements that offsets, which
 * count them in 31 bits, come near their end: where a row begins after that, the vector ends. */
bool weir_builder_is_past(const weir_builder *builder);
/* Rows it may still take. */
int64_t weir_builder_left(const weir_builder *builder);
/* Hands the vector over: `out` owns one count of each buffer through out->hold; the builder is
 * empty afterwards. */
weir_status weir_builder_finish(weir_builder *builder, weir_work *work, weir_vector *out,
                                weir_error *err);

#endif
