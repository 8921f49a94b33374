/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/test/writers.h"

#include <brotli/encode.h>
#include <lz4.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Gives `size`, if all went well. */
static size_t check(bool is_done, size_t size)
{
    if (!is_done)
        abort();
    return size;
}

static size_t write_zstd_frame(const uint8_t *src, size_t size, uint8_t *dst, size_t room,
                               int level)
{
    ZSTD_CCtx *const zstd = ZSTD_createCCtx();
    size_t n;

    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    n = ZSTD_compress2(zstd, dst, room, src, size);
    ZSTD_freeCCtx(zstd);
    return check(!ZSTD_isError(n), n);
}

static size_t write_zstd(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_zstd_frame(src, size, dst, room, 3);
}

/* Frames of a third each, with a skippable one between. */
static size_t write_zstd_frames(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    static const uint8_t skipped[] = { 0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3 };
    const size_t part = size / 3;
    size_t n = write_zstd_frame(src, part, dst, room, 1);

    memcpy(dst + n, skipped, sizeof skipped);
    n += sizeof skipped;
    n += write_zstd_frame(src + part, part, dst + n, room - n, 19);
    return n + write_zstd_frame(src + 2 * part, size - 2 * part, dst + n, room - n, 3);
}

/* By a stream, which doesn't know its size at the start. */
static size_t write_zstd_stream(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    ZSTD_CCtx *const zstd = ZSTD_createCCtx();
    ZSTD_inBuffer in = { src, size, 0 };
    ZSTD_outBuffer out = { dst, room, 0 };
    size_t left;

    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    left = ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush);
    left |= ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end);
    ZSTD_freeCCtx(zstd);
    return check(left == 0, out.pos);
}

/* `bits`: 15 + 16 a gzip member, 15 a zlib stream. */
static size_t write_deflate(const uint8_t *src, size_t size, uint8_t *dst, size_t room, int level,
                            int bits, bool has_name)
{
    z_stream zlib = { 0 };
    gz_header header = { .name = (Bytef *)"a name", .comment = (Bytef *)"words", .hcrc = 1 };
    Bytef extra[5] = { 'W', 'R', 1, 0, 7 };
    int result = deflateInit2(&zlib, level, Z_DEFLATED, bits, 9, Z_DEFAULT_STRATEGY);

    header.extra = extra;
    header.extra_len = sizeof extra;
    if (has_name)
        result |= deflateSetHeader(&zlib, &header);
    zlib.next_in = (Bytef *)(uintptr_t)src;
    zlib.avail_in = (uInt)size;
    zlib.next_out = dst;
    zlib.avail_out = (uInt)room;
    check(result == Z_OK && deflate(&zlib, Z_FINISH) == Z_STREAM_END, 0);
    deflateEnd(&zlib);
    return zlib.total_out;
}

static size_t write_gzip(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_deflate(src, size, dst, room, 6, 15 + 16, false);
}

/* Three members: one stored with all that a header can hold, one empty, one squeezed hard. */
static size_t write_gzip_members(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    const size_t part = size / 2;
    size_t n = write_deflate(src, part, dst, room, 0, 15 + 16, true);

    n += write_deflate(src, 0, dst + n, room - n, 6, 15 + 16, false);
    return n + write_deflate(src + part, size - part, dst + n, room - n, 9, 15 + 16, true);
}

static size_t write_gzip_padded(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    const size_t n = write_gzip(src, size, dst, room);

    memset(dst + n, 0, 5);
    return n + 5;
}

static size_t write_zlib(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_deflate(src, size, dst, room, 6, 15, false);
}

static size_t write_snappy(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    size_t n = room;

    check(snappy_compress((const char *)src, size, (char *)dst, &n) == SNAPPY_OK, n);
    return n;
}

static size_t write_lz4(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    const int n = LZ4_compress_default((const char *)src, (char *)dst, (int)size, (int)room);

    return check(n > 0, (size_t)n);
}

static uint8_t *store_be32(uint8_t *dst, size_t value)
{
    for (int i = 0; i < 4; i++)
        dst[i] = (uint8_t)(value >> (24 - 8 * i));
    return dst + 4;
}

/* Hadoop's frames: `outer` bytes of src in each, cut into blocks of `inner`. */
static size_t write_frames(const uint8_t *src, size_t size, uint8_t *dst, size_t room, size_t outer,
                           size_t inner)
{
    uint8_t *at = dst;

    for (size_t i = 0; i < size; i += outer) {
        const size_t frame = size - i < outer ? size - i : outer;

        at = store_be32(at, frame);
        for (size_t j = 0; j < frame; j += inner) {
            const size_t block = frame - j < inner ? frame - j : inner;
            const size_t n = write_lz4(src + i + j, block, at + 4, room - (size_t)(at + 4 - dst));

            at = store_be32(at, n) + n;
        }
    }
    return (size_t)(at - dst);
}

static size_t write_hadoop(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_frames(src, size, dst, room, size + 1, size + 1);
}

static size_t write_hadoop_split(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_frames(src, size, dst, room, 1000, 300);
}

/* An outer frame of nothing ends the page, whatever follows. */
static size_t write_hadoop_ended(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    const size_t n = write_frames(src, size, dst, room, 1000, 1000);

    memset(dst + n, 0, 4);
    memset(dst + n + 4, 0x5a, 3);
    return n + 7;
}

static size_t write_brotli_at(const uint8_t *src, size_t size, uint8_t *dst, size_t room,
                              int quality)
{
    size_t n = room;

    check(BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, size, src, &n,
                                dst),
          n);
    return n;
}

static size_t write_brotli(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_brotli_at(src, size, dst, room, 5);
}

static size_t write_brotli_11(const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    return write_brotli_at(src, size, dst, room, size < 20000 ? 11 : 2);
}

const writer writers[] = {
    { "zstd", "zstd", "parquet", 6, write_zstd, true },
    { "zstd, frames", "zstd", "hdf5", 32015, write_zstd_frames, true },
    { "zstd, stream", "zstd", "parquet", 6, write_zstd_stream, true },
    { "zstd of HIPO", "zstd", "hipo", 4, write_zstd, true },
    { "gzip", "gzip", "parquet", 2, write_gzip, true },
    { "gzip, members", "gzip", "parquet", 2, write_gzip_members, true },
    { "gzip, padded", "gzip", "parquet", 2, write_gzip_padded, true },
    { "zlib", "gzip", "hdf5", 1, write_zlib, true },
    { "gzip of HIPO", "gzip", "hipo", 3, write_gzip, true },
    { "snappy", "snappy", "parquet", 1, write_snappy, false },
    { "lz4, bare", "lz4_raw", "parquet", 7, write_lz4, false },
    { "lz4 of HIPO", "lz4_raw", "hipo", 1, write_lz4, false },
    { "lz4, Hadoop", "lz4_hadoop", "parquet", 5, write_hadoop, false },
    { "lz4, Hadoop, split", "lz4_hadoop", "parquet", 5, write_hadoop_split, false },
    { "lz4, Hadoop, ended", "lz4_hadoop", "parquet", 5, write_hadoop_ended, false },
    { "lz4, bare as 5", "lz4_hadoop", "parquet", 5, write_lz4, false },
    { "brotli", "brotli", "parquet", 4, write_brotli, false },
    { "brotli, 11", "brotli", "parquet", 4, write_brotli_11, false },
};
const size_t writer_count = sizeof writers / sizeof *writers;
