/* SPDX-License-Identifier: Apache-2.0
 * opinion_lines.h: a decoded struct as lines of text, a path and a value each, so that what two
 * decoders made of the same bytes can be sorted and compared. */
#ifndef WEIR_PARQUET_TEST_OPINION_LINES_H
#define WEIR_PARQUET_TEST_OPINION_LINES_H

#include <glib-object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_DEPTH = 80
};

typedef struct lines {
    GString *path;
    size_t ends[LINES_DEPTH]; /* of the path, where a struct or list began */
    guint next[LINES_DEPTH];  /* index of the next element */
    int depth;
    GPtrArray *list; /* of char * */
} lines;

static inline void lines_open(lines *out)
{
    *out = (lines){ .path = g_string_new(""), .list = g_ptr_array_new_with_free_func(g_free) };
}

static inline void lines_close(lines *out)
{
    g_string_free(out->path, TRUE);
    g_ptr_array_free(out->list, TRUE);
}

/* Goes down: a field by its name, an element (NULL) by its index. */
static inline void open_path(lines *out, const char *name)
{
    if (out->depth + 1 >= LINES_DEPTH)
        abort();
    out->ends[out->depth] = out->path->len;
    if (name)
        g_string_append_printf(out->path, ".%s", name);
    else
        g_string_append_printf(out->path, "[%u]", out->next[out->depth]);
    out->next[out->depth]++;
    out->next[++out->depth] = 0;
}

static inline void close_path(lines *out)
{
    g_string_truncate(out->path, out->ends[--out->depth]);
}

static inline void put_line(lines *out, const char *value)
{
    g_ptr_array_add(out->list, g_strconcat(out->path->str, " ", value, NULL));
}

static inline void put_value(lines *out, const char *name, const char *value)
{
    open_path(out, name);
    put_line(out, value);
    close_path(out);
}

static inline void open_struct(lines *out, const char *name)
{
    open_path(out, name);
    put_line(out, "{}");
}

static inline void put_count(lines *out, guint count)
{
    char text[32];

    snprintf(text, sizeof text, "%u elements", count);
    put_line(out, text);
}

static inline void open_list(lines *out, const char *name, guint count)
{
    open_path(out, name);
    put_count(out, count);
}

static inline void put_int(lines *out, const char *name, gint64 value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    put_value(out, name, text);
}

static inline void put_word(lines *out, const char *name, gint64 value, const char *word)
{
    char text[80];

    snprintf(text, sizeof text, "%lld%s%s", (long long)value, word ? " " : "", word ? word : "");
    put_value(out, name, text);
}

/* thrift-c ends strings at their first zero byte. */
static inline void put_text(lines *out, const char *name, const char *text)
{
    put_value(out, name, text ? text : "");
}

static inline void put_hex(lines *out, const char *name, const void *data, size_t size)
{
    GString *text = g_string_new("0x");

    for (size_t i = 0; i < size; i++)
        g_string_append_printf(text, "%02x", ((const unsigned char *)data)[i]);
    put_value(out, name, text->str);
    g_string_free(text, TRUE);
}

static inline void put_bytes(lines *out, const char *name, const GByteArray *array)
{
    put_hex(out, name, array ? array->data : NULL, array ? array->len : 0);
}

static inline int lines_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The number of lines that are in one and not in the other; a few are printed. */
static inline guint lines_compare(lines *ours, lines *theirs, const char *what)
{
    guint i = 0, k = 0, differences = 0;

    g_ptr_array_sort(ours->list, lines_order);
    g_ptr_array_sort(theirs->list, lines_order);
    while (i < ours->list->len || k < theirs->list->len) {
        const char *a = i < ours->list->len ? g_ptr_array_index(ours->list, i) : NULL;
        const char *b = k < theirs->list->len ? g_ptr_array_index(theirs->list, k) : NULL;
        const int order = !a ? 1 : !b ? -1 : strcmp(a, b);

        if (order != 0 && differences++ < 4)
            printf("%s: %s alone: %s\n", what, order < 0 ? "weir" : "thrift", order < 0 ? a : b);
        i += order <= 0;
        k += order >= 0;
    }
    return differences;
}

#endif
