"""What the server refuses, and how it says so."""

import base64
import datetime
import email.utils
import hashlib
import xml.etree.ElementTree as ElementTree

from cases import ServerCase, for_each_sdk
from clients import Fault
from embedded_server import BUCKET, KEY_ID
from raw_client import RawClient, signed_headers

MINUTE = datetime.timedelta(minutes=1)


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc)


@for_each_sdk
class Refusals:
    def refused(self, status, code, function, *arguments, **named):
        with self.assertRaises(Fault) as raised:
            function(*arguments, **named)
        self.assertEqual((raised.exception.status, raised.exception.code), (status, code))
        return raised.exception

    def test_a_missing_key(self):
        fault = self.refused(404, "NoSuchKey", self.client.get, "nothing")
        self.assertEqual(fault.ec, "0026-00000001")
        self.assertRegex(fault.request_id, "^[0-9A-F]{24}$")
        self.refused(404, "NoSuchKey", self.client.head, "nothing")

    def test_a_missing_bucket(self):
        client = self.client_class(self.server.url, bucket="no-such-bucket")
        self.refused(404, "NoSuchBucket", client.get, "k")
        self.refused(404, "NoSuchBucket", client.head, "k")
        self.refused(404, "NoSuchBucket", client.list_v2)

    def test_wrong_keys(self):
        client = self.client_class(self.server.url, secret="wrong")
        self.refused(403, "SignatureDoesNotMatch", client.get, "k")
        client = self.client_class(self.server.url, key_id="unknown")
        self.refused(403, "InvalidAccessKeyId", client.put, "k", b"x")

    def test_a_wrong_region(self):
        client = self.client_class(self.server.url, region="eu-west-1")
        if client.signature == "v4":
            self.refused(400, "InvalidArgument", client.get, "k")
        else:
            # V1 names no region.
            self.refused(404, "NoSuchKey", client.get, "k")

    def test_a_wrong_digest_leaves_the_old_object(self):
        self.client.put("k", b"old")
        digest = base64.b64encode(hashlib.md5(b"other").digest()).decode()
        self.refused(400, "InvalidDigest", self.client.put, "k", b"new", {"Content-MD5": digest})
        self.assertEqual(self.client.get("k")[2], b"old")

    def test_a_right_digest_is_taken(self):
        digest = base64.b64encode(hashlib.md5(b"new").digest()).decode()
        self.assertEqual(self.client.put("k", b"new", {"Content-MD5": digest})["content-md5"], digest)

    def test_metadata_has_a_limit(self):
        self.client.put("k", b"x", {"x-oss-meta-a": "v" * 8000})
        self.refused(400, "InvalidArgument", self.client.put, "k", b"x", {"x-oss-meta-a": "v" * 8192})

    def test_metadata_names_have_no_underscores(self):
        self.refused(400, "InvalidArgument", self.client.put, "k", b"x", {"x-oss-meta-a_b": "1"})

    def test_unknown_words_in_headers(self):
        self.refused(400, "InvalidArgument", self.client.put, "k", b"x", {"x-oss-storage-class": "Frozen"})
        self.refused(400, "InvalidArgument", self.client.put, "k", b"x", {"x-oss-object-acl": "nobody"})


