"""Buckets that keep what is replaced and deleted, by the official SDKs."""

from cases import for_each_sdk
from embedded_server import BUCKET
from raw_client import RawClient


@for_each_sdk
class Versions:
    def setUp(self):
        super().setUp()
        # What other tests left would show: each works below a prefix of its own.
        self.prefix = self.id().rsplit(".", 1)[-1] + "/"
        self.key = self.prefix + "k"

    def put(self, data, key=None):
        return self.client.put(key or self.key, data).get("x-oss-version-id")

    def all(self, **named):
        return self.client.list_versions(prefix=self.prefix, **named)

    def test_1_a_bucket_has_none_at_first(self):
        self.assertFalse(self.client.versioning())
        self.assertIsNone(self.put(b"x"))
        self.assertEqual(self.all().versions, [(self.key, "null", True)])
        self.assertEqual(self.client.get_version(self.key, "null"), b"x")
        self.client.set_versioning("Enabled")
        self.assertEqual(self.client.versioning(), "Enabled")
        newer = self.put(b"newer")
        self.assertEqual(self.all().versions, [(self.key, newer, True), (self.key, "null", False)])
        self.assertEqual(self.client.get_version(self.key, "null"), b"x")

    def test_a_put_keeps_what_it_replaces(self):
        self.client.set_versioning("Enabled")
        one, two = self.put(b"one"), self.put(b"two")
        self.assertNotEqual(one, two)
        status, headers, data = self.client.get(self.key)
        self.assertEqual((data, headers["x-oss-version-id"]), (b"two", two))
        self.assertEqual(self.client.get_version(self.key, one), b"one")
        self.assertEqual(self.client.head_version(self.key, one)["x-oss-version-id"], one)
        self.assertEqual(self.all().versions, [(self.key, two, True), (self.key, one, False)])
        self.refused(404, "NoSuchVersion", self.client.get_version, self.key, "0123")

    def test_a_delete_leaves_a_marker(self):
        self.client.set_versioning("Enabled")
        one = self.put(b"one")
        marker, is_marker = self.client.delete_version(self.key)
        self.assertTrue(is_marker)
        self.refused(404, "NoSuchKey", self.client.get, self.key)
        answer = RawClient(self.server).request("HEAD", self.key)
        self.assertEqual((answer.headers["x-oss-delete-marker"], answer.headers["x-oss-version-id"]), ("true", marker))
        self.refused(405, "MethodNotAllowed", self.client.head_version, self.key, marker)
        self.assertEqual(self.client.list_v2(prefix=self.prefix).keys, [])
        page = self.all()
        self.assertEqual((page.versions, page.markers), ([(self.key, one, False)], [(self.key, marker, True)]))
        # Without its marker the object is there again.
        self.assertEqual(self.client.delete_version(self.key, marker), (marker, True))
        self.assertEqual(self.client.get(self.key)[2], b"one")

    def test_a_version_is_deleted_for_good(self):
        self.client.set_versioning("Enabled")
        one, two, three = self.put(b"one"), self.put(b"two"), self.put(b"three")
        self.assertEqual(self.client.delete_version(self.key, two), (two, False))
        self.client.delete_version(self.key, three)
        self.assertEqual(self.client.get(self.key)[2], b"one")
        self.assertEqual(self.client.delete_versions([(self.key, one)]), [(self.key, one)])
        self.refused(404, "NoSuchKey", self.client.get, self.key)
        self.assertEqual((self.all().versions, self.all().markers), ([], []))

    def test_suspended_versions_replace_the_null_version(self):
        self.client.set_versioning("Enabled")
        one = self.put(b"one")
        self.client.set_versioning("Suspended")
        self.assertEqual(self.client.versioning(), "Suspended")
        self.assertEqual(self.put(b"null 1"), "null")
        self.assertEqual(self.put(b"null 2"), "null")
        self.assertEqual(self.all().versions, [(self.key, "null", True), (self.key, one, False)])
        self.assertEqual(self.client.delete_version(self.key), ("null", True))
        page = self.all()
        self.assertEqual((page.versions, page.markers), ([(self.key, one, False)], [(self.key, "null", True)]))
        self.assertEqual(self.put(b"null 3"), "null")
        page = self.all()
        self.assertEqual((page.versions, page.markers), ([(self.key, "null", True), (self.key, one, False)], []))

    def test_copies_name_versions_and_make_them(self):
        self.client.set_versioning("Enabled")
        one = self.put(b"one")
        self.put(b"two")
        source = f"/{BUCKET}/{self.key}?versionId={one}"
        answer = RawClient(self.server).request("PUT", self.prefix + "to", headers={"x-oss-copy-source": source})
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.client.get(self.prefix + "to")[2], b"one")
        self.client.copy(self.key, self.key, {"x-oss-metadata-directive": "REPLACE", "x-oss-meta-a": "1"})
        self.assertEqual(len([item for item in self.all().versions if item[0] == self.key]), 3)

    def test_uploads_and_appends(self):
        self.client.set_versioning("Enabled")
        one = self.put(b"one")
        upload = self.client.initiate(self.key)
        etag, _ = self.client.upload_part(self.key, upload, 1, b"two")
        self.client.complete(self.key, upload, [(1, etag)], {"x-oss-forbid-overwrite": "true"})
        self.assertEqual(self.client.get(self.key)[2], b"two")
        self.assertEqual(self.client.get_version(self.key, one), b"one")
        other = self.prefix + "appended"
        self.client.append(other, 0, b"one")
        self.client.append(other, 3, b"two")
        self.assertEqual(self.client.get(other)[2], b"onetwo")
        self.assertEqual(len([item for item in self.all().versions if item[0] == other]), 1)

    def test_tags_make_no_version(self):
        self.client.set_versioning("Enabled")
        one = self.put(b"one")
        self.client.put_tags(self.key, {"a": "b"})
        self.assertEqual(self.all().versions, [(self.key, one, True)])

    def test_versions_are_listed_in_pages(self):
        self.client.set_versioning("Enabled")
        for name in ("a", "b/1", "b/2", "\u4e2d c"):
            for data in (b"one", b"two", b"three"):
                self.put(data, self.prefix + name)
        self.client.delete_version(self.prefix + "a")
        whole = self.all(maximum=1000)
        self.assertEqual((len(whole.versions), len(whole.markers)), (12, 1))
        for maximum in (1, 4, 5):
            versions, markers, following = [], [], ("", "")
            while True:
                page = self.all(following=following, maximum=maximum)
                versions += page.versions
                markers += page.markers
                if not page.is_truncated:
                    break
                following = page.following
            self.assertEqual((versions, markers), (whole.versions, whole.markers))
        page = self.all(delimiter="/")
        self.assertEqual((page.prefixes, len(page.versions)), ([self.prefix + "b/"], 6))

    def test_versions_outlive_the_server(self):
        self.client.set_versioning("Enabled")
        one, two = self.put(b"one"), self.put(b"two")
        port = self.server.port
        self.server.kill()
        self.server.start(port)
        self.assertEqual(self.client.get_version(self.key, one), b"one")
        self.assertEqual(self.client.get_version(self.key, two), b"two")
        self.assertEqual(self.client.versioning(), "Enabled")


del Versions
