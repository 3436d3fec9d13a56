"""Requests that no SDK sends: signed here, sent as they are."""

import base64
import datetime
import hashlib
import hmac
import html
import http.client
import urllib.parse
import xml.etree.ElementTree as ElementTree

from embedded_server import BUCKET, KEY_ID, KEY_SECRET, REGION


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = body

    @property
    def error(self):
        """The elements of an error document."""
        return {element.tag: element.text or "" for element in ElementTree.fromstring(self.body)}

    @property
    def code(self):
        return self.error["Code"]


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "~")


def signed_headers(method, bucket, key, query=(), headers=None, *, additional=(), key_id=KEY_ID, secret=KEY_SECRET,
                   region=REGION, now=None, spaced=False):
    """The headers with x-oss-date, x-oss-content-sha256 and Authorization (signature V4) added."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    date = now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-oss-date": date, "x-oss-content-sha256": "UNSIGNED-PAYLOAD", **(headers or {})}
    lowered = {name.lower(): value for name, value in headers.items()}
    signed = {name: value for name, value in lowered.items()
              if name.startswith("x-oss-") or name in ("content-type", "content-md5") or name in additional}
    resource = "/" + (quote(f"{bucket}/{key}", "/") if bucket else "")
    items = sorted((quote(name), quote(value)) for name, value in query)
    canonical = "\n".join([
        method, resource, "&".join(f"{name}={value}" if value else name for name, value in items),
        "".join(f"{name}:{signed[name]}\n" for name in sorted(signed)), ";".join(sorted(additional)),
        "UNSIGNED-PAYLOAD"])
    scope = f"{date[:8]}/{region}/oss/aliyun_v4_request"
    text = "\n".join(["OSS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signing_key = ("aliyun_v4" + secret).encode()
    for part in (date[:8], region, "oss", "aliyun_v4_request"):
        signing_key = hmac.new(signing_key, part.encode(), hashlib.sha256).digest()
    parts = [f"Credential={key_id}/{scope}"]
    if additional:
        parts.append("AdditionalHeaders=" + ";".join(sorted(additional)))
    parts.append("Signature=" + hmac.new(signing_key, text.encode(), hashlib.sha256).hexdigest())
    headers["Authorization"] = "OSS4-HMAC-SHA256 " + (", " if spaced else ",").join(parts)
    return headers


class RawClient:
    """Sends signed requests over one connection each."""

    def __init__(self, server, context=None):
        """`context` makes it HTTPS."""
        self.port = server.port
        self.context = context

    def connect(self, timeout):
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def send(self, method, target, headers, body=None, timeout=20):
        connection = self.connect(timeout)
        try:
            is_chunked = "Transfer-Encoding" in headers
            connection.request(method, target, body=body, headers=headers, encode_chunked=is_chunked)
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def delete_many(self, keys, **named):
        """DeleteMultipleObjects; the keys are to need no more than XML's own escapes."""
        objects = "".join(f"<Object><Key>{html.escape(key)}</Key></Object>" for key in keys)
        body = f"<Delete>{objects}</Delete>".encode()
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        return self.request("POST", "", [("delete", "")], {"Content-MD5": digest}, body, **named)

    def request(self, method, key="", query=(), headers=None, body=None, *, bucket=BUCKET, host=None, timeout=20,
                **signing):
        """A signed request, path-style unless `host` is given."""
        headers = dict(headers or {})
        if host:
            headers["Host"] = host
        headers = signed_headers(method, bucket, key, query, headers, **signing)
        path = "/" + quote(key, "/") if host else f"/{bucket}/{quote(key, '/')}"
        parameters = "&".join(quote(name) + ("=" + quote(value) if value else "") for name, value in query)
        return self.send(method, path + ("?" + parameters if parameters else ""), headers, body, timeout)
