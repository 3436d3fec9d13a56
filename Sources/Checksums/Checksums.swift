// Checksums
