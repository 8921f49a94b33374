/* SPDX-License-Identifier: Apache-2.0
 * cat.h: what the forms of `weir cat` share. */
#ifndef WEIR_CLI_CAT_H
#define WEIR_CLI_CAT_H

#include "cli.h"

/* A value as a table has it, what is nested only as far as there is room; `v` NULL or null there:
 * null. True: it was null. */
bool cat_put_cell(cli_out *out, const weir_vector *v, int64_t row);
/* Whether a table has it on the right. */
bool cat_is_number(const weir_field *field);

/* cat_events.c: a row as a number and what is in it: a table a list of structs, the rest as
 * `name = value`. `scratch` is kept in memory. */
void cat_put_events(cli_out *out, cli_out *scratch, const cli_shows *shows, const weir_batch *batch,
                    bool has_header);

#endif
