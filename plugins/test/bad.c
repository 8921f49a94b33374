/* SPDX-License-Identifier: Apache-2.0
 * bad.c: plugins made to be refused, one a BAD_ word, each wrong in one way only. */
#include <weir/codec.h>

int weir_test_no_such_function(void);

#ifndef BAD_FUNCTION
static int bad_decompress(void *state, weir_codec_job *job)
{
    (void)state;
    job->written = 0;
#ifdef BAD_SYMBOL
    return weir_test_no_such_function();
#else
    return WEIR_CODEC_OK;
#endif
}
#endif

#ifdef BAD_HALF
static void *bad_alloc(void)
{
    return 0;
}
#endif

static const weir_codec bad = {
#ifdef BAD_ABI
    .abi = WEIR_CODEC_ABI + 1,
#else
    .abi = WEIR_CODEC_ABI,
#endif
#ifdef BAD_SIZE
    .size = sizeof(weir_codec) - 1,
#else
    .size = sizeof(weir_codec),
#endif
#if defined(BAD_NAME)
    .name = "Bad Name",
#elif !defined(BAD_NAMELESS)
    .name = "bad",
#endif
#ifndef BAD_IDS
    .wire_ids = (const weir_wire_id[]){ { "parquet", 77 }, { NULL, 0 } },
#endif
#ifdef BAD_FLAGS
    .flags = 1u << 31,
#endif
#ifdef BAD_HALF
    .alloc = bad_alloc,
#endif
#ifndef BAD_FUNCTION
    .decompress = bad_decompress,
#endif
};

#ifdef BAD_ENTRY
const weir_codec *bad_codec(void);
const weir_codec *bad_codec(void)
{
    return &bad;
}
#else
const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &bad, NULL };

#ifdef BAD_SERVICE
    return abi == 0 ? all : NULL;
#else
    return abi == 0 ? NULL : all;
#endif
}
#endif
