/* SPDX-License-Identifier: Apache-2.0
 * registry.h: (format, wire id) -> codec. The build's own ids resolve without opening anything
 * else; any other id opens all plugins on the search path, once. One lock; never on the page path.
 * Codecs are never unloaded. */
#ifndef WEIR_PLUGINS_REGISTRY_H
#define WEIR_PLUGINS_REGISTRY_H

#include <weir/base.h>
#include <weir/codec.h>
#include <weir/inform.h>

typedef struct weir_registry weir_registry;

weir_status weir_registry_open(weir_registry **out, weir_error *err);
void weir_registry_close(weir_registry *registry);
/* A codec linked into the program: checked as a plugin's is. */
weir_status weir_registry_add(weir_registry *registry, const weir_codec *codec, weir_error *err);
/* NO_CODEC: names the id, what it is called where that is known (LZO), and the folders searched;
 * refused objects that may have held it are named with the reason. */
weir_status weir_registry_find(weir_registry *registry, const char *format, uint32_t id,
                               const weir_codec **out, weir_error *err);
/* Every codec; see weir_context_codecs. */
weir_status weir_registry_visit(weir_registry *registry,
                                void (*visit)(void *user, const weir_codec_info *info), void *user,
                                weir_error *err);

#endif
