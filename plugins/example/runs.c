/* SPDX-License-Identifier: Apache-2.0
 * runs.c: a whole plugin for weir. Its codec packs runs of equal bytes as pairs { count, byte },
 * and Parquet files name it by the id 99, which nobody else has. */
#include <stdio.h>
#include <string.h>
#include <weir/codec.h>

static int runs_decompress(void *state, weir_codec_job *job)
{
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < job->src_size; i += 2) {
        const size_t count = job->src[i];

        if (i + 1 == job->src_size || count == 0) {
            snprintf(job->text, job->text_size, "bad run at byte %zu", i);
            return WEIR_CODEC_CORRUPT;
        }
        if (count > job->dst_size - at)
            return WEIR_CODEC_SHORT;
        memset(job->dst + at, job->src[i + 1], count);
        at += count;
    }
    job->written = at;
    return WEIR_CODEC_OK;
}

/* May be left out: how much comes out, so that no page claims memory that it doesn't fill. */
static uint64_t runs_room(void *state, const weir_codec_job *job)
{
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < job->src_size; i += 2)
        sum += job->src[i];
    return sum;
}

static const weir_wire_id runs_ids[] = { { "parquet", 99 }, { NULL, 0 } };

static const weir_codec runs = { .abi = WEIR_CODEC_ABI,
                                 .size = sizeof runs,
                                 .name = "runs",
                                 .wire_ids = runs_ids,
                                 .decompress = runs_decompress,
                                 .room = runs_room };

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &runs, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
