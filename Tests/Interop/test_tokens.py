"""Temporary keys: given out by the two services, taken by OSS until they expire."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import tempfile
import urllib.parse
import uuid

from cases import ServerCase, for_each_sdk
from embedded_server import KEY_ID, KEY_SECRET, Server
from raw_client import RawClient

SECONDS = 20


def quote(text):
    return urllib.parse.quote(text, safe="~")


def assume_role(server, changes=(), secret=KEY_SECRET, now=None):
    """Signs and sends AssumeRole by the rules of the token service."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    query = {
        "Action": "AssumeRole", "Version": "2015-04-01", "Format": "JSON", "AccessKeyId": KEY_ID,
        "Timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0",
        "SignatureNonce": str(uuid.uuid4()),
    }
    form = {"RoleArn": "acs:ram::1234567890123456:role/oss-role", "RoleSessionName": "session@1.x",
            "DurationSeconds": "900", "Policy": '{"a": "*+ ~/"}'}
    for name, value in dict(changes).items():
        (query if name in query or name == "SecurityToken" else form)[name] = value
    joined = "&".join(f"{quote(name)}={quote(value)}" for name, value in sorted({**query, **form}.items()))
    text = "POST&%2F&" + quote(joined)
    digest = hmac.new((secret + "&").encode(), text.encode(), hashlib.sha1).digest()
    query["Signature"] = base64.b64encode(digest).decode()
    return RawClient(server).send(
        "POST", "/?" + urllib.parse.urlencode(query), {"Content-Type": "application/x-www-form-urlencoded"},
        urllib.parse.urlencode(form))


def ask(server, headers=None):
    """What the auth server answers, and its bytes."""
    answer = RawClient(server).send("GET", "/-/credentials", headers or {})
    return answer.status, answer.body


@for_each_sdk
class Tokens:
    server_arguments = ["--token-seconds", str(SECONDS)]

    def with_keys(self, keys):
        return self.client_class(
            self.server.url, key_id=keys["AccessKeyId"], secret=keys["AccessKeySecret"], token=keys["SecurityToken"])

    def check(self, keys):
        """They work, with all that belongs to them and up to their end."""
        expiry = datetime.datetime.strptime(keys["Expiration"], "%Y-%m-%dT%H:%M:%SZ")
        left = expiry - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        self.assertTrue(SECONDS - 5 <= left.total_seconds() <= SECONDS, left)
        client = self.with_keys(keys)
        client.put("k", b"data")
        self.assertEqual(client.get("k")[2], b"data")
        self.refused(403, "SignatureDoesNotMatch", self.with_keys({**keys, "AccessKeySecret": "x"}).get, "k")
        self.refused(403, "InvalidSecurityToken", self.with_keys({**keys, "SecurityToken": "x"}).get, "k")
        self.refused(403, "InvalidSecurityToken", self.with_keys({**keys, "SecurityToken": None}).get, "k")
        self.server.admin("POST", "clock", {"offset_seconds": SECONDS + 1})
        self.refused(403, "SecurityTokenExpired", client.get, "k")
        self.refused(403, "SecurityTokenExpired", client.put, "k", b"other")
        self.assertEqual(self.client.get("k")[2], b"data")

    def test_the_auth_server_gives_keys_that_expire(self):
        status, body = ask(self.server)
        document = json.loads(body)
        self.assertEqual((status, document["StatusCode"]), (200, 200))
        self.check(document)

    def test_assume_role_gives_keys_that_expire(self):
        answer = assume_role(self.server)
        self.assertEqual(answer.status, 200, answer.body)
        document = json.loads(answer.body)
        self.assertTrue(document["AssumedRoleUser"]["Arn"].endswith(":assumed-role/oss-role/session@1.x"))
        self.check(document["Credentials"])

    def test_keys_are_taken_back(self):
        first, second = (json.loads(ask(self.server)[1]) for _ in range(2))
        one, two = self.with_keys(first), self.with_keys(second)
        one.put("k", b"data")
        self.server.admin("POST", "credentials/revoke", {"access_key_id": first["AccessKeyId"]})
        self.refused(403, "InvalidSecurityToken", one.get, "k")
        self.assertEqual(two.get("k")[2], b"data")
        self.server.admin("POST", "credentials/revoke", {"as": "expired"})
        self.refused(403, "SecurityTokenExpired", two.get, "k")
        self.refused(403, "InvalidSecurityToken", one.get, "k")
        changes = {"AccessKeyId": second["AccessKeyId"], "SecurityToken": second["SecurityToken"]}
        answer = assume_role(self.server, changes, secret=second["AccessKeySecret"])
        self.assertEqual((answer.status, json.loads(answer.body)["Code"]), (400, "InvalidSecurityToken.Expired"))
        # The account's own keys stand, and so do those that are given out from now on.
        self.assertEqual(self.client.get("k")[2], b"data")
        self.assertEqual(self.with_keys(json.loads(ask(self.server)[1])).get("k")[2], b"data")

    def test_keys_outlive_the_server(self):
        keys = json.loads(ask(self.server)[1])
        port = self.server.port
        self.server.kill()
        self.server.start(port)
        self.with_keys(keys).put("k", b"data")

    def test_a_url_ends_with_its_token(self):
        self.client.put("k", b"data")
        url, headers = self.with_keys(json.loads(ask(self.server)[1])).presign("GET", "k", seconds=300)
        parts = urllib.parse.urlsplit(url)
        target = parts.path + "?" + parts.query
        raw = RawClient(self.server)
        self.assertEqual(raw.send("GET", target, dict(headers)).body, b"data")
        self.server.admin("POST", "clock", {"offset_seconds": SECONDS + 1})
        self.assertEqual(raw.send("GET", target, dict(headers)).code, "SecurityTokenExpired")


