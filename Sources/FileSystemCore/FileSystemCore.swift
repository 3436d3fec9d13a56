// FileSystemCore: a bucket as a tree of inodes. It knows neither FUSE nor HTTP.
//
// Parts. `FileSystem` answers `FileSystemOperations`, one file per operation under Operations/. `InodeTable` is the tree:
// nodes by number, children by name, the directory caches. `FileContent` is what one regular file is: its version in the
// bucket, its unsent bytes and attributes, and who is sending them. `HandleTable` holds what is open. `PosixMetadata`
// reads and writes the attributes that travel with objects. `ErrnoMapping` is the only place that chooses errnos.
//
// One file is one object under the file's path; a directory is its marker `path/` or any key below it.
//
// Answering. An operation first asks memory, under the table's lock, on the calling thread. What memory can't answer goes
// to a pool of threads that may block, each with a deadline and the caller's cancellation. A read miss takes no thread: it
// is parked in Transfer. Nothing is answered, notified or sent with a lock held.
//
// Freshness. What the server said is trusted for `metadataLifetime`; open asks again, unless the server spoke of the key
// within the last second. Our own changes are entered in the table at once, and win over a listing or HEAD that was under
// way before them. When the server shows other bytes under a name, the name gets a new inode, and the old number goes on
// serving what is open under it.
//
// Sending. A file's bytes go out by its upload session (Transfer), in parts while it is written or all at its commit, when
// it is synced or closed by the program that opened it; several closers share one commit. One thread at a time sends,
// copies or deletes for a file. A failure keeps the bytes as long as the file is open for writing, and is told once to
// each handle. A file that was edited in place and has changed in the bucket meanwhile is kept under a conflict name
// instead. A replaced object keeps what it had besides bytes: class, encryption, tags, ACL (`Operations/Properties`).
//
// Removing. What is open when its object goes is kept for its handles, in memory or under a hidden key (`Orphans.swift`).
// Hidden keys carry the mount's own name, by which a later start on the same machine knows what a dead one left
// (`Sweep.swift`).
//
// Not here: symbolic links, extended attributes, renames of directories (EXDEV, so that mv copies).
