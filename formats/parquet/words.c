/* SPDX-License-Identifier: Apache-2.0
 * words.c: parquet.thrift as tables: what describe calls the things that it meets in a footer. */
#include "formats/parquet/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* `linkage` is static, or nothing for those that words.h declares. */
#define WORDS(linkage, name, ...)                          \
    static const char *const name##_names[] = __VA_ARGS__; \
    linkage const weir_parquet_words name = { name##_names, COUNT(name##_names) }
#define SHAPE(linkage, name, ...)                                    \
    static const weir_parquet_member name##_members[] = __VA_ARGS__; \
    linkage const weir_parquet_shape name = { name##_members, COUNT(name##_members) }
#define NUMBER(id, name)                          \
    {                                             \
        id, name, WEIR_PARQUET_NUMBER, NULL, NULL \
    }
#define TEXT(id, name)                          \
    {                                           \
        id, name, WEIR_PARQUET_TEXT, NULL, NULL \
    }
#define BYTES(id, name)                          \
    {                                            \
        id, name, WEIR_PARQUET_BYTES, NULL, NULL \
    }
#define WORD(id, name, words)                     \
    {                                             \
        id, name, WEIR_PARQUET_WORD, &words, NULL \
    }
#define STRUCT(id, name, shape)                     \
    {                                               \
        id, name, WEIR_PARQUET_STRUCT, NULL, &shape \
    }

/* clang-format off */
WORDS(static, types, { "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
                      "FIXED_LEN_BYTE_ARRAY" });
WORDS(static, converted_types, { "UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE",
                                "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS",
                                "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64",
                                "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON",
                                "INTERVAL" });
WORDS(static, repetitions, { "REQUIRED", "OPTIONAL", "REPEATED" });
WORDS(static, page_types, { "DATA_PAGE", "INDEX_PAGE", "DICTIONARY_PAGE", "DATA_PAGE_V2" });
WORDS(static, edges, { "SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY" });
WORDS(, weir_parquet_encodings, { "PLAIN", NULL, "PLAIN_DICTIONARY", "RLE", "BIT_PACKED",
                                "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
                                "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT", "ALP" });
WORDS(, weir_parquet_codecs, { "UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD",
                             "LZ4_RAW" });

static const weir_parquet_shape empty = { NULL, 0 };

/* ---- schema ---- */

SHAPE(static, decimal, { NUMBER(1, "scale"), NUMBER(2, "precision") });
SHAPE(static, unit, { STRUCT(1, "MILLIS", empty), STRUCT(2, "MICROS", empty),
                     STRUCT(3, "NANOS", empty) });
SHAPE(static, moment, { NUMBER(1, "isAdjustedToUTC"), STRUCT(2, "unit", unit) });
SHAPE(static, integer, { NUMBER(1, "bitWidth"), NUMBER(2, "isSigned") });
SHAPE(static, variant, { NUMBER(1, "specification_version") });
SHAPE(static, geometry, { TEXT(1, "crs") });
SHAPE(static, geography, { TEXT(1, "crs"), WORD(2, "algorithm", edges) });
SHAPE(static, logical, { STRUCT(1, "STRING", empty), STRUCT(2, "MAP", empty),
                        STRUCT(3, "LIST", empty), STRUCT(4, "ENUM", empty),
                        STRUCT(5, "DECIMAL", decimal), STRUCT(6, "DATE", empty),
                        STRUCT(7, "TIME", moment), STRUCT(8, "TIMESTAMP", moment),
                        STRUCT(10, "INTEGER", integer), STRUCT(11, "UNKNOWN", empty),
                        STRUCT(12, "JSON", empty), STRUCT(13, "BSON", empty),
                        STRUCT(14, "UUID", empty), STRUCT(15, "FLOAT16", empty),
                        STRUCT(16, "VARIANT", variant), STRUCT(17, "GEOMETRY", geometry),
                        STRUCT(18, "GEOGRAPHY", geography) });
SHAPE(static, element, { WORD(1, "type", types), NUMBER(2, "type_length"),
                        WORD(3, "repetition_type", repetitions), TEXT(4, "name"),
                        NUMBER(5, "num_children"), WORD(6, "converted_type", converted_types),
                        NUMBER(7, "scale"), NUMBER(8, "precision"), NUMBER(9, "field_id"),
                        STRUCT(10, "logicalType", logical) });

/* ---- chunks ---- */

SHAPE(static, statistics, { BYTES(1, "max"), BYTES(2, "min"), NUMBER(3, "null_count"),
                           NUMBER(4, "distinct_count"), BYTES(5, "max_value"),
                           BYTES(6, "min_value"), NUMBER(7, "is_max_value_exact"),
                           NUMBER(8, "is_min_value_exact"), NUMBER(9, "nan_count") });
SHAPE(static, sizes, { NUMBER(1, "unencoded_byte_array_data_bytes"),
                      NUMBER(2, "repetition_level_histogram"),
                      NUMBER(3, "definition_level_histogram") });
SHAPE(static, box, { NUMBER(1, "xmin"), NUMBER(2, "xmax"), NUMBER(3, "ymin"), NUMBER(4, "ymax"),
                    NUMBER(5, "zmin"), NUMBER(6, "zmax"), NUMBER(7, "mmin"), NUMBER(8, "mmax") });
SHAPE(static, geospatial, { STRUCT(1, "bbox", box), NUMBER(2, "geospatial_types") });
SHAPE(static, key_value, { TEXT(1, "key"), TEXT(2, "value") });
SHAPE(static, page_encodings, { WORD(1, "page_type", page_types),
                               WORD(2, "encoding", weir_parquet_encodings), NUMBER(3, "count") });
SHAPE(static, column, { WORD(1, "type", types), WORD(2, "encodings", weir_parquet_encodings),
                       TEXT(3, "path_in_schema"), WORD(4, "codec", weir_parquet_codecs),
                       NUMBER(5, "num_values"), NUMBER(6, "total_uncompressed_size"),
                       NUMBER(7, "total_compressed_size"),
                       STRUCT(8, "key_value_metadata", key_value), NUMBER(9, "data_page_offset"),
                       NUMBER(10, "index_page_offset"), NUMBER(11, "dictionary_page_offset"),
                       STRUCT(12, "statistics", statistics),
                       STRUCT(13, "encoding_stats", page_encodings),
                       NUMBER(14, "bloom_filter_offset"), NUMBER(15, "bloom_filter_length"),
                       STRUCT(16, "size_statistics", sizes),
                       STRUCT(17, "geospatial_statistics", geospatial) });
SHAPE(static, column_key, { TEXT(1, "path_in_schema"), BYTES(2, "key_metadata") });
SHAPE(static, crypto, { STRUCT(1, "ENCRYPTION_WITH_FOOTER_KEY", empty),
                       STRUCT(2, "ENCRYPTION_WITH_COLUMN_KEY", column_key) });
SHAPE(static, chunk, { TEXT(1, "file_path"), NUMBER(2, "file_offset"),
                      STRUCT(3, "meta_data", column), NUMBER(4, "offset_index_offset"),
                      NUMBER(5, "offset_index_length"), NUMBER(6, "column_index_offset"),
                      NUMBER(7, "column_index_length"), STRUCT(8, "crypto_metadata", crypto),
                      BYTES(9, "encrypted_column_metadata") });

/* ---- row groups, file ---- */

SHAPE(static, sorting, { NUMBER(1, "column_idx"), NUMBER(2, "descending"),
                        NUMBER(3, "nulls_first") });
SHAPE(static, group, { STRUCT(1, "columns", chunk), NUMBER(2, "total_byte_size"),
                      NUMBER(3, "num_rows"), STRUCT(4, "sorting_columns", sorting),
                      NUMBER(5, "file_offset"), NUMBER(6, "total_compressed_size"),
                      NUMBER(7, "ordinal") });
SHAPE(static, order, { STRUCT(1, "TYPE_ORDER", empty), STRUCT(2, "IEEE_754_TOTAL_ORDER", empty),
                      STRUCT(3, "INT96_TIMESTAMP_ORDER", empty) });
SHAPE(static, aes, { BYTES(1, "aad_prefix"), BYTES(2, "aad_file_unique"),
                    NUMBER(3, "supply_aad_prefix") });
SHAPE(static, algorithm, { STRUCT(1, "AES_GCM_V1", aes), STRUCT(2, "AES_GCM_CTR_V1", aes) });
SHAPE(, weir_parquet_file_shape, { NUMBER(1, "version"), STRUCT(2, "schema", element),
                                 NUMBER(3, "num_rows"), STRUCT(4, "row_groups", group),
                                 STRUCT(5, "key_value_metadata", key_value),
                                 TEXT(6, "created_by"), STRUCT(7, "column_orders", order),
                                 STRUCT(8, "encryption_algorithm", algorithm),
                                 BYTES(9, "footer_signing_key_metadata") });
/* clang-format on */

const char *weir_parquet_word(const weir_parquet_words *words, int64_t number)
{
    return number >= 0 && (uint64_t)number < words->count ? words->names[number] : NULL;
}

const weir_parquet_member *weir_parquet_member_find(const weir_parquet_shape *shape, int16_t id)
{
    for (size_t i = 0; i < shape->count; i++)
        if (shape->members[i].id == id)
            return &shape->members[i];
    return NULL;
}
