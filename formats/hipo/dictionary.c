/* SPDX-License-Identifier: Apache-2.0
 * dictionary.c: step 1 of the line for HIPO: the dictionary record to banks and to the schema. Each
 * of its events tells of one bank, as text (120, 2) or as JSON (120, 1), or has a key (32555, 1)
 * and its value (32555, 2), or names for tag bits (120, 3). */
#include "formats/hipo/hipo.h"

#include "core/error.h"
#include "core/schema.h"
#include <inttypes.h>

enum {
    ID_JSON = 120 << 8 | 1,
    ID_TEXT = 120 << 8 | 2,
    ID_TAG_NAMES = 120 << 8 | 3,
    ID_KEY = 32555 << 8 | 1,
    ID_VALUE = 32555 << 8 | 2,
    PLAIN_MOST = 4 * 1024 * 1024 /* those of CLAS12 have 300 KB */
};

/* ---- the record ---- */

typedef struct dictionary {
    weir_file *file;
    weir_hipo_file *own;
    weir_hipo_bank *banks;
    weir_view (*key_values)[2];
    int32_t *by_id; /* places in a table of `mask` + 1: indexes into banks, -1: free */
    uint32_t mask;
    uint32_t columns; /* in all */
} dictionary;

/* The place of an id: the bank's, or the free one where it belongs. */
static int32_t *place_of(const dictionary *d, uint32_t id)
{
    for (uint32_t at = weir_hipo_hash(id);; at++) {
        int32_t *place = &d->by_id[at & d->mask];

        if (*place < 0 || d->banks[*place].id == id)
            return place;
    }
}

/* Said twice, the last definition counts, at the place of the first. */
static void take_bank(dictionary *d, const weir_hipo_bank *bank)
{
    int32_t *place = place_of(d, bank->id);

    if (*place < 0)
        *place = d->own->bank_count++;
    d->banks[*place] = *bank;
    d->columns += bank->column_count;
}

/* Up to the first zero byte, in the arena: the record's bytes don't stay. */
static weir_view copy_text(dictionary *d, const weir_hipo_structure *from)
{
    const uint8_t *zero = from->size ? memchr(from->data, 0, from->size) : NULL;
    const size_t size = zero ? (size_t)(zero - from->data) : from->size;

    return (weir_view){ (const uint8_t *)weir_arena_copy(&d->file->arena, from->data, size), size };
}

typedef struct entry { /* what one event has */
    weir_view json, text, tag_names, key, value;
} entry;

static weir_status read_entry(dictionary *d, weir_hipo_event *event, bool is_swapped, entry *out,
                              weir_error *err)
{
    weir_hipo_structure structure;

    *out = (entry){ .json.data = NULL };
    while (weir_hipo_has_structure(event)) {
        weir_view *to;

        if (!weir_hipo_structure_next(event, is_swapped, &structure))
            return weir_fail(err, WEIR_CORRUPT, "a structure reaches past its event's end");
        to = structure.id == ID_JSON        ? &out->json
             : structure.id == ID_TEXT      ? &out->text
             : structure.id == ID_TAG_NAMES ? &out->tag_names
             : structure.id == ID_KEY       ? &out->key
             : structure.id == ID_VALUE     ? &out->value
                                            : NULL;
        if (!to || to->data)
            continue;
        *to = copy_text(d, &structure);
        if (!to->data)
            return weir_fail_memory(err, structure.size);
    }
    return WEIR_OK;
}

static void take_key_value(dictionary *d, weir_view key, weir_view value)
{
    weir_view *pair = d->key_values[d->own->key_value_count++];

    pair[0] = key;
    pair[1] = value;
}

static bool has_text(const entry *e)
{
    for (size_t i = 0; i < e->text.size; i++)
        if (e->text.data[i] != ' ')
            return true;
    return false;
}

