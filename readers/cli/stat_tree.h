/* SPDX-License-Identifier: Apache-2.0
 * stat_tree.h: the parts of nested columns that `weir stat` looks at: lists, structs, leaves. */
#ifndef WEIR_CLI_STAT_TREE_H
#define WEIR_CLI_STAT_TREE_H

#include "stat_column.h"

typedef struct stat_part {
    const weir_field *field;
    cli_out name;
    int32_t depth, place; /* below the column; among its parent's children */
    bool is_silent;       /* the entries of a map: only on the way */
} stat_part;

/* All of the columns picked, a column's own first, parents before children. Frozen. */
typedef struct stat_tree {
    stat_part *parts;
    size_t count;
    int32_t depth; /* of the deepest */
} stat_tree;

void stat_tree_init(stat_tree *tree, const cli_picks *picks);
void stat_tree_fini(stat_tree *tree);
/* Adds a batch to its columns, one a part. */
void stat_tree_add(const stat_tree *tree, stat_column *columns, const weir_batch *batch,
                   const stat_loops *loops);

#endif
