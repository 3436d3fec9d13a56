#!/usr/bin/env bash
# The official Python SDKs against the embedded server. Usage: scripts/interop.sh [unittest arguments]
#
# OSSMOUNT_SERVER names another server program than the debug build's. With no arguments, fails if fewer tests ran than
# scripts/tiers.sh says.
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
export OSSMOUNT_SERVER PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/Tests/Interop"
if [ $# -gt 0 ]; then
    exec "$python" -W ignore -m unittest "$@"
fi

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
"$python" -W ignore -m unittest discover -s Tests/Interop 2>&1 | tee "$report" || status=$?
# unittest ends with `Ran N tests in …` and, where some failed, `FAILED (failures=N, errors=N)`.
ran=$(sed -nE 's/^Ran ([0-9]+) tests? in .*/\1/p' "$report")
failed=$(sed -nE 's/^FAILED \((.*)\)$/\1/p' "$report" | tr -c '0-9\n' ' ' |
    awk '{ for (field = 1; field <= NF; field++) sum += $field } END { print sum + 0 }')
say "$((${ran:-0} - failed)) passed, $failed failed"
[ "$status" -eq 0 ] || exit "$status"
if [ "${ran:-0}" -lt "$interop_minimum" ]; then die "only ${ran:-0} interop tests ran, $interop_minimum are the least"; fi
