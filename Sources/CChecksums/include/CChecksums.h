// CRC-64/XZ at memory speed: what Swift can't say, carry-less multiplication behind a run-time check.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The CRC-64 of some bytes followed by `length` bytes at `data`, where `crc` is that of the former (0 for none).
uint64_t cchecksums_crc64(uint64_t crc, const void *data, size_t length);

/// The same by tables alone, on any processor.
uint64_t cchecksums_crc64_tables(uint64_t crc, const void *data, size_t length);

/// The same by carry-less multiplication; call only where `cchecksums_can_fold` says 1.
uint64_t cchecksums_crc64_fold(uint64_t crc, const void *data, size_t length);

/// 1 where this processor multiplies without carry (PCLMULQDQ and SSE4.1), else 0.
int cchecksums_can_fold(void);
