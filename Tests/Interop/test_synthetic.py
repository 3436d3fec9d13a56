"""Objects too large to be stored: the server keeps their measures and makes their bytes up."""

import pathlib
import struct
import xml.etree.ElementTree as ElementTree

import oss2

from cases import for_each_sdk
from raw_client import RawClient

MIB = 1 << 20


def pattern(start, end):
    """The bytes that such an object has from `start` to `end`, both on whole words."""
    words = [(number * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF for number in range(start // 8, end // 8)]
    return struct.pack(f"<{len(words)}Q", *words)


@for_each_sdk
class Synthetic:
    server_arguments = ["--bodies", "synthetic"]

    def stored_bytes(self):
        bodies = pathlib.Path(self.server.folder) / "data" / "bodies"
        return sum(path.stat().st_size for path in bodies.rglob("*") if path.is_file())

    def parts(self, key, upload):
        """Number, size and CRC-64 of each, which one SDK doesn't read."""
        answer = RawClient(self.server).request("GET", key, [("uploadId", upload)])
        return [tuple(part.findtext(name) for name in ("PartNumber", "Size", "HashCrc64ecma"))
                for part in ElementTree.fromstring(answer.body).iter("Part")]

    def test_a_large_object_comes_back_and_takes_no_room(self):
        whole = pattern(0, 3 * MIB)
        self.client.put("k", whole)
        self.assertEqual(self.client.get("k")[2], whole)
        upload = self.client.initiate("parts")
        parts = [(number, self.client.upload_part("parts", upload, number, whole[start:start + MIB + 512 * 1024])[0])
                 for number, start in ((1, 0), (2, MIB + 512 * 1024))]
        self.client.complete("parts", upload, parts)
        crc = oss2.utils.Crc64(0)
        crc.update(whole)
        self.assertEqual(self.client.head("parts")["x-oss-hash-crc64ecma"], str(crc.crc))
        self.assertEqual(self.client.get("parts")[2], whole)
        status, _, data = self.client.get("parts", {"Range": f"bytes=1000001-{2 * MIB}"})
        self.assertEqual((status, data), (206, whole[1000001:2 * MIB + 1]))
        self.client.copy("parts", "copy")
        self.assertEqual(self.client.get("copy")[2], whole)
        self.assertEqual(self.stored_bytes(), 0)

    def test_eighty_gigabytes_are_made_of_parts_that_are_copied(self):
        first = pattern(0, 8 * MIB)
        self.client.put("8MiB", first)
        sizes = {"1GiB": ("8MiB", 128, 8 * MIB), "80GiB": ("1GiB", 80, 1024 * MIB)}
        for key, (source, count, size) in sizes.items():
            upload = self.client.initiate(key)
            # With gaps, and in no order.
            numbers = list(range(1, 3 * count, 3))
            for number in reversed(numbers):
                self.client.upload_part_copy(source, key, upload, number)
            crc = self.client.head(source)["x-oss-hash-crc64ecma"]
            self.assertEqual(self.parts(key, upload), [(str(number), str(size), crc) for number in numbers])
            self.client.complete(key, upload, None)
        head = self.client.head("80GiB")
        self.assertEqual(head["content-length"], str(80 << 30))
        end = 80 << 30
        status, headers, data = self.client.get(
            "80GiB", {"Range": f"bytes={end - 4096}-{end - 1}", "x-oss-range-behavior": "standard"})
        self.assertEqual((status, data), (206, pattern(end - 4096, end)))
        upload = self.client.initiate("piece")
        self.client.upload_part_copy("80GiB", "piece", upload, 1, (0, 8 * MIB - 1))
        crc = oss2.utils.Crc64(0)
        crc.update(first)
        self.assertEqual(self.parts("piece", upload), [("1", str(8 * MIB), str(crc.crc))])
        self.assertEqual(self.stored_bytes(), 0)

    def test_a_small_object_is_stored(self):
        self.client.put("k", b"small")
        self.client.put("other", bytes(MIB))
        self.assertEqual((self.client.get("k")[2], self.client.get("other")[2]), (b"small", bytes(MIB)))
        self.client.delete("k")
        self.client.delete("other")
        self.assertEqual(self.stored_bytes(), 0)


del Synthetic
