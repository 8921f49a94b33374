/* SPDX-License-Identifier: Apache-2.0
 * table.c: the list of front-ends, made from formats/CMakeLists.txt, and the search through it. */
#include "formats/table.h"

#include "core/error.h"

#define WEIR_FORMAT(name) extern const weir_format weir_format_##name;
#include "formats.def"
#undef WEIR_FORMAT

#define WEIR_FORMAT(name) &weir_format_##name,
static const weir_format *const formats[] = {
#include "formats.def"
};
#undef WEIR_FORMAT

#define WEIR_FORMAT(name) ", " #name
static const char names[] =
#include "formats.def"
    ;

weir_status weir_format_find(weir_source *source, const weir_format **out, weir_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bool is_it;

        WEIR_TRY(formats[i]->probe(source, &is_it, err));
        if (is_it) {
            *out = formats[i];
            return WEIR_OK;
        }
    }
    if (weir_source_size(source) == 0)
        return weir_fail(err, WEIR_CORRUPT, "the file is empty");
    return weir_fail(err, WEIR_CORRUPT, "not a file that weir knows: none of %s", names + 2);
}
