"""Faults on demand, counters and log, latency, kills."""

import http.client
import socket
import threading
import time

from cases import ServerCase
from embedded_server import BUCKET, Server
from raw_client import RawClient, signed_headers

BROKEN = (http.client.HTTPException, ConnectionError)


class Faults(ServerCase):
    def setUp(self):
        super().setUp()
        self.raw = RawClient(self.server)
        self.raw.request("PUT", "k", body=b"0123456789" * 1000)
        self.server.reset()

    def given(self, kind):
        return self.server.stats()["faults"][kind]

    def wait_until(self, condition):
        deadline = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), deadline, "the condition never came true")
            time.sleep(0.01)

    def test_a_status_is_given_as_often_as_asked(self):
        self.server.add_fault(operation="GetObject", kind="status", status=503, code="QpsLimitExceeded", count=2)
        codes = [self.raw.request("GET", "k") for _ in range(3)]
        self.assertEqual([answer.status for answer in codes], [503, 503, 200])
        self.assertEqual(codes[0].code, "QpsLimitExceeded")
        self.assertEqual(self.given("status"), 2)
        self.assertEqual(self.server.admin("GET", "faults"), [])

    def test_every_third_request(self):
        self.server.add_fault(operation="*", kind="status", every=3)
        self.assertEqual([self.raw.request("GET", "k").status for _ in range(6)], [200, 200, 503] * 2)

    def test_a_rule_goes_by_operation_and_key(self):
        self.server.add_fault(operation="GetObject", key="a%20b/", kind="status", status=500, code="InternalError")
        self.assertEqual(self.raw.request("GET", "k").status, 200)
        self.assertEqual(self.raw.request("PUT", "a b/c", body=b"x").status, 200)
        self.assertEqual(self.raw.request("GET", "a b/c").status, 500)

    def test_a_rule_has_an_end(self):
        self.server.add_fault(operation="*", kind="status", seconds=0.2)
        self.assertEqual(self.raw.request("GET", "k").status, 503)
        self.wait_until(lambda: self.raw.request("GET", "k").status == 200)

    def test_a_refused_put_is_read_and_changes_nothing(self):
        self.server.add_fault(operation="PutObject", kind="status", count=1)
        self.assertEqual(self.raw.request("PUT", "k", body=b"x" * 5_000_000).status, 503)
        self.assertEqual(len(self.raw.request("GET", "k").body), 10_000)

    def test_a_cut_reply_has_the_full_length_and_fewer_bytes(self):
        self.server.add_fault(operation="GetObject", kind="cut", after_bytes=1234)
        with self.assertRaises(http.client.IncompleteRead) as raised:
            self.raw.request("GET", "k")
        self.assertEqual(len(raised.exception.partial), 1234)
        self.assertEqual(raised.exception.expected, 10_000 - 1234)

    def test_a_cut_put_changes_nothing(self):
        self.server.add_fault(operation="PutObject", kind="cut", after_bytes=100_000, count=1)
        with self.assertRaises(BROKEN):
            self.raw.request("PUT", "k", body=b"x" * 5_000_000)
        self.assertEqual(len(self.raw.request("GET", "k").body), 10_000)

    def test_drops_before_and_after_the_effect(self):
        for kind, status in (("drop-before", 404), ("drop-after", 200)):
            self.server.add_fault(operation="PutObject", kind=kind, count=1)
            with self.assertRaises(BROKEN):
                self.raw.request("PUT", kind, body=b"x")
            self.assertEqual(self.raw.request("GET", kind).status, status)
            self.assertEqual(self.given(kind), 1)

    def test_a_wrong_checksum(self):
        right = self.raw.request("HEAD", "k").headers["x-oss-hash-crc64ecma"]
        self.server.add_fault(operation="HeadObject", kind="wrong-crc", count=1)
        self.assertNotEqual(self.raw.request("HEAD", "k").headers["x-oss-hash-crc64ecma"], right)
        self.assertEqual(self.raw.request("HEAD", "k").headers["x-oss-hash-crc64ecma"], right)

    def test_a_slow_body(self):
        self.server.add_fault(operation="GetObject", kind="slow", rate=20_000, count=1)
        start = time.monotonic()
        self.assertEqual(len(self.raw.request("GET", "k").body), 10_000)
        self.assertGreater(time.monotonic() - start, 0.4)

    def test_hundreds_hang_until_released_and_others_are_served(self):
        self.server.add_fault(operation="GetObject", kind="hang")
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.raw.request("GET", "k").status))
                   for _ in range(300)]
        for thread in threads:
            thread.start()
        self.wait_until(lambda: self.given("hang") == 300)
        self.assertEqual(self.raw.request("HEAD", "k").status, 200)
        self.assertEqual(results, [])
        self.server.admin("DELETE", "faults")
        for thread in threads:
            thread.join(timeout=10)
        self.assertEqual(results, [200] * 300)

    def test_a_hang_ends_with_its_client(self):
        self.server.add_fault(operation="GetObject", kind="hang")
        before = self.server.stats()["connections"]
        with self.assertRaises(TimeoutError):
            self.raw.request("GET", "k", timeout=0.2)
        self.wait_until(lambda: self.server.stats()["connections"] <= before)

    def test_a_hang_does_not_hold_up_the_end(self):
        server = Server()
        server.add_fault(operation="*", kind="hang")
        raw = RawClient(server)
        thread = threading.Thread(target=lambda: self.assertRaises(BROKEN, raw.request, "GET", "k"))
        thread.start()
        self.wait_until(lambda: server.stats()["faults"]["hang"] == 1)
        self.assertEqual(server.stop(), 0)
        thread.join(timeout=10)
        self.assertFalse(thread.is_alive())

    def test_latency_and_bandwidth_are_read_back(self):
        self.server.admin("POST", "latency", {"milliseconds": 50, "bandwidth": 50_000})
        self.assertEqual(self.server.admin("GET", "latency"), {"milliseconds": 50, "bandwidth": 50_000})
        start = time.monotonic()
        self.raw.request("HEAD", "k")
        self.assertGreater(time.monotonic() - start, 0.05)
        start = time.monotonic()
        self.raw.request("GET", "k")
        self.assertGreater(time.monotonic() - start, 0.2)

    def test_counters_and_log_agree(self):
        self.raw.request("GET", "k")
        self.raw.request("GET", "none at all")
        self.raw.request("PUT", "a b", body=b"four")
        self.raw.request("GET", "", [("list-type", "2"), ("prefix", "a ")])
        stats, log = self.server.stats(), self.server.log()
        self.assertEqual(stats["requests"], {"GetObject": 2, "PutObject": 1, "ListObjectsV2": 1})
        self.assertEqual(stats["total"], len(log))
        self.assertEqual([line[:3] for line in log], [
            ["1", "GetObject", "200"], ["2", "GetObject", "404"], ["3", "PutObject", "200"],
            ["4", "ListObjectsV2", "200"]])
        self.assertEqual(log[0][3:], ["10000", "k", "-"])
        self.assertEqual(log[2][3:], ["4", "a%20b", "-"])
        self.assertEqual(stats["bytes_in"], 4)
        self.assertGreater(stats["bytes_out"], 10_000)

    def test_bad_rules_are_refused(self):
        for document in ({}, {"operation": "Bogus", "kind": "cut"}, {"operation": "*", "kind": "bogus"}):
            answer = self.raw.send("POST", "/-/faults", {}, str(document).replace("'", '"'))
            self.assertEqual(answer.status, 400)


