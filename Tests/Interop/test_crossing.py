"""What ossmount's client writes the official SDKs read, and the other way round: bytes, checksums, all that is told."""

import sys

import oss2

from cases import ODD_KEYS, ServerCase
from clients import OURS, SDKS
from embedded_server import OTHER_BUCKET

MINIMUM = 1000
DATA = bytes(range(256)) * 40


def crc_of(data):
    crc = oss2.utils.Crc64(0)
    crc.update(data)
    return str(crc.crc)


class Crossing:
    """`writer_class` and `reader_class` are set for each pair."""

    server_arguments = ["--part-minimum", str(MINIMUM)]

    def setUp(self):
        super().setUp()
        self.writer = self.writer_class(self.server.url)
        self.reader = self.reader_class(self.server.url)

    def same(self, key, data):
        """The reader gets these bytes with their checksum; what both tell of the object is the same, which is returned."""
        status, headers, read = self.reader.get(key)
        self.assertEqual((status, read), (200, data))
        self.assertEqual(headers["x-oss-hash-crc64ecma"], crc_of(data))
        told = []
        for head in (self.writer.head(key), self.reader.head(key), headers):
            told.append({name: value for name, value in head.items()
                         if name in ("etag", "content-length", "last-modified", "content-type", "cache-control",
                                     "content-disposition", "expires") or name.startswith("x-oss-")})
            for name in ("x-oss-request-id", "x-oss-server-time", "x-oss-ec"):
                told[-1].pop(name, None)
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[1], told[2])
        return told[1]

    def test_a_put(self):
        sent = {
            "x-oss-meta-mode": "33188", "x-oss-meta-odd": "a=b; c,  d", "Content-Type": "image/x-test",
            "Cache-Control": "max-age=5", "Content-Disposition": 'attachment; filename="a b.txt"',
            "Expires": "Thu, 01 Dec 2033 16:00:00 GMT", "x-oss-storage-class": "IA",
            "x-oss-tagging": "a=1&b%20c=d%2Fe", "x-oss-object-acl": "public-read",
        }
        written = self.writer.put("k", DATA, sent)
        told = self.same("k", DATA)
        self.assertEqual(told["etag"], written["etag"])
        for name in set(sent) - {"x-oss-tagging", "x-oss-object-acl"}:
            self.assertEqual(told[name.lower()], sent[name])
        self.assertEqual(self.reader.get_tags("k"), {"a": "1", "b c": "d/e"})
        self.assertEqual(self.reader.get_acl("k"), "public-read")

    def test_an_empty_object_and_a_large_one(self):
        for data in (b"", DATA * 400):
            self.writer.put("k", data)
            self.same("k", data)

    def test_odd_keys(self):
        for number, key in enumerate(ODD_KEYS):
            self.writer.put(key, f"object {number}".encode())
        self.assertEqual(self.reader.list_v2().keys, sorted(ODD_KEYS, key=lambda key: key.encode()))
        for number, key in enumerate(ODD_KEYS):
            with self.subTest(key=key):
                self.assertEqual(self.reader.get(key)[2], f"object {number}".encode())
                self.reader.copy(key, "copy")
                self.assertEqual(self.writer.get("copy")[2], f"object {number}".encode())
                self.reader.delete(key)
        self.assertEqual(self.writer.list_v2().keys, ["copy"])

    def test_parts_sent_and_copied(self):
        self.writer.put("from", DATA)
        upload = self.writer.initiate("k", {"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
        parts = [(1, self.writer.upload_part("k", upload, 1, DATA)[0]),
                 (2, self.writer.upload_part_copy("from", "k", upload, 2, (17, 17 + MINIMUM))),
                 (5, self.writer.upload_part("k", upload, 5, b"end")[0])]
        self.assertEqual([item[:3] for item in self.reader.list_parts("k", upload).parts],
                         [item[:3] for item in self.writer.list_parts("k", upload).parts])
        self.assertEqual(self.reader.list_uploads().uploads, [("k", upload)])
        whole = DATA + DATA[17:18 + MINIMUM] + b"end"
        self.assertEqual(self.writer.complete("k", upload, parts)[1], crc_of(whole))
        told = self.same("k", whole)
        self.assertEqual((told["x-oss-object-type"], told["x-oss-meta-a"]), ("Multipart", "1"))

    def test_an_upload_goes_from_hand_to_hand(self):
        upload = self.writer.initiate("k")
        one = self.reader.upload_part("k", upload, 1, DATA)[0]
        two = self.writer.upload_part("k", upload, 2, b"end")[0]
        self.reader.complete("k", upload, [(1, one), (2, two)])
        self.same("k", DATA + b"end")
        other = self.writer.initiate("k")
        self.assertEqual(self.reader.abort("k", other), 204)
        self.assertEqual(self.writer.list_uploads().uploads, [])

    def test_appends(self):
        self.assertEqual(self.writer.append("k", 0, b"one ", {"x-oss-meta-a": "1"}), (4, crc_of(b"one ")))
        self.assertEqual(self.reader.append("k", 4, DATA), (4 + len(DATA), crc_of(b"one " + DATA)))
        self.writer.append("k", 4 + len(DATA), b"last")
        told = self.same("k", b"one " + DATA + b"last")
        self.assertEqual((told["x-oss-object-type"], told["x-oss-meta-a"]), ("Appendable", "1"))
        self.refused(409, "PositionNotEqualToLength", self.reader.append, "k", 5, b"x")

    def test_links(self):
        self.writer.put("target", DATA)
        for number, target in enumerate(ODD_KEYS):
            self.writer.put_symlink(f"link/{number}", target, {"x-oss-meta-a": str(number)})
            self.assertEqual(self.reader.get_symlink(f"link/{number}"), target)
        self.writer.put_symlink("link", "target", {"x-oss-meta-a": "own"})
        told = self.same("link", DATA)
        self.assertEqual((told["x-oss-object-type"], told["x-oss-meta-a"]), ("Symlink", "own"))
        self.assertEqual(self.reader.meta("link")["etag"], self.writer.meta("link")["etag"])

    def test_tags_and_access_lists(self):
        self.writer.put("k", DATA)
        tags = {"new": "v+=._:/", "empty": "", "\u4e2d": "<&>"}
        self.writer.put_tags("k", tags)
        self.assertEqual(self.reader.get_tags("k"), tags)
        self.assertEqual(self.same("k", DATA)["x-oss-tagging-count"], "3")
        self.reader.delete_tags("k")
        self.assertEqual(self.writer.get_tags("k"), {})
        for acl in ("public-read", "private", "public-read-write", "default"):
            self.writer.put_acl("k", acl)
            self.assertEqual(self.reader.get_acl("k"), acl)

    def test_copies(self):
        self.reader.put("from", DATA, {"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
        self.writer.copy("from", "kept")
        self.assertEqual(self.same("kept", DATA)["x-oss-meta-a"], "1")
        self.writer.copy("from", "from", {"x-oss-metadata-directive": "REPLACE", "x-oss-meta-b": "2"})
        told = self.same("from", DATA)
        self.assertEqual((told["x-oss-meta-b"], told.get("x-oss-meta-a")), ("2", None))

    def test_an_archived_object(self):
        self.writer.put("k", DATA, {"x-oss-storage-class": "ColdArchive"})
        self.refused(403, "InvalidObjectState", self.reader.get, "k")
        self.assertEqual(self.writer.restore("k", days=2), 202)
        self.assertEqual(self.reader.restore("k", days=3), 200)
        self.assertIn('ongoing-request="false"', self.same("k", DATA)["x-oss-restore"])

    def test_deletes_of_many(self):
        keys = [key for key in ODD_KEYS if all(ord(c) >= 32 or c in "\t\r\n" for c in key) and "\uffff" not in key]
        for key in keys + ["stays"]:
            self.reader.put(key, b"x")
        self.writer.delete_many(keys)
        self.assertEqual(self.reader.list_v2().keys, ["stays"])

    def test_what_the_bucket_tells(self):
        self.writer.put("k", DATA)
        self.assertEqual(self.writer.stat(), self.reader.stat())
        self.assertEqual(self.writer.bucket_info(), self.reader.bucket_info())

    def test_versions(self):
        # A bucket of its own, as one that keeps versions would go on to keep the other tests' objects.
        writer = self.writer_class(self.server.url, bucket=OTHER_BUCKET)
        reader = self.reader_class(self.server.url, bucket=OTHER_BUCKET)
        for client in (writer, reader):
            client.set_versioning("Enabled")
        one = writer.put("k", b"one")["x-oss-version-id"]
        two = reader.put("k", b"two")["x-oss-version-id"]
        marker, is_marker = writer.delete_version("k")
        self.assertTrue(is_marker)
        for client in (writer, reader):
            page = client.list_versions()
            self.assertEqual(page.versions, [("k", two, False), ("k", one, False)])
            self.assertEqual(page.markers, [("k", marker, True)])
            self.assertEqual((client.get_version("k", one), client.get_version("k", two)), (b"one", b"two"))
            self.assertEqual(client.head_version("k", one)["x-oss-version-id"], one)
            self.refused(404, "NoSuchKey", client.get, "k")
        self.assertEqual(reader.delete_version("k", marker), (marker, True))
        self.assertEqual(writer.get("k")[2], b"two")


def make_pairs():
    """A class of tests for each of our clients with each SDK, each way."""
    pairs = [(ours, sdk) for ours in OURS for sdk in SDKS]
    for writer, reader in pairs + [(sdk, ours) for ours, sdk in pairs]:
        name = f"Crossing_{writer.__name__}_to_{reader.__name__}"
        members = {"writer_class": writer, "reader_class": reader, "client_class": writer, "__module__": __name__}
        setattr(sys.modules[__name__], name, type(name, (Crossing, ServerCase), members))


make_pairs()
del Crossing
