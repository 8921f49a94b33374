/* SPDX-License-Identifier: Apache-2.0
 * path.h: dotted paths into a column's tree: what a pick wants of it. */
#ifndef WEIR_READERS_PATH_H
#define WEIR_READERS_PATH_H

#include "core/arena.h"
#include <weir/data.h>

/* A name, or a glob, for one level. Names are as weir_schema_path writes them. */
typedef struct weir_path_step {
    weir_view name; /* escapes taken out */
    weir_view glob; /* as it was written; empty: it is none */
} weir_path_step;

typedef struct weir_path_steps {
    weir_path_step *at;
    size_t count;
} weir_path_steps;

/* Splits at the dots that aren't escaped. Memory is the arena's. */
weir_status weir_path_read(const char *path, weir_arena *arena, weir_path_steps *out,
                           weir_error *err);
/* Whether a name is what the step says. */
bool weir_path_step_fits(const weir_path_step *step, weir_view name, bool any_case);
/* How many fields the tree of `column` has; they follow it in the schema. */
int32_t weir_subtree_count(const weir_schema *schema, const weir_field *column);
enum {
    WEIR_KEEP = 1, /* wanted */
    WEIR_END = 2   /* what a path says, with all below it */
};

/* Marks in `keep` (a byte a field of the subtree) what the steps after the first mean below
 * `column`, which the first one fits: whole subtrees, and what lies above them; of a map, its key.
 * Lists and maps on the way may be named as the file has them, as they are understood, or not at
 * all; the longer form comes first. `*any` whether there is something. */
weir_status weir_path_mark(const weir_path_steps *steps, const weir_schema *schema,
                           const weir_field *column, bool any_case, uint8_t *keep, bool *any,
                           weir_error *err);

#endif
