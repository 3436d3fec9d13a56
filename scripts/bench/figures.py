"""How a pair of figures is taken and printed."""

import statistics
import subprocess
import time

# Parallel curl: as many ranges or files at once as saturate loopback on two cores.
STREAMS = 16


def timed(run):
    begin = time.monotonic()
    run()
    return time.monotonic() - begin


def run_all(commands):
    """Runs commands side by side; any failure ends the benchmark, as its figures would mean nothing."""
    processes = [subprocess.Popen(command) for command in commands]
    if any([process.wait(timeout=300) for process in processes]):
        raise SystemExit("curl failed")


def compare(name, size, rounds, mounted, beside):
    """Runs both sides in turn, and prints the medians; the ratio is that of each round's neighbours."""
    mounts, curls = [], []
    for _ in range(rounds):
        try:
            mounts.append(mounted())
        except subprocess.CalledProcessError as error:
            print(f"{name:28} the mount could not: {error.cmd[0]} ended with {error.returncode}", flush=True)
            return
        curls.append(beside())
    ratios = [curl / mount["seconds"] for mount, curl in zip(mounts, curls)]
    middle = {key: statistics.median(mount[key] for mount in mounts) for key in mounts[0]}
    mib = size / (1 << 20)
    print(
        f"{name:28} mount {mib / middle['seconds']:6.0f} MiB/s   curl {mib / statistics.median(curls):6.0f} MiB/s   "
        f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})   "
        f"CPU {middle['cpu'] / (mib / 1024):5.2f} s/GiB   peak {middle['peak']:.0f} MiB   "
        f"requests {middle['requests']:.0f}", flush=True)
