/* SPDX-License-Identifier: Apache-2.0
 * crc.c: CRC-32 of IEEE 802.3, reflected, eight bytes at a step. */
#include "crc.h"

#include <string.h>

#define CRC_POLYNOMIAL 0xEDB88320u

void cli_crc_init(cli_crc_table *table)
{
    uint32_t i, k;

    for (i = 0; i < 256; i++) {
        uint32_t crc = i;

        for (k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
        table->entry[0][i] = crc;
    }
    for (i = 0; i < 256; i++)
        for (k = 1; k < 8; k++) {
            const uint32_t before = table->entry[k - 1][i];

            table->entry[k][i] = before >> 8 ^ table->entry[0][before & 0xFF];
        }
}

uint32_t cli_crc(const cli_crc_table *table, uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;

    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        uint32_t high;

        memcpy(&word, p, 8);
        word ^= crc;
        high = (uint32_t)(word >> 32);
        crc = table->entry[7][word & 0xFF] ^ table->entry[6][word >> 8 & 0xFF] ^
              table->entry[5][word >> 16 & 0xFF] ^ table->entry[4][word >> 24 & 0xFF] ^
              table->entry[3][high & 0xFF] ^ table->entry[2][high >> 8 & 0xFF] ^
              table->entry[1][high >> 16 & 0xFF] ^ table->entry[0][high >> 24];
    }
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ table->entry[0][(crc ^ *p) & 0xFF];
    return ~crc;
}

/* The product of two polynomials modulo the CRC's; bit 31 is x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (; a != 0; a <<= 1) {
        if (a >> 31)
            product ^= b;
        b = b & 1 ? b >> 1 ^ CRC_POLYNOMIAL : b >> 1;
    }
    return product;
}

uint32_t cli_crc_join(uint32_t first, uint32_t second, uint64_t size)
{
    uint32_t shift = (uint32_t)1 << 31; /* x^0 */
    uint32_t power = (uint32_t)1 << 23; /* x^8, then its squares */

    for (; size > 0; size >>= 1) {
        if (size & 1)
            shift = multiply(shift, power);
        power = multiply(power, power);
    }
    return multiply(shift, first) ^ second;
}
