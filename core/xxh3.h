/* SPDX-License-Identifier: Apache-2.0
 * xxh3.h: XXH3, 64 bits, seed 0 (xxHash, doc/xxhash_spec.md): what HIPO's streams are summed by. */
#ifndef WEIR_CORE_XXH3_H
#define WEIR_CORE_XXH3_H

#include <stddef.h>
#include <stdint.h>

uint64_t weir_xxh3_64(const void *data, size_t size);

#endif
