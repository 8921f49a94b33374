/* SPDX-License-Identifier: Apache-2.0
 * snappy.c: Snappy's raw format (google/snappy, format_description.txt), decoded here: a page is
 * mostly short elements, of which one after the other is a literal or a copy as if by the toss of a
 * coin, so a decoder that branches on it spends its time on wrong guesses. This one doesn't. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <weir/codec.h>

typedef struct snappy_cursor {
    const uint8_t *src; /* at a tag; NULL: what was there is not Snappy */
    uint8_t *dst;
} snappy_cursor;

typedef struct snappy_bounds {
    const uint8_t *src_end;
    const uint8_t *base; /* where dst began: no copy reaches before it */
    uint8_t *dst_end;
    uint8_t *loose_end; /* the loop starts no element there: SLACK before dst_end, or earlier */
} snappy_bounds;

enum {
    SLACK = 96 /* an element that starts this far from both ends may be read and written loosely */
};

/* What the loop needs to know of a tag, in 64 bits:
 *  0-7    bytes that come out
 *  8-15   the least offset with which two moves of 8 bytes make the copy; 0: a literal
 *  16-31  which of the two bytes after the tag belong to the offset
 *  48-58  the offset's part that stands in the tag itself
 *  63     an odd one: a literal whose length follows, or a copy with a 4-byte offset */
#define TAG_LENGTH(t) (((t)&3) == 1 ? 4u + ((t) >> 2 & 7) : 1u + ((t) >> 2))
#define TAG_LEAST(t) (((t)&3) == 0 ? 0u : TAG_LENGTH(t) < 8 ? TAG_LENGTH(t) : 8u)
#define TAG_MASK(t) (((t)&3) == 1 ? 0xffull : ((t)&3) == 2 ? 0xffffull : 0ull)
#define TAG_HIGH(t) (((t)&3) == 1 ? ((t) >> 5) * 256ull : 0ull)
#define TAG_ODD(t) (((t)&3) == 3 || (((t)&3) == 0 && (t) >= 240) ? 1ull : 0ull)
#define TAG(t) \
    (TAG_LENGTH(t) | TAG_LEAST(t) << 8 | TAG_MASK(t) << 16 | TAG_HIGH(t) << 48 | TAG_ODD(t) << 63)
#define TAGS4(t) TAG(t), TAG(t + 1), TAG(t + 2), TAG(t + 3)
#define TAGS16(t) TAGS4(t), TAGS4(t + 4), TAGS4(t + 8), TAGS4(t + 12)
#define TAGS64(t) TAGS16(t), TAGS16(t + 16), TAGS16(t + 32), TAGS16(t + 48)

static const uint64_t tags[256] = { TAGS64(0u), TAGS64(64u), TAGS64(128u), TAGS64(192u) };

static inline uint32_t load32(const uint8_t *src)
{
    uint32_t value;

    memcpy(&value, src, sizeof value);
    return value;
}

/* Through a register: src and dst may overlap, which memcpy from one to the other may not. */
static inline void move8(uint8_t *dst, const uint8_t *src)
{
    uint64_t word;

    memcpy(&word, src, sizeof word);
    memcpy(dst, &word, sizeof word);
}

/* One after the other: a copy from 8 bytes before dst is right. */
static inline void move8x2(uint8_t *dst, const uint8_t *src)
{
    move8(dst, src);
    move8(dst + 8, src + 8);
}

static inline void move16(uint8_t *dst, const uint8_t *src)
{
    uint8_t word[16];

    memcpy(word, src, sizeof word);
    memcpy(dst, word, sizeof word);
}

/* Picks where an element's bytes come from and how many bytes it has, without a branch, which gcc
 * would make of the plain form: 0.8 of the speed. */
static inline void choose(uint32_t kind, const uint8_t **from, const uint8_t *literal, size_t *step,
                          size_t literal_step)
{
#if defined(__x86_64__)
    __asm__("test %2, %2\n\tcmove %3, %0\n\tcmove %4, %1"
            : "+r"(*from), "+r"(*step)
            : "r"(kind), "r"(literal), "r"(literal_step)
            : "cc");
#else
    *from = kind == 0 ? literal : *from;
    *step = kind == 0 ? literal_step : *step;
#endif
}

