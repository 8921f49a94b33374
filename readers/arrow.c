/* SPDX-License-Identifier: Apache-2.0
 * arrow.c: batches as Arrow arrays, and a reader as an Arrow C stream: the last step for whoever
 * reads with pyarrow, Polars, DuckDB. A value that has no Arrow value ends the stream at its row:
 * the rows before it are delivered. */
#include "readers/arrow.h"

#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream {
    weir_columns *columns;
    const weir_schema *schema; /* of `columns` */
    weir_arrow_options options;
    size_t column_count;
    bool is_nullable;        /* whatever the fields say: the files may differ */
    weir_error error;        /* of the next call and all after it, once it isn't OK */
    weir_error schema_error; /* of the last get_schema */
} stream;

/* ---- a batch ---- */

/* The first of the rows that can't be exported, over all columns: the lowest row, then the lowest
 * column. */
static weir_status batch_columns(const weir_batch *batch, const weir_arrow_options *options,
                                 struct ArrowArray *out, weir_error *fault, weir_error *err)
{
    *fault = (weir_error){ .status = WEIR_OK, .row = batch->rows };
    for (size_t i = 0; i < batch->column_count; i++) {
        const weir_vector *column = &batch->columns[i];
        const char *name = (const char *)column->field->name.data;
        weir_arrow_fault found;
        weir_status status;

        status = weir_arrow_array_open(batch, column, options, out->children[i], &found, err);
        if (status != WEIR_OK)
            return weir_blame(err, status, "column `%s`", name);
        if (found.status == WEIR_OK || found.row >= fault->row)
            continue;
        weir_fail(fault, found.status, "column `%s`: row %" PRId64 ": %s", name,
                  batch->first_row + found.row, found.text);
        fault->row = found.row;
    }
    return WEIR_OK;
}

/* The rows before the first that can't be exported; `fault` is that one, its row in the dataset. */
static weir_status export_batch(const weir_batch *batch, const weir_arrow_options *options,
                                struct ArrowArray *out, weir_error *fault, weir_error *err)
{
    struct ArrowArray whole;
    weir_status status;

    WEIR_TRY(weir_arrow_array_rows(batch->column_count, batch->rows, &whole, err));
    status = batch_columns(batch, options, &whole, fault, err);
    if (status != WEIR_OK) {
        whole.release(&whole);
        return status;
    }
    if (fault->status != WEIR_OK) {
        whole.length = fault->row;
        for (size_t i = 0; i < batch->column_count; i++)
            weir_arrow_array_cut(&batch->columns[i], whole.children[i], fault->row);
        fault->row += batch->first_row;
    }
    *out = whole;
    return WEIR_OK;
}

static weir_status batch_schema(const weir_batch *batch, const weir_arrow_options *options,
                                struct ArrowSchema *out, weir_error *err)
{
    struct ArrowSchema whole;

    WEIR_TRY(weir_arrow_schema_rows(batch->column_count, &whole, err));
    for (size_t i = 0; i < batch->column_count; i++) {
        const weir_arrow_source from = { .field = batch->columns[i].field,
                                         .vector = &batch->columns[i],
                                         .options = options };
        const weir_status status = weir_arrow_schema_open(&from, whole.children[i], err);

        if (status != WEIR_OK) {
            whole.release(&whole);
            return status;
        }
    }
    *out = whole;
    return WEIR_OK;
}

/* ---- the stream's functions ---- */

/* As errno values: consumers turn these into exceptions of their own. */
static int code_of(weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return 0;
    case WEIR_NO_MEMORY:
        return ENOMEM;
    case WEIR_IO:
        return EIO;
    case WEIR_CANCELLED:
        return ECANCELED;
    case WEIR_UNSUPPORTED:
    case WEIR_NO_CODEC:
        return ENOSYS;
    default:
        return EINVAL;
    }
}

static int stream_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    stream *s = self->private_data;
    weir_error *err = &s->schema_error;
    struct ArrowSchema whole;
    weir_status status = weir_arrow_schema_rows(s->column_count, &whole, err);

    if (status != WEIR_OK)
        return code_of(status);
    for (size_t i = 0; i < s->column_count && status == WEIR_OK; i++) {
        const weir_arrow_source from = {
            .field = weir_schema_column(s->schema, (int32_t)i),
            .schema = s->schema,
            .options = &s->options,
            .is_nullable = s->is_nullable,
        };

        status = weir_arrow_schema_open(&from, whole.children[i], err);
    }
    if (status == WEIR_OK)
        *out = whole;
    else
        whole.release(&whole);
    return code_of(status);
}

