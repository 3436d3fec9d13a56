"""Each question of --answer: what the server does by each of its variants."""

import datetime
import json
import time
import unittest
import xml.etree.ElementTree as ElementTree

from embedded_server import BUCKET, Server
from raw_client import RawClient
from test_tokens import ask

ELSEWHERE = "bucket-elsewhere"
ENDPOINT = "oss-eu-west-1.example.com"
META = {"x-oss-metadata-directive": "REPLACE"}


def until(condition):
    """Waits for it, at most ten seconds."""
    end = time.monotonic() + 10
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it never came to that")
        time.sleep(0.05)


class Answers(unittest.TestCase):
    def start(self, choice=None, *arguments):
        """A client of a server with this answer, or with the default ones."""
        self.server = Server([*(["--answer", choice] if choice else []), *arguments])
        self.addCleanup(lambda server: self.assertEqual(server.stop(), 0), self.server)
        return RawClient(self.server)

    def each(self, question, *arguments, variants):
        """A client for each variant, the default one first."""
        for variant in variants:
            with self.subTest(variant=variant):
                yield variant, self.start(None if variant == variants[0] else f"{question}={variant}", *arguments)

    def seen(self, answer):
        return answer.status, answer.code if answer.status >= 300 else None

    def append(self, raw, key, position, data, headers=None):
        answer = raw.request("POST", key, [("append", ""), ("position", str(position))], headers, data)
        self.assertEqual(answer.status, 200)

    def upload(self, raw, key):
        answer = raw.request("POST", key, [("uploads", "")])
        return ElementTree.fromstring(answer.body).findtext("UploadId")

    def test_wrong_region(self):
        wanted = {"denied": (403, "AccessDenied"), "redirect": (301, "PermanentRedirect")}
        arguments = ["--bucket-elsewhere", f"{ELSEWHERE}={ENDPOINT}"]
        for variant, raw in self.each("wrong-region", *arguments, variants=list(wanted)):
            for method, key, query in [("GET", "", [("list-type", "2")]), ("PUT", "k", []), ("GET", "k", [])]:
                answer = raw.request(method, key, query, bucket=ELSEWHERE, body=b"x" if method == "PUT" else None)
                self.assertEqual(self.seen(answer), wanted[variant])
                self.assertEqual(answer.error["Endpoint"], ENDPOINT)
                self.assertEqual("location" in answer.headers, variant == "redirect")
            self.assertEqual(raw.request("HEAD", "k", bucket=ELSEWHERE).status, wanted[variant][0])

    def test_far_date(self):
        wanted = {"skewed": (403, "RequestTimeTooSkewed"), "invalid": (400, "InvalidArgument")}
        far = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=2)
        for variant, raw in self.each("far-date", variants=list(wanted)):
            answer = raw.request("GET", "k", now=far)
            self.assertEqual(self.seen(answer), wanted[variant])
            self.assertEqual("ServerTime" in answer.error, variant == "skewed")
            self.assertEqual("signing date" in answer.error["Message"], variant == "invalid")

    def test_mismatch(self):
        for variant, raw in self.each("mismatch", variants=["full", "bare"]):
            error = raw.request("GET", "k", secret="wrong").error
            self.assertEqual(error["Code"], "SignatureDoesNotMatch")
            for name in ("StringToSign", "StringToSignBytes", "SignatureProvided", "CanonicalRequest"):
                self.assertEqual(name in error, variant == "full")

    def test_expired_token(self):
        wanted = {"expired": "SecurityTokenExpired", "invalid": "InvalidSecurityToken",
                  "unknown": "InvalidAccessKeyId", "denied": "AccessDenied"}
        for variant, raw in self.each("expired-token", variants=list(wanted)):
            keys = json.loads(ask(self.server)[1])
            self.server.admin("POST", "clock", {"offset_seconds": 3601})
            now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3601)
            answer = raw.request("GET", "k", headers={"x-oss-security-token": keys["SecurityToken"]},
                                 key_id=keys["AccessKeyId"], secret=keys["AccessKeySecret"], now=now)
            self.assertEqual(self.seen(answer), (403, wanted[variant]))
            if variant == "denied":
                self.assertEqual(answer.error["EC"], "0002-00000008")

    def test_listing_space(self):
        for variant, raw in self.each("listing-space", variants=["%20", "+"]):
            raw.request("PUT", "a b/c+d", body=b"x")
            self.upload(raw, "a b/c+d")
            space = variant.encode()
            for query in ([("list-type", "2")], [], [("versions", "")], [("uploads", "")]):
                answer = raw.request("GET", "", [*query, ("encoding-type", "url")])
                self.assertIn(b"<Key>a" + space + b"b%2Fc%2Bd</Key>", answer.body)
                self.assertIn(b"<Key>a b/c+d</Key>", raw.request("GET", "", query).body)
            folded = raw.request("GET", "", [("list-type", "2"), ("encoding-type", "url"), ("delimiter", "/")])
            self.assertIn(b"<Prefix>a" + space + b"b%2F</Prefix>", folded.body)

    def test_listings(self):
        def keys():
            page = ElementTree.fromstring(raw.request("GET", "", [("list-type", "2")]).body)
            return [item.text for item in page.iter("Key")]

        for variant, raw in self.each("listings", variants=["at-once", "late"]):
            raw.request("PUT", "a", body=b"x")
            until(lambda: keys() == ["a"])
            raw.request("PUT", "b", body=b"x")
            raw.request("DELETE", "a")
            self.assertEqual(keys(), ["b"] if variant == "at-once" else ["a"])
            self.assertEqual([raw.request("HEAD", key).status for key in ("a", "b")], [404, 200])
            until(lambda: keys() == ["b"])

    def test_first_page(self):
        for variant, raw in self.each("first-page", variants=["full", "empty"]):
            for key in ("a", "b", "c"):
                raw.request("PUT", key, body=b"x")
            for start, wanted in [([], ["a", "b", "c"]), ([("start-after", "a")], ["b", "c"])]:
                page = ElementTree.fromstring(raw.request("GET", "", [("list-type", "2"), *start]).body)
                keys = [item.text for item in page.iter("Key")]
                if variant == "empty":
                    self.assertEqual((keys, page.findtext("IsTruncated")), ([], "true"))
                    token = page.findtext("NextContinuationToken")
                    page = ElementTree.fromstring(
                        raw.request("GET", "", [("list-type", "2"), ("continuation-token", token)]).body)
                    keys = [item.text for item in page.iter("Key")]
                self.assertEqual((keys, page.findtext("IsTruncated")), (wanted, "false"))

    def test_delete_many(self):
        for variant, raw in self.each("delete-many", variants=["all", "partial"]):
            keys = ["a", "b", "c", "d", "e"]
            for key in keys:
                raw.request("PUT", key, body=b"x")
            answer = raw.delete_many(keys)
            deleted = [item.text for item in ElementTree.fromstring(answer.body).iter("Key")]
            self.assertEqual(deleted, keys if variant == "all" else ["a", "b", "c"])
            left = ElementTree.fromstring(raw.request("GET", "", [("list-type", "2")]).body)
            self.assertEqual([item.text for item in left.iter("Key")], keys[len(deleted):])

    def test_delete_document(self):
        for variant, raw in self.each("delete-document", variants=["any", "2MB"]):
            keys = [f"{number:04}" + "&" * 1000 for number in range(1000)]
            self.assertEqual(self.seen(raw.delete_many(keys)),
                             (200, None) if variant == "any" else (400, "MalformedXML"))
            self.assertEqual(raw.delete_many(keys[:300]).status, 200)

    def test_write_conditions(self):
        for variant, raw in self.each("write-conditions", variants=["ignored", "honoured", "refused"]):
            etag = raw.request("PUT", "k", body=b"old").headers["etag"]
            upload = self.upload(raw, "k")
            raw.request("PUT", "k", [("partNumber", "1"), ("uploadId", upload)], body=b"new")
            calls = [
                lambda headers: raw.request("PUT", "k", headers=headers, body=b"new"),
                lambda headers: raw.request("PUT", "k", headers={**headers, "x-oss-copy-source": f"/{BUCKET}/k"}),
                lambda headers: raw.request("POST", "k", [("uploadId", upload)],
                                            {**headers, "x-oss-complete-all": "yes"}),
            ]
            for call in calls:
                for headers in ({"If-None-Match": "*"}, {"If-Match": '"0"'}):
                    if variant == "ignored" and call is calls[2] and "If-Match" in headers:
                        continue
                    wanted = {"ignored": (200, None), "honoured": (412, "PreconditionFailed"),
                              "refused": (501, "NotImplemented")}[variant]
                    self.assertEqual(self.seen(call(headers)), wanted)
            if variant != "ignored":
                self.assertEqual(raw.request("GET", "k").body, b"old")
            if variant == "honoured":
                self.assertEqual(raw.request("PUT", "other", headers={"If-None-Match": "*"}, body=b"x").status, 200)
                self.assertEqual(raw.request("PUT", "k", headers={"If-Match": etag}, body=b"new").status, 200)

    def test_forbid_overwrite(self):
        for variant, raw in self.each("forbid-overwrite", variants=["ignored", "honoured"]):
            document = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
            self.assertEqual(raw.request("PUT", "", [("versioning", "")], body=document).status, 200)
            raw.request("PUT", "k", body=b"old")
            answer = raw.request("PUT", "k", headers={"x-oss-forbid-overwrite": "true"}, body=b"new")
            self.assertEqual(self.seen(answer), (200, None) if variant == "ignored" else (409, "FileAlreadyExists"))

    def test_copy_appendable(self):
        document = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
        refusal = (400, "OperationNotSupported")
        wanted = {"accepted": [(200, None)] * 2, "unversioned": [(200, None), refusal], "refused": [refusal] * 2}
        for variant, raw in self.each("copy-appendable", variants=list(wanted)):
            self.append(raw, "k", 0, b"x")
            seen = [self.seen(raw.request("PUT", "to", headers={"x-oss-copy-source": f"/{BUCKET}/k"}))]
            raw.request("PUT", "", [("versioning", "")], body=document)
            seen.append(self.seen(raw.request("PUT", "to", headers={"x-oss-copy-source": f"/{BUCKET}/k"})))
            self.assertEqual(seen, wanted[variant])

    def test_part_copy_appendable(self):
        for variant, raw in self.each("part-copy-appendable", variants=["accepted", "refused"]):
            self.append(raw, "k", 0, b"x")
            query = [("partNumber", "1"), ("uploadId", self.upload(raw, "to"))]
            answer = raw.request("PUT", "to", query, {"x-oss-copy-source": f"/{BUCKET}/k"})
            self.assertEqual(
                self.seen(answer), (200, None) if variant == "accepted" else (400, "OperationNotSupported"))

    def test_copy_acl(self):
        for variant, raw in self.each("copy-acl", variants=["default", "kept"]):
            raw.request("PUT", "k", headers={"x-oss-object-acl": "public-read"}, body=b"x")
            for key in ("to", "k"):
                raw.request("PUT", key, headers={"x-oss-copy-source": f"/{BUCKET}/k", **META})
                grant = ElementTree.fromstring(raw.request("GET", key, [("acl", "")]).body).find(".//Grant").text
                self.assertEqual(grant, "default" if variant == "default" else "public-read")

    def test_copy_class_limit(self):
        for variant, raw in self.each("copy-class-limit", "--part-maximum", "1000", variants=["5GB", "1GB"]):
            for size, wanted in [(200, 200), (201, 200 if variant == "5GB" else 400)]:
                raw.request("PUT", "k", body=bytes(size))
                source = {"x-oss-copy-source": f"/{BUCKET}/k"}
                self.assertEqual(raw.request("PUT", "to", headers=source).status, 200)
                self.assertEqual(
                    raw.request("PUT", "to", headers={**source, "x-oss-storage-class": "IA"}).status, wanted)

    def test_append_metadata(self):
        for variant, raw in self.each("append-metadata", variants=["first", "last"]):
            self.append(raw, "k", 0, b"x", {"x-oss-meta-a": "1", "Content-Type": "text/x-own"})
            self.append(raw, "k", 1, b"x", {"x-oss-meta-a": "2"})
            self.append(raw, "k", 2, b"x")
            headers = raw.request("HEAD", "k").headers
            self.assertEqual((headers["x-oss-meta-a"], headers["content-type"]),
                             ("1" if variant == "first" else "2", "text/x-own"))

    def test_restore_status(self):
        wanted = {"by-state": [202, 200], "200": [200, 200], "202": [202, 202]}
        for variant, raw in self.each("restore-status", variants=list(wanted)):
            raw.request("PUT", "k", headers={"x-oss-storage-class": "Archive"}, body=b"x")
            self.assertEqual([raw.request("POST", "k", [("restore", "")]).status for _ in range(2)], wanted[variant])

    def test_checksum(self):
        for variant, raw in self.each("checksum", variants=["told", "absent"]):
            self.assertIn("x-oss-hash-crc64ecma", raw.request("PUT", "k", body=b"x").headers)
            for method, query in [("GET", []), ("HEAD", []), ("HEAD", [("objectMeta", "")])]:
                self.assertEqual("x-oss-hash-crc64ecma" in raw.request(method, "k", query).headers, variant == "told")

    def test_bucket_stat(self):
        def count(now):
            return ElementTree.fromstring(raw.request("GET", "", [("stat", "")], now=now).body).findtext("ObjectCount")

        for variant, raw in self.each("bucket-stat", variants=["now", "hourly"]):
            now = datetime.datetime.now(datetime.timezone.utc)
            self.assertEqual(count(now), "0")
            raw.request("PUT", "k", body=b"x")
            self.assertEqual(count(now), "1" if variant == "now" else "0")
            self.server.admin("POST", "clock", {"offset_seconds": 3601})
            self.assertEqual(count(now + datetime.timedelta(seconds=3601)), "1")

    def test_hns_flag(self):
        for variant, raw in self.each("hns-flag", "--hns", variants=["absent", "told"]):
            body = raw.request("GET", "", [("bucketInfo", "")]).body
            self.assertEqual(b"<HierarchicalNamespace>" in body, variant == "told")

    def test_hns_refusal(self):
        wanted = {"denied": (403, "AccessDenied"), "unknown": (501, "NotImplemented")}
        for variant, raw in self.each("hns-refusal", variants=list(wanted)):
            for query in ("x-oss-rename", "x-oss-dir", "x-oss-delete"):
                self.assertEqual(self.seen(raw.request("POST", "k", [(query, "")])), wanted[variant])

    def test_rename_source(self):
        for variant, raw in self.each("rename-source", "--hns", variants=["encoded", "raw"]):
            raw.request("PUT", "a b", body=b"decoded")
            raw.request("PUT", "a%20b", body=b"as it is")
            self.assertEqual(
                raw.request("POST", "to", [("x-oss-rename", "")], {"x-oss-rename-source": "a%20b"}).status, 200)
            self.assertEqual(raw.request("GET", "to").body, b"decoded" if variant == "encoded" else b"as it is")

    def test_a_request_that_stalls_is_told_by_either_status(self):
        raw = self.start()
        for status in (400, 408):
            self.server.add_fault(operation="PutObject", kind="status", status=status, code="RequestTimeout", count=1)
            self.assertEqual(self.seen(raw.request("PUT", "k", body=b"x")), (status, "RequestTimeout"))

    def test_every_question_is_shown_here_and_told_by_the_help(self):
        names = Server.help_words("    ")
        shown = {name.removeprefix("test_").replace("_", "-") for name in dir(self) if name.startswith("test_")}
        self.assertTrue(names)
        self.assertEqual({name.split("=")[0] for name in names} - shown, set())


if __name__ == "__main__":
    unittest.main()
