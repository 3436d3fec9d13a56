// FuseBridge: the kernel on one side, `FileSystemOperations` on the other. It decodes a request, calls the core and
// sends the answer, and has no policy of its own: what a file is, what may be cached and when an upload is due are the
// core's business.
//
// Parts. `FuseSession` is the whole to its user: construct, mount, fork, run. `FuseConnection` owns libfuse's session
// and lives until its last request is answered. Eight receiving threads (`ReceivingLoop`) read the device through
// hooks of our own (`DeviceHooks`), libfuse decodes, and the callbacks (`Operations+….swift`) call the core and return.
// `RequestTable` knows what was read and not yet answered. `InterruptWatcher` ends requests of callers that are being
// killed. `NotificationQueue` carries the core's invalidations to the kernel on one thread. `DirectoryBuffer` packs
// directory entries.
//
// Invariants.
// - Exactly one answer per request: `FuseRequest` has an atomic flag that whoever answers must win, and a reply closure
//   that is dropped unanswered answers EIO and logs it. A reply closure says false where its answer reached nobody.
// - Receiving threads never wait: a callback decodes its arguments, which die when it returns, and calls the core, which
//   answers at once or from another thread.
// - An interrupt is not a kill. The kernel sends INTERRUPT once, for any signal, handled ones too, and never again;
//   so the caller's state in /proc is read, again and again, and only a dying caller's request is answered EINTR.
// - No lock is held while the kernel is called; nothing here touches the mount's own path but to detach it.
// - Threads start in `run`, never before, so that the process may fork between `mount` and `run`.
//
// Why a loop of our own rather than fuse_session_loop_mt: that one cancels its threads at the end, which unwinds Swift
// frames that were never made for it, and starts its threads by itself. Ours ends when each thread has read ENODEV.
// Why INTERRUPT is taken at the device rather than by fuse_req_interrupt_func: the function is called under two locks
// of libfuse, costs each request a call to register it, and has a pointer where a number is wanted.
//
// Not here: extended attributes (ENOSYS, which makes the kernel stop asking: one question, then none; rule 7), access
// (default_permissions is always on), locks, ioctl, fallocate, and O_TMPFILE, for all of which libfuse says ENOSYS.
//
// Failure. A mount that can't be made throws `FuseMountError`. A reply that the kernel refuses is logged and counts as
// not delivered. A device that fails ends its receiving thread; `run` returns when all have ended. The session's memory
// is kept for answers that come late, so that they find ENODEV instead of freed memory.
