/* SPDX-License-Identifier: Apache-2.0
 * writers.h: what each wire id's own library writes: the other side of every codec, for tests. */
#ifndef WEIR_CODECS_TEST_WRITERS_H
#define WEIR_CODECS_TEST_WRITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct writer {
    const char *name; /* of the codec that reads it, then how it is written */
    const char *codec;
    const char *format;
    uint32_t id;
    /* Writes into `dst`, which has room for 2 * size + 4096 bytes; gives the bytes written. */
    size_t (*write)(const uint8_t *src, size_t size, uint8_t *dst, size_t room);
    bool is_summed; /* a changed byte can't go unnoticed */
} writer;

extern const writer writers[];
extern const size_t writer_count;

#endif
