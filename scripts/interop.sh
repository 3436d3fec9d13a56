#!/bin/sh
# The official Python SDKs against the embedded server. Usage: scripts/interop.sh [unittest arguments]
#
# Makes a virtual environment outside the tree once and uses it again. OSSMOUNT_SERVER names another server program than the
# debug build's. With no arguments, fails if fewer tests than MINIMUM ran.
set -eu
cd "$(dirname "$0")/.."

# Raise it with the tests: a suite that is skipped or not found must not pass.
MINIMUM=135
OSS2="oss2==2.19.1"
SDK2="alibabacloud-oss-v2==1.4.1"

environment="${XDG_CACHE_HOME:-$HOME/.cache}/ossmount-venv"
stamp="$environment/installed"
if [ "$(cat "$stamp" 2>/dev/null)" != "$OSS2 $SDK2" ]; then
    mkdir -p "$environment"
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "$OSS2" "$SDK2"
    echo "$OSS2 $SDK2" > "$stamp"
fi

OSSMOUNT_SERVER="${OSSMOUNT_SERVER:-$PWD/.build/debug/ossmount-server}"
export OSSMOUNT_SERVER
if [ ! -x "$OSSMOUNT_SERVER" ]; then
    swift build --product ossmount-server
fi

PYTHONDONTWRITEBYTECODE=1
PYTHONPATH="$PWD/Tests/Interop"
export PYTHONDONTWRITEBYTECODE PYTHONPATH
if [ $# -gt 0 ]; then
    exec "$environment/bin/python" -W ignore -m unittest "$@"
fi

report="$(mktemp)"
trap 'rm -f "$report"' EXIT
status=0
"$environment/bin/python" -W ignore -m unittest discover -s Tests/Interop 2> "$report" || status=$?
cat "$report" >&2
[ "$status" -eq 0 ] || exit "$status"
ran="$(sed -n 's/^Ran \([0-9]*\) tests\{0,1\} in .*/\1/p' "$report")"
if [ "${ran:-0}" -lt "$MINIMUM" ]; then
    echo "interop: only ${ran:-0} tests ran, $MINIMUM are the least" >&2
    exit 1
fi
