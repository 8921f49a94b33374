/* SPDX-License-Identifier: Apache-2.0
 * kernels.c: nanoseconds a value of each inner loop, by table. By default 16,384 values, a batch's,
 * which stay in the L2 cache; 2,048, a slice's, stay in the first one. Usage:
 * bench_kernels [part of a case's name, or ""] [values, up to 16384] */
#include "core/simd/kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COUNT = 16384,  /* most values */
    ROUNDS = 60,    /* the least of them is printed */
    REPEATS = 3,    /* times most values a round */
    ENTRIES = 65536 /* the largest dictionary */
};

typedef struct bench {
    size_t count;
    uint8_t packed[COUNT * 8 + 128];
    uint32_t codes[COUNT + 64];
    uint8_t present[COUNT / 8 + 64];
    uint64_t table[ENTRIES + 64];
    uint64_t out[COUNT + 64];
    int64_t small[COUNT + 64]; /* within 2^53 */
    volatile uint64_t sink;
} bench;

typedef void (*run_fn)(const weir_kernels *k, bench *b, size_t of);

typedef struct bench_case {
    const char *name;
    size_t of; /* a width, a number of entries, a run's length, a percentage */
    run_fn run;
} bench_case;

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void unpack_u32(const weir_kernels *k, bench *b, size_t width)
{
    k->unpack_u32(b->packed, (uint32_t)width, b->count, (uint32_t *)b->out);
}

static void unpack_u64(const weir_kernels *k, bench *b, size_t width)
{
    k->unpack_u64(b->packed, (uint32_t)width, b->count, b->out);
}

/* Runs of `length` codes of 12 bits, as a file with many RLE runs between has them. */
static void unpack_runs(const weir_kernels *k, bench *b, size_t length)
{
    for (size_t i = 0; i < b->count; i += length)
        k->unpack_u32(b->packed + i * 12 / 8, 12, least(length, b->count - i),
                      (uint32_t *)b->out + i);
}

static void max_u32(const weir_kernels *k, bench *b, size_t length)
{
    for (size_t i = 0; i < b->count; i += length)
        b->sink = k->max_u32(b->codes + i, least(length, b->count - i));
}

static void gather_32(const weir_kernels *k, bench *b, size_t entries)
{
    k->gather_32((const uint32_t *)b->table, entries, b->codes, b->count, (uint32_t *)b->out);
}

static void gather_64(const weir_kernels *k, bench *b, size_t entries)
{
    k->gather_64(b->table, entries, b->codes, b->count, b->out);
}

static void gather_wide_7(const weir_kernels *k, bench *b, size_t entries)
{
    (void)entries;
    k->gather_wide((const uint8_t *)b->table, 7, b->codes, b->count, (uint8_t *)b->out);
}

static void spread_8(const weir_kernels *k, bench *b, size_t percent)
{
    (void)percent;
    k->spread_8(b->packed, b->present, b->count, (uint8_t *)b->out);
}

static void spread_32(const weir_kernels *k, bench *b, size_t percent)
{
    (void)percent;
    k->spread_32((const uint32_t *)b->packed, b->present, b->count, (uint32_t *)b->out);
}

static void spread_64(const weir_kernels *k, bench *b, size_t percent)
{
    (void)percent;
    k->spread_64((const uint64_t *)b->packed, b->present, b->count, b->out);
}

static void spread_wide_7(const weir_kernels *k, bench *b, size_t percent)
{
    (void)percent;
    k->spread_wide(b->packed, 7, b->present, b->count, (uint8_t *)b->out);
}

static void count_bits(const weir_kernels *k, bench *b, size_t of)
{
    (void)of;
    b->sink = k->count_bits(b->packed, b->count);
}

static void copy_bits(const weir_kernels *k, bench *b, size_t dst_bit)
{
    k->copy_bits(b->packed, 3, b->count, (uint8_t *)b->out, dst_bit);
}

static void pack_bools(const weir_kernels *k, bench *b, size_t dst_bit)
{
    k->pack_bools(b->packed, b->count, (uint8_t *)b->out, dst_bit);
}

static void unpack_bools(const weir_kernels *k, bench *b, size_t src_bit)
{
    k->unpack_bools(b->packed, src_bit, b->count, (uint8_t *)b->out);
}

/* Miniblocks of `length`. */
static void prefix_32(const weir_kernels *k, bench *b, size_t length)
{
    uint32_t last = 0;

    for (size_t i = 0; i < b->count; i += length)
        last = k->prefix_32(b->codes + i, least(length, b->count - i), last, 7,
                            (uint32_t *)b->out + i);
    b->sink = last;
}

static void prefix_64(const weir_kernels *k, bench *b, size_t length)
{
    uint64_t last = 0;

    for (size_t i = 0; i < b->count; i += length)
        last = k->prefix_64((const uint64_t *)b->packed + i, least(length, b->count - i), last, 7,
                            b->out + i);
    b->sink = last;
}

static void join_streams(const weir_kernels *k, bench *b, size_t width)
{
    const size_t count = width > 8 ? b->count / 2 : b->count; /* up to 16 bytes fit then */

    for (size_t done = 0; done < b->count; done += count)
        k->join_streams(b->packed, count, width, count, (uint8_t *)b->out);
}

static void i32_to_i64(const weir_kernels *k, bench *b, size_t of)
{
    (void)of;
    k->i32_to_i64((const int32_t *)b->codes, b->count, (int64_t *)b->out);
}

static void i32_to_f64(const weir_kernels *k, bench *b, size_t of)
{
    (void)of;
    k->i32_to_f64((const int32_t *)b->codes, b->count, (double *)b->out);
}

