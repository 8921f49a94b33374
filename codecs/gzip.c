/* SPDX-License-Identifier: Apache-2.0
 * gzip.c: gzip members (RFC 1952) and zlib streams (RFC 1950), one or several. libdeflate inflates
 * them, two to three times as fast as zlib; what it refuses zlib judges, which also has words for
 * what is wrong. */
#include <libdeflate.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/codec.h>
#include <zlib.h>

typedef struct gzip_state {
    struct libdeflate_decompressor *deflate;
    z_stream zlib;
    bool has_zlib; /* made on first need */
} gzip_state;

/* The part of src and dst that is left, and that one member has used of it. */
typedef struct gzip_part {
    const uint8_t *src;
    size_t src_size;
    uint8_t *dst;
    size_t dst_size;
    size_t taken, written;
} gzip_part;

static void *gzip_alloc(void)
{
    gzip_state *const state = calloc(1, sizeof *state);

    if (state)
        state->deflate = libdeflate_alloc_decompressor();
    if (state && !state->deflate) {
        free(state);
        return NULL;
    }
    return state;
}

static void gzip_free(void *opaque)
{
    gzip_state *const state = opaque;

    if (!state)
        return;
    if (state->has_zlib)
        inflateEnd(&state->zlib);
    libdeflate_free_decompressor(state->deflate);
    free(state);
}

static uInt gzip_clamp(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

static int gzip_zlib_result(int result, const z_stream *zlib, weir_codec_job *job)
{
    const char *text = zlib->msg;
    int code = WEIR_CODEC_CORRUPT;

    switch (result) {
    case Z_STREAM_END:
        return WEIR_CODEC_OK;
    case Z_MEM_ERROR:
        return WEIR_CODEC_NO_MEMORY;
    case Z_NEED_DICT:
        text = "the stream needs a preset dictionary";
        code = WEIR_CODEC_UNSUPPORTED;
        break;
    case Z_OK:
    case Z_BUF_ERROR: /* no progress: one of the two is used up */
        if (zlib->avail_in == 0) {
            text = "the stream is cut short";
        } else {
            text = "more comes out than there is room for";
            code = WEIR_CODEC_SHORT;
        }
        break;
    default:
        break;
    }
    snprintf(job->text, job->text_size, "%s", text ? text : "bad stream");
    return code;
}

/* One member by zlib, whose counts are 32 bits wide. */
static int gzip_zlib_member(gzip_state *state, gzip_part *part, weir_codec_job *job)
{
    z_stream *const zlib = &state->zlib;
    int result = Z_OK;

    if (!state->has_zlib && inflateInit2(zlib, MAX_WBITS + 32) != Z_OK) /* 32: either header */
        return WEIR_CODEC_NO_MEMORY;
    state->has_zlib = true;
    inflateReset(zlib);
    zlib->msg = NULL;
    part->taken = part->written = 0;
    do {
        const uInt in = gzip_clamp(part->src_size - part->taken);
        const uInt out = gzip_clamp(part->dst_size - part->written);

        zlib->next_in = (Bytef *)(uintptr_t)(part->src + part->taken); /* zlib lacks a const */
        zlib->avail_in = in;
        zlib->next_out = part->dst + part->written;
        zlib->avail_out = out;
        result = inflate(zlib, Z_NO_FLUSH);
        part->taken += in - zlib->avail_in;
        part->written += out - zlib->avail_out;
    } while (result == Z_OK);
    return gzip_zlib_result(result, zlib, job);
}

static int gzip_member(gzip_state *state, gzip_part *part, weir_codec_job *job)
{
    const bool is_gzip = part->src_size >= 2 && part->src[0] == 0x1f && part->src[1] == 0x8b;
    enum libdeflate_result result;

    if (is_gzip)
        result = libdeflate_gzip_decompress_ex(state->deflate, part->src, part->src_size, part->dst,
                                               part->dst_size, &part->taken, &part->written);
    else
        result = libdeflate_zlib_decompress_ex(state->deflate, part->src, part->src_size, part->dst,
                                               part->dst_size, &part->taken, &part->written);
    switch (result) {
    case LIBDEFLATE_SUCCESS:
        return WEIR_CODEC_OK;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
        snprintf(job->text, job->text_size, "more comes out than there is room for");
        return WEIR_CODEC_SHORT;
    default:
        return gzip_zlib_member(state, part, job);
    }
}

/* Some writers pad the last member with zeros, which gzip itself passes over. */
static bool gzip_is_padding(const uint8_t *src, size_t size)
{
    return size == 0 || (src[0] == 0 && memcmp(src, src + 1, size - 1) == 0);
}

static int gzip_decompress(void *opaque, weir_codec_job *job)
{
    gzip_state *const state = opaque;
    gzip_part part = {
        .src = job->src, .src_size = job->src_size, .dst = job->dst, .dst_size = job->dst_size
    };

    do {
        const int code = gzip_member(state, &part, job);

        if (code != WEIR_CODEC_OK)
            return code;
        part.src += part.taken;
        part.src_size -= part.taken;
        part.dst += part.written;
        part.dst_size -= part.written;
    } while (!gzip_is_padding(part.src, part.src_size));
    job->written = job->dst_size - part.dst_size;
    return WEIR_CODEC_OK;
}

/* How much comes out stands at the end of each member, whose ends only inflating finds. But deflate
 * makes 258 bytes of 2 bits at the most. */
static uint64_t gzip_room(void *state, const weir_codec_job *job)
{
    const uint64_t most = (uint64_t)job->src_size * 1032;

    (void)state;
    return most < job->expected ? most : 0;
}

static const char *gzip_version(void)
{
    return LIBDEFLATE_VERSION_STRING;
}

static const weir_codec gzip = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "gzip",
    .version = gzip_version,
    .wire_ids = (const weir_wire_id[]){ { "parquet", 2 }, { "hdf5", 1 }, { "hipo", 3 }, { NULL, 0 } },
    .alloc = gzip_alloc,
    .free = gzip_free,
    .decompress = gzip_decompress,
    .room = gzip_room,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &gzip, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
