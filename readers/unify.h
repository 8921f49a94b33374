/* SPDX-License-Identifier: Apache-2.0
 * unify.h: one schema for files that differ: types are widened, missing columns are null. */
#ifndef WEIR_READERS_UNIFY_H
#define WEIR_READERS_UNIFY_H

#include "readers/dataset.h"

/* Reads all footers, in parallel, and sets the dataset's schema: the first file's columns, then
 * those that later files add, in the order in which they are met. A column for which the files
 * have no common type stays in, with the reason in dataset->clashes: a pick may name a type. */
weir_status weir_dataset_unify(weir_dataset *dataset, weir_error *err);

#endif
