// libfuse 3.14's low-level API, and what of the kernel's wire format it hides: request heads and the INIT reply.
// The shim can go once libfuse exposes a request's `unique`, its write flags and these two flags of INIT.
#pragma once

#ifndef FUSE_USE_VERSION
#define FUSE_USE_VERSION 314
#endif

#include <fuse3/fuse_lowlevel.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// What stands in front of every request.
struct cfuse_head {
    /// The request's name on this connection; never used twice.
    uint64_t unique;
    /// For CFUSE_INTERRUPT the request that is meant, else 0.
    uint64_t interrupted;
    uint32_t opcode;
    /// The calling thread, 0 where it can't be named in the daemon's namespace.
    int32_t pid;
    /// 1 for a write that must drop suid and sgid (FUSE_WRITE_KILL_SUIDGID), else 0.
    int32_t kills_privileges;
    /// 1 where the kernel waits for an answer to this request, else 0.
    int32_t wants_answer;
};

/// Opcodes that the bridge tells apart (linux/fuse.h).
enum {
    CFUSE_GETXATTR = 22,
    CFUSE_FLUSH = 25,
    CFUSE_INIT = 26,
    CFUSE_INTERRUPT = 36,
};

/// Reads the head of the `length` bytes of a request into `head`; 1, or 0 where the bytes are too few.
int cfuse_parse_head(const void *bytes, size_t length, struct cfuse_head *head);

/// Remembers the head of the request that this thread handles next.
void cfuse_set_current(const struct cfuse_head *head);

/// The head of the request that this thread handles: libfuse calls back on the thread that read it.
struct cfuse_head cfuse_current(void);

/// The request that the reply in `vectors` answers; 0 for a notification or a reply without a head.
uint64_t cfuse_reply_unique(const struct iovec *vectors, int count);

/// Of the flags that libfuse 3.14 leaves out of its INIT reply, those that the INIT request of `length` bytes offers:
/// FUSE_HANDLE_KILLPRIV_V2, which it doesn't know, and FUSE_PARALLEL_DIROPS, which it knows, asks for and then forgets.
uint32_t cfuse_missing_init_flags(const void *request, size_t length);

/// Sends a successful INIT reply with `flags` added, any other as it is; as writev(2).
ssize_t cfuse_write_init_reply(int descriptor, const struct iovec *vectors, int count, uint32_t flags);

/// Makes libfuse's messages go to the calling thread's buffer and no longer to standard error.
void cfuse_collect_messages(void);

/// The last message of libfuse on this thread without its line feed, or "" if none came since the last call. Valid until
/// libfuse's next message on this thread.
const char *cfuse_take_message(void);
