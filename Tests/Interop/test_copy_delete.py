"""Copies, deletes, and the conditions on requests."""

from cases import ODD_KEYS, for_each_sdk
from clients import Fault
from embedded_server import BUCKET, OTHER_BUCKET

PAST = "Mon, 21 Sep 2015 14:13:20 GMT"
FUTURE = "Mon, 21 Sep 2037 14:13:20 GMT"


@for_each_sdk
class Copies:
    def test_a_copy_has_the_bytes_and_the_metadata(self):
        put = self.client.put("from", b"data", {"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
        copied = self.client.copy("from", "to")
        self.assertEqual(copied["x-oss-hash-crc64ecma"], put["x-oss-hash-crc64ecma"])
        status, headers, data = self.client.get("to")
        self.assertEqual(data, b"data")
        self.assertEqual((headers["x-oss-meta-a"], headers["content-type"]), ("1", "text/x-own"))

    def test_replacing_metadata_leaves_nothing_of_the_old(self):
        self.client.put("from", b"data", {"x-oss-meta-a": "1", "Cache-Control": "no-cache"})
        self.client.copy("from", "to", {"x-oss-metadata-directive": "REPLACE", "x-oss-meta-b": "2"})
        head = self.client.head("to")
        self.assertEqual(head["x-oss-meta-b"], "2")
        self.assertNotIn("x-oss-meta-a", head)
        self.assertNotIn("cache-control", head)

    def test_a_copy_onto_itself_changes_only_the_metadata(self):
        put = self.client.put("same", b"data", {"x-oss-meta-a": "1"})
        self.client.copy("same", "same", {"x-oss-metadata-directive": "REPLACE", "x-oss-meta-mode": "33188"})
        status, headers, data = self.client.get("same")
        self.assertEqual((data, headers["etag"], headers["x-oss-meta-mode"]), (b"data", put["etag"], "33188"))

    def test_odd_keys_are_copied(self):
        for number, key in enumerate(ODD_KEYS):
            self.client.put(key, f"object {number}".encode())
            self.client.copy(key, f"copies/{number}")
            self.assertEqual(self.client.get(f"copies/{number}")[2], f"object {number}".encode())

    def test_a_copy_outlives_its_source(self):
        self.client.put("from", b"data")
        self.client.copy("from", "to")
        self.client.delete("from")
        self.assertEqual(self.client.get("to")[2], b"data")

    def test_a_copy_between_buckets(self):
        other = self.client_class(self.server.url, bucket=OTHER_BUCKET)
        self.client.put("from", b"data")
        other.copy("from", "to", source_bucket=BUCKET)
        self.assertEqual(other.get("to")[2], b"data")
        other.delete("to")

    def test_a_missing_source_is_named(self):
        self.refused(404, "NoSuchKey", self.client.copy, "nothing", "to")
        self.refused(404, "NoSuchBucket", self.client.copy, "k", "to", source_bucket="no-such-bucket")

    def test_conditions_on_the_source(self):
        etag = self.client.put("from", b"data")["etag"]
        condition = "x-oss-copy-source-if-"
        self.client.copy("from", "to", {condition + "match": etag})
        self.client.copy("from", "to", {condition + "unmodified-since": FUTURE})
        self.refused(412, "PreconditionFailed", self.client.copy, "from", "to", {condition + "match": '"0"'})
        self.refused(412, "PreconditionFailed", self.client.copy, "from", "to", {condition + "unmodified-since": PAST})
        self.refused(304, "NotModified", self.client.copy, "from", "to", {condition + "none-match": etag})
        self.refused(304, "NotModified", self.client.copy, "from", "to", {condition + "modified-since": FUTURE})

    def test_a_copy_can_be_forbidden_to_overwrite(self):
        self.client.put("from", b"data")
        self.client.copy("from", "to", {"x-oss-forbid-overwrite": "true"})
        self.refused(
            409, "FileAlreadyExists", self.client.copy, "from", "to", {"x-oss-forbid-overwrite": "true"})

    def refused(self, status, code, function, *arguments, **named):
        with self.assertRaises(Fault) as raised:
            function(*arguments, **named)
        self.assertEqual((raised.exception.status, raised.exception.code), (status, code))


@for_each_sdk
class Deletes:
    def test_a_deleted_object_is_gone_and_deleting_it_again_is_no_error(self):
        self.client.put("k", b"x")
        self.assertEqual(self.client.delete("k"), 204)
        self.assertEqual(self.client.delete("k"), 204)
        self.assertEqual(self.client.list_v2().keys, [])

    def test_many_are_deleted_at_once(self):
        keys = [key for key in ODD_KEYS if all(ord(c) >= 32 or c in "\t\r\n" for c in key) and "\uffff" not in key]
        for key in keys:
            self.client.put(key, b"x")
        self.client.put("stays", b"x")
        self.assertEqual(sorted(self.client.delete_many(keys + ["never there"])), sorted(keys + ["never there"]))
        self.assertEqual(self.client.list_v2().keys, ["stays"])


@for_each_sdk
class Conditions:
    def setUp(self):
        super().setUp()
        self.etag = self.client.put("k", b"data")["etag"]

    def outcome(self, headers):
        outcomes = []
        for read in (self.client.get, self.client.head):
            try:
                read("k", headers)
                outcomes.append(200)
            except Fault as fault:
                outcomes.append(fault.status)
        self.assertEqual(outcomes[0], outcomes[1])
        return outcomes[0]

    def test_if_match(self):
        self.assertEqual(self.outcome({"If-Match": self.etag}), 200)
        self.assertEqual(self.outcome({"If-Match": self.etag.strip('"')}), 200)
        self.assertEqual(self.outcome({"If-Match": '"OTHER"'}), 412)

    def test_if_none_match(self):
        self.assertEqual(self.outcome({"If-None-Match": self.etag}), 304)
        self.assertEqual(self.outcome({"If-None-Match": '"OTHER"'}), 200)

    def test_dates(self):
        self.assertEqual(self.outcome({"If-Modified-Since": PAST}), 200)
        self.assertEqual(self.outcome({"If-Modified-Since": FUTURE}), 304)
        self.assertEqual(self.outcome({"If-Unmodified-Since": FUTURE}), 200)
        self.assertEqual(self.outcome({"If-Unmodified-Since": PAST}), 412)

    def test_a_put_can_be_forbidden_to_overwrite(self):
        with self.assertRaises(Fault) as raised:
            self.client.put("k", b"other", {"x-oss-forbid-overwrite": "true"})
        self.assertEqual((raised.exception.status, raised.exception.code), (409, "FileAlreadyExists"))
        self.assertEqual(self.client.get("k")[2], b"data")
        self.client.put("fresh", b"other", {"x-oss-forbid-overwrite": "true"})


del Copies, Deletes, Conditions
