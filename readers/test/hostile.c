/* SPDX-License-Identifier: Apache-2.0
 * hostile.c: files that lie. Reads each one whole, in every way that the public API has, with a
 * limit of 10 s and 1 GiB: an error or values, never a crash, a hang or a leak. Run under ASan and
 * UBSan.
 *
 * hostile cut FOLDER                    every .parquet and .hipo of FOLDER cut at each offset
 * hostile mutate FOLDER COUNT [FIRST]   COUNT mutated ones; number N is the same file in every run
 * hostile files FOLDER                  every file of FOLDER and below as it is; 77 without it
 */
#include "core/poison.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/weir.h>

enum {
    SECONDS = 10,
    MOST_FILES = 4096,
    RECORDS = 5, /* of a golden HIPO file, at most, and its dictionary and trailer */
    PATH_ROOM = 4096
};

static const size_t MEMORY = (size_t)1 << 30;

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* What is being read: told when the program dies over it. */
static char doing[PATH_ROOM + 64];
static volatile uint64_t sink;
static uint64_t ok_count, error_count[WEIR_LIMIT + 1], records_cut;

static void tell(void)
{
    const ssize_t written = write(2, doing, strlen(doing));

    (void)written;
}

static void too_long(int signal)
{
    (void)signal;
    tell();
    _exit(write(2, ": more than 10 s\n", 17) == 17 ? 1 : 2);
}

/* ---- reading all that a file gives ---- */

static void touch(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    sink += sum;
}

/* The offsets of strings and lists go up, and stay inside what they point into. */
static void check_offsets(const weir_vector *v, size_t first, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (v->offsets[first + i] > v->offsets[first + i + 1] || v->offsets[first + i] < 0)
            abort();
    if (v->type != WEIR_BYTES && v->offsets[first + rows] > v->children[0].rows)
        abort();
}

static void touch_plain(const weir_vector *v)
{
    const size_t first = (size_t)v->first, rows = (size_t)(v->form == WEIR_ONE ? 1 : v->rows);

    if (v->validity)
        touch(v->validity + first / 8, (first + rows + 7) / 8 - first / 8);
    if (v->form == WEIR_SHAPE)
        return;
    if (v->form == WEIR_CODES) {
        const uint32_t *codes = (const uint32_t *)v->values + first;

        for (size_t i = 0; i < rows; i++)
            if (codes[i] >= (v->dictionary->rows ? (uint64_t)v->dictionary->rows : 1))
                abort();
        touch_plain(v->dictionary);
    } else if (v->type == WEIR_STRUCT) {
        for (size_t c = 0; c < v->child_count; c++)
            if (v->children[c].rows != v->rows)
                abort();
    } else if (v->type == WEIR_LIST || v->type == WEIR_MAP) {
        if (v->child_count != 1)
            abort();
        check_offsets(v, first, rows);
    } else if (v->type == WEIR_BYTES) {
        check_offsets(v, first, rows);
        touch((const uint8_t *)v->values + v->offsets[first],
              (size_t)(v->offsets[first + rows] - v->offsets[first]));
    } else if (v->type == WEIR_BOOL) {
        touch((const uint8_t *)v->values + first / 8, (first + rows + 7) / 8 - first / 8);
    } else {
        touch((const uint8_t *)v->values + first * v->width, rows * v->width);
    }
    for (size_t c = 0; c < v->child_count; c++)
        touch_plain(&v->children[c]); /* as deep as the schema, which has a cap */
}

static void touch_batch(const weir_batch *batch)
{
    char text[64];

    for (size_t c = 0; c < batch->column_count; c++) {
        const weir_vector *v = &batch->columns[c];

        if (v->rows != batch->rows)
            abort();
        touch_plain(v);
        if (v->form == WEIR_PLAIN) {
            sink += weir_value_text(v, 0, WEIR_TEXT_JSON, text, sizeof text);
            sink += weir_value_text(v, v->rows - 1, WEIR_TEXT_PLAIN, text, sizeof text);
        }
    }
}

static bool touch_fact(void *user, const weir_fact *fact)
{
    (void)user;
    touch(fact->bytes.data, fact->bytes.size);
    return true;
}

static weir_status read_columns(const weir_dataset *dataset, const weir_query *query)
{
    weir_columns *columns = NULL;
    weir_status status = weir_columns_open(dataset, query, &columns, NULL);
    const weir_batch *batch;

    if (status != WEIR_OK)
        return status;
    while ((batch = weir_columns_next(columns)) != NULL)
        touch_batch(batch);
    return weir_columns_close(columns, NULL);
}

static void read_rows(const weir_dataset *dataset, const weir_query *query, int64_t row)
{
    weir_rows *rows = NULL;

    if (weir_rows_open(dataset, query, &rows, NULL) != WEIR_OK)
        return;
    if (weir_rows_next(rows))
        weir_rows_seek(rows, row, NULL);
    for (int i = 0; i < 3 && weir_rows_next(rows); i++)
        sink += (uint64_t)weir_rows_number(rows);
    weir_rows_close(rows, NULL);
}

