/* SPDX-License-Identifier: Apache-2.0
 * dictionary.h: a dictionary page as a weir_dictionary in the type that comes out: what
 * weir_span.shared points to. */
#ifndef WEIR_PARQUET_DICTIONARY_H
#define WEIR_PARQUET_DICTIONARY_H

#include "core/builder.h"
#include "formats/parquet/parquet.h"

/* Lies at the front of its own hold, which values, offsets and refusals follow. */
typedef struct weir_parquet_shared {
    weir_dictionary dictionary;
    weir_hold *hold;
} weir_parquet_shared;

/* A plain page of PLAIN values; one count of out->hold. */
weir_status weir_dictionary_read(const weir_parquet_leaf *leaf, const weir_target *target,
                                 const weir_page *page, weir_work *work, weir_parquet_shared **out,
                                 weir_error *err);

#endif
