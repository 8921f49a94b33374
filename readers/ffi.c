/* SPDX-License-Identifier: Apache-2.0
 * ffi.c: exported twins of the headers' inline functions, for languages that load the library and
 * can't include a header. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define WEIR_INLINE __attribute__((visibility("default")))
#include <weir/weir.h>
