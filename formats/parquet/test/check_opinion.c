/* SPDX-License-Identifier: Apache-2.0
 * check_opinion.c: the second opinion on Thrift: thrift-c, generated from parquet.thrift, decodes
 * every footer and every page header of the corpus's well-formed files, and so do we. A plain main.
 */
#include "formats/parquet/annotation.h"
#include "formats/parquet/header.h"
#include "parquet_file.h"

#include "parquet_types.h" /* thrift --gen c_glib */
#include <dirent.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>

#include "opinion_lines.h"
#include "opinion_transport.h"

#include "opinion_walk.inc" /* opinion_walk.py */

typedef struct tally {
    long files, footers, refused, encrypted, headers, refused_headers, fields, newer, differences;
} tally;

typedef struct check {
    stage stage;
    tally n;
    const char *path; /* of the file at hand */
} check;

/* ---- thrift-c ---- */

/* Decodes one struct; the bytes it took, 0: it would not. */
static size_t decode_theirs(gpointer object, const uint8_t *data, size_t size)
{
    OpinionTransport *transport = g_object_new(opinion_transport_get_type(), NULL);
    ThriftProtocol *protocol =
        g_object_new(THRIFT_TYPE_COMPACT_PROTOCOL, "transport", transport, NULL);
    GError *error = NULL;
    size_t taken;

    transport->at = data;
    transport->end = data + size;
    taken = thrift_struct_read(THRIFT_STRUCT(object), protocol, &error) < 0
                ? 0
                : (size_t)(transport->at - data);
    g_clear_error(&error);
    g_object_unref(protocol);
    g_object_unref(transport);
    return taken;
}

/* ---- the whole footer, as describe tells it ---- */

typedef struct telling {
    lines out;
    int hidden; /* structs open below a name that parquet.thrift of that age lacks */
    long newer;
    bool is_list[LINES_DEPTH];
} telling;

