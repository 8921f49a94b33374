/* SPDX-License-Identifier: Apache-2.0
 * work.c: what one worker owns. */
#include "core/work.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void weir_work_init(weir_work *work, const weir_kernels *kernels, weir_memory *memory)
{
    memset(work, 0, sizeof *work);
    work->kernels = kernels;
    work->memory = memory;
    work->verify_sums = true;
    weir_arena_init(&work->scratch);
}

void weir_work_fini(weir_work *work)
{
    for (size_t i = 0; i < work->state_count; i++)
        if (work->states[i].state && work->states[i].codec->free)
            work->states[i].codec->free(work->states[i].state);
    free(work->states);
    weir_arena_fini(&work->scratch);
    memset(work, 0, sizeof *work);
}

weir_status weir_work_state(weir_work *work, const weir_codec *codec, void **out, weir_error *err)
{
    weir_codec_state *states = work->states;
    void *state = NULL;

    for (size_t i = 0; i < work->state_count; i++)
        if (states[i].codec == codec) {
            *out = states[i].state;
            return WEIR_OK;
        }
    if (work->state_count == work->state_room) {
        const size_t room = work->state_room ? work->state_room * 2 : 4;

        states = realloc(states, room * sizeof *states);
        if (!states)
            return weir_fail_memory(err, room * sizeof *states);
        work->states = states;
        work->state_room = room;
    }
    if (codec->alloc) {
        state = codec->alloc();
        if (!state)
            return weir_fail(err, WEIR_NO_MEMORY, "%s: no memory for its state", codec->name);
    }
    states[work->state_count++] = (weir_codec_state){ codec, state };
    *out = state;
    return WEIR_OK;
}

uint64_t weir_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
