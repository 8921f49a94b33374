/* SPDX-License-Identifier: Apache-2.0
 * page.c: step 5 of the line: a packed page becomes plain. */
#include "core/page.h"

#include "core/crc32.h"
#include "core/error.h"
#include "core/xxh3.h"

#include <inttypes.h>
#include <string.h>

/* Pages that claim more than this are asked for their true size before memory is taken. */
enum {
    CLAIM_CHECKED = 16 * 1024 * 1024
};

static weir_status codec_failure(const weir_step *step, int result, const weir_codec_job *job,
                                 weir_error *err)
{
    const char *text = job->text[0] ? job->text : "not what this codec writes";

    switch (result) {
    case WEIR_CODEC_SHORT:
        return weir_fail(err, WEIR_CORRUPT, "%s: more comes out than the %zu bytes declared",
                         step->codec->name, job->dst_size);
    case WEIR_CODEC_UNSUPPORTED:
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: %s", step->codec->name, text);
    case WEIR_CODEC_NO_MEMORY:
        return weir_fail(err, WEIR_NO_MEMORY, "%s: no memory", step->codec->name);
    default:
        return weir_fail(err, WEIR_CORRUPT, "%s: %s", step->codec->name, text);
    }
}

static void fill_job(weir_codec_job *job, const weir_step *step, weir_view src, uint64_t expected,
                     char *text, size_t text_size)
{
    text[0] = '\0';
    *job = (weir_codec_job){
        .size = sizeof *job,
        .src = src.data,
        .src_size = src.size,
        .expected = expected,
        .wire_id = step->wire_id,
        .element_size = step->element_size,
        .params = step->params,
        .param_count = step->param_count,
        .text = text,
        .text_size = text_size,
    };
}

/* Undoes one step into a slab of its own: `kept` free bytes, then what comes out, or the first
 * `enough` bytes of it (0: all) where that saves much. */
static weir_status undo_step(const weir_step *step, weir_view src, size_t kept, uint64_t expected,
                             uint64_t enough, weir_work *work, weir_hold **out, size_t *size,
                             weir_error *err)
{
    weir_codec_job job;
    weir_hold *hold = NULL;
    weir_status status = WEIR_OK;
    void *state = NULL;
    char text[160];
    int result;

    WEIR_TRY(weir_work_state(work, step->codec, &state, err));
    fill_job(&job, step, src, expected, text, sizeof text);
    if (expected > CLAIM_CHECKED && step->codec->room) {
        const uint64_t room = step->codec->room(state, &job);

        if (room > expected)
            return weir_fail(err, WEIR_CORRUPT,
                             "%s: %" PRIu64 " bytes come out where %" PRIu64 " are declared",
                             step->codec->name, room, expected);
        if (room)
            expected = room;
    }
    WEIR_TRY(weir_memory_take(work->memory, kept + expected, &hold, err));
    job.dst = hold->data + kept;
    job.dst_size = expected;
    job.enough = enough <= expected / 2 ? enough : 0;
    result = step->codec->decompress(state, &job);
    text[sizeof text - 1] = '\0';
    if (result != WEIR_CODEC_OK)
        status = codec_failure(step, result, &job, err);
    else if (job.written > expected)
        status = weir_fail(err, WEIR_CORRUPT, "%s: the codec says it wrote %zu bytes into %" PRIu64,
                           step->codec->name, job.written, expected);
    if (status != WEIR_OK) {
        weir_hold_release(hold);
        return status;
    }
    *out = hold;
    *size = job.written;
    return WEIR_OK;
}

/* The only step of a page of which not everything is wanted. */
static weir_status undo_some(weir_page *page, weir_view packed, weir_work *work, weir_error *err)
{
    uint64_t enough = page->need(page, (weir_view){ NULL, 0 });
    size_t size;

    for (;; enough = 0) { /* what was enough as it seemed, then all */
        WEIR_TRY(undo_step(page->chain->steps, packed, 0, page->plain_size, enough, work,
                           &page->hold, &size, err));
        page->plain = (weir_view){ page->hold->data, size };
        if (enough == 0 || size == page->plain_size || page->need(page, page->plain) <= size)
            return WEIR_OK;
        weir_hold_release(page->hold);
        page->hold = NULL;
    }
}

