/* SPDX-License-Identifier: Apache-2.0
 * describe.c: all that the footer says, as facts in its own order: one walk over the compact
 * protocol, with names where parquet.thrift has them and numbers where it doesn't. */
#include "formats/parquet/meta.h"

#include "core/error.h"
#include "formats/parquet/words.h"
#include <stdio.h>

typedef struct teller {
    weir_compact in;
    bool (*visit)(void *user, const weir_fact *);
    void *user;
    bool is_over; /* the visitor has heard enough */
} teller;

static const weir_parquet_shape unknown_shape = { NULL, 0 };
static const weir_parquet_member unknown = { 0, NULL, WEIR_PARQUET_NUMBER, NULL, NULL };

static void tell(teller *t, const weir_fact *fact)
{
    if (!t->is_over && !t->in.why)
        t->is_over = !t->visit(t->user, fact);
}

static void tell_mark(teller *t, weir_fact_kind kind, const char *name)
{
    tell(t, &(weir_fact){ .kind = kind, .name = name });
}

static void tell_int(teller *t, const weir_parquet_member *member, const char *name, int64_t value)
{
    const char *word =
        member->kind == WEIR_PARQUET_WORD ? weir_parquet_word(member->words, value) : NULL;
    weir_fact fact = { .kind = WEIR_FACT_INT, .name = name, .number = value };

    if (word) {
        fact.kind = WEIR_FACT_WORD;
        fact.bytes = (weir_view){ (const uint8_t *)word, strlen(word) };
    }
    tell(t, &fact);
}

static void tell_bool(teller *t, const char *name, bool value)
{
    tell(t, &(weir_fact){ .kind = WEIR_FACT_BOOL, .name = name, .number = value });
}

static void tell_value(teller *t, const weir_parquet_member *member, const char *name, uint8_t type,
                       int depth);

/* Booleans in lists and maps have a byte of their own: 1 is true. */
static void tell_element(teller *t, const weir_parquet_member *member, const char *name,
                         uint8_t type, int depth)
{
    if (type == WEIR_COMPACT_TRUE || type == WEIR_COMPACT_FALSE)
        tell_bool(t, name, weir_compact_read_byte(&t->in) == WEIR_COMPACT_TRUE);
    else
        tell_value(t, member, name, type, depth);
}

static void tell_list(teller *t, const weir_parquet_member *member, const char *name, int depth)
{
    uint8_t type;
    const uint32_t count = weir_compact_read_list(&t->in, &type);

    tell_mark(t, WEIR_FACT_LIST, name);
    for (uint32_t i = 0; i < count && !t->in.why && !t->is_over; i++)
        tell_element(t, member, NULL, type, depth);
    tell_mark(t, WEIR_FACT_CLOSE, NULL);
}

static void tell_map(teller *t, const char *name, int depth)
{
    uint8_t key = 0, value = 0;
    const uint32_t count = weir_compact_read_map(&t->in, &key, &value);

    tell_mark(t, WEIR_FACT_LIST, name);
    for (uint32_t i = 0; i < count && !t->in.why && !t->is_over; i++) {
        tell_mark(t, WEIR_FACT_OPEN, NULL);
        tell_element(t, &unknown, "key", key, depth);
        tell_element(t, &unknown, "value", value, depth);
        tell_mark(t, WEIR_FACT_CLOSE, NULL);
    }
    tell_mark(t, WEIR_FACT_CLOSE, NULL);
}

static void tell_fields(teller *t, const weir_parquet_shape *shape, int depth)
{
    weir_compact_field field = { 0 };

    while (!t->is_over && weir_compact_next(&t->in, &field)) {
        const weir_parquet_member *member = weir_parquet_member_find(shape, field.id);
        char number[24];

        snprintf(number, sizeof number, "field %d", field.id);
        tell_value(t, member ? member : &unknown, member ? member->name : number, field.type,
                   depth);
    }
}

static void tell_binary(teller *t, const weir_parquet_member *member, const char *name)
{
    const bool is_text = member->kind == WEIR_PARQUET_TEXT;

    tell(t, &(weir_fact){ .kind = is_text ? WEIR_FACT_TEXT : WEIR_FACT_BYTES,
                          .name = name,
                          .bytes = weir_compact_read_binary(&t->in) });
}

/* By the type on the wire, whatever the table says of it. */
static void tell_value(teller *t, const weir_parquet_member *member, const char *name, uint8_t type,
                       int depth)
{
    if (depth > WEIR_COMPACT_DEPTH) {
        weir_compact_fail(&t->in, "its structs are nested too deep");
        return;
    }
    switch (type) {
    case WEIR_COMPACT_TRUE:
    case WEIR_COMPACT_FALSE:
        tell_bool(t, name, type == WEIR_COMPACT_TRUE);
        break;
    case WEIR_COMPACT_I8:
        tell_int(t, member, name, (int8_t)weir_compact_read_byte(&t->in));
        break;
    case WEIR_COMPACT_I16:
    case WEIR_COMPACT_I32:
    case WEIR_COMPACT_I64:
        tell_int(t, member, name, weir_compact_read_int(&t->in));
        break;
    case WEIR_COMPACT_DOUBLE:
        tell(t, &(weir_fact){ .kind = WEIR_FACT_REAL,
                              .name = name,
                              .real = weir_compact_read_double(&t->in) });
        break;
    case WEIR_COMPACT_BINARY:
        tell_binary(t, member, name);
        break;
    case WEIR_COMPACT_LIST:
    case WEIR_COMPACT_SET:
        tell_list(t, member, name, depth + 1);
        break;
    case WEIR_COMPACT_MAP:
        tell_map(t, name, depth + 1);
        break;
    case WEIR_COMPACT_STRUCT:
        tell_mark(t, WEIR_FACT_OPEN, name);
        tell_fields(t, member->kind == WEIR_PARQUET_STRUCT ? member->shape : &unknown_shape,
                    depth + 1);
        tell_mark(t, WEIR_FACT_CLOSE, NULL);
        break;
    default:
        weir_compact_skip(&t->in, type);
    }
}

weir_status weir_parquet_describe(const weir_file *file,
                                  bool (*visit)(void *user, const weir_fact *), void *user,
                                  weir_error *err)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);
    teller t = { .visit = visit, .user = user };

    weir_compact_init(&t.in, own->footer.data, own->footer.size);
    tell_fields(&t, &weir_parquet_file_shape, 0);
    if (t.in.why)
        return weir_parquet_trouble(&t.in, own->footer.data, own->offset, "footer", err);
    return WEIR_OK;
}
