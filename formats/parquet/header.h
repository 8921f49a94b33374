/* SPDX-License-Identifier: Apache-2.0
 * header.h: a PageHeader as it is written, decoded in place. */
#ifndef WEIR_PARQUET_HEADER_H
#define WEIR_PARQUET_HEADER_H

#include "formats/parquet/meta.h"

enum { /* PageType */
    WEIR_PARQUET_DATA_PAGE = 0,
    WEIR_PARQUET_INDEX_PAGE = 1,
    WEIR_PARQUET_DICTIONARY_PAGE = 2,
    WEIR_PARQUET_DATA_PAGE_V2 = 3
};

typedef struct weir_parquet_header { /* -1: not said, but for crc */
    int32_t type, plain_size, packed_size, crc;
    bool has_crc, has_data, has_dictionary, has_data_v2;
    bool is_compressed;            /* v2; true unless it is said */
    int32_t value_count, encoding; /* of the struct that `type` asks for */
    int32_t definition_encoding, repetition_encoding;
    int32_t null_count, row_count, definition_size, repetition_size;
} weir_parquet_header;

/* The fields of the struct that `in` stands in, up to its end; trouble is in->why. */
void weir_parquet_header_read(weir_compact *in, weir_parquet_header *out);

#endif
