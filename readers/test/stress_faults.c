/* SPDX-License-Identifier: Apache-2.0
 * stress_faults.c: each allocation and each read of a scan made to fail in turn, on one thread and
 * on three: there is an error or all rows, never a crash, a hang, or a leak. Allocations fail by
 * taking malloc's place, which sanitizers do too: under them only reads fail.
 * Usage: stress_faults FILE... */
#include "core/hold.h"
#include "readers/dataset.h"
#include "toy.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_WATCHED 1
#endif

static _Atomic(long) live, reads, read_fail_at = -1;

#ifndef IS_WATCHED
static _Atomic(long) allocations, fail_at = -1;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

/* The C library and the plugins are to use them too. */
#pragma GCC visibility push(default)

static bool fails(void)
{
    return atomic_fetch_add(&allocations, 1) == atomic_load(&fail_at);
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&live, 1);
    return block;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    void *block = fails() ? NULL : __libc_realloc(old, size);

    return old ? block : counted(block);
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(align, size));
}

int posix_memalign(void **out, size_t align, size_t size)
{
    *out = fails() ? NULL : counted(__libc_memalign(align, size));
    return *out ? 0 : 12;
}

void free(void *block)
{
    if (block)
        atomic_fetch_sub(&live, 1);
    __libc_free(block);
}
#pragma GCC visibility pop
#endif

typedef struct subject {
    const char *name;
    const uint8_t *data;
    size_t size;
    const weir_format *format;
    uint32_t forms; /* of every column */
} subject;

static weir_status faulty_read(void *user, uint64_t offset, void *into, size_t size,
                               weir_error *err)
{
    const subject *s = user;

    if (atomic_fetch_add(&reads, 1) == atomic_load(&read_fail_at)) {
        *err = (weir_error){
            .status = WEIR_IO, .file = -1, .row = -1, .offset = -1, .text = "planted"
        };
        return WEIR_IO;
    }
    memcpy(into, s->data + offset, size);
    return WEIR_OK;
}

static size_t all_columns(const weir_dataset *dataset, uint32_t forms, weir_pick *picks,
                          size_t room)
{
    const size_t count = (size_t)weir_schema_column_count(weir_dataset_schema(dataset));

    for (size_t c = 0; c < count && c < room; c++)
        picks[c] = (weir_pick){ .index = (int32_t)c, .forms = forms };
    return count < room ? count : room;
}

static weir_status scan(const subject *s, int threads, int64_t *rows, weir_error *err)
{
    weir_input input = { .size = sizeof input,
                         .name = "faulty",
                         .length = s->size,
                         .read = faulty_read,
                         .user = (void *)(uintptr_t)s };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_pick picks[64];
    weir_dataset *dataset = NULL;
    weir_columns *columns = NULL;
    const weir_batch *batch;
    weir_status status;

    *rows = 0;
    status = weir_context_open(threads, &options.context, err);
    if (status == WEIR_OK)
        status = weir_dataset_open(&input, 1, &options, s->format, &dataset, err);
    if (status == WEIR_OK) {
        query.picks = picks;
        query.pick_count = all_columns(dataset, s->forms, picks, 64);
        query.batch_rows = 1000;
        status = weir_columns_open(dataset, &query, &columns, err);
    }
    while (status == WEIR_OK && (batch = weir_columns_next(columns)) != NULL)
        *rows += batch->rows;
    if (columns)
        status = weir_columns_close(columns, err);
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    return status;
}

/* The loader has no memory for a codec's object: the codec is refused, in the system's words. */
static bool is_loader_fault(weir_status status, const weir_error *err)
{
    return status == WEIR_NO_CODEC && (strstr(err->text, "refused") || strstr(err->text, "memory"));
}

/* Fails what `at` counts, one after another, until a scan passes without meeting the fault. */
static long fail_each(const subject *s, int threads, _Atomic(long) *counter, _Atomic(long) *at,
                      weir_status kind, int64_t all, weir_status clean)
{
    long wrong = 0;
    long n = 0;

    for (;; n++) {
        weir_error err = { 0 };
        weir_status status;
        int64_t rows;
        bool was_met;

        atomic_store(counter, 0);
        atomic_store(at, n);
        status = scan(s, threads, &rows, &err);
        was_met = atomic_load(counter) > n;
        atomic_store(at, -1);
        if (rows > all || (status == WEIR_OK && rows != all) ||
            (status != WEIR_OK && status != kind && status != clean &&
             !is_loader_fault(status, &err))) {
            printf("%s: %d threads: fault %ld: %s after %" PRId64 " of %" PRId64 " rows: %s\n",
                   s->name, threads, n, weir_status_name(status), rows, all, err.text);
            wrong++;
        }
        if (!was_met)
            break;
    }
    printf("%s: %d threads: %ld %s made to fail\n", s->name, threads, n,
           kind == WEIR_IO ? "reads" : "allocations");
    return wrong;
}

