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

#endif
