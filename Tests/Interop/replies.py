"""What the clients of `clients.py` give and raise, whichever they are."""


class Fault(Exception):
    """What a client raises for a reply of the server."""

    def __init__(self, status, code, request_id, ec):
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code
        self.request_id = request_id
        self.ec = ec


class Page:
    """One page of a listing."""

    def __init__(self, keys, prefixes, is_truncated, following, sizes):
        self.keys = keys
        self.prefixes = prefixes
        self.is_truncated = is_truncated
        self.following = following
        self.sizes = sizes
