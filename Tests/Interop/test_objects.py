"""Objects put, read and described by the official SDKs."""

import base64
import hashlib

from cases import ODD_KEYS, for_each_sdk
from clients import Fault

DATA = bytes(range(256)) * 40


@for_each_sdk
class Objects:
    def test_bytes_come_back_with_their_digests(self):
        put = self.client.put("dir/file.bin", DATA)
        status, headers, data = self.client.get("dir/file.bin")
        self.assertEqual((status, data), (200, DATA))
        digest = hashlib.md5(DATA)
        self.assertEqual(put["etag"], f'"{digest.hexdigest().upper()}"')
        self.assertEqual(headers["etag"], put["etag"])
        self.assertEqual(headers["content-md5"], base64.b64encode(digest.digest()).decode())
        self.assertEqual(headers["x-oss-hash-crc64ecma"], put["x-oss-hash-crc64ecma"])

    def test_an_empty_object_has_no_bytes_and_a_checksum_of_zero(self):
        put = self.client.put("empty", b"")
        self.assertEqual(put["x-oss-hash-crc64ecma"], "0")
        self.assertEqual(self.client.get("empty")[2], b"")
        self.assertEqual(self.client.head("empty")["content-length"], "0")

    def test_a_large_object_has_an_opaque_etag_and_the_same_for_the_same_bytes(self):
        data = DATA * 850
        first = self.client.put("large-1", data)
        second = self.client.put("large-2", data)
        self.assertEqual(first["etag"], second["etag"])
        self.assertNotEqual(first["etag"], f'"{hashlib.md5(data).hexdigest().upper()}"')
        self.assertEqual(self.client.get("large-1")[2], data)

    def test_odd_keys_keep_their_bytes_apart(self):
        for number, key in enumerate(ODD_KEYS):
            self.client.put(key, f"object {number}".encode())
        for number, key in enumerate(ODD_KEYS):
            with self.subTest(key=key):
                self.assertEqual(self.client.get(key)[2], f"object {number}".encode())

    def test_a_put_replaces_the_object_and_its_metadata(self):
        self.client.put("k", b"old", {"x-oss-meta-a": "1", "Cache-Control": "no-cache"})
        self.client.put("k", b"newer")
        head = self.client.head("k")
        self.assertEqual(head["content-length"], "5")
        self.assertNotIn("x-oss-meta-a", head)
        self.assertNotIn("cache-control", head)

    def test_metadata_and_content_headers_come_back_as_stored(self):
        sent = {
            "x-oss-meta-Mode": "33188", "x-oss-meta-odd": "a=b; c,  d", "Content-Type": "image/x-test",
            "Cache-Control": "max-age=5", "Content-Disposition": 'attachment; filename="a b.txt"',
            "Content-Encoding": "identity", "Expires": "Thu, 01 Dec 2033 16:00:00 GMT",
        }
        self.client.put("described", b"x", sent)
        for headers in (self.client.head("described"), self.client.get("described")[1]):
            for name, value in sent.items():
                self.assertEqual(headers[name.lower()], value)

    def test_head_says_what_kind_of_object_it_is(self):
        self.client.put("k", b"x", {"x-oss-storage-class": "IA", "x-oss-tagging": "a=1&b=2"})
        head = self.client.head("k")
        self.assertEqual(head["x-oss-object-type"], "Normal")
        self.assertEqual(head["x-oss-storage-class"], "IA")
        self.assertEqual(head["x-oss-tagging-count"], "2")
        self.assertRegex(head["last-modified"], r"^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$")
        self.assertRegex(head["x-oss-request-id"], r"^[0-9A-F]{24}$")
        self.assertEqual(head["server"], "AliyunOSS")

    def test_object_meta_is_the_light_form(self):
        self.client.put("k", b"four", {"x-oss-meta-a": "1"})
        meta = self.client.meta("k")
        self.assertEqual(meta["content-length"], "4")
        self.assertIn("etag", meta)
        self.assertIn("last-modified", meta)
        self.assertNotIn("x-oss-meta-a", meta)

    def test_the_content_type_follows_the_extension(self):
        self.client.put("p.bin", b"x", {"Content-Type": "application/x-own"})
        self.assertEqual(self.client.head("p.bin")["content-type"], "application/x-own")

    def test_parameters_override_headers_of_the_reply(self):
        self.client.put("k", b"x")
        headers = self.client.get("k", params={"response-content-type": "text/x; q=1"})[1]
        self.assertEqual(headers["content-type"], "text/x; q=1")

    def test_an_archived_object_is_not_read(self):
        self.client.put("cold", b"x", {"x-oss-storage-class": "Archive"})
        self.assertEqual(self.client.head("cold")["x-oss-storage-class"], "Archive")
        with self.assertRaises(Fault) as raised:
            self.client.get("cold")
        self.assertEqual((raised.exception.status, raised.exception.code), (403, "InvalidObjectState"))

    def test_the_bucket_describes_itself(self):
        self.assertEqual(self.client.bucket_info(), ("interop-bucket", "oss-cn-hangzhou", "Standard"))
        self.assertEqual(self.client.bucket_location(), "oss-cn-hangzhou")


@for_each_sdk
class Ranges:
    def read(self, value, is_standard=True):
        headers = {"Range": value}
        if is_standard:
            headers["x-oss-range-behavior"] = "standard"
        status, headers, data = self.client.get("k", headers)
        return status, headers.get("content-range"), data

    def setUp(self):
        super().setUp()
        self.put = self.client.put("k", b"0123456789")

    def test_a_range_within_the_object(self):
        self.assertEqual(self.read("bytes=2-4"), (206, "bytes 2-4/10", b"234"))
        self.assertEqual(self.read("bytes=7-"), (206, "bytes 7-9/10", b"789"))
        self.assertEqual(self.read("bytes=-3"), (206, "bytes 7-9/10", b"789"))

    def test_a_range_past_the_end_is_cut(self):
        self.assertEqual(self.read("bytes=8-100"), (206, "bytes 8-9/10", b"89"))

    def test_a_range_past_the_end_gives_everything_without_the_header(self):
        self.assertEqual(self.read("bytes=8-100", is_standard=False), (200, None, b"0123456789"))

    def test_a_range_that_starts_past_the_end_is_refused(self):
        with self.assertRaises(Fault) as raised:
            self.read("bytes=10-")
        self.assertEqual((raised.exception.status, raised.exception.code), (416, "InvalidRange"))

    def test_the_checksum_of_a_range_is_that_of_the_whole_object(self):
        headers = self.client.get("k", {"Range": "bytes=0-0"})[1]
        self.assertEqual(headers["x-oss-hash-crc64ecma"], self.put["x-oss-hash-crc64ecma"])


del Objects, Ranges
