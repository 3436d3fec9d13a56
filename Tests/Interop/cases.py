"""What the test modules share: a server for each module's classes, and each class once per SDK."""

import sys
import unittest

from clients import CLIENTS, Fault, Oss2Client
from embedded_server import Server
from raw_client import RawClient
from tally import uncounted

# Names that users have and tools stumble over: all are legal keys.
ODD_KEYS = [
    "plain.txt",
    "a b/c d",
    "plus+and%percent",
    "hash#question?amp&",
    "tilde~quote'double\"",
    "star*bang!(round)[square]{curly}",
    "中文/图片.jpg",
    "caf\u00e9",
    "cafe\u0301",
    "line\r\nfeed",
    "tab\there",
    "control\x01\x1f\x7fbytes",
    " leading and trailing ",
    "%41%2F literal escapes",
    "a//b",
    "ends/with/slash/",
    "semi;colon=comma,at@",
    "<xml>&amp;</xml>",
    "\U0001f600 beyond the plane",
    "\uffff not a character of XML",
    "x" * 255,
    "é" * 511 + "x",
]


class ServerCase(unittest.TestCase):
    """A test with a server that is clean at its start and its end. `for_each_sdk` sets `client_class`."""

    client_class = Oss2Client
    server_arguments = ()
    server_environment = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cls.server_arguments, cls.server_environment)

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")

    def setUp(self):
        self.server.reset()
        self.client = self.client_class(self.server.url)
        self.addCleanup(self.empty)

    def empty(self):
        """Deletes what the test left, raw and one by one: neither a delete of many nor the SDKs can name every key."""
        self.server.reset()
        with uncounted():
            self.delete_all(RawClient(self.server))

    def delete_all(self, raw):
        following = ""
        while True:
            page = self.client.list_v2(following=following, maximum=1000)
            for key in page.keys:
                raw.request("DELETE", key)
            if not page.is_truncated:
                break
            following = page.following
        for key, upload in self.client.list_uploads().uploads:
            raw.request("DELETE", key, [("uploadId", upload)])

    def refused(self, status, code, function, *arguments, **named):
        """The call fails with that status and code."""
        with self.assertRaises(Fault) as raised:
            function(*arguments, **named)
        self.assertEqual((raised.exception.status, raised.exception.code), (status, code))
        return raised.exception


def for_each_sdk(case):
    """Makes a class for each SDK of a class of tests, in the module that it stands in."""
    module = sys.modules[case.__module__]
    for client in CLIENTS:
        name = f"{case.__name__}_{client.__name__}"
        setattr(module, name, type(name, (case, ServerCase), {"client_class": client, "__module__": case.__module__}))
    return case
