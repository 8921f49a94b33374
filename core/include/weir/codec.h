/* SPDX-License-Identifier: Apache-2.0
 * codec.h: the codec ABI. All that a plugin includes; it includes nothing of weir. */
#ifndef WEIR_CODEC_H
#define WEIR_CODEC_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define WEIR_CODEC_ABI 1u

enum { /* what decompress returns; any other value is taken for WEIR_CODEC_CORRUPT */
    WEIR_CODEC_OK = 0,
    WEIR_CODEC_CORRUPT = 1,     /* `src` is not what this codec writes */
    WEIR_CODEC_SHORT = 2,       /* `dst` is too small; `wanted` says how much, or 0 if unknown */
    WEIR_CODEC_UNSUPPORTED = 3, /* well formed, but this build can't: `text` says what */
    WEIR_CODEC_NO_MEMORY = 4
};

typedef struct weir_wire_id {
    const char *format; /* "parquet", "hipo", "hdf5"; NULL ends the list */
    uint32_t id;
} weir_wire_id;

/* One call's work. The host fills it, zeroes what it doesn't use, and owns every pointer. */
typedef struct weir_codec_job {
    size_t size;        /* sizeof(weir_codec_job) in the host: read no field past it */
    const uint8_t *src; /* never trusted; no byte past src_size may be read */
    size_t src_size;
    uint8_t *dst;           /* never overlaps src; no byte past dst_size may be written */
    size_t dst_size;        /* room */
    size_t expected;        /* what the file says comes out; 0: it doesn't say */
    size_t written;         /* out: bytes of dst that hold the result */
    size_t wanted;          /* out, with WEIR_CODEC_SHORT */
    uint32_t wire_id;       /* which of the codec's ids the file named: framings differ by it */
    uint32_t element_size;  /* bytes of one element; 0: none (shuffle, bitshuffle, nbit) */
    const uint32_t *params; /* HDF5 cd_values, as stored in the file: not trusted either */
    size_t param_count;
    const uint8_t *dict; /* a trained dictionary (zstd); NULL: none */
    size_t dict_size;
    uint64_t dict_id; /* same id, same bytes, as long as the state lives: may be digested once */
    char *text;       /* out: why it failed, always terminated; never NULL */
    size_t text_size;
    size_t enough; /* the first so many bytes of what comes out will do: the codec may stop there,
                      with fewer `written` than come out in all; 0: all are wanted */
} weir_codec_job;

typedef struct weir_codec {
    uint32_t abi;                 /* WEIR_CODEC_ABI; first for ever */
    uint32_t size;                /* sizeof(weir_codec) in the plugin: the host reads no further */
    const char *name;             /* "zstd"; [a-z0-9_] */
    const char *(*version)(void); /* of the library inside, asked at run time; may be NULL */
    const weir_wire_id *wire_ids;
    uint32_t flags;       /* none yet; unknown bits: the codec is refused */
    uint32_t reserved;    /* 0 */
    void *(*alloc)(void); /* a state; NULL function: stateless. NULL result: no memory */
    void (*free)(void *state);
    int (*decompress)(void *state, weir_codec_job *job);
    /* How much room `job` needs, from its header, params and src_size; 0: unknown. NULL function:
     * unknown. Reads src, doesn't trust it; the host caps the answer by its own limit. Where what
     * the file says can't come out of so few bytes, the most that can. */
    uint64_t (*room)(void *state, const weir_codec_job *job);
} weir_codec;

/* The one exported symbol. `abi` is the host's; NULL: can't serve it. The list ends with NULL. */
typedef const weir_codec *const *weir_codecs_fn(uint32_t abi);
#if defined(_WIN32)
#define WEIR_CODEC_EXPORT __declspec(dllexport)
#else
#define WEIR_CODEC_EXPORT __attribute__((visibility("default")))
#endif
WEIR_CODEC_EXPORT weir_codecs_fn weir_codecs;
#ifdef __cplusplus
}
#endif
#endif
