"""What ossmount's client does with objects beside their bytes, and with versions; what `OurClient` inherits."""

import urllib.parse

from client_headers import headers_of, sorted_headers
from oss_call import NoSuchCall, to_hex, to_text
from raw_client import RawClient
from replies import Fault
from version_clients import VersionList


class OurKinds:
    def append(self, key, position, data, headers=None):
        """The position of the next append, and the checksum of the whole object, which the client compares itself."""
        metadata, properties, _ = sorted_headers(headers)
        known, checksum = self.checksums.get(key, (None, None))
        result = self._send("append", data, key=to_hex(key), position=position, metadata=metadata,
                            crc64=checksum if known == position else None)
        self.checksums[key] = (result["position"], result["crc64"])
        return result["position"], result["crc64"]

    def put_symlink(self, key, target, headers=None):
        metadata, _, others = sorted_headers(headers, "x-oss-forbid-overwrite")
        self._ask("put_link", key=to_hex(key), target=to_hex(target), metadata=metadata,
                  forbid_overwrite=others.get("x-oss-forbid-overwrite") == "true")

    def get_symlink(self, key):
        return to_text(self._ask("link", key=to_hex(key))["target"])

    def put_tags(self, key, tags):
        self._ask("put_tags", key=to_hex(key), tags=[
            {"key": to_hex(name), "value": to_hex(value)} for name, value in tags.items()])

    def get_tags(self, key):
        return {to_text(tag["key"]): to_text(tag["value"]) for tag in self._ask("tags", key=to_hex(key))}

    def delete_tags(self, key):
        self._ask("delete_tags", key=to_hex(key))
        return 204

    def put_acl(self, key, acl):
        self._ask("put_acl", key=to_hex(key), acl=to_hex(acl))

    def get_acl(self, key):
        return to_text(self._ask("acl", key=to_hex(key)))

    def restore(self, key, days=None):
        outcome = self._ask("restore", key=to_hex(key), days=days)
        if outcome == "inProgress":
            # To the client no error: somebody has begun it.
            raise Fault(409, "RestoreAlreadyInProgress", "", "")
        return {"begun": 202, "readable": 200}[outcome]

    def stat(self):
        """Bytes, objects, uploads."""
        told = self._ask("usage")
        return told["bytes"], told["objects"], told["uploads"]

    def list_buckets(self, **_):
        raise NoSuchCall("the client works with one bucket")

    # Versions.

    def set_versioning(self, status):
        """An operator does that, by another program."""
        self.keeps_versions = True
        place = urllib.parse.urlsplit(self.place["endpoint"])
        body = f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>"
        answer = RawClient(place).request("PUT", query=[("versioning", "")], body=body, bucket=self.bucket)
        assert answer.status == 200, answer.status

    def versioning(self):
        told = self._ask("description")["versioning"]
        return None if told == "never" else told.capitalize()

    def get_version(self, key, version):
        return self._receive("get", key=to_hex(key), version=to_hex(version))[1]

    def head_version(self, key, version):
        return headers_of(self._ask("head", key=to_hex(key), version=to_hex(version)))

    def delete_version(self, key, version=None):
        """The version of the reply, and whether it is a marker: by a listing, as the client's answer tells neither."""
        before = self.list_versions(prefix=key, maximum=1000)
        if version:
            self._ask("delete", key=to_hex(key), version=to_hex(version))
            return version, any(item[:2] == (key, version) for item in before.markers)
        self._ask("delete", key=to_hex(key))
        latest = [item[1] for item in self.list_versions(prefix=key, maximum=1000).markers if item[0] == key and item[2]]
        return (latest[0], True) if latest else (None, False)

    def delete_versions(self, items):
        for key, version in items:
            self._ask("delete", key=to_hex(key), version=to_hex(version))
        return items

    def list_versions(self, prefix="", delimiter="", following=("", ""), maximum=100):
        if delimiter not in ("", "/"):
            raise NoSuchCall("the client folds at slashes")
        parameters = {"prefix": to_hex(prefix), "folds": delimiter == "/", "limit": maximum}
        if following[0]:
            parameters["after_key"] = to_hex(following[0])
            if following[1]:
                parameters["after_version"] = to_hex(following[1])
        page = self._ask("list_versions", **parameters)
        rows = {False: [], True: []}
        for row in page["rows"]:
            rows[row["marker"]].append((to_text(row["key"]), to_text(row["version"]), row["latest"]))
        is_truncated = page["next_key"] is not None
        following = (to_text(page["next_key"]), to_text(page["next_version"] or "")) if is_truncated else ("", "")
        return VersionList(rows[False], rows[True], [to_text(text) for text in page["prefixes"]], is_truncated, following)
