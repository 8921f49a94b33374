/* SPDX-License-Identifier: Apache-2.0
 * source.c: step 0 of the line: open and read bytes. The only file that calls pread or mmap. */
#include "core/source.h"

#include "core/error.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CALL_MOST = 1 << 30 /* bytes asked of one pread: Linux gives 2 GiB less a page at most */
};

struct weir_source {
    _Atomic(int32_t) refs;
    _Atomic(uint64_t) bytes_read;
    uint64_t size;
    int fd;               /* -1: none */
    bool is_resting;      /* the descriptor was closed, and the file can be opened again */
    struct stat about;    /* the file when it was opened */
    const uint8_t *data;  /* memory or a map; NULL: none */
    weir_hold *map;       /* one count */
    weir_input input;     /* `read` not NULL: the caller's functions */
    bool is_input_closer; /* input.close has to be called */
    char name[];
};

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static weir_status check_regular(const struct stat *info, weir_error *err)
{
    if (S_ISREG(info->st_mode))
        return WEIR_OK;
    return weir_fail(err, WEIR_IO, "is %s, not a regular file", kind_of(info->st_mode));
}

static weir_status source_new(const char *name, weir_source **out, weir_error *err)
{
    const size_t length = strlen(name);
    weir_source *source = calloc(1, sizeof *source + length + 1);

    if (!source)
        return weir_fail_memory(err, sizeof *source + length + 1);
    atomic_init(&source->refs, 1);
    source->fd = -1;
    memcpy(source->name, name, length + 1);
    *out = source;
    return WEIR_OK;
}

static void unmap(weir_hold *hold)
{
    munmap(hold->data, (size_t)(uintptr_t)hold->user);
}

/* Maps the file over the start of an anonymous map that is longer by a page, so that the slack
 * after the file's last byte can be read. A file system that can't map leaves the source to
 * pread. */
static weir_status map_file(weir_source *source, weir_error *err)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room;
    uint8_t *base;
    weir_status status;

    if (source->size == 0 || __builtin_add_overflow(source->size, 2 * page, &room))
        return WEIR_OK;
    room &= ~(page - 1); /* at least a whole page more than the file */
    base = mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return WEIR_OK;
    if (mmap(base, source->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, source->fd, 0) == MAP_FAILED) {
        munmap(base, room);
        return WEIR_OK;
    }
    status =
        weir_hold_foreign(base, source->size, unmap, (void *)(uintptr_t)room, &source->map, err);
    if (status != WEIR_OK) {
        munmap(base, room);
        return status;
    }
    source->data = base;
    return WEIR_OK;
}

static void source_free(weir_source *source)
{
    weir_hold_release(source->map);
    if (source->fd >= 0)
        close(source->fd);
    if (source->is_input_closer)
        source->input.close(source->input.user);
    free(source);
}

