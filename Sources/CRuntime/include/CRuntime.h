// Calls of glibc that Swift cannot import: variadic functions and headers outside the Glibc module.
#pragma once
#include <stddef.h>

/// Sets glibc's mmap threshold to `bytes`, so that freed blocks of that size and more return to the system at once:
/// the default threshold moves and doubled the resident size in measurements. Call first thing in main.
void cruntime_set_mmap_threshold(int bytes);

/// Marks this process as one that serves memory reclaim (PR_SET_IO_FLUSHER); 0, or -1 with errno where not allowed.
int cruntime_set_io_flusher(void);

/// Lets crashes end the process at once, as the kernel does it.
///
/// The Swift runtime's own handlers print registers and the memory that they point to, which may be keys, and were seen
/// to leave the process, and with it the mount, hanging. The runtime's words on what failed are printed before.
void cruntime_die_of_crashes(void);

/// Forbids core files of this process and reading of its memory by other users' processes; 0, or -1 with errno.
int cruntime_forbid_core_dumps(void);

/// Names the calling thread for ps and perf; at most 15 bytes of `name` count.
void cruntime_set_thread_name(const char *name);

/// fork(2): 0 in the child, the child's id in the parent, or -1 with errno. Only before the first thread: no other lives
/// on in the child, and a lock that one of them held stays locked there.
int cruntime_fork(void);

/// A file in memory that holds `count` bytes, to be read from its beginning; its descriptor, closed on exec, or -1 with
/// errno.
int cruntime_memory_file(const void *bytes, size_t count);

/// pipe2(2) with both ends closed on exec: 0, or -1 with errno.
int cruntime_pipe(int ends[2]);

/// Starts `arguments[0]`, found by PATH, as the leader of a process group of its own, with no signal blocked or ignored:
/// `input` and `output` as its standard input and output, /dev/null as its standard error, and no other descriptor.
/// 0 with its id in `child`, or an errno.
int cruntime_start_filter(char *const arguments[], int input, int output, int *child);

/// Connects to the system's log under `name`, which must live as long as the process.
void cruntime_open_syslog(const char *name);

/// Writes one line to the system's log; `priority` as LOG_INFO. Any thread.
void cruntime_syslog(int priority, const char *text);

/// A file of the folder `folder` (a descriptor) without a name, open for reading and writing, mode 0600, closed on exec;
/// its space goes back with the last descriptor. -1 with errno. Where the file system has no O_TMPFILE (open(2)), a file
/// with a name beginning in `.part-` that is taken away at once.
int cruntime_nameless_file(int folder);

/// Gives the space of `count` bytes from `offset` on back; the file keeps its length and reads zeros there (fallocate(2),
/// FALLOC_FL_PUNCH_HOLE). 0, or -1 with errno.
int cruntime_punch_hole(int file, long offset, long count);
