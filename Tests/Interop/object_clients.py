"""What the two official SDKs do with objects beside their bytes; what the clients of `clients.py` inherit."""

import urllib.parse

import alibabacloud_oss_v2 as sdk2
import oss2


class Oss2Objects:
    def append(self, key, position, data, headers=None):
        """The position of the next append, and the checksum of the whole object."""
        result = self._call(self.bucket.append_object, key, position, data, headers=headers)
        return result.next_position, str(result.crc)

    def put_symlink(self, key, target, headers=None):
        self._call(self.bucket.put_symlink, target, key, headers=headers)

    def get_symlink(self, key):
        return self._call(self.bucket.get_symlink, key).target_key

    def put_tags(self, key, tags):
        rule = oss2.models.TaggingRule()
        for name, value in tags.items():
            rule.add(name, value)
        self._call(self.bucket.put_object_tagging, key, oss2.models.Tagging(rule))

    def get_tags(self, key):
        return dict(self._call(self.bucket.get_object_tagging, key).tag_set.tagging_rule)

    def delete_tags(self, key):
        return self._call(self.bucket.delete_object_tagging, key).status

    def put_acl(self, key, acl):
        self._call(self.bucket.put_object_acl, key, acl)

    def get_acl(self, key):
        return self._call(self.bucket.get_object_acl, key).acl

    def restore(self, key, days=None):
        body = oss2.models.RestoreConfiguration(days=days) if days else None
        return self._call(self.bucket.restore_object, key, input=body).status

    def stat(self):
        """Bytes, objects, uploads."""
        result = self._call(self.bucket.get_bucket_stat)
        return result.storage_size_in_bytes, result.object_count, result.multi_part_upload_count

    def list_buckets(self, prefix="", following="", maximum=100):
        service = oss2.Service(self.bucket.auth, self.bucket.endpoint, region=self.region)
        result = self._call(service.list_buckets, prefix=prefix, marker=following, max_keys=maximum)
        return [item.name for item in result.buckets], result.is_truncated, result.next_marker


class SDK2Objects:
    def append(self, key, position, data, headers=None):
        """The position of the next append, and the checksum of the whole object."""
        request = sdk2.AppendObjectRequest(
            bucket=self.bucket, key=key, position=position, body=data, headers=headers or {})
        result = self._call(self.client.append_object, request)
        return result.next_position, str(result.hash_crc64)

    def put_symlink(self, key, target, headers=None):
        # This SDK leaves the escaping to its caller.
        request = sdk2.PutSymlinkRequest(
            bucket=self.bucket, key=key, target=urllib.parse.quote(target, safe=""), headers=headers or {})
        self._call(self.client.put_symlink, request)

    def get_symlink(self, key):
        result = self._call(self.client.get_symlink, sdk2.GetSymlinkRequest(bucket=self.bucket, key=key))
        return urllib.parse.unquote(result.target)

    def put_tags(self, key, tags):
        tagging = sdk2.Tagging(tag_set=sdk2.TagSet(tags=[sdk2.Tag(key=k, value=v) for k, v in tags.items()]))
        request = sdk2.PutObjectTaggingRequest(bucket=self.bucket, key=key, tagging=tagging)
        self._call(self.client.put_object_tagging, request)

    def get_tags(self, key):
        request = sdk2.GetObjectTaggingRequest(bucket=self.bucket, key=key)
        result = self._call(self.client.get_object_tagging, request)
        return {tag.key: tag.value or "" for tag in (result.tag_set.tags if result.tag_set else None) or []}

    def delete_tags(self, key):
        request = sdk2.DeleteObjectTaggingRequest(bucket=self.bucket, key=key)
        return self._call(self.client.delete_object_tagging, request).status_code

    def put_acl(self, key, acl):
        self._call(self.client.put_object_acl, sdk2.PutObjectAclRequest(bucket=self.bucket, key=key, acl=acl))

    def get_acl(self, key):
        return self._call(self.client.get_object_acl, sdk2.GetObjectAclRequest(bucket=self.bucket, key=key)).acl

    def restore(self, key, days=None):
        request = sdk2.RestoreObjectRequest(
            bucket=self.bucket, key=key, restore_request=sdk2.RestoreRequest(days=days) if days else None)
        return self._call(self.client.restore_object, request).status_code

    def stat(self):
        """Bytes, objects, uploads."""
        result = self._call(self.client.get_bucket_stat, sdk2.GetBucketStatRequest(bucket=self.bucket))
        return result.storage, result.object_count, result.multi_part_upload_count

    def list_buckets(self, prefix="", following="", maximum=100):
        request = sdk2.ListBucketsRequest(prefix=prefix or None, marker=following or None, max_keys=maximum)
        result = self._call(self.client.list_buckets, request)
        return [item.name for item in result.buckets or []], result.is_truncated, result.next_marker
