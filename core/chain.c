/* SPDX-License-Identifier: Apache-2.0
 * chain.c: putting a page's codecs in a row. */
#include "core/chain.h"

#include "core/error.h"

weir_status weir_chain_add(weir_chain *chain, const weir_codecs_finder *finder, const char *format,
                           uint32_t id, weir_error *err)
{
    const weir_codec *codec = NULL;

    if (chain->count == WEIR_CHAIN_STEPS)
        return weir_fail(err, WEIR_UNSUPPORTED, "more than %d codecs in a row", WEIR_CHAIN_STEPS);
    WEIR_TRY(finder->find(finder->user, format, id, &codec, err));
    chain->steps[chain->count++] = (weir_step){ .codec = codec, .wire_id = id };
    return WEIR_OK;
}
