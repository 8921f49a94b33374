/* SPDX-License-Identifier: Apache-2.0
 * glob.h: patterns over names: of files, of columns. */
#ifndef WEIR_CORE_GLOB_H
#define WEIR_CORE_GLOB_H

#include <weir/base.h>

/* Whether all of `name` matches: `*` any characters, `?` one UTF-8 character, `[a-z]` and `[!a-z]`
 * one byte of a set, `\` takes the next byte as it is; the rest is equal byte for byte, or, where
 * any_case, without regard to ASCII case. A `[` that isn't closed stands for itself. */
bool weir_glob_match(weir_view pattern, weir_view name, bool any_case);
/* Holds `*`, `?` or `[`. */
bool weir_glob_is(weir_view text);

#endif
