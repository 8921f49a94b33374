/* SPDX-License-Identifier: Apache-2.0
 * nested.h: the cursor over a leaf that lies inside lists, maps or structs: the part of decode.c
 * for targets with a path. */
#ifndef WEIR_PARQUET_NESTED_H
#define WEIR_PARQUET_NESTED_H

#include "formats/parquet/parquet.h"

void weir_nested_stop(weir_cursor *cursor);
weir_status weir_nested_feed(weir_cursor *cursor, const weir_page *page, weir_work *work,
                             weir_error *err);
weir_status weir_nested_decode(weir_cursor *cursor, weir_builder *out, weir_work *work,
                               weir_error *err);
weir_status weir_nested_skip(weir_cursor *cursor, int64_t to, weir_work *work, weir_error *err);
/* Sets chunk->start to the last page that begins with a row, and with no later one than `row` of
 * the group: from there on the values are needed, before it the levels alone were. What can't be
 * read is told by who reads on from there. */
void weir_nested_find_start(weir_parquet_span *chunk, weir_source *source, int64_t row,
                            weir_work *work);

#endif
