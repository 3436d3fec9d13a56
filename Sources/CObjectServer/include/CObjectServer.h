// What the embedded server has in C: its own CRC-64/XZ (so that a fault in the client's checksum is seen and not
// shared), and calls of glibc that Swift does not import.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Continues the CRC-64/XZ `crc` (0 at the start) over `length` bytes. Any thread; never fails.
uint64_t cobjectserver_crc64(uint64_t crc, const void *bytes, size_t length);

/// The same by tables alone, for machines without carry-less multiplication and to test the fast way against.
uint64_t cobjectserver_crc64_tables(uint64_t crc, const void *bytes, size_t length);

/// The CRC-64/XZ of two stretches one after the other, from that of each and the length of the second. Any thread.
uint64_t cobjectserver_crc64_combine(uint64_t first, uint64_t second, uint64_t second_length);

/// Fills `bytes` with what large objects hold when nothing is stored: from `position` on, each eight bytes are the
/// number of their word times 0x9E3779B97F4A7C15, the lowest byte first. Any thread.
void cobjectserver_pattern(void *bytes, size_t length, uint64_t position);

/// A new event descriptor that is not readable; -1 with errno.
int cobjectserver_event(void);

/// Makes an event descriptor readable for good.
void cobjectserver_event_set(int event);

/// Blocks until one of the `count` events (at most 4) is readable: its index; until the peer of `peer` (-1 for none)
/// hangs up: `count`; or until `nanoseconds` (negative for ever) have passed: -1.
int cobjectserver_wait(const int *events, int count, int peer, int64_t nanoseconds);

/// Reads all of `text` by strptime's `pattern`, as UTC: 1 and the seconds since 1970, or 0.
int cobjectserver_parse_time(const char *text, const char *pattern, int64_t *seconds);
