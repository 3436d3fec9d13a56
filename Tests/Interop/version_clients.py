"""Buckets that keep versions, by the two official SDKs; what the clients of `clients.py` inherit."""

import alibabacloud_oss_v2 as sdk2
import oss2


class VersionList:
    """One page: (key, version, whether it is the latest) of objects and of delete markers."""

    def __init__(self, versions, markers, prefixes, is_truncated, following):
        self.versions = versions
        self.markers = markers
        self.prefixes = prefixes
        self.is_truncated = is_truncated
        self.following = following


class Oss2Versions:
    def set_versioning(self, status):
        self._call(self.bucket.put_bucket_versioning, oss2.models.BucketVersioningConfig(status))

    def versioning(self):
        return self._call(self.bucket.get_bucket_versioning).status

    def get_version(self, key, version):
        return self._call(self.bucket.get_object, key, params={"versionId": version}).read()

    def head_version(self, key, version):
        return {name.lower(): value for name, value in self._call(
            self.bucket.head_object, key, params={"versionId": version}).headers.items()}

    def delete_version(self, key, version=None):
        """The version of the reply, and whether it is a marker."""
        params = {"versionId": version} if version else None
        result = self._call(self.bucket.delete_object, key, params=params)
        return result.versionid, bool(result.delete_marker)

    def delete_versions(self, items):
        """Deletes (key, version) of each."""
        versions = oss2.models.BatchDeleteObjectVersionList()
        for key, version in items:
            versions.append(oss2.models.BatchDeleteObjectVersion(key, version))
        result = self._call(self.bucket.delete_object_versions, versions)
        return [(item.key, item.versionid) for item in result.delete_versions]

    def list_versions(self, prefix="", delimiter="", following=("", ""), maximum=100):
        result = self._call(
            self.bucket.list_object_versions, prefix=prefix, delimiter=delimiter, key_marker=following[0],
            versionid_marker=following[1], max_keys=maximum)
        return VersionList(
            [(item.key, item.versionid, item.is_latest) for item in result.versions],
            [(item.key, item.versionid, item.is_latest) for item in result.delete_marker],
            list(result.common_prefix), result.is_truncated, (result.next_key_marker, result.next_versionid_marker))


class SDK2Versions:
    def set_versioning(self, status):
        self._call(self.client.put_bucket_versioning, sdk2.PutBucketVersioningRequest(
            bucket=self.bucket, versioning_configuration=sdk2.VersioningConfiguration(status=status)))

    def versioning(self):
        request = sdk2.GetBucketVersioningRequest(bucket=self.bucket)
        result = self._call(self.client.get_bucket_versioning, request)
        return result.version_status

    def get_version(self, key, version):
        request = sdk2.GetObjectRequest(bucket=self.bucket, key=key, version_id=version)
        with self._call(self.client.get_object, request).body as body:
            return body.content

    def head_version(self, key, version):
        request = sdk2.HeadObjectRequest(bucket=self.bucket, key=key, version_id=version)
        return {name.lower(): value for name, value in self._call(self.client.head_object, request).headers.items()}

    def delete_version(self, key, version=None):
        """The version of the reply, and whether it is a marker."""
        request = sdk2.DeleteObjectRequest(bucket=self.bucket, key=key, version_id=version)
        result = self._call(self.client.delete_object, request)
        return result.version_id, bool(result.delete_marker)

    def delete_versions(self, items):
        """Deletes (key, version) of each."""
        objects = [sdk2.DeleteObject(key=key, version_id=version) for key, version in items]
        result = self._call(self.client.delete_multiple_objects, sdk2.DeleteMultipleObjectsRequest(
            bucket=self.bucket, encoding_type="url", objects=objects))
        return [(item.key, item.version_id) for item in result.deleted_objects or []]

    def list_versions(self, prefix="", delimiter="", following=("", ""), maximum=100):
        result = self._call(self.client.list_object_versions, sdk2.ListObjectVersionsRequest(
            bucket=self.bucket, prefix=prefix or None, delimiter=delimiter or None, key_marker=following[0] or None,
            version_id_marker=following[1] or None, max_keys=maximum, encoding_type="url"))
        return VersionList(
            [(item.key, item.version_id, item.is_latest) for item in result.version or []],
            [(item.key, item.version_id, item.is_latest) for item in result.delete_marker or []],
            [item.prefix for item in result.common_prefixes or []], result.is_truncated,
            (result.next_key_marker, result.next_version_id_marker))
