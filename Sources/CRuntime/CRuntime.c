#define _GNU_SOURCE
#include "CRuntime.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <syslog.h>
#include <unistd.h>

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

void cruntime_set_mmap_threshold(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

int cruntime_set_io_flusher(void) { return prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0); }

int cruntime_forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void cruntime_set_thread_name(const char *name) {
    char shortened[16];
    strncpy(shortened, name, sizeof shortened - 1);
    shortened[sizeof shortened - 1] = 0;
    pthread_setname_np(pthread_self(), shortened);
}

int cruntime_fork(void) { return fork(); }

void cruntime_syslog(int priority, const char *text) { syslog(LOG_DAEMON | priority, "%s", text); }

void cruntime_open_syslog(const char *name) { openlog(name, LOG_PID | LOG_NDELAY, LOG_DAEMON); }
