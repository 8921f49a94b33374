/* SPDX-License-Identifier: Apache-2.0
 * loader.h: from a folder to codecs that can be trusted to keep the ABI: where objects lie, how one
 * is opened, what is refused and in which words. Knows no wire id. */
#ifndef WEIR_PLUGINS_LOADER_H
#define WEIR_PLUGINS_LOADER_H

#include <weir/base.h>
#include <weir/codec.h>

enum {
    WEIR_WHY = 256 /* room for the words of a refusal */
};

#define WEIR_OBJECT_PREFIX "weir-codec-"
#define WEIR_OBJECT_SUFFIX ".so"

/* Whether a codec keeps the ABI; false: `why` says what it lacks. */
bool weir_codec_check(const weir_codec *codec, char *why, size_t room);

/* Opens the object and asks it for its codecs: a list that ends with NULL, of which each codec is
 * still to be checked. NULL: `why` says why not. Never closed again. */
const weir_codec *const *weir_object_open(const char *path, char *why, size_t room);

/* The folder where this build's own objects lie, told by any of the `count` file names: beside the
 * library in the build tree, else the `weir` folder beside it, else the one that was configured.
 * malloc'ed; NULL: no memory. */
char *weir_home_find(const char *const *objects, size_t count);

/* The value of WEIR_PLUGIN_PATH; NULL: none, or the program runs with another's rights. */
const char *weir_plugin_path(void);

/* Names of the objects in a folder, sorted by byte order; a folder that isn't there has none.
 * False: no memory. `names` and each of its `count` strings are malloc'ed. */
bool weir_objects_list(const char *folder, char ***names, size_t *count);

#endif
