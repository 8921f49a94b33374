/* SPDX-License-Identifier: Apache-2.0
 * walk.c: the dataset's groups one after another, files opened as they are come to. */
#include "core/error.h"
#include "readers/stage.h"

#include <inttypes.h>
#include <string.h>

weir_status weir_walk_start(weir_walk *walk, const weir_plan *plan, int64_t row, weir_error *err)
{
    memset(walk, 0, sizeof *walk);
    walk->plan = plan;
    return weir_dataset_locate(plan->dataset, row, &walk->file, &walk->base, err);
}

void weir_walk_stop(weir_walk *walk)
{
    weir_opened_release(walk->opened);
    walk->opened = NULL;
}

void weir_walk_skip(weir_walk *walk, int32_t file, int64_t base)
{
    int64_t rows = -1;

    weir_walk_stop(walk);
    rows = atomic_load_explicit(&walk->plan->dataset->entries[file].rows, memory_order_relaxed);
    walk->file = file + 1;
    if (__builtin_add_overflow(base, rows > 0 ? rows : 0, &walk->base))
        walk->base = INT64_MAX; /* a file that was opened does not reach so far */
    walk->group = 0;
}

/* Whether the group has rows that are wanted; cuts from and to. */
static bool is_wanted(const weir_walk *walk, weir_stage *stage)
{
    const weir_plan *plan = walk->plan;
    const weir_group *group = &stage->group;
    const int64_t first = walk->base + group->first_row;
    const uint64_t middle = group->offset + group->size / 2;

    if (plan->byte_end && (middle < plan->byte_begin || middle >= plan->byte_end))
        return false;
    stage->from = plan->first_row > first ? plan->first_row - first : 0;
    stage->to = plan->end_row - first < group->row_count ? plan->end_row - first : group->row_count;
    return stage->from < stage->to;
}

static bool is_past(const weir_walk *walk, int64_t first_row)
{
    return walk->base + first_row >= walk->plan->end_row;
}

/* What follows the file's last group and can't be read, where rows of it would be wanted. */
static weir_status tell_trouble(const weir_walk *walk, int64_t *row, weir_error *err)
{
    const weir_plan *plan = walk->plan;
    const weir_file *file = walk->opened->file;
    const weir_error *trouble = file->trouble;

    if (!trouble || is_past(walk, file->row_count) ||
        (plan->byte_end && ((uint64_t)trouble->offset < plan->byte_begin ||
                            (uint64_t)trouble->offset >= plan->byte_end)))
        return WEIR_OK;
    *row = walk->base + file->row_count;
    return weir_file_tell_trouble(file, plan->dataset->entries[walk->file].path, err);
}

weir_status weir_walk_next(weir_walk *walk, weir_stage *stage, bool *more, int64_t *row,
                           weir_error *err)
{
    const weir_dataset *dataset = walk->plan->dataset;

    for (*more = false; walk->file < dataset->count && !is_past(walk, 0);
         weir_walk_skip(walk, walk->file, walk->base)) {
        *row = walk->base;
        if (!walk->opened)
            WEIR_TRY(weir_opened_open(walk->plan, walk->file, walk->base, &walk->opened, err));
        const weir_file *file = walk->opened->file;

        if (walk->opened->is_barren)
            walk->group = file->group_count;
        while (walk->group < file->group_count) {
            stage->group =
                (weir_group){ .file = file, .want = &walk->opened->want, .ordinal = walk->group };
            file->format->group(file, walk->group++, &stage->group);
            if (is_past(walk, stage->group.first_row)) {
                walk->group = file->group_count;
            } else if (is_wanted(walk, stage)) {
                atomic_fetch_add_explicit(&walk->opened->refs, 1, memory_order_relaxed);
                stage->opened = walk->opened;
                stage->next = stage->from;
                *more = true;
                return WEIR_OK;
            }
        }
        WEIR_TRY(tell_trouble(walk, row, err));
    }
    return WEIR_OK;
}