/* One batch, into an array that is released at the end; the error is kept for all calls after. */
static void advance(stream *s, struct ArrowArray *out)
{
    const weir_batch *batch = weir_columns_next(s->columns);
    weir_error fault;

    if (!batch) {
        weir_columns_error(s->columns, &s->error);
    } else if (export_batch(batch, &s->options, out, &fault, &s->error) == WEIR_OK &&
               fault.status != WEIR_OK) {
        s->error = fault;
        if (out->length == 0)
            out->release(out);
    }
}

static int stream_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    stream *s = self->private_data;

    memset(out, 0, sizeof *out);
    if (s->error.status == WEIR_OK)
        advance(s, out);
    return out->release ? 0 : code_of(s->error.status);
}

static const char *stream_last_error(struct ArrowArrayStream *self)
{
    const stream *s = self->private_data;

    if (s->error.status != WEIR_OK)
        return s->error.text;
    return s->schema_error.status != WEIR_OK ? s->schema_error.text : NULL;
}

static void stream_close(stream *s)
{
    if (s)
        weir_columns_close(s->columns, NULL);
    free(s);
}

static void stream_release(struct ArrowArrayStream *self)
{
    stream_close(self->private_data);
    self->release = NULL;
    self->private_data = NULL;
}

/* ---- opening ---- */

/* The caller's query with every column PLAIN: a stream's type can't change with its batches. */
static weir_status plain_query(const weir_query *query, weir_query *out, weir_pick **picks,
                               weir_error *err)
{
    *out = (weir_query)WEIR_QUERY_INIT;
    if (query)
        memcpy(out, query, query->size < sizeof *out ? query->size : sizeof *out);
    out->size = sizeof *out;
    if (out->pick_count == 0 || !out->picks)
        return WEIR_OK;
    *picks = calloc(out->pick_count, sizeof **picks);
    if (!*picks)
        return weir_fail_memory(err, out->pick_count * sizeof **picks);
    for (size_t i = 0; i < out->pick_count; i++) {
        (*picks)[i] = out->picks[i];
        (*picks)[i].forms = 0;
    }
    out->picks = *picks;
    return WEIR_OK;
}

static weir_status stream_open(const weir_dataset *dataset, const weir_query *query,
                               const weir_arrow_options *options, stream **out, weir_error *err)
{
    stream *s = calloc(1, sizeof *s);

    if (!s)
        return weir_fail_memory(err, sizeof *s);
    *out = s; /* closed by the caller on failure, too */
    WEIR_TRY(weir_columns_open(dataset, query, &s->columns, err));
    s->schema = weir_columns_schema(s->columns);
    s->column_count = (size_t)weir_schema_column_count(s->schema);
    s->is_nullable = weir_dataset_file_count(dataset) > 1;
    s->options = *options;
    return WEIR_OK;
}

weir_status weir_arrow_stream(const weir_dataset *dataset, const weir_query *query,
                              const weir_arrow_options *options, struct ArrowArrayStream *out,
                              weir_error *err)
{
    const weir_arrow_options settled = weir_arrow_settle(options);
    weir_pick *picks = NULL;
    weir_query plain;
    stream *s = NULL;
    weir_status status;

    if (!dataset || !out)
        return weir_fail(err, WEIR_BAD_CALL, "no dataset, or nowhere to put the stream");
    status = plain_query(query, &plain, &picks, err);
    if (status == WEIR_OK)
        status = stream_open(dataset, &plain, &settled, &s, err);
    free(picks);
    if (status != WEIR_OK) {
        stream_close(s);
        return status;
    }
    *out = (struct ArrowArrayStream){
        .get_schema = stream_schema,
        .get_next = stream_next,
        .get_last_error = stream_last_error,
        .release = stream_release,
        .private_data = s,
    };
    return WEIR_OK;
}

weir_status weir_arrow_batch(const weir_batch *batch, const weir_arrow_options *options,
                             struct ArrowArray *out, struct ArrowSchema *schema, weir_error *err)
{
    const weir_arrow_options settled = weir_arrow_settle(options);
    struct ArrowArray array;
    weir_error fault;
    weir_status status;

    if (!batch || !out || !schema)
        return weir_fail(err, WEIR_BAD_CALL, "no batch, or nowhere to put it");
    WEIR_TRY(export_batch(batch, &settled, &array, &fault, err));
    status = fault.status;
    if (status != WEIR_OK && err)
        *err = fault;
    if (status == WEIR_OK)
        status = batch_schema(batch, &settled, schema, err);
    if (status == WEIR_OK)
        *out = array;
    else
        array.release(&array);
    return status;
}
