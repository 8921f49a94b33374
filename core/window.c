/* SPDX-License-Identifier: Apache-2.0
 * window.c: a moving view of one range of a source. Bytes that were read and not used move along
 * when the window does, so that none is read twice. */
#include "core/window.h"

#include "core/error.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
    AHEAD = 4 * 1024 /* read past a body larger than a block: the next page's header */
};

static const uint8_t nothing[WEIR_SLACK];

static uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t loaded_after(const weir_window *window, uint64_t offset)
{
    if (offset < window->offset || offset - window->offset > window->size)
        return 0;
    return window->size - (size_t)(offset - window->offset);
}

/* How much to have from `offset` on: what is asked, or a block where that doesn't pass the
 * window's end. `most` is what the file has there. */
static size_t load_size(const weir_window *window, uint64_t offset, size_t least, uint64_t most)
{
    const uint64_t ahead = window->end > offset ? window->end - offset : 0;
    uint64_t want = least < WEIR_WINDOW_BLOCK - AHEAD ? WEIR_WINDOW_BLOCK : (uint64_t)least + AHEAD;

    if (!window->hold && ahead <= window->whole)
        want = UINT64_MAX; /* as much as is ahead */
    if (want > ahead)
        want = ahead > least ? ahead : least;
    return (size_t)(want < most ? want : most);
}

/* Makes the window a slab of `size` bytes from `offset` on, of which those already loaded are in
 * place: `window->size` of them. */
static weir_status move_to(weir_window *window, uint64_t offset, size_t size, weir_error *err)
{
    const size_t kept = loaded_after(window, offset);
    const uint8_t *from = kept ? window->data + (offset - window->offset) : NULL;
    weir_hold *hold = window->hold;

    if (!hold || hold->size < size || weir_hold_is_shared(hold))
        WEIR_TRY(weir_memory_take(window->memory, size, &hold, err));
    if (kept)
        memmove(hold->data, from, kept);
    if (hold != window->hold) {
        weir_hold_release(window->hold);
        window->hold = hold;
    }
    window->data = hold->data;
    window->offset = offset;
    window->size = kept;
    return WEIR_OK;
}

/* A map needs no copy: the window is the same stretch that would have been read. */
static bool load_mapped(weir_window *window, uint64_t offset, size_t size)
{
    weir_view all;
    weir_hold *hold;

    if (!weir_source_mapped(window->source, &all, &hold))
        return false;
    window->bytes_read += size - loaded_after(window, offset);
    if (!window->hold)
        window->hold = weir_hold_keep(hold);
    window->data = all.data + offset;
    window->offset = offset;
    window->size = size;
    return true;
}

static weir_status load(weir_window *window, uint64_t offset, size_t size, weir_error *err)
{
    uint64_t begin;
    weir_status status;

    if (load_mapped(window, offset, size))
        return WEIR_OK;
    WEIR_TRY(move_to(window, offset, size, err));
    begin = nanoseconds();
    status = weir_source_read(window->source, offset + window->size,
                              window->hold->data + window->size, size - window->size, err);
    window->read_ns += nanoseconds() - begin;
    if (status == WEIR_OK) {
        window->bytes_read += size - window->size;
        window->size = size;
    }
    return status;
}

void weir_window_init(weir_window *window, weir_source *source, weir_memory *memory, uint64_t end)
{
    *window = (weir_window){ .source = source, .memory = memory, .end = end };
}

void weir_window_fini(weir_window *window)
{
    weir_hold_release(window->hold);
    *window = (weir_window){ 0 };
}

void weir_window_drop(weir_window *window)
{
    weir_hold_release(window->hold);
    window->hold = NULL;
    window->data = NULL;
    window->size = 0;
}

weir_status weir_window_peek(weir_window *window, uint64_t offset, size_t least, weir_view *out,
                             weir_error *err)
{
    const uint64_t file_size = weir_source_size(window->source);
    const uint64_t most = offset < file_size ? file_size - offset : 0;
    const size_t want = least < most ? least : (size_t)most;
    size_t have = loaded_after(window, offset);

    if (most == 0) {
        *out = (weir_view){ .data = nothing };
        return WEIR_OK;
    }
    if (have < want || have == 0) {
        have = load_size(window, offset, want > 0 ? want : 1, most);
        WEIR_TRY(load(window, offset, have, err));
    }
    *out = (weir_view){ .data = window->data + (offset - window->offset), .size = have };
    return WEIR_OK;
}

weir_status weir_window_view(weir_window *window, uint64_t offset, size_t size, weir_view *out,
                             weir_error *err)
{
    weir_view loaded;

    WEIR_TRY(weir_window_peek(window, offset, size, &loaded, err));
    if (loaded.size < size)
        return weir_fail_at(err, WEIR_CORRUPT, offset,
                            "%zu bytes are needed at byte %" PRIu64 ", and the file has %" PRIu64,
                            size, offset, weir_source_size(window->source));
    *out = (weir_view){ .data = loaded.data, .size = size };
    return WEIR_OK;
}

bool weir_window_has(const weir_window *window, uint64_t offset, size_t size)
{
    return size <= loaded_after(window, offset) && offset >= window->offset &&
           offset - window->offset <= window->size;
}
