/* SPDX-License-Identifier: Apache-2.0
 * parquet.c: the Parquet front-end's functions, in one table. */
#include "formats/parquet/parquet.h"

static weir_status find_magic(weir_source *source, uint64_t offset, bool *is_there, weir_error *err)
{
    char magic[4];

    WEIR_TRY(weir_source_read(source, offset, magic, sizeof magic, err));
    *is_there =
        memcmp(magic, "PAR1", sizeof magic) == 0 || memcmp(magic, "PARE", sizeof magic) == 0;
    return WEIR_OK;
}

/* Either end will do: a file that was cut short deserves to be told so, and nothing that is read
 * depends on the magic at the front. */
static weir_status probe(weir_source *source, bool *is_it, weir_error *err)
{
    const uint64_t size = weir_source_size(source);

    *is_it = false;
    if (size < 4)
        return WEIR_OK;
    WEIR_TRY(find_magic(source, size - 4, is_it, err));
    return *is_it ? WEIR_OK : find_magic(source, 0, is_it, err);
}

extern const weir_format weir_format_parquet;

const weir_format weir_format_parquet = {
    .name = "parquet",
    .group_word = "row group",
    .probe = probe,
    .open = weir_parquet_open,
    .close = weir_parquet_close,
    .refusal = weir_parquet_refusal,
    .group = weir_parquet_group,
    .enter = weir_parquet_enter,
    .leave = weir_parquet_leave,
    .scan = weir_parquet_scan,
    .share = weir_parquet_share,
    .start = weir_parquet_start,
    .stop = weir_parquet_stop,
    .feed = weir_parquet_feed,
    .decode = weir_parquet_decode,
    .skip = weir_parquet_skip,
    .inform = weir_parquet_inform,
    .inform_group = weir_parquet_inform_group,
    .inform_chunk = weir_parquet_inform_chunk,
    .describe = weir_parquet_describe,
};
