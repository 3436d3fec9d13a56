"""Starts ossmount-server for the tests of a module, and asks its admin path."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
import urllib.request

BUCKET = "interop-bucket"
OTHER_BUCKET = "interop-other"
REGION = "cn-hangzhou"
KEY_ID = "InteropKeyId"
KEY_SECRET = "InteropKeySecret"

PROGRAM = pathlib.Path(os.environ.get("OSSMOUNT_SERVER", ".build/debug/ossmount-server")).resolve()


class Server:
    """One server process on a folder of its own; `stop` ends it and takes the folder away."""

    def __init__(self, arguments=(), environment=None):
        self.folder = tempfile.mkdtemp(prefix="ossmount-interop-")
        self.arguments = list(arguments)
        self.environment = environment or {}
        self.process = None
        self.start()

    def start(self, port=0):
        environment = {
            "PATH": os.environ["PATH"],
            "OSS_ACCESS_KEY_ID": KEY_ID,
            "OSS_ACCESS_KEY_SECRET": KEY_SECRET,
            **self.environment,
        }
        command = [str(PROGRAM), "--listen", f"127.0.0.1:{port}", "--data", self.folder + "/data"]
        command += ["--bucket", BUCKET, "--bucket", OTHER_BUCKET] + self.arguments
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"the server says {line!r}")
        self.url = line.removeprefix("listening on ").strip()
        self.port = urllib.parse.urlsplit(self.url).port

    @staticmethod
    def help_words(indent):
        """The lines of --help that begin a word right after this indent and hold a `=`."""
        text = subprocess.run([str(PROGRAM), "--help"], check=True, capture_output=True, text=True).stdout
        lines = [line[len(indent):] for line in text.splitlines() if line.startswith(indent)]
        return [line for line in lines if line[:1].islower() and "=" in line]

    def kill(self):
        """Ends the process as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        shutil.rmtree(self.folder)
        return code

    def admin(self, method, path, document=None):
        data = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(f"{self.url}/-/{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=20) as reply:
            text = reply.read().decode()
        return json.loads(text) if text.startswith(("{", "[")) else text

    def add_fault(self, **rule):
        return self.admin("POST", "faults", rule)["id"]

    def reset(self):
        """No faults, no latency, counters at zero."""
        self.admin("DELETE", "faults")
        self.admin("POST", "latency", {})
        self.admin("POST", "clock", {"offset_seconds": 0})
        self.admin("POST", "stats/reset")

    def stats(self):
        return self.admin("GET", "stats")

    def log(self):
        """The lines of the access log, each as its fields."""
        return [line.split(" ") for line in self.admin("GET", "log").splitlines()]
