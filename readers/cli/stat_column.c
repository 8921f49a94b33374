/* SPDX-License-Identifier: Apache-2.0
 * stat_column.c: sums and bounds of a column, vector by vector; merging them; their text. Integers
 * and decimals are exact; sums of doubles are compensated, and the same on any number of threads
 * since states are merged in row order and lanes go by the place of a row in its state. */
#include "stat_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAT_CHUNK 256 /* blocks whose presence is laid out at a time */
#define STAT_TOP ((uint64_t)1 << 63)

static bool is_whole(weir_type type)
{
    return type >= WEIR_I8 && type <= WEIR_U64;
}

stat_kind stat_kind_of(const weir_field *field)
{
    if (field->type == WEIR_LIST || field->type == WEIR_MAP)
        return STAT_LENGTHS;
    if (field->logical == WEIR_LOGICAL_NULL)
        return STAT_PRESENCE;
    if (field->type == WEIR_F64 || field->type == WEIR_F32 || field->type == WEIR_F16 ||
        (field->logical == WEIR_LOGICAL_FLOAT16 && field->width == 2))
        return STAT_REAL;
    if (field->type == WEIR_BOOL)
        return STAT_BOOL;
    if (is_whole(field->type))
        return STAT_WHOLE;
    if (field->type != WEIR_BYTES && field->type != WEIR_FIXED)
        return STAT_PRESENCE;
    if (field->logical == WEIR_LOGICAL_DECIMAL)
        return STAT_WIDE;
    return cli_has_order(field) ? STAT_BYTES : STAT_PRESENCE;
}

void stat_column_begin(stat_column *column, stat_kind kind)
{
    int l;

    memset(column, 0, sizeof(*column));
    column->kind = kind;
    for (l = 0; kind == STAT_REAL && l < STAT_LANES; l++) {
        column->as.real.least[l] = (double)INFINITY;
        column->as.real.most[l] = (double)-INFINITY;
    }
    if (kind == STAT_WHOLE || kind == STAT_LENGTHS) {
        column->as.whole.least = INT64_MAX;
        column->as.whole.most = INT64_MIN;
    }
}

/* ---- presence ---- */

/* Eight bits from any slot on; bits past the last slot are chance. */
static uint8_t presence_at(const uint8_t *validity, int64_t slot)
{
    const unsigned two = validity[slot >> 3] | (unsigned)validity[(slot >> 3) + 1] << 8;

    return (uint8_t)(two >> (slot & 7));
}

/* The presence of `blocks` blocks from row `row` on; NULL: no nulls. */
static const uint8_t *presence_of(const weir_vector *v, int64_t row, size_t blocks, uint8_t *room)
{
    size_t i;

    if (!v->validity || v->nulls == 0)
        return NULL;
    for (i = 0; i < blocks; i++)
        room[i] = presence_at(v->validity, v->first + row + (int64_t)i * STAT_LANES);
    return room;
}

/* ---- reals ---- */

static double real_at(const weir_vector *v, int64_t row)
{
    double out = 0;

    if (v->type == WEIR_F64)
        return weir_f64s(v)[row];
    if (v->type == WEIR_F32)
        return (double)weir_f32s(v)[row];
    weir_value_f64(v, row, &out);
    return out;
}

static void real_add_one(stat_real *real, int lane, double value)
{
    const double next = real->sum[lane] + value;
    const double back = next - real->sum[lane];

    real->error[lane] += (real->sum[lane] - (next - back)) + (value - back);
    real->sum[lane] = next;
    if (value < real->least[lane])
        real->least[lane] = value;
    if (value > real->most[lane])
        real->most[lane] = value;
    real->nans[lane] += value != value;
}

/* `from` is the place in the state of row `row`. Nulls add nothing. */
static void real_add_rows(stat_real *real, const weir_vector *v, int64_t row, int64_t end,
                          int64_t from)
{
    for (; row < end; row++, from++)
        if (!weir_is_null(v, row))
            real_add_one(real, (int)(from % STAT_LANES), real_at(v, row));
}

