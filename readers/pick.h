/* SPDX-License-Identifier: Apache-2.0
 * pick.h: which columns a caller means, and what of them: by name, by glob, by path, by index. */
#ifndef WEIR_READERS_PICK_H
#define WEIR_READERS_PICK_H

#include "readers/dataset.h"

typedef struct weir_choice { /* a column of the result */
    int32_t column;          /* in the dataset's schema */
    int32_t occurrence;      /* the how-manieth of its name there */
    weir_type as;
    uint32_t forms;
    uint8_t *keep; /* a byte a field of its tree, see path.h; NULL: all of it. Own. */
} weir_choice;

/* The one column of that name: BAD_CALL when there is none or there are several. */
weir_status weir_column_find(const weir_schema *schema, const char *name, bool any_case,
                             int32_t *out, weir_error *err);
/* Picks to columns, globs expanded, in the picks' order; none: all. Paths into one column make one
 * choice, at the place of the first. */
weir_status weir_picks_expand(const weir_dataset *dataset, const weir_pick *picks, size_t count,
                              weir_choice **out, size_t *out_count, weir_error *err);
void weir_choices_free(weir_choice *all, size_t count);

#endif
