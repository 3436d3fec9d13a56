"""The files of the fault tests, always the same.

    fault_tree.py TREE    makes 60 files of 10 KiB to 3 MiB in four folders
"""

import os
import random
import sys

COUNT = 60
LEAST_BYTES, MOST_BYTES = 10 << 10, 3 << 20


def main(tree):
    chance = random.Random(12)
    for number in range(COUNT):
        folder = f"{tree}/folder {number % 4}"
        os.makedirs(folder, exist_ok=True)
        # As many small files as large ones by their order of magnitude, both ends among them.
        size = round(LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** (number / (COUNT - 1)))
        with open(f"{folder}/file {number}", "wb") as file:
            file.write(chance.randbytes(size))


if __name__ == "__main__":
    main(sys.argv[1])
