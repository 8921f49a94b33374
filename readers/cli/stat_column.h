/* SPDX-License-Identifier: Apache-2.0
 * stat_column.h: what `weir stat` knows of one column after some batches. */
#ifndef WEIR_CLI_STAT_COLUMN_H
#define WEIR_CLI_STAT_COLUMN_H

#include "stat_loops.h"
#include "wide.h"

typedef enum stat_kind {
    STAT_PRESENCE, /* values and nulls alone */
    STAT_REAL,
    STAT_WHOLE, /* integers, decimals and times in 32 or 64 bits */
    STAT_BOOL,
    STAT_WIDE,   /* decimals in bytes */
    STAT_BYTES,  /* what only has an order */
    STAT_LENGTHS /* of lists and maps, as `whole` */
} stat_kind;

typedef struct stat_bytes { /* a value, kept */
    uint8_t *data;
    size_t size, room;
} stat_bytes;

typedef struct stat_column {
    stat_kind kind;
    int64_t rows, nulls;
    int64_t empty; /* LENGTHS: lists without elements */
    union {
        stat_real real;
        struct {
            cli_i128 sum;
            int64_t least, most; /* as stat_whole */
        } whole;
        int64_t trues;
        struct {
            cli_wide sum, least, most;
            bool is_set, is_lost; /* lost: a value beyond 256 bits */
        } wide;
        struct {
            stat_bytes least, most;
            bool is_set;
        } bytes;
    } as;
} stat_column;

stat_kind stat_kind_of(const weir_field *field);
void stat_column_begin(stat_column *column, stat_kind kind);
void stat_column_add(stat_column *column, const weir_vector *v, const stat_loops *loops);
void stat_column_merge(stat_column *into, const stat_column *from, const weir_field *field);
/* Lets go of what it owns. */
void stat_column_end(stat_column *column);

/* ---- stat_bytes.c: the kinds whose values are bytes; vectors may be codes ---- */

void stat_wide_add(stat_column *column, const weir_vector *v);
void stat_wide_merge(stat_column *into, const stat_column *from);
void stat_bytes_add(stat_column *column, const weir_vector *v);
void stat_bytes_merge(stat_column *into, const stat_column *from, const weir_field *field);

/* ---- stat_text.c ---- */

int64_t stat_values(const stat_column *column); /* nulls left out */
int64_t stat_nans(const stat_column *column);
/* Each puts what there is to say, or nothing and gives false: times have no sum, strings no mean.
 */
bool stat_put_bound(cli_out *out, const stat_column *column, const weir_field *field, bool is_least,
                    weir_text_style style);
bool stat_put_sum(cli_out *out, const stat_column *column, const weir_field *field,
                  weir_text_style style);
bool stat_put_mean(cli_out *out, const stat_column *column, const weir_field *field,
                   weir_text_style style);

#endif