/* All of a file's range that pread gives. */
static weir_status read_file(weir_source *source, uint64_t offset, uint8_t *into, size_t size,
                             weir_error *err)
{
    while (size > 0) {
        const size_t want = size < CALL_MOST ? size : CALL_MOST;
        const ssize_t got = pread(source->fd, into, want, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return weir_fail_system(err, errno, "reading %zu bytes at byte %" PRIu64, want, offset);
        if (got == 0)
            return weir_fail_at(err, WEIR_IO, offset,
                                "the file ends at byte %" PRIu64 "; it had %" PRIu64
                                " bytes when it was opened",
                                offset, source->size);
        atomic_fetch_add_explicit(&source->bytes_read, (uint64_t)got, memory_order_relaxed);
        into += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return WEIR_OK;
}

/* The caller's function may fail without a word, or with a status that is none. */
static weir_status read_input(weir_source *source, uint64_t offset, void *into, size_t size,
                              weir_error *err)
{
    weir_error own = { .file = -1, .row = -1, .offset = -1 };
    weir_status status = source->input.read(source->input.user, offset, into, size, &own);

    if (status == WEIR_OK) {
        atomic_fetch_add_explicit(&source->bytes_read, size, memory_order_relaxed);
        return WEIR_OK;
    }
    if ((unsigned)status > WEIR_LIMIT)
        status = WEIR_IO;
    own.text[sizeof own.text - 1] = '\0';
    return weir_fail_at(err, status, offset, "%s",
                        own.text[0] ? own.text : "the input's read function failed");
}

static weir_status open_file(weir_source *source, const char *path, struct stat *about,
                             weir_error *err)
{
    do {
        source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (source->fd < 0 && errno == EINTR);
    if (source->fd < 0 || fstat(source->fd, about) != 0)
        return weir_fail_system(err, errno, "can't be opened");
    return check_regular(about, err);
}

weir_status weir_source_open(const char *path, uint32_t flags, weir_source **out, weir_error *err)
{
    weir_source *source = NULL;
    struct stat info;
    weir_status status;

    /* Looked at before it is opened: opening a pipe would wake its writer. O_NONBLOCK, in case it
     * becomes a pipe in between. */
    if (stat(path, &info) != 0)
        return weir_fail_system(err, errno, "can't be opened");
    WEIR_TRY(check_regular(&info, err));
    WEIR_TRY(source_new(path, &source, err));
    status = open_file(source, path, &source->about, err);
    if (status == WEIR_OK) {
        source->size = (uint64_t)source->about.st_size;
        if (flags & WEIR_SOURCE_MAP)
            status = map_file(source, err);
    }
    if (status != WEIR_OK) {
        source_free(source);
        return status;
    }
    *out = source;
    return WEIR_OK;
}

weir_status weir_source_open_memory(const char *name, const void *data, size_t size,
                                    weir_source **out, weir_error *err)
{
    weir_source *source = NULL;

    if (!data && size > 0)
        return weir_fail(err, WEIR_BAD_CALL, "an input of %zu bytes at NULL", size);
    WEIR_TRY(source_new(name ? name : "memory", &source, err));
    source->data = data ? data : (const void *)source->name;
    source->size = size;
    *out = source;
    return WEIR_OK;
}

weir_status weir_source_open_input(const weir_input *input, weir_source **out, weir_error *err)
{
    weir_source *source = NULL;

    if (!input->data && !input->read && input->length > 0)
        return weir_fail(err, WEIR_BAD_CALL, "an input has neither data nor a read function");
    if (input->length > INT64_MAX)
        return weir_fail(err, WEIR_BAD_CALL, "an input's length of %" PRIu64 " is past 2^63",
                         input->length);
    WEIR_TRY(source_new(input->name ? input->name : "input", &source, err));
    source->input = *input;
    source->input.name = NULL; /* source->name is the copy */
    source->is_input_closer = input->close != NULL;
    source->data = input->data;
    source->size = input->length;
    *out = source;
    return WEIR_OK;
}

weir_source *weir_source_keep(weir_source *source)
{
    /* Relaxed: whoever keeps has a count already. */
    atomic_fetch_add_explicit(&source->refs, 1, memory_order_relaxed);
    return source;
}

void weir_source_release(weir_source *source)
{
    /* acq_rel: all reads come before the close. */
    if (source && atomic_fetch_sub_explicit(&source->refs, 1, memory_order_acq_rel) == 1)
        source_free(source);
}

void weir_source_rest(weir_source *source)
{
    if (source->fd < 0)
        return;
    close(source->fd);
    source->fd = -1;
    source->is_resting = true;
}

weir_status weir_source_wake(weir_source *source, weir_error *err)
{
    const struct stat *old = &source->about;
    struct stat now;
    weir_status status;

    if (!source->is_resting)
        return WEIR_OK;
    status = open_file(source, source->name, &now, err);
    if (status == WEIR_OK &&
        (now.st_dev != old->st_dev || now.st_ino != old->st_ino || now.st_size != old->st_size ||
         now.st_mtim.tv_sec != old->st_mtim.tv_sec || now.st_mtim.tv_nsec != old->st_mtim.tv_nsec))
        status = weir_fail(err, WEIR_IO, "the file was replaced or changed since it was opened");
    if (status == WEIR_OK)
        source->is_resting = false;
    else if (source->fd >= 0)
        close(source->fd);
    if (status != WEIR_OK)
        source->fd = -1;
    return status;
}

const char *weir_source_name(const weir_source *source)
{
    return source->name;
}

uint64_t weir_source_size(const weir_source *source)
{
    return source->size;
}

uint64_t weir_source_bytes_read(const weir_source *source)
{
    return atomic_load_explicit(&source->bytes_read, memory_order_relaxed);
}

weir_status weir_source_read(weir_source *source, uint64_t offset, void *into, size_t size,
                             weir_error *err)
{
    if (offset > source->size || size > source->size - offset)
        return weir_fail_at(err, WEIR_CORRUPT, offset,
                            "%zu bytes at byte %" PRIu64 " lie outside of the %" PRIu64
                            " bytes there are",
                            size, offset, source->size);
    if (size == 0)
        return WEIR_OK;
    if (source->data) {
        memcpy(into, source->data + offset, size);
        atomic_fetch_add_explicit(&source->bytes_read, size, memory_order_relaxed);
        return WEIR_OK;
    }
    if (source->input.read)
        return read_input(source, offset, into, size, err);
    return read_file(source, offset, into, size, err);
}

bool weir_source_mapped(weir_source *source, weir_view *all, weir_hold **hold)
{
    if (!source->map)
        return false;
    *all = (weir_view){ .data = source->data, .size = source->size };
    *hold = source->map;
    return true;
}
