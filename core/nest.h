/* SPDX-License-Identifier: Apache-2.0
 * nest.h: the columns above a nested leaf, built from its levels (Dremel's striping undone): the
 * offsets and validity of every list, map and struct on the way from the column to the leaf. Each
 * leaf of a column builds them for itself; stage.c joins those of one column and compares them. */
#ifndef WEIR_CORE_NEST_H
#define WEIR_CORE_NEST_H

#include "core/hold.h"
#include "core/work.h"
#include <weir/data.h>

enum {
    WEIR_NEST_LEVELS = 254,      /* the largest level that is read: lists and nulls on the way */
    WEIR_NEST_SLICE = WEIR_SLICE /* levels added at once */
};

/* A list, map or struct on the way. Slots lie in a scope: 0 is the rows, k the elements of the
 * k-th list or map from the top. */
typedef struct weir_nest_node {
    const weir_field *field; /* of the result */
    weir_type type;          /* STRUCT, LIST or MAP */
    uint8_t scope;           /* of its slots; a list's elements are scope + 1 */
    uint8_t present;         /* definition level from which on it is not null */
    bool is_nullable;
} weir_nest_node;

/* The way to one leaf. Frozen; repetition level k means: goes on in the k-th list. */
typedef struct weir_path {
    const weir_nest_node *nodes; /* from the column down; the leaf is not among them */
    uint32_t count;
    uint8_t scopes;       /* lists and maps above the leaf */
    uint8_t leaf_present; /* definition level of a value: the leaf's maximum */
    bool is_shape;        /* nothing is built below the last node, which comes without children */
    uint8_t hidden;       /* scopes below it, then */
    /* Definition level from which on scope k has an element; [0] is 0: rows are always there. */
    uint8_t exists[WEIR_NEST_LEVELS + 1];
} weir_path;

typedef struct weir_nest_column { /* of one node */
    weir_hold *hold;
    uint8_t *validity; /* meaningful once nulls > 0, and always kept while nullable */
    int32_t *offsets;
    int64_t slots, nulls, room;
} weir_nest_column;

typedef struct weir_nest {
    const weir_path *path;
    weir_hold *hold; /* of the columns below */
    weir_nest_column *columns;
    int64_t elements[WEIR_NEST_LEVELS + 1]; /* by scope, so far */
    uint8_t last_definition;
    bool has_levels; /* last_definition is one */
} weir_nest;

/* What a run of levels says of the leaf. */
typedef struct weir_nest_leaf {
    int64_t slots, values;
    uint8_t *present; /* a bit a slot; WEIR_NEST_SLICE bits and WEIR_SLACK bytes of room */
} weir_nest_leaf;

/* Ends the path at node `last`, of which the shape alone is to be built. */
void weir_path_end(weir_path *path, uint32_t last);
weir_status weir_nest_init(weir_nest *nest, const weir_path *path, weir_work *work,
                           weir_error *err);
void weir_nest_fini(weir_nest *nest);
/* NULL, or why these levels can't be: above the maximum, a repetition inside what is null or
 * empty. `before` is the definition level before them, -1: there is none in this row group. */
const char *weir_nest_check(const weir_path *path, const weir_kernels *kernels,
                            const uint8_t *repetition, const uint8_t *definition, size_t count,
                            int before);
/* Adds at most WEIR_NEST_SLICE levels, which were checked; both have WEIR_SLACK readable bytes
 * past their end. LIMIT past 2^31 - 1 elements. */
weir_status weir_nest_add(weir_nest *nest, weir_work *work, const uint8_t *repetition,
                          const uint8_t *definition, size_t count, weir_nest_leaf *leaf,
                          weir_error *err);
/* Adds `rows` rows, whose lists are known, to a way of one list, with nothing that can be null
 * below it: list i has lengths[i] elements, -1: it is null. `*elements` of the leaf's slots are
 * theirs. LIMIT as above. */
weir_status weir_nest_add_lists(weir_nest *nest, weir_work *work, const int32_t *lengths,
                                int64_t rows, int64_t *elements, weir_error *err);
/* Makes the lists those of `leader`, which has the same way: another leaf of the same structs.
 * Nothing is copied; both are of one builder's batch, and the leader alone is added to. */
void weir_nest_follow(weir_nest *nest, const weir_nest *leader);
/* Adds `count` levels of which each begins a row, and reaches the leaf: nothing is null or empty,
 * and every list has one element. */
weir_status weir_nest_add_whole(weir_nest *nest, weir_work *work, size_t count,
                                weir_nest_leaf *leaf, weir_error *err);
/* Goes back to the first `rows` rows; the slots of the leaf that remain. */
int64_t weir_nest_cut(weir_nest *nest, const weir_work *work, int64_t rows);
/* Bytes in use. */
size_t weir_nest_bytes(const weir_nest *nest);
/* Elements of the list with the most. */
int64_t weir_nest_most(const weir_nest *nest);
/* The vectors of the way, the column's first, one a node, then room for the leaf's, which the
 * caller fills unless the path is a shape's: `out` is in a hold that keeps all the others, and
 * `leaf_hold`, which it takes. */
weir_status weir_nest_finish(weir_nest *nest, weir_work *work, weir_hold *leaf_hold,
                             weir_vector **out, weir_hold **hold, weir_error *err);

#endif
