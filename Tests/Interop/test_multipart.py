"""Uploads in parts by the official SDKs, with limits small enough to be met."""

import oss2

from cases import ODD_KEYS, for_each_sdk
from embedded_server import BUCKET, OTHER_BUCKET
from raw_client import RawClient

MINIMUM = 1000
LIMITS = ["--part-limit", "20", "--part-minimum", str(MINIMUM), "--part-maximum", "1MiB", "--object-maximum", "3MiB",
          "--key-bytes", "1023"]
FIRST, SECOND, LAST = b"1" * MINIMUM, bytes(range(256)) * 5, b"end"


def crc_of(data):
    crc = oss2.utils.Crc64(0)
    crc.update(data)
    return str(crc.crc)


class MultipartCase:
    server_arguments = LIMITS

    def upload(self, key, *parts, headers=None):
        """Starts an upload with those parts: its id, and the list for its completion."""
        upload = self.client.initiate(key, headers)
        numbered = []
        for number, data in enumerate(parts, 1):
            etag, crc = self.client.upload_part(key, upload, number, data)
            self.assertEqual(crc, crc_of(data))
            numbered.append((number, etag))
        return upload, numbered

    def read(self, key, start, end):
        headers = {"Range": f"bytes={start}-{end - 1}", "x-oss-range-behavior": "standard"}
        status, headers, data = self.client.get(key, headers)
        self.assertEqual(status, 206)
        return data