/* Reads the tag and what belongs to it; *offset 0: a literal, whose bytes are next. False: it is
 * cut off. Of a literal the bytes may be. */
static bool snappy_element(const uint8_t **src, const uint8_t *end, size_t *length, size_t *offset)
{
    const uint8_t *at = *src;
    const uint32_t tag = *at++, kind = tag & 3;
    size_t extra = kind == 3 ? 4 : kind, value = 0;

    *length = TAG_LENGTH(tag);
    if (kind == 0 && *length > 60) /* the length less one follows in 1 to 4 bytes */
        extra = *length - 60;
    if ((size_t)(end - at) < extra)
        return false;
    for (size_t i = 0; i < extra; i++)
        value |= (size_t)at[i] << (8 * i);
    if (kind == 0 && extra > 0)
        *length = value + 1;
    *offset = kind == 0 ? 0 : value | (kind == 1 ? (size_t)(tag >> 5) << 8 : 0);
    *src = at + extra;
    return kind == 0 || *offset > 0;
}

static bool fits(const snappy_cursor *at, const snappy_bounds *bounds, size_t length, size_t offset)
{
    return length <= (size_t)(bounds->dst_end - at->dst) &&
           (offset == 0 ? length <= (size_t)(bounds->src_end - at->src)
                        : offset <= (size_t)(at->dst - bounds->base));
}

/* One element to the byte. */
static snappy_cursor snappy_careful(snappy_cursor at, const snappy_bounds *bounds)
{
    size_t length, offset;

    if (!snappy_element(&at.src, bounds->src_end, &length, &offset) ||
        !fits(&at, bounds, length, offset))
        return (snappy_cursor){ NULL, at.dst };
    if (offset == 0) {
        memcpy(at.dst, at.src, length);
        return (snappy_cursor){ at.src + length, at.dst + length };
    }
    for (; length > 0; length--, at.dst++)
        *at.dst = *(at.dst - offset);
    return at;
}

/* One element that the loop doesn't take, SLACK away from both ends; out of line, since it comes
 * seldom and would cost the loop its registers. */
__attribute__((noinline, cold)) static snappy_cursor snappy_odd(snappy_cursor at,
                                                                const snappy_bounds *bounds)
{
    const uint8_t *from;
    uint8_t *end;
    size_t length, offset;

    if (!snappy_element(&at.src, bounds->src_end, &length, &offset) ||
        !fits(&at, bounds, length, offset))
        return (snappy_cursor){ NULL, at.dst };
    end = at.dst + length;
    if (offset == 0) {
        memcpy(at.dst, at.src, length);
        return (snappy_cursor){ at.src + length, end };
    }
    /* A pattern shorter than a move: each move makes twice as much of it right. */
    from = at.dst - offset;
    for (; offset < 16 && at.dst < end; offset *= 2) {
        move8x2(at.dst, from);
        at.dst += offset;
    }
    for (; at.dst < end; at.dst += 16, from += 16)
        move16(at.dst, from);
    return (snappy_cursor){ at.src, end };
}

/* Elements while there is SLACK at both ends. A count that no element can overrun stands for the
 * two end tests. All that can be wrong or odd about an element ends up in the sign of `odd`. */
static snappy_cursor snappy_loop(snappy_cursor at, const snappy_bounds *bounds)
{
    const uint8_t *const src_stop = bounds->src_end - SLACK, *src = at.src;
    uint8_t *const dst_stop = bounds->loose_end, *dst = at.dst;

    while (src < src_stop && dst < dst_stop) {
        const size_t src_count = (size_t)(src_stop - src) / 64;
        const size_t dst_count = (size_t)(dst_stop - dst) / 64;
        size_t count = (src_count < dst_count ? src_count : dst_count) + 1;
        uint32_t tag = *src;

        do {
            const uint64_t entry = tags[tag];
            const uint32_t length = (uint8_t)entry, kind = tag & 3;
            /* The length before the first tag makes src[-1] readable. */
            const uint64_t offset = ((load32(src - 1) & (uint32_t)entry) >> 16) + (entry >> 48);
            const uint64_t odd = ((uint64_t)(dst - bounds->base) - offset) |
                                 (offset - (uint8_t)(entry >> 8)) | entry;
            const uint8_t *from = dst - offset;
            size_t step = kind + 1;

            if (__builtin_expect((int64_t)odd < 0, 0)) {
                at = snappy_odd((snappy_cursor){ src, dst }, bounds);
                if (!at.src)
                    return (snappy_cursor){ NULL, dst };
                src = at.src;
                dst = at.dst;
                break;
            }
            choose(kind, &from, src + 1, &step, (tag >> 2) + 2);
            src += step;
            tag = *src;
            move8x2(dst, from);
            if (__builtin_expect(length > 16, 0)) {
                from = kind != 0 && offset < 16 ? dst + 16 - 2 * offset : from + 16;
                move16(dst + 16, from);
                if (length > 32) {
                    move16(dst + 32, from + 16);
                    move16(dst + 48, from + 32);
                }
            }
            dst += length;
        } while (--count > 0);
    }
    return (snappy_cursor){ src, dst };
}

