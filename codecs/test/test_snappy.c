/* SPDX-License-Identifier: Apache-2.0
 * test_snappy.c: our Snappy decoder against libsnappy, on streams that it writes, streams made
 * element by element, and both of them bent and cut: the same ones accepted, the same bytes. */
#include "codecs/test/guard.h"
#include "plugins/registry.h"
#include <criterion/criterion.h>
#include <snappy-c.h>
#include <stdio.h>

enum {
    ROOM = 1 << 17,
    STREAMS = 70000
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* A length that is mostly small and sometimes anything up to `most`. */
static size_t some(uint64_t *seed, size_t most)
{
    const size_t cap = next_random(seed) % 4 == 0 ? most : 20;

    return 1 + next_random(seed) % (cap < most ? cap : most);
}

static uint8_t *put_varint(uint8_t *at, size_t value)
{
    for (; value > 127; value >>= 7)
        *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_literal(uint8_t *at, size_t length, uint64_t *seed)
{
    size_t extra = length <= 60 ? 0 : length - 1 < 256 ? 1 : 2;

    if (extra == 0 && next_random(seed) % 50 == 0)
        extra = 1 + next_random(seed) % 4; /* longer than it need be */
    else if (extra > 0 && next_random(seed) % 10 == 0)
        extra = 4;
    *at++ = (uint8_t)(extra ? (59 + extra) << 2 : (length - 1) << 2);
    for (size_t i = 0; i < extra; i++)
        *at++ = (uint8_t)((length - 1) >> (8 * i));
    for (size_t i = 0; i < length; i++)
        *at++ = (uint8_t)next_random(seed);
    return at;
}

static uint8_t *put_copy(uint8_t *at, size_t length, size_t offset, uint64_t *seed)
{
    const uint32_t pick = next_random(seed) % 8;

    if (length >= 4 && length <= 11 && offset < 2048 && pick < 5) {
        *at++ = (uint8_t)(1 | (length - 4) << 2 | offset >> 8 << 5);
        *at++ = (uint8_t)offset;
        return at;
    }
    *at++ = (uint8_t)((pick < 7 ? 2 : 3) | (length - 1) << 2);
    for (int i = 0; i < (pick < 7 ? 2 : 4); i++)
        *at++ = (uint8_t)(offset >> (8 * i));
    return at;
}

/* A stream of random elements: all kinds, near and far offsets; one in eight has an error. */
static size_t make_elements(uint8_t *out, uint64_t *seed)
{
    uint8_t elements[3 * 4096], *at = elements, *begin;
    const size_t most = 1 + next_random(seed) % 4000;
    size_t length = 0;

    while (length < most && (size_t)(at - elements) < sizeof elements - 400) {
        size_t step;

        if (length == 0 || next_random(seed) % 2) {
            step = some(seed, 300);
            at = put_literal(at, step, seed);
        } else {
            const size_t offset = some(seed, length);

            step = some(seed, 64);
            at = put_copy(at, step, next_random(seed) % 400 ? offset : offset + length, seed);
        }
        length += step;
    }
    if (next_random(seed) % 16 == 0)
        length += next_random(seed) % 3;
    begin = out;
    out = put_varint(out, length);
    memcpy(out, elements, (size_t)(at - elements));
    return (size_t)(out - begin) + (size_t)(at - elements);
}

static size_t make_written(uint8_t *out, uint64_t *seed)
{
    char data[6000];
    const size_t size = next_random(seed) % sizeof data;
    const uint32_t values = 1 + next_random(seed) % 40;
    size_t packed = ROOM;

    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i >= 8 && next_random(seed) % 5 ? (uint32_t)data[i - 8]
                                                         : next_random(seed) % values);
    cr_assert_eq(snappy_compress(data, size, (char *)out, &packed), SNAPPY_OK);
    return packed;
}

static size_t bend(uint8_t *stream, size_t size, uint64_t *seed)
{
    switch (next_random(seed) % 4) {
    case 0: /* as it is */
        break;
    case 1:
        size = next_random(seed) % (size + 1);
        break;
    default:
        for (uint32_t i = 0; size > 0 && i <= next_random(seed) % 3; i++)
            stream[next_random(seed) % size] ^= (uint8_t)(1 << next_random(seed) % 8);
    }
    return size;
}

typedef struct bench {
    const weir_codec *codec;
    guard src, dst;
    char *theirs;
    int accepted, refused;
} bench;

static void compare(bench *b, const uint8_t *stream, size_t size, bool at_end)
{
    char text[80];
    size_t length = 0;
    const bool has_length =
        snappy_uncompressed_length((const char *)stream, size, &length) == SNAPPY_OK;
    const size_t room = has_length && length <= ROOM ? length : ROOM;
    weir_codec_job job = { .size = sizeof job,
                           .src = guard_copy(&b->src, stream, size, at_end),
                           .src_size = size,
                           .dst = guard_place(&b->dst, room, at_end),
                           .dst_size = room,
                           .text = text,
                           .text_size = sizeof text };
    const int code = b->codec->decompress(NULL, &job);
    size_t n = ROOM;

    if (has_length && length > ROOM) {
        cr_assert(code == WEIR_CODEC_CORRUPT || (code == WEIR_CODEC_SHORT && job.wanted == length));
        return;
    }
    if (snappy_uncompress((const char *)stream, size, b->theirs, &n) != SNAPPY_OK) {
        cr_assert_eq(code, WEIR_CODEC_CORRUPT, "libsnappy refuses what we take: %s", text);
        b->refused++;
        return;
    }
    cr_assert_eq(code, WEIR_CODEC_OK, "libsnappy takes what we refuse: %s", text);
    cr_assert_eq(job.written, n);
    cr_assert(memcmp(job.dst, b->theirs, n) == 0, "other bytes than libsnappy's");
    b->accepted++;
}

Test(snappy, decodes_and_refuses_what_libsnappy_does, .timeout = 600)
{
    uint8_t *const stream = malloc(ROOM);
    weir_registry *registry;
    uint64_t seed = 20240229;
    bench b = { .theirs = malloc(ROOM) };

    cr_assert(stream && b.theirs);
    cr_assert_eq(weir_registry_open(&registry, NULL), WEIR_OK);
    cr_assert_eq(weir_registry_find(registry, "parquet", 1, &b.codec, NULL), WEIR_OK);
    b.src = guard_open(ROOM);
    b.dst = guard_open(ROOM);
    for (int i = 0; i < STREAMS; i++) {
        size_t size = i % 2 ? make_elements(stream, &seed) : make_written(stream, &seed);

        size = bend(stream, size, &seed);
        compare(&b, stream, size, i % 4 < 2);
    }
    printf("%d streams accepted, %d refused by both\n", b.accepted, b.refused);
    cr_assert(b.accepted > STREAMS / 5 && b.refused > STREAMS / 5);
    guard_close(&b.src);
    guard_close(&b.dst);
    free(stream);
    free(b.theirs);
    weir_registry_close(registry);
}

Test(snappy, a_length_of_more_than_32_bits_is_corrupt)
{
    static const uint8_t five[] = { 0xff, 0xff, 0xff, 0xff, 0x10 }, endless[] = { 0x80, 0x80 };
    weir_registry *registry;
    const weir_codec *codec;
    uint8_t out[1];
    char text[80];
    weir_codec_job job = { .size = sizeof job,
                           .src = five,
                           .src_size = 5,
                           .dst = out,
                           .dst_size = 1,
                           .text = text,
                           .text_size = sizeof text };

    cr_assert_eq(weir_registry_open(&registry, NULL), WEIR_OK);
    cr_assert_eq(weir_registry_find(registry, "parquet", 1, &codec, NULL), WEIR_OK);
    cr_expect_eq(codec->decompress(NULL, &job), WEIR_CODEC_CORRUPT);
    cr_expect_eq(codec->room(NULL, &job), 0);
    job.src = endless;
    job.src_size = 2;
    cr_expect_eq(codec->decompress(NULL, &job), WEIR_CODEC_CORRUPT);
    weir_registry_close(registry);
}
