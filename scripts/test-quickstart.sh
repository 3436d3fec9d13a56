#!/usr/bin/env bash
# Tries scripts/quickstart.sh --ci as its users will: here, here again, and, when run as root, as a normal user on a clean
# clone. Ends in `N passed, N failed`, and leaves nothing behind.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

passed=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

# attempt WORDS COMMAND...: counts a run, and shows what it said only if it failed.
attempt() {
    local words=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        passed=$((passed + 1))
        say "passed: $words"
    else
        failed=$((failed + 1))
        tail -n 50 "$folder/log"
        say "failed: $words"
    fi
}

attempt "quickstart --ci" scripts/quickstart.sh --ci
attempt "quickstart --ci, a second time" scripts/quickstart.sh --ci

# FUSE for a user: the device open to all, in a private mount namespace, as a machine may not have it so itself.
as_user() {
    git clone -q . "$folder/clone"
    chmod 755 "$folder"
    chown -R nobody "$folder/clone"
    mkdir "$folder/home" "$folder/tmp"
    chown nobody "$folder/home" "$folder/tmp"
    # shellcheck disable=SC2016  # the inner shell expands
    unshare --mount --propagation private bash -euc '
        mknod -m 666 "$0/fuse" c 10 229
        mount --bind "$0/fuse" /dev/fuse
        cd "$0/clone"
        exec setpriv --reuid nobody --regid nogroup --clear-groups \
            env HOME="$0/home" TMPDIR="$0/tmp" PATH="$PATH" scripts/quickstart.sh --ci' "$folder"
}
if [ "$(id -u)" = 0 ]; then attempt "quickstart --ci as a normal user, on a clean clone" as_user; fi

if pgrep -f "$folder|ossmount-quickstart" >/dev/null; then
    failed=$((failed + 1))
    say "failed: no process is left over"
    pgrep -af "$folder|ossmount-quickstart" || true
else
    passed=$((passed + 1))
fi
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
