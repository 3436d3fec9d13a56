"""Between the headers that tests speak of and what ossmount's client takes and tells."""

import email.utils
import urllib.parse

from oss_call import NoSuchCall, to_hex, to_text

CONTENT_HEADERS = ("cache-control", "content-disposition", "content-encoding", "content-language", "expires")
TYPES = {"normal": "Normal", "multipart": "Multipart", "appendable": "Appendable", "symlink": "Symlink"}


class Told(dict):
    """Headers as far as the client tells them."""

    UNTOLD = {"content-md5", "server", "x-oss-request-id"}

    def __missing__(self, name):
        if name in self.UNTOLD:
            raise NoSuchCall(f"the client doesn't tell {name}")
        raise KeyError(name)


def sorted_headers(headers, *known):
    """The metadata and properties that headers ask for, and those others that the caller knows."""
    metadata, properties, others = {"user": {}, "content_headers": {}}, {}, {}
    for name, value in (headers or {}).items():
        name = name.lower()
        if name.startswith("x-oss-meta-"):
            metadata["user"][name.removeprefix("x-oss-meta-")] = to_hex(value)
        elif name == "content-type":
            metadata["content_type"] = to_hex(value)
        elif name in CONTENT_HEADERS:
            metadata["content_headers"][name] = to_hex(value)
        elif name == "x-oss-object-acl":
            properties["acl"] = to_hex(value)
        elif name == "x-oss-storage-class":
            properties["storage_class"] = to_hex(value)
        elif name == "x-oss-tagging":
            pairs = urllib.parse.parse_qsl(value, keep_blank_values=True)
            properties["tags"] = [{"key": to_hex(key), "value": to_hex(text)} for key, text in pairs]
        elif name in known:
            others[name] = value
        else:
            raise NoSuchCall(f"the client doesn't send {name}")
    return metadata, properties, others


def headers_of(info):
    """What the service's headers said, by what the client tells of them."""
    headers = Told({
        "content-length": str(info["size"]), "etag": to_text(info["etag"]),
        "last-modified": email.utils.formatdate(info["modified"], usegmt=True)})
    for name, value in info["user"].items():
        headers["x-oss-meta-" + name] = to_text(value)
    for name, value in info["content_headers"].items():
        headers[name] = to_text(value)
    if info["type"] in TYPES:
        headers["x-oss-object-type"] = TYPES[info["type"]]
    for name, field in (("content-type", "content_type"), ("x-oss-storage-class", "storage_class"),
                        ("x-oss-version-id", "version")):
        if info[field]:
            headers[name] = to_text(info[field])
    if info["crc64"]:
        headers["x-oss-hash-crc64ecma"] = info["crc64"]
    if info["tags"]:
        headers["x-oss-tagging-count"] = str(info["tags"])
    if info["append_position"] is not None:
        headers["x-oss-next-append-position"] = str(info["append_position"])
    if info["restoring"] is not None:
        until = info["restored_until"]
        expiry = f', expiry-date="{email.utils.formatdate(until, usegmt=True)}"' if until else ""
        headers["x-oss-restore"] = f'ongoing-request="{str(info["restoring"]).lower()}"' + expiry
    return headers


def headers_of_write(result):
    headers = Told({"etag": to_text(result["etag"])})
    if result["crc64"]:
        headers["x-oss-hash-crc64ecma"] = result["crc64"]
    return headers
