/* SPDX-License-Identifier: Apache-2.0
 * shortest.h: the shortest text of a floating-point number that reads back to the same bits;
 * without locale and without printf. */
#ifndef WEIR_CORE_SHORTEST_H
#define WEIR_CORE_SHORTEST_H

#include <stddef.h>
#include <stdint.h>

enum {
    WEIR_SHORTEST_ROOM = 32
};

/* Terminated text and its length. Written as Python's repr does: 0.1, 1.0, 1e+16, 1e-05; NaN,
 * Infinity, -Infinity. Of the shortest texts, the one nearest to the number. */
size_t weir_f64_text(double value, char out[WEIR_SHORTEST_ROOM]);
size_t weir_f32_text(float value, char out[WEIR_SHORTEST_ROOM]);
/* IEEE 754 binary16. */
size_t weir_f16_text(uint16_t half, char out[WEIR_SHORTEST_ROOM]);

#endif
