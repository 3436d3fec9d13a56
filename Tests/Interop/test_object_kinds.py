"""Appendable objects, symlinks, tags, ACLs, restorations, and what is told of buckets, by the official SDKs."""

import oss2

from cases import ODD_KEYS, for_each_sdk
from embedded_server import BUCKET, OTHER_BUCKET
from raw_client import RawClient


def crc_of(data):
    crc = oss2.utils.Crc64(0)
    crc.update(data)
    return str(crc.crc)


@for_each_sdk
class Appends:
    server_arguments = ["--part-maximum", "1000"]

    def test_bytes_are_added_at_the_end(self):
        whole, position = b"", 0
        for data in (b"one", b"", bytes(range(256)), b"last"):
            whole += data
            position, crc = self.client.append("k", position, data, {"x-oss-meta-a": str(len(whole))})
            self.assertEqual((position, crc), (len(whole), crc_of(whole)))
        status, headers, data = self.client.get("k")
        self.assertEqual((data, headers["x-oss-hash-crc64ecma"]), (whole, crc_of(whole)))
        self.assertEqual(headers["x-oss-object-type"], "Appendable")
        self.assertEqual(headers["x-oss-next-append-position"], str(len(whole)))
        self.assertEqual(headers["x-oss-meta-a"], "3")
        status, _, data = self.client.get("k", {"Range": "bytes=1-5", "x-oss-range-behavior": "standard"})
        self.assertEqual((status, data), (206, whole[1:6]))

    def test_a_wrong_position_is_refused_and_the_right_one_told(self):
        self.refused(409, "PositionNotEqualToLength", self.client.append, "k", 1, b"x")
        self.client.append("k", 0, b"four")
        for position in (0, 3, 5):
            self.refused(409, "PositionNotEqualToLength", self.client.append, "k", position, b"x")
        answer = RawClient(self.server).request("POST", "k", [("append", ""), ("position", "9")], body=b"x")
        self.assertEqual((answer.status, answer.headers["x-oss-next-append-position"]), (409, "4"))
        answer = RawClient(self.server).request("POST", "k", [("append", "")], body=b"x")
        self.assertEqual((answer.status, answer.error["EC"]), (400, "0016-00000501"))
        self.assertEqual(self.client.get("k")[2], b"four")

    def test_an_object_that_was_put_does_not_grow_and_a_put_replaces_one_that_does(self):
        self.client.put("k", b"four")
        self.refused(409, "ObjectNotAppendable", self.client.append, "k", 4, b"x")
        self.client.append("grows", 0, b"four")
        self.client.put("grows", b"new")
        self.assertEqual(self.client.head("grows")["x-oss-object-type"], "Normal")

    def test_it_grows_up_to_the_limit(self):
        self.client.append("k", 0, bytes(999))
        self.refused(400, "EntityTooLarge", self.client.append, "k", 999, b"xx")
        self.client.append("k", 999, b"x")

    def test_a_copy_has_all_bytes(self):
        self.client.append("k", 0, b"one")
        self.client.append("k", 3, b"two")
        self.client.copy("k", "copy")
        self.client.append("k", 6, b"three")
        self.assertEqual(self.client.get("copy")[2], b"onetwo")


@for_each_sdk
class Symlinks:
    def test_a_link_tells_where_it_leads(self):
        for number, target in enumerate(ODD_KEYS):
            self.client.put_symlink(f"link/{number}", target)
            with self.subTest(target=target):
                self.assertEqual(self.client.get_symlink(f"link/{number}"), target)

    def test_reads_follow_it(self):
        self.client.put("target", b"data", {"x-oss-meta-a": "target", "Content-Type": "text/x-own"})
        self.client.put_symlink("link", "target", {"x-oss-meta-a": "link"})
        status, headers, data = self.client.get("link")
        self.assertEqual(data, b"data")
        for headers in (headers, self.client.head("link")):
            self.assertEqual(headers["x-oss-object-type"], "Symlink")
            self.assertEqual(headers["content-length"], "4")
            self.assertEqual(headers["etag"], self.client.head("target")["etag"])
            self.assertEqual(headers["x-oss-meta-a"], "link")
        meta = self.client.meta("link")
        self.assertEqual(meta["x-oss-object-type"], "Symlink")
        self.assertNotEqual(meta["etag"], headers["etag"])
        self.assertEqual(self.client.list_v2(prefix="link").sizes, [len("target")])

    def test_a_link_to_nothing_and_one_to_a_link(self):
        self.client.put_symlink("link", "nothing")
        self.refused(404, "SymlinkTargetNotExist", self.client.get, "link")
        self.refused(404, "SymlinkTargetNotExist", self.client.head, "link")
        self.client.put_symlink("second", "link")
        self.refused(400, "InvalidTargetType", self.client.get, "second")

    def test_what_is_no_link(self):
        self.client.put("k", b"x")
        self.refused(400, "NotSymlink", self.client.get_symlink, "k")
        self.refused(404, "NoSuchKey", self.client.get_symlink, "nothing")
        self.refused(400, "InvalidObjectName", self.client.put_symlink, "link", "/absolute")

    def test_overwriting_can_be_forbidden_and_a_copy_is_a_link(self):
        self.client.put("target", b"data")
        self.client.put_symlink("link", "target")
        self.refused(409, "FileAlreadyExists", self.client.put_symlink, "link", "other",
                     {"x-oss-forbid-overwrite": "true"})
        self.client.copy("link", "copy")
        self.assertEqual(self.client.get_symlink("copy"), "target")
        self.client.delete("link")
        self.assertEqual(self.client.get("target")[2], b"data")


