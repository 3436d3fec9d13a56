#include "ModelDriver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Times up to this one were set by the script; later ones are the clock's, and differ between two runs.
static const time_t last_set_time = 1000000000;

uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) hash = (hash ^ bytes[index]) * UINT64_C(0x100000001b3);
    return hash;
}

int hash_descriptor(int descriptor, uint64_t *hash) {
    static unsigned char buffer[128 * 1024];
    *hash = HASH_START;
    for (;;) {
        ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count < 0) return 0;
        if (count == 0) return 1;
        *hash = hash_bytes(*hash, buffer, (size_t)count);
    }
}

static int in_byte_order(const struct dirent **left, const struct dirent **right) {
    return strcmp((*left)->d_name, (*right)->d_name);
}

static void print_file(const char *path, const struct stat *status) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t hash = 0;
    if (descriptor < 0 || !hash_descriptor(descriptor, &hash)) {
        printf("  %s can't be read: %s\n", path, strerrorname_np(errno));
    } else {
        printf("  %s mode=%04o size=%lld h=%016" PRIx64, path, status->st_mode & 07777u,
            (long long)status->st_size, hash);
        if (status->st_mtim.tv_sec <= last_set_time) {
            printf(" mtime=%lld.%09ld", (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
        }
        printf("\n");
    }
    if (descriptor >= 0) close(descriptor);
}

static void print_folder(const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, in_byte_order);
    if (count < 0) {
        printf("  %s can't be listed: %s\n", folder, strerrorname_np(errno));
        return;
    }
    for (int index = 0; index < count; index++) {
        const char *name = entries[index]->d_name;
        char path[4096];
        struct stat status;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, name);
            if (lstat(path, &status) != 0) {
                printf("  %s can't be looked at: %s\n", path, strerrorname_np(errno));
            } else if (S_ISDIR(status.st_mode)) {
                printf("  %s/ mode=%04o\n", path, status.st_mode & 07777u);
                print_folder(path);
            } else {
                print_file(path, &status);
            }
        }
        free(entries[index]);
    }
    free(entries);
}

void print_tree(void) { print_folder("."); }
