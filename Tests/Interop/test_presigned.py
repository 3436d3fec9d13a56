"""URLs that the official SDKs sign, used without any key."""

import http.client
import urllib.parse

from cases import ODD_KEYS, for_each_sdk
from raw_client import Answer


@for_each_sdk
class Presigned:
    def use(self, method, url, headers=None, body=None):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        try:
            connection.request(method, parts.path + "?" + parts.query, body=body, headers=headers or {})
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def test_a_get_needs_no_key(self):
        for number, key in enumerate(ODD_KEYS):
            if any(part in ("", ".", "..") for part in key.split("/")):
                continue
            self.client.put(key, f"object {number}".encode())
            url, headers = self.client.presign("GET", key)
            with self.subTest(key=key):
                self.assertEqual(self.use("GET", url, headers).body, f"object {number}".encode())

    def test_a_put_needs_no_key_and_its_headers_are_signed(self):
        url, headers = self.client.presign("PUT", "k", headers={"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
        headers = {"x-oss-meta-a": "1", "Content-Type": "text/x-own", **headers}
        self.assertEqual(self.use("PUT", url, headers, b"data").status, 200)
        status, stored, data = self.client.get("k")
        self.assertEqual((stored["x-oss-meta-a"], stored["content-type"], data), ("1", "text/x-own", b"data"))
        answer = self.use("PUT", url, {**headers, "x-oss-meta-a": "2"}, b"other")
        self.assertEqual((answer.status, answer.code), (403, "SignatureDoesNotMatch"))
        self.assertEqual(self.client.get("k")[2], b"data")

    def test_a_url_ends(self):
        self.client.put("k", b"data")
        url, headers = self.client.presign("GET", "k", seconds=30)
        self.assertEqual(self.use("GET", url, headers).status, 200)
        self.server.admin("POST", "clock", {"offset_seconds": 40})
        answer = self.use("GET", url, headers)
        self.assertEqual((answer.status, answer.code), (403, "AccessDenied"))

    def test_a_url_is_good_for_its_method_and_key_alone(self):
        self.client.put("k", b"data")
        self.client.put("l", b"data")
        url, headers = self.client.presign("GET", "k")
        self.assertEqual(self.use("PUT", url, headers, b"other").code, "SignatureDoesNotMatch")
        self.assertEqual(self.use("GET", url.replace("/k?", "/l?"), headers).code, "SignatureDoesNotMatch")

    def test_headers_of_the_reply_can_be_set(self):
        self.client.put("k", b"data")
        url, headers = self.client.presign("GET", "k", params={"response-content-type": "text/x; q=1"})
        self.assertEqual(self.use("GET", url, headers).headers["content-type"], "text/x; q=1")


del Presigned
