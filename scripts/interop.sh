#!/usr/bin/env bash
# The official Python SDKs and ossmount's own client against the embedded server, and what one writes read by the other.
# Usage: scripts/interop.sh [unittest arguments]
#
# OSSMOUNT_SERVER and OSSMOUNT_CALL name other programs than the debug build's ossmount-server and oss-call. With no
# arguments, prints which call was tested by which client and signature, and fails where one was not, or if fewer tests
# passed than scripts/tiers.sh says.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=scripts/tiers.sh
source "$(dirname "$0")/tiers.sh"

python=$(scripts/python-env.sh)
if [ -z "${OSSMOUNT_SERVER:-}" ]; then
    swift build --product ossmount-server
    OSSMOUNT_SERVER="$PWD/.build/debug/ossmount-server"
fi
if [ -z "${OSSMOUNT_CALL:-}" ]; then
    swift build --product oss-call
    OSSMOUNT_CALL="$PWD/.build/debug/oss-call"
fi
export OSSMOUNT_SERVER OSSMOUNT_CALL PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/Tests/Interop"
if [ $# -gt 0 ]; then
    exec "$python" -W ignore -m unittest "$@"
fi

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
"$python" -W ignore Tests/Interop/tally.py Tests/Interop 2>&1 | tee "$report" || status=$?
# unittest ends with `Ran N tests in …` and `OK (skipped=N)` or `FAILED (failures=N, errors=N, skipped=N)`. Skipped are
# tests of calls that our client hasn't.
ran=$(sed -nE 's/^Ran ([0-9]+) tests? in .*/\1/p' "$report")
skipped=$(sed -nE 's/^(OK|FAILED) \(.*skipped=([0-9]+).*\)$/\2/p' "$report")
failed=$(sed -nE 's/^FAILED \((.*)\)$/\1/p' "$report" | sed -E 's/skipped=[0-9]+//' | tr -c '0-9\n' ' ' |
    awk '{ for (field = 1; field <= NF; field++) sum += $field } END { print sum + 0 }')
passed=$((${ran:-0} - failed - ${skipped:-0}))
say "$passed passed, $failed failed"
[ "$status" -eq 0 ] || exit "$status"
if [ "$passed" -lt "$interop_minimum" ]; then die "only $passed interop tests passed, $interop_minimum are the least"; fi
