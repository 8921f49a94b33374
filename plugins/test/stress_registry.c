/* SPDX-License-Identifier: Apache-2.0
 * stress_registry.c: threads that ask one registry for all ids at once get the same codecs. */
#include "plugins/registry.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    THREADS = 6,
    ROUNDS = 20,
    IDS = 10
};

static weir_registry *registry;
static const weir_codec *found[THREADS][IDS];
static int lines[THREADS];

static void count_line(void *user, const weir_codec_info *info)
{
    *(int *)user += info->state == WEIR_CODEC_READY;
}

static void *ask(void *user)
{
    const size_t self = (size_t)(uintptr_t)user;

    for (size_t i = 0; i < IDS; i++) {
        const size_t id = (i + self) % IDS;

        if (weir_registry_find(registry, "parquet", (uint32_t)id, &found[self][id], NULL) !=
            WEIR_OK)
            found[self][id] = NULL;
    }
    if (weir_registry_visit(registry, count_line, &lines[self], NULL) != WEIR_OK)
        lines[self] = -1;
    return NULL;
}

int main(void)
{
    int wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];

        if (weir_registry_open(&registry, NULL) != WEIR_OK)
            return 2;
        for (size_t i = 0; i < THREADS; i++) {
            lines[i] = 0;
            if (pthread_create(&threads[i], NULL, ask, (void *)(uintptr_t)i) != 0)
                return 2;
        }
        for (size_t i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (size_t i = 0; i < THREADS; i++) {
            wrong += lines[i] != lines[0] || lines[i] < 6;
            for (size_t id = 0; id < IDS; id++) /* 1, 2, 4 to 7 are built in */
                wrong +=
                    found[i][id] != found[0][id] || !found[i][id] != (id == 0 || id == 3 || id > 7);
        }
        weir_registry_close(registry);
    }
    printf("%d rounds of %d threads, %d differences\n", ROUNDS, THREADS, wrong);
    return wrong == 0 ? 0 : 1;
}
