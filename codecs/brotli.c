/* SPDX-License-Identifier: Apache-2.0
 * brotli.c: Brotli (RFC 7932) by libbrotlidec: one stream. */
#include <brotli/decode.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir/codec.h>

/* The library gives a number; the words for it are the calling thread's, so that two can ask. */
static const char *brotli_version(void)
{
    static _Thread_local char text[24];
    const uint32_t version = BrotliDecoderVersion(); /* 8 bits major, 12 minor, 12 patch */

    snprintf(text, sizeof text, "%u.%u.%u", version >> 24, version >> 12 & 0xfff, version & 0xfff);
    return text;
}

enum {
    SPARE_LIMIT = 16
};

/* A block that the decoder has, or had: it can't be reset, so each page makes one anew, from the
 * memory of those before. */
typedef struct brotli_block {
    alignas(16) struct brotli_block *next; /* the bytes follow */
    size_t size;
} brotli_block;

typedef struct brotli_state {
    brotli_block *spare;
    int spare_count;
} brotli_state;

/* The first spare block that is large enough and not far too large, else a fresh one. */
static void *brotli_take(void *opaque, size_t size)
{
    brotli_state *const state = opaque;
    brotli_block *block;

    for (brotli_block **link = &state->spare; *link; link = &(*link)->next) {
        block = *link;
        if (block->size >= size && block->size / 4 <= size) {
            *link = block->next;
            state->spare_count--;
            return block + 1;
        }
    }
    if (size > SIZE_MAX - sizeof *block || !(block = malloc(sizeof *block + size)))
        return NULL;
    block->size = size;
    return block + 1;
}

static void brotli_give(void *opaque, void *address)
{
    brotli_state *const state = opaque;
    brotli_block *const block = address ? (brotli_block *)address - 1 : NULL;

    if (block && state->spare_count < SPARE_LIMIT) {
        block->next = state->spare;
        state->spare = block;
        state->spare_count++;
    } else {
        free(block);
    }
}

static void *brotli_alloc(void)
{
    return calloc(1, sizeof(brotli_state));
}

static void brotli_free(void *opaque)
{
    brotli_state *const state = opaque;

    while (state && state->spare) {
        brotli_block *const block = state->spare;

        state->spare = block->next;
        free(block);
    }
    free(state);
}

static int brotli_error(BrotliDecoderErrorCode error, weir_codec_job *job)
{
    snprintf(job->text, job->text_size, "%s", BrotliDecoderErrorString(error));
    return error <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                   error >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES
               ? WEIR_CODEC_NO_MEMORY
               : WEIR_CODEC_CORRUPT;
}

static int brotli_decompress(void *state, weir_codec_job *job)
{
    BrotliDecoderState *const brotli = BrotliDecoderCreateInstance(brotli_take, brotli_give, state);
    const uint8_t *src = job->src;
    size_t src_left = job->src_size, dst_left = job->dst_size;
    uint8_t *dst = job->dst;
    BrotliDecoderResult result;
    int code;

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
        code = brotli_error(BrotliDecoderGetErrorCode(brotli), job);
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
    .alloc = brotli_alloc,
    .free = brotli_free,
    .decompress = brotli_decompress,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &brotli, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