static void f32_to_f64(const weir_kernels *k, bench *b, size_t of)
{
    (void)of;
    k->f32_to_f64((const float *)b->codes, b->count, (double *)b->out);
}

static void i64_to_f64(const weir_kernels *k, bench *b, size_t of)
{
    (void)of;
    b->sink = k->i64_to_f64(b->small, b->count, (double *)b->out);
}

static const bench_case cases[] = {
    { "unpack_u32 width", 1, unpack_u32 },
    { "unpack_u32 width", 5, unpack_u32 },
    { "unpack_u32 width", 12, unpack_u32 },
    { "unpack_u32 width", 20, unpack_u32 },
    { "unpack_u32 width", 27, unpack_u32 },
    { "unpack_u32 runs of", 39, unpack_runs },
    { "unpack_u32 runs of", 256, unpack_runs },
    { "unpack_u64 width", 5, unpack_u64 },
    { "unpack_u64 width", 20, unpack_u64 },
    { "unpack_u64 width", 45, unpack_u64 },
    { "unpack_u64 width", 61, unpack_u64 },
    { "max_u32 runs of", 1024, max_u32 },
    { "max_u32 runs of", COUNT, max_u32 },
    { "gather_32 entries", 8, gather_32 },
    { "gather_32 entries", 32, gather_32 },
    { "gather_32 entries", 4279, gather_32 },
    { "gather_32 entries", 65536, gather_32 },
    { "gather_64 entries", 8, gather_64 },
    { "gather_64 entries", 16, gather_64 },
    { "gather_64 entries", 256, gather_64 },
    { "gather_64 entries", 4279, gather_64 },
    { "gather_64 entries", 32768, gather_64 },
    { "gather_wide 7 entries", 4279, gather_wide_7 },
    { "spread_8 percent", 95, spread_8 },
    { "spread_32 percent", 95, spread_32 },
    { "spread_64 percent", 95, spread_64 },
    { "spread_64 percent", 50, spread_64 },
    { "spread_wide 7 percent", 95, spread_wide_7 },
    { "count_bits", 0, count_bits },
    { "copy_bits to bit", 3, copy_bits },
    { "copy_bits to bit", 5, copy_bits },
    { "pack_bools to bit", 0, pack_bools },
    { "pack_bools to bit", 5, pack_bools },
    { "unpack_bools from bit", 3, unpack_bools },
    { "prefix_32 runs of", 32, prefix_32 },
    { "prefix_32 runs of", COUNT, prefix_32 },
    { "prefix_64 runs of", 32, prefix_64 },
    { "prefix_64 runs of", COUNT, prefix_64 },
    { "join_streams width", 2, join_streams },
    { "join_streams width", 4, join_streams },
    { "join_streams width", 8, join_streams },
    { "join_streams width", 12, join_streams },
    { "join_streams width", 16, join_streams },
    { "i32_to_i64", 0, i32_to_i64 },
    { "i32_to_f64", 0, i32_to_f64 },
    { "f32_to_f64", 0, f32_to_f64 },
    { "i64_to_f64", 0, i64_to_f64 },
};

static void prepare(bench *b, const bench_case *c)
{
    const bool is_gather = strncmp(c->name, "gather", 6) == 0;
    const bool is_spread = strncmp(c->name, "spread", 6) == 0;

    for (size_t i = 0; i < COUNT + 64; i++)
        b->codes[i] = (uint32_t)(next_random() >> 20) % (is_gather ? (uint32_t)c->of : 1u << 30);
    memset(b->present, 0, sizeof b->present);
    for (size_t i = 0; is_spread && i < COUNT; i++)
        b->present[i / 8] |= (uint8_t)(((next_random() >> 20) % 100 < c->of) << (i % 8));
}

/* The tables take turns, so that what else the machine does is the same for all of them. */
static void measure(const weir_kernels *const *tables, size_t table_count, bench *b,
                    const bench_case *c, double *best)
{
    const size_t repeats = REPEATS * COUNT / b->count;

    for (size_t t = 0; t < table_count; t++)
        best[t] = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t t = 0; t < table_count; t++) {
            const double start = now();
            for (size_t i = 0; i < repeats; i++)
                c->run(tables[t], b, c->of);
            const double took = (now() - start) / (double)(repeats * b->count);
            best[t] = took < best[t] ? took : best[t];
        }
    }
}

int main(int argc, char **argv)
{
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    bench *b = aligned_alloc(4096, (sizeof *b + 4095) / 4096 * 4096);
    double best[8];

    if (b == NULL)
        return 1;
    memset(b, 0, sizeof *b);
    b->count = argc > 2 ? least(strtoul(argv[2], NULL, 10), COUNT) : COUNT;
    if (b->count == 0)
        return 1;
    for (size_t i = 0; i < sizeof b->packed; i++)
        b->packed[i] = (uint8_t)(next_random() >> 20);
    for (size_t i = 0; i < ENTRIES + 64; i++)
        b->table[i] = next_random();
    for (size_t i = 0; i < COUNT + 64; i++)
        b->small[i] = (int64_t)(next_random() >> 12) - ((int64_t)1 << 51);

    printf("%-24s %6s", "ns a value", "");
    for (size_t t = 0; t < table_count; t++)
        printf(" %9s", tables[t]->name);
    printf("\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strstr(cases[i].name, argv[1]) == NULL)
            continue;
        prepare(b, &cases[i]);
        measure(tables, table_count, b, &cases[i], best);
        printf("%-24s %6zu", cases[i].name, cases[i].of);
        for (size_t t = 0; t < table_count; t++)
            printf(" %9.4f", best[t]);
        printf("\n");
    }
    free(b);
    return 0;
}
