"""Work of programs that a shell can't do: streams with rewritten headers, scattered edits, many writers, two writers.

    workloads.py STEP [ARGUMENT...]    M and N are mounts of one bucket and T a folder for files, from the environment;
                                       fails by an exception, prints what it counted
"""

import errno
import os
import random
import resource
import sys
import threading
import time

MOUNT = os.environ["M"]
SECOND = os.environ["N"]
SCRATCH = os.environ["T"]
MIB = 1 << 20


def piece(index, base=random.Random(11).randbytes(MIB)):
    """The MiB of that number of a stream, like no other."""
    return index.to_bytes(8, "little") + base[8:]


def mark(name):
    open(f"{SCRATCH}/{name}", "w").close()


def wait_for(name, seconds=60):
    deadline = time.monotonic() + seconds
    while not os.path.exists(f"{SCRATCH}/{name}"):
        assert time.monotonic() < deadline, f"{name} did not appear"
        time.sleep(0.005)


def make_sizes(root, *sizes):
    """A tree of files of those sizes in three directories, with old times and various modes."""
    source = random.Random(5)
    for number, size in enumerate(map(int, sizes)):
        folder = f"{root}/part{number % 3}"
        os.makedirs(folder, exist_ok=True)
        path = f"{folder}/{size}.bin"
        with open(path, "wb") as file:
            for start in range(0, size, MIB):
                file.write(source.randbytes(min(MIB, size - start)))
        os.chmod(path, [0o644, 0o600, 0o755][number % 3])
        os.utime(path, ns=(10**18, 10**18 + number * 1_000_000_007))
    for number in range(3):
        os.utime(f"{root}/part{number}", ns=(10**18, 10**18 + 5 + number))


def stream_then_header(path, megabytes):
    """In order, then the first 4 KiB again."""
    with open(path, "wb", buffering=0) as file:
        for index in range(int(megabytes)):
            assert file.write(piece(index)) == MIB
        file.seek(0)
        assert file.write(b"HEADER  " * 512) == 4096


def slow_close(path, megabytes):
    """The same, with T/closing made before the close."""
    file = open(path, "wb", buffering=0)
    for index in range(int(megabytes)):
        assert file.write(piece(index)) == MIB
    assert os.pwrite(file.fileno(), b"HEADER  " * 512, 0) == 4096
    time.sleep(0.2)
    mark("closing")
    file.close()
    mark("closed")


def check_watch(old, size):
    """T/watch has what a client saw of the object: only `old` (an ETag, or `absent`) before the close, then the whole."""
    closing = os.stat(f"{SCRATCH}/closing").st_mtime_ns
    seen = {"before": 0, "after": 0}
    with open(f"{SCRATCH}/watch") as file:
        lines = [line.split() for line in file]
    for moment, etag, length in lines:
        if etag == old:
            seen["before"] += 1
            continue
        assert int(moment) >= closing, f"{etag} of {length} bytes seen before the close"
        assert length == size, f"{etag} has {length} bytes"
        seen["after"] += 1
    print("seen", seen)
    assert seen["before"] >= 3 and seen["after"] >= 1, seen


