/* SPDX-License-Identifier: Apache-2.0
 * lz4.c: LZ4 by liblz4. Two codecs, since the framing differs: `lz4_raw` is one bare block,
 * `lz4_hadoop` is what Parquet's deprecated codec 5 turned out to mean: Hadoop's frames, or, from
 * other writers, a bare block. */
#include <limits.h>
#include <lz4.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <weir/codec.h>

/* Adds the bytes of a length that goes on in bytes of 255; false: the block ends in it. */
static bool lz4_long_length(const uint8_t **src, const uint8_t *end, uint64_t *length)
{
    uint8_t byte;

    do {
        if (*src == end)
            return false;
        byte = *(*src)++;
        *length += byte;
    } while (byte == 255);
    return true;
}

/* How much a block expands to, by its sequences alone; false: no block. lz4_Block_format.md. It is
 * stricter than liblz4, which takes an offset of 0 for zeros. */
static bool lz4_measure(const uint8_t *src, size_t size, uint64_t *out)
{
    const uint8_t *const end = src + size;
    uint64_t total = 0;

    while (src < end) {
        const uint8_t token = *src++;
        uint64_t literals = token >> 4, match = token & 15, offset;

        if (literals == 15 && !lz4_long_length(&src, end, &literals))
            return false;
        if (literals > (uint64_t)(end - src))
            return false;
        total += literals;
        src += literals;
        if (src == end) { /* the last sequence has literals alone */
            *out = total;
            return true;
        }
        if (end - src < 2)
            return false;
        offset = (uint64_t)src[0] | (uint64_t)src[1] << 8;
        if (offset == 0 || offset > total)
            return false;
        src += 2;
        if (match == 15 && !lz4_long_length(&src, end, &match))
            return false;
        total += match + 4;
    }
    return false;
}

/* Gives the bytes that came out; -1: it failed. liblz4 counts in int. */
static int64_t lz4_block(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    const int room = dst_size < INT_MAX ? (int)dst_size : INT_MAX;

    if (src_size > INT_MAX)
        return -1;
    return LZ4_decompress_safe((const char *)src, (char *)dst, (int)src_size, room);
}

static int lz4_fail(weir_codec_job *job, bool is_measured, uint64_t total, const char *text)
{
    if (is_measured && total > job->dst_size) {
        job->wanted = (size_t)total;
        snprintf(job->text, job->text_size, "%llu bytes come out, there is room for %zu",
                 (unsigned long long)total, job->dst_size);
        return WEIR_CODEC_SHORT;
    }
    snprintf(job->text, job->text_size, "%s", text);
    return WEIR_CODEC_CORRUPT;
}

/* The first bytes alone; false: not so, whatever the reason. */
static bool lz4_begin(weir_codec_job *job)
{
    const bool is_said = job->size >= offsetof(weir_codec_job, enough) + sizeof job->enough &&
                         job->enough > 0 && job->enough <= job->dst_size;
    int n;

    if (!is_said || job->src_size > INT_MAX || job->dst_size > INT_MAX)
        return false;
    n = LZ4_decompress_safe_partial((const char *)job->src, (char *)job->dst, (int)job->src_size,
                                    (int)job->enough, (int)job->dst_size);
    job->written = n > 0 ? (size_t)n : 0;
    return job->written >= job->enough;
}

static int lz4_raw_decompress(void *state, weir_codec_job *job)
{
    int64_t n;
    uint64_t total = 0;
    bool is_measured;

    (void)state;
    if (lz4_begin(job))
        return WEIR_CODEC_OK;
    n = lz4_block(job->src, job->src_size, job->dst, job->dst_size);
    if (n >= 0) {
        job->written = (size_t)n;
        return WEIR_CODEC_OK;
    }
    is_measured = lz4_measure(job->src, job->src_size, &total);
    return lz4_fail(job, is_measured, total, "bad block");
}

static uint64_t lz4_raw_room(void *state, const weir_codec_job *job)
{
    uint64_t total = 0;

    (void)state;
    return lz4_measure(job->src, job->src_size, &total) ? total : 0;
}

static uint32_t load_be32(const uint8_t *src)
{
    return (uint32_t)src[0] << 24 | (uint32_t)src[1] << 16 | (uint32_t)src[2] << 8 | src[3];
}

/* Walks Hadoop's frames (BlockDecompressorStream.java): u32be what comes out of the outer frame,
 * then, until that much came out, inner blocks of u32be size and an LZ4 block. An outer frame of 0
 * ends the page. With `dst` NULL nothing is decoded, only added up. False: no such frames. */
static bool hadoop_walk(const uint8_t *src, size_t size, uint8_t *dst, size_t room, uint64_t *out)
{
    const uint8_t *const end = src + size;
    uint64_t total = 0;

    while (src < end) {
        uint64_t left;

        if (end - src < 4)
            return false;
        left = load_be32(src);
        src += 4;
        if (left == 0)
            break;
        while (left > 0) {
            uint64_t inner = 0;
            uint32_t packed;

            if (end - src < 4)
                return false;
            packed = load_be32(src);
            src += 4;
            if (packed > (size_t)(end - src))
                return false;
            if (dst) {
                const size_t free_room = room - (size_t)total;
                const int64_t n =
                    lz4_block(src, packed, dst + total, left < free_room ? left : free_room);

                if (n < 0)
                    return false;
                inner = (uint64_t)n;
            } else if (!lz4_measure(src, packed, &inner)) {
                return false;
            }
            if (inner == 0 || inner > left)
                return false;
            src += packed;
            left -= inner;
            total += inner;
        }
    }
    *out = total;
    return true;
}

/* A bare block is measured first. But for the empty one it doesn't begin with a byte of 0, since
 * its first match would reach before its start; frames under 16 MB do: broken ones don't pass for
 * it. */
static int lz4_hadoop_decompress(void *state, weir_codec_job *job)
{
    uint64_t total = 0;

    if (hadoop_walk(job->src, job->src_size, job->dst, job->dst_size, &total)) {
        job->written = (size_t)total;
        return WEIR_CODEC_OK;
    }
    if (lz4_measure(job->src, job->src_size, &total))
        return lz4_raw_decompress(state, job);
    if (hadoop_walk(job->src, job->src_size, NULL, 0, &total))
        return lz4_fail(job, true, total, "bad block in Hadoop's frames");
    return lz4_fail(job, false, 0, "neither Hadoop's frames nor a bare block");
}

static uint64_t lz4_hadoop_room(void *state, const weir_codec_job *job)
{
    uint64_t total = 0;

    if (hadoop_walk(job->src, job->src_size, NULL, 0, &total))
        return total;
    return lz4_raw_room(state, job);
}

static const weir_codec lz4_raw = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "lz4_raw",
    .version = LZ4_versionString,
    .wire_ids = (const weir_wire_id[]){ { "parquet", 7 }, { "hipo", 1 }, { NULL, 0 } },
    .decompress = lz4_raw_decompress,
    .room = lz4_raw_room,
};

static const weir_codec lz4_hadoop = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "lz4_hadoop",
    .version = LZ4_versionString,
    .wire_ids = (const weir_wire_id[]){ { "parquet", 5 }, { NULL, 0 } },
    .decompress = lz4_hadoop_decompress,
    .room = lz4_hadoop_room,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &lz4_raw, &lz4_hadoop, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