/* A copy of 64 bytes takes three: no more comes out. */
static uint64_t snappy_most(size_t src_size)
{
    return (uint64_t)src_size * 64 / 3;
}

/* The length that comes out, a varint of 32 bits; false: there is none. */
static bool snappy_length(const uint8_t **src, const uint8_t *end, uint32_t *out)
{
    uint32_t length = 0;

    for (int shift = 0; shift < 35 && *src < end; shift += 7) {
        const uint8_t byte = *(*src)++;

        if (shift == 28 && byte > 15)
            return false;
        length |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = length;
            return true;
        }
    }
    return false;
}

static int snappy_fail(weir_codec_job *job, int code, const char *what, size_t at, size_t of)
{
    snprintf(job->text, job->text_size, "%s: %zu of %zu", what, at, of);
    return code;
}

/* The bytes that will do, of `length` that come out. */
static size_t snappy_enough(const weir_codec_job *job, size_t length)
{
    const bool is_said = job->size >= offsetof(weir_codec_job, enough) + sizeof job->enough &&
                         job->enough > 0 && job->enough < length;

    return is_said ? job->enough : length;
}

static int snappy_decompress(void *state, weir_codec_job *job)
{
    snappy_bounds bounds = { job->src + job->src_size, job->dst, job->dst, job->dst };
    snappy_cursor at = { job->src, job->dst };
    uint32_t length;
    size_t enough;

    (void)state;
    if (!snappy_length(&at.src, bounds.src_end, &length))
        return snappy_fail(job, WEIR_CODEC_CORRUPT, "no length at the start", 0, job->src_size);
    if (length > snappy_most(job->src_size))
        return snappy_fail(job, WEIR_CODEC_CORRUPT, "too long for its bytes", job->src_size,
                           length);
    if (length > job->dst_size) {
        job->wanted = length;
        return snappy_fail(job, WEIR_CODEC_SHORT, "too little room", job->dst_size, length);
    }
    bounds.dst_end += length;
    enough = snappy_enough(job, length);
    if (bounds.src_end - at.src > SLACK && length > SLACK) {
        bounds.loose_end = job->dst + (enough < length - SLACK ? enough : length - SLACK);
        at = snappy_loop(at, &bounds);
    }
    while (at.src && at.src < bounds.src_end &&
           (enough == length || (size_t)(at.dst - job->dst) < enough))
        at = snappy_careful(at, &bounds);
    job->written = (size_t)(at.dst - job->dst);
    if (!at.src)
        return snappy_fail(job, WEIR_CODEC_CORRUPT, "bad element after", job->written, length);
    if (job->written < enough)
        return snappy_fail(job, WEIR_CODEC_CORRUPT, "cut short", job->written, length);
    return WEIR_CODEC_OK;
}

static uint64_t snappy_room(void *state, const weir_codec_job *job)
{
    const uint64_t most = snappy_most(job->src_size);
    const uint8_t *src = job->src;
    uint32_t length;

    (void)state;
    if (!snappy_length(&src, src + job->src_size, &length))
        return 0;
    return length < most ? length : most;
}

static const char *snappy_version(void)
{
    return "own";
}

static const weir_codec snappy = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "snappy",
    .wire_ids = (const weir_wire_id[]){ { "parquet", 1 }, { NULL, 0 } },
    .decompress = snappy_decompress,
    .room = snappy_room,
    .version = snappy_version,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &snappy, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
