/* SPDX-License-Identifier: Apache-2.0
 * check_kernels.c: each kernel against a loop over single bits or values. Sources end 64 bytes (the
 * slack) before a page that can't be read, destinations lie between canaries. */
#include "check_kernels.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SLACK = 64,
    EVERY = 200,    /* counts up to this one are all tried */
    MOST = 5000,    /* the largest count */
    ROOM = 1 << 19, /* bytes of a source or destination */
    CANARIES = 192, /* bytes before and after a destination */
    CANARY = 0xa5,
};

static const size_t larger[] = { 255, 256, 257, 511, 512, 513, 1000, 1023, 1024, 1025, 4099, MOST };
enum {
    COUNTS = EVERY + 1 + sizeof larger / sizeof *larger
};

static size_t count_of(size_t i)
{
    return i <= EVERY ? i : larger[i - EVERY - 1];
}

static const char *fail(const char *format, ...)
{
    static char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

/* ---- random bytes, sources, destinations ---- */

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d >> 8 ^ state << 40;
}

static void fill_random(void *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)out)[i] = (uint8_t)next_random();
}

/* Copies `size` bytes to where they end `SLACK + before_end` bytes before an unreadable page; what
 * follows them is random. Each slot holds one source at a time. */
static const void *place_at(int slot, const void *bytes, size_t size, size_t before_end)
{
    static uint8_t *end[3];
    uint8_t *at;

    if (end[slot] == NULL) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        uint8_t *map =
            mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + ROOM, page, PROT_NONE) != 0)
            abort();
        end[slot] = map + ROOM;
    }
    if (size + SLACK + before_end > ROOM)
        abort();
    at = end[slot] - SLACK - before_end - size;
    memcpy(at, bytes, size);
    fill_random(at + size, SLACK + before_end);
    return at;
}

/* Every other source has an odd address, or one of any alignment. */
static const void *place(int slot, const void *bytes, size_t size)
{
    static unsigned turn;

    turn++;
    return place_at(slot, bytes, size, turn % 2 == 0 ? 0 : turn / 2 % 16);
}

static uint8_t *destination(size_t size)
{
    static _Alignas(64) uint8_t room[CANARIES + ROOM + CANARIES];

    if (size > ROOM)
        abort();
    memset(room, CANARY, CANARIES);
    memset(room + CANARIES, CANARY, size + CANARIES);
    return room + CANARIES;
}

/* Whether what lies before a destination of `size` bytes, and after `slack` more, is untouched. */
static bool is_contained(const uint8_t *dst, size_t size, size_t slack)
{
    for (size_t i = 1; i <= CANARIES; i++)
        if (dst[-(ptrdiff_t)i] != CANARY)
            return false;
    for (size_t i = size + slack; i < size + CANARIES; i++)
        if (dst[i] != CANARY)
            return false;
    return true;
}

/* The verdict on one call; `size` bytes were to be written. */
static const char *compare(const char *what, size_t of, size_t count, const uint8_t *dst,
                           const void *expected, size_t size, size_t slack)
{
    if (!is_contained(dst, size, slack))
        return fail("%s (%zu), count %zu: wrote outside", what, of, count);
    if (size == 0 || memcmp(dst, expected, size) == 0)
        return NULL;
    for (size_t i = 0; i < size; i++)
        if (dst[i] != ((const uint8_t *)expected)[i])
            return fail("%s (%zu), count %zu: byte %zu is %02x, not %02x", what, of, count, i,
                        dst[i], ((const uint8_t *)expected)[i]);
    return NULL;
}

static unsigned bit_of(const uint8_t *bits, size_t i)
{
    return (unsigned)bits[i / 8] >> i % 8 & 1;
}

/* ---- unpack ---- */

static uint64_t naive_value(const uint8_t *bits, size_t width, size_t i)
{
    uint64_t value = 0;

    for (size_t k = 0; k < width; k++)
        value |= (uint64_t)bit_of(bits, i * width + k) << k;
    return value;
}

