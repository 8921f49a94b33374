/* SPDX-License-Identifier: Apache-2.0
 * header.c: PageHeader and the structs inside it (parquet.thrift). One is decoded for each page. */
#include "formats/parquet/header.h"

typedef struct body { /* DataPageHeader, DictionaryPageHeader, DataPageHeaderV2 */
    int32_t value_count, encoding, definition_encoding, repetition_encoding;
    int32_t null_count, row_count, definition_size, repetition_size;
    bool is_compressed;
} body;

static const body unsaid = { -1, -1, -1, -1, -1, -1, -1, -1, true };

static void read_data(weir_compact *in, body *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i32(in, &field, &out->value_count);
            break;
        case 2:
            weir_compact_i32(in, &field, &out->encoding);
            break;
        case 3:
            weir_compact_i32(in, &field, &out->definition_encoding);
            break;
        case 4:
            weir_compact_i32(in, &field, &out->repetition_encoding);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
}

static void read_dictionary(weir_compact *in, body *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field))
        if (field.id == 1)
            weir_compact_i32(in, &field, &out->value_count);
        else if (field.id == 2)
            weir_compact_i32(in, &field, &out->encoding);
        else
            weir_compact_skip(in, field.type);
}

static void read_data_v2(weir_compact *in, body *out)
{
    weir_compact_field field = { 0 };

    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i32(in, &field, &out->value_count);
            break;
        case 2:
            weir_compact_i32(in, &field, &out->null_count);
            break;
        case 3:
            weir_compact_i32(in, &field, &out->row_count);
            break;
        case 4:
            weir_compact_i32(in, &field, &out->encoding);
            break;
        case 5:
            weir_compact_i32(in, &field, &out->definition_size);
            break;
        case 6:
            weir_compact_i32(in, &field, &out->repetition_size);
            break;
        case 7:
            weir_compact_bool(in, &field, &out->is_compressed);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
}

static void settle(const body *from, weir_parquet_header *out)
{
    out->value_count = from->value_count;
    out->encoding = from->encoding;
    out->definition_encoding = from->definition_encoding;
    out->repetition_encoding = from->repetition_encoding;
    out->null_count = from->null_count;
    out->row_count = from->row_count;
    out->definition_size = from->definition_size;
    out->repetition_size = from->repetition_size;
    out->is_compressed = from->is_compressed;
}

/* A header may hold more than the struct that its type asks for, and hold it before the type. */
void weir_parquet_header_read(weir_compact *in, weir_parquet_header *out)
{
    weir_compact_field field = { 0 };
    body data = unsaid, dictionary = unsaid, data_v2 = unsaid;

    *out = (weir_parquet_header){ .type = -1, .plain_size = -1, .packed_size = -1 };
    while (weir_compact_next(in, &field))
        switch (field.id) {
        case 1:
            weir_compact_i32(in, &field, &out->type);
            break;
        case 2:
            weir_compact_i32(in, &field, &out->plain_size);
            break;
        case 3:
            weir_compact_i32(in, &field, &out->packed_size);
            break;
        case 4:
            out->has_crc = weir_compact_i32(in, &field, &out->crc) || out->has_crc;
            break;
        case 5:
            if ((out->has_data = weir_compact_struct(in, &field)))
                read_data(in, &data);
            break;
        case 7:
            if ((out->has_dictionary = weir_compact_struct(in, &field)))
                read_dictionary(in, &dictionary);
            break;
        case 8:
            if ((out->has_data_v2 = weir_compact_struct(in, &field)))
                read_data_v2(in, &data_v2);
            break;
        default:
            weir_compact_skip(in, field.type);
        }
    settle(out->type == WEIR_PARQUET_DATA_PAGE         ? &data
           : out->type == WEIR_PARQUET_DICTIONARY_PAGE ? &dictionary
                                                       : &data_v2,
           out);
}
