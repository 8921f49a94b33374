/* SPDX-License-Identifier: Apache-2.0
 * brotli.c: Brotli (RFC 7932) by libbrotlidec: one stream. */
#include <brotli/decode.h>
#include <stdio.h>
#include <weir/codec.h>

/* The library gives a number; the words for it are the calling thread's, so that two can ask. */
static const char *brotli_version(void)
{
    static _Thread_local char text[24];
    const uint32_t version = BrotliDecoderVersion(); /* 8 bits major, 12 minor, 12 patch */

    snprintf(text, sizeof text, "%u.%u.%u", version >> 24, version >> 12 & 0xfff, version & 0xfff);
    return text;
}

/* The decoder can't be reset, so each call makes one. */
static int brotli_decompress(void *state, weir_codec_job *job)
{
    BrotliDecoderState *const brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    const uint8_t *src = job->src;
    size_t src_left = job->src_size, dst_left = job->dst_size;
    uint8_t *dst = job->dst;
    BrotliDecoderResult result;
    int code;

    (void)state;
    if (!brotli)
        return WEIR_CODEC_NO_MEMORY;
    result = BrotliDecoderDecompressStream(brotli, &src_left, &src, &dst_left, &dst, NULL);
    job->written = job->dst_size - dst_left;
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        code = src_left == 0 ? WEIR_CODEC_OK : WEIR_CODEC_CORRUPT;
        snprintf(job->text, job->text_size, "%zu bytes after the stream's end", src_left);
        break;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        code = WEIR_CODEC_CORRUPT;
        snprintf(job->text, job->text_size, "the stream is cut short");
        break;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        code = WEIR_CODEC_SHORT;
        snprintf(job->text, job->text_size, "more comes out than there is room for");
        break;
    default:
        code = WEIR_CODEC_CORRUPT;
        snprintf(job->text, job->text_size, "%s",
                 BrotliDecoderErrorString(BrotliDecoderGetErrorCode(brotli)));
        break;
    }
    BrotliDecoderDestroyInstance(brotli);
    return code;
}

static const weir_codec brotli = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "brotli",
    .version = brotli_version,
    .wire_ids = (const weir_wire_id[]){ { "parquet", 4 }, { NULL, 0 } },
    .decompress = brotli_decompress,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &brotli, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
