/* SPDX-License-Identifier: Apache-2.0
 * registry.c: which codec serves an id of a file. Asked while a file is opened, before the line
 * begins to flow: what it gives is frozen, and stays for the life of the process. */
#include "plugins/registry.h"

#include "core/error.h"
#include "plugins/loader.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct weir_builtin {
    const char *name; /* weir-codec-NAME.so */
    const char *format;
    uint32_t id;
    weir_codecs_fn *linked; /* NULL: in an object of its own */
} weir_builtin;

#include "plugins/builtin.h"

enum {
    BUILTIN_COUNT = sizeof weir_builtins / sizeof *weir_builtins
};

/* A codec that may be used, or an object that may not. */
typedef struct weir_record {
    const weir_codec *codec; /* NULL: refused */
    char *origin;            /* the object's path; "linked in" */
    char *why;               /* NULL unless refused */
    bool is_builtin;
    struct weir_record *next;
} weir_record;

struct weir_registry {
    pthread_mutex_t lock; /* over all below */
    char *home;           /* where the build's own objects are */
    char *path;           /* WEIR_PLUGIN_PATH as it was when it was searched; NULL: unset */
    bool is_searched;
    bool is_opened[BUILTIN_COUNT];
    weir_record *first, **last;
};

/* ---- records ---- */

static void record_free(weir_record *record)
{
    if (record) {
        free(record->origin);
        free(record->why);
        free(record);
    }
}

static weir_status append(weir_registry *registry, const weir_codec *codec, const char *origin,
                          const char *why, bool is_builtin, weir_error *err)
{
    weir_record *const record = calloc(1, sizeof *record);

    if (!record)
        return weir_fail_memory(err, sizeof *record);
    record->codec = codec;
    record->is_builtin = is_builtin;
    record->origin = strdup(origin);
    record->why = why ? strdup(why) : NULL;
    if (!record->origin || (why && !record->why)) {
        record_free(record);
        return weir_fail_memory(err, strlen(origin) + (why ? strlen(why) : 0));
    }
    *registry->last = record;
    registry->last = &record->next;
    return WEIR_OK;
}

/* A folder may be on the path twice, or be reached by a link: one codec, one record. */
static bool has_record(const weir_registry *registry, const weir_codec *codec, bool is_builtin)
{
    for (const weir_record *r = registry->first; r; r = r->next)
        if (r->codec == codec && (r->is_builtin || !is_builtin))
            return true;
    return false;
}

static weir_status refuse(weir_registry *registry, const char *origin, const char *why,
                          bool is_builtin, weir_error *err)
{
    for (const weir_record *r = registry->first; r; r = r->next)
        if (!r->codec && strcmp(r->origin, origin) == 0 && strcmp(r->why, why) == 0)
            return WEIR_OK;
    return append(registry, NULL, origin, why, is_builtin, err);
}

static weir_status append_checked(weir_registry *registry, const weir_codec *const *codecs,
                                  const char *origin, bool is_builtin, weir_error *err)
{
    for (; *codecs; codecs++) {
        char why[WEIR_WHY];

        if (has_record(registry, *codecs, is_builtin))
            continue;
        if (weir_codec_check(*codecs, why, sizeof why))
            WEIR_TRY(append(registry, *codecs, origin, NULL, is_builtin, err));
        else
            WEIR_TRY(refuse(registry, origin, why, is_builtin, err));
    }
    return WEIR_OK;
}

static weir_status append_object(weir_registry *registry, const char *folder, const char *file,
                                 bool is_builtin, weir_error *err)
{
    char path[4096], why[WEIR_WHY];
    const weir_codec *const *codecs;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, file);

    if (length < 0 || (size_t)length >= sizeof path)
        return refuse(registry, file, "its path is too long", is_builtin, err);
    codecs = weir_object_open(path, why, sizeof why);
    if (!codecs)
        return refuse(registry, path, why, is_builtin, err);
    return append_checked(registry, codecs, path, is_builtin, err);
}

/* ---- the build's own ---- */

static int builtin_find(const char *format, uint32_t id)
{
    for (int i = 0; i < BUILTIN_COUNT; i++)
        if (weir_builtins[i].id == id && strcmp(weir_builtins[i].format, format) == 0)
            return i;
    return -1;
}

