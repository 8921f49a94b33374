/* SPDX-License-Identifier: Apache-2.0
 * good.c: a plugin that keeps the ABI, built several times: NAME and IDS are its own. Says in the
 * environment that it was opened. */
#include <stdlib.h>
#include <string.h>
#include <weir/codec.h>

static const char *good_version(void)
{
    return "7.1";
}

static int good_decompress(void *state, weir_codec_job *job)
{
    (void)state;
    if (job->src_size > job->dst_size)
        return WEIR_CODEC_SHORT;
    if (job->src_size > 0)
        memcpy(job->dst, job->src, job->src_size);
    job->written = job->src_size;
    return WEIR_CODEC_OK;
}

/* As a later release would have it: longer, with the first fields where they are. */
static const struct {
    weir_codec codec;
    void *later[4];
} good = { .codec = { .abi = WEIR_CODEC_ABI,
                      .size = sizeof good,
                      .name = NAME,
                      .version = good_version,
                      .wire_ids = (const weir_wire_id[]){ IDS, { NULL, 0 } },
                      .decompress = good_decompress } };

__attribute__((constructor)) static void say(void)
{
    setenv("TEST_PLUGIN_OPENED", NAME, 1);
}

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &good.codec, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
