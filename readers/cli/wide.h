/* SPDX-License-Identifier: Apache-2.0
 * wide.h: integers of 320 bits, two's complement, least significant word first. */
#ifndef WEIR_CLI_WIDE_H
#define WEIR_CLI_WIDE_H

#include "cli.h"

typedef struct cli_wide {
    uint64_t word[5];
} cli_wide;

cli_wide cli_wide_of(cli_i128 value);
cli_wide cli_wide_of_256(const weir_i256 *value);
void cli_wide_add(cli_wide *into, const cli_wide *from);
int cli_wide_compare(const cli_wide *a, const cli_wide *b);
long double cli_wide_real(const cli_wide *wide);
/* Decimal digits, `scale` of them after the point. */
void cli_put_wide(cli_out *out, const cli_wide *wide, int32_t scale);

#endif