static void object_name(const weir_builtin *builtin, char *out, size_t room)
{
    snprintf(out, room, WEIR_OBJECT_PREFIX "%s" WEIR_OBJECT_SUFFIX, builtin->name);
}

/* Opens the object of one built-in codec, once, whatever comes of it. */
static weir_status open_builtin(weir_registry *registry, int index, weir_error *err)
{
    const weir_builtin *const builtin = &weir_builtins[index];
    char file[64];

    if (registry->is_opened[index])
        return WEIR_OK;
    if (builtin->linked) {
        const weir_codec *const *const codecs = builtin->linked(WEIR_CODEC_ABI);

        WEIR_TRY(append_checked(registry, codecs, "linked in", true, err));
    } else {
        object_name(builtin, file, sizeof file);
        WEIR_TRY(append_object(registry, registry->home, file, true, err));
    }
    for (int i = 0; i < BUILTIN_COUNT; i++) /* the object may serve several ids */
        if (strcmp(weir_builtins[i].name, builtin->name) == 0)
            registry->is_opened[i] = true;
    return WEIR_OK;
}

static weir_status open_builtins(weir_registry *registry, weir_error *err)
{
    for (int i = 0; i < BUILTIN_COUNT; i++)
        WEIR_TRY(open_builtin(registry, i, err));
    return WEIR_OK;
}

static bool is_builtin_object(const char *file)
{
    for (int i = 0; i < BUILTIN_COUNT; i++) {
        char name[64];

        object_name(&weir_builtins[i], name, sizeof name);
        if (!weir_builtins[i].linked && strcmp(name, file) == 0)
            return true;
    }
    return false;
}

/* ---- plugins ---- */

static bool is_same_folder(const char *a, const char *b)
{
    struct stat sa, sb;

    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

static weir_status search_folder(weir_registry *registry, const char *folder, weir_error *err)
{
    const bool is_home = is_same_folder(folder, registry->home);
    weir_status status = WEIR_OK;
    char **names = NULL;
    size_t count = 0;

    if (!weir_objects_list(folder, &names, &count))
        return weir_fail_memory(err, 0);
    for (size_t i = 0; i < count; i++) {
        if (status == WEIR_OK && !(is_home && is_builtin_object(names[i])))
            status = append_object(registry, folder, names[i], false, err);
        free(names[i]);
    }
    free(names);
    return status;
}

/* All plugins: the folders of WEIR_PLUGIN_PATH in their order, then the install folder. When
 * memory runs out half-way the next caller searches again, and finds most of them recorded. */
static weir_status search(weir_registry *registry, weir_error *err)
{
    const char *const path = weir_plugin_path();
    char *rest;

    if (registry->is_searched)
        return WEIR_OK;
    free(registry->path);
    registry->path = NULL;
    if (path) {
        char *const folders = strdup(path);
        weir_status status = WEIR_OK;

        registry->path = strdup(path);
        if (!folders || !registry->path) {
            free(folders);
            return weir_fail_memory(err, strlen(path));
        }
        for (char *folder = strtok_r(folders, ":", &rest); folder && status == WEIR_OK;
             folder = strtok_r(NULL, ":", &rest))
            status = search_folder(registry, folder, err);
        free(folders);
        if (status != WEIR_OK)
            return status;
    }
    WEIR_TRY(search_folder(registry, registry->home, err));
    registry->is_searched = true;
    return WEIR_OK;
}

/* ---- finding ---- */

static bool serves(const weir_codec *codec, const char *format, uint32_t id)
{
    for (const weir_wire_id *w = codec->wire_ids; w->format; w++)
        if (w->id == id && strcmp(w->format, format) == 0)
            return true;
    return false;
}

/* The record that an id belongs to, of those there are: the build's own first, then first come. */
static const weir_record *owner(const weir_registry *registry, const char *format, uint32_t id)
{
    const weir_record *found = NULL;

    for (const weir_record *r = registry->first; r; r = r->next) {
        if (!r->codec || !serves(r->codec, format, id))
            continue;
        if (r->is_builtin)
            return r;
        if (!found)
            found = r;
    }
    return found;
}

/* What an id is called; NULL: unknown. A build may lack any of them. */
static const char *known_name(const char *format, uint32_t id)
{
    static const struct {
        const char *name, *format;
        uint32_t id;
    } names[] = { { "Snappy", "parquet", 1 },     { "gzip", "parquet", 2 },
                  { "LZO", "parquet", 3 },        { "Brotli", "parquet", 4 },
                  { "LZ4", "parquet", 5 },        { "Zstandard", "parquet", 6 },
                  { "LZ4_RAW", "parquet", 7 },    { "deflate", "hdf5", 1 },
                  { "szip", "hdf5", 4 },          { "LZF", "hdf5", 32000 },
                  { "Blosc", "hdf5", 32001 },     { "LZ4", "hdf5", 32004 },
                  { "Zstandard", "hdf5", 32015 }, { "LZ4", "hipo", 1 },
                  { "gzip", "hipo", 3 },          { "Zstandard", "hipo", 4 } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].id == id && strcmp(names[i].format, format) == 0)
            return names[i].name;
    return NULL;
}

