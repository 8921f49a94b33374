/* SPDX-License-Identifier: Apache-2.0
 * schema.h: building the tree of fields; data.h has what users see of it. */
#ifndef WEIR_CORE_SCHEMA_H
#define WEIR_CORE_SCHEMA_H

#include "core/arena.h"
#include <weir/data.h>

/* Columns by hash of name: chains in order of index. Made by seal. */
typedef struct weir_name_index {
    int32_t *heads; /* `mask` + 1 of them; -1: none */
    int32_t *next;  /* by column; -1: none */
    uint32_t mask;
} weir_name_index;

struct weir_schema {
    _Atomic(int32_t) refs;
    weir_arena arena; /* names and fields */
    weir_field *fields;
    int32_t *leaves;  /* field index by leaf */
    int32_t *columns; /* field index by column */
    int32_t field_count, field_room, leaf_count, column_count;
    weir_name_index by_name, by_any_case;
};

/* A schema with room for `room` fields at first; it grows past them. One count. */
weir_status weir_schema_open(int32_t room, weir_schema **out, weir_error *err);
/* Appends a copy of `field` under `parent` (-1: it is the root), after its siblings: parents come
 * before children, depth first. Copies the names; sets index, parent, links, column; leaf and
 * counts are set by weir_schema_seal. */
weir_status weir_schema_append(weir_schema *schema, int32_t parent, const weir_field *field,
                               weir_error *err);
/* Numbers leaves and columns; nothing is appended afterwards. */
weir_status weir_schema_seal(weir_schema *schema, weir_error *err);
weir_schema *weir_schema_keep(const weir_schema *schema);
void weir_schema_release(const weir_schema *schema);
/* Two fields mean the same: physical type, width, logical type and its parameters; repetition,
 * name and id don't matter. */
bool weir_field_same(const weir_field *a, const weir_field *b);
/* "int64", "timestamp(us, UTC)", "decimal(10,2) on fixed 5": for messages and tables. */
size_t weir_field_describe(const weir_field *field, char *out, size_t room);
/* Columns whose name equals, or, where any_case, equals without regard to ASCII case: first index
 * at or after `from`, -1: none. */
int32_t weir_schema_find(const weir_schema *schema, weir_view name, bool any_case, int32_t from);

#endif