/* The text first; where it is no bank, the JSON may be. */
static weir_status read_bank(const entry *e, weir_arena *arena, weir_hipo_bank *out)
{
    weir_status status = WEIR_CORRUPT;

    if (has_text(e))
        status = weir_hipo_bank_from_text(e->text, arena, out);
    if (status == WEIR_CORRUPT && e->json.data)
        status = weir_hipo_bank_from_json(e->json, arena, out);
    return status;
}

static weir_status take_entry(dictionary *d, const entry *e, weir_error *err)
{
    static const weir_view tag_names = { (const uint8_t *)"tag names", 9 };
    weir_hipo_bank bank;

    if (has_text(e) || e->json.data) {
        const weir_status status = read_bank(e, &d->file->arena, &bank);

        if (status == WEIR_NO_MEMORY)
            return weir_fail(err, status, "no memory for a bank");
        if (status == WEIR_OK)
            take_bank(d, &bank);
        else
            d->own->refused++;
    } else if (e->tag_names.data) {
        take_key_value(d, tag_names, e->tag_names);
    }
    if (e->key.data && e->value.data)
        take_key_value(d, e->key, e->value);
    if (d->columns > WEIR_HIPO_COLUMNS_MOST)
        return weir_fail(err, WEIR_LIMIT, "more than %d columns", WEIR_HIPO_COLUMNS_MOST);
    return WEIR_OK;
}

static weir_status make_room(dictionary *d, uint32_t events, weir_error *err)
{
    weir_arena *arena = &d->file->arena;
    uint32_t places = 16;

    while (places < 2 * events)
        places *= 2;
    d->mask = places - 1;
    d->banks = weir_arena_array(arena, events, sizeof *d->banks);
    d->key_values = weir_arena_array(arena, 2 * (size_t)events, sizeof *d->key_values);
    d->by_id = weir_arena_array(arena, places, sizeof *d->by_id);
    if (!d->banks || !d->key_values || !d->by_id)
        return weir_fail_memory(err, (uint64_t)events * sizeof *d->banks);
    memset(d->by_id, 0xff, places * sizeof *d->by_id);
    return WEIR_OK;
}

static weir_status read_events(dictionary *d, weir_hipo_events *events, weir_error *err)
{
    WEIR_TRY(make_room(d, events->left, err));
    while (events->left > 0) {
        weir_hipo_event event;
        entry e;

        if (!weir_hipo_event_next(events, &event))
            return weir_fail(err, WEIR_CORRUPT, "an event reaches past the record's end");
        WEIR_TRY(read_entry(d, &event, events->is_swapped, &e, err));
        WEIR_TRY(take_entry(d, &e, err));
    }
    d->own->banks = d->banks;
    d->own->key_values = (const weir_view(*)[2])d->key_values;
    return WEIR_OK;
}

static weir_status read_record(dictionary *d, uint64_t offset, weir_work *work, weir_error *err)
{
    const uint64_t file_size = weir_source_size(d->file->source);
    uint8_t bytes[WEIR_HIPO_HEADER];
    weir_hipo_record record;
    weir_hipo_events events;
    weir_hold *hold = NULL;
    const char *why;
    weir_status status;

    WEIR_TRY(weir_source_read(d->file->source, offset, bytes, sizeof bytes, err));
    why = weir_hipo_record_read(bytes, offset, file_size, &record);
    if (why)
        return weir_fail(err, WEIR_CORRUPT, "%s", why);
    if (weir_hipo_plain_size(&record) > PLAIN_MOST)
        return weir_fail(err, WEIR_LIMIT, "%" PRIu64 " bytes; %d at most are read",
                         weir_hipo_plain_size(&record), PLAIN_MOST);
    WEIR_TRY(weir_hipo_events_load(d->file, &record, work, &events, &hold, err));
    status = read_events(d, &events, err);
    weir_hold_release(hold);
    return status;
}

/* ---- the schema ---- */

static weir_field leaf_field(const weir_hipo_column *column)
{
    weir_field field = {
        .name = column->name,
        .type = column->type,
        .width = column->size * column->count,
        .max_definition = 2,
        .max_repetition = 1,
        .id = -1,
    };

    if (column->count > 1) {
        field.type = WEIR_FIXED_LIST;
        field.element = column->type;
        field.list_size = column->count;
    }
    return field;
}

