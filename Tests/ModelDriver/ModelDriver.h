#ifndef MODEL_DRIVER_H
#define MODEL_DRIVER_H

#include <stdint.h>
#include <sys/types.h>

// The driver of the model test: carries out the operations of a script in one folder and says what came of each.
//
// It is run twice over the same script, once in a folder of a local file system and once in a mount; the test compares
// what the two say, line by line. So nothing is printed that two right file systems may answer differently: no inode or
// device numbers, times only where the script set them, no block counts, no link counts, no sizes of directories.
//
// Input: one operation a line, words separated by one blank. Output: one line for each, flushed at once, so that it shows
// how far a run came that was killed:
//
//     LINE OPERATION -> RESULT [ERRNO] [h=HASH of the bytes read] [size=N mode=0NNN of the descriptor or the path]
//
// SLOT is a number below `driver_slots` that stands for a descriptor. OFFSET is a number, or `e+N`, `e-N`: relative to the
// file's present length. FLAGS are letters: r, w, b (both), c (O_CREAT), x (O_EXCL), t (O_TRUNC), a (O_APPEND).
//
//     open SLOT NAME FLAGS MODE     close SLOT            dup SLOT TO             closeall
//     read SLOT COUNT               pread SLOT OFFSET COUNT
//     write SLOT COUNT SEED         pwrite SLOT OFFSET COUNT SEED
//     lseek SLOT OFFSET WHENCE      ftruncate SLOT LENGTH truncate NAME LENGTH
//     fsync SLOT                    fdatasync SLOT        fchmod SLOT MODE
//     mread SLOT OFFSET COUNT       mprivate SLOT OFFSET COUNT                    mwrite SLOT OFFSET COUNT SEED
//     fork SLOT                     forkwrite SLOT COUNT SEED
//     rename NAME NEW               unlink NAME           mkdir NAME              rmdir NAME
//     chmod NAME MODE               utime NAME SECONDS    stat NAME               list NAME
//     tree                          every name below the folder, with its mode, size and hash, a line each

enum { driver_slots = 16 };

// A fault that the driver commits on purpose, so that the test can show that it would see one.
struct planted_fault {
    long alter; // the number of the write of which one byte is another; 0 for none
    long lose;  // the number of the write that is reported and not made; 0 for none
};

extern struct planted_fault planted;

// Carries out one operation, given by its words, and prints its line; false if it isn't one.
int carry_out(long line, char *text);

// Prints the lines of `tree`; the working directory is the folder.
void print_tree(void);

// FNV-1a, 64 bits.
uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t count);
#define HASH_START UINT64_C(0xcbf29ce484222325)

// The hash of all that is left to read at the descriptor; false if a read fails, with errno set.
int hash_descriptor(int descriptor, uint64_t *hash);

#endif