static void read_words(const weir_dataset *dataset)
{
    weir_file_info file = { .size = sizeof file };
    weir_group_info group = { .size = sizeof group };
    weir_chunk_info chunk = { .size = sizeof chunk };

    weir_dataset_describe(dataset, 0, touch_fact, NULL, NULL);
    if (weir_dataset_file(dataset, 0, &file, NULL) != WEIR_OK)
        return;
    for (int64_t g = 0; g < file.group_count && g < 3; g++) {
        weir_dataset_group(dataset, 0, g, &group, NULL);
        for (int32_t leaf = 0; leaf < weir_schema_leaf_count(file.schema) && leaf < 20; leaf++)
            if (weir_dataset_chunk(dataset, 0, g, leaf, &chunk, NULL) == WEIR_OK &&
                chunk.has_bounds) {
                touch(chunk.min.data, chunk.min.size);
                touch(chunk.max.data, chunk.max.size);
            }
    }
}

/* The whole table, and if that isn't given, each column alone. `dice` chooses how. */
static weir_status read_all(weir_context *context, const weir_input *input, uint64_t dice)
{
    static const int64_t batch_rows[] = { 0, 0, 1, 7, 100 };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;
    weir_status status;
    int64_t total = 0;

    options.context = context;
    options.memory_limit = MEMORY;
    options.flags = (dice & 1 ? WEIR_NO_SUMS : 0) | (dice & 2 ? WEIR_NO_PAGE_INDEX : 0) |
                    (dice >> 40 & 1 ? WEIR_SALVAGE : 0);
    query.threads = dice & 4 ? 2 : 1;
    query.batch_rows = batch_rows[(dice >> 3) % 5];
    alarm(SECONDS);
    status = weir_open_inputs(input, 1, &options, &dataset, NULL);
    if (status != WEIR_OK)
        return status;
    weir_dataset_rows(dataset, &total, NULL);
    read_words(dataset);
    status = read_columns(dataset, &query);
    if (status != WEIR_OK) {
        const int32_t count = weir_schema_column_count(weir_dataset_schema(dataset));

        for (int32_t c = 0; c < count && c < 64; c++) {
            const weir_pick pick = { .index = c, .forms = (uint32_t)(dice >> 8) & 15 };

            query.picks = &pick;
            query.pick_count = 1;
            read_columns(dataset, &query);
        }
        query.picks = NULL;
        query.pick_count = 0;
    }
    if (total > 0)
        read_rows(dataset, &query, (int64_t)((dice >> 16) % (uint64_t)total));
    weir_dataset_close(dataset);
    return status;
}

static void read_bytes(weir_context *context, const uint8_t *data, size_t size, uint64_t dice)
{
    /* A buffer of just that size: one byte too far is seen. */
    uint8_t *copy = malloc(size ? size : 1);
    weir_input input = { .size = sizeof input, .name = "hostile", .length = size, .data = copy };
    weir_status status;

    if (!copy)
        abort();
    memcpy(copy, data, size);
    status = read_all(context, &input, dice);
    alarm(0);
    *(status == WEIR_OK ? &ok_count : &error_count[status]) += 1;
    free(copy);
}

/* ---- the files ---- */

typedef struct file {
    char *name;
    uint8_t *data;
    size_t size;
} file;

static file files[MOST_FILES];
static size_t file_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const file *)a)->name, ((const file *)b)->name);
}

static void load(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct stat about;
    file *out = &files[file_count];

    if (!in || fstat(fileno(in), &about) != 0 || file_count == MOST_FILES)
        exit(2);
    out->name = strdup(path);
    out->data = malloc((size_t)about.st_size + 1);
    out->size = fread(out->data, 1, (size_t)about.st_size, in);
    fclose(in);
    file_count++;
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t length = strlen(name), size = strlen(suffix);

    return length > size && strcmp(name + length - size, suffix) == 0;
}

static bool is_hipo(const char *name)
{
    return ends_in(name, ".hipo");
}

static void load_folder(const char *path, bool goes_down)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        char below[PATH_ROOM];
        struct stat about;

        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || stat(below, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode) && goes_down)
            load_folder(below, true);
        else if (S_ISREG(about.st_mode) &&
                 (goes_down || ends_in(entry->d_name, ".parquet") || is_hipo(entry->d_name)))
            load(below); /* hostile ones go by any name */
    }
    if (folder)
        closedir(folder);
}

/* ---- mutations ---- */