static void real_add(stat_column *column, const weir_vector *v, const stat_loops *loops)
{
    stat_real *real = &column->as.real;
    const int64_t begin = column->rows;
    int64_t row = (STAT_LANES - begin % STAT_LANES) % STAT_LANES;
    uint8_t room[STAT_CHUNK];

    if (v->type != WEIR_F64 && v->type != WEIR_F32) {
        real_add_rows(real, v, 0, v->rows, begin);
        return;
    }
    if (row > v->rows)
        row = v->rows;
    real_add_rows(real, v, 0, row, begin);
    while (v->rows - row >= STAT_LANES) {
        const int64_t left = (v->rows - row) / STAT_LANES;
        const size_t blocks = (size_t)(left < STAT_CHUNK ? left : STAT_CHUNK);
        const uint8_t *present = presence_of(v, row, blocks, room);

        if (v->type == WEIR_F64)
            loops->f64(real, weir_f64s(v) + row, present, blocks);
        else
            loops->f32(real, weir_f32s(v) + row, present, blocks);
        row += (int64_t)blocks * STAT_LANES;
    }
    real_add_rows(real, v, row, v->rows, begin + row);
}

static void real_merge(stat_real *into, const stat_real *from)
{
    int l;

    for (l = 0; l < STAT_LANES; l++) {
        const double next = into->sum[l] + from->sum[l];
        const double back = next - into->sum[l];

        into->error[l] += (into->sum[l] - (next - back)) + (from->sum[l] - back);
        into->error[l] += from->error[l];
        into->sum[l] = next;
        if (from->least[l] < into->least[l])
            into->least[l] = from->least[l];
        if (from->most[l] > into->most[l])
            into->most[l] = from->most[l];
        into->nans[l] += from->nans[l];
    }
}

/* ---- integers ---- */

static uint64_t flip_of(const weir_vector *v)
{
    if (!cli_is_unsigned(v->field))
        return 0;
    return v->type == WEIR_I32 || v->type == WEIR_U32 ? (uint64_t)1 << 31 : STAT_TOP;
}

static void whole_add_one(stat_column *column, int64_t value, bool is_unsigned)
{
    const int64_t ordered = is_unsigned ? (int64_t)((uint64_t)value ^ STAT_TOP) : value;

    column->as.whole.sum += is_unsigned ? (cli_i128)(uint64_t)value : (cli_i128)value;
    if (ordered < column->as.whole.least)
        column->as.whole.least = ordered;
    if (ordered > column->as.whole.most)
        column->as.whole.most = ordered;
}

static int64_t whole_at(const weir_vector *v, int64_t row)
{
    weir_view view;
    int64_t out = 0;

    view.data = (const uint8_t *)v->values + (size_t)(v->first + row) * v->width;
    view.size = v->width;
    cli_whole(v->field, view, &out);
    return out;
}

/* What the loops found. `slots` were seen, each with its value moved up by `flip` when it has no
 * sign: 32-bit ones are brought to where 64-bit ones are. */
static void whole_take(stat_column *column, const stat_whole *whole, size_t slots, uint64_t flip)
{
    const int64_t up = flip == (uint64_t)1 << 31 ? (int64_t)(flip - STAT_TOP) : 0;
    cli_i128 sum = 0;
    int l;

    for (l = 0; l < STAT_LANES; l++) {
        sum += (cli_i128)whole->low[l] + ((cli_i128)whole->high[l] << 32);
        if (whole->least[l] <= whole->most[l]) { /* the lane saw a value */
            const int64_t least = whole->least[l] + up, most = whole->most[l] + up;

            if (least < column->as.whole.least)
                column->as.whole.least = least;
            if (most > column->as.whole.most)
                column->as.whole.most = most;
        }
    }
    column->as.whole.sum += sum - (cli_i128)slots * STAT_TOP + (cli_i128)slots * flip;
}