def faststart(folder):
    """What a muxer does: a stream with its index last; then all is shifted by a MiB, and the index goes to the front."""
    path = f"{folder}/video"
    with open(path, "wb", buffering=0) as file:
        file.write(b"\0\0\0\x20ftypisom" + bytes(20))
        file.write(bytes(8) + b"mdat" + bytes(4))
        for index in range(60):
            for start in range(0, MIB, 65536):
                file.write(piece(index)[start : start + 65536])
        length = file.tell()
        file.write(b"moov" + bytes(1000))
        file.seek(32)
        file.write((length - 32).to_bytes(8, "big") + b"mdat")
    # Reads run one piece ahead of the writes, by a descriptor of their own, and end where the stream ended.
    with open(path, "rb", buffering=0) as source, open(path, "r+b", buffering=0) as target:
        pieces = [(32 + start, min(MIB, length - 32 - start)) for start in range(0, length - 32, MIB)]
        waiting = None
        for start, count in pieces + [(length, 0)]:
            following = os.pread(source.fileno(), count, start)
            assert len(following) == count, (start, count, len(following))
            if waiting:
                assert os.pwrite(target.fileno(), waiting[1], waiting[0] + MIB) == len(waiting[1])
            waiting = (start, following)
        assert os.pwrite(target.fileno(), b"moov" * (MIB // 4), 32) == MIB


def scatter(path, count, seed="3"):
    """So many edits of 4 KiB all over the file."""
    source = random.Random(int(seed))
    with open(path, "r+b", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        for _ in range(int(count)):
            data = source.randbytes(4096)
            assert os.pwrite(file.fileno(), data, source.randrange(size - 4096)) == 4096


def byte_writers(count, rounds):
    """So many files open at once, a byte to each in turn."""
    files = [os.open(f"{MOUNT}/b{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) for number in range(int(count))]
    for turn in range(int(rounds)):
        for number, file in enumerate(files):
            assert os.write(file, bytes([(turn + number) % 251])) == 1
    for file in files:
        os.close(file)


def check_byte_writers(count, rounds):
    for number in range(int(count)):
        with open(f"{MOUNT}/b{number}", "rb") as file:
            assert file.read() == bytes((turn + number) % 251 for turn in range(int(rounds))), number


def refused_stream(path, megabytes, how):
    """Half a stream, T/half, waits for T/go, the other half: then the close (or fsync) must fail with EACCES."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for index in range(int(megabytes)):
        if index == int(megabytes) // 2:
            mark("half")
            wait_for("go")
        assert os.write(descriptor, piece(index)) == MIB
    call = os.fsync if how == "fsync" else os.close
    try:
        call(descriptor)
    except OSError as error:
        assert error.errno == errno.EACCES, error
        print(f"{how} reports {errno.errorcode[error.errno]}")
    else:
        raise SystemExit(f"{how} succeeded")
    if how == "fsync":
        # It may be told again here: the bytes are still not in the bucket.
        try:
            os.close(descriptor)
        except OSError as error:
            assert error.errno == errno.EACCES, error


def close_result(descriptor):
    try:
        os.close(descriptor)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "OK"


def edit_in_both():
    """Both mounts edit f in place; the first closes well before the second."""
    first = os.open(f"{MOUNT}/f", os.O_RDWR)
    second = os.open(f"{SECOND}/f", os.O_RDWR)
    assert os.pwrite(first, b"first", 1000) == 5
    assert os.pwrite(second, b"second", 900_000) == 6
    assert close_result(first) == "OK"
    time.sleep(0.3)
    result = close_result(second)
    assert result == "ESTALE", result


def append_in_both():
    """Both mounts append to f, having opened it before either wrote."""
    first = os.open(f"{MOUNT}/f", os.O_WRONLY | os.O_APPEND)
    second = os.open(f"{SECOND}/f", os.O_WRONLY | os.O_APPEND)
    assert os.write(first, b"tail of the first\n") == 18
    assert os.write(second, b"tail of the second\n") == 19
    results = (close_result(first), close_result(second))
    assert results == ("OK", "OK"), results


def close_together(rounds):
    """Both mounts edit a file in place and close it at the same moment; what came of it."""
    counts = {"both told OK": 0, "one told ESTALE": 0, "both told ESTALE": 0}
    for number in range(int(rounds)):
        descriptors = []
        for mount, text in ((MOUNT, b"first"), (SECOND, b"second")):
            descriptor = os.open(f"{mount}/s{number}", os.O_RDWR)
            os.pwrite(descriptor, text, 1000)
            descriptors.append(descriptor)
        barrier, results = threading.Barrier(2), []

        def work(descriptor):
            barrier.wait()
            results.append(close_result(descriptor))

        threads = [threading.Thread(target=work, args=(descriptor,)) for descriptor in descriptors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(results) <= {"OK", "ESTALE"}, results
        counts[{0: "both told OK", 1: "one told ESTALE", 2: "both told ESTALE"}[results.count("ESTALE")]] += 1
    with open(f"{SCRATCH}/stale", "w") as file:
        print(counts["one told ESTALE"] + 2 * counts["both told ESTALE"], file=file)
    print("closed together:", ", ".join(f"{name}: {count}" for name, count in counts.items()))


if __name__ == "__main__":
    # A slip in a step must not fill the disk of the machine that tests.
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, 8 << 30))
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
