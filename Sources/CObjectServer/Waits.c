#define _GNU_SOURCE
#include "CObjectServer.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

int cobjectserver_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void cobjectserver_event_set(int event) { eventfd_write(event, 1); }

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int cobjectserver_wait(const int *events, int count, int peer, int64_t nanoseconds) {
    struct pollfd polled[5];
    for (int index = 0; index < count; index++) polled[index] = (struct pollfd){events[index], POLLIN, 0};
    polled[count] = (struct pollfd){peer, POLLRDHUP, 0};
    int64_t end = nanoseconds < 0 ? 0 : now() + nanoseconds;
    for (;;) {
        int64_t left = nanoseconds < 0 ? 0 : end - now();
        if (left < 0) left = 0;
        struct timespec time = {left / 1000000000, left % 1000000000};
        int ready = ppoll(polled, (nfds_t)count + 1, nanoseconds < 0 ? NULL : &time, NULL);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return -1;
        for (int index = 0; index <= count; index++)
            if (polled[index].revents != 0) return index;
    }
}

int cobjectserver_parse_time(const char *text, const char *pattern, int64_t *seconds) {
    struct tm fields = {0};
    const char *end = strptime(text, pattern, &fields);
    if (end == NULL || *end != 0) return 0;
    *seconds = timegm(&fields);
    return 1;
}
