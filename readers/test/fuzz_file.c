/* SPDX-License-Identifier: Apache-2.0
 * fuzz_file.c: any bytes as a whole file through the public API: by columns, by rows, and what it
 * says of itself. */
#include <stdint.h>
#include <stdlib.h>
#include <weir/weir.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool go_on(void *user, const weir_fact *fact)
{
    (void)user;
    return fact->bytes.size == 0 || fact->bytes.data;
}

static void read_columns(const weir_dataset *dataset, const weir_query *query)
{
    weir_columns *columns = NULL;
    const weir_batch *batch;
    char text[32];

    if (weir_columns_open(dataset, query, &columns, NULL) != WEIR_OK)
        return;
    while ((batch = weir_columns_next(columns)) != NULL)
        for (size_t c = 0; c < batch->column_count; c++)
            weir_value_text(&batch->columns[c], batch->rows - 1, WEIR_TEXT_JSON, text, sizeof text);
    weir_columns_close(columns, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_context *context;
    const weir_input input = { .size = sizeof input, .length = size, .data = data, .name = "fuzz" };
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_dataset *dataset = NULL;

    if (!context && weir_context_open(1, &context, NULL) != WEIR_OK)
        abort();
    options.context = context;
    options.memory_limit = (size_t)64 << 20;
    options.flags = WEIR_NO_SUMS; /* no mutation hits a sum */
    query.threads = 1;
    if (weir_open_inputs(&input, 1, &options, &dataset, NULL) != WEIR_OK)
        return 0;
    weir_dataset_describe(dataset, 0, go_on, NULL, NULL);
    for (int32_t c = 0; c < weir_schema_column_count(weir_dataset_schema(dataset)) && c < 8; c++) {
        const weir_pick pick = { .index = c, .forms = c & 1 ? 1u << WEIR_CODES : 0 };

        query.picks = &pick;
        query.pick_count = 1;
        read_columns(dataset, &query);
    }
    weir_dataset_close(dataset);
    return 0;
}
