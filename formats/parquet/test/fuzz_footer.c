/* SPDX-License-Identifier: Apache-2.0
 * fuzz_footer.c: any bytes as FileMetaData of a file that holds nothing else: opened, and
 * everything that it says asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool go_on(void *user, const weir_fact *fact)
{
    (void)user;
    return fact->bytes.size == 0 || fact->bytes.data;
}

static void ask(const weir_dataset *dataset)
{
    weir_file_info file = { .size = sizeof file };
    weir_group_info group = { .size = sizeof group };
    weir_chunk_info chunk = { .size = sizeof chunk };

    weir_dataset_describe(dataset, 0, go_on, NULL, NULL);
    if (weir_dataset_file(dataset, 0, &file, NULL) != WEIR_OK)
        return;
    for (int64_t g = 0; g < file.group_count && g < 8; g++) {
        weir_dataset_group(dataset, 0, g, &group, NULL);
        for (int32_t leaf = 0; leaf < weir_schema_leaf_count(file.schema) && leaf < 64; leaf++)
            weir_dataset_chunk(dataset, 0, g, leaf, &chunk, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_context *context;
    const uint32_t length = (uint32_t)size;
    uint8_t *file = malloc(size + 12);
    weir_input input = { .size = sizeof input, .length = size + 12, .data = file, .name = "fuzz" };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_dataset *dataset = NULL;

    if (!file || (!context && weir_context_open(1, &context, NULL) != WEIR_OK))
        abort();
    memcpy(file, "PAR1", 4);
    if (size)
        memcpy(file + 4, data, size);
    memcpy(file + 4 + size, &length, 4);
    memcpy(file + 8 + size, "PAR1", 4);
    options.context = context;
    options.memory_limit = (size_t)64 << 20;
    if (weir_open_inputs(&input, 1, &options, &dataset, NULL) == WEIR_OK)
        ask(dataset);
    weir_dataset_close(dataset);
    free(file);
    return 0;
}