/* All widths; random bits, and all ones for the last bit of each value. */
static const char *check_unpack(const weir_kernels *k, size_t value_size)
{
    static uint8_t bits[MOST * 8];
    static uint64_t values_64[MOST];
    static uint32_t values_32[MOST];
    const char *wrong;

    for (size_t width = 0; width <= 8 * value_size; width++) {
        for (int ones = 0; ones < 2; ones++) {
            fill_random(bits, sizeof bits);
            if (ones)
                memset(bits, 0xff, sizeof bits);
            for (size_t i = 0; i < MOST; i++) {
                values_64[i] = naive_value(bits, width, i);
                values_32[i] = (uint32_t)values_64[i];
            }
            for (size_t c = 0; c < COUNTS; c++) {
                const size_t count = count_of(c);
                const uint8_t *src = place(0, bits, (count * width + 7) / 8);
                uint8_t *dst = destination(count * value_size);
                if (value_size == 4)
                    k->unpack_u32(src, (uint32_t)width, count, (uint32_t *)(void *)dst);
                else
                    k->unpack_u64(src, (uint32_t)width, count, (uint64_t *)(void *)dst);
                wrong = compare("width", width, count, dst,
                                value_size == 4 ? (void *)values_32 : (void *)values_64,
                                count * value_size, SLACK);
                if (wrong != NULL)
                    return wrong;
            }
        }
    }
    return NULL;
}

const char *check_unpack_u32(const weir_kernels *k)
{
    return check_unpack(k, 4);
}

const char *check_unpack_u64(const weir_kernels *k)
{
    return check_unpack(k, 8);
}

enum {
    RUNS = 24
};

/* A stream of the hybrid, and where its runs end, in bytes and in values. */
typedef struct stream {
    uint8_t bytes[ROOM / 2];
    uint32_t values[40000];
    size_t ends[RUNS + 1], counts[RUNS + 1];
    size_t odd; /* the first run that isn't to be taken; RUNS: none */
} stream;

/* One run: a header of one or two bytes, or of three. */
static void put_run(stream *s, size_t run, size_t width, size_t count, bool is_packed, bool is_wide)
{
    const size_t bytes = is_packed ? count * width / 8 : (width + 7) / 8;
    const uint64_t ones = is_wide || width == 32 ? UINT32_MAX : ((uint64_t)1 << width) - 1;
    uint8_t *at = s->bytes + s->ends[run];
    uint64_t header = is_packed ? count / 8 << 1 | 1 : count << 1;

    do {
        *at++ = (uint8_t)((header & 0x7f) | (header >> 7 ? 0x80 : 0));
        header >>= 7;
    } while (header > 0);
    fill_random(at, bytes);
    for (size_t i = 0; !is_packed && i < bytes; i++)
        at[i] &= (uint8_t)(ones >> 8 * i);
    for (size_t i = 0; i < count; i++)
        s->values[s->counts[run] + i] =
            (uint32_t)(is_packed ? naive_value(at, width, i) : naive_value(at, bytes * 8, 0));
    s->ends[run + 1] = (size_t)(at + bytes - s->bytes);
    s->counts[run + 1] = s->counts[run] + count;
}

/* Runs of all lengths. `is_wide`: a repeated value may have more bits than the width. */
static void make_stream(stream *s, size_t width, size_t turn, bool is_wide)
{
    static const size_t lengths[] = { 1, 2, 7, 8, 15, 16, 17, 24, 39, 63, 64, 91, 120, 504, 1000 };

    s->odd = RUNS;
    for (size_t r = 0; r < RUNS; r++) {
        bool is_packed = next_random() % 2;
        size_t count = lengths[next_random() % 15];
        if (is_packed)
            count = (count + 7) / 8 * 8;
        if (turn % 4 == 3 && r == turn / 4) {
            s->odd = r;
            count = turn % 8 == 3 ? 0 : 10000;
            is_packed = is_packed && count == 0;
        }
        put_run(s, r, width, count, is_packed, is_wide);
    }
}

/* What may be read of the stream, how much room there is, and how many runs that gives. */
static size_t limit_stream(const stream *s, size_t turn, size_t *size, size_t *room)
{
    size_t taken = 0;

    *size = s->ends[next_random() % (RUNS + 1)];
    *size -= turn % 3 == 1 && *size > 0;
    *room = turn % 2 ? s->counts[RUNS] : s->counts[next_random() % (RUNS + 1)] + turn;
    while (taken < s->odd && s->ends[taken + 1] <= *size && s->counts[taken + 1] <= *room)
        taken++;
    return taken;
}

