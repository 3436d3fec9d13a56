"""Uploads in parts by ossmount's client; what `OurClient` inherits."""

from client_headers import sorted_headers
from oss_call import NoSuchCall, to_hex, to_text
from replies import Fault
from upload_clients import PartList, UploadList

NUMBERS = range(1, 10_001)


class OurUploads:
    def initiate(self, key, headers=None):
        metadata, properties, _ = sorted_headers(headers)
        return to_text(self._ask("initiate", key=to_hex(key), metadata=metadata, properties=properties)["upload"])

    def upload_part(self, key, upload, number, data, headers=None):
        if headers or number not in NUMBERS:
            raise NoSuchCall("the client sends parts 1 to 10,000, and checks them by their CRC")
        result = self._send("upload_part", data, key=to_hex(key), upload=to_hex(upload), number=number)
        return to_text(result["etag"]), result["crc64"]

    def upload_part_copy(self, source, key, upload, number, span=None, headers=None, source_bucket=None):
        """`span` is the first and the last byte."""
        if source_bucket not in (None, self.bucket):
            raise NoSuchCall("the client copies within its bucket")
        _, _, others = sorted_headers(headers, "x-oss-copy-source-if-match")
        condition = others.get("x-oss-copy-source-if-match")
        result = self._ask(
            "copy_part", source=to_hex(source), key=to_hex(key), upload=to_hex(upload), number=number,
            range=[span[0], span[1] + 1] if span else None, source_if_match=to_hex(condition) if condition else None)
        return to_text(result["etag"])

    def complete(self, key, upload, parts, headers=None):
        """`parts` holds number and ETag of each; the reply's ETag and CRC-64."""
        if parts is None:
            raise NoSuchCall("the client names the parts")
        _, properties, others = sorted_headers(headers, "x-oss-forbid-overwrite")
        try:
            sizes = {part[0]: part[2] for part in self.list_parts(key, upload).parts}
        except Fault:
            sizes = {}
        result = self._ask(
            "complete", key=to_hex(key), upload=to_hex(upload),
            parts=[{"number": number, "etag": to_hex(etag)} for number, etag in parts],
            size=sum(sizes.get(number, 0) for number, _ in parts),
            forbid_overwrite=others.get("x-oss-forbid-overwrite") == "true")
        return to_text(result["etag"]), result["crc64"]

    def abort(self, key, upload):
        """The client takes an upload that is gone for done; that it was gone tells the listing of its parts."""
        fault = None
        try:
            self.list_parts(key, upload)
        except Fault as raised:
            fault = raised
        self._ask("abort", key=to_hex(key), upload=to_hex(upload))
        if fault:
            raise fault
        return 204

    def list_parts(self, key, upload, following="", maximum=1000):
        page = self._ask(
            "list_parts", key=to_hex(key), upload=to_hex(upload), after=following or None, limit=maximum)
        parts = [(part["number"], to_text(part["etag"]), part["size"], part["crc64"]) for part in page["parts"]]
        return PartList(parts, page["next"] is not None, page["next"])

    def list_uploads(self, prefix="", delimiter="", following=("", ""), maximum=1000):
        if delimiter:
            raise NoSuchCall("the client lists all uploads below a prefix")
        after = {"key": to_hex(following[0]), "upload": to_hex(following[1])} if following[0] else None
        page = self._ask("list_uploads", prefix=to_hex(prefix), after=after, limit=maximum)
        uploads = [(to_text(item["key"]), to_text(item["upload"])) for item in page["uploads"]]
        following = page["next"] and (to_text(page["next"]["key"]), to_text(page["next"]["upload"]))
        return UploadList(uploads, [], following is not None, following)