static void whole_add(stat_column *column, const weir_vector *v, const stat_loops *loops)
{
    const bool is_fast =
        v->type == WEIR_I64 || v->type == WEIR_I32 || v->type == WEIR_U64 || v->type == WEIR_U32;
    const bool is_unsigned = cli_is_unsigned(v->field);
    const uint64_t flip = flip_of(v);
    uint8_t room[STAT_CHUNK];
    stat_whole whole;
    int64_t row = 0;
    int l;

    memset(&whole, 0, sizeof(whole));
    for (l = 0; l < STAT_LANES; l++) {
        whole.least[l] = INT64_MAX;
        whole.most[l] = INT64_MIN;
    }
    while (is_fast && v->rows - row >= STAT_LANES) {
        const int64_t left = (v->rows - row) / STAT_LANES;
        const size_t blocks = (size_t)(left < STAT_CHUNK ? left : STAT_CHUNK);
        const uint8_t *present = presence_of(v, row, blocks, room);

        if (v->width == 8)
            loops->i64(&whole, weir_i64s(v) + row, flip, present, blocks);
        else
            loops->i32(&whole, weir_i32s(v) + row, flip, present, blocks);
        row += (int64_t)blocks * STAT_LANES;
    }
    whole_take(column, &whole, (size_t)row, flip);
    for (; row < v->rows; row++)
        if (!weir_is_null(v, row))
            whole_add_one(column, whole_at(v, row), is_unsigned);
}

/* ---- the others, a value at a time ---- */

static void bool_add(stat_column *column, const weir_vector *v)
{
    int64_t row;

    for (row = 0; row + 8 <= v->rows; row += 8)
        column->as.trues += __builtin_popcount(presence_at(v->values, v->first + row));
    for (; row < v->rows; row++)
        column->as.trues += weir_bool(v, row); /* a null's slot is false */
}

static void lengths_add(stat_column *column, const weir_vector *v)
{
    const int32_t *offsets = v->offsets + v->first;
    int64_t row;

    for (row = 0; row < v->rows; row++)
        if (!weir_is_null(v, row)) {
            whole_add_one(column, offsets[row + 1] - offsets[row], false);
            column->empty += offsets[row + 1] == offsets[row];
        }
}

void stat_column_add(stat_column *column, const weir_vector *v, const stat_loops *loops)
{
    if (v->nulls < v->rows) {
        if (column->kind == STAT_REAL)
            real_add(column, v, loops);
        else if (column->kind == STAT_WHOLE)
            whole_add(column, v, loops);
        else if (column->kind == STAT_BOOL)
            bool_add(column, v);
        else if (column->kind == STAT_WIDE)
            stat_wide_add(column, v);
        else if (column->kind == STAT_BYTES)
            stat_bytes_add(column, v);
        else if (column->kind == STAT_LENGTHS)
            lengths_add(column, v);
    }
    column->rows += v->rows;
    column->nulls += v->nulls;
}

/* ---- merging ---- */

void stat_column_merge(stat_column *into, const stat_column *from, const weir_field *field)
{
    into->rows += from->rows;
    into->nulls += from->nulls;
    into->empty += from->empty;
    if (into->kind == STAT_REAL) {
        real_merge(&into->as.real, &from->as.real);
    } else if (into->kind == STAT_WHOLE || into->kind == STAT_LENGTHS) {
        into->as.whole.sum += from->as.whole.sum;
        if (from->as.whole.least < into->as.whole.least)
            into->as.whole.least = from->as.whole.least;
        if (from->as.whole.most > into->as.whole.most)
            into->as.whole.most = from->as.whole.most;
    } else if (into->kind == STAT_BOOL) {
        into->as.trues += from->as.trues;
    } else if (into->kind == STAT_WIDE) {
        stat_wide_merge(into, from);
    } else if (into->kind == STAT_BYTES) {
        stat_bytes_merge(into, from, field);
    }
}

void stat_column_end(stat_column *column)
{
    if (column->kind == STAT_BYTES) {
        free(column->as.bytes.least.data);
        free(column->as.bytes.most.data);
    }
}