static uint64_t mix(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Half of the places lie in the footer, which is short and says the most; in HIPO, in the headers
 * of the file and of its first record. */
static size_t place(const uint8_t *data, size_t size, uint64_t *state)
{
    static const size_t headers = 56;
    uint32_t footer = 0;

    if (size >= 4 * headers && memcmp(data, "HIPO", 4) == 0) {
        memcpy(&footer, data + 24, 4); /* the dictionary's size */
        if (mix(state) & 1 && footer <= size - 4 * headers)
            return mix(state) & 1 ? mix(state) % (2 * headers)
                                  : headers + footer + mix(state) % (2 * headers);
        return mix(state) % size;
    }
    if (size >= 12)
        memcpy(&footer, data + size - 8, 4);
    if (mix(state) & 1 && footer > 0 && footer <= size - 12)
        return size - 8 - footer + mix(state) % footer;
    return mix(state) % size;
}

static size_t mutate(uint8_t *data, size_t size, size_t room, uint64_t *state)
{
    static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, 0x15, 0x0c, 0xf0 };
    const int changes = 1 + (int)(mix(state) % 4);

    for (int i = 0; i < changes && size > 0; i++) {
        const size_t at = place(data, size, state);
        const size_t other = place(data, size, state);
        size_t length = 1 + mix(state) % 16;

        if (length > size - at)
            length = size - at;
        switch (mix(state) % 8) {
        case 0:
        case 1:
            data[at] ^= (uint8_t)(1u << mix(state) % 8);
            break;
        case 2:
            data[at] = (uint8_t)mix(state);
            break;
        case 3:
            data[at] = odd[mix(state) % sizeof odd];
            break;
        case 4: /* a number with every byte set, such as a varint that doesn't end */
            memset(data + at, mix(state) & 1 ? 0xff : 0, length);
            break;
        case 5: /* out */
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        case 6: /* in */
            if (size + length > room)
                break;
            memmove(data + at + length, data + at, size - at);
            size += length;
            break;
        default: /* another place's bytes */
            if (length > size - other)
                length = size - other;
            memmove(data + at, data + other, length);
            break;
        }
    }
    return size;
}

static void mutate_all(weir_context *context, uint64_t first, uint64_t count)
{
    size_t room = 0;
    uint8_t *data;

    for (size_t f = 0; f < file_count; f++)
        room = files[f].size > room ? files[f].size : room;
    room += 256;
    data = malloc(room);
    if (!data)
        abort();
    for (uint64_t number = first; number < first + count; number++) {
        uint64_t state = number * 2654435761u + 1;
        const file *from = &files[mix(&state) % file_count];
        size_t size = from->size;

        memcpy(data, from->data, size);
        size = mutate(data, size, room, &state);
        snprintf(doing, sizeof doing, "mutation %" PRIu64 " (of %s)\n", number, from->name);
        read_bytes(context, data, size, mix(&state));
    }
    free(data);
}

static void cut_all(weir_context *context)
{
    for (size_t f = 0; f < file_count; records_cut += is_hipo(files[f++].name) ? RECORDS : 0)
        for (size_t size = 0; size < files[f].size; size++) {
            snprintf(doing, sizeof doing, "%s cut at %zu\n", files[f].name, size);
            read_bytes(context, files[f].data, size, size);
        }
}

static void read_files(weir_context *context)
{
    for (size_t f = 0; f < file_count; f++)
        for (uint64_t dice = 0; dice < 5; dice += 4) {
            snprintf(doing, sizeof doing, "%s\n", files[f].name);
            read_bytes(context, files[f].data, files[f].size, dice);
        }
}

int main(int argc, char **argv)
{
    weir_context *context = NULL;
    struct rusage used;
    struct stat about;
    uint64_t total = 0;

    if (argc < 3)
        return 2;
    if (stat(argv[2], &about) != 0) {
        printf("skipped: no folder %s\n", argv[2]);
        return 77;
    }
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell);
    signal(SIGALRM, too_long);
    if (weir_context_open(2, &context, NULL) != WEIR_OK)
        return 2;
    load_folder(argv[2], strcmp(argv[1], "files") == 0);
    qsort(files, file_count, sizeof *files, by_name);
    if (file_count == 0)
        return 1;
    if (strcmp(argv[1], "cut") == 0)
        cut_all(context);
    else if (strcmp(argv[1], "files") == 0)
        read_files(context);
    else
        mutate_all(context, argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
                   strtoull(argv[3], NULL, 10));
    weir_context_close(context);
    printf("%zu files: %" PRIu64 " read whole", file_count, ok_count);
    for (int s = 1; s <= WEIR_LIMIT; s++) {
        total += error_count[s];
        if (error_count[s])
            printf(", %" PRIu64 " %s", error_count[s], weir_status_name((weir_status)s));
    }
    getrusage(RUSAGE_SELF, &used);
    printf("; at most %ld MiB\n", used.ru_maxrss / 1024);
#ifndef WEIR_HAS_ASAN /* which keeps what was freed */
    if ((size_t)used.ru_maxrss > MEMORY / 1024)
        return 1;
#endif
    for (size_t f = 0; f < file_count; f++) {
        free(files[f].name);
        free(files[f].data);
    }
    /* A file that was cut has no end, so nothing of it may count as read; but for HIPO's, which may
     * end after any record. */
    if (strcmp(argv[1], "cut") == 0 &&
        (ok_count > records_cut || error_count[WEIR_CORRUPT] != total))
        return 1;
    return error_count[WEIR_BAD_CALL] || error_count[WEIR_NO_MEMORY] || ok_count + total == 0;
}
