/* SPDX-License-Identifier: Apache-2.0
 * info_leaf.c: gathers what the row groups of a file say of one leaf. */
#include "info.h"

#include <string.h>

/* Adds the names of a list that are not there yet. */
static void add_names(cli_out *list, const char *names)
{
    while (*names) {
        const size_t size = strcspn(names, ",");
        const char *at = list->data;
        bool is_there = false;
        size_t left = list->used;

        while (left >= size && !is_there) {
            is_there = memcmp(at, names, size) == 0 && (left == size || at[size] == ',');
            at++;
            left--;
        }
        if (!is_there) {
            if (list->used > 0)
                cli_puts(list, ", ");
            cli_put(list, names, size);
        }
        names += size + strspn(names + size, ", ");
    }
}

static void keep(cli_out *kept, weir_view value)
{
    kept->used = 0;
    cli_put(kept, value.data, value.size);
}

static weir_view view_of(const cli_out *kept)
{
    const weir_view view = { (const uint8_t *)kept->data, kept->used };

    return view;
}

static void add_bounds(info_leaf *leaf, const weir_chunk_info *chunk, bool is_first)
{
    if (is_first || cli_compare(leaf->field, chunk->min, view_of(&leaf->min)) < 0) {
        keep(&leaf->min, chunk->min);
        leaf->min_is_exact = chunk->min_is_exact;
    }
    if (is_first || cli_compare(leaf->field, chunk->max, view_of(&leaf->max)) > 0) {
        keep(&leaf->max, chunk->max);
        leaf->max_is_exact = chunk->max_is_exact;
    }
}

/* Adds a count that may not be said. */
static void add_count(int64_t *sum, int64_t count)
{
    *sum = *sum < 0 || count < 0 || __builtin_add_overflow(*sum, count, sum) ? -1 : *sum;
}

static bool has_right_size(const weir_field *field, weir_view bound)
{
    cli_single single;

    return cli_single_set(&single, field, bound);
}

weir_status info_leaf_read(info_leaf *leaf, const weir_dataset *dataset, int32_t file,
                           const weir_file_info *info, int32_t index, weir_error *err)
{
    bool has_any = false;
    int64_t group;

    memset(leaf, 0, sizeof(*leaf));
    leaf->codecs.fd = leaf->encodings.fd = leaf->min.fd = leaf->max.fd = -1;
    leaf->field = weir_schema_leaf(info->schema, index);
    leaf->has_bounds = cli_has_order(leaf->field);
    for (group = 0; group < info->group_count; group++) {
        weir_chunk_info chunk = { .size = sizeof(chunk) };

        WEIR_TRY(weir_dataset_chunk(dataset, file, group, index, &chunk, err));
        add_names(&leaf->codecs, chunk.codec);
        add_names(&leaf->encodings, chunk.encodings);
        leaf->bytes += chunk.bytes;
        leaf->plain_bytes += chunk.plain_bytes;
        add_count(&leaf->values, chunk.values);
        add_count(&leaf->nulls, chunk.nulls);
        if (chunk.values >= 0 && chunk.values == chunk.nulls)
            continue; /* no value, so no bounds */
        leaf->has_bounds &= chunk.has_bounds && has_right_size(leaf->field, chunk.min) &&
                            has_right_size(leaf->field, chunk.max);
        if (leaf->has_bounds)
            add_bounds(leaf, &chunk, !has_any);
        has_any = true;
    }
    leaf->has_bounds &= has_any;
    return WEIR_OK;
}

bool info_put_bound(cli_out *out, const info_leaf *leaf, bool is_min, weir_text_style style)
{
    cli_single single;

    if (!leaf->has_bounds ||
        !cli_single_set(&single, leaf->field, view_of(is_min ? &leaf->min : &leaf->max)))
        return false;
    cli_put_value(out, &single.vector, 0, style);
    return true;
}

void info_leaf_fini(info_leaf *leaf)
{
    cli_fini(&leaf->codecs);
    cli_fini(&leaf->encodings);
    cli_fini(&leaf->min);
    cli_fini(&leaf->max);
}
