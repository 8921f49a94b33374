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
/* Appends the subtree under field `from` of `origin` to `out`, below its root; `root` stands in for
 * its first field. */
weir_status weir_tree_append(weir_schema *out, const weir_schema *origin, int32_t from,
                             const weir_field *root, weir_error *err);
/* Finds each leaf of result field `wanted` under field `found` of the file: structs by name, lists
 * and maps by place. `targets` are those of the result's leaves, by leaf. MISMATCH says where the
 * two part. Sets from, field, cast (none) and path. */
weir_status weir_tree_match(const weir_schema *result, int32_t wanted, const weir_schema *file,
                            int32_t found, weir_arena *arena, weir_target *targets,
                            weir_error *err);

#endif
