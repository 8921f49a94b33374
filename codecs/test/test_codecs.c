/* SPDX-License-Identifier: Apache-2.0
 * test_codecs.c: one suite for all codecs, through the ABI: what their libraries write comes back,
 * and nothing that is cut, bent or too large for its room gets past the buffers. */
#include "codecs/test/guard.h"
#include "codecs/test/writers.h"
#include "plugins/registry.h"
#include <criterion/criterion.h>
#include <stdio.h>

enum {
    ROOM = 1 << 20,
    SMALL = 200, /* inputs of which every cut and every bit is tried */
    CANARY = 0xc5
};

typedef struct bench {
    weir_registry *registry;
    guard src, dst;
    uint8_t *packed;
    char text[64];
    const writer *writer;
    const weir_codec *codec;
    void *state;
    size_t enough; /* of the jobs to come */
} bench;

static void bench_open(bench *b)
{
    memset(b, 0, sizeof *b);
    cr_assert_eq(weir_registry_open(&b->registry, NULL), WEIR_OK);
    b->src = guard_open(ROOM);
    b->dst = guard_open(ROOM);
    b->packed = malloc(2 * ROOM + 4096);
    cr_assert_not_null(b->packed);
}

static void bench_leave(bench *b)
{
    if (b->codec && b->codec->free)
        b->codec->free(b->state);
    b->codec = NULL;
}

static void bench_use(bench *b, const writer *w)
{
    weir_error err;

    bench_leave(b);
    b->writer = w;
    cr_assert_eq(weir_registry_find(b->registry, w->format, w->id, &b->codec, &err), WEIR_OK, "%s",
                 err.text);
    cr_assert_str_eq(b->codec->name, w->codec);
    b->state = b->codec->alloc ? b->codec->alloc() : NULL;
    cr_assert(!b->codec->alloc || b->state);
}

static void bench_close(bench *b)
{
    bench_leave(b);
    guard_close(&b->src);
    guard_close(&b->dst);
    free(b->packed);
    weir_registry_close(b->registry);
}

/* Runs the codec on a copy of `src` and into `room` bytes, both against an untouchable page: after
 * them, or, so that steps backwards show, before them. */
static int run(bench *b, const void *src, size_t src_size, size_t room, bool at_end,
               weir_codec_job *job)
{
    int code;

    memset(b->text, CANARY, sizeof b->text);
    b->text[0] = '\0';
    *job = (weir_codec_job){ .size = sizeof *job,
                             .src = guard_copy(&b->src, src, src_size, at_end),
                             .src_size = src_size,
                             .dst = guard_place(&b->dst, room, at_end),
                             .dst_size = room,
                             .expected = room,
                             .wire_id = b->writer->id,
                             .text = b->text,
                             .text_size = sizeof b->text,
                             .enough = b->enough };
    code = b->codec->decompress(b->state, job);
    cr_assert_not_null(memchr(b->text, '\0', sizeof b->text), "%s: text isn't terminated",
                       b->writer->name);
    cr_assert(code >= WEIR_CODEC_OK && code <= WEIR_CODEC_NO_MEMORY);
    if (code == WEIR_CODEC_OK)
        cr_assert(job->written <= room, "%s: %zu bytes into %zu", b->writer->name, job->written,
                  room);
    return code;
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

enum {
    KINDS = 6
};

/* What pages are made of: text, doubles with few digits, small codes, runs, noise, one byte. */
static void fill(uint8_t *data, size_t size, int kind, uint64_t seed)
{
    static const char words[] = "the quick brown fox jumps over a lazy dog and runs ";
    double value;

    for (size_t i = 0; i < size; i++) {
        const uint32_t random = next_random(&seed);

        switch (kind) {
        case 0:
            data[i] = (uint8_t)words[(i + (random % 97 == 0 ? random % 50 : 0)) % 51];
            break;
        case 1:
            if (i % 8 == 0)
                value = (double)(random % 5000) / 100;
            data[i] = ((const uint8_t *)&value)[i % 8];
            break;
        case 2:
            data[i] = (uint8_t)(random % 7);
            break;
        case 3:
            data[i] = (uint8_t)(i / 700 * 13);
            break;
        case 4:
            data[i] = (uint8_t)(random >> 24);
            break;
        default:
            data[i] = 'w';
            break;
        }
    }
}

static void check_same(bench *b, const uint8_t *data, size_t size, size_t room, bool at_end,
                       size_t packed)
{
    weir_codec_job job;
    const int code = run(b, b->packed, packed, room, at_end, &job);

    cr_assert_eq(code, WEIR_CODEC_OK, "%s: %zu bytes into %zu: %d, %s", b->writer->name, size, room,
                 code, b->text);
    cr_assert_eq(job.written, size, "%s: %zu of %zu bytes", b->writer->name, job.written, size);
    cr_assert(size == 0 || memcmp(job.dst, data, size) == 0, "%s: other bytes", b->writer->name);
    if (b->codec->room) {
        const uint64_t says = b->codec->room(b->state, &job);

        cr_assert(says == 0 || says == size, "%s: room says %llu for %zu", b->writer->name,
                  (unsigned long long)says, size);
    }
}

/* Calls `test` for each writer with small pages of each kind. */
static void each_small(void (*test)(bench *b, const uint8_t *data, size_t size, size_t packed))
{
    uint8_t data[SMALL];
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        bench_use(&b, &writers[w]);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t size = kind == 0 ? 1 : SMALL; size <= SMALL; size += 33) {
                fill(data, size, kind, size);
                test(&b, data, size, writers[w].write(data, size, b.packed, ROOM));
            }
    }
    bench_close(&b);
}

