#include "ModelDriver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct planted_fault planted;

// A slot's descriptor and one more, so that an unused slot is -1.
static int slots[driver_slots];
static long writes_made;
static int last_counts;

enum { word_limit = 6, bytes_limit = 16 << 20 };

// One operation on its way: its words, and what is to be printed of it.
struct call {
    char *words[word_limit];
    int count;
    long result;
    int error;
    int has_hash;
    uint64_t hash;
    int shown_descriptor; // whose size and mode are printed; -1 for none
    const char *shown_path;
};

static long number(const struct call *call, int index) {
    return index < call->count ? strtol(call->words[index], NULL, 0) : 0;
}

static int slot_at(const struct call *call, int index) {
    long slot = number(call, index);
    return slot >= 0 && slot < driver_slots ? (int)slot : 0;
}

static int descriptor_of(const struct call *call) { return slots[slot_at(call, 1)] - 1; }

// Of a directory 0, as its size is each file system's own affair.
static off_t size_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

// `N`, or `e+N`, `e-N` from the end of the file.
static off_t offset_at(const struct call *call, int index, int descriptor) {
    const char *word = index < call->count ? call->words[index] : "0";
    if (word[0] != 'e') return strtol(word, NULL, 0);
    off_t offset = size_of(descriptor) + strtol(word + 1, NULL, 0);
    return offset < 0 ? 0 : offset;
}

static void settle(struct call *call, long result) {
    call->result = result;
    call->error = result < 0 ? errno : 0;
}

static unsigned char *buffer_of(size_t count) {
    static unsigned char *buffer;
    if (buffer == NULL) buffer = malloc(bytes_limit);
    if (buffer == NULL || count > bytes_limit) {
        fprintf(stderr, "ModelDriver: no room for %zu bytes\n", count);
        exit(2);
    }
    return buffer;
}

// What a write of this seed brings; with the planted fault one byte of it is another. Only writes that can succeed count.
static unsigned char *data(int descriptor, size_t count, uint64_t seed) {
    unsigned char *buffer = buffer_of(count);
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t index = 0; index < count; index++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        buffer[index] = (unsigned char)(state >> 56);
    }
    if (count > 0 && descriptor >= 0 && fcntl(descriptor, F_GETFL) >= 0
        && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY) {
        writes_made++;
        last_counts = 1;
    } else {
        last_counts = 0;
    }
    if (last_counts && writes_made == planted.alter) buffer[count / 2] ^= 1;
    return buffer;
}

static int is_lost(void) { return last_counts && writes_made == planted.lose; }

static void do_open(struct call *call) {
    int flags = O_CLOEXEC, slot = slot_at(call, 1);
    for (const char *letter = call->words[3]; *letter != 0; letter++) {
        switch (*letter) {
            case 'w': flags |= O_WRONLY; break;
            case 'b': flags |= O_RDWR; break;
            case 'c': flags |= O_CREAT; break;
            case 'x': flags |= O_EXCL; break;
            case 't': flags |= O_TRUNC; break;
            case 'a': flags |= O_APPEND; break;
            default: break;
        }
    }
    int descriptor = open(call->words[2], flags, (mode_t)number(call, 4));
    settle(call, descriptor < 0 ? -1 : 0);
    if (descriptor < 0) return;
    if (slots[slot] > 0) close(slots[slot] - 1);
    slots[slot] = descriptor + 1;
    call->shown_descriptor = descriptor;
}

static void do_close(struct call *call) {
    int slot = slot_at(call, 1);
    settle(call, close(slots[slot] - 1));
    slots[slot] = 0;
}

// All that are open, lowest first; the result counts the failures.
static void do_closeall(struct call *call) {
    long failures = 0;
    for (int slot = 0; slot < driver_slots; slot++) {
        if (slots[slot] > 0 && close(slots[slot] - 1) != 0) {
            failures++;
            call->error = errno;
        }
        slots[slot] = 0;
    }
    call->result = failures;
}

static void do_dup(struct call *call) {
    int to = slot_at(call, 2), copy = fcntl(descriptor_of(call), F_DUPFD_CLOEXEC, 3);
    settle(call, copy < 0 ? -1 : 0);
    if (copy < 0) return;
    if (slots[to] > 0) close(slots[to] - 1);
    slots[to] = copy + 1;
}

static void show_bytes(struct call *call, const unsigned char *bytes, long count) {
    settle(call, count);
    if (count < 0) return;
    call->has_hash = 1;
    call->hash = hash_bytes(HASH_START, bytes, (size_t)count);
}

static void do_read(struct call *call) {
    size_t count = (size_t)number(call, 2);
    unsigned char *buffer = buffer_of(count);
    show_bytes(call, buffer, read(descriptor_of(call), buffer, count));
}

