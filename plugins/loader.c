/* SPDX-License-Identifier: Apache-2.0
 * loader.c: the only file that opens shared objects. */
#include "plugins/loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* What the first release had; a shorter struct can't be one of ours. */
#define WEIR_CODEC_SIZE_FIRST (offsetof(weir_codec, room) + sizeof(void *))
#define WEIR_CODEC_FLAGS_KNOWN 0u

static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return length > 0 && length < 32 && name[length] == '\0';
}

/* `abi` is read first, `size` before anything past it: an object of another time may have neither
 * the fields nor the meaning. */
bool weir_codec_check(const weir_codec *codec, char *why, size_t room)
{
    if (codec->abi != WEIR_CODEC_ABI)
        snprintf(why, room, "its codec has ABI %u, this build takes %u", codec->abi,
                 WEIR_CODEC_ABI);
    else if (codec->size < WEIR_CODEC_SIZE_FIRST)
        snprintf(why, room, "its codec's struct has %u bytes, the least is %zu", codec->size,
                 WEIR_CODEC_SIZE_FIRST);
    else if (!codec->name)
        snprintf(why, room, "its codec has no name");
    else if (!is_name(codec->name))
        snprintf(why, room,
                 "its codec's name has other characters than a-z, 0-9 and _, or not "
                 "1 to 31 of them");
    else if (!codec->decompress)
        snprintf(why, room, "codec %s has no function decompress", codec->name);
    else if (codec->flags & ~WEIR_CODEC_FLAGS_KNOWN)
        snprintf(why, room, "codec %s has flags 0x%x that this build doesn't know", codec->name,
                 codec->flags & ~WEIR_CODEC_FLAGS_KNOWN);
    else if (!codec->wire_ids || !codec->wire_ids[0].format)
        snprintf(why, room, "codec %s names no wire id", codec->name);
    else if (!codec->alloc != !codec->free)
        snprintf(why, room, "codec %s has only one of the functions alloc and free", codec->name);
    else
        return true;
    return false;
}

/* dlerror's text, which often begins with the path that is told anyway. */
static void say_dlerror(const char *path, char *why, size_t room)
{
    const char *text = dlerror();
    const size_t length = strlen(path);

    if (!text)
        text = "it can't be opened";
    if (strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0)
        text += length + 2;
    snprintf(why, room, "%s", text);
}

const weir_codec *const *weir_object_open(const char *path, char *why, size_t room)
{
    const weir_codec *const *codecs;
    weir_codecs_fn *entry = NULL;
    void *symbol;
    /* NOW: a symbol that is missing must not end the process in the middle of a page. */
    void *const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!object) {
        say_dlerror(path, why, room);
        return NULL;
    }
    symbol = dlsym(object, "weir_codecs");
    if (!symbol) {
        snprintf(why, room, "it has no function weir_codecs");
        dlclose(object);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from an object to a function */
    codecs = entry(WEIR_CODEC_ABI);
    if (!codecs)
        snprintf(why, room, "it can't serve codec ABI %u", WEIR_CODEC_ABI);
    return codecs;
}

/* The folder of the object that holds this code; false when it can't be told. */
static bool own_folder(char out[PATH_MAX])
{
    static const char here = 0;
    struct link_map *map = NULL;
    Dl_info info;
    char *slash;

    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || !map)
        return false;
    /* The program itself has no name in the map, and argv[0] may be anything. */
    if (!realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", out))
        return false;
    slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static bool folder_has(const char *folder, const char *const *objects, size_t count)
{
    char path[4096];

    if (count == 0) /* all are linked in: any folder that is there will do for plugins */
        return access(folder, X_OK) == 0;
    for (size_t i = 0; i < count; i++) {
        const int length = snprintf(path, sizeof path, "%s/%s", folder, objects[i]);

        if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

char *weir_home_find(const char *const *objects, size_t count)
{
    /* In the build tree; beside an installed library; for an installed program that has the
     * library linked in. */
    static const char *const places[] = { "", "/weir", "/../" WEIR_LIBDIR "/weir" };
    char own[PATH_MAX], folder[PATH_MAX], home[PATH_MAX];
    /* With another's rights a program must not trust where it was started from. */
    const bool is_known = !getauxval(AT_SECURE) && own_folder(own);

    for (size_t i = count > 0 ? 0 : 1; is_known && i < sizeof places / sizeof *places; i++) {
        const int length = snprintf(folder, sizeof folder, "%s%s", own, places[i]);

        if (length > 0 && (size_t)length < sizeof folder && folder_has(folder, objects, count) &&
            realpath(folder, home))
            return strdup(home);
    }
    return strdup(WEIR_CODEC_DIR);
}

const char *weir_plugin_path(void)
{
    const char *const path = secure_getenv("WEIR_PLUGIN_PATH");

    return path && path[0] ? path : NULL;
}

static bool is_object(const char *name)
{
    const size_t length = strlen(name);
    const size_t before = strlen(WEIR_OBJECT_PREFIX), after = strlen(WEIR_OBJECT_SUFFIX);

    return length > before + after && strncmp(name, WEIR_OBJECT_PREFIX, before) == 0 &&
           strcmp(name + length - after, WEIR_OBJECT_SUFFIX) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool append_name(char ***names, size_t *count, const char *name)
{
    char **const grown = realloc(*names, (*count + 1) * sizeof **names);

    if (!grown)
        return false;
    *names = grown;
    grown[*count] = strdup(name);
    if (!grown[*count])
        return false;
    ++*count;
    return true;
}

bool weir_objects_list(const char *folder, char ***names, size_t *count)
{
    DIR *const stream = opendir(folder);
    const struct dirent *entry;
    bool is_done = true;

    *names = NULL;
    *count = 0;
    while (is_done && stream && (entry = readdir(stream)))
        if (is_object(entry->d_name))
            is_done = append_name(names, count, entry->d_name);
    if (stream)
        closedir(stream);
    if (*count > 0)
        qsort(*names, *count, sizeof **names, compare_names);
    if (!is_done) {
        for (size_t i = 0; i < *count; i++)
            free((*names)[i]);
        free(*names);
    }
    return is_done;
}
