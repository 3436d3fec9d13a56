#!/usr/bin/env bash
# No file over 400 lines: one that grows past it holds more than one idea, and is split by idea.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

limit=400
failed=0
while IFS= read -r -d '' file; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "$limit" ]; then
        say "$file has $lines lines, more than $limit: split it by idea"
        failed=1
    fi
done < <(find Sources Tests scripts -type f \
    \( -name '*.swift' -o -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.py' \) -print0)
exit $failed