static void do_pread(struct call *call) {
    int descriptor = descriptor_of(call);
    size_t count = (size_t)number(call, 3);
    unsigned char *buffer = buffer_of(count);
    show_bytes(call, buffer, pread(descriptor, buffer, count, offset_at(call, 2, descriptor)));
}

static void do_write(struct call *call) {
    size_t count = (size_t)number(call, 2);
    unsigned char *bytes = data(descriptor_of(call), count, (uint64_t)number(call, 3));
    settle(call, is_lost() ? (long)count : write(descriptor_of(call), bytes, count));
}

static void do_pwrite(struct call *call) {
    int descriptor = descriptor_of(call);
    size_t count = (size_t)number(call, 3);
    unsigned char *bytes = data(descriptor, count, (uint64_t)number(call, 4));
    off_t offset = offset_at(call, 2, descriptor);
    settle(call, is_lost() ? (long)count : pwrite(descriptor, bytes, count, offset));
}

static void do_lseek(struct call *call) {
    int descriptor = descriptor_of(call), whence = SEEK_SET;
    struct stat status;
    // Where a directory's offsets lie is each file system's own affair.
    if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) return;
    if (call->words[3][0] == 'c') whence = SEEK_CUR;
    if (call->words[3][0] == 'e') whence = SEEK_END;
    settle(call, lseek(descriptor, strtol(call->words[2], NULL, 0), whence));
}

// Whether a truncation to the present length changes the time of the file is each file system's own affair.
static void do_ftruncate(struct call *call) {
    int descriptor = descriptor_of(call);
    off_t length = offset_at(call, 2, descriptor);
    if (length == size_of(descriptor)) length++;
    settle(call, ftruncate(descriptor, length));
}

static void do_truncate(struct call *call) {
    struct stat status;
    off_t length = number(call, 2);
    if (stat(call->words[1], &status) == 0 && status.st_size == length) length++;
    settle(call, truncate(call->words[1], length));
    call->shown_path = call->words[1];
}

// A page that can't be read ends the operation, not the driver.
static sigjmp_buf bus_error;

static void on_bus_error(int signal) { siglongjmp(bus_error, signal); }

// Reads or writes through a mapping that ends with the call; beyond the end of the file there is nothing to map.
static void do_mapping(struct call *call) {
    int descriptor = descriptor_of(call), writes = strcmp(call->words[0], "mwrite") == 0;
    int kind = strcmp(call->words[0], "mprivate") == 0 ? MAP_PRIVATE : MAP_SHARED;
    off_t offset = offset_at(call, 2, descriptor), size = size_of(descriptor), start = offset & ~(off_t)4095;
    long count = number(call, 3);
    unsigned char *bytes = writes ? data(descriptor, (size_t)count, (uint64_t)number(call, 4)) : NULL;
    if (count > size - offset) count = size - offset;
    if (count <= 0) {
        call->result = 0;
        return;
    }
    size_t length = (size_t)(offset - start + count);
    unsigned char *memory = mmap(NULL, length, writes ? PROT_READ | PROT_WRITE : PROT_READ, kind, descriptor, start);
    if (memory == MAP_FAILED) {
        settle(call, -1);
        return;
    }
    unsigned char *place = memory + (offset - start);
    signal(SIGBUS, on_bus_error);
    if (sigsetjmp(bus_error, 1) != 0) {
        call->result = -1;
        call->error = EFAULT;
    } else if (!writes) {
        show_bytes(call, place, count);
    } else {
        if (!is_lost()) memcpy(place, bytes, (size_t)count);
        settle(call, msync(memory, length, MS_SYNC) == 0 ? count : -1);
    }
    munmap(memory, length);
}

// A child that inherits all descriptors and ends, which flushes each of them; with `forkwrite` it writes before.
static void do_fork(struct call *call) {
    int descriptor = descriptor_of(call), writes = strcmp(call->words[0], "forkwrite") == 0;
    size_t count = writes ? (size_t)number(call, 2) : 0;
    unsigned char *bytes = writes ? data(descriptor_of(call), count, (uint64_t)number(call, 3)) : NULL;
    int is_done = !writes || is_lost(), status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(is_done || write(descriptor, bytes, count) == (ssize_t)count ? 0 : errno & 0x7F);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        settle(call, -1);
        return;
    }
    call->result = WIFEXITED(status) ? 0 : -1;
    call->error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

static void do_utime(struct call *call) {
    struct timespec times[2] = {{.tv_sec = number(call, 2), .tv_nsec = 123456789}, {0}};
    times[1] = times[0];
    struct stat status;
    settle(call, utimensat(AT_FDCWD, call->words[1], times, 0));
    if (call->result == 0 && stat(call->words[1], &status) == 0) {
        call->has_hash = 1;
        call->hash = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    }
}

static int in_byte_order(const struct dirent **left, const struct dirent **right) {
    return strcmp((*left)->d_name, (*right)->d_name);
}

