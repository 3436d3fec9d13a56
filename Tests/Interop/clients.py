"""The two official SDKs, and ossmount's own client, behind one face: each test runs with each, and both signatures."""

import datetime

import alibabacloud_oss_v2 as sdk2
import oss2

from embedded_server import BUCKET, KEY_ID, KEY_SECRET, REGION
from object_clients import Oss2Objects, SDK2Objects
from our_client import OurClient, OurClientV1
from replies import Fault, Page
from tally import counted
from upload_clients import Oss2Uploads, SDK2Uploads
from version_clients import Oss2Versions, SDK2Versions


def lowered(headers):
    return {name.lower(): value for name, value in headers.items()}


class Oss2Client(Oss2Uploads, Oss2Objects, Oss2Versions):
    """oss2 2.x, which spells Authorization with blanks and puts AdditionalHeaders last."""

    name = "oss2"
    signature = "v4"

    def __init__(self, url, bucket=BUCKET, key_id=KEY_ID, secret=KEY_SECRET, token=None, region=REGION):
        credentials = oss2.credentials.StaticCredentialsProvider(key_id, secret, token)
        auth = oss2.ProviderAuthV4(credentials) if self.signature == "v4" else oss2.ProviderAuth(credentials)
        self.region = region
        session = oss2.Session()
        self.bucket = oss2.Bucket(auth, url, bucket, region=region, session=session, connect_timeout=30)

    @staticmethod
    def _call(function, *arguments, **named):
        try:
            return function(*arguments, **named)
        except oss2.exceptions.NotModified as error:
            raise Fault(304, "NotModified", error.request_id, None) from error
        except oss2.exceptions.ServerError as error:
            raise Fault(error.status, error.code, error.request_id, error.details.get("EC")) from error

    def put(self, key, data, headers=None):
        return lowered(self._call(self.bucket.put_object, key, data, headers=headers).headers)

    def get(self, key, headers=None, params=None):
        """The status and headers and bytes of a GET; the SDK compares the CRC itself."""
        result = self._call(self.bucket.get_object, key, headers=headers, params=params)
        return result.status, lowered(result.headers), result.read()

    def head(self, key, headers=None):
        return lowered(self._call(self.bucket.head_object, key, headers=headers).headers)

    def meta(self, key):
        return lowered(self._call(self.bucket.get_object_meta, key).headers)

    def copy(self, source, target, headers=None, source_bucket=BUCKET):
        return lowered(self._call(self.bucket.copy_object, source_bucket, source, target, headers=headers).headers)

    def delete(self, key):
        return self._call(self.bucket.delete_object, key).status

    def delete_many(self, keys):
        return self._call(self.bucket.batch_delete_objects, keys).deleted_keys

    def list_v2(self, prefix="", delimiter="", following="", maximum=100, start_after=""):
        result = self._call(
            self.bucket.list_objects_v2, prefix=prefix, delimiter=delimiter, continuation_token=following,
            max_keys=maximum, start_after=start_after)
        keys = [item.key for item in result.object_list]
        return Page(keys, result.prefix_list, result.is_truncated, result.next_continuation_token,
                    [item.size for item in result.object_list])

    def list_v1(self, prefix="", delimiter="", following="", maximum=100):
        result = self._call(
            self.bucket.list_objects, prefix=prefix, delimiter=delimiter, marker=following, max_keys=maximum)
        keys = [item.key for item in result.object_list]
        return Page(keys, result.prefix_list, result.is_truncated, result.next_marker,
                    [item.size for item in result.object_list])

    def bucket_info(self):
        result = self._call(self.bucket.get_bucket_info)
        return result.name, result.location, result.storage_class

    def bucket_location(self):
        return self._call(self.bucket.get_bucket_location).location

    def presign(self, method, key, seconds=60, headers=None, params=None):
        """A URL, and the headers that go with it."""
        url = self.bucket.sign_url(method, key, seconds, headers=headers, params=params, slash_safe=True)
        return url, headers or {}


