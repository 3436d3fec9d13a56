#!/usr/bin/env bash
# What must not stand in the code, each with the reason that it once cost something.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

failed=0
# ban REASON PATTERN [grep options and paths]: fails where a line matches that isn't a comment.
ban() {
    local reason=$1 pattern=$2 hits
    shift 2
    hits=$(grep -rnE --include='*.swift' "$@" -e "$pattern" | grep -vE '^[^:]+:[0-9]+: *//' || true)
    if [ -n "$hits" ]; then
        say "$reason:"
        say "$hits"
        failed=1
    fi
}

ban 'try! ends the process on an error that a mount must answer' '\btry!' Sources Tests
ban 'as! ends the process on a value of another type' '\bas!' Sources Tests
ban 'fatalError says nothing of the invariant; preconditionFailure names it' '\bfatalError\(' Sources
ban 'print goes to a stream that a daemon has closed; a command writes through Console' \
    '(^|[^A-Za-z0-9_.])(debugP|p)rint\(' Sources

# Two names that differ in bytes are one String: NFC equals NFD, and what isn't UTF-8 becomes U+FFFD. Bytes are decoded
# only to be printed, or where the text is ours (a digest's name, an errno's words), by the files listed here.
printing=(
    Sources/MountCommand/Console.swift
    Sources/MountCommand/SystemError.swift
    # libfuse's and strerror's words, and the numbers of /proc.
    Sources/FuseBridge/SystemCalls.swift
    # libcurl's words for its errors.
    Sources/HTTPTransport/CurlFailure.swift
    Sources/HTTPTransport/EasyHandle.swift
)
excluded=()
for file in "${printing[@]}"; do
    if [ -f "$file" ]; then excluded+=(--exclude="$(basename "$file")"); fi
done
ban 'names and keys are bytes; only files that print decode them (the list is in scripts/check-bans.sh)' \
    'String\((cString|decoding|describing|bytes|utf8String):' Sources "${excluded[@]}"

# Unchecked means that the compiler doesn't look: the reason stands on that line, right below, or in the comment right
# above, where it begins with "Unchecked".
while IFS= read -r -d '' file; do
    hits=$(awk '
        /^ *\/\// { waiting = 0; if ($0 ~ /Unchecked/) told = 1; next }
        waiting { print FILENAME ":" at ": " text; waiting = 0 }
        /@unchecked Sendable/ { if ($0 !~ /\/\// && !told) { waiting = 1; at = FNR; text = $0 } }
        { told = 0 }
        END { if (waiting) print FILENAME ":" at ": " text }' "$file")
    if [ -n "$hits" ]; then
        say '@unchecked Sendable without a comment that says why it is safe:'
        say "$hits"
        failed=1
    fi
done < <(find Sources Tests -name '*.swift' -print0)

# Unfinished work is done, or stands in README's Limits.
hits=$(grep -rnIE '\b(TODO|FIXME|XXX|HACK)\b' Sources Tests scripts README.md Package.swift \
    --exclude=check-bans.sh 2>/dev/null || true)
if [ -n "$hits" ]; then
    say 'unfinished work is done, or stands in the Limits of README.md:'
    say "$hits"
    failed=1
fi

# Paths of the machine that somebody worked on mean nothing anywhere else.
hits=$(grep -rnIE "$PWD/|/(root|Users)/" Sources Tests scripts README.md Package.swift .ci \
    --exclude=check-bans.sh 2>/dev/null || true)
if [ -n "$hits" ]; then
    say 'a path of one machine:'
    say "$hits"
    failed=1
fi
exit $failed
