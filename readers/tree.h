/* SPDX-License-Identifier: Apache-2.0
 * tree.h: columns that are trees: a subtree of one schema as a column of another, a file's subtree
 * held against it, and the way from the column down to each leaf. */
#ifndef WEIR_READERS_TREE_H
#define WEIR_READERS_TREE_H

#include "core/arena.h"
#include "core/builder.h"
#include "core/schema.h"

/* Whether a column is more than one leaf of its own. */
bool weir_field_is_nested(const weir_field *field);
/* Appends the subtree under column `from` (a field) of `origin` to `out`, below its root; `root`
 * stands in for its first field. `keep`: a byte a field of the subtree, 0 leaves it out; NULL: all.
 */
weir_status weir_tree_append(weir_schema *out, const weir_schema *origin, int32_t from,
                             const weir_field *root, const uint8_t *keep, weir_error *err);
/* Finds each leaf of column `wanted` (a field) of the result under column `found` of the file:
 * structs by name, lists and maps by place. `origin` is the column of the dataset that the result's
 * was made from, with `keep` as weir_tree_append had it. `targets` are those of the result's
 * leaves, by leaf. MISMATCH says where the two part. Sets from, field, cast (none) and path. */
typedef struct weir_match {
    const weir_schema *result, *dataset, *file;
    int32_t wanted, origin, found;
    const uint8_t *keep;
    bool any_case; /* names of a struct's fields */
    weir_arena *arena;
    weir_target *targets;
} weir_match;
weir_status weir_tree_match(const weir_match *match, weir_error *err);

#endif
