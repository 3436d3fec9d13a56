#!/bin/sh
# Makes the Python environment of the interop clients once, and prints its interpreter.
#
# The official SDKs are pinned: they are the judges of what the mount and the server do, and a judge must not change
# from one run to the next. Set OSSMOUNT_PYTHON to use an environment of your own.
set -eu
if [ -n "${OSSMOUNT_PYTHON:-}" ]; then
    echo "$OSSMOUNT_PYTHON"
    exit 0
fi
root=$(cd "$(dirname "$0")/.." && pwd)
environment="$root/.build/python-env"
packages="oss2==2.19.1 alibabacloud-oss-v2==1.4.1"
mkdir -p "$root/.build"
# Several suites may ask at once: one makes it, the others wait.
exec 9>"$environment.lock"
flock 9
if [ "$(cat "$environment/packages" 2>/dev/null || true)" != "$packages" ]; then
    rm -rf "$environment"
    python3 -m venv "$environment" >&2
    # shellcheck disable=SC2086  # two packages, two words
    "$environment/bin/pip" install --quiet --disable-pip-version-check $packages >&2
    echo "$packages" >"$environment/packages"
fi
echo "$environment/bin/python"