class RawRefusals(ServerCase):
    def setUp(self):
        super().setUp()
        self.raw = RawClient(self.server)

    def test_names_that_are_no_keys(self):
        for key in ("/leading", "\\leading", "x" * 1024):
            self.assertEqual(self.raw.request("GET", key).code, "InvalidObjectName", key)
        self.assertEqual(self.raw.request("PUT", "x" * 1023, body=b"x").status, 200)

    def test_a_key_that_is_not_utf8(self):
        headers = {"Authorization": "OSS4-HMAC-SHA256 Credential=x"}
        self.assertEqual(self.raw.send("GET", f"/{BUCKET}/%ff", headers).status, 400)

    def test_an_unsigned_request(self):
        answer = self.raw.send("GET", f"/{BUCKET}/k", {})
        self.assertEqual((answer.status, answer.code), (403, "AccessDenied"))

    def test_dates_within_a_quarter_of_an_hour(self):
        self.assertEqual(self.raw.request("GET", "k", now=utc_now() - 14 * MINUTE).code, "NoSuchKey")
        self.assertEqual(self.raw.request("GET", "k", now=utc_now() + 14 * MINUTE).code, "NoSuchKey")
        answer = self.raw.request("GET", "k", now=utc_now() - 16 * MINUTE)
        self.assertEqual((answer.status, answer.code), (403, "RequestTimeTooSkewed"))
        self.assertEqual(answer.error["MaxAllowedSkewMilliseconds"], "900000")
        self.assertRegex(answer.error["ServerTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$")
        self.assertEqual(self.raw.request("GET", "k", now=utc_now() + 16 * MINUTE).code, "RequestTimeTooSkewed")

    def test_a_server_whose_clock_is_wrong_says_what_it_thinks(self):
        self.server.admin("POST", "clock", {"offset_seconds": 3600})
        answer = self.raw.request("GET", "k")
        self.assertEqual(answer.code, "RequestTimeTooSkewed")
        date = email.utils.parsedate_to_datetime(answer.headers["date"])
        self.assertLess(abs(date - utc_now() - 60 * MINUTE), MINUTE)
        self.assertEqual(self.raw.request("PUT", "k", body=b"x", now=date).status, 200)
        stored = email.utils.parsedate_to_datetime(self.raw.request("HEAD", "k", now=date).headers["last-modified"])
        self.assertLess(abs(stored - date), MINUTE)

    def test_a_mismatch_shows_what_was_signed(self):
        error = self.raw.request("GET", "k", secret="wrong").error
        self.assertEqual(error["OSSAccessKeyId"], KEY_ID)
        self.assertTrue(error["CanonicalRequest"].startswith(f"GET\n/{BUCKET}/k\n"))
        self.assertTrue(error["StringToSign"].startswith("OSS4-HMAC-SHA256\n"))

    def test_errors_of_head_stand_in_a_header(self):
        answer = self.raw.request("HEAD", "nothing")
        self.assertEqual((answer.status, answer.body), (404, b""))
        document = ElementTree.fromstring(base64.b64decode(answer.headers["x-oss-err"]))
        self.assertEqual(document.findtext("Code"), "NoSuchKey")
        self.assertEqual(document.findtext("RequestId"), answer.headers["x-oss-request-id"])
        self.assertEqual(answer.headers["x-oss-ec"], document.findtext("EC"))

    def test_what_the_server_does_not_know(self):
        for method, key, query in [("GET", "", "website"), ("PUT", "k", "x-oss-process"), ("POST", "k", "select")]:
            answer = self.raw.request(method, key, [(query, "")])
            self.assertEqual((answer.status, answer.code), (501, "NotImplemented"), query)

    def test_a_put_must_say_how_long_it_is(self):
        headers = signed_headers("PUT", BUCKET, "k")
        answer = self.raw.send("PUT", f"/{BUCKET}/k", headers)
        self.assertIn(answer.status, (200, 411))
        huge = {"Content-Length": str(6 << 30), "Expect": "100-continue"}
        answer = self.raw.send("PUT", f"/{BUCKET}/k", {**headers, **huge})
        self.assertEqual(answer.code, "EntityTooLarge")

    def test_deleting_many_needs_a_digest_and_a_document(self):
        body = b"<Delete><Object><Key>k</Key></Object></Delete>"
        self.assertEqual(self.raw.request("POST", "", [("delete", "")], body=body).code, "InvalidRequest")
        wrong = {"Content-MD5": base64.b64encode(hashlib.md5(b"").digest()).decode()}
        self.assertEqual(self.raw.request("POST", "", [("delete", "")], wrong, body).code, "InvalidDigest")
        right = {"Content-MD5": base64.b64encode(hashlib.md5(b"<Delete>").digest()).decode()}
        self.assertEqual(self.raw.request("POST", "", [("delete", "")], right, b"<Delete>").code, "MalformedXML")

    def test_keys_outside_of_xml_are_listed_only_encoded(self):
        for key in ("k\x01", "plain"):
            self.raw.request("PUT", key, body=b"x")
        encoded = self.raw.request("GET", "", [("list-type", "2"), ("encoding-type", "url")])
        self.assertIn(b"<Key>k%01</Key>", encoded.body)
        plain = ElementTree.fromstring(self.raw.request("GET", "", [("list-type", "2")]).body)
        self.assertEqual([item.text for item in plain.iter("Key")], ["plain"])

    def test_limits_of_listings(self):
        for name, value in [("max-keys", "1001"), ("max-keys", "x"), ("continuation-token", "!"), ("list-type", "3")]:
            query = [("list-type", "2"), (name, value)] if name != "list-type" else [(name, value)]
            self.assertEqual(self.raw.request("GET", "", query).code, "InvalidArgument", name)


del Refusals