@for_each_sdk
class Multipart(MultipartCase):
    def test_parts_become_one_object(self):
        upload, parts = self.upload(
            "k", FIRST, SECOND, LAST, headers={"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
        self.refused(404, "NoSuchKey", self.client.get, "k")
        etag, crc = self.client.complete("k", upload, parts)
        whole = FIRST + SECOND + LAST
        self.assertRegex(etag, r'^"[0-9A-F]{32}-3"$')
        self.assertEqual(crc, crc_of(whole))
        status, headers, data = self.client.get("k")
        self.assertEqual(data, whole)
        self.assertEqual(headers["etag"], etag)
        self.assertEqual(headers["x-oss-hash-crc64ecma"], crc)
        self.assertEqual(headers["x-oss-object-type"], "Multipart")
        self.assertEqual((headers["x-oss-meta-a"], headers["content-type"]), ("1", "text/x-own"))
        self.assertNotIn("content-md5", headers)

    def test_ranges_cross_the_seams(self):
        upload, parts = self.upload("k", FIRST, SECOND, LAST)
        self.client.complete("k", upload, parts)
        whole = FIRST + SECOND + LAST
        for start, end in [(0, 1), (0, MINIMUM), (MINIMUM - 1, MINIMUM + 1), (500, len(whole)), (MINIMUM, MINIMUM + 9),
                           (len(whole) - 4, len(whole)), (0, len(whole))]:
            self.assertEqual(self.read("k", start, end), whole[start:end])

    def test_an_object_of_parts_is_copied_and_outlives_its_source(self):
        upload, parts = self.upload("k", FIRST, LAST)
        self.client.complete("k", upload, parts)
        self.client.copy("k", "copy")
        self.client.put("k", b"other")
        self.assertEqual(self.client.get("copy")[2], FIRST + LAST)

    def test_a_reader_goes_on_when_the_object_is_replaced(self):
        part = b"x" * (1 << 20)
        upload, parts = self.upload("k", part, part, part)
        self.client.complete("k", upload, parts)
        self.server.add_fault(operation="GetObject", kind="slow", rate=20 << 20, count=1)
        self.assertEqual(self.client.get("k")[2], part * 3)

    def test_an_uploaded_part_is_replaced_by_another_of_its_number(self):
        upload, parts = self.upload("k", FIRST, LAST)
        etag, _ = self.client.upload_part("k", upload, 1, SECOND)
        self.refused(400, "InvalidPart", self.client.complete, "k", upload, parts)
        self.client.complete("k", upload, [(1, etag), parts[1]])
        self.assertEqual(self.client.get("k")[2], SECOND + LAST)

    def test_numbers_may_have_gaps_and_parts_may_be_left_out(self):
        upload = self.client.initiate("k")
        etags = {number: self.client.upload_part("k", upload, number, bytes([number]) * MINIMUM)[0]
                 for number in (20, 3, 7)}
        self.client.complete("k", upload, [(3, etags[3]), (20, etags[20])])
        self.assertEqual(self.client.get("k")[2], b"\3" * MINIMUM + b"\x14" * MINIMUM)

    def test_all_parts_are_taken_without_a_list(self):
        upload, _ = self.upload("k", FIRST, SECOND, LAST)
        etag, crc = self.client.complete("k", upload, None)
        self.assertEqual(crc, crc_of(FIRST + SECOND + LAST))
        self.assertEqual(self.client.get("k")[2], FIRST + SECOND + LAST)

    def test_the_list_is_checked(self):
        upload, parts = self.upload("k", FIRST, SECOND, LAST)
        other = [(number, '"0123"') for number, _ in parts]
        self.refused(400, "InvalidPart", self.client.complete, "k", upload, other)
        self.refused(400, "InvalidPart", self.client.complete, "k", upload, parts + [(9, parts[0][1])])
        raw = RawClient(self.server)
        for text, code in [
            ("".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{e}</ETag></Part>" for n, e in reversed(parts)),
             "InvalidPartOrder"),
            ("".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{e}</ETag></Part>" for n, e in parts[:1] * 2),
             "InvalidPartOrder"),
            ("", "MalformedXML"), ("<Part><PartNumber>1</PartNumber></Part>", "MalformedXML"),
        ]:
            body = f"<CompleteMultipartUpload>{text}</CompleteMultipartUpload>"
            answer = raw.request("POST", "k", [("uploadId", upload)], body=body)
            self.assertEqual((answer.status, answer.code), (400, code))
        self.client.complete("k", upload, parts)

    def test_a_small_part_is_refused_at_the_end_unless_it_is_the_last(self):
        upload, parts = self.upload("k", LAST, FIRST)
        self.refused(400, "EntityTooSmall", self.client.complete, "k", upload, parts)
        self.client.complete("k", upload, parts[:1])
        self.assertEqual(self.client.get("k")[2], LAST)

    def test_limits(self):
        upload = self.client.initiate("k")
        for number in (0, 21):
            self.refused(400, "InvalidArgument", self.client.upload_part, "k", upload, number, b"x")
        self.refused(400, "EntityTooLarge", self.client.upload_part, "k", upload, 1, bytes((1 << 20) + 1))
        self.refused(400, "EntityTooLarge", self.client.put, "k", bytes((1 << 20) + 1))
        parts = [(number, self.client.upload_part("k", upload, number, bytes(1 << 20))[0]) for number in (1, 2, 3, 4)]
        self.refused(400, "EntityTooLarge", self.client.complete, "k", upload, parts)
        self.client.complete("k", upload, parts[:3])
        self.assertEqual(self.client.head("k")["content-length"], str(3 << 20))

    def test_overwriting_can_be_forbidden(self):
        self.client.put("k", b"old")
        upload, parts = self.upload("k", LAST)
        forbid = {"x-oss-forbid-overwrite": "true"}
        self.refused(409, "FileAlreadyExists", self.client.complete, "k", upload, parts, forbid)
        self.refused(409, "FileAlreadyExists", self.client.initiate, "k", forbid)
        self.assertEqual(self.client.get("k")[2], b"old")
        self.client.complete("k", upload, parts)
        self.assertEqual(self.client.get("k")[2], LAST)

    def test_an_upload_ends_once(self):
        upload, parts = self.upload("k", LAST)
        self.client.complete("k", upload, parts)
        for call in (lambda: self.client.complete("k", upload, parts), lambda: self.client.abort("k", upload),
                     lambda: self.client.upload_part("k", upload, 1, b"x"), lambda: self.client.list_parts("k", upload)):
            self.refused(404, "NoSuchUpload", call)
        upload, parts = self.upload("k", FIRST)
        self.assertEqual(self.client.abort("k", upload), 204)
        self.refused(404, "NoSuchUpload", self.client.complete, "k", upload, parts)
        self.assertEqual(self.client.get("k")[2], LAST)

    def test_an_upload_outlives_the_server(self):
        upload, parts = self.upload("k", FIRST)
        port = self.server.port
        self.server.kill()
        self.server.start(port)
        etag, _ = self.client.upload_part("k", upload, 2, LAST)
        self.client.complete("k", upload, parts + [(2, etag)])
        self.server.kill()
        self.server.start(port)
        self.assertEqual(self.client.get("k")[2], FIRST + LAST)

    def test_a_wrong_digest_is_refused(self):
        upload = self.client.initiate("k")
        headers = {"Content-MD5": "XrY7u+Ae7tCTyyK7j1rNww=="}
        self.refused(400, "InvalidDigest", self.client.upload_part, "k", upload, 1, b"other", headers)
        self.client.upload_part("k", upload, 1, b"hello world", headers)


@for_each_sdk
class PartCopies(MultipartCase):
    def setUp(self):
        super().setUp()
        self.source = bytes(range(256)) * 20
        self.etag = self.client.put("from", self.source)["etag"]
        self.id = self.client.initiate("to")

    def test_ranges_of_an_object_become_parts(self):
        spans = [(0, MINIMUM - 1), (MINIMUM, 3 * MINIMUM), (17, 20)]
        parts = [(number, self.client.upload_part_copy("from", "to", self.id, number, span))
                 for number, span in enumerate(spans, 1)]
        etag, crc = self.client.complete("to", self.id, parts)
        expected = b"".join(self.source[start:end + 1] for start, end in spans)
        self.assertEqual(crc, crc_of(expected))
        self.client.put("from", b"replaced")
        self.assertEqual(self.client.get("to")[2], expected)
        self.assertEqual(self.read("to", MINIMUM - 2, MINIMUM + 2), expected[MINIMUM - 2:MINIMUM + 2])

    def test_copies_and_sent_parts_mix_and_copies_can_be_copied(self):
        one = self.client.upload_part_copy("from", "to", self.id, 1)
        two, _ = self.client.upload_part("to", self.id, 2, LAST)
        self.client.complete("to", self.id, [(1, one), (2, two)])
        again = self.client.initiate("again")
        span = (len(self.source) - 3, len(self.source) + 1)
        etag = self.client.upload_part_copy("to", "again", again, 1, span)
        _, crc = self.client.complete("again", again, [(1, etag)])
        expected = (self.source + LAST)[span[0]:span[1] + 1]
        self.assertEqual((self.client.get("again")[2], crc), (expected, crc_of(expected)))

    def test_another_bucket(self):
        other = self.client_class(self.server.url, bucket=OTHER_BUCKET)
        upload = other.initiate("to")
        etag = other.upload_part_copy("from", "to", upload, 1, source_bucket=BUCKET)
        other.complete("to", upload, [(1, etag)])
        self.assertEqual(other.get("to")[2], self.source)
        other.delete("to")

    def test_conditions_and_missing_sources(self):
        condition = "x-oss-copy-source-if-"
        copy = self.client.upload_part_copy
        self.refused(412, "PreconditionFailed", copy, "from", "to", self.id, 1, None, {condition + "match": '"0"'})
        self.refused(304, "NotModified", copy, "from", "to", self.id, 1, None, {condition + "none-match": self.etag})
        copy("from", "to", self.id, 1, None, {condition + "match": self.etag})
        self.refused(404, "NoSuchKey", copy, "nothing", "to", self.id, 1)
        self.refused(404, "NoSuchBucket", copy, "from", "to", self.id, 1, source_bucket="no-such-bucket")
        self.refused(404, "NoSuchUpload", copy, "from", "to", "0123", 1)
        self.refused(416, "InvalidRange", copy, "from", "to", self.id, 1, (len(self.source), len(self.source) + 5))


@for_each_sdk
class UploadListings(MultipartCase):
    def test_parts_are_listed_by_number_in_pages(self):
        upload = self.client.initiate("k")
        expected = []
        for number in (9, 2, 5, 1):
            data = b"x" * number
            etag, crc = self.client.upload_part("k", upload, number, data)
            expected.append((number, etag, number, crc))
        if self.client.name == "oss2":
            # This SDK leaves the checksum out.
            expected = [(number, etag, size, "None") for number, etag, size, _ in expected]
        self.assertEqual(self.client.list_parts("k", upload).parts, sorted(expected))
        seen, following = [], ""
        while True:
            page = self.client.list_parts("k", upload, following, maximum=3)
            seen += page.parts
            if not page.is_truncated:
                break
            following = page.following
        self.assertEqual(seen, sorted(expected))

    def test_uploads_are_listed_by_key_in_pages(self):
        keys = [key for key in ODD_KEYS] + ["same", "same", "same"]
        expected = sorted(((key, self.client.initiate(key)) for key in keys), key=lambda item: (
            item[0].encode(), item[1]))
        for maximum in (1000, 4, 1):
            seen, following = [], ("", "")
            while True:
                page = self.client.list_uploads(following=following, maximum=maximum)
                seen += page.uploads
                if not page.is_truncated:
                    break
                following = page.following
            self.assertEqual(seen, expected)

    def test_a_prefix_narrows_the_uploads(self):
        for key in ("a", "b/1", "b/2", "c"):
            self.client.initiate(key)
        self.assertEqual([key for key, _ in self.client.list_uploads(prefix="b/").uploads], ["b/1", "b/2"])
        self.assertEqual([key for key, _ in self.client.list_uploads(delimiter="/").uploads], ["a", "c"])


del Multipart, PartCopies, UploadListings