static int name_order(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool is_known(const char *name)
{
    return bsearch(name, known, sizeof known / sizeof *known, sizeof *known, name_order) != NULL;
}

static void tell_leaf(telling *t, const weir_fact *fact)
{
    const bool is_word = fact->kind == WEIR_FACT_WORD;
    char *text = g_strndup((const char *)fact->bytes.data, fact->bytes.size);

    if (is_word)
        put_word(&t->out, fact->name, fact->number, is_known(text) ? text : NULL);
    else if (fact->kind == WEIR_FACT_TEXT)
        put_text(&t->out, fact->name, text);
    else if (fact->kind == WEIR_FACT_BYTES)
        put_hex(&t->out, fact->name, fact->bytes.data, fact->bytes.size);
    else if (fact->kind == WEIR_FACT_INT || fact->kind == WEIR_FACT_BOOL)
        put_int(&t->out, fact->name, fact->number);
    else
        put_value(&t->out, fact->name, "a double, which parquet.thrift has none of");
    g_free(text);
}

/* A KeyValue whose value is no string, which parquet.thrift has it be: describe tells what lies
 * there, thrift-c skips it. */
static bool is_odd(const weir_fact *fact)
{
    return fact->name && strcmp(fact->name, "value") == 0 && fact->kind != WEIR_FACT_TEXT;
}

static bool tell(void *user, const weir_fact *fact)
{
    telling *t = user;
    const bool is_open = fact->kind == WEIR_FACT_OPEN || fact->kind == WEIR_FACT_LIST;

    if (t->hidden > 0 || (fact->name && !is_known(fact->name)) || is_odd(fact)) {
        t->newer += t->hidden == 0;
        t->hidden += is_open ? 1 : fact->kind == WEIR_FACT_CLOSE ? -1 : 0;
        return true;
    }
    if (fact->kind == WEIR_FACT_CLOSE) {
        if (t->is_list[t->out.depth])
            put_count(&t->out, t->out.next[t->out.depth]);
        close_path(&t->out);
    } else if (fact->kind == WEIR_FACT_OPEN) {
        open_struct(&t->out, fact->name);
        t->is_list[t->out.depth] = false;
    } else if (fact->kind == WEIR_FACT_LIST) {
        open_path(&t->out, fact->name);
        t->is_list[t->out.depth] = true;
    } else {
        tell_leaf(t, fact);
    }
    return true;
}

static void compare_descriptions(check *c, const weir_file *file, const FileMetaData *theirs)
{
    telling t = { .newer = 0 };
    lines other;

    lines_open(&t.out);
    lines_open(&other);
    open_struct(&t.out, "file");
    if (weir_parquet_describe(file, tell, &t, NULL) != WEIR_OK)
        c->n.differences++;
    close_path(&t.out);
    put_FileMetaData(&other, "file", theirs);
    c->n.differences += lines_compare(&t.out, &other, c->path);
    c->n.fields += other.list->len;
    c->n.newer += t.newer;
    lines_close(&t.out);
    lines_close(&other);
}

/* ---- what is kept of it ---- */

#define SAME(ours, theirs) same(c, #ours, (int64_t)(ours), (int64_t)(theirs))
#define OPTIONAL(ours, struct_, field) \
    same(c, #ours, (int64_t)(ours), struct_->__isset_##field ? (int64_t)struct_->field : -1)

static void same(check *c, const char *what, int64_t ours, int64_t theirs)
{
    c->n.fields++;
    if (ours == theirs)
        return;
    c->n.differences++;
    printf("%s: %s: %lld, thrift says %lld\n", c->path, what, (long long)ours, (long long)theirs);
}

static void same_bytes(check *c, const char *what, weir_view ours, gboolean is_set,
                       const GByteArray *theirs)
{
    c->n.fields++;
    if ((ours.data != NULL) == (is_set != FALSE) &&
        (!is_set || (ours.size == theirs->len &&
                     (!ours.size || memcmp(ours.data, theirs->data, ours.size) == 0))))
        return;
    c->n.differences++;
    printf("%s: %s differs\n", c->path, what);
}

static void compare_stats(check *c, const weir_parquet_stats *ours, const Statistics *theirs)
{
    same_bytes(c, "max", ours->max, theirs->__isset_max, theirs->max);
    same_bytes(c, "min", ours->min, theirs->__isset_min, theirs->min);
    same_bytes(c, "max_value", ours->max_value, theirs->__isset_max_value, theirs->max_value);
    same_bytes(c, "min_value", ours->min_value, theirs->__isset_min_value, theirs->min_value);
    OPTIONAL(ours->null_count, theirs, null_count);
    OPTIONAL(ours->distinct_count, theirs, distinct_count);
}

static void compare_encodings(check *c, const weir_parquet_chunk *ours, const GArray *theirs)
{
    for (guint i = 0; i < theirs->len; i++)
        SAME(weir_parquet_chunk_uses(ours, (int32_t)g_array_index(theirs, Encoding, i)), true);
    SAME(weir_parquet_chunk_uses(ours, 1000), false);
}

static void compare_chunk(check *c, const weir_parquet_chunk *ours, const ColumnChunk *theirs)
{
    const ColumnMetaData *meta = theirs->meta_data;

    SAME(ours->file_offset, theirs->file_offset);
    OPTIONAL(ours->offset_index, theirs, offset_index_offset);
    OPTIONAL(ours->offset_index_size, theirs, offset_index_length);
    OPTIONAL(ours->column_index, theirs, column_index_offset);
    OPTIONAL(ours->column_index_size, theirs, column_index_length);
    SAME(ours->file_path.data != NULL, theirs->__isset_file_path);
    SAME(ours->is_encrypted, theirs->__isset_crypto_metadata);
    SAME(ours->has_metadata, theirs->__isset_meta_data);
    if (!theirs->__isset_meta_data)
        return;
    SAME(ours->type, meta->type);
    SAME(ours->codec, meta->codec);
    SAME(ours->value_count, meta->num_values);
    SAME(ours->plain_size, meta->total_uncompressed_size);
    SAME(ours->size, meta->total_compressed_size);
    SAME(ours->data_page, meta->data_page_offset);
    OPTIONAL(ours->index_page, meta, index_page_offset);
    OPTIONAL(ours->dictionary_page, meta, dictionary_page_offset);
    OPTIONAL(ours->bloom_filter, meta, bloom_filter_offset);
    compare_encodings(c, ours, meta->encodings);
    if (meta->__isset_statistics)
        compare_stats(c, &ours->stats, meta->statistics);
    else
        SAME(ours->stats.null_count, -1);
}

static int logical_kind(const LogicalType *t)
{
    const gboolean set[] = { 0,
                             t->__isset_STRING,
                             t->__isset_MAP,
                             t->__isset_LIST,
                             t->__isset_ENUM,
                             t->__isset_DECIMAL,
                             t->__isset_DATE,
                             t->__isset_TIME,
                             t->__isset_TIMESTAMP,
                             0,
                             t->__isset_INTEGER,
                             t->__isset_UNKNOWN,
                             t->__isset_JSON,
                             t->__isset_BSON,
                             t->__isset_UUID };

    for (int i = 0; i < (int)(sizeof set / sizeof *set); i++)
        if (set[i])
            return i;
    return 0;
}

static int unit_kind(const TimeUnit *unit)
{
    return unit->__isset_MILLIS   ? WEIR_MILLIS
           : unit->__isset_MICROS ? WEIR_MICROS
           : unit->__isset_NANOS  ? WEIR_NANOS
                                  : WEIR_UNIT_NONE;
}

static void compare_logical(check *c, const weir_parquet_annotation *ours,
                            const LogicalType *theirs)
{
    const int kind = logical_kind(theirs);

    if (kind == 0 && (ours->kind > WEIR_PARQUET_UUID || ours->kind == WEIR_PARQUET_INTERVAL))
        return; /* newer than parquet.thrift of that age, or reserved */
    SAME(ours->kind, kind);
    if (kind == WEIR_PARQUET_DECIMAL) {
        SAME(ours->precision, theirs->DECIMAL->precision);
        SAME(ours->scale, theirs->DECIMAL->scale);
    } else if (kind == WEIR_PARQUET_INTEGER) {
        SAME(ours->bits, theirs->INTEGER->bitWidth);
        SAME(ours->is_signed, theirs->INTEGER->isSigned);
    } else if (kind == WEIR_PARQUET_TIME) {
        SAME(ours->is_utc, theirs->TIME->isAdjustedToUTC);
        SAME(ours->unit, unit_kind(theirs->TIME->unit));
    } else if (kind == WEIR_PARQUET_TIMESTAMP) {
        SAME(ours->is_utc, theirs->TIMESTAMP->isAdjustedToUTC);
        SAME(ours->unit, unit_kind(theirs->TIMESTAMP->unit));
    }
}

static void compare_element(check *c, const weir_parquet_element *ours, const SchemaElement *theirs)
{
    OPTIONAL(ours->type, theirs, type);
    OPTIONAL(ours->type_length, theirs, type_length);
    OPTIONAL(ours->repetition, theirs, repetition_type);
    OPTIONAL(ours->child_count, theirs, num_children);
    OPTIONAL(ours->converted, theirs, converted_type);
    OPTIONAL(ours->scale, theirs, scale);
    OPTIONAL(ours->precision, theirs, precision);
    OPTIONAL(ours->id, theirs, field_id);
    SAME(strncmp((const char *)ours->name.data, theirs->name, ours->name.size), 0);
    if (theirs->__isset_logicalType)
        compare_logical(c, &ours->logical, theirs->logicalType);
    else
        SAME(ours->logical.kind, 0);
}

static void compare_schema(check *c, const weir_parquet_file *own, const FileMetaData *theirs)
{
    weir_compact_field field = { 0 };
    weir_compact in;
    uint32_t count = 0;

    weir_compact_init(&in, own->footer.data, own->footer.size);
    while (weir_compact_next(&in, &field) && field.id != 2)
        weir_compact_skip(&in, field.type);
    if (!weir_compact_list(&in, &field, WEIR_COMPACT_STRUCT, &count) ||
        count != theirs->schema->len) {
        c->n.differences++;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        weir_parquet_element element;

        weir_parquet_element_read(&in, &element);
        compare_element(c, &element, g_ptr_array_index(theirs->schema, i));
    }
}

/* ---- page headers ---- */

static void compare_data(check *c, const weir_parquet_header *ours, const DataPageHeader *theirs)
{
    SAME(ours->value_count, theirs->num_values);
    SAME(ours->encoding, theirs->encoding);
    SAME(ours->definition_encoding, theirs->definition_level_encoding);
    SAME(ours->repetition_encoding, theirs->repetition_level_encoding);
}

static void compare_data_v2(check *c, const weir_parquet_header *ours,
                            const DataPageHeaderV2 *theirs)
{
    SAME(ours->value_count, theirs->num_values);
    SAME(ours->null_count, theirs->num_nulls);
    SAME(ours->row_count, theirs->num_rows);
    SAME(ours->encoding, theirs->encoding);
    SAME(ours->definition_size, theirs->definition_levels_byte_length);
    SAME(ours->repetition_size, theirs->repetition_levels_byte_length);
    SAME(ours->is_compressed, theirs->is_compressed); /* the default is true */
}

static void compare_header(check *c, const weir_parquet_header *ours, const PageHeader *theirs)
{
    SAME(ours->type, theirs->type);
    SAME(ours->plain_size, theirs->uncompressed_page_size);
    SAME(ours->packed_size, theirs->compressed_page_size);
    SAME(ours->has_crc, theirs->__isset_crc);
    if (theirs->__isset_crc)
        SAME(ours->crc, theirs->crc);
    SAME(ours->has_data, theirs->__isset_data_page_header);
    SAME(ours->has_dictionary, theirs->__isset_dictionary_page_header);
    SAME(ours->has_data_v2, theirs->__isset_data_page_header_v2);
    if (ours->type == WEIR_PARQUET_DATA_PAGE && ours->has_data)
        compare_data(c, ours, theirs->data_page_header);
    if (ours->type == WEIR_PARQUET_DATA_PAGE_V2 && ours->has_data_v2)
        compare_data_v2(c, ours, theirs->data_page_header_v2);
    if (ours->type == WEIR_PARQUET_DICTIONARY_PAGE && ours->has_dictionary) {
        SAME(ours->value_count, theirs->dictionary_page_header->num_values);
        SAME(ours->encoding, theirs->dictionary_page_header->encoding);
    }
}

/* All pages of a chunk, of nested columns, too. */
static void compare_pages(check *c, const weir_parquet_chunk *chunk, const uint8_t *data,
                          uint64_t end)
{
    uint64_t at = (uint64_t)weir_parquet_chunk_begin(chunk);
    int64_t values = 0;

    while (values < chunk->value_count && at < end) {
        PageHeader *theirs = g_object_new(TYPE_PAGE_HEADER, NULL);
        const size_t taken = decode_theirs(theirs, data + at, (size_t)(end - at));
        weir_parquet_header ours;
        weir_compact in;

        weir_compact_init(&in, data + at, (size_t)(end - at));
        weir_parquet_header_read(&in, &ours);
        if (taken) {
            SAME(in.why ? 0 : (size_t)(in.at - (data + at)), taken);
            compare_header(c, &ours, theirs);
            c->n.headers++;
        }
        g_object_unref(theirs);
        if (!taken || in.why || ours.packed_size < 0) {
            if (!taken)
                printf("%s: thrift-c refuses the page header at %llu\n", c->path,
                       (unsigned long long)at);
            c->n.refused_headers += !taken;
            return;
        }
        if (ours.type == WEIR_PARQUET_DATA_PAGE || ours.type == WEIR_PARQUET_DATA_PAGE_V2)
            values += ours.value_count;
        at += (uint64_t)(in.at - (data + at)) + (uint64_t)ours.packed_size;
    }
}

/* ---- files ---- */

static void compare_groups(check *c, const weir_file *file, const FileMetaData *theirs,
                           const uint8_t *data)
{
    const weir_parquet_file *own = weir_parquet_file_own(file);

    SAME(file->group_count, theirs->row_groups->len);
    for (int64_t g = 0; g < file->group_count; g++) {
        const RowGroup *group = g_ptr_array_index(theirs->row_groups, (guint)g);

        SAME(own->groups[g].row_count, group->num_rows);
        SAME(own->groups[g].plain_size, group->total_byte_size);
        OPTIONAL(own->groups[g].file_offset, group, file_offset);
        OPTIONAL(own->groups[g].size, group, total_compressed_size);
        SAME(own->groups[g].column_count, group->columns->len);
        for (int32_t i = 0; i < own->leaf_count && i < (int32_t)group->columns->len; i++) {
            weir_parquet_chunk chunk;
            const weir_status status = weir_parquet_chunk_find(file, g, i, &chunk, NULL);

            if (status == WEIR_OK || status == WEIR_UNSUPPORTED)
                compare_chunk(c, &chunk, g_ptr_array_index(group->columns, (guint)i));
            if (status == WEIR_OK && chunk.file_path.size == 0)
                compare_pages(c, &chunk, data, own->offset);
            else
                c->n.encrypted += status == WEIR_UNSUPPORTED;
        }
    }
}

static void compare_file(check *c, const char *data, size_t size)
{
    test_file f = { 0 };
    FileMetaData *theirs = g_object_new(TYPE_FILE_META_DATA, NULL);
    const weir_status status = test_file_open_bytes(&c->stage, &f, data, size, NULL);
    const weir_parquet_file *own = f.file.own;

    c->n.files++;
    if (status == WEIR_UNSUPPORTED) {
        c->n.encrypted++; /* the footer is */
    } else if (status != WEIR_OK) {
        printf("%s: weir refuses it\n", c->path);
        c->n.differences++;
    } else if (!decode_theirs(theirs, own->footer.data, own->footer.size)) {
        printf("%s: thrift-c refuses its footer: a required field is missing\n", c->path);
        c->n.refused++;
    } else {
        c->n.footers++;
        compare_descriptions(c, &f.file, theirs);
        compare_schema(c, own, theirs);
        compare_groups(c, &f.file, theirs, (const uint8_t *)data);
    }
    g_object_unref(theirs);
    test_file_close(&f);
}

static bool is_parquet(const char *data, size_t size)
{
    return size >= 12 &&
           (memcmp(data + size - 4, "PAR1", 4) == 0 || memcmp(data + size - 4, "PARE", 4) == 0);
}

static void visit(check *c, const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)) != NULL) {
        char *path = g_strconcat(folder, "/", entry->d_name, NULL), *data = NULL;
        gsize size = 0;

        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "bad") == 0) {
            /* what is malformed is no matter of opinion */
        } else if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            visit(c, path);
        } else if (g_file_get_contents(path, &data, &size, NULL) && is_parquet(data, size)) {
            c->path = path;
            compare_file(c, data, size);
        }
        g_free(data);
        g_free(path);
    }
    if (directory)
        closedir(directory);
}

int main(void)
{
    const char *corpus = getenv("WEIR_CORPUS");
    check c = { .path = "" };
    char *folder;

    if (!corpus) {
        puts("skipped: WEIR_CORPUS names no corpus");
        return 77;
    }
    stage_open(&c.stage);
    folder = g_strconcat(corpus, "/parquet", NULL);
    visit(&c, folder);
    g_free(folder);
    stage_close(&c.stage);
    printf("%ld files: %ld footers, %ld page headers and %ld fields compared with thrift-c, "
           "%ld differences;\n%ld footers and %ld page headers that thrift-c refuses for what they "
           "lack, "
           "%ld encrypted footers and chunks, %ld fields newer than its parquet.thrift\n",
           c.n.files, c.n.footers, c.n.headers, c.n.fields, c.n.differences, c.n.refused,
           c.n.refused_headers, c.n.encrypted, c.n.newer);
    return c.n.differences == 0 && c.n.footers > 0 ? 0 : 1;
}
