"""Buckets with a hierarchical namespace: directories that are renamed, made and deleted as things of their own."""

import urllib.parse
import xml.etree.ElementTree as ElementTree

from cases import ServerCase
from raw_client import RawClient


class Namespace(ServerCase):
    server_arguments = ["--hns"]

    def setUp(self):
        super().setUp()
        self.raw = RawClient(self.server)

    def seen(self, answer):
        return answer.status if answer.status == 200 else answer.code

    def rename(self, source, target):
        headers = {"x-oss-rename-source": urllib.parse.quote(source)}
        return self.seen(self.raw.request("POST", target, [("x-oss-rename", "")], headers))

    def make(self, directory):
        return self.seen(self.raw.request("POST", directory, [("x-oss-dir", "")]))

    def remove(self, directory, recursive=None, token=None):
        headers = {}
        if recursive is not None:
            headers["x-oss-delete-recursive"] = recursive
        if token is not None:
            headers["x-oss-delete-token"] = token
        return self.raw.request("POST", directory, [("x-oss-delete", "")], headers)

    def put(self, *keys):
        for key in keys:
            self.assertEqual(self.raw.request("PUT", key, body=key.encode()).status, 200)

    def keys(self):
        return self.client.list_v2(maximum=1000).keys

    def test_a_file_gets_another_path_and_keeps_the_rest(self):
        self.put("other/x")
        before = self.client.put("a b/c+中", b"data", {"x-oss-meta-a": "1"})
        self.assertEqual(self.rename("a b/c+中", "other/to"), 200)
        after = self.client.head("other/to")
        self.assertEqual((after["etag"], after["x-oss-meta-a"]), (before["etag"], "1"))
        self.assertEqual(self.client.get("other/to")[2], b"data")
        self.assertEqual(self.keys(), ["other/to", "other/x"])

    def test_a_directory_goes_with_all_that_is_below_it(self):
        self.make("dir")
        self.put("dir/a", "dir/sub/b", "dir-not", "dir0", "dir.x")
        self.assertEqual(self.rename("dir/", "moved"), 200)
        self.assertEqual(self.keys(), ["dir-not", "dir.x", "dir0", "moved/", "moved/a", "moved/sub/b"])
        self.assertEqual(self.client.get("moved/sub/b")[2], b"dir/sub/b")
        self.assertEqual(self.rename("moved/sub", "sub"), 200)
        self.assertEqual(self.client.get("sub/b")[2], b"dir/sub/b")

    def test_a_rename_replaces_nothing_and_needs_source_and_parent(self):
        self.put("a", "b", "dir/c", "full/d")
        for source, target, code in [("a", "b", "FileAlreadyExists"), ("a", "dir", "FileAlreadyExists"),
                                     ("dir", "full", "FileAlreadyExists"), ("a", "a", "FileAlreadyExists"),
                                     ("nothing", "to", "NoSuchKey"), ("a", "missing/to", "NoSuchKey"),
                                     ("a", "b/to", "NoSuchKey"), ("dir", "dir/sub", "InvalidArgument")]:
            with self.subTest(source=source, target=target):
                self.assertEqual(self.rename(source, target), code)
        self.assertEqual(self.keys(), ["a", "b", "dir/c", "full/d"])
        self.assertEqual(self.rename("a", "dir/a"), 200)

    def test_a_directory_is_made_once(self):
        self.put("file")
        self.assertEqual([self.make(name) for name in ("d", "d/", "d/e", "file", "file/d", "a//b")],
                         [200, 200, 200, "FileAlreadyExists", "FileAlreadyExists", "InvalidObjectName"])
        headers = self.client.head("d/")
        self.assertEqual((headers["content-type"], headers["content-length"]), ("application/x-directory", "0"))
        self.assertEqual(self.keys(), ["d/", "d/e/", "file"])

    def test_a_directory_is_deleted_when_empty_or_with_all_in_it(self):
        self.make("empty")
        self.put("full/a", "full/b/c")
        self.assertEqual(self.remove("full").code, "DirectoryNotEmpty")
        self.assertEqual(self.remove("full", "false").status, 409)
        self.assertEqual(self.remove("missing").code, "NoSuchKey")
        result = ElementTree.fromstring(self.remove("empty").body)
        self.assertEqual((result.findtext("DirectoryName"), result.findtext("DeleteNumber")), ("empty", "1"))
        result = ElementTree.fromstring(self.remove("full", "true").body)
        self.assertEqual((result.findtext("DeleteNumber"), result.findtext("NextDeleteToken")), ("2", None))
        self.assertEqual(self.keys(), [])

    def test_a_large_directory_is_deleted_in_turns(self):
        self.put("big/0", "bigger")
        for number in range(1, 1100):
            self.raw.request("PUT", f"big/{number}", headers={"x-oss-copy-source": "/interop-bucket/big/0"})
        counts, token = [], ""
        while token is not None:
            result = ElementTree.fromstring(self.remove("big", "true", token).body)
            counts.append(int(result.findtext("DeleteNumber")))
            token = result.findtext("NextDeleteToken")
        self.assertEqual((counts, self.keys()), ([1000, 100], ["bigger"]))
