"""The client of ossmount behind the face of the official SDKs', so that their tests run with it too.

What it has no call or parameter for raises NoSuchCall, which skips the test.
"""

import itertools
import re

from client_headers import headers_of, headers_of_write, sorted_headers
from embedded_server import BUCKET, KEY_ID, KEY_SECRET, REGION
from oss_call import CallProgram, NoSuchCall, to_hex, to_text
from our_kinds import OurKinds
from our_uploads import OurUploads
from replies import Fault, Page


class OurClient(OurUploads, OurKinds):
    """OSSClient over libcurl."""

    name = "ossclient"
    signature = "v4"
    # What a mount has no use for, and the client no call.
    lacks = {"list_v1", "list_buckets", "bucket_location", "set_versioning", "delete_versions"}
    # What fails is repeated until then.
    milliseconds = 5000
    numbers = itertools.count()

    def __init__(self, url, bucket=BUCKET, key_id=KEY_ID, secret=KEY_SECRET, token=None, region=REGION):
        self.bucket = bucket
        self.keeps_versions = False
        self.checksums = {}
        self.place = {"endpoint": url, "bucket": bucket, "region": region, "signature": self.signature,
                      "key_id": key_id, "secret": secret, "token": token, "number": next(self.numbers)}

    def _ask(self, call, **parameters):
        answer = CallProgram.get().ask(
            {"call": call, "client": self.place, "milliseconds": self.milliseconds, **parameters})
        if "misuse" in answer:
            raise AssertionError(f"{call}: {answer['misuse']}")
        if "error" in answer:
            error = answer["error"]
            if error["status"] is None and error["kind"] == "invalidRequest":
                raise NoSuchCall("the client refuses that by itself")
            raise Fault(error["status"], error["code"], error["request_id"], error["ec"])
        return answer["result"]

    def _send(self, call, data, **parameters):
        path = CallProgram.get().body
        with open(path, "wb") as file:
            file.write(data)
        return self._ask(call, body=path, **parameters)

    def _receive(self, call, **parameters):
        """The answer, and the bytes that came."""
        path = CallProgram.get().out
        result = self._ask(call, out=path, **parameters)
        with open(path, "rb") as file:
            return result, file.read()

    def put(self, key, data, headers=None):
        metadata, properties, others = sorted_headers(headers, "x-oss-forbid-overwrite")
        result = self._send(
            "put", data, key=to_hex(key), metadata=metadata, properties=properties,
            forbid_overwrite=others.get("x-oss-forbid-overwrite") == "true")
        headers = headers_of_write(result)
        if self.keeps_versions:
            # The answer to a put has it, and the client leaves it to HEAD.
            headers.update({name: value for name, value in self.head(key).items() if name == "x-oss-version-id"})
        return headers

    def get(self, key, headers=None, params=None):
        """The status and headers and bytes of a GET; the client compares the CRC itself."""
        if params:
            raise NoSuchCall(f"the client doesn't send {', '.join(params)}")
        parameters, status = {}, 200
        for name, value in (headers or {}).items():
            if name.lower() == "range":
                found = re.fullmatch(r"bytes=(\d+)-(\d+)", value)
                if not found:
                    raise NoSuchCall("the client asks for ranges with both ends")
                parameters["range"] = [int(found[1]), int(found[2]) + 1]
                status = 206
            elif name.lower() == "if-match":
                parameters["if_match"] = to_hex(value)
            elif name.lower() != "x-oss-range-behavior":
                raise NoSuchCall(f"the client doesn't send {name}")
        if "range" in parameters and "x-oss-range-behavior" not in {name.lower() for name in headers}:
            # It always sends that header: without it a range past the end means another thing.
            info_size = self._ask("head", key=to_hex(key))["size"]
            if parameters["range"][1] > info_size:
                raise NoSuchCall("the client always asks for ranges by the standard")
        info, data = self._receive("get", key=to_hex(key), **parameters)
        told = headers_of(info)
        if status == 206:
            start = parameters["range"][0]
            told["content-range"] = f"bytes {start}-{start + len(data) - 1}/{info['size']}"
        return status, told, data

    def head(self, key, headers=None):
        if headers:
            raise NoSuchCall("the client's HEAD has no conditions")
        return headers_of(self._ask("head", key=to_hex(key)))

    def meta(self, key):
        return headers_of(self._ask("meta", key=to_hex(key)))

    def copy(self, source, target, headers=None, source_bucket=None):
        if source_bucket not in (None, self.bucket):
            raise NoSuchCall("the client copies within its bucket")
        metadata, properties, others = sorted_headers(
            headers, "x-oss-metadata-directive", "x-oss-copy-source-if-match", "x-oss-forbid-overwrite",
            "x-oss-tagging-directive")
        parameters = {"properties": properties, "forbid_overwrite": others.get("x-oss-forbid-overwrite") == "true",
                      "replaces_tags": others.get("x-oss-tagging-directive", "").lower() == "replace"}
        if others.get("x-oss-metadata-directive") == "REPLACE":
            parameters["metadata"] = metadata
        if "x-oss-copy-source-if-match" in others:
            parameters["source_if_match"] = to_hex(others["x-oss-copy-source-if-match"])
        return headers_of_write(self._ask("copy", source=to_hex(source), key=to_hex(target), **parameters))

    def delete(self, key):
        self._ask("delete", key=to_hex(key))
        return 204

    def delete_many(self, keys):
        """The client returns only once all are gone."""
        self._ask("delete_many", keys=[to_hex(key) for key in keys])
        return keys

    def list_v2(self, prefix="", delimiter="", following="", maximum=100, start_after=""):
        if delimiter not in ("", "/"):
            raise NoSuchCall("the client folds at slashes")
        parameters = {"prefix": to_hex(prefix), "folds": delimiter == "/", "limit": maximum}
        if following:
            parameters["next"] = following
        if start_after:
            parameters["start_after"] = to_hex(start_after)
        page = self._ask("list", **parameters)
        return Page([to_text(row["key"]) for row in page["rows"]], [to_text(text) for text in page["prefixes"]],
                    page["next"] is not None, page["next"], [row["size"] for row in page["rows"]])

    def list_v1(self, **_):
        raise NoSuchCall("the client lists by version 2")

    def bucket_info(self):
        told = self._ask("description")
        # It doesn't tell the bucket's name, which it was given.
        return self.bucket, to_text(told["location"]), to_text(told["storage_class"])

    def bucket_location(self):
        raise NoSuchCall("the client asks for all of a bucket's description")

    def presign(self, method, key, seconds=60, headers=None, params=None):
        """A URL, and the headers that go with it."""
        if method != "GET" or headers or params:
            raise NoSuchCall("the client signs plain GETs")
        return to_text(self._ask("presign", key=to_hex(key), seconds=seconds)), {}


class OurClientV1(OurClient):
    signature = "v1"
