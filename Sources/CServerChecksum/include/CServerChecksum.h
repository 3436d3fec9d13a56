// CRC-64/XZ of the embedded server: its own code, so that a fault in the client's checksum is seen and not shared.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Continues the CRC-64/XZ `crc` (0 at the start) over `length` bytes. Any thread; never fails.
uint64_t cserver_crc64(uint64_t crc, const void *bytes, size_t length);

/// The same by tables alone, for machines without carry-less multiplication and to test the fast way against.
uint64_t cserver_crc64_tables(uint64_t crc, const void *bytes, size_t length);
