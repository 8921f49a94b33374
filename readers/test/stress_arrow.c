/* SPDX-License-Identifier: Apache-2.0
 * stress_arrow.c: arrays of a stream, let go on other threads in random order, after the stream,
 * the dataset and the context were closed. */
#include "readers/arrow_abi.h"
#include <weir/weir.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARRAYS = 512,
    THREADS = 3
};

typedef struct share { /* one thread's arrays: each reads what it holds, then lets go */
    struct ArrowArray arrays[ARRAYS];
    size_t count;
    uint64_t sum;
} share;

static uint64_t sum_of(const struct ArrowArray *array)
{
    const uint8_t *bytes = array->n_buffers > 1 ? array->buffers[1] : NULL;
    uint64_t sum = (uint64_t)array->length;

    if (bytes && array->length > 0)
        sum += bytes[array->offset / 8]; /* inside every layout */
    return sum;
}

static void *let_go(void *user)
{
    share *s = user;

    for (size_t i = 0; i < s->count; i++) {
        s->sum += sum_of(&s->arrays[i]);
        s->arrays[i].release(&s->arrays[i]);
    }
    return NULL;
}

/* The struct's children are moved out, each to some thread; the rest of the struct goes at once. */
static void deal(struct ArrowArray *whole, share *shares, unsigned *seed)
{
    for (int64_t i = 0; i < whole->n_children; i++) {
        share *s = &shares[(size_t)rand_r(seed) % THREADS];

        if (s->count == ARRAYS)
            continue;
        const size_t at = (size_t)rand_r(seed) % (s->count + 1);

        s->arrays[s->count++] = s->arrays[at];
        s->arrays[at] = *whole->children[i];
        whole->children[i]->release = NULL;
    }
    whole->release(whole);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* Rows that came out less those that the footer says; anything but 0 is a failure. */
static int64_t read_all(const char *path, int threads, unsigned seed, share *shares)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_context *context = NULL;
    weir_dataset *dataset = NULL;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t rows = 0, expected = 0;
    weir_error err;

    if (weir_context_open(threads, &context, &err) != WEIR_OK)
        return -fail("context", err.text);
    options.context = context;
    query.batch_rows = 700;
    if (weir_open(&path, 1, &options, &dataset, &err) != WEIR_OK ||
        weir_dataset_rows(dataset, &expected, &err) != WEIR_OK ||
        weir_arrow_stream(dataset, &query, NULL, &stream, &err) != WEIR_OK)
        return -fail(path, err.text);
    weir_dataset_close(dataset);
    weir_context_close(context);
    if (stream.get_schema(&stream, &schema) != 0)
        return -fail(path, stream.get_last_error(&stream));
    for (;;) {
        if (stream.get_next(&stream, &array) != 0)
            return -fail(path, stream.get_last_error(&stream));
        if (!array.release)
            break;
        rows += array.length;
        deal(&array, shares, &seed);
    }
    stream.release(&stream);
    schema.release(&schema);
    return rows - expected;
}

int main(void)
{
    static const char *const paths[] = { "datasets/sample/2024-12-pyarrow-snappy.parquet",
                                         "datasets/sample/2025-01-duckdb-zstd.parquet" };
    share *shares = calloc(THREADS, sizeof *shares);
    pthread_t threads[THREADS];
    uint64_t expected = 0;

    if (!shares)
        return fail("shares", "no memory");
    for (unsigned round = 0; round < 12; round++) {
        uint64_t sum = 0;

        memset(shares, 0, THREADS * sizeof *shares);
        if (read_all(paths[round / 6], (int)(round % 3) + 1, round, shares) != 0)
            return fail(paths[round / 6], "not all of its rows");
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, let_go, &shares[i]) != 0)
                return fail("thread", "can't be made");
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            sum += shares[i].sum;
        }
        if (round % 6 == 0)
            expected = sum;
        if (sum != expected)
            return fail(paths[round / 6], "the arrays' bytes changed");
    }
    free(shares);
    puts("12 streams, arrays let go on 3 threads");
    return 0;
}
