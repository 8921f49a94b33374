/* SPDX-License-Identifier: Apache-2.0
 * fuzz_replay.c: a main for every fuzz_X.c where libFuzzer isn't: calls it with each file of the
 * folders named, and each of its heads cut short, in a buffer that ends at an unmapped page. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input lies right before a page that can't be read: one byte too far is a crash. */
static void replay(const uint8_t *data, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (size / page + 2) * page;
    uint8_t *base = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *input = base + room - page - size;

    if (base == MAP_FAILED || mprotect(base + room - page, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(2);
    }
    if (size)
        memcpy(input, data, size);
    LLVMFuzzerTestOneInput(input, size);
    munmap(base, room);
}

static void replay_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size, cut;

    if (!file) {
        perror(path);
        exit(2);
    }
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    replay(data, size);
    for (cut = 0; cut < size; cut += size / 64 + 1)
        replay(data, cut);
}

int main(int argc, char **argv)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        const struct dirent *entry;

        if (!folder) {
            perror(argv[i]);
            return 2;
        }
        while ((entry = readdir(folder)) != NULL) {
            char path[4096];

            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            replay_file(path);
            count++;
        }
        closedir(folder);
    }
    printf("%d inputs, each whole and cut at 64 places\n", count);
    return count > 0 ? 0 : 1;
}
