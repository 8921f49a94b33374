/* SPDX-License-Identifier: Apache-2.0
 * footer.c: opening a file whose footer is long, by a bare walk over the footer's bytes.
 * Usage: bench_footer FILE */
#include "core/bits.h"
#include "formats/parquet/compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weir/weir.h>

enum {
    ROUNDS = 50 /* the least of them is printed */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end >= 12)
        bytes = malloc((size_t)end);
    if (bytes &&
        (fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, (size_t)end, file) != (size_t)end))
        end = -1;
    if (file)
        fclose(file);
    *size = (size_t)end;
    if (end < 12) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Passes over all fields and keeps none. */
static const uint8_t *walk(const uint8_t *footer, size_t size)
{
    weir_compact in;
    weir_compact_field field = { 0 };

    weir_compact_init(&in, footer, size);
    while (weir_compact_next(&in, &field))
        weir_compact_skip(&in, field.type);
    return in.at;
}

static int64_t open_all(const uint8_t *bytes, size_t size, weir_context *context)
{
    const weir_input input = {
        .size = sizeof input, .name = "file", .length = size, .data = bytes
    };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;
    int64_t rows = -1;

    options.context = context;
    if (weir_open_inputs(&input, 1, &options, &dataset, NULL) == WEIR_OK)
        weir_dataset_rows(dataset, &rows, NULL);
    weir_dataset_close(dataset);
    return rows;
}

int main(int argc, char **argv)
{
    size_t size = 0, footer_size;
    uint8_t *bytes = argc == 2 ? load(argv[1], &size) : NULL;
    double walked = 0, opened = 0;
    weir_context *context = NULL;
    const uint8_t *footer;

    if (!bytes || weir_context_open(1, &context, NULL) != WEIR_OK) {
        fputs("usage: bench_footer FILE\n", stderr);
        return 2;
    }
    footer_size = weir_load32(bytes + size - 8);
    if (footer_size > size - 12)
        return 1;
    footer = bytes + size - 8 - footer_size;
    for (int i = 0; i < ROUNDS; i++) {
        const double begin = now();
        const bool is_whole = walk(footer, footer_size) == footer + footer_size;
        const double between = now();
        const int64_t rows = open_all(bytes, size, context);
        const double end = now();

        if (!is_whole || rows < 0)
            return 1;
        walked = i == 0 || between - begin < walked ? between - begin : walked;
        opened = i == 0 || end - between < opened ? end - between : opened;
    }
    printf("A footer of %zu bytes (1,000 columns x 20 row groups): opened in %.0f us, %.2f times a "
           "bare "
           "walk over it (%.0f us); at most 2 times it must be.\n",
           footer_size, opened, opened / walked, walked);
    weir_context_close(context);
    free(bytes);
    return 0;
}