typedef struct weir_text {
    char *at;
    size_t room;
} weir_text;

__attribute__((format(printf, 2, 3))) static void say(weir_text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->at, text->room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        const size_t step = (size_t)length < text->room ? (size_t)length : text->room - 1;

        text->at += step;
        text->room -= step;
    }
}

static weir_status no_codec(const weir_registry *registry, const char *format, uint32_t id,
                            weir_error *err)
{
    const char *const name = known_name(format, id);
    char words[sizeof err->text];
    weir_text text = { words, sizeof words };

    say(&text, "no codec for %s %u", format, id);
    if (name)
        say(&text, " (%s)", name);
    if (registry->path)
        say(&text, ": looked in WEIR_PLUGIN_PATH=%s and %s", registry->path, registry->home);
    else
        say(&text, ": looked in %s; WEIR_PLUGIN_PATH is not set", registry->home);
    for (const weir_record *r = registry->first; r; r = r->next)
        if (!r->codec)
            say(&text, "; refused %s: %s", r->origin, r->why);
    return weir_fail(err, WEIR_NO_CODEC, "%s", words);
}

static weir_status find_locked(weir_registry *registry, const char *format, uint32_t id,
                               const weir_codec **out, weir_error *err)
{
    const int builtin = builtin_find(format, id);
    const weir_record *record;

    if (builtin >= 0)
        WEIR_TRY(open_builtin(registry, builtin, err));
    record = owner(registry, format, id);
    if (!record) {
        WEIR_TRY(search(registry, err));
        record = owner(registry, format, id);
    }
    if (!record)
        return no_codec(registry, format, id, err);
    *out = record->codec;
    return WEIR_OK;
}

/* ---- listing ---- */

typedef struct weir_line {
    weir_codec_info info;
    char ids[256], why[WEIR_WHY];
} weir_line;

static void say_id(weir_line *line, const weir_wire_id *wire)
{
    const size_t used = strlen(line->ids);

    snprintf(line->ids + used, sizeof line->ids - used, "%s%s %u", used ? ", " : "", wire->format,
             wire->id);
}

/* A codec has a line for the ids that are its own, and one for those that another has. */
static size_t describe(const weir_registry *registry, const weir_record *record, weir_line *lines)
{
    weir_line *const ready = &lines[0], *const shadowed = &lines[1];
    const weir_codec *const codec = record->codec;
    const char *slash;

    ready->info.origin = shadowed->info.origin = record->origin;
    if (!codec) {
        slash = strrchr(record->origin, '/');
        ready->info.name = slash ? slash + 1 : record->origin;
        ready->info.why = record->why;
        ready->info.state = WEIR_CODEC_REFUSED;
        return 1;
    }
    ready->info.name = shadowed->info.name = codec->name;
    ready->info.version = shadowed->info.version = codec->version ? codec->version() : NULL;
    ready->info.state = WEIR_CODEC_READY;
    shadowed->info.state = WEIR_CODEC_SHADOWED;
    for (const weir_wire_id *w = codec->wire_ids; w->format; w++) {
        const weir_record *const other = owner(registry, w->format, w->id);

        say_id(other == record ? ready : shadowed, w);
        if (other != record && !shadowed->why[0])
            snprintf(shadowed->why, sizeof shadowed->why, "%s %u belongs to %s, %s", w->format,
                     w->id, other->codec->name, other->origin);
    }
    if (!ready->ids[0])
        *ready = *shadowed;
    return ready->ids[0] && shadowed->ids[0] && ready->info.state == WEIR_CODEC_READY ? 2 : 1;
}

