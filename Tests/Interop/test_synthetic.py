"""Objects too large to be stored: the server keeps their measures and makes their bytes up."""

import pathlib
import struct

import oss2

from cases import for_each_sdk

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

    def test_a_small_object_is_stored(self):
        self.client.put("k", b"small")
        self.client.put("other", bytes(MIB))
        self.assertEqual((self.client.get("k")[2], self.client.get("other")[2]), (b"small", bytes(MIB)))
        self.client.delete("k")
        self.client.delete("other")
        self.assertEqual(self.stored_bytes(), 0)


del Synthetic
