"""Processes that wait in a mount, each in one operation, to see how they end.

    waiters.py make TREE COUNT            the objects that they need, to be put into the bucket
    waiters.py run MOUNT SCRATCH COUNT    starts COUNT processes that open what they need, writes SCRATCH/ready, and once
                                          SCRATCH/go is there lets them all do their operation; SCRATCH/processes has a
                                          line `KIND PID` for each. Prints how they ended; exit code 1 if one failed.
"""

import mmap
import os
import signal
import sys
import time

KINDS = ["read", "read-direct", "stat", "open", "close"]
PAGE = 4096
LARGE_BYTES = 48 << 20


def kind_of(index):
    return KINDS[index % len(KINDS)]


def page(number):
    return number.to_bytes(8, "big") * (PAGE // 8)


def make(tree, count):
    os.makedirs(f"{tree}/unlisted", exist_ok=True)
    for name in ("large", "large-direct"):
        with open(f"{tree}/{name}", "wb") as file:
            for number in range(LARGE_BYTES // PAGE):
                file.write(page(number))
    for index in range(count):
        if kind_of(index) in ("stat", "open"):
            with open(f"{tree}/unlisted/{index}", "w") as file:
                file.write(f"file {index}\n")


def page_for(index):
    """Pages all over the file, none in its first half, which a first read might bring along."""
    pages = LARGE_BYTES // PAGE
    return pages // 2 + (index * 7919) % (pages // 2)


def prepare(kind, mount, index):
    if kind == "read":
        return os.open(f"{mount}/large", os.O_RDONLY)
    if kind == "read-direct":
        return os.open(f"{mount}/large-direct", os.O_RDONLY | os.O_DIRECT)
    if kind == "close":
        descriptor = os.open(f"{mount}/written-{index}", os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(descriptor, f"written {index}\n".encode())
        return descriptor
    return -1


def act(kind, mount, index, descriptor):
    number = page_for(index)
    if kind == "read":
        return os.pread(descriptor, PAGE, number * PAGE) == page(number)
    if kind == "read-direct":
        with mmap.mmap(-1, PAGE) as buffer:
            return os.preadv(descriptor, [buffer], number * PAGE) == PAGE and buffer[:] == page(number)
    expected = f"file {index}\n"
    if kind == "stat":
        return os.stat(f"{mount}/unlisted/{index}").st_size == len(expected)
    if kind == "open":
        with open(f"{mount}/unlisted/{index}") as file:
            return file.read() == expected
    os.close(descriptor)
    return True


def child(kind, mount, index, ready, go):
    try:
        descriptor = prepare(kind, mount, index)
        os.write(ready, b".")
        os.read(go, 1)
        if act(kind, mount, index, descriptor):
            os._exit(0)
        print(f"{kind} {index}: other bytes", file=sys.stderr)
    except OSError as error:
        print(f"{kind} {index}: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


def run(mount, scratch, count):
    ready, ready_in = os.pipe()
    go, go_in = os.pipe()
    started = {}
    for index in range(count):
        process = os.fork()
        if process == 0:
            os.close(go_in)
            child(kind_of(index), mount, index, ready_in, go)
        started[process] = kind_of(index)
    left = count
    os.close(ready_in)
    while left > 0:
        came = os.read(ready, left)
        if not came:
            sys.exit("some processes could not prepare")
        left -= len(came)
    with open(f"{scratch}/processes", "w") as file:
        file.writelines(f"{kind} {process}\n" for process, kind in started.items())
    open(f"{scratch}/ready", "w").close()
    while not os.path.exists(f"{scratch}/go"):
        time.sleep(0.01)
    os.write(go_in, b"." * count)
    well = killed = failed = 0
    for _ in range(count):
        process, status = os.wait()
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            killed += 1
        elif status == 0:
            well += 1
        else:
            failed += 1
            print(f"{started[process]} failed", file=sys.stderr)
    print(f"{well} ended well, {killed} killed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(run(sys.argv[2], sys.argv[3], int(sys.argv[4])))
