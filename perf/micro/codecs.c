/* SPDX-License-Identifier: Apache-2.0
 * codecs.c: MB/s of what comes out, one thread: each codec's bare library, the codec linked in, and
 * the same as a plugin, through its function pointer. Three kinds of pages of 1 MiB. The best of
 * rounds in which the three take turns; `plugin/linked` should be 1 but for noise, `plugin/bare`
 * shows what our own file adds (or, Snappy being our own decoder, gains). */
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <dlfcn.h>
#include <libdeflate.h>
#include <lz4.h>
#include <math.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weir/codec.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PAGE = 1 << 20,
    ROUNDS = 60
};

weir_codecs_fn weir_codecs_zstd, weir_codecs_gzip, weir_codecs_snappy, weir_codecs_lz4,
    weir_codecs_brotli;

/* ---- the bare libraries ---- */

static size_t pack_zstd(const uint8_t *src, uint8_t *dst, size_t room)
{
    return ZSTD_compress(dst, room, src, PAGE, 3);
}

static size_t pack_gzip(const uint8_t *src, uint8_t *dst, size_t room)
{
    z_stream zlib = { 0 };

    deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    zlib.next_in = (Bytef *)(uintptr_t)src;
    zlib.avail_in = PAGE;
    zlib.next_out = dst;
    zlib.avail_out = (uInt)room;
    deflate(&zlib, Z_FINISH);
    deflateEnd(&zlib);
    return zlib.total_out;
}

static size_t pack_snappy(const uint8_t *src, uint8_t *dst, size_t room)
{
    snappy_compress((const char *)src, PAGE, (char *)dst, &room);
    return room;
}

static size_t pack_lz4(const uint8_t *src, uint8_t *dst, size_t room)
{
    return (size_t)LZ4_compress_default((const char *)src, (char *)dst, PAGE, (int)room);
}

static size_t pack_brotli(const uint8_t *src, uint8_t *dst, size_t room)
{
    BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, PAGE, src, &room, dst);
    return room;
}

static ZSTD_DCtx *zstd_context;
static struct libdeflate_decompressor *deflate_context;

static int bare_zstd(const uint8_t *src, size_t size, uint8_t *dst)
{
    return ZSTD_decompressDCtx(zstd_context, dst, PAGE, src, size) == PAGE;
}

static int bare_gzip(const uint8_t *src, size_t size, uint8_t *dst)
{
    return libdeflate_gzip_decompress(deflate_context, src, size, dst, PAGE, NULL) ==
           LIBDEFLATE_SUCCESS;
}

static int bare_snappy(const uint8_t *src, size_t size, uint8_t *dst)
{
    size_t n = PAGE;

    return snappy_uncompress((const char *)src, size, (char *)dst, &n) == SNAPPY_OK;
}

static int bare_lz4(const uint8_t *src, size_t size, uint8_t *dst)
{
    return LZ4_decompress_safe((const char *)src, (char *)dst, (int)size, PAGE) == PAGE;
}

static int bare_brotli(const uint8_t *src, size_t size, uint8_t *dst)
{
    size_t n = PAGE;

    return BrotliDecoderDecompress(size, src, &n, dst) == BROTLI_DECODER_RESULT_SUCCESS;
}

static const struct {
    const char *codec, *object;
    size_t (*pack)(const uint8_t *src, uint8_t *dst, size_t room);
    int (*bare)(const uint8_t *src, size_t size, uint8_t *dst);
    weir_codecs_fn *linked;
} rows[] = {
    { "zstd", "zstd", pack_zstd, bare_zstd, weir_codecs_zstd },
    { "gzip", "gzip", pack_gzip, bare_gzip, weir_codecs_gzip },
    { "snappy", "snappy", pack_snappy, bare_snappy, weir_codecs_snappy },
    { "lz4_raw", "lz4", pack_lz4, bare_lz4, weir_codecs_lz4 },
    { "brotli", "brotli", pack_brotli, bare_brotli, weir_codecs_brotli },
};

/* ---- pages ---- */