/* Takes down what there is, so that the visitor may ask the registry itself. */
static weir_status list_locked(weir_registry *registry, weir_line **lines, size_t *count,
                               weir_error *err)
{
    size_t records = 0;

    WEIR_TRY(open_builtins(registry, err));
    WEIR_TRY(search(registry, err));
    for (const weir_record *r = registry->first; r; r = r->next)
        records++;
    *lines = calloc(2 * records + 1, sizeof **lines);
    if (!*lines)
        return weir_fail_memory(err, 2 * records * sizeof **lines);
    *count = 0;
    for (const weir_record *r = registry->first; r; r = r->next)
        if (r->is_builtin)
            *count += describe(registry, r, *lines + *count);
    for (const weir_record *r = registry->first; r; r = r->next)
        if (!r->is_builtin && (!r->codec || !has_record(registry, r->codec, true)))
            *count += describe(registry, r, *lines + *count);
    return WEIR_OK;
}

/* ---- what others call ---- */

weir_status weir_registry_open(weir_registry **out, weir_error *err)
{
    weir_registry *const registry = calloc(1, sizeof *registry);
    char files[BUILTIN_COUNT][64];
    const char *objects[BUILTIN_COUNT];
    size_t count = 0;

    if (!registry)
        return weir_fail_memory(err, sizeof *registry);
    registry->last = &registry->first;
    for (int i = 0; i < BUILTIN_COUNT; i++) {
        if (weir_builtins[i].linked)
            continue;
        object_name(&weir_builtins[i], files[i], sizeof files[i]);
        objects[count++] = files[i];
    }
    registry->home = weir_home_find(objects, count);
    if (!registry->home || pthread_mutex_init(&registry->lock, NULL) != 0) {
        free(registry->home);
        free(registry);
        return weir_fail_memory(err, sizeof *registry);
    }
    *out = registry;
    return WEIR_OK;
}

void weir_registry_close(weir_registry *registry)
{
    if (!registry)
        return;
    while (registry->first) {
        weir_record *const record = registry->first;

        registry->first = record->next;
        record_free(record);
    }
    pthread_mutex_destroy(&registry->lock);
    free(registry->path);
    free(registry->home);
    free(registry);
}

weir_status weir_registry_add(weir_registry *registry, const weir_codec *codec, weir_error *err)
{
    const weir_codec *const one[] = { codec, NULL };
    weir_status status;
    char why[WEIR_WHY];

    if (!registry || !codec)
        return weir_fail(err, WEIR_BAD_CALL, "no codec was given");
    if (!weir_codec_check(codec, why, sizeof why))
        return weir_fail(err, WEIR_BAD_CALL, "codec refused: %s", why);
    pthread_mutex_lock(&registry->lock);
    status = append_checked(registry, one, "linked in", false, err);
    pthread_mutex_unlock(&registry->lock);
    return status;
}

weir_status weir_registry_find(weir_registry *registry, const char *format, uint32_t id,
                               const weir_codec **out, weir_error *err)
{
    weir_status status;

    pthread_mutex_lock(&registry->lock);
    status = find_locked(registry, format, id, out, err);
    pthread_mutex_unlock(&registry->lock);
    return status;
}

weir_status weir_registry_visit(weir_registry *registry,
                                void (*visit)(void *user, const weir_codec_info *info), void *user,
                                weir_error *err)
{
    weir_line *lines = NULL;
    size_t count = 0;
    weir_status status;

    pthread_mutex_lock(&registry->lock);
    status = list_locked(registry, &lines, &count, err);
    pthread_mutex_unlock(&registry->lock);
    for (size_t i = 0; status == WEIR_OK && i < count; i++) {
        lines[i].info.ids = lines[i].ids;
        if (lines[i].why[0])
            lines[i].info.why = lines[i].why;
        visit(user, &lines[i].info);
    }
    free(lines);
    return status;
}
