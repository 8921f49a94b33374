/* SPDX-License-Identifier: Apache-2.0
 * stress_arrow_faults.c: each allocation of an Arrow export made to fail in turn: the call says so,
 * and nothing is leaked. Sanitizers take malloc's place too, so under them nothing is tested. */
#include "readers/arrow_abi.h"
#include <weir/weir.h>

#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_WATCHED 1
#endif

static long allocations, live, fail_at = -1;

#ifndef IS_WATCHED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

static bool fails(void)
{
    return allocations++ == fail_at;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

#pragma GCC visibility push(default)
void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(align, size));
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}
#pragma GCC visibility pop
#endif

static int fail_batch(const weir_batch *batch)
{
    for (long n = 0;; n++) {
        const long before = live;
        struct ArrowArray array;
        struct ArrowSchema schema;
        weir_error err;
        weir_status status;

        allocations = 0;
        fail_at = n;
        status = weir_arrow_batch(batch, NULL, &array, &schema, &err);
        fail_at = -1;
        if (status == WEIR_OK) {
            array.release(&array);
            schema.release(&schema);
        }
        if (live != before || (status != WEIR_OK && status != WEIR_NO_MEMORY)) {
            printf("fault %ld: %s, %ld blocks leaked\n", n, weir_status_name(status),
                   live - before);
            return 1;
        }
        if (status == WEIR_OK) {
            printf("%ld allocations of a batch made to fail\n", n);
            return allocations > n; /* the fault was met, and nobody said so */
        }
    }
}

static int fail_schema(struct ArrowArrayStream *stream)
{
    for (long n = 0;; n++) {
        const long before = live;
        struct ArrowSchema schema;
        int code;

        allocations = 0;
        fail_at = n;
        code = stream->get_schema(stream, &schema);
        fail_at = -1;
        if (code == 0)
            schema.release(&schema);
        if (live != before || (code != 0 && !stream->get_last_error(stream))) {
            printf("fault %ld: code %d, %ld blocks leaked\n", n, code, live - before);
            return 1;
        }
        if (code == 0) {
            printf("%ld allocations of a schema made to fail\n", n);
            return allocations > n;
        }
    }
}

int main(int argc, char **argv)
{
    weir_options options = WEIR_OPTIONS_INIT;
    static char output[BUFSIZ]; /* stdio's own would be counted */
    int wrong = 0;

    setvbuf(stdout, output, _IOFBF, sizeof output);
    for (int i = 1; i < argc; i++) {
        const char *path = argv[i];
        struct ArrowArrayStream stream;
        weir_dataset *dataset = NULL;
        weir_columns *columns = NULL;
        const weir_batch *batch;
        weir_error err;

        if (weir_context_open(1, &options.context, &err) != WEIR_OK ||
            weir_open(&path, 1, &options, &dataset, &err) != WEIR_OK ||
            weir_columns_open(dataset, NULL, &columns, &err) != WEIR_OK ||
            weir_arrow_stream(dataset, NULL, NULL, &stream, &err) != WEIR_OK) {
            printf("%s: %s\n", path, err.text);
            return 1;
        }
        batch = weir_columns_next(columns);
        wrong += !batch || fail_batch(batch) + fail_schema(&stream);
        stream.release(&stream);
        weir_columns_close(columns, NULL);
        weir_dataset_close(dataset);
        weir_context_close(options.context);
    }
    printf("%d files: %d wrong\n", argc - 1, wrong);
    return wrong != 0;
}