class TokenServices(ServerCase):
    def test_assume_role_is_checked(self):
        hour = datetime.timedelta(hours=1)
        now = datetime.datetime.now(datetime.timezone.utc)
        for status, code, arguments in [
            (400, "SignatureDoesNotMatch", {"secret": "wrong"}),
            (404, "InvalidAccessKeyId.NotFound", {"changes": {"AccessKeyId": "unknown"}}),
            (400, "InvalidTimeStamp.Expired", {"now": now - hour}),
            (400, "InvalidParameter.RoleSessionName", {"changes": {"RoleSessionName": "with blank"}}),
            (400, "InvalidParameter.DurationSeconds", {"changes": {"DurationSeconds": "899"}}),
            (400, "InvalidParameter.RoleArn", {"changes": {"RoleArn": "role"}}),
            (404, "InvalidAction.NotFound", {"changes": {"Action": "Other"}}),
        ]:
            answer = assume_role(self.server, **arguments)
            self.assertEqual((answer.status, json.loads(answer.body)["Code"]), (status, code))

    def test_a_request_to_assume_a_role_is_good_once(self):
        nonce = {"SignatureNonce": str(uuid.uuid4())}
        self.assertEqual(assume_role(self.server, {**nonce, "RoleArn": "role"}).status, 400)
        # Refused for its signature it uses no nonce up; refused for what it asks it does.
        fresh = {"SignatureNonce": str(uuid.uuid4())}
        self.assertEqual(assume_role(self.server, fresh, secret="wrong").status, 400)
        self.assertEqual(assume_role(self.server, fresh).status, 200)
        for again in (nonce, fresh):
            answer = assume_role(self.server, again)
            self.assertEqual((answer.status, json.loads(answer.body)["Code"]), (400, "SignatureNonceUsed"))
        self.assertEqual(assume_role(self.server).status, 200)

    def test_a_role_can_be_assumed_with_temporary_keys(self):
        keys = json.loads(assume_role(self.server).body)["Credentials"]
        changes = {"AccessKeyId": keys["AccessKeyId"], "SecurityToken": keys["SecurityToken"]}
        self.assertEqual(assume_role(self.server, changes, secret=keys["AccessKeySecret"]).status, 200)

    def test_both_services_are_counted_and_faulted(self):
        self.server.add_fault(operation="GetCredentials", kind="status", status=500, count=2)
        self.assertEqual([ask(self.server)[0] for _ in range(3)], [500, 500, 200])
        assume_role(self.server)
        requests = self.server.stats()["requests"]
        self.assertEqual((requests["GetCredentials"], requests["AssumeRole"]), (3, 1))

    def test_headers_can_be_demanded_and_replies_encoded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "headers")
            with open(path, "w", encoding="ascii") as file:
                file.write("X-Login-Token: abc:def\n\nX-App-Version: 7\n")
            server = Server(["--auth-headers", path, "--auth-status", "text", "--auth-encoding", "base64"])
            try:
                right = {"x-login-token": "abc:def", "X-App-Version": "7"}
                status, body = ask(server, right)
                document = json.loads(base64.b64decode(body))
                self.assertEqual((status, document["StatusCode"]), (200, "200"))
                for headers in ({}, {**right, "X-App-Version": "8"}):
                    status, body = ask(server, headers)
                    document = json.loads(base64.b64decode(body))
                    self.assertEqual((status, document["StatusCode"], document["ErrorCode"]),
                                     (200, "403", "AccessDenied"))
                    self.assertNotIn("AccessKeySecret", document)
            finally:
                self.assertEqual(server.stop(), 0)


del Tokens
