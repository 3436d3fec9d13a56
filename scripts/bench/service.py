"""An embedded server and mounts of it, for the benchmarks, and signed curl commands against the same server."""

import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

KEY_ID, KEY_SECRET, BUCKET, REGION = "bench-key", "bench-secret", "bench", "cn-hangzhou"
ENVIRONMENT = {**os.environ, "OSS_ACCESS_KEY_ID": KEY_ID, "OSS_ACCESS_KEY_SECRET": KEY_SECRET}


class Service:
    """The server on a fresh folder; ends, and leaves nothing, with its `with` block."""

    def __init__(self, programs):
        self.programs = pathlib.Path(programs)

    def __enter__(self):
        # /dev/shm: the disk is not what is measured.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ossmount-bench-", dir="/dev/shm"))
        (self.folder / "data").mkdir()
        self.process = subprocess.Popen(
            [self.programs / "ossmount-server", "--listen", "127.0.0.1:0", "--data", self.folder / "data",
             "--bucket", BUCKET],
            stdout=subprocess.PIPE, env=ENVIRONMENT, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        shutil.rmtree(self.folder)

    def admin(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/-/" + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def set_latency(self, milliseconds):
        """Sets the delay of each request, and returns what the server says that it is."""
        self.admin("latency", {"milliseconds": milliseconds, "bandwidth": 0}, "POST")
        return self.admin("latency")["milliseconds"]

    def requests(self):
        return self.admin("stats")["total"]

    @contextlib.contextmanager
    def mount(self, *options):
        point = self.folder / "mount"
        point.mkdir(exist_ok=True)
        subprocess.run(
            [self.programs / "ossmount", "mount", f"oss://{BUCKET}", point, "--endpoint", self.url, "--region", REGION,
             "--log-file", self.folder / "mount.log", *options],
            check=True, env=ENVIRONMENT, timeout=60)
        try:
            yield Mount(point)
        finally:
            subprocess.run([self.programs / "ossmount", "umount", point], check=True, timeout=120)

    def measured(self, command, *options):
        """Runs a command on a fresh mount, whose path replaces MOUNT in it, and tells what that cost."""
        with self.mount(*options) as mount:
            words = [str(word).replace("MOUNT", str(mount.point)) for word in command]
            before, cpu, begin = self.requests(), mount.cpu_seconds(), time.monotonic()
            subprocess.run(words, check=True, timeout=300)
            return {
                "seconds": time.monotonic() - begin, "cpu": mount.cpu_seconds() - cpu, "peak": mount.peak_mib(),
                "requests": self.requests() - before}

    def curl(self, method, key, *arguments):
        """A curl command for one object, signed for some minutes; ranges may be added, as they are not signed."""
        headers = sign(method, key)
        return ["curl", "-sS", "--fail", "-X", method, *arguments,
                *[word for header in headers for word in ("-H", header)], f"{self.url}/{BUCKET}/{key}"]


class Mount:
    """A mounted folder and the process that serves it."""

    def __init__(self, point):
        self.point = point
        self.pid = next(
            int(entry.name) for entry in pathlib.Path("/proc").iterdir()
            if entry.name.isdigit() and is_server_of(entry, str(point)))

    def cpu_seconds(self):
        fields = (pathlib.Path("/proc") / str(self.pid) / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mib(self):
        status = (pathlib.Path("/proc") / str(self.pid) / "status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def is_server_of(entry, point):
    try:
        arguments = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return len(arguments) > 3 and arguments[0].endswith(b"ossmount") and point.encode() in arguments


def sign(method, key):
    """The headers of OSS's V4 signature for a request without query, body unsigned as always."""
    now = time.gmtime()
    date, day = time.strftime("%Y%m%dT%H%M%SZ", now), time.strftime("%Y%m%d", now)
    scope = f"{day}/{REGION}/oss/aliyun_v4_request"
    kind = "application/octet-stream"
    canonical = "\n".join([
        method, f"/{BUCKET}/{key}", "", f"content-type:{kind}", "x-oss-content-sha256:UNSIGNED-PAYLOAD",
        f"x-oss-date:{date}", "", "", "UNSIGNED-PAYLOAD"])
    text = "\n".join(["OSS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("aliyun_v4" + KEY_SECRET).encode()
    for part in (day, REGION, "oss", "aliyun_v4_request"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return [
        f"Authorization: OSS4-HMAC-SHA256 Credential={KEY_ID}/{scope},Signature={signature}",
        f"Content-Type: {kind}", f"x-oss-date: {date}", "x-oss-content-sha256: UNSIGNED-PAYLOAD", "Expect:"]
