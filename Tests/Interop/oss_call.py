"""The program oss-call (Tests/oss-call), which drives ossmount's client: one JSON document a line, each way."""

import atexit
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(os.environ.get("OSSMOUNT_CALL", ".build/debug/oss-call")).resolve()


class NoSuchCall(unittest.SkipTest):
    """The client has no call or parameter for that: it is no SDK, and does what a mount needs."""


class CallProgram:
    """One oss-call for the whole run, and the folder for the objects' bytes that go each way."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ossmount-calls-")
        self.body = os.path.join(self.folder.name, "body")
        self.out = os.path.join(self.folder.name, "out")
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.end)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"oss-call ended at {request}")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.folder.cleanup()

    shared = None

    @classmethod
    def get(cls):
        if cls.shared is None:
            cls.shared = cls()
        return cls.shared


def to_hex(text):
    return (text if isinstance(text, bytes) else text.encode()).hex()


def to_text(digits):
    return bytes.fromhex(digits).decode()
