/* SPDX-License-Identifier: Apache-2.0
 * info.h: what all row groups of one file say of one leaf, taken together. */
#ifndef WEIR_CLI_INFO_H
#define WEIR_CLI_INFO_H

#include "cli.h"

typedef struct info_leaf {
    const weir_field *field;
    cli_out codecs, encodings; /* each name once, ", " between */
    uint64_t bytes, plain_bytes;
    int64_t values, nulls; /* -1: not said for all */
    bool has_bounds;       /* all row groups that hold values have them */
    bool min_is_exact, max_is_exact;
    cli_out min, max; /* PLAIN bytes */
} info_leaf;

/* Reads the chunks of `leaf` in all row groups. On failure, too, info_leaf_fini. */
weir_status info_leaf_read(info_leaf *leaf, const weir_dataset *dataset, int32_t file,
                           const weir_file_info *info, int32_t index, weir_error *err);
void info_leaf_fini(info_leaf *leaf);
/* The text of a bound, or nothing and false. */
bool info_put_bound(cli_out *out, const info_leaf *leaf, bool is_min, weir_text_style style);

/* ---- info_levels.c: `--leaves` ---- */

#define INFO_LEVELS 256

typedef struct info_histogram {
    int64_t counts[INFO_LEVELS]; /* of all row groups that have them; -1: beyond 63 bits */
    int size;                    /* 0: none has */
} info_histogram;

typedef struct info_levels { /* of a leaf */
    info_histogram repetition, definition;
    int64_t plain_bytes; /* of BYTES, without their lengths */
    bool has_plain_bytes;
} info_levels;

/* One a leaf; freed by free(). */
weir_status info_levels_read(const weir_dataset *dataset, int32_t file, const weir_file_info *info,
                             info_levels **out, weir_error *err);
void info_put_leaves(cli_session *session, int32_t file);
void info_put_json_levels(cli_json *json, const weir_field *written, const info_levels *levels);

/* ---- info_kinds.c: groups of a file whose groups differ, by what tells them apart ---- */

void info_put_kinds(cli_session *session, const weir_file_info *info);
void info_put_json_kinds(cli_session *session, cli_json *json, int32_t file,
                         const weir_file_info *info);

/* `--footer`. */
void info_put_footers(cli_session *session);

#endif
