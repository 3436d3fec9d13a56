"""Counts for each call, client and signature how many tests used it and passed or failed, and prints the table."""

import collections
import contextlib
import functools
import sys
import unittest


class Tally:
    """What the running test has called, and the counts of those before."""

    used = set()
    calls = collections.Counter()
    passed = collections.Counter()
    failed = collections.Counter()
    clients = []
    depth = 0


def counted(client):
    """The client's class, whose public calls count; what one call makes of others counts as the outer one alone."""
    for name in dir(client):
        function = getattr(client, name)
        if not name.startswith("_") and callable(function) and getattr(function, "__code__", None):
            setattr(client, name, wrapped(name, function))
    if client not in Tally.clients:
        Tally.clients.append(client)
    return client


def wrapped(name, function):
    if hasattr(function, "__wrapped__"):
        return function

    @functools.wraps(function)
    def call(self, *arguments, **named):
        Tally.depth += 1
        try:
            result = function(self, *arguments, **named)
        except unittest.SkipTest:
            raise
        except BaseException:
            note(self, name)
            raise
        else:
            note(self, name)
            return result
        finally:
            Tally.depth -= 1

    return call


def note(client, name):
    if Tally.depth == 1:
        cell = (name, client.name, client.signature)
        Tally.used.add(cell)
        Tally.calls[cell] += 1


@contextlib.contextmanager
def uncounted():
    """Calls made within are no part of a test."""
    Tally.depth += 1
    try:
        yield
    finally:
        Tally.depth -= 1


class TallyResult(unittest.TextTestResult):
    """A result that credits each test to the calls that it made."""

    def startTest(self, test):
        Tally.used = set()
        self.has_failed = self.is_skipped = False
        super().startTest(test)

    def addSkip(self, test, reason):
        # A test that ends early has not shown what its calls were for.
        self.is_skipped = True
        super().addSkip(test, reason)

    def addFailure(self, test, error):
        self.has_failed = True
        super().addFailure(test, error)

    def addError(self, test, error):
        self.has_failed = True
        super().addError(test, error)

    def addSubTest(self, test, subtest, error):
        self.has_failed = self.has_failed or error is not None
        super().addSubTest(test, subtest, error)

    def stopTest(self, test):
        for cell in Tally.used if not self.is_skipped or self.has_failed else ():
            (Tally.failed if self.has_failed else Tally.passed)[cell] += 1
        super().stopTest(test)


def table():
    """The lines of the table, and the cells that no test has filled."""
    columns = [(client.name, client.signature) for client in Tally.clients]
    lacks = {client.name: getattr(client, "lacks", set()) for client in Tally.clients}
    rows = sorted({name for client in Tally.clients for name in dir(client)
                   if not name.startswith("_") and hasattr(getattr(client, name), "__wrapped__")})
    width = max(len(name) for name in rows)
    titles = [f"{name} {signature}" for name, signature in columns]
    lines = ["Tests passed (+failed) / calls made, by call, client and signature:",
             " ".join([" " * width] + [f"{title:>23}" for title in titles])]
    empty = []
    for row in rows:
        texts = []
        for name, signature in columns:
            cell = (row, name, signature)
            failures = f"+{Tally.failed[cell]}" if Tally.failed[cell] else ""
            text = f"{Tally.passed[cell]}{failures} / {Tally.calls[cell]}"
            if row in lacks[name]:
                text = "-"
            elif not Tally.passed[cell]:
                empty.append(" ".join(cell))
            texts.append(f"{text:>23}")
        lines.append(" ".join([f"{row:<{width}}"] + texts))
    return lines, empty


def main():
    """Runs all tests of this folder; the status is 0 only if all passed and no cell of the table is empty."""
    suite = unittest.defaultTestLoader.discover(sys.argv[1])
    result = unittest.TextTestRunner(resultclass=TallyResult).run(suite)
    lines, empty = table()
    print("\n".join(lines))
    for cell in empty:
        print(f"no test passed with {cell}")
    return 0 if result.wasSuccessful() and not empty else 1


if __name__ == "__main__":
    # The tests know this module by its name.
    import tally

    sys.exit(tally.main())
