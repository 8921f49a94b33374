/* SPDX-License-Identifier: Apache-2.0
 * zstd.c: Zstandard (RFC 8878) by libzstd: one or more frames, skippable ones between them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <weir/codec.h>
#include <zstd.h>
#include <zstd_errors.h>

static void *zstd_alloc(void)
{
    return ZSTD_createDCtx();
}

static void zstd_free(void *state)
{
    ZSTD_freeDCtx(state);
}

/* What the frames say they hold; a frame that doesn't say makes it unknown. A block of 128 KB takes
 * 4 bytes at the least: what says more lies. */
static uint64_t zstd_room(void *state, const weir_codec_job *job)
{
    const uint64_t most = (uint64_t)job->src_size * 32768;
    size_t at = 0;
    uint64_t sum = 0;

    (void)state;
    while (at < job->src_size) {
        const unsigned long long size = ZSTD_getFrameContentSize(job->src + at, job->src_size - at);
        const size_t step = ZSTD_findFrameCompressedSize(job->src + at, job->src_size - at);

        if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
            ZSTD_isError(step) || __builtin_add_overflow(sum, size, &sum))
            return 0;
        at += step;
    }
    return sum < most ? sum : most;
}

/* The first bytes alone, a block of 128 KB at a time; false: not so, whatever the reason. A window
 * wider than 8 MB would take memory of its own. */
static bool zstd_begin(ZSTD_DCtx *state, weir_codec_job *job)
{
    ZSTD_inBuffer in = { job->src, job->src_size, 0 };
    ZSTD_outBuffer out = { job->dst, job->enough, 0 };
    bool is_good = !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only)) &&
                   !ZSTD_isError(ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, 23));

    while (is_good && out.pos < out.size && in.pos < in.size)
        is_good = !ZSTD_isError(ZSTD_decompressStream(state, &out, &in));
    ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
    job->written = out.pos;
    return is_good && out.pos == out.size;
}

static bool wants_begin(const weir_codec_job *job)
{
    return job->size >= offsetof(weir_codec_job, enough) + sizeof job->enough && job->enough > 0 &&
           job->enough <= job->dst_size && !job->dict;
}

static int zstd_decompress(void *state, weir_codec_job *job)
{
    if (wants_begin(job) && zstd_begin(state, job))
        return WEIR_CODEC_OK;

    const size_t n = ZSTD_decompress_usingDict(state, job->dst, job->dst_size, job->src,
                                               job->src_size, job->dict, job->dict_size);

    if (!ZSTD_isError(n)) {
        job->written = n;
        return WEIR_CODEC_OK;
    }
    snprintf(job->text, job->text_size, "%s", ZSTD_getErrorName(n));
    switch (ZSTD_getErrorCode(n)) {
    case ZSTD_error_dstSize_tooSmall:
        job->wanted = (size_t)zstd_room(state, job);
        return WEIR_CODEC_SHORT;
    case ZSTD_error_memory_allocation:
        return WEIR_CODEC_NO_MEMORY;
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_dictionary_wrong:
        return WEIR_CODEC_UNSUPPORTED;
    default:
        return WEIR_CODEC_CORRUPT;
    }
}

static const weir_codec zstd = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "zstd",
    .version = ZSTD_versionString,
    .wire_ids = (const weir_wire_id[]){ { "parquet", 6 }, { "hdf5", 32015 }, { "hipo", 4 }, { NULL, 0 } },
    .alloc = zstd_alloc,
    .free = zstd_free,
    .decompress = zstd_decompress,
    .room = zstd_room,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &zstd, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
