"""Makes the tree of pictures and oddly named small files that the main test copies: always the same.

    make-tree.py TREE [--pictures 300] [--megabytes 600] [--small 500] [--folders 20]

Most pictures are a JPEG's first bytes and then seeded noise, which no layer can compress or guess; a few are made by
ImageMagick where it is installed.
"""

import argparse
import math
import os
import random
import shutil
import subprocess

ODD_NAMES = [
    "caf\u00e9.jpg".encode(),
    "cafe\u0301.jpg".encode(),
    "\u0301b".encode(),
    b"line\r\nfeed",
    b"line\rfeed",
    b"line\nfeed",
    b"tab\tstop",
    b"bell\x07and\x1b[31m",
    b"  leading",
    b"trailing  ",
    b" ",
    b"a+b",
    b"100%",
    b"a%2Fb%20c",
    b"a#b",
    b"a?b=c",
    b"a&amp;b&c",
    b"~backup~",
    b"it's \"quoted\"",
    b"<a>[b]{c}(d)",
    b"*!$;:@=,|^`",
    b"a\\b",
    "\u56fe\u7247 \u4e2d\u6587.png".encode(),
    "\U0001f4f7".encode(),
    b"...",
    b".hidden",
    b"-rf",
    b"n" * 255,
    "\u957f".encode() * 85,
]


def sizes_of_pictures(count, total):
    """Sizes from 10 KB to 20 MB, many small and few large as cameras and sites make them, `total` bytes together."""
    low, high = 10_000, 20_000_000
    generator = random.Random(2)
    spread = sorted(generator.random() for _ in range(count))
    spread[0], spread[-1] = 0.0, 1.0

    def sizes(power):
        return [int(low * math.exp(math.log(high / low) * part**power)) for part in spread]

    weak, strong = 0.05, 8.0
    for _ in range(60):
        middle = (weak + strong) / 2
        if sum(sizes(middle)) > total:
            weak = middle
        else:
            strong = middle
    return sizes(strong)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make_pictures(root, count, total):
    generator = random.Random(3)
    folder = os.path.join(root, b"pictures")
    os.makedirs(folder)
    for index, size in enumerate(sizes_of_pictures(count, total)):
        path = os.path.join(folder, b"IMG_%04d.JPG" % index)
        write(path, b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + generator.randbytes(size - 11))
    if shutil.which("convert"):
        for index in range(4):
            path = os.path.join(folder, b"real-%d.jpg" % index)
            subprocess.run(
                [b"convert", b"-size", b"640x480", b"-seed", b"%d" % index, b"gradient:red-blue", path],
                check=False, stderr=subprocess.DEVNULL,
            )


def make_small_files(root, count, folders):
    generator = random.Random(4)
    for index in range(count):
        number = index % folders
        # Every folder has an odd name itself, below a plain one.
        folder = os.path.join(root, b"small", ODD_NAMES[number % len(ODD_NAMES)] if number else b"plain")
        os.makedirs(folder, exist_ok=True)
        place = index // folders
        name = ODD_NAMES[(place + number) % len(ODD_NAMES)]
        write(os.path.join(folder, name), generator.randbytes(generator.choice([0, 1, 17, 1000, 4096, 10_240])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--megabytes", type=float, default=600)
    parser.add_argument("--small", type=int, default=500)
    parser.add_argument("--folders", type=int, default=20)
    options = parser.parse_args()
    root = os.fsencode(options.tree)
    os.makedirs(root, exist_ok=True)
    if options.pictures:
        make_pictures(root, options.pictures, int(options.megabytes * 1_000_000))
    if options.small:
        make_small_files(root, options.small, options.folders)


if __name__ == "__main__":
    main()