/* Runs the chain over what follows the bare bytes. Only the last step leaves room for them. */
static weir_status undo_chain(weir_page *page, weir_view packed, weir_work *work, weir_error *err)
{
    const weir_chain *chain = page->chain;
    const uint64_t expected = page->plain_size - page->bare_size;
    weir_view src = { packed.data + page->bare_size, packed.size - page->bare_size };
    weir_hold *hold = NULL;
    size_t kept = 0, size = 0;

    if (src.size == 0 && expected == 0) { /* a v2 page of nulls alone has no body at all */
        WEIR_TRY(weir_memory_take(work->memory, page->bare_size, &hold, err));
        kept = page->bare_size;
    }
    for (uint32_t i = 0; i < chain->count && !(packed.size == page->bare_size && !expected); i++) {
        weir_hold *next = NULL;
        weir_status status;

        kept = i + 1 == chain->count ? page->bare_size : 0;
        status = undo_step(&chain->steps[i], src, kept, expected, 0, work, &next, &size, err);
        weir_hold_release(hold);
        WEIR_TRY(status);
        hold = next;
        src = (weir_view){ hold->data + kept, size };
    }
    memcpy(hold->data, packed.data, kept);
    page->hold = hold;
    page->plain = (weir_view){ hold->data, kept + size };
    return WEIR_OK;
}

static weir_status verify_sum(const weir_page *page, weir_view packed, weir_error *err)
{
    const bool is_crc = page->sum_kind == WEIR_SUM_CRC32;
    const uint32_t sum = is_crc ? weir_crc32(0, packed.data, packed.size)
                                : (uint32_t)weir_xxh3_64(packed.data, packed.size);

    if (sum == page->sum)
        return WEIR_OK;
    return weir_fail_at(err, WEIR_CORRUPT, page->offset,
                        "%s is %08" PRIx32 ", the header says %08" PRIx32,
                        is_crc ? "CRC-32" : "XXH3", sum, page->sum);
}

weir_status weir_page_unpack(weir_page *page, weir_window *window, weir_work *work, weir_error *err)
{
    weir_view packed;

    if (page->kind == WEIR_PAGE_END)
        return WEIR_OK;
    if (page->bare_size > page->packed_size || page->bare_size > page->plain_size)
        return weir_fail_at(err, WEIR_CORRUPT, page->offset, "levels longer than the page");
    WEIR_TRY(weir_window_view(window, page->offset, page->packed_size, &packed, err));
    if (page->sum_kind != WEIR_SUM_NONE && work->verify_sums)
        WEIR_TRY(verify_sum(page, packed, err));
    if (!page->chain) {
        page->plain = packed;
        page->hold = weir_hold_keep(window->hold);
    } else {
        const bool is_part = page->need && page->chain->count == 1 && page->bare_size == 0;
        const weir_status status =
            is_part ? undo_some(page, packed, work, err) : undo_chain(page, packed, work, err);

        if (status != WEIR_OK) {
            if (err && err->offset < 0)
                err->offset = (int64_t)page->offset;
            return status;
        }
    }
    weir_count(&work->counters.pages, 1);
    weir_count(&work->counters.plain_bytes, page->plain.size);
    return WEIR_OK;
}

weir_status weir_page_unpack_alone(weir_page *page, weir_source *source, weir_work *work,
                                   weir_error *err)
{
    weir_window window;
    weir_status status;

    weir_window_init(&window, source, work->memory, page->next);
    status = weir_page_unpack(page, &window, work, err);
    weir_window_fini(&window);
    return status;
}

void weir_window_count(weir_window *window, weir_work *work)
{
    weir_count(&work->counters.bytes_read, window->bytes_read);
    weir_count(&work->counters.read_ns, window->read_ns);
    window->bytes_read = window->read_ns = 0;
}
