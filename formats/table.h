/* SPDX-License-Identifier: Apache-2.0
 * table.h: the front-ends of this build. */
#ifndef WEIR_FORMATS_TABLE_H
#define WEIR_FORMATS_TABLE_H

#include <weir/format.h>

/* The front-end that knows the bytes; CORRUPT names what was tried. */
weir_status weir_format_find(weir_source *source, const weir_format **out, weir_error *err);

#endif
