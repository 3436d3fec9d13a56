"""Sequential write and read of one large file through a mount, beside curl; and how long the command takes to start."""

import argparse
import os
import statistics
import subprocess
import time

from service import Service

# Parallel curl: as many ranges at once, of that size, as saturate loopback on two cores.
CURL_STREAMS = 16


def timed(run):
    begin = time.monotonic()
    run()
    return time.monotonic() - begin


def run_all(commands):
    """Runs commands side by side; any failure ends the benchmark, as its figures would mean nothing."""
    processes = [subprocess.Popen(command) for command in commands]
    if any(process.wait(timeout=300) for process in processes):
        raise SystemExit("curl failed")


class Transfer:
    def __init__(self, service, megabytes):
        self.service, self.bytes = service, megabytes << 20
        self.source = service.folder / "source"
        with open(self.source, "wb") as file:
            for _ in range(megabytes):
                file.write(os.urandom(1 << 20))

    def mount_write(self, figures):
        with self.service.mount() as mount:
            before, cpu = self.service.requests(), mount.cpu_seconds()
            seconds = timed(lambda: subprocess.run(["cp", self.source, mount.point / "written"], check=True))
            self.note(figures, seconds, mount, cpu, before)

    def mount_read(self, figures):
        with self.service.mount() as mount:
            before, cpu = self.service.requests(), mount.cpu_seconds()
            seconds = timed(lambda: subprocess.run(
                ["dd", f"if={mount.point / 'object'}", "of=/dev/null", "bs=1M", "status=none"], check=True))
            self.note(figures, seconds, mount, cpu, before)

    def note(self, figures, seconds, mount, cpu, before):
        figures.append({
            "seconds": seconds, "cpu": (mount.cpu_seconds() - cpu) / (self.bytes / (1 << 30)),
            "peak": mount.peak_mib(), "requests": self.service.requests() - before})

    def curl_write(self, streams):
        """The bytes as `streams` objects side by side; one is the same single put that the mount sends."""
        share = self.bytes // streams
        parts = []
        for index in range(streams):
            part = self.service.folder / f"part{index}"
            if not part.exists() or part.stat().st_size != share:
                with open(self.source, "rb") as source:
                    source.seek(index * share)
                    part.write_bytes(source.read(share))
            parts.append(self.service.curl("PUT", f"curl{index}", "-o", "/dev/null", "-T", str(part)))
        return timed(lambda: run_all(parts))

    def curl_read(self):
        share = self.bytes // CURL_STREAMS
        ranges = [f"{index * share}-{(index + 1) * share - 1}" for index in range(CURL_STREAMS)]
        commands = [self.service.curl("GET", "object", "-o", "/dev/null", "-r", text) for text in ranges]
        return timed(lambda: run_all(commands))

    def put_object(self):
        run_all([self.service.curl("PUT", "object", "-o", "/dev/null", "-T", str(self.source))])


def report(name, size, mounts, curls):
    ratios = [curl / mount["seconds"] for mount, curl in zip(mounts, curls)]
    middle = {key: statistics.median(mount[key] for mount in mounts) for key in mounts[0]}
    mib = size / (1 << 20)
    print(
        f"{name:34} mount {mib / middle['seconds']:6.0f} MiB/s   curl {mib / statistics.median(curls):6.0f} MiB/s   "
        f"ratio {statistics.median(ratios):.2f}   CPU {middle['cpu']:.2f} s/GiB   peak {middle['peak']:.0f} MiB   "
        f"requests {middle['requests']:.0f}", flush=True)


def bench_transfer(service, rounds, megabytes):
    transfer = Transfer(service, megabytes)
    transfer.put_object()
    for wanted in (0, 20):
        latency = service.set_latency(wanted)
        for name, mounted, beside in (
            ("write, one put", transfer.mount_write, lambda: transfer.curl_write(1)),
            ("write, curl in 16 objects", transfer.mount_write, lambda: transfer.curl_write(CURL_STREAMS)),
            ("read, curl in 16 ranges", transfer.mount_read, transfer.curl_read),
        ):
            mounts, curls = [], []
            for _ in range(rounds):
                mounted(mounts)
                curls.append(beside())
            report(f"{name}, {latency} ms", transfer.bytes, mounts, curls)


def bench_start(service):
    command = [service.programs / "ossmount", "--version"]
    times = [timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)) for _ in range(40)]
    print(f"start-up of ossmount --version      median {statistics.median(times) * 1000:.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=256)
    arguments = parser.parse_args()
    with Service(arguments.programs) as service:
        bench_start(service)
        bench_transfer(service, arguments.rounds, arguments.megabytes)


if __name__ == "__main__":
    main()
