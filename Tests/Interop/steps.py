"""Steps of the mount tests that a shell can't do: system calls with their exact errors, and offsets.

    steps.py STEP        M is the mount and T a folder for files, from the environment; fails by an exception
"""

import errno
import mmap
import os
import random
import sys
import time

MOUNT = os.environb[b"M"]
SCRATCH = os.environ["T"]


def expect(number, call, *arguments):
    """The call fails with that errno."""
    try:
        call(*arguments)
    except OSError as error:
        assert error.errno == number, (call, arguments, error)
    else:
        raise SystemExit(f"{call} {arguments} succeeded")


def make(name):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o644))


def invalid_names():
    os.chdir(MOUNT)
    make(b"good")
    expect(errno.EILSEQ, os.open, b"a\xffb", os.O_CREAT | os.O_WRONLY)
    expect(errno.EILSEQ, os.mkdir, b"a\xffb")
    expect(errno.EILSEQ, os.rename, b"good", b"a\xffb")
    assert os.listdir(b".") == [b"good"], os.listdir(b".")


def posix_errors():
    os.chdir(MOUNT)
    make("f")
    os.mkdir("d")
    os.mkdir("full")
    make("full/x")
    expect(errno.ENOENT, os.stat, "absent")
    expect(errno.ENOENT, os.open, "absent/f", os.O_CREAT | os.O_WRONLY)
    expect(errno.EEXIST, os.open, "f", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    expect(errno.EEXIST, os.mkdir, "d")
    expect(errno.ENOTDIR, os.open, "f/x", os.O_RDONLY)
    expect(errno.EISDIR, os.open, "d", os.O_WRONLY)
    expect(errno.EISDIR, os.unlink, "d")
    expect(errno.ENOTDIR, os.rmdir, "f")
    expect(errno.ENOTEMPTY, os.rmdir, "full")
    expect(errno.ENAMETOOLONG, os.stat, "n" * 256)
    expect(errno.EPERM, os.link, "f", "hard")
    expect(errno.ENOENT, os.rename, "absent", "g")


def write_around_signal():
    """Writes 20 files, waits for T/go, writes more to each and closes them; any error of it is a failure."""
    files = [open(os.path.join(MOUNT, b"f%d" % index), "wb", buffering=0) for index in range(20)]
    for file in files:
        file.write(b"before " * 100_000)
    open(f"{SCRATCH}/written", "w").close()
    while not os.path.exists(f"{SCRATCH}/go"):
        time.sleep(0.01)
    for file in files:
        file.write(b"after " * 100_000)
    for file in files:
        file.close()


def expected_around_signal():
    os.mkdir(f"{SCRATCH}/tree")
    for index in range(20):
        with open(f"{SCRATCH}/tree/f{index}", "wb") as file:
            file.write(b"before " * 100_000 + b"after " * 100_000)


def write_and_wait():
    descriptor = os.open(os.path.join(MOUNT, b"f"), os.O_CREAT | os.O_WRONLY, 0o644)
    os.write(descriptor, b"partial")
    open(f"{SCRATCH}/written", "w").close()
    time.sleep(600)


def random_order():
    """T/f to descriptor 3, in blocks of 4 KiB, shuffled."""
    with open(f"{SCRATCH}/f", "rb") as file:
        data = file.read()
    order = list(range(0, len(data), 4096))
    random.Random(7).shuffle(order)
    for offset in order:
        os.pwrite(3, data[offset : offset + 4096], offset)


def old_version_or_stale():
    """Descriptor 3 is of an object of 32 MiB of A, since replaced by B."""
    for offset in range(0, 32 << 20, 1 << 20):
        try:
            piece = os.pread(3, 4096, offset)
        except OSError as error:
            assert error.errno == errno.ESTALE, error
            continue
        assert piece == b"A" * 4096, (offset, piece[:10])


def shared_mapping():
    """Changes the file m through a shared mapping that outlives its descriptor."""
    descriptor = os.open(os.path.join(MOUNT, b"m"), os.O_RDWR)
    with mmap.mmap(descriptor, 0) as memory:
        os.close(descriptor)
        memory[5000:5006] = b"mapped"
        memory.flush()


def mapped_reads():
    """The file m, mapped, has the bytes of T/m, wherever one looks first."""
    with open(f"{SCRATCH}/m", "rb") as file:
        data = file.read()
    descriptor = os.open(os.path.join(MOUNT, b"m"), os.O_RDONLY)
    with mmap.mmap(descriptor, 0, prot=mmap.PROT_READ) as memory:
        offsets = list(range(0, len(data), 4096))
        random.Random(9).shuffle(offsets)
        for offset in offsets[: len(offsets) // 4]:
            assert memory[offset : offset + 4096] == data[offset : offset + 4096], offset
        assert memory[:] == data
    os.close(descriptor)


def mapped_stores():
    """Stores through a shared mapping of the file m come through without an msync, by closing alone."""
    descriptor = os.open(os.path.join(MOUNT, b"m"), os.O_RDWR)
    memory = mmap.mmap(descriptor, 0)
    memory[70_000:70_006] = b"mapped"
    memory.close()
    os.close(descriptor)


def seeks():
    """Descriptor 3 is of 100,000 bytes: all data, with a hole at the end."""
    assert os.lseek(3, 0, os.SEEK_DATA) == 0
    assert os.lseek(3, 70_000, os.SEEK_DATA) == 70_000
    assert os.lseek(3, 10, os.SEEK_HOLE) == 100_000
    expect(errno.ENXIO, os.lseek, 3, 100_000, os.SEEK_DATA)
    expect(errno.ENXIO, os.lseek, 3, 100_001, os.SEEK_HOLE)


def unlinked_while_open():
    path = os.path.join(MOUNT, b"u")
    descriptor = os.open(path, os.O_RDONLY)
    os.unlink(path)
    expect(errno.ENOENT, os.stat, path)
    data = os.pread(descriptor, 1 << 20, 0)
    assert data == b"".join(b"%d\n" % number for number in range(1, 100_001))[:1 << 20], len(data)


def edit_start():
    os.pwrite(3, b"mine", 0)


def close_stale():
    """Descriptor 3 has bytes for an object that is another one by now."""
    expect(errno.ESTALE, os.fsync, 3)


def close_exists():
    expect(errno.EEXIST, os.fsync, 3)


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")]()