Test(codecs, each_built_in_id_has_a_codec_whose_writer_is_known)
{
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        const weir_wire_id *id;

        bench_use(&b, &writers[w]);
        for (id = b.codec->wire_ids; id->format; id++) {
            bool is_known = false;

            for (size_t i = 0; i < writer_count; i++)
                is_known |= writers[i].id == id->id && strcmp(writers[i].format, id->format) == 0;
            cr_expect(is_known, "nothing writes %s %u", id->format, id->id);
        }
    }
    bench_close(&b);
}

Test(codecs, what_the_libraries_write_comes_back, .timeout = 300)
{
    static const size_t sizes[] = { 0,  1,   2,    15,   16,    17,     63,    64,
                                    65, 300, 1000, 4096, 30000, 131072, 400001 };
    uint8_t *const data = malloc(ROOM);
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        bench_use(&b, &writers[w]);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const size_t size = sizes[i];
                size_t packed;

                fill(data, size, kind, i);
                packed = writers[w].write(data, size, b.packed, 2 * ROOM);
                check_same(&b, data, size, size, true, packed);
                check_same(&b, data, size, size, false, packed);
                check_same(&b, data, size, size + 1 + (size_t)kind * 100, true, packed);
            }
    }
    bench_close(&b);
    free(data);
}

/* Whoever heeds it may stop there, and is ready for the next page. */
Test(codecs, the_first_bytes_are_those_of_the_whole)
{
    static const size_t parts[] = { 1, 1000, 131072, 131073, 250000, 400001 };
    enum {
        SIZE = 400001
    };
    uint8_t *const data = malloc(SIZE);
    weir_codec_job job;
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        bench_use(&b, &writers[w]);
        for (int kind = 0; kind < KINDS; kind++) {
            size_t packed;

            fill(data, SIZE, kind, 5);
            packed = writers[w].write(data, SIZE, b.packed, 2 * ROOM);
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                b.enough = parts[i];
                cr_assert_eq(run(&b, b.packed, packed, SIZE, true, &job), WEIR_CODEC_OK, "%s: %s",
                             writers[w].name, b.text);
                cr_assert(job.written >= parts[i] && job.written <= SIZE);
                cr_assert(memcmp(job.dst, data, job.written) == 0, "%s", writers[w].name);
                b.enough = 0;
                check_same(&b, data, SIZE, SIZE, true, packed);
            }
        }
    }
    bench_close(&b);
    free(data);
}

static void test_short(bench *b, const uint8_t *data, size_t size, size_t packed)
{
    weir_codec_job job;

    for (size_t room = 0; room < size; room++) {
        const int code = run(b, b->packed, packed, room, room % 2 == 0, &job);

        cr_assert_eq(code, WEIR_CODEC_SHORT, "%s: %zu bytes into %zu: %d %s", b->writer->name, size,
                     room, code, b->text);
        cr_assert(job.wanted == 0 || job.wanted == size, "%s: wants %zu for %zu", b->writer->name,
                  job.wanted, size);
    }
    check_same(b, data, size, size, true, packed);
}

Test(codecs, too_little_room_is_short_and_leaves_the_state_usable, .timeout = 300)
{
    each_small(test_short);
}

/* What is cut off may be padding or a whole frame: then what came out is a beginning. */
static void test_cut(bench *b, const uint8_t *data, size_t size, size_t packed)
{
    weir_codec_job job;

    for (size_t cut = 0; cut < packed; cut++) {
        if (run(b, b->packed, cut, size, cut % 2 == 0, &job) != WEIR_CODEC_OK)
            continue;
        cr_assert(memcmp(job.dst, data, job.written) == 0, "%s: cut to %zu of %zu: other bytes",
                  b->writer->name, cut, packed);
        cr_assert(job.written < size || cut + 8 > packed, "%s: cut to %zu of %zu: all came out",
                  b->writer->name, cut, packed);
    }
    check_same(b, data, size, size, true, packed);
}

Test(codecs, an_input_cut_anywhere_gives_no_other_bytes, .timeout = 300)
{
    each_small(test_cut);
}