static uint32_t next_random(void)
{
    static uint64_t seed = 42;

    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* Fares: doubles of two digits, small ones more often. */
static void fill_doubles(uint8_t *page)
{
    for (size_t i = 0; i < PAGE; i += sizeof(double)) {
        const double fare = (double)(next_random() % 4000 * (next_random() % 100)) / 10000;
        const double value = (double)(int)(fare * 100) / 100;

        memcpy(page + i, &value, sizeof value);
    }
}

/* Dictionary codes, bit packed: the same few stretches of 5 bytes again and again, some new ones.
 */
static void fill_codes(uint8_t *page)
{
    uint8_t known[256][5];

    for (size_t i = 0; i < sizeof known; i++)
        known[i / 5][i % 5] = (uint8_t)(next_random() >> 24);
    for (size_t i = 0; i + 5 <= PAGE; i += 5) {
        if (next_random() % 8 == 0)
            known[next_random() % 256][next_random() % 5] ^= (uint8_t)(1 << next_random() % 8);
        memcpy(page + i, known[next_random() % 256 & next_random() % 256], 5);
    }
    page[PAGE - 1] = 0;
}

static void fill_text(uint8_t *page)
{
    static const char words[] = "river stream weir water gate flow level page column row batch ";

    for (size_t i = 0; i < PAGE;) {
        size_t at = next_random() % (sizeof words - 1);

        do
            page[i++] = (uint8_t)words[at++];
        while (i < PAGE && words[at - 1] != ' ');
        if (i < PAGE && next_random() % 4 == 0)
            page[i++] = (uint8_t)('0' + next_random() % 10);
    }
}

static const struct {
    const char *name;
    void (*fill)(uint8_t *page);
} kinds[] = { { "doubles", fill_doubles }, { "codes", fill_codes }, { "text", fill_text } };

/* ---- timing ---- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* of ours alone: other programs don't count */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const weir_codec *pick(const weir_codec *const *codecs, const char *name)
{
    for (; codecs && *codecs; codecs++)
        if (strcmp((*codecs)->name, name) == 0)
            return *codecs;
    return NULL;
}

static const weir_codec *open_plugin(const char *folder, const char *object, const char *name)
{
    char path[4096];
    weir_codecs_fn *entry = NULL;
    void *handle, *symbol;

    snprintf(path, sizeof path, "%s/weir-codec-%s.so", folder, object);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = handle ? dlsym(handle, "weir_codecs") : NULL;
    if (!symbol)
        return NULL;
    memcpy(&entry, &symbol, sizeof entry);
    return pick(entry(WEIR_CODEC_ABI), name);
}

static int run_codec(const weir_codec *codec, void *state, const uint8_t *src, size_t size,
                     uint8_t *dst)
{
    char text[80];
    weir_codec_job job = { .size = sizeof job,
                           .src = src,
                           .src_size = size,
                           .dst = dst,
                           .dst_size = PAGE,
                           .expected = PAGE,
                           .text = text,
                           .text_size = sizeof text };

    return codec->decompress(state, &job) == WEIR_CODEC_OK && job.written == PAGE;
}

enum {
    BARE,
    LINKED,
    PLUGIN,
    WAYS
};

/* The best MB/s of each way; false: one of them failed or gave other bytes. */
static int measure(size_t row, const weir_codec *const codecs[WAYS], const uint8_t *page,
                   const uint8_t *src, size_t size, uint8_t *dst, double best[WAYS])
{
    void *states[WAYS] = { NULL };
    int is_right = 1;

    for (int way = LINKED; way < WAYS; way++)
        if (codecs[way] && codecs[way]->alloc)
            states[way] = codecs[way]->alloc();
    for (int round = 0; round < ROUNDS * WAYS; round++) {
        const int way = (round + round / WAYS) % WAYS; /* none always follows the same one */
        const double begin = seconds();
        double rate;

        if (way != BARE && !codecs[way])
            continue;
        is_right &= way == BARE ? rows[row].bare(src, size, dst)
                                : run_codec(codecs[way], states[way], src, size, dst);
        rate = PAGE / (seconds() - begin) * 1e-6;
        if (rate > best[way])
            best[way] = rate;
        is_right &= memcmp(dst, page, PAGE) == 0;
        memset(dst, 0, PAGE);
    }
    for (int way = LINKED; way < WAYS; way++)
        if (codecs[way] && codecs[way]->free)
            codecs[way]->free(states[way]);
    return is_right;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : CODEC_FOLDER;
    const size_t room = 2 * PAGE;
    uint8_t *page = malloc(PAGE), *src = malloc(room), *dst = malloc(PAGE);
    double product = 1;
    int is_right = 1, count = 0;

    zstd_context = ZSTD_createDCtx();
    deflate_context = libdeflate_alloc_decompressor();
    if (!page || !src || !dst || !zstd_context || !deflate_context)
        return 2;
    printf("%-8s %-8s %6s %8s %8s %8s %12s %13s\n", "codec", "page", "ratio", "bare", "linked",
           "plugin", "plugin/bare", "plugin/linked");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const weir_codec *const codecs[WAYS] = {
            NULL, pick(rows[row].linked(WEIR_CODEC_ABI), rows[row].codec),
            open_plugin(folder, rows[row].object, rows[row].codec)
        };

        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            double best[WAYS] = { 0 };
            size_t size;

            kinds[kind].fill(page);
            size = rows[row].pack(page, src, room);
            is_right &= measure(row, codecs, page, src, size, dst, best);
            printf("%-8s %-8s %6.2f %8.0f %8.0f %8.0f %12.3f %13.3f\n", rows[row].codec,
                   kinds[kind].name, (double)PAGE / (double)size, best[BARE], best[LINKED],
                   best[PLUGIN], best[PLUGIN] / best[BARE], best[PLUGIN] / best[LINKED]);
            product *= best[PLUGIN] / best[LINKED];
            count++;
        }
    }
    printf("plugin/linked, geometric mean of %d: %.3f\n", count, pow(product, 1.0 / count));
    if (!is_right)
        fprintf(stderr, "a codec failed or gave other bytes: the figures are void\n");
    ZSTD_freeDCtx(zstd_context);
    libdeflate_free_decompressor(deflate_context);
    free(page);
    free(src);
    free(dst);
    return is_right ? 0 : 1;
}
