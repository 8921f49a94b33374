/* SPDX-License-Identifier: Apache-2.0
 * digest.h: the stream of levels and values that `weir digest` sums, leaf by leaf. */
#ifndef WEIR_CLI_DIGEST_H
#define WEIR_CLI_DIGEST_H

#include "cli.h"
#include "crc.h"

typedef struct digest_leaf { /* of the fold's state */
    uint64_t bytes;          /* that went into the CRC */
    int64_t slots, nulls;    /* a slot: a pair of levels; a null: a slot without a value */
    uint32_t crc;
    bool is_confused; /* a null where the first file says there can't be one */
} digest_leaf;

/* ---- digest_levels.c: levels from the columns that the reader gives ---- */

/* What the levels of the slots are so far, on the way down from a column to its leaves. */
typedef struct digest_slots {
    int32_t *rows; /* in the vector one step down; -1: the way ends here, at a null or empty list */
    uint8_t *repetition, *definition;
    size_t count, room;
} digest_slots;

typedef struct digest_step { /* a field of the schema */
    int32_t depth;           /* of a column: 0 */
    int32_t place;           /* among its parent's children */
    uint8_t level;           /* repetition level of a list's or map's elements */
} digest_step;

/* Frozen: how to go down each column of a schema. */
typedef struct digest_plan {
    const weir_schema *schema;
    digest_step *steps; /* by index of the field */
    int32_t depth;      /* of the deepest */
} digest_plan;

/* A thread's own: by depth. */
typedef struct digest_scratch {
    digest_slots rows;   /* of the batch */
    digest_slots *slots; /* below each field on the way */
    const digest_slots **below;
    const weir_vector **vectors;
    bool *is_confused;
    int32_t depth;
} digest_scratch;

void digest_plan_init(digest_plan *plan, const weir_schema *schema);
void digest_plan_fini(digest_plan *plan);
digest_scratch *digest_scratch_open(const digest_plan *plan);
void digest_scratch_close(digest_scratch *scratch);
/* Adds a column to its leaves, which begin at `leaves`. */
void digest_add(digest_leaf *leaves, const weir_vector *v, const weir_field *column,
                const digest_plan *plan, digest_scratch *scratch, const cli_crc_table *table);

/* ---- digest_stream.c ---- */

/* A flat column: its rows are the slots. */
void digest_add_rows(digest_leaf *leaf, const weir_vector *v, int definition,
                     const cli_crc_table *table);
/* A leaf below a list, map or struct. `is_optional`: its nulls are one level less. */
void digest_add_slots(digest_leaf *leaf, const weir_vector *v, const digest_slots *slots,
                      bool is_optional, const cli_crc_table *table);

#endif