static long check(const subject *s)
{
    long wrong = 0;

    for (int threads = 1; threads <= 3; threads += 2) {
        weir_error err = { 0 };
        int64_t all;
        weir_status clean;
        long before;

        scan(s, threads, &all, &err); /* opens what stays open: codecs */
        clean = scan(s, threads, &all, &err);
        dlerror();
        before = atomic_load(&live);
        wrong += fail_each(s, threads, &reads, &read_fail_at, WEIR_IO, all, clean);
#ifndef IS_WATCHED
        wrong += fail_each(s, threads, &allocations, &fail_at, WEIR_NO_MEMORY, all, clean);
#endif
        scan(s, threads, &all, &err);
        dlerror(); /* it keeps its last words */
        if (atomic_load(&live) != before) {
            printf("%s: %d threads: %ld blocks leaked\n", s->name, threads,
                   atomic_load(&live) - before);
            wrong++;
        }
    }
    return wrong;
}

#ifndef IS_WATCHED
/* Allocations of a warm pass over a dataset, and how many batches it gave. Of several passes the
 * least: where one thread was held up, more pages and vectors than ever before may be out. */
static long warm_pass(const subject *s, int threads, int64_t batch_rows, long *batches)
{
    weir_input input = { .size = sizeof input, .name = "warm", .length = s->size, .data = s->data };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_pick picks[64];
    long least = -1;

    if (weir_context_open(threads, &options.context, NULL) != WEIR_OK ||
        weir_dataset_open(&input, 1, &options, s->format, &dataset, NULL) != WEIR_OK)
        return -1;
    query.picks = picks;
    query.pick_count = all_columns(dataset, s->forms, picks, 64);
    query.batch_rows = batch_rows;
    for (int pass = 0; pass < (threads > 1 ? 5 : 2); pass++) {
        weir_columns *columns = NULL;
        const long before = atomic_load(&allocations);
        long made;

        *batches = 0;
        if (weir_columns_open(dataset, &query, &columns, NULL) != WEIR_OK)
            return -1;
        while (weir_columns_next(columns))
            ++*batches;
        weir_columns_close(columns, NULL);
        made = atomic_load(&allocations) - before;
        if (pass > 0 && (least < 0 || made < least))
            least = made;
    }
    weir_dataset_close(dataset);
    weir_context_close(options.context);
    return least;
}

/* A warm pass allocates for itself and its groups, never for a page or a batch. */
static long check_warm(const subject *s)
{
    long wrong = 0;

    for (int threads = 1; threads <= 3; threads += 2) {
        long few, many;
        const long coarse = warm_pass(s, threads, 100000, &few);
        const long fine = warm_pass(s, threads, 20, &many);
        /* On several threads, how many vectors are out at a time varies with their speed; and so
         * it does with the batches of a file, whose columns are cut at different rows. */
        const long slack = threads > 1 ? 60 : s->format ? 0 : many / 2;

        printf("%s: %d threads: %ld allocations for %ld batches, %ld for %ld\n", s->name, threads,
               coarse, few, fine, many);
        /* A file may have too few rows for it. */
        wrong += coarse < 0 || fine > coarse + slack || (s->format && many < 4 * few);
    }
    return wrong;
}
#endif

static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;

    *size = 0;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        data = malloc(*size + 1);
        if (data && fread(data, 1, *size, file) != *size)
            *size = 0;
    }
    if (file)
        fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    static char output[BUFSIZ]; /* stdio's own would be counted */
    long wrong = 0;
    toy made;

    setvbuf(stdout, output, _IOFBF, sizeof output);
    toy_make(&made, 3, 0);
    wrong += check(&(subject){ "toy", made.data, made.size, &weir_format_toy, 0 });
#ifndef IS_WATCHED
    wrong += check_warm(&(subject){ "toy", made.data, made.size, &weir_format_toy, 0 });
#endif
    toy_free(&made);
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *data = load(argv[i], &size);

        if (!data || !size) {
            printf("%s: can't be read\n", argv[i]);
            wrong++;
            continue;
        }
        for (uint32_t forms = 0; forms <= 1u << WEIR_SHAPE; forms += 1u << WEIR_SHAPE) {
            const subject file = { argv[i], data, size, NULL, forms };

            wrong += check(&file);
#ifndef IS_WATCHED
            wrong += check_warm(&file);
#endif
        }
        free(data);
    }
    printf("%d files: %ld wrong\n", argc, wrong);
    return wrong != 0;
}
