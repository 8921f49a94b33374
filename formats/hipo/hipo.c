/* SPDX-License-Identifier: Apache-2.0
 * hipo.c: the HIPO front-end's functions, in one table. */
#include "formats/hipo/hipo.h"

extern const weir_format weir_format_hipo;

const weir_format weir_format_hipo = {
    .name = "hipo",
    .group_word = "record",
    .has_tags = true,
    .has_filter = true,
    .probe = weir_hipo_probe,
    .open = weir_hipo_open,
    .close = weir_hipo_close,
    .refusal = weir_hipo_refusal,
    .group = weir_hipo_group,
    .enter = weir_hipo_enter,
    .leave = weir_hipo_leave,
    .scan = weir_hipo_scan,
    .start = weir_hipo_start,
    .stop = weir_hipo_stop,
    .feed = weir_hipo_feed,
    .decode = weir_hipo_decode,
    .skip = weir_hipo_skip,
    .inform = weir_hipo_inform,
    .inform_group = weir_hipo_inform_group,
    .inform_chunk = weir_hipo_inform_chunk,
    .describe = weir_hipo_describe,
};
