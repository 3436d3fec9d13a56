// Runtime: what every module needs of the machine and the standard library lacks.
//
// `Locked` is the only lock of the project: it holds the state it guards, so that guarded fields can't be touched
// without it, and it waits with deadlines. `Deadline` and `Cancellation` bound every wait. `WorkerPool` is the only
// maker of threads that run other modules' work. `SlabPool` is the only owner of large buffers, under one budget.
// Nothing here knows objects, files or HTTP, and nothing here logs.
//
// Rejected: Synchronization.Mutex (25 ns against 6 ns, no condition variables, false reports under the thread
// sanitizer) and Swift concurrency for blocking work (its pool has as many threads as cores).
