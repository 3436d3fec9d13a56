"""Uploads in parts by the two official SDKs; what the clients of `clients.py` inherit."""

import alibabacloud_oss_v2 as sdk2
import oss2


class PartList:
    """One page of an upload's parts: (number, ETag, size, CRC-64) of each."""

    def __init__(self, parts, is_truncated, following):
        self.parts = parts
        self.is_truncated = is_truncated
        self.following = following


class UploadList:
    """One page of a bucket's uploads: (key, id) of each."""

    def __init__(self, uploads, prefixes, is_truncated, following):
        self.uploads = uploads
        self.prefixes = prefixes
        self.is_truncated = is_truncated
        self.following = following


class Oss2Uploads:
    def initiate(self, key, headers=None):
        return self._call(self.bucket.init_multipart_upload, key, headers=headers).upload_id

    def upload_part(self, key, upload, number, data, headers=None):
        result = self._call(self.bucket.upload_part, key, upload, number, data, headers=headers)
        return f'"{result.etag}"', str(result.crc)

    def upload_part_copy(self, source, key, upload, number, span=None, headers=None, source_bucket=None):
        """`span` is the first and the last byte."""
        result = self._call(
            self.bucket.upload_part_copy, source_bucket or self.bucket.bucket_name, source, span, key, upload, number,
            headers=headers)
        return f'"{result.etag}"'

    def complete(self, key, upload, parts, headers=None):
        """`parts` holds number and ETag of each; the reply's ETag and CRC-64. None takes all parts."""
        headers = dict(headers or {})
        infos = [oss2.models.PartInfo(number, etag.strip('"')) for number, etag in parts or []]
        if parts is None:
            headers["x-oss-complete-all"] = "yes"
            infos = None
        result = self._call(self.bucket.complete_multipart_upload, key, upload, infos, headers=headers)
        return f'"{result.etag}"', str(result.crc)

    def abort(self, key, upload):
        return self._call(self.bucket.abort_multipart_upload, key, upload).status

    def list_parts(self, key, upload, following="", maximum=1000):
        result = self._call(self.bucket.list_parts, key, upload, marker=following, max_parts=maximum)
        parts = [(part.part_number, f'"{part.etag}"', part.size, str(part.part_crc)) for part in result.parts]
        return PartList(parts, result.is_truncated, result.next_marker)

    def list_uploads(self, prefix="", delimiter="", following=("", ""), maximum=1000):
        result = self._call(
            self.bucket.list_multipart_uploads, prefix=prefix, delimiter=delimiter, key_marker=following[0],
            upload_id_marker=following[1], max_uploads=maximum)
        return UploadList(
            [(item.key, item.upload_id) for item in result.upload_list], list(result.prefix_list), result.is_truncated,
            (result.next_key_marker, result.next_upload_id_marker))


class SDK2Uploads:
    def initiate(self, key, headers=None):
        request = sdk2.InitiateMultipartUploadRequest(bucket=self.bucket, key=key, headers=headers or {})
        return self._call(self.client.initiate_multipart_upload, request).upload_id

    def upload_part(self, key, upload, number, data, headers=None):
        request = sdk2.UploadPartRequest(
            bucket=self.bucket, key=key, upload_id=upload, part_number=number, body=data, headers=headers or {})
        result = self._call(self.client.upload_part, request)
        return result.etag, str(result.hash_crc64)

    def upload_part_copy(self, source, key, upload, number, span=None, headers=None, source_bucket=None):
        """`span` is the first and the last byte."""
        request = sdk2.UploadPartCopyRequest(
            bucket=self.bucket, key=key, upload_id=upload, part_number=number,
            source_bucket=source_bucket or self.bucket, source_key=source,
            source_range=f"bytes={span[0]}-{span[1]}" if span else None, headers=headers or {})
        return self._call(self.client.upload_part_copy, request).etag

    def complete(self, key, upload, parts, headers=None):
        """`parts` holds number and ETag of each; the reply's ETag and CRC-64. None takes all parts."""
        request = sdk2.CompleteMultipartUploadRequest(
            bucket=self.bucket, key=key, upload_id=upload, headers=headers or {})
        if parts is None:
            request.complete_all = "yes"
        else:
            request.complete_multipart_upload = sdk2.CompleteMultipartUpload(
                parts=[sdk2.UploadPart(part_number=number, etag=etag) for number, etag in parts])
        result = self._call(self.client.complete_multipart_upload, request)
        return result.etag, str(result.hash_crc64)

    def abort(self, key, upload):
        request = sdk2.AbortMultipartUploadRequest(bucket=self.bucket, key=key, upload_id=upload)
        return self._call(self.client.abort_multipart_upload, request).status_code

    def list_parts(self, key, upload, following="", maximum=1000):
        request = sdk2.ListPartsRequest(
            bucket=self.bucket, key=key, upload_id=upload, max_parts=maximum, part_number_marker=following or None,
            encoding_type="url")
        result = self._call(self.client.list_parts, request)
        parts = [(part.part_number, part.etag, part.size, str(part.hash_crc64)) for part in result.parts or []]
        return PartList(parts, result.is_truncated, result.next_part_number_marker)

    def list_uploads(self, prefix="", delimiter="", following=("", ""), maximum=1000):
        request = sdk2.ListMultipartUploadsRequest(
            bucket=self.bucket, prefix=prefix or None, delimiter=delimiter or None, key_marker=following[0] or None,
            upload_id_marker=following[1] or None, max_uploads=maximum, encoding_type="url")
        result = self._call(self.client.list_multipart_uploads, request)
        prefixes = [item.prefix for item in getattr(result, "common_prefixes", None) or []]
        return UploadList(
            [(item.key, item.upload_id) for item in result.uploads or []], prefixes, result.is_truncated,
            (result.next_key_marker, result.next_upload_id_marker))
