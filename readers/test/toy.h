/* SPDX-License-Identifier: Apache-2.0
 * toy.h: a front-end for tests alone. Its files are made from a seed: groups of random size, three
 * shapes of span (plain pages; codes with a dictionary, and nulls; two columns in one page), pages
 * cut anywhere, faults planted in pages and at rows. What each row holds is known by its number, so
 * that every driver can be held against the truth. */
#ifndef WEIR_TEST_TOY_H
#define WEIR_TEST_TOY_H

#include <weir/format.h>

extern const weir_format weir_format_toy;

typedef struct toy {
    uint8_t *data;
    size_t size;
    int64_t rows;
    uint32_t pages;  /* dictionaries, too */
    uint64_t body;   /* where the first one lies */
    int64_t bad_row; /* -1: none */
    int bad_column;
} toy;

enum {
    TOY_A,
    TOY_B,
    TOY_C,
    TOY_D,
    TOY_COLUMNS
};

/* `faults` are planted; the lowest one by row, then by column, is noted. */
void toy_make(toy *out, uint64_t seed, int faults);
void toy_free(toy *made);

/* The truth of column `column` at `row` of the file made from `seed`. */
bool toy_is_null(uint64_t seed, int column, int64_t row);
int32_t toy_a(uint64_t seed, int64_t row);
int64_t toy_b(uint64_t seed, int64_t row);
double toy_c(uint64_t seed, int64_t row);
size_t toy_d(uint64_t seed, int64_t row, uint8_t out[64]);

uint64_t toy_mix(uint64_t x);

#endif
