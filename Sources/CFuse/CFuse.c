#include "CFuse.h"

#include <linux/fuse.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct cfuse_head current;
static _Thread_local char message[512];
static _Thread_local char taken[512];

int cfuse_parse_head(const void *bytes, size_t length, struct cfuse_head *head) {
    struct fuse_in_header in;
    memset(head, 0, sizeof *head);
    if (length < sizeof in) return 0;
    memcpy(&in, bytes, sizeof in);
    const char *body = (const char *)bytes + sizeof in;
    size_t body_length = length - sizeof in;
    head->unique = in.unique;
    head->opcode = in.opcode;
    head->pid = (int32_t)in.pid;
    head->wants_answer = in.opcode != FUSE_FORGET && in.opcode != FUSE_BATCH_FORGET && in.opcode != FUSE_INTERRUPT &&
                         in.opcode != FUSE_NOTIFY_REPLY;
    if (in.opcode == FUSE_INTERRUPT && body_length >= sizeof(struct fuse_interrupt_in)) {
        struct fuse_interrupt_in interrupt;
        memcpy(&interrupt, body, sizeof interrupt);
        head->interrupted = interrupt.unique;
    }
    if (in.opcode == FUSE_WRITE && body_length >= sizeof(struct fuse_write_in)) {
        struct fuse_write_in write;
        memcpy(&write, body, sizeof write);
        head->kills_privileges = (write.write_flags & FUSE_WRITE_KILL_SUIDGID) != 0;
    }
    return 1;
}

void cfuse_set_current(const struct cfuse_head *head) { current = *head; }

struct cfuse_head cfuse_current(void) { return current; }

uint64_t cfuse_reply_unique(const struct iovec *vectors, int count) {
    struct fuse_out_header out;
    if (count < 1 || vectors[0].iov_len < sizeof out) return 0;
    memcpy(&out, vectors[0].iov_base, sizeof out);
    return out.unique;
}

uint32_t cfuse_missing_init_flags(const void *request, size_t length) {
    struct fuse_init_in in;
    // Kernels before 7.36 send fewer bytes; the flags stand in front in all of them.
    size_t needed = sizeof(struct fuse_in_header) + offsetof(struct fuse_init_in, flags) + sizeof in.flags;
    if (length < needed) return 0;
    memset(&in, 0, sizeof in);
    size_t body_length = length - sizeof(struct fuse_in_header);
    memcpy(&in, (const char *)request + sizeof(struct fuse_in_header),
           body_length < sizeof in ? body_length : sizeof in);
    return in.major == 7 ? in.flags & (FUSE_HANDLE_KILLPRIV_V2 | FUSE_PARALLEL_DIROPS) : 0;
}

ssize_t cfuse_write_init_reply(int descriptor, const struct iovec *vectors, int count, uint32_t flags) {
    struct fuse_out_header out;
    struct fuse_init_out init;
    size_t needed = offsetof(struct fuse_init_out, flags) + sizeof init.flags;
    if (count != 2 || vectors[0].iov_len != sizeof out || vectors[1].iov_len < needed ||
        vectors[1].iov_len > sizeof init)
        return writev(descriptor, vectors, count);
    memcpy(&out, vectors[0].iov_base, sizeof out);
    if (out.error != 0) return writev(descriptor, vectors, count);
    memcpy(&init, vectors[1].iov_base, vectors[1].iov_len);
    init.flags |= flags;
    struct iovec changed[2] = {vectors[0], {&init, vectors[1].iov_len}};
    return writev(descriptor, changed, 2);
}

static void collect(enum fuse_log_level level, const char *format, va_list arguments) {
    if (level > FUSE_LOG_WARNING) return;
    vsnprintf(message, sizeof message, format, arguments);
    size_t length = strlen(message);
    if (length > 0 && message[length - 1] == '\n') message[length - 1] = 0;
}

void cfuse_collect_messages(void) { fuse_set_log_func(collect); }

const char *cfuse_take_message(void) {
    memcpy(taken, message, sizeof taken);
    message[0] = 0;
    return taken;
}
