/* SPDX-License-Identifier: Apache-2.0
 * fuzz_encoding.c: any bytes as the body of a data page, with a dictionary page or without one. The
 * first five bytes choose: type; encoding; optional, page version, dictionary, kernels; the number
 * of rows; the number of dictionary entries, which lie in the next 24 bytes. */
#include "formats/parquet/test/guard.h"
#include "formats/parquet/test/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEAD = 5,
    DICTIONARY = 24,
    MOST = 1 << 16
};

/* Reads rows until the page has no more, or trouble. */
static void drain(rig *r, int64_t batch_rows)
{
    weir_status status = WEIR_OK;

    while (status == WEIR_OK && !r->cursor.ended && !r->cursor.hungry) {
        const int64_t from = r->cursor.row;
        weir_builder builder;
        weir_vector v = { 0 };

        weir_builder_init(&builder, &r->target, batch_rows, 1 << 16);
        status = weir_parquet_decode(&r->cursor, &builder, &r->work, NULL);
        if (r->cursor.row - from != builder.rows)
            abort(); /* rows that were not counted */
        if (builder.rows == 0)
            weir_builder_fini(&builder);
        else if (weir_builder_finish(&builder, &r->work, &v, NULL) == WEIR_OK)
            weir_hold_release(v.hold);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static guard body, entries;
    const weir_kernels *const *tables;
    const size_t table_count = weir_kernels_all(&tables);
    weir_parquet_note note = { .version = 1, .null_count = -1 };
    const uint8_t *at = data + HEAD;
    size_t left = size - HEAD;
    int64_t rows;
    weir_page page;
    rig r;

    if (size < HEAD || size > MOST)
        return 0;
    if (!body.base) {
        body = guard_open(MOST);
        entries = guard_open(DICTIONARY);
    }
    rig_init(&r, (weir_parquet_type)(data[0] % 8), 1 + data[0] / 8, data[2] & 1,
             tables[(data[2] >> 5) % table_count]);
    note.encoding = data[1] % 10;
    rows = (int64_t)data[3] * data[3] / 16;
    if (data[2] & 2) {
        note.version = 2;
        note.definition_size = left < 3 ? 0 : at[0];
    }
    note.definition_encoding = data[2] & 8 ? WEIR_PARQUET_BIT_PACKED : WEIR_PARQUET_RLE;
    note.repetition_encoding = WEIR_PARQUET_RLE;
    r.chunk.carries_prefix = data[2] & 16;
    r.chunk.value_count = r.chunk.row_count = r.group.row_count = 2 * rows;
    if (data[2] & 4 && left >= DICTIONARY) {
        weir_parquet_note shared = { .encoding = WEIR_PARQUET_PLAIN, .version = 1 };

        page = rig_page(&r, WEIR_PAGE_SHARED, shared, guard_place(&entries, at, DICTIONARY),
                        DICTIONARY, data[4]);
        note.has_dictionary = rig_feed(&r, &page, NULL) == WEIR_OK;
        at += DICTIONARY;
        left -= DICTIONARY;
    }
    at = guard_place(&body, at, left);
    /* Twice, since some encodings look back over pages. */
    for (int i = 0; i < 2 && r.cursor.hungry; i++) {
        page = rig_page(&r, WEIR_PAGE_DATA, note, at, left, rows);
        page.bare_size = note.definition_size;
        if (note.definition_size > left || rig_feed(&r, &page, NULL) != WEIR_OK)
            break;
        drain(&r, i ? 100 : 5000);
    }
    rig_fini(&r);
    if (r.pages_held != 0)
        abort(); /* a page was not let go */
    return 0;
}