class Kills(ServerCase):
    def test_a_kill_in_mid_put_leaves_the_old_object_whole(self):
        server = Server()
        try:
            for _ in range(3):
                raw = RawClient(server)
                self.assertEqual(raw.request("PUT", "k", body=b"old" * 100_000).status, 200)
                headers = signed_headers("PUT", BUCKET, "k", headers={"Content-Length": "50000000"})
                with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                    lines = [f"PUT /{BUCKET}/k HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
                    lines += [f"{name}: {value}" for name, value in headers.items()]
                    connection.sendall("\r\n".join(lines + ["", ""]).encode() + b"n" * 20_000_000)
                    server.kill()
                server.start()
                raw = RawClient(server)
                self.assertEqual(raw.request("GET", "k").body, b"old" * 100_000)
                self.assertEqual(raw.request("PUT", "k2", body=b"acknowledged").status, 200)
                server.kill()
                server.start()
                self.assertEqual(RawClient(server).request("GET", "k2").body, b"acknowledged")
        finally:
            server.stop()

    def test_a_kill_among_many_puts_loses_nothing_acknowledged(self):
        server = Server()
        try:
            for _ in range(3):
                acknowledged, sent, threads = {}, {}, []

                def write(key, raw, acknowledged, sent):
                    try:
                        for number in range(1000):
                            sent[key] = f"{key} {number} ".encode() * 5000
                            if raw.request("PUT", key, body=sent[key]).status == 200:
                                acknowledged[key] = sent[key]
                    except (OSError, http.client.HTTPException):
                        return

                for number in range(8):
                    arguments = (f"key-{number}", RawClient(server), acknowledged, sent)
                    threads.append(threading.Thread(target=write, args=arguments))
                    threads[-1].start()
                while len(acknowledged) < 8:
                    time.sleep(0.01)
                server.kill()
                for thread in threads:
                    thread.join()
                server.start()
                raw = RawClient(server)
                for key, data in acknowledged.items():
                    self.assertIn(raw.request("GET", key).body, (data, sent[key]))
        finally:
            server.stop()
