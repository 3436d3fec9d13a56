"""A thousand small files written and read through a mount, sixteen at a time, beside curl with as many."""

import os
import subprocess

from figures import STREAMS, compare, timed

FILES, FILE_BYTES = 1000, 10 * 1024


class Many:
    def __init__(self, service):
        self.service = service
        self.source = service.folder / "many"
        self.source.mkdir()
        self.names = [f"f{index:03}" for index in range(FILES)]
        for name in self.names:
            (self.source / name).write_bytes(os.urandom(FILE_BYTES))

    def mount_write(self):
        return self.service.measured(["sh", "-c", f"ls {self.source} | (cd {self.source} && "
                                      f"xargs -P {STREAMS} -n 16 cp -t MOUNT/)"])

    def mount_read(self):
        return self.service.measured(["sh", "-c", f"ls {self.source} | (cd MOUNT && "
                                      f"xargs -P {STREAMS} -n 16 cat > /dev/null)"])

    def curl(self, method, arguments):
        """One curl with all requests in a file of options, as a process for each would be the slower part."""
        groups = []
        for name in self.names:
            words = self.service.curl(method, name, "-o", "/dev/null", *arguments(name))[1:]
            lines = [f'url = "{words[-1]}"']
            for option, value in pairs(words[:-1]):
                lines.append(f'{option} = "{value}"' if value else option)
            groups.append("\n".join(lines))
        config = self.service.folder / "curl.conf"
        config.write_text("\nnext\n".join(groups))
        return timed(lambda: subprocess.run(
            ["curl", "--parallel", "--parallel-max", str(STREAMS), "-K", config], check=True, timeout=300,
            stderr=subprocess.DEVNULL))

    def curl_write(self):
        return self.curl("PUT", lambda name: ["-T", str(self.source / name)])

    def curl_read(self):
        return self.curl("GET", lambda name: [])


def pairs(words):
    """Options with their values; those without one have none."""
    words = list(words)
    while words:
        option = words.pop(0)
        value = words.pop(0) if option in ("-X", "-o", "-T", "-H", "-r") else None
        yield {"-X": "request", "-o": "output", "-T": "upload-file", "-H": "header", "-r": "range",
               "-sS": "silent", "--fail": "fail"}[option], value


def bench_many(service, rounds, latencies, only):
    many = Many(service)
    for latency in latencies:
        service.set_latency(latency)
        if only in (None, "many-write"):
            compare(f"write {FILES} x 10 KiB, {latency} ms", FILES * FILE_BYTES, rounds, many.mount_write,
                    many.curl_write)
        if only in (None, "many-read"):
            many.curl_write()
            compare(f"read {FILES} x 10 KiB, {latency} ms", FILES * FILE_BYTES, rounds, many.mount_read,
                    many.curl_read)
