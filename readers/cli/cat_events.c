/* SPDX-License-Identifier: Apache-2.0
 * cat_events.c: `weir cat --events`: row by row, so that all banks of an event stand together. */
#include "cat.h"

#include <inttypes.h>

#define EVENTS_INDENT 4 /* blanks before a line of a bank */

static bool is_bank(const weir_vector *v)
{
    return v->type == WEIR_LIST && v->children->type == WEIR_STRUCT;
}

static void put_name(cli_out *out, const cli_shown *shown)
{
    cli_puts(out, "  ");
    cli_put_shown(out, shown->name.data, shown->name.used);
}

static void put_plain(cli_out *out, cli_out *scratch, const cli_shown *shown, const weir_vector *v,
                      int64_t row)
{
    put_name(out, shown);
    cli_puts(out, " = ");
    scratch->used = 0;
    cat_put_cell(scratch, v, row);
    cli_put_shown(out, scratch->data, scratch->used);
    cli_putc(out, '\n');
}

static void put_bank_rows(cli_table *table, cli_out *scratch, weir_list list)
{
    const weir_vector *structs = list.first.vector;
    int64_t row;
    size_t i;

    for (row = list.first.row; row < list.first.row + list.count; row++)
        for (i = 0; i < structs->child_count; i++) {
            const weir_vector *v = weir_is_null(structs, row) ? NULL : &structs->children[i];
            bool is_null;

            scratch->used = 0;
            is_null = cat_put_cell(scratch, v, row);
            cli_table_cell(table, scratch->data, scratch->used, is_null);
        }
}

static void put_bank(cli_out *out, cli_out *scratch, const cli_shown *shown, weir_list list,
                     bool has_header)
{
    const weir_vector *structs = list.first.vector;
    cli_table *table;
    size_t i;

    put_name(out, shown);
    cli_printf(out, ": %" PRId64 " %s\n", list.count, list.count == 1 ? "row" : "rows");
    if (list.count == 0 || structs->child_count == 0)
        return;
    table = cli_table_open(out, structs->child_count, has_header);
    cli_table_inside(table, EVENTS_INDENT);
    for (i = 0; i < structs->child_count; i++) {
        const weir_field *field = structs->children[i].field;

        cli_table_column(table, i, (const char *)field->name.data, field->name.size,
                         cat_is_number(field));
    }
    put_bank_rows(table, scratch, list);
    cli_table_close(table);
}

/* What a row lacks is left out: most events lack most banks. */
static void put_column(cli_out *out, cli_out *scratch, const cli_shown *shown,
                       const weir_batch *batch, int64_t row, bool has_header)
{
    const weir_vector *v = cli_shown_find(shown, batch, row);

    if (v && is_bank(v))
        put_bank(out, scratch, shown, weir_item_list(weir_vector_item(v, row)), has_header);
    else if (v)
        put_plain(out, scratch, shown, v, row);
}

void cat_put_events(cli_out *out, cli_out *scratch, const cli_shows *shows, const weir_batch *batch,
                    bool has_header)
{
    int64_t row;
    size_t i;

    for (row = 0; row < batch->rows; row++) {
        cli_printf(out, "event %" PRId64 "\n", weir_batch_number(batch, row));
        for (i = 0; i < shows->count; i++)
            put_column(out, scratch, &shows->all[i], batch, row, has_header);
        cli_drain(out);
    }
}
