/* SPDX-License-Identifier: Apache-2.0
 * crc32.h: zlib's CRC-32, by the fastest means the CPU has (PCLMUL, ARM's instructions). */
#ifndef WEIR_CORE_CRC32_H
#define WEIR_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* `crc` is 0 at first, then what the call before gave. */
uint32_t weir_crc32(uint32_t crc, const void *data, size_t size);
/* The same on any CPU: what the other ways are compared with. */
uint32_t weir_crc32_plain(uint32_t crc, const void *data, size_t size);

#endif
