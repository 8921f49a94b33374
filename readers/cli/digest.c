/* SPDX-License-Identifier: Apache-2.0
 * digest.c: `weir digest`: a line a leaf with a checksum of what its files say, however they are
 * packed. Folds over all columns at once; when that fails, over each for itself, so that one bad
 * column doesn't hide the others. */
#include "cli.h"
#include "crc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIGEST_BUFFER 16384

typedef struct digest_leaf { /* one of the fold's state; as many as columns are read */
    uint64_t bytes;          /* that went into the CRC */
    int64_t slots, nulls;
    uint32_t crc;
    bool is_confused; /* a null where the first file says there can't be one */
} digest_leaf;

typedef struct digest_job {
    cli_session session;
    const weir_schema *schema;
    cli_crc_table table;
    weir_pick *picks; /* of the fold that runs */
    size_t pick_count;
} digest_job;

/* ---- the stream that is summed ---- */

typedef struct digest_stream {
    const cli_crc_table *table;
    digest_leaf *leaf;
    size_t used;
    uint8_t data[DIGEST_BUFFER];
} digest_stream;

static void stream_flush(digest_stream *stream)
{
    stream->leaf->crc = cli_crc(stream->table, stream->leaf->crc, stream->data, stream->used);
    stream->leaf->bytes += stream->used;
    stream->used = 0;
}

static void stream_put(digest_stream *stream, const void *data, size_t size)
{
    if (stream->used + size > DIGEST_BUFFER)
        stream_flush(stream);
    if (size > DIGEST_BUFFER) {
        stream->leaf->crc = cli_crc(stream->table, stream->leaf->crc, data, size);
        stream->leaf->bytes += size;
    } else if (size > 0) {
        memcpy(stream->data + stream->used, data, size);
        stream->used += size;
    }
}

/* Repetition level, definition level. */
static void stream_put_levels(digest_stream *stream, int definition)
{
    const uint8_t levels[2] = { 0, (uint8_t)definition };

    stream_put(stream, levels, sizeof(levels));
}

/* Values of `width` bytes; a constant width at the call makes a copy of it a single move. */
static inline void put_fixed(digest_stream *stream, const weir_vector *v, int definition,
                             size_t width)
{
    const uint8_t *values = (const uint8_t *)v->values + (size_t)v->first * width;
    int64_t row;

    for (row = 0; row < v->rows; row++, values += width) {
        if (weir_is_null(v, row)) {
            stream_put_levels(stream, definition - 1);
        } else {
            stream_put_levels(stream, definition);
            stream_put(stream, values, width);
        }
    }
}

static void put_bools(digest_stream *stream, const weir_vector *v, int definition)
{
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        const bool is_null = weir_is_null(v, row);
        const uint8_t value = weir_bool(v, row);

        stream_put_levels(stream, definition - is_null);
        stream_put(stream, &value, !is_null);
    }
}

static void put_bytes(digest_stream *stream, const weir_vector *v, int definition)
{
    int64_t row;

    for (row = 0; row < v->rows; row++) {
        const bool is_null = weir_is_null(v, row);

        stream_put_levels(stream, definition - is_null);
        if (!is_null) {
            const weir_view value = weir_bytes(v, row);
            const uint32_t size = (uint32_t)value.size;

            stream_put(stream, &size, sizeof(size));
            stream_put(stream, value.data, value.size);
        }
    }
}

static void leaf_add(digest_leaf *leaf, const weir_vector *v, int definition,
                     const cli_crc_table *table)
{
    digest_stream stream;

    stream.table = table;
    stream.leaf = leaf;
    stream.used = 0;
    if (v->type == WEIR_BOOL)
        put_bools(&stream, v, definition);
    else if (v->type == WEIR_BYTES)
        put_bytes(&stream, v, definition);
    else if (v->width == 8)
        put_fixed(&stream, v, definition, 8);
    else if (v->width == 4)
        put_fixed(&stream, v, definition, 4);
    else
        put_fixed(&stream, v, definition, v->width);
    stream_flush(&stream);
    leaf->slots += v->rows;
    leaf->nulls += v->nulls;
    if (definition == 0 && v->nulls > 0)
        leaf->is_confused = true;
}

/* ---- the fold ---- */

static bool fold_batch(void *state, const weir_batch *batch, void *user)
{
    const digest_job *job = user;
    digest_leaf *leaves = state;
    size_t i;

    for (i = 0; i < batch->column_count; i++) {
        const weir_field *field = weir_schema_column(job->schema, job->picks[i].index);

        leaf_add(&leaves[i], &batch->columns[i], field->max_definition, &job->table);
    }
    return true;
}

static void fold_merge(void *into, void *from, void *user)
{
    const digest_job *job = user;
    digest_leaf *a = into;
    const digest_leaf *b = from;
    size_t i;

    for (i = 0; i < job->pick_count; i++) {
        a[i].crc = cli_crc_join(a[i].crc, b[i].crc, b[i].bytes);
        a[i].bytes += b[i].bytes;
        a[i].slots += b[i].slots;
        a[i].nulls += b[i].nulls;
        a[i].is_confused |= b[i].is_confused;
    }
}

