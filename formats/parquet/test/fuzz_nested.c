/* SPDX-License-Identifier: Apache-2.0
 * fuzz_nested.c: any bytes as the levels and values of two pages of a leaf of any type, under any
 * lists, maps and structs up to depth 6: batches of any size hold the same rows, whose offsets rise
 * and whose children are as long as they say; trouble comes at the same row. Sixteen bytes say what
 * schema and headers would. */
#include "core/bits.h"
#include "core/test/records.h"
#include "guard.h"
#include "rig.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEAD = 16,
    DEEPEST = 6
};

typedef struct input {
    weir_view dictionary, pages[2]; /* in guarded memory */
    weir_parquet_note note;
    int64_t entries, levels[2];
} input;

typedef struct outcome {
    weir_status status;
    int64_t row;
    uint64_t hash; /* of the rows */
} outcome;

static void check(int is_true)
{
    if (!is_true)
        abort();
}

/* ---- what a vector must be ---- */

static void check_vector(const weir_path *path, uint32_t depth, const weir_vector *v)
{
    const bool is_leaf = depth == path->count;
    const bool is_list = !is_leaf && path->nodes[depth].type != WEIR_STRUCT;
    int64_t nulls = 0;

    check(v->first == 0 && v->rows >= 0);
    for (int64_t i = 0; i < v->rows; i++)
        nulls += v->validity && !weir_bit(v->validity, i);
    check(nulls == v->nulls);
    for (int64_t i = 0; v->offsets && i < v->rows; i++)
        check(v->offsets[i] <= v->offsets[i + 1]);
    if (v->offsets)
        check(v->offsets[0] == 0);
    if (is_leaf)
        return;
    check(v->type == path->nodes[depth].type && (!is_list || v->offsets));
    if (path->is_shape && depth + 1 == path->count) {
        check(v->form == WEIR_SHAPE && v->child_count == 0 && !v->children);
        return;
    }
    check(v->form == WEIR_PLAIN && v->child_count == 1);
    check(v->children[0].rows == (is_list ? v->offsets[v->rows] : v->rows));
    check_vector(path, depth + 1, &v->children[0]);
}

static uint64_t mix(uint64_t h, const void *data, size_t size)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return (h ^ size) * 0x9e3779b97f4a7c15u;
}

static uint64_t mix_leaf(uint64_t h, const weir_vector *v, int64_t row)
{
    if (v->type == WEIR_BOOL)
        return mix(h, &(uint8_t){ weir_bit(v->values, row) }, 1);
    if (v->offsets)
        return mix(h, (const uint8_t *)v->values + v->offsets[row],
                   (size_t)(v->offsets[row + 1] - v->offsets[row]));
    return mix(h, (const uint8_t *)v->values + (size_t)row * v->width, v->width);
}

/* A null is zero bytes in any form. */
static uint64_t mix_code(uint64_t h, const weir_vector *v, int64_t row)
{
    static const uint8_t zeros[64];
    const uint32_t code = ((const uint32_t *)v->values)[row];

    if (!v->validity || weir_bit(v->validity, row))
        return mix_leaf(h, v->dictionary, code);
    check(code == 0);
    return mix(h, zeros, v->type == WEIR_BOOL ? 1 : v->width);
}

static uint64_t mix_row(uint64_t h, const weir_vector *v, int64_t row)
{
    const uint8_t is_null = v->validity && !weir_bit(v->validity, row);

    h = mix(h, &is_null, 1);
    if (v->type == WEIR_STRUCT)
        return v->child_count ? mix_row(h, &v->children[0], row) : h;
    if (v->type == WEIR_LIST || v->type == WEIR_MAP) {
        h = mix(h, &(int32_t){ v->offsets[row + 1] - v->offsets[row] }, sizeof(int32_t));
        for (int32_t i = v->offsets[row]; v->child_count && i < v->offsets[row + 1]; i++)
            h = mix_row(h, &v->children[0], i);
        return h;
    }
    if (v->form == WEIR_SHAPE)
        return h;
    return v->form == WEIR_CODES ? mix_code(h, v, row) : mix_leaf(h, v, row);
}

/* ---- reading ---- */

static weir_status feed(rig *r, const input *in, int number)
{
    weir_page page = { .kind = WEIR_PAGE_END };

    if (number >= 2)
        return weir_parquet_feed(&r->cursor, &page, &r->work, NULL);
    page = rig_page(r, WEIR_PAGE_DATA, in->note, in->pages[number].data, in->pages[number].size,
                    in->levels[number]);
    if (r->leaf.max_repetition > 0)
        page.first_row = page.row_count = -1;
    return rig_feed(r, &page, NULL);
}

static void take_rows(const rig *r, weir_builder *builder, weir_work *work, outcome *out)
{
    weir_vector v;

    if (builder->rows > 0 && weir_builder_finish(builder, work, &v, NULL) == WEIR_OK) {
        check_vector(r->target.path, 0, &v);
        for (int64_t i = 0; i < v.rows; i++)
            out->hash = mix_row(out->hash, &v, i);
        weir_hold_release(v.hold);
    }
    weir_builder_fini(builder);
}

