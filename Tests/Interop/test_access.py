"""Ways to reach the server: styles of address, forms of the signature, session tokens, TLS, start and stop."""

import http.client
import os
import pathlib
import ssl
import subprocess
import tempfile
import unittest

from cases import ServerCase, for_each_sdk
from clients import Fault
from embedded_server import BUCKET, KEY_ID, KEY_SECRET, PROGRAM, Server
from raw_client import RawClient


class Addresses(ServerCase):
    def setUp(self):
        super().setUp()
        self.raw = RawClient(self.server)

    def test_the_bucket_may_stand_in_the_host(self):
        for host in (f"{BUCKET}.localhost", f"{BUCKET}.localhost:{self.server.port}", f"{BUCKET}.oss.example.com"):
            self.assertEqual(self.raw.request("PUT", "a b/c", host=host, body=b"x").status, 200)
            self.assertEqual(self.raw.request("GET", "a b/c").body, b"x")
            self.assertEqual(self.raw.request("GET", "", [("list-type", "2")], host=host).status, 200)

    def test_an_address_or_localhost_has_the_bucket_in_the_path(self):
        for host in ("localhost", "127.0.0.1:1", "[::1]:80"):
            answer = self.raw.send("GET", "/-/stats", {"Host": host})
            self.assertEqual(answer.status, 200)

    def test_a_bucket_has_no_admin_path(self):
        answer = self.raw.request("GET", "-/stats", host=f"{BUCKET}.localhost")
        self.assertEqual((answer.status, answer.code), (404, "NoSuchKey"))

    def test_dots_and_escapes_in_paths_stay_as_they_are(self):
        for key in ("dots/../and/./more", "..", "a%2Fb", "a//b"):
            self.assertEqual(self.raw.request("PUT", key, body=key.encode()).status, 200)
            self.assertEqual(self.raw.request("GET", key).body, key.encode())

    def test_additional_headers_are_signed(self):
        self.raw.request("PUT", "k", body=b"0123")
        headers = {"range": "bytes=1-2", "host": f"127.0.0.1:{self.server.port}"}
        for spaced in (False, True):
            answer = self.raw.request("GET", "k", headers=headers, additional=("host", "range"), spaced=spaced)
            self.assertEqual((answer.status, answer.body), (206, b"12"))

    def test_bodies_may_come_in_chunks(self):
        answer = self.raw.request("PUT", "k", headers={"Transfer-Encoding": "chunked"}, body=iter([b"one", b"two"]))
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.raw.request("GET", "k").body, b"onetwo")


@for_each_sdk
class Sessions:
    server_environment = {"OSS_SESSION_TOKEN": "token+/="}

    def setUp(self):
        self.server.reset()
        self.client = self.client_class(self.server.url, token="token+/=")

    def test_the_token_is_required(self):
        self.client.put("k", b"x")
        for token in (None, "other"):
            client = self.client_class(self.server.url, token=token)
            with self.assertRaises(Fault) as raised:
                client.get("k")
            self.assertEqual((raised.exception.status, raised.exception.code), (403, "InvalidSecurityToken"))
        self.assertEqual(self.client.delete("k"), 204)


class TLS(unittest.TestCase):
    def test_a_certificate_makes_it_https(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = folder + "/certificate.pem", folder + "/key.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                 "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate],
                check=True, capture_output=True)
            server = Server(["--tls-certificate", certificate, "--tls-key", key])
            try:
                self.assertTrue(server.url.startswith("https://127.0.0.1:"))
                context = ssl.create_default_context(cafile=certificate)
                raw = RawClient(server, context)
                data = bytes(range(256)) * 20_000
                self.assertEqual(raw.request("PUT", "k", body=data).status, 200)
                self.assertEqual(raw.request("GET", "k").body, data)
                rule = '{"operation": "GetObject", "kind": "cut", "after_bytes": 100000}'
                self.assertEqual(raw.send("POST", "/-/faults", {}, rule).status, 200)
                with self.assertRaises(http.client.IncompleteRead) as raised:
                    raw.request("GET", "k")
                self.assertEqual(len(raised.exception.partial), 100_000)
            finally:
                self.assertEqual(server.stop(), 0)


class CommandLine(unittest.TestCase):
    def run_program(self, *arguments, keys=True):
        environment = {"PATH": os.environ["PATH"]}
        if keys:
            environment |= {"OSS_ACCESS_KEY_ID": KEY_ID, "OSS_ACCESS_KEY_SECRET": KEY_SECRET}
        return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=20)

    def test_help_and_version(self):
        self.assertIn("--allow-remote", self.run_program("--help").stdout)
        self.assertRegex(self.run_program("--version").stdout, r"^ossmount-server \d+\.\d+\.\d+\n$")

    def test_bad_usage_is_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            good = ["--listen", "127.0.0.1:0", "--data", folder, "--bucket", "bucket"]
            for arguments, word in [
                ([], "--listen"), (good[:4], "--bucket"), (["--bogus"] + good, "--bogus"),
                (["--listen", "0.0.0.0:0"] + good[2:], "--allow-remote"), (good + ["--bucket", "UPPER"], "bucket"),
                (good + ["--tls-key", "x"], "--tls-certificate"), (good + ["--region"], "--region"),
            ]:
                result = self.run_program(*arguments)
                self.assertEqual(result.returncode, 2, arguments)
                self.assertIn(word, result.stderr)
            self.assertEqual(self.run_program(*good, keys=False).returncode, 2)

    def test_a_folder_has_one_server(self):
        server = Server()
        try:
            data = str(pathlib.Path(server.folder) / "data")
            result = self.run_program("--listen", "127.0.0.1:0", "--data", data, "--bucket", BUCKET)
            self.assertEqual(result.returncode, 1)
            self.assertIn("another server", result.stderr)
        finally:
            server.stop()


del Sessions