// The hash of the names, in the order of their bytes.
static void do_list(struct call *call) {
    struct dirent **entries;
    int count = scandir(call->words[1], &entries, NULL, in_byte_order);
    settle(call, count);
    if (count < 0) return;
    call->has_hash = 1;
    call->hash = HASH_START;
    for (int index = 0; index < count; index++) {
        const char *name = entries[index]->d_name;
        call->hash = hash_bytes(call->hash, (const unsigned char *)name, strlen(name) + 1);
        free(entries[index]);
    }
    free(entries);
}

static void do_path(struct call *call) {
    const char *name = call->words[0], *path = call->words[1];
    call->shown_path = path;
    if (strcmp(name, "rename") == 0) {
        settle(call, rename(path, call->words[2]));
        call->shown_path = call->words[2];
    } else if (strcmp(name, "unlink") == 0) {
        settle(call, unlink(path));
    } else if (strcmp(name, "mkdir") == 0) {
        settle(call, mkdir(path, 0777));
    } else if (strcmp(name, "rmdir") == 0) {
        settle(call, rmdir(path));
    } else if (strcmp(name, "chmod") == 0) {
        settle(call, chmod(path, (mode_t)number(call, 2)));
    }
}

static void do_descriptor(struct call *call) {
    int descriptor = descriptor_of(call);
    if (strcmp(call->words[0], "fsync") == 0) settle(call, fsync(descriptor));
    if (strcmp(call->words[0], "fdatasync") == 0) settle(call, fdatasync(descriptor));
    if (strcmp(call->words[0], "fchmod") == 0) settle(call, fchmod(descriptor, (mode_t)number(call, 2)));
}

static void do_tree(struct call *call) { call->result = 0; }

static const struct operation {
    const char *name;
    int words; // its own included
    int uses_slot;
    void (*run)(struct call *);
} operations[] = {
    {"open", 5, 0, do_open},          {"close", 2, 0, do_close},      {"closeall", 1, 0, do_closeall},
    {"dup", 3, 1, do_dup},            {"read", 3, 1, do_read},        {"pread", 4, 1, do_pread},
    {"write", 4, 1, do_write},        {"pwrite", 5, 1, do_pwrite},    {"lseek", 4, 1, do_lseek},
    {"ftruncate", 3, 1, do_ftruncate}, {"truncate", 3, 0, do_truncate}, {"fsync", 2, 1, do_descriptor},
    {"fdatasync", 2, 1, do_descriptor}, {"fchmod", 3, 1, do_descriptor}, {"mread", 4, 1, do_mapping},
    {"mprivate", 4, 1, do_mapping},   {"mwrite", 5, 1, do_mapping},   {"fork", 2, 1, do_fork},
    {"forkwrite", 4, 1, do_fork},     {"rename", 3, 0, do_path},      {"unlink", 2, 0, do_path},
    {"mkdir", 2, 0, do_path},         {"rmdir", 2, 0, do_path},       {"chmod", 3, 0, do_path},
    {"stat", 2, 0, do_path},          {"utime", 3, 0, do_utime},      {"list", 2, 0, do_list},
    {"tree", 1, 0, do_tree},
};

static void print_status(const struct call *call) {
    struct stat status;
    int found = call->shown_descriptor >= 0 ? fstat(call->shown_descriptor, &status)
        : call->shown_path != NULL          ? stat(call->shown_path, &status)
                                            : 1;
    if (found < 0) {
        printf(" stat=%s", strerrorname_np(errno));
    } else if (found == 0 && S_ISDIR(status.st_mode)) {
        printf(" directory mode=%04o", status.st_mode & 07777u);
    } else if (found == 0) {
        printf(" size=%lld mode=%04o", (long long)status.st_size, status.st_mode & 07777u);
    }
}

int carry_out(long line, char *text) {
    printf("%ld %s -> ", line, text);
    fflush(stdout);
    struct call call = {.shown_descriptor = -1};
    char *rest = text, *word;
    while (call.count < word_limit && (word = strsep(&rest, " ")) != NULL) call.words[call.count++] = word;
    for (size_t index = 0; index < sizeof operations / sizeof operations[0]; index++) {
        const struct operation *operation = &operations[index];
        if (strcmp(operation->name, call.words[0]) != 0 || operation->words != call.count) continue;
        if (operation->uses_slot) call.shown_descriptor = descriptor_of(&call);
        operation->run(&call);
        printf("%ld", call.result);
        if (call.error != 0) printf(" %s", strerrorname_np(call.error));
        if (call.has_hash) printf(" h=%016" PRIx64, call.hash);
        print_status(&call);
        printf("\n");
        if (operation->run == do_tree) print_tree();
        return 1;
    }
    printf("?\n");
    return 0;
}
