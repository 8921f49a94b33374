/* SPDX-License-Identifier: Apache-2.0
 * crc.h: zlib's CRC-32, which the command computes itself so as to need no library. */
#ifndef WEIR_CLI_CRC_H
#define WEIR_CLI_CRC_H

#include <stddef.h>
#include <stdint.h>

typedef struct cli_crc_table {
    uint32_t entry[8][256];
} cli_crc_table;

void cli_crc_init(cli_crc_table *table);
/* `crc` is 0 at first, or what the bytes before gave. */
uint32_t cli_crc(const cli_crc_table *table, uint32_t crc, const void *data, size_t size);
/* The CRC of two pieces from theirs; `size` is that of the second. */
uint32_t cli_crc_join(uint32_t first, uint32_t second, uint64_t size);

#endif
