/* SPDX-License-Identifier: Apache-2.0
 * snappy.c: Snappy's raw format (format_description.txt of google/snappy), decoded here. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <weir/codec.h>

/* The length that comes out, as a varint of at most 32 bits; false: there is none. */
static bool snappy_length(const uint8_t **src, const uint8_t *end, uint32_t *out)
{
    uint32_t length = 0;

    for (int shift = 0; shift < 35 && *src < end; shift += 7) {
        const uint8_t byte = *(*src)++;

        if (shift == 28 && byte > 15)
            return false;
        length |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = length;
            return true;
        }
    }
    return false;
}

/* Element by element, every bound checked; true: src and dst end together. */
static bool snappy_tail(const uint8_t *src, const uint8_t *end, uint8_t *dst, const uint8_t *base,
                        const uint8_t *dst_end)
{
    while (src < end) {
        const uint8_t tag = *src++;
        size_t length = (size_t)(tag >> 2) + 1, offset = 0, extra = tag & 3;

        if (extra == 0) {
            if (length > 60) { /* the length less one follows in 1 to 4 bytes */
                extra = length - 60;
                if ((size_t)(end - src) < extra)
                    return false;
                length = 1;
                for (size_t i = 0; i < extra; i++)
                    length += (size_t)src[i] << (8 * i);
                src += extra;
            }
            if (length > (size_t)(end - src) || length > (size_t)(dst_end - dst))
                return false;
            memcpy(dst, src, length);
            src += length;
            dst += length;
            continue;
        }
        if (extra == 3)
            extra = 4;
        if ((size_t)(end - src) < extra)
            return false;
        for (size_t i = 0; i < extra; i++)
            offset |= (size_t)src[i] << (8 * i);
        if (extra == 1) {
            length = 4 + ((tag >> 2) & 7);
            offset |= (size_t)(tag >> 5) << 8;
        }
        src += extra;
        if (offset - 1 >= (size_t)(dst - base) || length > (size_t)(dst_end - dst))
            return false;
        for (; length > 0; length--, dst++)
            *dst = *(dst - offset);
    }
    return dst == dst_end;
}

static int snappy_decompress(void *state, weir_codec_job *job)
{
    const uint8_t *src = job->src, *const end = src + job->src_size;
    uint32_t length;

    (void)state;
    if (!snappy_length(&src, end, &length)) {
        snprintf(job->text, job->text_size, "no length at the start");
        return WEIR_CODEC_CORRUPT;
    }
    if (length > job->dst_size) {
        job->wanted = length;
        snprintf(job->text, job->text_size, "%u bytes come out, there is room for %zu", length,
                 job->dst_size);
        return WEIR_CODEC_SHORT;
    }
    if (!snappy_tail(src, end, job->dst, job->dst, job->dst + length)) {
        snprintf(job->text, job->text_size, "bad stream");
        return WEIR_CODEC_CORRUPT;
    }
    job->written = length;
    return WEIR_CODEC_OK;
}

static uint64_t snappy_room(void *state, const weir_codec_job *job)
{
    const uint8_t *src = job->src;
    uint32_t length;

    (void)state;
    return snappy_length(&src, src + job->src_size, &length) ? length : 0;
}

static const weir_codec snappy = {
    .abi = WEIR_CODEC_ABI,
    .size = sizeof(weir_codec),
    .name = "snappy",
    .wire_ids = (const weir_wire_id[]){ { "parquet", 1 }, { NULL, 0 } },
    .decompress = snappy_decompress,
    .room = snappy_room,
};

const weir_codec *const *weir_codecs(uint32_t abi)
{
    static const weir_codec *const all[] = { &snappy, NULL };

    return abi == WEIR_CODEC_ABI ? all : NULL;
}