/* Reads all in batches of `step` rows and about `bytes` bytes; or skips it in such steps. */
static outcome run(rig *r, const input *in, int64_t step, size_t bytes, bool is_skipping)
{
    outcome out = { 0 };
    weir_builder builder;
    int fed = 0;

    rig_again(r);
    if (in->entries) {
        const weir_page page = rig_page(r, WEIR_PAGE_SHARED, (weir_parquet_note){ .encoding = 0 },
                                        in->dictionary.data, in->dictionary.size, in->entries);
        (void)rig_feed(r, &page, NULL);
    }
    weir_builder_init(&builder, &r->target, step, bytes);
    while (out.status == WEIR_OK) {
        const int64_t before = r->cursor.row;

        if (r->cursor.hungry) {
            out.status = feed(r, in, fed++);
            continue;
        }
        if (is_skipping)
            out.status = weir_parquet_skip(&r->cursor, before + step, &r->work, NULL);
        else
            out.status = weir_parquet_decode(&r->cursor, &builder, &r->work, NULL);
        check(r->cursor.row >= before && builder.rows <= step);
        if (r->cursor.hungry && out.status == WEIR_OK)
            continue;
        if (r->cursor.ended && builder.rows == 0 && r->cursor.row == before)
            break;
        take_rows(r, &builder, &r->work, &out);
        weir_builder_init(&builder, &r->target, step, bytes);
    }
    weir_builder_fini(&builder);
    out.row = r->cursor.row;
    return out;
}

/* ---- input ---- */

static void make_path(rig *r, nest_shape *s, const uint8_t *head)
{
    static const char kinds[] = "sSlLmM";
    const unsigned depth = (head[1] & 0x7fu) % DEEPEST + 1u;
    char text[DEEPEST + 2];

    for (unsigned i = 0; i < depth; i++)
        text[i] = kinds[head[2 + i] % 6];
    text[depth] = head[1] & 0x80 ? 'v' : 'V';
    text[depth + 1] = '\0';
    make_shape(s, text);
    for (unsigned i = 0; i < depth; i++)
        s->nodes[i].field = &r->field;
    r->leaf.max_definition = s->path.leaf_present;
    r->leaf.max_repetition = s->path.scopes;
    r->target.path = &s->path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nest_shape s;
    rig r;

    if (size < HEAD)
        return 0;
    const size_t rest = size - HEAD, first = (size_t)data[14] * rest / 512;
    const size_t second = (size_t)data[15] * (rest - first) / 256, third = rest - first - second;
    const uint8_t *at = data + HEAD;
    guard g[] = { guard_open(first), guard_open(second), guard_open(third) };
    input in = {
        .entries = first ? data[13] : 0,
        .levels = { data[11] * 3 + 1, data[12] * 3 + 1 },
        .note = { .encoding = data[8] % 12,
                  .version = data[9] & 1 ? 2 : 1,
                  .definition_encoding = data[9] & 2 ? WEIR_PARQUET_BIT_PACKED : WEIR_PARQUET_RLE,
                  .repetition_encoding = data[9] & 4 ? WEIR_PARQUET_BIT_PACKED : WEIR_PARQUET_RLE,
                  .repetition_size = data[10] & 0xf,
                  .definition_size = data[10] >> 4,
                  .null_count = -1 }
    };
    in.dictionary = (weir_view){ guard_place(&g[0], at, first), first };
    in.pages[0] = (weir_view){ guard_place(&g[1], at + first, second), second };
    in.pages[1] = (weir_view){ guard_place(&g[2], at + first + second, third), third };
    rig_init(&r, data[0] % 8, data[0] / 8 + 1u, false, weir_kernels_pick());
    make_path(&r, &s, data);
    r.chunk.carries_prefix = data[9] & 8;
    r.target.forms = data[9] & 0x10 ? 1u << WEIR_SHAPE : data[8] & 0x80 ? 1u << WEIR_CODES : 0;
    if (data[9] & 0x10 && data[8] >= 64)
        weir_path_end(&s.path, data[8] % s.path.count);
    const outcome all = run(&r, &in, 4096, (size_t)1 << 30, false);
    const outcome one = run(&r, &in, 1, 1 << 20, false);
    const outcome some = run(&r, &in, data[9] / 32 + 2, data[13], false);
    const outcome skipped = run(&r, &in, data[9] / 32 + 1, 1, true);

    check(all.row == one.row && all.row == some.row && all.status == one.status &&
          all.status == some.status && all.hash == one.hash && all.hash == some.hash);
    /* A skipped code or value is not looked at: trouble may only come later or not at all. */
    check(skipped.row >= all.row);
    rig_again(&r);
    check(r.pages_held == 0);
    rig_fini(&r);
    for (int i = 0; i < 3; i++)
        guard_close(&g[i]);
    return 0;
}
