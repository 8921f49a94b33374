/* SPDX-License-Identifier: Apache-2.0
 * chain.h: what a page must go through before it is plain, in the order in which it is undone. */
#ifndef WEIR_CORE_CHAIN_H
#define WEIR_CORE_CHAIN_H

#include <weir/base.h>
#include <weir/codec.h>

enum {
    WEIR_CHAIN_STEPS = 8
};

typedef struct weir_step {
    const weir_codec *codec; /* never unloaded */
    uint32_t wire_id;
    uint32_t element_size;
    const uint32_t *params;
    size_t param_count;
} weir_step;

typedef struct weir_chain {
    uint32_t count;
    weir_step steps[WEIR_CHAIN_STEPS];
} weir_chain;

/* Finds codecs for a file: the registry, behind a function so that formats don't know it. Any
 * thread; takes a lock, so not on the page path. */
typedef struct weir_codecs_finder {
    weir_status (*find)(void *user, const char *format, uint32_t id, const weir_codec **out,
                        weir_error *err);
    void *user;
} weir_codecs_finder;

/* Appends the codec that `format` calls `id`. NO_CODEC names the id and where a plugin would be
 * looked for. */
weir_status weir_chain_add(weir_chain *chain, const weir_codecs_finder *finder, const char *format,
                           uint32_t id, weir_error *err);

#endif
