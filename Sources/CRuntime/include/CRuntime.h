// Calls of glibc that Swift cannot import: variadic functions and headers outside the Glibc module.
#pragma once
#include <stddef.h>

/// Sets glibc's mmap threshold to `bytes`, so that freed blocks of that size and more return to the system at once:
/// the default threshold moves and doubled the resident size in measurements. Call first thing in main.
void cruntime_set_mmap_threshold(int bytes);

/// Marks this process as one that serves memory reclaim (PR_SET_IO_FLUSHER); 0, or -1 with errno where not allowed.
int cruntime_set_io_flusher(void);

/// Forbids core files of this process and reading of its memory by other users' processes; 0, or -1 with errno.
int cruntime_forbid_core_dumps(void);

/// Names the calling thread for ps and perf; at most 15 bytes of `name` count.
void cruntime_set_thread_name(const char *name);