class SDK2Client(SDK2Uploads, SDK2Objects, SDK2Versions):
    """alibabacloud-oss-v2, which spells Authorization without blanks."""

    name = "alibabacloud-oss-v2"
    signature = "v4"

    def __init__(self, url, bucket=BUCKET, key_id=KEY_ID, secret=KEY_SECRET, token=None, region=REGION):
        configuration = sdk2.config.load_default()
        configuration.credentials_provider = sdk2.credentials.StaticCredentialsProvider(key_id, secret, token)
        configuration.region = region
        configuration.endpoint = url
        configuration.retry_max_attempts = 1
        configuration.signature_version = self.signature
        self.client = sdk2.Client(configuration)
        self.bucket = bucket

    def _call(self, function, request, **named):
        try:
            return function(request, **named)
        except sdk2.exceptions.OperationError as error:
            service = error.unwrap()
            if not isinstance(service, sdk2.exceptions.ServiceError):
                raise
            code = "NotModified" if service.status_code == 304 else service.code
            raise Fault(service.status_code, code, service.request_id, service.ec) from error

    def put(self, key, data, headers=None):
        request = sdk2.PutObjectRequest(bucket=self.bucket, key=key, body=data, headers=headers or {})
        return lowered(self._call(self.client.put_object, request).headers)

    def get(self, key, headers=None, params=None):
        request = sdk2.GetObjectRequest(bucket=self.bucket, key=key, headers=headers or {}, parameters=params or {})
        result = self._call(self.client.get_object, request)
        with result.body as body:
            return result.status_code, lowered(result.headers), body.content

    def head(self, key, headers=None):
        request = sdk2.HeadObjectRequest(bucket=self.bucket, key=key, headers=headers or {})
        return lowered(self._call(self.client.head_object, request).headers)

    def meta(self, key):
        request = sdk2.GetObjectMetaRequest(bucket=self.bucket, key=key)
        return lowered(self._call(self.client.get_object_meta, request).headers)

    def copy(self, source, target, headers=None, source_bucket=BUCKET):
        request = sdk2.CopyObjectRequest(
            bucket=self.bucket, key=target, source_bucket=source_bucket, source_key=source, headers=headers or {})
        return lowered(self._call(self.client.copy_object, request).headers)

    def delete(self, key):
        request = sdk2.DeleteObjectRequest(bucket=self.bucket, key=key)
        return self._call(self.client.delete_object, request).status_code

    def delete_many(self, keys):
        objects = [sdk2.DeleteObject(key=key) for key in keys]
        request = sdk2.DeleteMultipleObjectsRequest(bucket=self.bucket, encoding_type="url", objects=objects)
        result = self._call(self.client.delete_multiple_objects, request)
        return [item.key for item in result.deleted_objects or []]

    def list_v2(self, prefix="", delimiter="", following="", maximum=100, start_after=""):
        request = sdk2.ListObjectsV2Request(
            bucket=self.bucket, prefix=prefix, delimiter=delimiter or None, continuation_token=following or None,
            max_keys=maximum, start_after=start_after or None, encoding_type="url")
        result = self._call(self.client.list_objects_v2, request)
        return self._page(result, result.next_continuation_token)

    def list_v1(self, prefix="", delimiter="", following="", maximum=100):
        request = sdk2.ListObjectsRequest(
            bucket=self.bucket, prefix=prefix, delimiter=delimiter or None, marker=following or None,
            max_keys=maximum, encoding_type="url")
        result = self._call(self.client.list_objects, request)
        return self._page(result, result.next_marker)

    @staticmethod
    def _page(result, following):
        contents = result.contents or []
        prefixes = [item.prefix for item in result.common_prefixes or []]
        return Page([item.key for item in contents], prefixes, result.is_truncated, following,
                    [item.size for item in contents])

    def bucket_info(self):
        info = self._call(self.client.get_bucket_info, sdk2.GetBucketInfoRequest(bucket=self.bucket)).bucket_info
        return info.name, info.location, info.storage_class

    def bucket_location(self):
        return self._call(self.client.get_bucket_location, sdk2.GetBucketLocationRequest(bucket=self.bucket)).location

    def presign(self, method, key, seconds=60, headers=None, params=None):
        """A URL, and the headers that go with it."""
        kinds = {"GET": sdk2.GetObjectRequest, "PUT": sdk2.PutObjectRequest, "HEAD": sdk2.HeadObjectRequest}
        request = kinds[method](bucket=self.bucket, key=key, headers=headers or {}, parameters=params or {})
        result = self.client.presign(request, expires=datetime.timedelta(seconds=seconds))
        return result.url, dict(result.signed_headers or {})


class Oss2ClientV1(Oss2Client):
    signature = "v1"


class SDK2ClientV1(SDK2Client):
    signature = "v1"


SDKS = [Oss2Client, Oss2ClientV1, SDK2Client, SDK2ClientV1]
OURS = [OurClient, OurClientV1]
CLIENTS = [counted(client) for client in SDKS + OURS]
