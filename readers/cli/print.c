/* SPDX-License-Identifier: Apache-2.0
 * print.c: tables. Cells are gathered in blocks, so that widths are known before a line is written;
 * on a terminal a table never is wider than it: long cells are cut, then columns left out. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TABLE_ROWS 1000          /* of a block */
#define TABLE_BYTES (4 << 20)    /* of a block, about */
#define TABLE_CELL_MIN 16        /* narrower than this a column rather is left out */
#define TABLE_GAP 2              /* blanks between columns */
#define TABLE_CUT "\xe2\x80\xa6" /* an ellipsis */

typedef struct table_cell {
    size_t offset, size; /* in table->text */
    uint32_t width;
    bool is_null;
} table_cell;

typedef struct table_column {
    table_cell name;
    size_t width; /* of the widest cell so far */
    bool is_right;
} table_column;

struct cli_table {
    cli_out *out;
    cli_out text; /* of names, then of the block's cells */
    size_t name_bytes;
    table_column *columns;
    size_t count;
    table_cell *cells;
    size_t cell_count, cell_room;
    size_t terminal; /* columns; 0: no limit */
    size_t left_out;
    size_t indent; /* blanks before a line */
    bool has_header, has_colour;
};

size_t cli_terminal_width(int fd)
{
    struct winsize size;

    if (!isatty(fd))
        return 0;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

cli_table *cli_table_open(cli_out *out, size_t columns, bool has_header)
{
    cli_table *table = cli_alloc(NULL, 1, sizeof(*table));

    memset(table, 0, sizeof(*table));
    table->out = out;
    table->text.fd = -1;
    table->columns = cli_alloc(NULL, columns, sizeof(*table->columns));
    memset(table->columns, 0, columns * sizeof(*table->columns));
    table->count = columns;
    table->has_header = has_header;
    if (out->fd >= 0) {
        table->terminal = cli_terminal_width(out->fd);
        table->has_colour = cli_has_colour(out->fd);
    }
    return table;
}

void cli_table_inside(cli_table *table, size_t indent)
{
    table->indent = indent;
    table->terminal = 0;
    table->has_colour = false;
}

static table_cell table_keep(cli_table *table, const char *text, size_t size)
{
    table_cell cell = { .offset = table->text.used };

    cell.width = (uint32_t)cli_put_shown(&table->text, text, size);
    cell.size = table->text.used - cell.offset;
    return cell;
}

void cli_table_column(cli_table *table, size_t column, const char *name, size_t size, bool is_right)
{
    table_column *c = &table->columns[column];

    c->name = table_keep(table, name, size);
    c->width = table->has_header ? c->name.width : 0;
    c->is_right = is_right;
    table->name_bytes = table->text.used;
}

/* ---- layout ---- */

static size_t table_width(const cli_table *table, size_t columns, size_t cap)
{
    size_t width = columns ? (columns - 1) * TABLE_GAP : 0;
    size_t i;

    for (i = 0; i < columns; i++)
        width += table->columns[i].width < cap ? table->columns[i].width : cap;
    return width;
}

/* The widest that cells may be, and how many columns are shown, so that a line fits. */
static size_t table_fit(const cli_table *table, size_t *cap)
{
    size_t shown = table->count;
    size_t low = TABLE_CELL_MIN, high = SIZE_MAX / 2;

    *cap = high;
    if (table->terminal == 0 || table_width(table, shown, high) <= table->terminal)
        return shown;
    while (shown > 1 &&
           table_width(table, shown, low) + (shown < table->count ? 1 + TABLE_GAP : 0) >
               table->terminal)
        shown--;
    if (low > table->terminal)
        low = table->terminal;
    high = table->terminal;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        const size_t mark = shown < table->count ? 1 + TABLE_GAP : 0;

        if (table_width(table, shown, middle) + mark <= table->terminal)
            low = middle;
        else
            high = middle - 1;
    }
    *cap = low;
    return shown;
}

static void put_blanks(cli_out *out, size_t count)
{
    memset(cli_reserve(out, count + 1), ' ', count);
    out->used += count;
}

