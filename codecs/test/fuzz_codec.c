/* SPDX-License-Identifier: Apache-2.0
 * fuzz_codec.c: any input to any built-in codec. The first byte picks the id, the second the room;
 * the rest is the packed page, between pages that nobody may touch. */
#include "codecs/test/guard.h"
#include "plugins/registry.h"

static const weir_wire_id ids[] = { { "parquet", 1 }, { "parquet", 2 }, { "parquet", 4 },
                                    { "parquet", 5 }, { "parquet", 6 }, { "parquet", 7 } };

enum {
    ID_COUNT = sizeof ids / sizeof *ids,
    ROOM = 1 << 16
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_registry *registry;
    static const weir_codec *codecs[ID_COUNT];
    static void *states[ID_COUNT];
    static guard src, dst;
    char text[96] = "";
    weir_codec_job job = { .size = sizeof job, .text = text, .text_size = sizeof text };
    size_t which;

    if (size < 2 || size > ROOM)
        return 0;
    which = data[0] % ID_COUNT;
    if (!registry) {
        if (weir_registry_open(&registry, NULL) != WEIR_OK)
            abort();
        src = guard_open(ROOM);
        dst = guard_open(ROOM);
    }
    if (!codecs[which]) {
        if (weir_registry_find(registry, ids[which].format, ids[which].id, &codecs[which], NULL) !=
            WEIR_OK)
            abort();
        states[which] = codecs[which]->alloc ? codecs[which]->alloc() : NULL;
    }
    job.src = guard_copy(&src, data + 2, size - 2, data[1] & 1);
    job.src_size = size - 2;
    job.dst_size = (size_t)(data[1] >> 1) * (data[1] >> 1);
    job.dst = guard_place(&dst, job.dst_size, data[1] & 1);
    job.wire_id = ids[which].id;
    if (codecs[which]->decompress(states[which], &job) == WEIR_CODEC_OK &&
        job.written > job.dst_size)
        abort();
    if (!memchr(text, '\0', sizeof text))
        abort();
    if (codecs[which]->room)
        codecs[which]->room(states[which], &job);
    return 0;
}
