/* SPDX-License-Identifier: Apache-2.0
 * open.c: step 1 of the line for HIPO, and what a file says of itself. */
#include "formats/hipo/hipo.h"

#include "core/error.h"
#include <stdio.h>
#include <stdlib.h>

weir_status weir_hipo_open(weir_file *file, weir_memory *memory, weir_error *err)
{
    weir_hipo_file *own = weir_arena_array(&file->arena, 1, sizeof *own);
    weir_work work;
    weir_status status;

    if (!own)
        return weir_fail_memory(err, sizeof *own);
    file->own = own;
    WEIR_TRY(weir_hipo_header_read(file, err));
    weir_work_init(&work, NULL, memory);
    status = weir_hipo_dictionary_read(file, &work, err);
    if (status == WEIR_OK)
        status = weir_hipo_index_read(file, &work, err);
    weir_work_fini(&work);
    return status;
}

/* All is in the arena, or the reader's to let go. */
void weir_hipo_close(weir_file *file)
{
    file->own = NULL;
}

const char *weir_hipo_refusal(const weir_file *file, int32_t column)
{
    (void)file;
    (void)column;
    return NULL;
}

static const weir_hipo_record *record_of(const weir_file *file, int64_t index)
{
    return &weir_hipo_file_own(file)->records[index];
}

void weir_hipo_group(const weir_file *file, int64_t index, weir_group *out)
{
    const weir_hipo_record *record = record_of(file, index);

    out->first_row = record->first_row;
    out->row_count = record->row_count;
    out->offset = record->offset;
    out->size = record->size;
    out->ordinal = index;
    out->own = NULL;
}

/* ---- what it says of itself ---- */

void weir_hipo_inform(const weir_file *file, weir_file_info *out)
{
    const weir_hipo_file *own = weir_hipo_file_own(file);

    out->writer = "";
    out->metadata_bytes = own->first_record;
    out->key_values = own->key_values;
    out->key_value_count = own->key_value_count;
    out->index = own->index;
}

void weir_hipo_inform_group(const weir_file *file, int64_t group, weir_group_info *out)
{
    const weir_hipo_record *record = record_of(file, group);

    out->first_row = record->first_row;
    out->rows = record->row_count;
    out->offset = record->offset;
    out->bytes = record->size;
    out->plain_bytes = record->data_size;
    snprintf(out->kind, sizeof out->kind, "tag %lld, %s, %s", (long long)record->words[0],
             weir_hipo_layout_name(record->tag), weir_hipo_codec_name(record->tag));
}

/* What a column takes of a record stands in the record's directory, which open doesn't read, or
 * nowhere. */
weir_status weir_hipo_inform_chunk(const weir_file *file, int64_t group, int32_t leaf,
                                   weir_chunk_info *out, weir_error *err)
{
    const weir_hipo_record *record = record_of(file, group);

    (void)leaf;
    (void)err;
    snprintf(out->codec, sizeof out->codec, "%s", weir_hipo_codec_name(record->tag));
    snprintf(out->encodings, sizeof out->encodings, "%s", weir_hipo_layout_name(record->tag));
    out->offset = record->offset;
    out->values = out->nulls = out->distinct = -1;
    return WEIR_OK;
}

/* ---- as facts ---- */

typedef struct teller {
    bool (*visit)(void *user, const weir_fact *);
    void *user;
    bool is_over;
} teller;

static void tell(teller *t, const weir_fact *fact)
{
    if (!t->is_over)
        t->is_over = !t->visit(t->user, fact);
}

static void tell_mark(teller *t, weir_fact_kind kind, const char *name)
{
    tell(t, &(weir_fact){ .kind = kind, .name = name });
}

static void tell_number(teller *t, const char *name, uint64_t number)
{
    tell(t, &(weir_fact){ .kind = WEIR_FACT_INT, .name = name, .number = (int64_t)number });
}

static void tell_word(teller *t, const char *name, const char *word)
{
    tell(t, &(weir_fact){ .kind = WEIR_FACT_WORD,
                          .name = name,
                          .bytes = { (const uint8_t *)word, strlen(word) } });
}

static weir_status tell_bank(teller *t, const weir_hipo_bank *bank, weir_error *err)
{
    const size_t size = weir_hipo_bank_text(bank, NULL, 0);
    char *text = malloc(size);

    if (!text)
        return weir_fail_memory(err, size);
    weir_hipo_bank_text(bank, text, size);
    tell_mark(t, WEIR_FACT_OPEN, NULL);
    tell(t, &(weir_fact){ .kind = WEIR_FACT_TEXT, .name = "name", .bytes = bank->name });
    tell_number(t, "group", bank->id >> 8);
    tell_number(t, "item", bank->id & 0xff);
    tell_number(t, "columns", bank->column_count);
    tell_number(t, "row_size", bank->row_size);
    tell(t, &(weir_fact){
                .kind = WEIR_FACT_TEXT, .name = "text", .bytes = { (const uint8_t *)text, size } });
    tell_mark(t, WEIR_FACT_CLOSE, NULL);
    free(text);
    return WEIR_OK;
}

static void tell_record(teller *t, const weir_hipo_record *record)
{
    tell_mark(t, WEIR_FACT_OPEN, NULL);
    tell_number(t, "offset", record->offset);
    tell_number(t, "size", record->size);
    tell_number(t, "events", record->event_count);
    tell_number(t, "data_size", record->data_size);
    tell_word(t, "layout", weir_hipo_layout_name(record->tag));
    tell_word(t, "codec", weir_hipo_codec_name(record->tag));
    tell_number(t, "compression_tag", record->tag);
    tell_number(t, "user_word_1", record->words[0]);
    tell_number(t, "user_word_2", record->words[1]);
    tell_mark(t, WEIR_FACT_CLOSE, NULL);
}

weir_status weir_hipo_describe(const weir_file *file, bool (*visit)(void *user, const weir_fact *),
                               void *user, weir_error *err)
{
    const weir_hipo_file *own = weir_hipo_file_own(file);
    teller t = { .visit = visit, .user = user };

    tell_number(&t, "file_number", own->number);
    tell_number(&t, "version", own->bits & 0xff);
    tell_number(&t, "bit_info", own->bits);
    tell_word(&t, "byte_order", own->is_swapped ? "big" : "little");
    tell_number(&t, "trailer_position", own->trailer);
    tell_word(&t, "index", own->index);
    tell_number(&t, "entries_refused", (uint64_t)own->refused);
    tell_mark(&t, WEIR_FACT_LIST, "banks");
    for (int32_t i = 0; i < own->bank_count; i++)
        WEIR_TRY(tell_bank(&t, &own->banks[i], err));
    tell_mark(&t, WEIR_FACT_CLOSE, NULL);
    tell_mark(&t, WEIR_FACT_LIST, "records");
    for (int64_t i = 0; i < file->group_count; i++)
        tell_record(&t, &own->records[i]);
    tell_mark(&t, WEIR_FACT_CLOSE, NULL);
    return WEIR_OK;
}