/* A bank as it is written is a group that repeats; what it means is a list, null where the event
 * lacks the bank, of rows. */
static weir_status append_bank(weir_schema *schema, const weir_hipo_bank *bank, bool is_written,
                               weir_error *err)
{
    const weir_field list = { .name = bank->name,
                              .type = WEIR_LIST,
                              .repetition = WEIR_OPTIONAL,
                              .max_definition = 1,
                              .id = -1 };
    weir_field row = { .name = { (const uint8_t *)"element", 7 },
                       .type = WEIR_STRUCT,
                       .max_definition = 2,
                       .max_repetition = 1,
                       .id = -1 };
    int32_t parent = 0;

    if (is_written) {
        row.name = bank->name;
        row.repetition = WEIR_REPEATED;
    } else {
        WEIR_TRY(weir_schema_append(schema, 0, &list, err));
        parent = schema->field_count - 1;
    }
    WEIR_TRY(weir_schema_append(schema, parent, &row, err));
    parent = schema->field_count - 1;
    for (uint32_t i = 0; i < bank->column_count; i++) {
        const weir_field field = leaf_field(&bank->columns[i]);

        WEIR_TRY(weir_schema_append(schema, parent, &field, err));
    }
    return WEIR_OK;
}

static weir_status make_schema(const dictionary *d, bool is_written, weir_schema **out,
                               weir_error *err)
{
    static const weir_field root = { .type = WEIR_STRUCT,
                                     .name = { (const uint8_t *)"event", 5 },
                                     .id = -1 };
    static const weir_field tag = { .name = { (const uint8_t *)"event_tag", 9 },
                                    .type = WEIR_I32,
                                    .logical = WEIR_LOGICAL_INTEGER,
                                    .bits = 32,
                                    .width = 4,
                                    .id = -1 };
    weir_schema *schema = NULL;
    weir_status status;

    WEIR_TRY(weir_schema_open((int32_t)d->columns + 2 * d->own->bank_count + 2, &schema, err));
    status = weir_schema_append(schema, -1, &root, err);
    if (status == WEIR_OK)
        status = weir_schema_append(schema, 0, &tag, err);
    for (int32_t i = 0; status == WEIR_OK && i < d->own->bank_count; i++)
        if (d->banks[i].column_count > 0) /* else it has no rows to give, and is no column */
            status = append_bank(schema, &d->banks[i], is_written, err);
    if (status == WEIR_OK)
        status = weir_schema_seal(schema, err);
    if (status == WEIR_OK)
        *out = schema;
    else
        weir_schema_release(schema);
    return status;
}

static weir_status number_leaves(const dictionary *d, weir_error *err)
{
    weir_hipo_leaf *leaves =
        weir_arena_array(&d->file->arena, (size_t)d->columns + 1, sizeof *leaves);
    int32_t at = 0;

    if (!leaves)
        return weir_fail_memory(err, d->columns * sizeof *leaves);
    leaves[at++].bank = -1;
    for (int32_t b = 0; b < d->own->bank_count; b++)
        for (uint32_t c = 0; c < d->banks[b].column_count; c++)
            leaves[at++] = (weir_hipo_leaf){ b, (int32_t)c };
    d->own->leaves = leaves;
    return WEIR_OK;
}

weir_status weir_hipo_dictionary_read(weir_file *file, weir_work *work, weir_error *err)
{
    dictionary d = { .file = file, .own = file->own };

    if (d.own->dictionary_size >= WEIR_HIPO_HEADER) {
        const weir_status status = read_record(&d, d.own->dictionary, work, err);

        if (status != WEIR_OK && err && err->offset < 0)
            err->offset = (int64_t)d.own->dictionary;
        WEIR_TRY(weir_blame(err, status, "dictionary"));
    }
    WEIR_TRY(number_leaves(&d, err));
    WEIR_TRY(make_schema(&d, true, &file->written, err));
    return make_schema(&d, false, &file->schema, err);
}
