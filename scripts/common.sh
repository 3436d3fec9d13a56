# shellcheck shell=bash
# What the scripts share; sourced, never run. It leaves the caller in the top folder of the project.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# A machine's own language would change what tools print, and the scripts read that.
export LC_ALL=C.UTF-8

say() { printf '%s\n' "$*"; }

# A heading, so that a long log can be searched for where it stopped.
step() { printf '\n== %s\n' "$*"; }

# What failed, why, and what to do.
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Every Swift call of the scripts goes through these flags: XCTest's own runner would print "Executed 0 tests".
swift_test() { swift test --disable-xctest "$@"; }