static void test_flip(bench *b, const uint8_t *data, size_t size, size_t packed)
{
    weir_codec_job job;

    for (size_t bit = 0; bit < 8 * packed; bit++) {
        int code;

        b->packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        code = run(b, b->packed, packed, size, bit % 16 < 8, &job);
        if (code == WEIR_CODEC_OK && b->writer->is_summed && job.written == size)
            cr_assert(memcmp(job.dst, data, size) == 0, "%s: bit %zu: other bytes", b->writer->name,
                      bit);
        run(b, b->packed, packed, 3 * size, bit % 16 < 8, &job);
        if (b->codec->room)
            b->codec->room(b->state, &job);
        b->packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    check_same(b, data, size, size, true, packed);
}

Test(codecs, a_flipped_bit_stays_inside_the_buffers, .timeout = 300)
{
    each_small(test_flip);
}

/* Noise, and a good beginning that leads far in before the noise. */
Test(codecs, noise_stays_inside_the_buffers, .timeout = 300)
{
    uint8_t noise[600], data[600];
    uint64_t seed = 7;
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        bench_use(&b, &writers[w]);
        for (int i = 0; i < 2000; i++) {
            const size_t size = next_random(&seed) % sizeof noise;
            weir_codec_job job;
            size_t packed, good;

            fill(noise, size, 4, seed);
            fill(data, sizeof data, i % KINDS, seed);
            packed = b.writer->write(data, sizeof data, b.packed, ROOM);
            good = next_random(&seed) % (packed + 1);
            if (i % 2 && good < size)
                memcpy(noise, b.packed, good);
            run(&b, noise, size, next_random(&seed) % 3000, i % 4 < 2, &job);
            if (b.codec->room)
                b.codec->room(b.state, &job);
        }
        fill(data, sizeof data, 0, w);
        check_same(&b, data, sizeof data, sizeof data, true,
                   b.writer->write(data, sizeof data, b.packed, ROOM));
    }
    bench_close(&b);
}

Test(codecs, an_empty_input_is_empty_or_corrupt)
{
    bench b;

    bench_open(&b);
    for (size_t w = 0; w < writer_count; w++) {
        weir_codec_job job;
        int code;

        bench_use(&b, &writers[w]);
        code = run(&b, "", 0, 10, true, &job);
        cr_expect(code == WEIR_CODEC_CORRUPT || (code == WEIR_CODEC_OK && job.written == 0),
                  "%s: %d, %zu bytes", writers[w].name, code, job.written);
    }
    bench_close(&b);
}

Test(codecs, what_follows_the_end_is_not_passed_over)
{
    static const char *const names[] = { "zstd", "gzip", "zlib", "snappy", "brotli" };
    uint8_t data[300];
    bench b;

    bench_open(&b);
    fill(data, sizeof data, 0, 1);
    for (size_t w = 0; w < writer_count; w++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            weir_codec_job job;
            size_t packed;

            if (strcmp(writers[w].name, names[i]) != 0)
                continue;
            bench_use(&b, &writers[w]);
            packed = writers[w].write(data, sizeof data, b.packed, ROOM);
            b.packed[packed] = 'x';
            cr_expect_eq(run(&b, b.packed, packed + 1, sizeof data, true, &job), WEIR_CODEC_CORRUPT,
                         "%s", names[i]);
        }
    bench_close(&b);
}

/* A page header may claim gigabytes for a few bytes: then the codec says what can come out. */
Test(codecs, a_wild_claim_is_cut_down_to_what_can_come_out)
{
    static const uint64_t least[] = { 21, 1032, 32768 };
    static const char *const names[] = { "snappy", "gzip", "zstd" };
    static const uint8_t long_snappy[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 'a' };
    /* Magic, a content size of 8 bytes, 2^40, one raw block of one byte. */
    static const uint8_t long_zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0,  0,
                                         0,    1,    0,    0,    9,    0, 0, 'a' };
    const struct {
        const uint8_t *data;
        size_t size;
    } claims[] = { { long_snappy, sizeof long_snappy },
                   { long_snappy, sizeof long_snappy }, /* gzip tells nothing at its start */
                   { long_zstd, sizeof long_zstd } };
    bench b;

    bench_open(&b);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t w = 0; w < writer_count; w++) {
            weir_codec_job job;

            if (strcmp(writers[w].name, names[i]) != 0)
                continue;
            bench_use(&b, &writers[w]);
            cr_expect_neq(run(&b, claims[i].data, claims[i].size, 100, true, &job), WEIR_CODEC_OK);
            job.expected = SIZE_MAX;
            cr_expect_eq(b.codec->room(b.state, &job) / claims[i].size, least[i], "%s: %llu",
                         names[i], (unsigned long long)b.codec->room(b.state, &job));
        }
    bench_close(&b);
}