/* As many as are whole in the room and before the end, up to the first that isn't to be taken. */
const char *check_unpack_runs(const weir_kernels *k)
{
    static stream s;

    for (size_t width = 1; width <= 32; width++) {
        for (size_t turn = 0; turn < 60; turn++) {
            size_t size, room, taken, got;
            const uint8_t *src, *at;
            const char *wrong;
            uint8_t *dst;
            make_stream(&s, width, turn, true);
            taken = limit_stream(&s, turn, &size, &room);
            at = src = place(0, s.bytes, size);
            dst = destination(s.counts[taken] * 4);
            got = k->unpack_runs(&at, src + size, (uint32_t)width, room, (uint32_t *)(void *)dst);
            if (got != s.counts[taken] || at != src + s.ends[taken])
                return fail("width %zu, turn %zu: %zu values in %td bytes, not %zu in %zu", width,
                            turn, got, at - src, s.counts[taken], s.ends[taken]);
            wrong = compare("width", width, got, dst, s.values, got * 4, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

/* Tables of all the entries that a width may ask for, and of fewer: then the largest code tells. */
const char *check_look_up_runs_64(const weir_kernels *k)
{
    static stream s;
    static uint64_t table[4096], expected[40000];

    fill_random(table, sizeof table);
    for (size_t width = 1; width <= 32; width++) {
        for (size_t turn = 0; turn < 60; turn++) {
            const size_t all = width > 12 ? 4096 : (size_t)1 << width;
            const size_t entries = turn % 5 == 4 ? (all + 1) / 2 + turn % 3 : all;
            size_t size, room, taken, got;
            uint32_t largest = 0, most = 0;
            const uint8_t *src, *at;
            const void *from;
            const char *wrong;
            uint8_t *dst;
            make_stream(&s, width, turn, false);
            taken = limit_stream(&s, turn, &size, &room);
            for (size_t i = 0; i < s.counts[taken]; i++) {
                largest = s.values[i] > largest ? s.values[i] : largest;
                expected[i] = table[s.values[i] % 4096];
            }
            from = place(1, table, entries * 8);
            at = src = place(0, s.bytes, size);
            dst = destination(s.counts[taken] * 8);
            got = k->look_up_runs_64(&at, src + size, (uint32_t)width, room, from, entries,
                                     (uint64_t *)(void *)dst, &most);
            if (got != s.counts[taken] || at != src + s.ends[taken] || most != largest)
                return fail("width %zu, turn %zu: %zu values in %td bytes up to %u, not %zu in %zu "
                            "up to %u",
                            width, turn, got, at - src, most, s.counts[taken], s.ends[taken],
                            largest);
            wrong = compare("width", width, got, dst, largest < entries ? (void *)expected : dst,
                            got * 8, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

/* ---- codes ---- */

/* The largest code is tried at every place, the sign bit among them. */
const char *check_max_u32(const weir_kernels *k)
{
    static uint32_t codes[MOST];

    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c), step = count > EVERY ? count / 7 : 1;
        for (size_t at = 0; at < count; at += step) {
            const uint32_t most = at % 3 == 0 ? UINT32_MAX : at % 3 == 1 ? 0x80000000u : 70000;
            uint32_t got;
            for (size_t i = 0; i < count; i++)
                codes[i] = (uint32_t)next_random() % 70000;
            codes[at] = most;
            got = k->max_u32(place(0, codes, count * 4), count);
            if (got != most)
                return fail("count %zu, largest at %zu: %u, not %u", count, at, got, most);
        }
        memset(codes, 0, sizeof codes);
        if (k->max_u32(place(0, codes, count * 4), count) != 0)
            return fail("count %zu: the largest of zeros is not 0", count);
    }
    return NULL;
}

static const size_t table_entries[] = { 1,  2,  3,  7,  8,  9,   15,  16,  17,  31,
                                        32, 33, 63, 64, 65, 127, 128, 129, 300, 6000 };

/* What follows the codes is random, so a kernel that looks those up, too, crashes. */
static const char *check_gather(const weir_kernels *k, size_t width)
{
    static uint8_t table[6000 * 40], expected[MOST * 40];
    static uint32_t codes[MOST];
    const char *wrong;

    fill_random(table, sizeof table);
    for (size_t e = 0; e < sizeof table_entries / sizeof *table_entries; e++) {
        const size_t entries = table_entries[e];
        const void *from = place(1, table, entries * width);
        for (size_t i = 0; i < MOST; i++) {
            codes[i] = (uint32_t)(next_random() % entries);
            codes[i] = i % 7 == 0 ? (uint32_t)entries - 1 : codes[i];
            memcpy(expected + i * width, table + codes[i] * width, width);
        }
        for (size_t c = 0; c < COUNTS; c++) {
            const size_t count = count_of(c);
            const uint32_t *src = place(0, codes, count * 4);
            uint8_t *dst = destination(count * width);
            if (width == 4)
                k->gather_32(from, entries, src, count, (uint32_t *)(void *)dst);
            else if (width == 8)
                k->gather_64(from, entries, src, count, (uint64_t *)(void *)dst);
            else
                k->gather_wide(from, width, src, count, dst);
            wrong = compare("entries", entries, count, dst, expected, count * width, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_gather_32(const weir_kernels *k)
{
    return check_gather(k, 4);
}

const char *check_gather_64(const weir_kernels *k)
{
    return check_gather(k, 8);
}

const char *check_gather_wide(const weir_kernels *k)
{
    static const size_t widths[] = { 1, 3, 12, 15, 16, 17, 32, 40 };

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const char *wrong = check_gather(k, widths[w]);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* ---- spread ---- */

/* Bits set with a chance of eighths/8; past `rows` they are random, as a page may leave them. */
static size_t random_presence(uint8_t *present, size_t rows, unsigned eighths)
{
    size_t set = 0;

    fill_random(present, (rows + 7) / 8);
    for (size_t i = 0; i < rows; i++) {
        const bool is_set = next_random() % 8 < eighths;
        present[i / 8] = (uint8_t)((present[i / 8] & ~(1u << i % 8)) | (unsigned)is_set << i % 8);
        set += is_set;
    }
    return set;
}

static void naive_spread(const uint8_t *src, size_t width, const uint8_t *present, size_t rows,
                         uint8_t *dst)
{
    for (size_t i = 0; i < rows; i++) {
        memset(dst + i * width, 0, width);
        if (bit_of(present, i)) {
            memcpy(dst + i * width, src, width);
            src += width;
        }
    }
}

static const char *check_spread(const weir_kernels *k, size_t width, bool is_wide)
{
    static uint8_t dense[MOST * 100], expected[MOST * 100], present[MOST / 8 + 1];
    const char *wrong;

    fill_random(dense, sizeof dense);
    for (size_t c = 0; c < COUNTS; c++) {
        for (unsigned eighths = 0; eighths <= 8; eighths++) {
            const size_t rows = count_of(c);
            const size_t set = random_presence(present, rows, eighths);
            const void *src = place(0, dense, set * width);
            const uint8_t *bits = place(1, present, (rows + 7) / 8);
            uint8_t *dst = destination(rows * width);
            naive_spread(dense, width, present, rows, expected);
            if (is_wide)
                k->spread_wide(src, width, bits, rows, dst);
            else if (width == 1)
                k->spread_8(src, bits, rows, dst);
            else if (width == 4)
                k->spread_32(src, bits, rows, (uint32_t *)(void *)dst);
            else
                k->spread_64(src, bits, rows, (uint64_t *)(void *)dst);
            wrong = compare("width", width, rows, dst, expected, rows * width, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_spread_8(const weir_kernels *k)
{
    return check_spread(k, 1, false);
}

const char *check_spread_32(const weir_kernels *k)
{
    return check_spread(k, 4, false);
}

const char *check_spread_64(const weir_kernels *k)
{
    return check_spread(k, 8, false);
}

const char *check_spread_wide(const weir_kernels *k)
{
    static const size_t widths[] = { 1, 3, 12, 16, 17, 64, 100 };

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const char *wrong = check_spread(k, widths[w], true);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* What follows the codes is random, and so are the bits after the last row's. */
static const char *check_gather_spread(const weir_kernels *k, size_t width)
{
    static uint8_t table[6000 * 8], dense[MOST * 8], expected[MOST * 8], present[MOST / 8 + 1];
    static uint32_t codes[MOST];
    const char *wrong;

    fill_random(table, sizeof table);
    for (size_t e = 0; e < sizeof table_entries / sizeof *table_entries; e++) {
        const size_t entries = table_entries[e];
        const void *from = place(2, table, entries * width);
        for (size_t i = 0; i < MOST; i++) {
            codes[i] = i % 7 == 0 ? (uint32_t)entries - 1 : (uint32_t)(next_random() % entries);
            memcpy(dense + i * width, table + codes[i] * width, width);
        }
        for (size_t c = 0; c < 3 * COUNTS; c++) {
            const size_t rows = count_of(c / 3);
            const size_t set = random_presence(present, rows, (unsigned)(c * 5 % 9));
            const uint32_t *src = place(0, codes, set * 4);
            const uint8_t *bits = place(1, present, (rows + 7) / 8);
            uint8_t *dst = destination(rows * width);
            naive_spread(dense, width, present, rows, expected);
            if (width == 4)
                k->gather_spread_32(from, entries, src, bits, rows, (uint32_t *)(void *)dst);
            else
                k->gather_spread_64(from, entries, src, bits, rows, (uint64_t *)(void *)dst);
            wrong = compare("entries", entries, rows, dst, expected, rows * width, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_gather_spread_32(const weir_kernels *k)
{
    return check_gather_spread(k, 4);
}

const char *check_gather_spread_64(const weir_kernels *k)
{
    return check_gather_spread(k, 8);
}

/* ---- bits ---- */

const char *check_count_bits(const weir_kernels *k)
{
    static uint8_t bits[MOST / 8 + 1];

    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c), size = (count + 7) / 8;
        size_t expected = 0, got;
        fill_random(bits, sizeof bits);
        for (size_t i = 0; i < count; i++)
            expected += bit_of(bits, i);
        got = k->count_bits(place(0, bits, size), count);
        if (got != expected)
            return fail("count %zu: %zu set, not %zu", count, got, expected);
        memset(bits, 0xff, sizeof bits);
        if (k->count_bits(place(0, bits, size), count) != count)
            return fail("count %zu: not all of the ones", count);
    }
    return NULL;
}

/* Masks read 64 bits at a time have 8 bytes of zeros past their last. */
enum {
    MASK = MOST / 8 + 1 + 16
};

const char *check_low_bytes(const weir_kernels *k)
{
    static uint32_t values[MOST + 16]; /* whole blocks are read */
    static uint8_t got[MOST + 1 + 64];

    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c);

        fill_random((uint8_t *)values, sizeof values);
        memset(got, CANARY, sizeof got);
        k->low_bytes(values, count, got);
        for (size_t i = 0; i < count; i++)
            if (got[i] != (values[i] & 0xff))
                return fail("count %zu: byte %zu", count, i);
    }
    return NULL;
}

const char *check_mask_at_least(const weir_kernels *k)
{
    static uint8_t levels[MOST + 1], mask[MASK];

    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c), bytes = (count + 7) / 8;

        for (unsigned least = 0; least < 256; least += least < 4 || least > 250 ? 1 : 41) {
            fill_random(levels, sizeof levels);
            for (size_t i = 0; i < count; i += 3) /* near the edge, too */
                levels[i] = (uint8_t)(least - 1 + levels[i] % 3);
            memset(mask, 0xa5, sizeof mask);
            k->mask_at_least(place(0, levels, count), count, (uint8_t)least, mask);
            for (size_t i = 0; i < (bytes + 8) * 8; i++)
                if (bit_of(mask, i) != (i < count && levels[i] >= least))
                    return fail("count %zu, least %zu: bit %zu", count, (size_t)least, i);
        }
    }
    return NULL;
}

const char *check_squeeze_bits(const weir_kernels *k)
{
    static uint8_t bits[MASK], mask[MASK], expected[MASK + 64], got[MASK + 64];

    for (size_t c = 0; c < COUNTS; c++)
        for (size_t at = 0; at < 19; at += 1 + c % 3) {
            const size_t count = count_of(c);
            size_t to = at, set = 0;

            fill_random(bits, sizeof bits);
            fill_random(mask, sizeof mask);
            if (c % 4 == 1)
                memset(mask, 0xff, sizeof mask);
            for (size_t i = count; i < sizeof mask * 8; i++)
                mask[i / 8] &= (uint8_t) ~(1u << i % 8);
            memset(expected, 0, sizeof expected);
            memset(got, 0, sizeof got);
            fill_random(got, 3);
            memcpy(expected, got, 3);
            for (size_t i = at; i < 24; i++)
                expected[i / 8] &= (uint8_t) ~(1u << i % 8);
            for (size_t i = 0; i < count; i++)
                if (bit_of(mask, i)) {
                    set += bit_of(bits, i);
                    expected[to / 8] |= (uint8_t)(bit_of(bits, i) << to % 8);
                    to++;
                }
            if (k->squeeze_bits(bits, mask, count, got, at) != set)
                return fail("count %zu, at %zu: another number of them", count, at, (size_t)0);
            for (size_t i = 0; i < to; i++)
                if (bit_of(got, i) != bit_of(expected, i))
                    return fail("count %zu, at %zu: bit %zu", count, at, i);
        }
    return NULL;
}

const char *check_list_offsets(const weir_kernels *k)
{
    static uint8_t slots[MASK], elements[MASK];
    static int32_t got[MOST + 1];

    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c);
        int32_t below = 7;
        size_t n = 0;

        fill_random(slots, sizeof slots);
        fill_random(elements, sizeof elements);
        for (size_t i = count; i < sizeof slots * 8; i++) {
            slots[i / 8] &= (uint8_t) ~(1u << i % 8);
            elements[i / 8] &= (uint8_t) ~(1u << i % 8);
        }
        k->list_offsets(slots, elements, count, 7, got);
        for (size_t i = 0; i < count; i++) {
            if (bit_of(slots, i) && got[n++] != below)
                return fail("count %zu: list %zu at level %zu", count, n - 1, i);
            below += (int32_t)bit_of(elements, i);
        }
    }
    return NULL;
}

/* What copy_bits and pack_bools leave of a destination of canaries. Gives its size. */
static size_t naive_put(const uint8_t *values, size_t count, uint8_t *dst, size_t dst_bit)
{
    const size_t size = count == 0 ? dst_bit / 8 : (dst_bit + count + 7) / 8;

    memset(dst, CANARY, size + 1);
    for (size_t i = dst_bit; count > 0 && i < 8 * size; i++) {
        const unsigned value = i - dst_bit < count ? values[i - dst_bit] : 0;
        dst[i / 8] = (uint8_t)((dst[i / 8] & ~(1u << i % 8)) | value << i % 8);
    }
    return size;
}

const char *check_copy_bits(const weir_kernels *k)
{
    static uint8_t bits[MOST / 8 + 8], values[MOST], expected[MOST / 8 + 8];
    const char *wrong;

    fill_random(bits, sizeof bits);
    for (size_t bit = 0; bit < 18 * 18; bit++) {
        const size_t src_bit = bit % 18, dst_bit = bit / 18;
        for (size_t c = 0; c < COUNTS; c++) {
            const size_t count = count_of(c);
            const uint8_t *src = place(0, bits, (src_bit + count + 7) / 8);
            uint8_t *dst;
            size_t size;
            for (size_t i = 0; i < count; i++)
                values[i] = (uint8_t)bit_of(bits, src_bit + i);
            size = naive_put(values, count, expected, dst_bit);
            dst = destination(size);
            k->copy_bits(src, src_bit, count, dst, dst_bit);
            wrong = compare("bits src * 100 + dst", src_bit * 100 + dst_bit, count, dst, expected,
                            size, 0);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_pack_bools(const weir_kernels *k)
{
    static uint8_t values[MOST], expected[MOST / 8 + 8];
    const char *wrong;

    for (size_t dst_bit = 0; dst_bit < 18; dst_bit++) {
        for (size_t c = 0; c < COUNTS; c++) {
            const size_t count = count_of(c);
            uint8_t *dst;
            size_t size;
            for (size_t i = 0; i < count; i++)
                values[i] = (uint8_t)(next_random() & 1);
            size = naive_put(values, count, expected, dst_bit);
            dst = destination(size);
            k->pack_bools(place(0, values, count), count, dst, dst_bit);
            wrong = compare("dst bit", dst_bit, count, dst, expected, size, 0);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_unpack_bools(const weir_kernels *k)
{
    static uint8_t bits[MOST / 8 + 8], expected[MOST];
    const char *wrong;

    fill_random(bits, sizeof bits);
    for (size_t src_bit = 0; src_bit < 18; src_bit++) {
        for (size_t c = 0; c < COUNTS; c++) {
            const size_t count = count_of(c);
            uint8_t *dst = destination(count);
            for (size_t i = 0; i < count; i++)
                expected[i] = (uint8_t)bit_of(bits, src_bit + i);
            k->unpack_bools(place(0, bits, (src_bit + count + 7) / 8), src_bit, count, dst);
            wrong = compare("src bit", src_bit, count, dst, expected, count, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

/* ---- sums, streams, casts ---- */

/* Random and extreme deltas, into another place and into the deltas' own. */
const char *check_prefix_32(const weir_kernels *k)
{
    static uint32_t delta[MOST], expected[MOST];
    const uint32_t extremes[] = { 0, 1, 0x7fffffff, 0x80000000, UINT32_MAX };

    for (size_t c = 0; c < 2 * COUNTS; c++) {
        const size_t count = count_of(c / 2), size = count * 4;
        const uint32_t first = extremes[c % 5], least = extremes[c / 5 % 5];
        const bool is_own = c % 2 == 1;
        uint8_t *dst = destination(size);
        uint32_t last = first, got;
        const char *wrong;
        for (size_t i = 0; i < count; i++) {
            delta[i] = c % 3 == 0 ? extremes[i % 5] : (uint32_t)next_random();
            last += least + delta[i];
            expected[i] = last;
        }
        if (is_own)
            memcpy(dst, delta, size);
        got = k->prefix_32(is_own ? (void *)dst : place(0, delta, size), count, first, least,
                           (uint32_t *)(void *)dst);
        if (got != last)
            return fail("count %zu: gave %u, not %u", count, got, last);
        wrong = compare("own place", is_own, count, dst, expected, size, SLACK);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

const char *check_prefix_64(const weir_kernels *k)
{
    static uint64_t delta[MOST], expected[MOST];
    const uint64_t extremes[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX };

    for (size_t c = 0; c < 2 * COUNTS; c++) {
        const size_t count = count_of(c / 2), size = count * 8;
        const uint64_t first = extremes[c % 5], least = extremes[c / 5 % 5];
        const bool is_own = c % 2 == 1;
        uint8_t *dst = destination(size);
        uint64_t last = first, got;
        const char *wrong;
        for (size_t i = 0; i < count; i++) {
            delta[i] = c % 3 == 0 ? extremes[i % 5] : next_random();
            last += least + delta[i];
            expected[i] = last;
        }
        if (is_own)
            memcpy(dst, delta, size);
        got = k->prefix_64(is_own ? (void *)dst : place(0, delta, size), count, first, least,
                           (uint64_t *)(void *)dst);
        if (got != last)
            return fail("count %zu: gave %llu, not %llu", count, (unsigned long long)got,
                        (unsigned long long)last);
        wrong = compare("own place", is_own, count, dst, expected, size, SLACK);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* Streams side by side, and with other values between: a slice of a page. */
const char *check_join_streams(const weir_kernels *k)
{
    static uint8_t streams[(MOST + 77) * 33], expected[MOST * 33];
    const char *wrong;

    fill_random(streams, sizeof streams);
    for (size_t width = 1; width <= 33; width++) {
        for (size_t c = 0; c < COUNTS; c++) {
            const size_t count = count_of(c), stride = count + (c % 2 == 0 ? 0 : 77);
            const size_t size = count == 0 ? 0 : (width - 1) * stride + count;
            uint8_t *dst = destination(count * width);
            for (size_t i = 0; i < count * width; i++)
                expected[i] = streams[i % width * stride + i / width];
            k->join_streams(place(0, streams, size), stride, width, count, dst);
            wrong = compare("width", width, count, dst, expected, count * width, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

const char *check_widening(const weir_kernels *k)
{
    static uint32_t bits[MOST];
    static int64_t as_signed[MOST], as_unsigned[MOST];
    static double as_double[MOST], from_float[MOST];
    const uint32_t extremes[] = { 0,          1,          0x7fffffff, 0x80000000, UINT32_MAX,
                                  0x7f800000, 0xff800000, 0x7fc00001, 0x00000001, 0x80000000 };

    for (size_t i = 0; i < MOST; i++) {
        float value;
        bits[i] = i % 3 == 0 ? extremes[i / 3 % 10] : (uint32_t)next_random();
        memcpy(&value, &bits[i], 4);
        as_signed[i] = bits[i] < 0x80000000 ? (int64_t)bits[i] : (int64_t)bits[i] - 0x100000000;
        as_unsigned[i] = bits[i];
        as_double[i] = (double)as_signed[i];
        from_float[i] = (double)value;
    }
    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c);
        const void *src = place(0, bits, count * 4);
        for (size_t kind = 0; kind < 4; kind++) {
            const void *const expected[] = { as_signed, as_unsigned, as_double, from_float };
            uint8_t *dst = destination(count * 8);
            const char *wrong;
            if (kind == 0)
                k->i32_to_i64(src, count, (int64_t *)(void *)dst);
            else if (kind == 1)
                k->u32_to_i64(src, count, (int64_t *)(void *)dst);
            else if (kind == 2)
                k->i32_to_f64(src, count, (double *)(void *)dst);
            else
                k->f32_to_f64(src, count, (double *)(void *)dst);
            wrong = compare("cast", kind, count, dst, expected[kind], count * 8, SLACK);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

/* One value at most that no double holds, at every place. */
const char *check_i64_to_f64(const weir_kernels *k)
{
    static int64_t values[MOST];
    static double expected[MOST];
    const int64_t limit = (int64_t)1 << 53;
    const int64_t exact[] = { 0,         -1,        limit,     -limit,    limit + 2,
                              INT64_MIN, 1LL << 62, limit - 1, 1 - limit, INT64_MIN + 1024 };
    const int64_t inexact[] = { limit + 1, -limit - 1,    INT64_MAX,      INT64_MIN + 1,
                                limit + 3, INT64_MAX - 1, (1LL << 62) + 1 };

    for (size_t i = 0; i < MOST; i++) {
        values[i] = i % 3 == 0 ? exact[i / 3 % 10] : (int64_t)next_random() / (1 << 11);
        expected[i] = (double)values[i];
    }
    for (size_t c = 0; c < COUNTS; c++) {
        const size_t count = count_of(c), step = count > EVERY ? count / 7 : 1;
        for (size_t bad = 0; bad <= count; bad += step) {
            const size_t done = bad < count ? bad : count;
            uint8_t *dst = destination(count * 8);
            const int64_t kept = values[done < MOST ? done : 0];
            const char *wrong;
            size_t got;
            if (done < count)
                values[done] = inexact[(done + count) % 7];
            got = k->i64_to_f64(place(0, values, count * 8), count, (double *)(void *)dst);
            values[done < MOST ? done : 0] = kept;
            if (got != done)
                return fail("count %zu: %zu exact, not %zu", count, got, done);
            if (!is_contained(dst, count * 8, SLACK))
                return fail("count %zu: wrote outside", count);
            wrong = memcmp(dst, expected, done * 8) == 0 ? NULL : fail("count %zu: value", count);
            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

/* No values, and null pointers for them: empty pages and dictionaries have those. */
const char *check_nothing(const weir_kernels *k)
{
    const uint64_t table[8 + SLACK / 8] = { 0 };
    const uint8_t *none = NULL;
    uint32_t most = 0;
    uint8_t byte = CANARY;

    k->unpack_u32(NULL, 5, 0, NULL);
    k->unpack_u32(NULL, 30, 0, NULL);
    k->unpack_u32(NULL, 0, 0, NULL);
    k->unpack_u64(NULL, 5, 0, NULL);
    k->unpack_u64(NULL, 60, 0, NULL);
    k->gather_32(NULL, 0, NULL, 0, NULL);
    k->gather_32(NULL, 99, NULL, 0, NULL);
    k->gather_64(NULL, 0, NULL, 0, NULL);
    k->gather_64(NULL, 99, NULL, 0, NULL);
    k->gather_wide(NULL, 12, NULL, 0, NULL);
    k->gather_spread_32(NULL, 99, NULL, NULL, 0, NULL);
    k->gather_spread_64(NULL, 0, NULL, NULL, 0, NULL);
    k->spread_8(NULL, NULL, 0, NULL);
    k->spread_32(NULL, NULL, 0, NULL);
    k->spread_64(NULL, NULL, 0, NULL);
    k->spread_wide(NULL, 12, NULL, 0, NULL);
    k->copy_bits(NULL, 0, 0, NULL, 0);
    k->copy_bits(NULL, 0, 0, &byte, 3);
    k->pack_bools(NULL, 0, NULL, 0);
    k->pack_bools(NULL, 0, &byte, 3);
    k->unpack_bools(NULL, 0, 0, NULL);
    for (size_t width = 0; width <= 16; width++)
        k->join_streams(NULL, 0, width, 0, NULL);
    k->i32_to_i64(NULL, 0, NULL);
    k->u32_to_i64(NULL, 0, NULL);
    k->i32_to_f64(NULL, 0, NULL);
    k->f32_to_f64(NULL, 0, NULL);
    if (k->unpack_runs(&none, NULL, 5, 100, NULL) != 0 ||
        k->look_up_runs_64(&none, NULL, 5, 100, table, 1, NULL, &most) != 0 || most != 0)
        return fail("nothing holds a run");
    if (k->max_u32(NULL, 0) != 0 || k->count_bits(NULL, 0) != 0 ||
        k->prefix_32(NULL, 0, 7, 1, NULL) != 7 || k->prefix_64(NULL, 0, 7, 1, NULL) != 7 ||
        k->i64_to_f64(NULL, 0, NULL) != 0)
        return fail("nothing gives something");
    return byte == CANARY ? NULL : fail("no bits were written");
}

const char *check_all_tables(check_fn check)
{
    const weir_kernels *const *tables;
    const size_t count = weir_kernels_all(&tables);

    for (size_t i = 0; i < count; i++) {
        const char *wrong = check(tables[i]);
        static char text[320];
        if (wrong != NULL) {
            snprintf(text, sizeof text, "%s: %s", tables[i]->name, wrong);
            return text;
        }
    }
    return NULL;
}
