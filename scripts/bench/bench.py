"""The benchmarks that scripts/bench.sh runs; see there."""

import argparse
import statistics
import subprocess

from figures import timed
from many import bench_many
from service import Service
from transfer import bench_transfer


def bench_start(service):
    command = [service.programs / "ossmount", "--version"]
    times = [timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)) for _ in range(40)]
    print(f"{'start of ossmount --version':28} {statistics.median(times) * 1000:.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--latency", type=int, action="append")
    parser.add_argument("--only", choices=["start", "read", "write", "many-write", "many-read"])
    arguments = parser.parse_args()
    latencies = arguments.latency or [0, 20]
    with Service(arguments.programs) as service:
        if arguments.only in (None, "start"):
            bench_start(service)
        if arguments.only in (None, "many-write", "many-read"):
            bench_many(service, arguments.rounds, latencies, arguments.only)
        if arguments.only in (None, "read", "write"):
            bench_transfer(service, arguments.rounds, arguments.megabytes, latencies, arguments.only)


if __name__ == "__main__":
    main()
