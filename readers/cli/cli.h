/* SPDX-License-Identifier: Apache-2.0
 * cli.h: what the files of the command `weir` share. The command stands on the installed headers
 * alone, so whatever it does another program can do. */
#ifndef WEIR_CLI_H
#define WEIR_CLI_H

#include <weir/weir.h>

__extension__ typedef __int128 cli_i128;
__extension__ typedef unsigned __int128 cli_u128;

/* Exit codes. */
enum {
    CLI_OK = 0,
    CLI_DATA = 1,
    CLI_USAGE = 2,
    CLI_INTERRUPTED = 130
};

/* ---- out.c: bytes that grow in memory or go to a file descriptor ---- */

typedef struct cli_out {
    char *data;
    size_t used, room;
    int fd; /* -1: kept in memory */
} cli_out;

/* Memory that is there, or the command ends with a word. */
void *cli_alloc(void *old, size_t count, size_t size);
/* At least `size` bytes at out->data + out->used, not yet counted as used. */
char *cli_reserve(cli_out *out, size_t size);
void cli_put(cli_out *out, const void *data, size_t size);
void cli_puts(cli_out *out, const char *text);
void cli_putc(cli_out *out, char c);
void cli_printf(cli_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes what waits. A closed pipe ends the command quietly, another failure with a word. */
void cli_flush(cli_out *out);
/* The same once enough waits. Nothing else writes, so what was put since can be changed. */
void cli_drain(cli_out *out);
void cli_fini(cli_out *out);

/* ---- text.c: what bytes look like on a terminal, and UTF-8 ---- */

/* The code point at `data` (size > 0) and its bytes; -1 and one byte where it isn't UTF-8. */
int32_t cli_decode(const char *data, size_t size, size_t *used);
bool cli_is_utf8(const char *data, size_t size);
/* Columns a code point takes on a terminal: 0, 1 or 2; Unicode's East Asian widths. */
int cli_width(int32_t code);
/* Appends `data` so that no terminal obeys it: controls and direction marks escaped, bytes that
 * aren't UTF-8 as \xNN. Gives the columns it takes. */
size_t cli_put_shown(cli_out *out, const char *data, size_t size);
/* `weir: ` and the text on stderr, made harmless; takes the progress bar away first. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* 1234567 -> "1,234,567"; 1234567 bytes -> "1.2 MiB". */
void cli_put_grouped(cli_out *out, uint64_t number);
void cli_put_bytes(cli_out *out, uint64_t bytes);
bool cli_has_colour(int fd);

/* ---- weir.c: the arguments ---- */

typedef enum cli_format {
    CLI_TABLE,
    CLI_CSV,
    CLI_TSV,
    CLI_JSONL
} cli_format;

typedef struct cli_args {
    const char *name; /* of the sub-command */
    const char **paths;
    size_t path_count;
    char **columns; /* as given, split at commas */
    size_t column_count;
    int64_t *tags; /* of records */
    size_t tag_count;
    uint32_t *event_tags;
    size_t event_tag_count;
    uint32_t event_mask;
    char **present; /* banks that an event must have */
    size_t present_count;
    size_t memory_limit;
    uint32_t flags; /* weir_options.flags */
    int threads;
    cli_format format;
    int64_t limit, skip, tail; /* -1: not given */
    bool has_header, is_json, is_arrow, is_hipo, is_footer, is_leaves, is_flat, is_events, is_timed,
        is_quiet;
} cli_args;

/* ---- progress.c: a bar on stderr ---- */

typedef struct cli_progress {
    bool is_on;
    int64_t begin_ns, next_ns;
    int64_t total_rows; /* -1: not known */
    int32_t total_files;
} cli_progress;

/* `is_wanted`: the caller thinks a bar would not disturb; stderr must be a terminal all the same.
 */
void cli_progress_begin(cli_progress *progress, const cli_args *args, const weir_dataset *dataset,
                        bool is_wanted, int64_t total_rows);
void cli_progress_show(cli_progress *progress, int64_t rows, uint64_t bytes, int32_t files);
/* Takes the bar away; also called by a signal handler. */
void cli_progress_clear(void);

/* ---- session.c: files open, and what was asked of them ---- */

typedef struct cli_session {
    const cli_args *args;
    weir_context *context;
    weir_dataset *dataset;
    cli_progress progress;
    cli_out out;      /* stdout */
    int32_t *skipped; /* files */
    int32_t skipped_count;
    int code; /* the worst so far */
} cli_session;

/* Both say what is wrong, and give false then; cli_close all the same. */
bool cli_open_context(cli_session *session, const cli_args *args);
bool cli_open(cli_session *session, const cli_args *args);
/* A query of the rows that the options ask for. */
weir_query cli_query(const cli_args *args);
/* Writes what waits, says how many files were skipped, closes; gives the exit code. */
int cli_close(cli_session *session);
/* What happened, and the row and byte where. */
void cli_put_error(cli_out *out, const weir_error *err);
/* Says it and keeps the exit code that fits. */
void cli_fail(cli_session *session, const weir_error *err);

/* ---- picks.c: the columns asked for, or all ---- */

typedef struct cli_picks {
    weir_pick *picks;
    size_t pick_count;
    weir_columns *opened;      /* for its schema */
    const weir_schema *schema; /* of what comes out: paths into one column make one */
    const weir_field **fields; /* its columns */
    char **names;              /* as the file has them; the second of one name gets #2 */
    size_t *name_sizes;
    size_t count; /* of its columns */
    bool has_paths;
} cli_picks;

/* Says what is wrong, and gives false then; cli_picks_fini all the same. */
bool cli_pick(cli_session *session, cli_picks *picks);
void cli_picks_fini(cli_picks *picks);

/* ---- value.c: values in hand, outside of any batch ---- */

/* One value as a vector of one row. `room` holds what must live beside it. */
typedef struct cli_single {
    weir_vector vector;
    int32_t offsets[2];
    double real;
    int64_t whole;
    uint8_t bytes[32];
} cli_single;

/* PLAIN bytes of `field`'s type, BYTES without a length; borrowed. False: not its size. */
bool cli_single_set(cli_single *single, const weir_field *field, weir_view plain);
/* Any integer, widened or narrowed to the field's type. */
void cli_single_set_whole(cli_single *single, const weir_field *field, int64_t value);
void cli_single_set_real(cli_single *single, double value);
void cli_put_value(cli_out *out, const weir_vector *vector, int64_t row, weir_text_style style);
void cli_put_real(cli_out *out, double value, weir_text_style style);
/* PLAIN bytes of an integer type, extended by its sign if it has one. */
bool cli_whole(const weir_field *field, weir_view plain, int64_t *out);
bool cli_is_unsigned(const weir_field *field);
/* Less than, equal, greater: in the order of what the field means. False: it has no order. */
bool cli_has_order(const weir_field *field);
int cli_compare(const weir_field *field, weir_view a, weir_view b);
/* As people call it: "int64", "timestamp[us, UTC]", "decimal(10, 2)". */
void cli_put_type(cli_out *out, const weir_field *field);

/* ---- json.c: a writer ---- */

typedef struct cli_json {
    cli_out *out;
    int depth;
    bool is_first, is_compact;
} cli_json;

/* `name` NULL: no key. */
void cli_json_open(cli_json *json, const char *name, char bracket);
void cli_json_close(cli_json *json, char bracket);
void cli_json_key(cli_json *json, const char *name);
void cli_json_text(cli_json *json, const char *name, const char *data, size_t size);
void cli_json_string(cli_json *json, const char *name, const char *text);
void cli_json_number(cli_json *json, const char *name, int64_t number);
void cli_json_unsigned(cli_json *json, const char *name, uint64_t number);
void cli_json_bool(cli_json *json, const char *name, bool value);
void cli_json_real(cli_json *json, const char *name, double value);
void cli_json_null(cli_json *json, const char *name);
/* Text that is JSON already. */
void cli_json_raw(cli_json *json, const char *name, const char *data, size_t size);
/* A quoted string; bytes that aren't UTF-8 make it base64. */
void cli_put_json_text(cli_out *out, const char *data, size_t size);

/* ---- shown.c: what is printed of the columns ---- */

/* A column, or, flattened, a field of the structs in it. */
typedef struct cli_shown {
    size_t column; /* of the batch */
    int *steps;    /* child by child down to the field */
    size_t step_count;
    const weir_field *field;
    cli_out name;
} cli_shown;

typedef struct cli_shows {
    cli_shown *all;
    size_t count;
} cli_shows;

/* The column's name as it is shown, and after dots the names down to the field. */
void cli_put_field_name(cli_out *out, const cli_picks *picks, const weir_field *field);
/* Says what is wrong, and gives false then; cli_shows_fini all the same. */
bool cli_show(cli_session *session, const cli_picks *picks, cli_shows *shows);
void cli_shows_fini(cli_shows *shows);
/* The vector that holds it; NULL: it is null in that row. */
const weir_vector *cli_shown_find(const cli_shown *shown, const weir_batch *batch, int64_t row);

/* ---- print.c: tables ---- */

typedef struct cli_table cli_table;

/* Goes to `out` in blocks; `has_header` false leaves the names out. */
cli_table *cli_table_open(cli_out *out, size_t columns, bool has_header);
void cli_table_column(cli_table *table, size_t column, const char *name, size_t size,
                      bool is_right);
/* Part of something larger: lines begin with `indent` blanks, whatever the terminal, and have no
 * colours. Before the first cell. */
void cli_table_inside(cli_table *table, size_t indent);
/* The next cell, row by row. `is_null` is shown apart. */
void cli_table_cell(cli_table *table, const char *text, size_t size, bool is_null);
void cli_table_cellf(cli_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Columns that did not fit the terminal. */
size_t cli_table_close(cli_table *table);
/* Columns of the terminal stdout is; 0: it is none. */
size_t cli_terminal_width(int fd);

/* ---- delimited.c: csv and tsv ---- */

/* Quotes, by RFC 4180, what was written to `out` from `begin` on, if it must be. */
void cli_quote(cli_out *out, size_t begin, char separator);

/* ---- the sub-commands; each gives the exit code ---- */

int cli_schema(const cli_args *args);
int cli_info(const cli_args *args);
int cli_cat(const cli_args *args);
int cli_count(const cli_args *args);
int cli_stat(const cli_args *args);
int cli_digest(const cli_args *args);
int cli_codecs(const cli_args *args);

#endif