/* As much of the text as `width` columns hold, with a mark at the cut. */
static size_t put_cut(cli_out *out, const char *text, size_t size, size_t width)
{
    size_t at = 0, columns = 0, used;

    while (at < size) {
        const int32_t code = cli_decode(text + at, size - at, &used);
        const size_t w = (size_t)cli_width(code);

        if (columns + w + 1 > width)
            break;
        columns += w;
        at += used;
    }
    cli_put(out, text, at);
    cli_puts(out, TABLE_CUT);
    return columns + 1;
}

static void put_cell(cli_table *table, const table_column *column, const table_cell *cell,
                     const char *colour, size_t cap, bool is_last)
{
    const size_t room = column->width < cap ? column->width : cap;
    const char *text = table->text.data + cell->offset;
    size_t width = cell->width;

    if (column->is_right && width < room)
        put_blanks(table->out, room - width);
    if (colour)
        cli_puts(table->out, colour);
    if (width <= room)
        cli_put(table->out, text, cell->size);
    else
        width = put_cut(table->out, text, cell->size, room);
    if (colour)
        cli_puts(table->out, "\x1b[0m");
    if (!column->is_right && width < room && !is_last)
        put_blanks(table->out, room - width);
}

/* One line; `cells` NULL: the names. */
static void put_line(cli_table *table, const table_cell *cells, size_t shown, size_t cap)
{
    const bool is_cut = shown < table->count;
    size_t i;

    put_blanks(table->out, table->indent);
    for (i = 0; i < shown; i++) {
        const table_cell *cell = cells ? &cells[i] : &table->columns[i].name;
        const char *colour = NULL;

        if (table->has_colour)
            colour = !cells ? "\x1b[1m" : cell->is_null ? "\x1b[2m" : NULL;
        if (i > 0)
            put_blanks(table->out, TABLE_GAP);
        put_cell(table, &table->columns[i], cell, colour, cap, i + 1 == shown && !is_cut);
    }
    if (is_cut)
        cli_puts(table->out, "  " TABLE_CUT);
    cli_putc(table->out, '\n');
    cli_drain(table->out);
}

static void put_rule(cli_table *table, size_t shown, size_t cap)
{
    size_t i;

    put_blanks(table->out, table->indent);
    for (i = 0; i < shown; i++) {
        const size_t width = table->columns[i].width < cap ? table->columns[i].width : cap;

        if (i > 0)
            put_blanks(table->out, TABLE_GAP);
        memset(cli_reserve(table->out, width + 1), '-', width);
        table->out->used += width;
    }
    cli_putc(table->out, '\n');
}

static void table_flush(cli_table *table)
{
    const size_t rows = table->count ? table->cell_count / table->count : 0;
    size_t cap, shown, row;

    shown = table_fit(table, &cap);
    table->left_out = table->count - shown;
    if (table->has_header && table->count > 0) {
        put_line(table, NULL, shown, cap);
        put_rule(table, shown, cap);
        table->has_header = false;
    }
    for (row = 0; row < rows; row++)
        put_line(table, table->cells + row * table->count, shown, cap);
    table->cell_count = 0;
    table->text.used = table->name_bytes;
}

/* ---- cells ---- */

void cli_table_cell(cli_table *table, const char *text, size_t size, bool is_null)
{
    table_column *column = &table->columns[table->cell_count % table->count];
    table_cell *cell;

    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room ? table->cell_room * 2 : 64;
        table->cells = cli_alloc(table->cells, table->cell_room, sizeof(*table->cells));
    }
    cell = &table->cells[table->cell_count++];
    *cell = table_keep(table, text, size);
    cell->is_null = is_null;
    if (cell->width > column->width)
        column->width = cell->width;
    if (table->cell_count % table->count == 0 &&
        (table->cell_count / table->count == TABLE_ROWS || table->text.used > TABLE_BYTES))
        table_flush(table);
}

void cli_table_cellf(cli_table *table, const char *format, ...)
{
    char text[256];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (size >= (int)sizeof(text))
        size = (int)sizeof(text) - 1;
    cli_table_cell(table, text, size < 0 ? 0 : (size_t)size, false);
}

size_t cli_table_close(cli_table *table)
{
    size_t left_out;

    table_flush(table);
    left_out = table->left_out;
    cli_fini(&table->text);
    free(table->columns);
    free(table->cells);
    free(table);
    return left_out;
}
