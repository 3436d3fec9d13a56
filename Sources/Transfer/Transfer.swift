// Transfer: the bytes of files, between the memory of this machine and the objects of a store.
//
// Parts. `Writing/`: `UploadSession` is one file's unsent changes and their journey to an object, `BlockMap` its bytes,
// `PartStream` what of them goes out while more comes in, `CommitPlan` what an object is put together of, `UploadEngine`
// what all sessions share; its file opens with how bytes go out. `Staging/`: room on the disk for what memory can't hold.
// `ObjectReader` reads one version of one object through the blocks of the shared `BlockCache`; `ReadWindow` is one
// handle's guess of how far ahead to ask. `Runtime.SlabPool` owns all buffers.
//
// Writing. A write at an offset lands in block offset / 256 KiB. A block knows which of its bytes are valid, staged and
// unsent; the others are those of the extents below: the base object, objects of our own, parts that were sent, or
// zeros. A block that is being sent is copied before it is written again, so a body never changes while it is sent.
//
// Reading. A read that memory can answer is answered on the spot, from the blocks themselves, without a copy. One that
// can't is parked in its reader's list of waiters and answered by the thread that brings the last missing byte, as bytes
// arrive and not when a block is full. Missing blocks are fetched by ranges, neighbours together, a few ranges at a time;
// a block is fetched once however many wait for it. Fetches run on threads of their own, in order of demand; blocks take
// their memory when their fetch starts, so that what waits in line holds none.
//
// Memory. Dirty blocks and clean blocks come out of one budget. Clean blocks are given back, least recently used first,
// whenever anyone needs a slab. A read that finds no room takes slabs of the reserve for what it was asked for, and reads
// nothing ahead. A write that finds none has bytes of some session moved out of the way, and waits for that.
//
// Failures. A fetch that fails fails the reads that wait for its bytes, and leaves no block behind; reading ahead fails
// silently. Another version of the object than the pinned one is `preconditionFailed`: never a mix of two.
//
// Disk. `StagingFolder` is room in `cache-dir` for bytes of uploads that memory should not hold; `StagingFile` is one
// session's, with every byte at its place in the user's file. Room is reserved before bytes are promised to it.
//
// Not here: names, attributes, when to commit. Locks: a session's, below a file's; BlockCache's below that; leaves.
