/* SPDX-License-Identifier: Apache-2.0
 * fuzz_decode.c: any bytes as a dictionary page and a data page of any type, encoding and version,
 * through the cursor: decoded in batches, and skipped in jumps, trouble comes at the same row.
 * Eight bytes say what schema and headers would. */
#include "core/bits.h"
#include "guard.h"
#include "rig.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    weir_view dictionary, body; /* in guarded memory */
    weir_parquet_note note;
    int64_t entries, slots;
    int64_t step;
} input;

/* Feeds the two pages and reads in one of two ways; the row where it ended. */
static int64_t run(rig *r, const input *in, bool is_skipping, weir_status *status)
{
    weir_page page;

    rig_again(r);
    page = rig_page(r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = 0 }, in->dictionary.data,
                    in->dictionary.size, in->entries);
    if (in->entries)
        (void)rig_feed(r, &page, NULL);
    page = rig_page(r, WEIR_PAGE_DATA, in->note, in->body.data, in->body.size, in->slots);
    *status = rig_feed(r, &page, NULL);
    while (*status == WEIR_OK && !r->cursor.hungry) {
        weir_builder builder;
        weir_vector v;

        if (is_skipping) {
            *status = weir_parquet_skip(
                &r->cursor, weir_min_i64(in->slots, r->cursor.row + in->step), &r->work, NULL);
            if (*status == WEIR_OK && r->cursor.row == in->slots)
                break;
            continue;
        }
        weir_builder_init(&builder, &r->target, in->step, 1 << 16);
        *status = weir_parquet_decode(&r->cursor, &builder, &r->work, NULL);
        if (weir_builder_finish(&builder, &r->work, &v, NULL) == WEIR_OK)
            weir_hold_release(v.hold);
    }
    return r->cursor.row;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_status status, skipped;
    rig r;

    if (size < 8)
        return 0;
    const size_t rest = size - 8, first = (size_t)data[5] * rest / 256;
    guard dictionary = guard_open(first), body = guard_open(rest - first);
    input in = { .entries = data[4],
                 .slots = data[6] * 13,
                 .step = data[7] * 3 + 1,
                 .note = { .encoding = data[1] % 12,
                           .version = data[2] & 1 ? 2 : 1,
                           .definition_encoding =
                               data[2] & 2 ? WEIR_PARQUET_BIT_PACKED : WEIR_PARQUET_RLE,
                           .definition_size = data[2] >> 4,
                           .null_count = -1 } };
    in.dictionary = (weir_view){ guard_place(&dictionary, data + 8, first), first };
    in.body = (weir_view){ guard_place(&body, data + 8 + first, rest - first), rest - first };
    rig_init(&r, data[0] % 8, data[3] % 40 + 1u, data[2] & 4, weir_kernels_pick());
    r.chunk.carries_prefix = data[2] & 8;
    r.target.forms = data[0] & 0x80 ? 1u << WEIR_CODES : 0;
    const int64_t row = run(&r, &in, false, &status);
    /* A skipped code or value is not looked at: trouble may only come later or not at all. */
    if (run(&r, &in, true, &skipped) < row)
        abort();
    if (r.pages_held > 1)
        abort();
    rig_fini(&r);
    guard_close(&dictionary);
    guard_close(&body);
    return 0;
}
