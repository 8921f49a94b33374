/* SPDX-License-Identifier: Apache-2.0
 * stat_text.c: what a stat_column says in the end: bounds as the values they are, exact sums,
 * means. */
#include "stat_column.h"

#include <math.h>

#define STAT_TOP ((uint64_t)1 << 63)

static bool is_time(const weir_field *field)
{
    return field->logical == WEIR_LOGICAL_DATE || field->logical == WEIR_LOGICAL_TIME ||
           field->logical == WEIR_LOGICAL_TIMESTAMP;
}

/* What the bounds of a column are values of. */
static const weir_field *bound_field(const stat_column *column, const weir_field *field)
{
    static const weir_field length = { .type = WEIR_I64, .width = 8, .id = -1 };

    return column->kind == STAT_LENGTHS ? &length : field;
}

/* All lanes; where the sum itself is no number, its error means nothing. */
static double real_sum(const stat_real *real)
{
    double sum = 0, error = 0;
    int l;

    for (l = 0; l < STAT_LANES; l++) {
        const double next = sum + real->sum[l];
        const double back = next - sum;

        error += (sum - (next - back)) + (real->sum[l] - back);
        error += real->error[l];
        sum = next;
    }
    return isfinite(sum) ? sum + error : sum;
}

static weir_view bytes_view(const stat_bytes *kept)
{
    const weir_view view = { kept->data, kept->size };

    return view;
}

int64_t stat_values(const stat_column *column)
{
    return column->rows - column->nulls;
}

int64_t stat_nans(const stat_column *column)
{
    int64_t nans = 0;
    int l;

    for (l = 0; column->kind == STAT_REAL && l < STAT_LANES; l++)
        nans += column->as.real.nans[l];
    return nans;
}

/* A float's bound is a float: shown as one, it is as short as it can be. */
static void put_real_bound(cli_out *out, const weir_field *field, double value,
                           weir_text_style style)
{
    const float narrow = (float)value;
    const weir_view view = { (const uint8_t *)&narrow, sizeof(narrow) };
    cli_single single;

    if (field->type == WEIR_F32 && cli_single_set(&single, field, view))
        cli_put_value(out, &single.vector, 0, style);
    else
        cli_put_real(out, value, style);
}

static void put_whole_bound(cli_out *out, const weir_field *field, int64_t value,
                            weir_text_style style)
{
    cli_single single;

    if (cli_is_unsigned(field))
        value = (int64_t)((uint64_t)value ^ STAT_TOP);
    cli_single_set_whole(&single, field, value);
    cli_put_value(out, &single.vector, 0, style);
}

static void put_decimal(cli_out *out, const cli_wide *value, int32_t scale, weir_text_style style)
{
    if (style == WEIR_TEXT_JSON)
        cli_putc(out, '"');
    cli_put_wide(out, value, scale);
    if (style == WEIR_TEXT_JSON)
        cli_putc(out, '"');
}

static bool put_bytes_bound(cli_out *out, const weir_field *field, const stat_bytes *bytes,
                            weir_text_style style)
{
    cli_single single;

    if (!cli_single_set(&single, field, bytes_view(bytes)))
        return false;
    cli_put_value(out, &single.vector, 0, style);
    return true;
}

static double real_bound(const stat_real *real, bool is_least)
{
    double bound = is_least ? real->least[0] : real->most[0];
    int l;

    for (l = 1; l < STAT_LANES; l++)
        if (is_least ? real->least[l] < bound : real->most[l] > bound)
            bound = is_least ? real->least[l] : real->most[l];
    return bound;
}

bool stat_put_bound(cli_out *out, const stat_column *column, const weir_field *field, bool is_least,
                    weir_text_style style)
{
    const int64_t values = stat_values(column);

    field = bound_field(column, field);
    if (values == stat_nans(column))
        return false;
    switch (column->kind) {
    case STAT_REAL:
        put_real_bound(out, field, real_bound(&column->as.real, is_least), style);
        return true;
    case STAT_WHOLE:
    case STAT_LENGTHS:
        put_whole_bound(out, field, is_least ? column->as.whole.least : column->as.whole.most,
                        style);
        return true;
    case STAT_BOOL:
        cli_puts(out,
                 (is_least ? column->as.trues == values : column->as.trues > 0) ? "true" : "false");
        return true;
    case STAT_WIDE:
        if (column->as.wide.is_lost)
            return false;
        put_decimal(out, is_least ? &column->as.wide.least : &column->as.wide.most, field->scale,
                    style);
        return true;
    case STAT_BYTES:
        return put_bytes_bound(out, field,
                               is_least ? &column->as.bytes.least : &column->as.bytes.most, style);
    default:
        return false;
    }
}

bool stat_put_sum(cli_out *out, const stat_column *column, const weir_field *field,
                  weir_text_style style)
{
    const bool is_decimal = field->logical == WEIR_LOGICAL_DECIMAL;
    cli_wide wide;

    if (stat_values(column) == 0 || is_time(field))
        return false;
    switch (column->kind) {
    case STAT_REAL:
        cli_put_real(out, real_sum(&column->as.real), style);
        return true;
    case STAT_WHOLE:
    case STAT_LENGTHS:
        wide = cli_wide_of(column->as.whole.sum);
        put_decimal(out, &wide, is_decimal ? field->scale : 0,
                    is_decimal ? style : WEIR_TEXT_PLAIN);
        return true;
    case STAT_BOOL:
        wide = cli_wide_of(column->as.trues);
        cli_put_wide(out, &wide, 0);
        return true;
    case STAT_WIDE:
        if (column->as.wide.is_lost)
            return false;
        put_decimal(out, &column->as.wide.sum, field->scale, style);
        return true;
    default:
        return false;
    }
}

static bool put_mean_time(cli_out *out, const stat_column *column, const weir_field *field,
                          weir_text_style style)
{
    const cli_i128 sum = column->as.whole.sum, values = stat_values(column);
    const cli_i128 mean = sum / values - (sum % values < 0);
    cli_single single;

    cli_single_set_whole(&single, field, (int64_t)mean);
    cli_put_value(out, &single.vector, 0, style);
    return true;
}

bool stat_put_mean(cli_out *out, const stat_column *column, const weir_field *field,
                   weir_text_style style)
{
    const int64_t values = stat_values(column);
    long double scale = 1;
    int32_t digit;
    cli_wide wide;

    if (values == 0)
        return false;
    switch (column->kind) {
    case STAT_REAL:
        cli_put_real(out, real_sum(&column->as.real) / (double)values, style);
        return true;
    case STAT_WHOLE:
    case STAT_LENGTHS:
        if (is_time(field))
            return put_mean_time(out, column, field, style);
        wide = cli_wide_of(column->as.whole.sum);
        break;
    case STAT_BOOL:
        wide = cli_wide_of(column->as.trues);
        break;
    case STAT_WIDE:
        if (column->as.wide.is_lost)
            return false;
        wide = column->as.wide.sum;
        break;
    default:
        return false;
    }
    for (digit = 0; field->logical == WEIR_LOGICAL_DECIMAL && digit < field->scale; digit++)
        scale *= 10;
    cli_put_real(out, (double)(cli_wide_real(&wide) / scale / (long double)values), style);
    return true;
}