@for_each_sdk
class Descriptions:
    server_arguments = ["--restore-delay", "60"]

    def test_tags_are_put_given_back_and_taken_away(self):
        self.client.put("k", b"x", {"x-oss-tagging": "a=1&b%20c=d%2Fe"})
        self.assertEqual(self.client.get_tags("k"), {"a": "1", "b c": "d/e"})
        before = self.client.head("k")
        self.client.put_tags("k", {"new": "v+=._:/", "empty": ""})
        self.assertEqual(self.client.get_tags("k"), {"new": "v+=._:/", "empty": ""})
        after = self.client.head("k")
        self.assertEqual(after["x-oss-tagging-count"], "2")
        self.assertEqual(after["last-modified"], before["last-modified"])
        self.assertEqual(self.client.delete_tags("k"), 204)
        self.assertEqual(self.client.get_tags("k"), {})
        self.assertEqual(self.client.get("k")[2], b"x")

    def test_tags_have_limits(self):
        self.client.put("k", b"x")
        # One SDK refuses these by itself.
        for tags in ([(str(number), "v") for number in range(11)], [("k" * 129, "v")], [("", "v")], [("k", "v" * 257)]):
            text = "".join(f"<Tag><Key>{key}</Key><Value>{value}</Value></Tag>" for key, value in tags)
            answer = RawClient(self.server).request(
                "PUT", "k", [("tagging", "")], body=f"<Tagging><TagSet>{text}</TagSet></Tagging>")
            self.assertEqual((answer.status, answer.code), (400, "InvalidTag"))
        self.refused(404, "NoSuchKey", self.client.put_tags, "nothing", {"a": "b"})
        self.refused(404, "NoSuchKey", self.client.get_tags, "nothing")

    def test_an_acl_is_kept(self):
        self.client.put("k", b"x", {"x-oss-object-acl": "public-read"})
        self.assertEqual(self.client.get_acl("k"), "public-read")
        self.client.put_acl("k", "private")
        self.assertEqual(self.client.get_acl("k"), "private")
        self.client.put("k", b"x")
        self.assertEqual(self.client.get_acl("k"), "default")
        self.refused(404, "NoSuchKey", self.client.put_acl, "nothing", "private")

    def test_an_archived_object_is_restored_for_some_days(self):
        self.client.put("k", b"cold", {"x-oss-storage-class": "ColdArchive"})
        self.refused(403, "InvalidObjectState", self.client.get, "k")
        self.assertEqual(self.client.restore("k", days=2), 202)
        self.assertEqual(self.client.head("k")["x-oss-restore"], 'ongoing-request="true"')
        self.refused(403, "InvalidObjectState", self.client.get, "k")
        self.refused(409, "RestoreAlreadyInProgress", self.client.restore, "k", days=2)
        self.server.admin("POST", "clock", {"offset_seconds": 70})
        self.assertEqual(self.client.get("k")[2], b"cold")
        self.assertRegex(self.client.head("k")["x-oss-restore"], 'ongoing-request="false", expiry-date=".* GMT"')
        self.assertEqual(self.client.restore("k", days=2), 200)

    def test_only_an_archived_object_is_restored(self):
        self.client.put("k", b"x")
        self.refused(400, "OperationNotSupported", self.client.restore, "k", days=1)
        self.refused(404, "NoSuchKey", self.client.restore, "nothing", days=1)

    def test_a_bucket_tells_what_it_holds(self):
        self.client.put("a", b"four")
        self.client.put("b", b"sixsix", {"x-oss-storage-class": "IA"})
        self.client.initiate("c")
        self.assertEqual(self.client.stat(), (10, 2, 1))

    def test_the_buckets_are_listed_in_pages(self):
        self.assertEqual(self.client.list_buckets()[0], [BUCKET, OTHER_BUCKET])
        names, is_truncated, following = self.client.list_buckets(maximum=1)
        self.assertEqual((names, is_truncated), ([BUCKET], True))
        self.assertEqual(self.client.list_buckets(following=following, maximum=1)[:2], ([OTHER_BUCKET], False))
        self.assertEqual(self.client.list_buckets(prefix=OTHER_BUCKET)[0], [OTHER_BUCKET])


del Appends, Symlinks, Descriptions
