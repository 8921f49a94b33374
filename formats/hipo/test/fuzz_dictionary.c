/* SPDX-License-Identifier: Apache-2.0
 * fuzz_dictionary.c: any bytes as an entry of a dictionary, as text and as JSON. */
#include "formats/hipo/hipo.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Columns lie behind each other, and together are the row. */
static void check(const weir_hipo_bank *bank)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < bank->column_count; i++) {
        if (bank->columns[i].offset != offset || bank->columns[i].count == 0)
            abort();
        offset += bank->columns[i].size * bank->columns[i].count;
    }
    if (offset != bank->row_size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_hipo_bank bank;
    weir_arena arena;

    weir_arena_init(&arena);
    if (weir_hipo_bank_from_text((weir_view){ data, size }, &arena, &bank) == WEIR_OK)
        check(&bank);
    if (weir_hipo_bank_from_json((weir_view){ data, size }, &arena, &bank) == WEIR_OK)
        check(&bank);
    weir_arena_fini(&arena);
    return 0;
}
