/* SPDX-License-Identifier: Apache-2.0
 * fuzz_header.c: any bytes as a page header. */
#include "formats/parquet/header.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_compact in;
    weir_parquet_header header;

    weir_compact_init(&in, data, size);
    weir_parquet_header_read(&in, &header);
    if (in.at < data || in.at > data + size)
        abort(); /* the walk left the bytes */
    return 0;
}
