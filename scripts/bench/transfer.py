"""Sequential write and read of one large file through a mount, beside curl with as many bytes."""

import os

from figures import STREAMS, compare, run_all, timed


class Transfer:
    def __init__(self, service, megabytes):
        self.service, self.bytes = service, megabytes << 20
        self.source = service.folder / "source"
        with open(self.source, "wb") as file:
            for _ in range(megabytes):
                file.write(os.urandom(1 << 20))

    def mount_write(self):
        return self.service.measured(["cp", self.source, "MOUNT/written"])

    def mount_read(self):
        return self.service.measured(["dd", "if=MOUNT/object", "of=/dev/null", "bs=1M", "status=none"])

    def curl_write(self, streams):
        """The bytes as `streams` objects side by side; one is the same single put that a small file is."""
        share = self.bytes // streams
        commands = []
        for index in range(streams):
            part = self.service.folder / f"part{index}"
            if not part.exists() or part.stat().st_size != share:
                with open(self.source, "rb") as source:
                    source.seek(index * share)
                    part.write_bytes(source.read(share))
            commands.append(self.service.curl("PUT", f"curl{index}", "-o", "/dev/null", "-T", str(part)))
        return timed(lambda: run_all(commands))

    def curl_read(self):
        share = self.bytes // STREAMS
        ranges = [f"{index * share}-{(index + 1) * share - 1}" for index in range(STREAMS)]
        commands = [self.service.curl("GET", "object", "-o", "/dev/null", "-r", text) for text in ranges]
        return timed(lambda: run_all(commands))

    def put_object(self):
        run_all([self.service.curl("PUT", "object", "-o", "/dev/null", "-T", str(self.source))])


def bench_transfer(service, rounds, megabytes, latencies, only):
    transfer = Transfer(service, megabytes)
    transfer.put_object()
    size = f"{megabytes} MiB"
    for latency in latencies:
        service.set_latency(latency)
        for name, mounted, beside in (
            (f"read {size}", transfer.mount_read, transfer.curl_read),
            (f"write {size}", transfer.mount_write, lambda: transfer.curl_write(STREAMS)),
        ):
            if only in (None, name.split()[0]):
                compare(f"{name}, {latency} ms", transfer.bytes, rounds, mounted, beside)
