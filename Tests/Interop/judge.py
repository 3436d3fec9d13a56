"""The official SDKs as judges of what is in the bucket.

    judge.py SDK COMMAND ...          SDK: oss2 or v2; keys and endpoint from the environment

    list                              one line per object: key (percent-encoded), size, CRC-64
    compare TREE                      the bucket holds exactly the tree's files, byte for byte; markers of its directories
                                      may be there too; prints what differs and ends with 1
    put KEY [NAME=VALUE...] < BYTES   KEY percent-encoded; headers to send with it
    get KEY > BYTES
    head KEY                          name: value lines of the reply's headers
    about KEY                         what goes with the bytes: ACL, tags, storage class, content and user headers
    same KEY FILE                     the object is the file, byte for byte; neither is kept in memory
    watch KEY FILE                    oss2 only; looks every 50 ms until there is FILE, and once more: lines `NANOSECONDS ETAG SIZE`,
                                      or `NANOSECONDS absent 0`
    delete KEY
    put-tree TREE [PREFIX]            every file of the tree, under its own name
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, unquote_to_bytes

import crcmod

ENDPOINT = os.environ["OSS_ENDPOINT"]
REGION = os.environ.get("OSS_REGION", "cn-hangzhou")
BUCKET = os.environ["OSS_BUCKET"]
ID = os.environ["OSS_ACCESS_KEY_ID"]
SECRET = os.environ["OSS_ACCESS_KEY_SECRET"]


def crc64(data):
    return crcmod.Crc(0x142F0E1EBA9EA3693, initCrc=0, xorOut=0xFFFFFFFFFFFFFFFF, rev=True).new(data).crcValue


class OSS2:
    """oss2, the SDK that most programs use, with signature V4."""

    def __init__(self):
        import oss2

        auth = oss2.ProviderAuthV4(oss2.credentials.StaticCredentialsProvider(ID, SECRET))
        self.oss2 = oss2
        self.bucket = oss2.Bucket(auth, ENDPOINT, BUCKET, region=REGION, enable_crc=False, is_path_style=True)

    def list(self):
        for item in self.oss2.ObjectIteratorV2(self.bucket, max_keys=1000):
            yield item.key.encode(), item.size

    def get(self, key):
        return self.bucket.get_object(key.decode()).read()

    def put(self, key, data, headers=None):
        self.bucket.put_object(key.decode(), data, headers=headers)

    def headers(self, key):
        return dict(self.bucket.head_object(key.decode()).headers)

    def pieces(self, key):
        return self.bucket.get_object(key.decode())

    def delete(self, key):
        self.bucket.delete_object(key.decode())

    def acl(self, key):
        return self.bucket.get_object_acl(key.decode()).acl

    def tags(self, key):
        return dict(self.bucket.get_object_tagging(key.decode()).tag_set.tagging_rule)


class V2:
    """alibabacloud-oss-v2, the present SDK."""

    def __init__(self):
        import alibabacloud_oss_v2 as oss

        config = oss.config.load_default()
        config.credentials_provider = oss.credentials.StaticCredentialsProvider(ID, SECRET)
        config.region = REGION
        config.endpoint = ENDPOINT
        config.use_path_style = True
        config.disable_download_crc64_check = True
        self.oss = oss
        self.client = oss.Client(config)

    def list(self):
        token = None
        while True:
            page = self.client.list_objects_v2(
                self.oss.ListObjectsV2Request(
                    bucket=BUCKET, max_keys=1000, continuation_token=token, encoding_type="url"
                )
            )
            for item in page.contents or []:
                yield item.key.encode(), item.size
            if not page.is_truncated:
                return
            token = page.next_continuation_token

    def get(self, key):
        result = self.client.get_object(self.oss.GetObjectRequest(bucket=BUCKET, key=key.decode()))
        try:
            return result.body.read()
        finally:
            result.body.close()

    def put(self, key, data, headers=None):
        self.client.put_object(
            self.oss.PutObjectRequest(bucket=BUCKET, key=key.decode(), body=data, headers=headers or {})
        )

    def headers(self, key):
        return dict(self.client.head_object(self.oss.HeadObjectRequest(bucket=BUCKET, key=key.decode())).headers)

    def pieces(self, key):
        return self.client.get_object(self.oss.GetObjectRequest(bucket=BUCKET, key=key.decode())).body.iter_bytes()

    def delete(self, key):
        self.client.delete_object(self.oss.DeleteObjectRequest(bucket=BUCKET, key=key.decode()))

    def acl(self, key):
        return self.client.get_object_acl(self.oss.GetObjectAclRequest(bucket=BUCKET, key=key.decode())).acl

    def tags(self, key):
        found = self.client.get_object_tagging(self.oss.GetObjectTaggingRequest(bucket=BUCKET, key=key.decode()))
        return {tag.key: tag.value for tag in found.tag_set.tags or []}


def stored_crc(judge, key):
    headers = {name.lower(): value for name, value in judge.headers(key).items()}
    return int(headers["x-oss-hash-crc64ecma"])


def tree_of(root):
    """Files and directories of a local tree by their relative path in bytes."""
    root = os.fsencode(root)
    files, directories = {}, set()
    for folder, names, leaves in os.walk(root):
        for name in names:
            directories.add(os.path.relpath(os.path.join(folder, name), root) + b"/")
        for name in leaves:
            path = os.path.join(folder, name)
            files[os.path.relpath(path, root)] = path
    return files, directories


def compare(judge, root):
    files, directories = tree_of(root)
    listed = dict(judge.list())
    complaints = [f"missing in the bucket: {quote(key)}" for key in files.keys() - listed.keys()]
    for key in listed.keys() - files.keys():
        if key not in directories or listed[key] != 0:
            complaints.append(f"not in the tree: {quote(key)}")

    def check(key):
        with open(files[key], "rb") as file:
            expected = file.read()
        if listed[key] != len(expected):
            return f"listed with {listed[key]} bytes instead of {len(expected)}: {quote(key)}"
        if judge.get(key) != expected:
            return f"other bytes: {quote(key)}"
        if stored_crc(judge, key) != crc64(expected):
            return f"another CRC-64: {quote(key)}"
        return None

    with ThreadPoolExecutor(4) as pool:
        complaints += [found for found in pool.map(check, sorted(files.keys() & listed.keys())) if found]
    for complaint in complaints[:20]:
        print(complaint)
    print(f"compared {len(files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


def about(judge, key):
    """Lines that stay the same while the bytes and the POSIX attributes of an object change."""
    ours = ("mode", "uid", "gid", "mtime", "ctime", "atime")
    lines = [f"acl: {judge.acl(key)}"]
    lines += [f"tag {name}={value}" for name, value in sorted(judge.tags(key).items())]
    for name, value in sorted((name.lower(), value) for name, value in judge.headers(key).items()):
        is_foreign = name.startswith("x-oss-meta-") and name.removeprefix("x-oss-meta-") not in ours
        kept = ("content-type", "content-encoding", "content-disposition", "content-language", "cache-control",
                "expires", "x-oss-storage-class", "x-oss-server-side-encryption")
        if is_foreign or name in kept:
            lines.append(f"{name}: {value}")
    return lines


def same(judge, key, path):
    """What differs, or None; both are read a piece at a time."""
    crc = crcmod.Crc(0x142F0E1EBA9EA3693, initCrc=0, xorOut=0xFFFFFFFFFFFFFFFF, rev=True)
    size = 0
    with open(path, "rb") as file:
        for piece in judge.pieces(key):
            if file.read(len(piece)) != piece:
                return f"other bytes within {len(piece)} from {size}"
            crc.update(piece)
            size += len(piece)
        if file.read(1):
            return f"only {size} bytes"
    return None if stored_crc(judge, key) == crc.crcValue else "another CRC-64"


def watch(judge, key, path):
    is_last = False
    while not is_last:
        is_last = os.path.exists(path)
        moment = time.time_ns()
        try:
            headers = {name.lower(): value for name, value in judge.headers(key).items()}
            print(moment, headers["etag"].strip('"'), headers["content-length"], flush=True)
        except judge.oss2.exceptions.NotFound:
            print(moment, "absent", 0, flush=True)
        time.sleep(0.05)


def main():
    judge = {"oss2": OSS2, "v2": V2}[sys.argv[1]]()
    command, arguments = sys.argv[2], sys.argv[3:]
    if command == "list":
        for key, size in judge.list():
            print(quote(key), size, stored_crc(judge, key))
    elif command == "compare":
        return compare(judge, arguments[0])
    elif command == "put":
        headers = dict(argument.split("=", 1) for argument in arguments[1:])
        judge.put(unquote_to_bytes(arguments[0]), sys.stdin.buffer.read(), headers)
    elif command == "get":
        sys.stdout.buffer.write(judge.get(unquote_to_bytes(arguments[0])))
    elif command == "head":
        for name, value in sorted(judge.headers(unquote_to_bytes(arguments[0])).items()):
            print(f"{name.lower()}: {value}")
    elif command == "about":
        print("\n".join(about(judge, unquote_to_bytes(arguments[0]))))
    elif command == "same":
        difference = same(judge, unquote_to_bytes(arguments[0]), arguments[1])
        if difference:
            print(f"{arguments[0]}: {difference}")
            return 1
    elif command == "watch":
        watch(judge, unquote_to_bytes(arguments[0]), arguments[1])
    elif command == "delete":
        judge.delete(unquote_to_bytes(arguments[0]))
    elif command == "put-tree":
        prefix = os.fsencode(arguments[1]) if len(arguments) > 1 else b""

        def put(item):
            with open(item[1], "rb") as file:
                judge.put(prefix + item[0], file.read())

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(put, tree_of(arguments[0])[0].items()))
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
