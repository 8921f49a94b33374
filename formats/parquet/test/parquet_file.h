/* SPDX-License-Identifier: Apache-2.0
 * parquet_file.h: a Parquet file made in memory for tests, opened as the reader would. */
#ifndef WEIR_PARQUET_TEST_FILE_H
#define WEIR_PARQUET_TEST_FILE_H

#include "core/schema.h"
#include "core/work.h"
#include "formats/parquet/meta.h"
#include "thrift.h"

/* What all tests of a process share. */
typedef struct stage {
    weir_slabs *slabs;
    weir_memory *memory;
    weir_work work;
} stage;

static inline void stage_open(stage *s)
{
    if (weir_slabs_open(&s->slabs, NULL) != WEIR_OK ||
        weir_memory_open(s->slabs, 0, &s->memory, NULL) != WEIR_OK)
        abort();
    weir_work_init(&s->work, NULL, s->memory);
}

static inline void stage_close(stage *s)
{
    weir_work_fini(&s->work);
    weir_memory_release(s->memory);
    weir_slabs_close(s->slabs);
}

static inline weir_status stage_find(void *user, const char *format, uint32_t id,
                                     const weir_codec **out, weir_error *err)
{
    static const weir_codec codec = { .name = "codec" };

    (void)user;
    (void)format;
    (void)err;
    if (id > 7)
        return WEIR_NO_CODEC;
    *out = &codec;
    return WEIR_OK;
}

/* A file whose bytes are PAR1, `body` and the footer. `file` is to be closed whatever comes. */
typedef struct test_file {
    weir_file file;
    weir_codecs_finder finder;
    bytes all;
} test_file;

static inline weir_status test_file_open_bytes(stage *s, test_file *f, const void *data,
                                               size_t size, weir_error *err)
{
    f->finder.find = stage_find;
    f->file.finder = &f->finder;
    weir_arena_init(&f->file.arena);
    if (weir_source_open_memory("test", data, size, &f->file.source, err) != WEIR_OK)
        abort();
    return weir_parquet_open(&f->file, s->memory, err);
}

static inline weir_status test_file_open(stage *s, test_file *f, const bytes *body,
                                         const thrift *footer, weir_error *err)
{
    *f = (test_file){ 0 };
    put_raw(&f->all, "PAR1", 4);
    if (body)
        put_raw(&f->all, body->data, body->size);
    put_raw(&f->all, footer->out.data, footer->out.size);
    put_u32(&f->all, (uint32_t)footer->out.size);
    put_raw(&f->all, "PAR1", 4);
    return test_file_open_bytes(s, f, f->all.data, f->all.size, err);
}

static inline void test_file_close(test_file *f)
{
    weir_parquet_close(&f->file);
    weir_schema_release(f->file.schema);
    weir_schema_release(f->file.written);
    weir_arena_fini(&f->file.arena);
    weir_source_release(f->file.source);
    bytes_free(&f->all);
}

/* SchemaElement of a group: the root where it comes first. */
static inline void put_group(thrift *t, const char *name, int repetition, int children)
{
    t_open(t);
    if (repetition >= 0)
        t_i32(t, 3, repetition);
    t_text(t, 4, name);
    t_i32(t, 5, children);
    t_end(t);
}

static inline void put_leaf(thrift *t, const char *name, int repetition, int type)
{
    t_open(t);
    t_i32(t, 1, type);
    t_i32(t, 3, repetition);
    t_text(t, 4, name);
    t_end(t);
}

#endif
