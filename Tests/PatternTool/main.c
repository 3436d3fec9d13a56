#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Writes and checks files of any length at the speed of memory, so that gigabytes need no copy to compare with.
//
// usage: PatternTool write FILE BYTES     from the start, over whatever was there; the close's error counts
//        PatternTool check FILE BYTES     the file has that length and the pattern
//        PatternTool crc BYTES            the CRC-64 (ECMA-182, reflected, as OSS has it) of so much of the pattern
//
// The pattern is the one that `ossmount-server --bodies synthetic` makes up: its word n of 8 bytes, lowest byte first,
// is n * 0x9E3779B97F4A7C15. Written here again, as the server's own code can't be a judge of the server.

enum { piece_bytes = 1 << 20 };

static unsigned char pattern[piece_bytes], piece[piece_bytes];

static void fill(uint64_t offset) {
    for (size_t index = 0; index < piece_bytes / 8; index++) {
        uint64_t word = (offset / 8 + index) * UINT64_C(0x9E3779B97F4A7C15);
        for (size_t byte = 0; byte < 8; byte++) pattern[index * 8 + byte] = (unsigned char)(word >> (8 * byte));
    }
}

static int fail(const char *action, uint64_t offset) {
    fprintf(stderr, "PatternTool: %s at %llu: %s\n", action, (unsigned long long)offset, strerrorname_np(errno));
    return 1;
}

static size_t piece_at(uint64_t offset, uint64_t length) {
    return length - offset < piece_bytes ? (size_t)(length - offset) : piece_bytes;
}

static int write_file(const char *path, uint64_t length) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail("open", 0);
    for (uint64_t offset = 0; offset < length; offset += piece_bytes) {
        size_t count = piece_at(offset, length), done = 0;
        fill(offset);
        while (done < count) {
            ssize_t written = write(descriptor, pattern + done, count - done);
            if (written < 0) {
                int status = fail("write", offset + done);
                close(descriptor);
                return status;
            }
            done += (size_t)written;
        }
    }
    return close(descriptor) == 0 ? 0 : fail("close", length);
}

static int check_file(const char *path, uint64_t length) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return fail("open", 0);
    if ((uint64_t)status.st_size != length) {
        fprintf(stderr, "PatternTool: %lld bytes long\n", (long long)status.st_size);
        return 1;
    }
    for (uint64_t offset = 0; offset < length; offset += piece_bytes) {
        size_t count = piece_at(offset, length), done = 0;
        fill(offset);
        while (done < count) {
            ssize_t got = read(descriptor, piece + done, count - done);
            if (got < 0) return fail("read", offset + done);
            if (got == 0) {
                fprintf(stderr, "PatternTool: ends at %llu\n", (unsigned long long)(offset + done));
                return 1;
            }
            done += (size_t)got;
        }
        if (memcmp(piece, pattern, count) != 0) {
            fprintf(stderr, "PatternTool: other bytes within %zu from %llu\n", count, (unsigned long long)offset);
            return 1;
        }
    }
    return close(descriptor) == 0 ? 0 : fail("close", length);
}

static int print_crc(uint64_t length) {
    static uint64_t table[8][256];
    for (unsigned index = 0; index < 256; index++) {
        uint64_t value = index;
        for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? UINT64_C(0xC96C5795D7870F42) : 0);
        table[0][index] = value;
    }
    for (unsigned index = 0; index < 256; index++) {
        for (int row = 1; row < 8; row++) {
            table[row][index] = table[row - 1][index] >> 8 ^ table[0][table[row - 1][index] & 0xFF];
        }
    }
    uint64_t crc = ~UINT64_C(0), offset = 0;
    for (; offset + 8 <= length; offset += 8) {
        uint64_t word = crc ^ offset / 8 * UINT64_C(0x9E3779B97F4A7C15);
        crc = 0;
        for (int byte = 0; byte < 8; byte++) crc ^= table[7 - byte][word >> (8 * byte) & 0xFF];
    }
    uint64_t word = offset / 8 * UINT64_C(0x9E3779B97F4A7C15);
    for (; offset < length; offset++, word >>= 8) crc = crc >> 8 ^ table[0][(crc ^ word) & 0xFF];
    printf("%llu\n", (unsigned long long)~crc);
    return 0;
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "write") == 0) return write_file(arguments[2], strtoull(arguments[3], NULL, 0));
    if (count == 4 && strcmp(arguments[1], "check") == 0) return check_file(arguments[2], strtoull(arguments[3], NULL, 0));
    if (count == 3 && strcmp(arguments[1], "crc") == 0) return print_crc(strtoull(arguments[2], NULL, 0));
    fprintf(stderr, "usage: PatternTool write|check FILE BYTES, or crc BYTES\n");
    return 2;
}
