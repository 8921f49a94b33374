/* SPDX-License-Identifier: Apache-2.0
 * shape.h: picks of a list, map or struct that take the shape alone (form SHAPE): one leaf below it
 * tells it, and what lies between the two is not built. */
#ifndef WEIR_READERS_SHAPE_H
#define WEIR_READERS_SHAPE_H

#include "readers/plan.h"

/* Marks in `shapes`, a byte a field of the result, those of column `column` that come without their
 * children. `kept`: what the choice keeps of the dataset's column; NULL: all of it. */
void weir_shape_mark(const weir_choice *choice, const weir_schema *origin,
                     const weir_schema *result, int32_t column, uint8_t *shapes);
/* Leaves one target below each such field, the cheapest to read in this file, and ends its path
 * there. Of the others nothing is read. */
weir_status weir_shape_choose(weir_opened *opened, weir_error *err);

#endif