/* `picks` from the schema, `leaves` one each. */
static weir_status fold(digest_job *job, weir_pick *picks, size_t count, digest_leaf *leaves,
                        weir_error *err)
{
    const weir_folder folder = { .size = sizeof(folder),
                                 .state_size = count * sizeof(digest_leaf),
                                 .batch = fold_batch,
                                 .merge = fold_merge };
    weir_query query = WEIR_QUERY_INIT;

    job->picks = picks;
    job->pick_count = count;
    query.picks = picks;
    query.pick_count = count;
    return weir_fold(job->session.dataset, &query, &folder, job, leaves, NULL, err);
}

/* ---- lines ---- */

static void put_path(cli_out *out, const weir_schema *schema, const weir_field *field)
{
    const size_t size = weir_schema_path(schema, field->index, NULL, 0);

    weir_schema_path(schema, field->index, cli_reserve(out, size + 1), size + 1);
    out->used += size;
}

static void print_leaf(digest_job *job, const weir_field *field, const digest_leaf *leaf)
{
    cli_out *out = &job->session.out;

    put_path(out, job->schema, field);
    cli_printf(out, "\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%08" PRIx32 "\n",
               field->max_repetition, field->max_definition, leaf->slots, leaf->slots - leaf->nulls,
               leaf->nulls, leaf->crc);
    cli_drain(out);
}

static void say_leaf(digest_job *job, const weir_field *field, const char *why)
{
    cli_out path = { .fd = -1 };

    put_path(&path, job->schema, field);
    cli_putc(&path, '\0');
    cli_flush(&job->session.out);
    cli_say("%s: %s", path.data, why);
    cli_fini(&path);
    if (job->session.code < CLI_DATA)
        job->session.code = CLI_DATA;
}

static void say_leaf_error(digest_job *job, const weir_field *field, const weir_error *err)
{
    cli_out why = { .fd = -1 };

    cli_put_error(&why, err);
    cli_putc(&why, '\0');
    say_leaf(job, field, why.data);
    cli_fini(&why);
}

/* Asked for, so that the reason is the library's. */
static void say_nested(digest_job *job, const weir_field *field)
{
    weir_query query = WEIR_QUERY_INIT;
    weir_pick pick = { .index = field->column };
    weir_columns *columns = NULL;
    weir_error err;

    query.picks = &pick;
    query.pick_count = 1;
    if (weir_columns_open(job->session.dataset, &query, &columns, &err) != WEIR_OK) {
        say_leaf_error(job, field, &err);
        return;
    }
    weir_columns_close(columns, NULL);
    say_leaf(job, field, "nested: not summed yet");
}

static void finish_leaf(digest_job *job, const weir_field *field, const digest_leaf *leaf)
{
    if (leaf->is_confused)
        say_leaf(job, field, "required in the first file, but null in another");
    else
        print_leaf(job, field, leaf);
}

static void read_leaf(digest_job *job, const weir_field *field)
{
    weir_pick pick = { .index = field->column };
    digest_leaf leaf;
    weir_error err;

    memset(&leaf, 0, sizeof(leaf));
    if (fold(job, &pick, 1, &leaf, &err) == WEIR_OK)
        finish_leaf(job, field, &leaf);
    else
        say_leaf_error(job, field, &err);
}

/* ---- the job ---- */

/* Leaves that can be read, in schema order. */
static size_t find_flat(const weir_schema *schema, weir_pick *picks)
{
    const int32_t count = weir_schema_leaf_count(schema);
    size_t found = 0;
    int32_t i;

    for (i = 0; i < count; i++)
        if (cli_is_flat(weir_schema_leaf(schema, i))) {
            memset(&picks[found], 0, sizeof(picks[found]));
            picks[found++].index = weir_schema_leaf(schema, i)->column;
        }
    return found;
}

static void print_leaves(digest_job *job)
{
    const int32_t count = weir_schema_leaf_count(job->schema);
    weir_pick *picks = cli_alloc(NULL, (size_t)count, sizeof(*picks));
    digest_leaf *leaves = cli_alloc(NULL, (size_t)count, sizeof(*leaves));
    const size_t flat = find_flat(job->schema, picks);
    const bool is_whole = flat == 0 || fold(job, picks, flat, leaves, NULL) == WEIR_OK;
    size_t next = 0;
    int32_t i;

    for (i = 0; i < count; i++) {
        const weir_field *field = weir_schema_leaf(job->schema, i);

        if (!cli_is_flat(field))
            say_nested(job, field);
        else if (is_whole)
            finish_leaf(job, field, &leaves[next++]);
        else
            read_leaf(job, field);
    }
    free(picks);
    free(leaves);
}

static void print_rows(digest_job *job)
{
    weir_error err;
    int64_t rows;

    if (weir_dataset_rows(job->session.dataset, &rows, &err) == WEIR_OK)
        cli_printf(&job->session.out, "rows\t%" PRId64 "\n", rows);
    else
        cli_fail(&job->session, &err);
}

int cli_digest(const cli_args *args)
{
    digest_job *job = cli_alloc(NULL, 1, sizeof(*job));
    int code;

    memset(job, 0, sizeof(*job));
    if (cli_open(&job->session, args)) {
        int64_t rows = -1;

        job->schema = weir_dataset_schema(job->session.dataset);
        if (isatty(STDERR_FILENO) && !args->is_quiet)
            (void)weir_dataset_rows(job->session.dataset, &rows, NULL);
        cli_progress_begin(&job->session.progress, args, job->session.dataset, true, rows);
        cli_crc_init(&job->table);
        print_leaves(job);
        print_rows(job);
    }
    code = cli_close(&job->session);
    free(job);
    return code;
}
