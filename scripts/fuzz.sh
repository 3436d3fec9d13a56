#!/usr/bin/env bash
# Feeds the parsers made-up input by libFuzzer, for a while each: nothing may trap, and what each target asks for holds.
#
# usage: scripts/fuzz.sh [TARGET...] [--seconds N] [--plant-only] [--list]
# Without a TARGET all of them run, one after the other, for N seconds (60) each. Before its run each target has to find
# a planted fault: one that doesn't would find no other either. Inputs that made a target fail, and logs, stand in
# .build/fuzz/artifacts; `.build/fuzz/release/fuzz-FOLDER FILE` tries one again. What a run learned stays in
# .build/fuzz/corpus, beside the seeds in Tests/Fuzz/Corpus.
# Ends with `N passed, N failed` and status 0 only if all passed.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

# name -> its folder in Tests/Fuzz, which the program is named after. In the order of the runs.
names=(xml-replies headers json-replies files options server-requests)
declare -A folders=(
    [xml-replies]=XMLReplies [headers]=Headers [json-replies]=JSONReplies [files]=Files [options]=Options
    [server-requests]=ServerRequests
)
# A run with fewer inputs than this has not run: a program whose main came from somewhere else ends at once and well.
least_runs=10000
# How long the planted fault may take.
plant_seconds=180

seconds=60
plant_only=''
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds)
            [ $# -gt 1 ] || die '--seconds needs a number'
            case $2 in '' | *[!0-9]*) die "--seconds takes a whole number, not '$2'" ;; esac
            seconds=$2
            shift 2
            ;;
        --plant-only)
            plant_only=1
            shift
            ;;
        --list)
            printf '%s\n' "${names[@]}"
            exit 0
            ;;
        -*) die "no option $1; there are --seconds N, --plant-only, --list" ;;
        *)
            [ -n "${folders[$1]+known}" ] || die "no target named $1; scripts/fuzz.sh --list names them"
            wanted+=("$1")
            shift
            ;;
    esac
done
[ ${#wanted[@]} -gt 0 ] || wanted=("${names[@]}")

# What a target leaves behind when it crashes goes with this folder; memory, where there is some to be had.
scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$scratch"' EXIT

# Whether this toolchain links libFuzzer is best asked by linking.
step 'libFuzzer'
printf '%s\n' '@_cdecl("LLVMFuzzerTestOneInput") public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 { 0 }' \
    >"$scratch/probe.swift"
if ! swiftc -sanitize=fuzzer -parse-as-library -o "$scratch/probe" "$scratch/probe.swift" 2>"$scratch/probe.log"; then
    tail -n 5 "$scratch/probe.log" >&2
    die "this Swift toolchain has no libFuzzer runtime (libclang_rt.fuzzer-$(uname -m).a in its lib/clang/*/lib/linux), \
which the toolchains of swift.org bring; nothing was tried"
fi

step 'build'
# A build folder of its own, so that the usual one keeps its objects. Optimised, for the number of inputs; still with
# the checks of overflow and bounds, and with what @testable imports.
export OSSMOUNT_FUZZ=1
build=(swift build -c release --sanitize=fuzzer --build-path .build/fuzz -Xswiftc -enable-testing)
for name in "${wanted[@]}"; do "${build[@]}" --product "fuzz-${folders[$name]}"; done
programs=$("${build[@]}" --show-bin-path)
artifacts=.build/fuzz/artifacts
mkdir -p "$artifacts"

# run LOG SECONDS TARGET CORPUS...: one run, whose output goes to a file: Swift's backtraces would take a crash from
# libFuzzer, and its output from us.
run() {
    local log=$1 seconds=$2 name=$3 dictionary
    shift 3
    dictionary=Tests/Fuzz/Dictionaries/$name.dict
    # 4096: documents of some rows. 25 s for one input is a hang; 1 GiB a leak.
    TMPDIR=$scratch SWIFT_BACKTRACE=enable=no "$programs/fuzz-${folders[$name]}" -max_total_time="$seconds" -max_len=4096 \
        -timeout=25 -rss_limit_mb=1024 -print_final_stats=1 -dict="$dictionary" \
        -artifact_prefix="$artifacts/$name-" "$@" >"$log" 2>&1
}

executed() { sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1/p' "$1" | tail -n 1; }
covered() { grep -oE 'cov: [0-9]+' "$1" | tail -n 1 | grep -oE '[0-9]+'; }

# The planted fault is found, and it is that one.
find_plant() {
    local name=$1 log=$artifacts/$1.plant.log start=$SECONDS
    mkdir -p "$scratch/plant"
    # From the seeds alone: a corpus that once found it would find it at once.
    if OSSMOUNT_FUZZ_PLANT=1 run "$log" "$plant_seconds" "$name" "$scratch/plant" "Tests/Fuzz/Corpus/$name"; then
        say "$name: the planted fault was not found in $plant_seconds s ($(executed "$log") runs): $log"
        return 1
    fi
    rm -rf "$scratch/plant"
    if ! grep -q "^finding in $name: the planted fault" "$log"; then
        say "$name: something other than the planted fault was found: $log"
        grep -E '^finding in|ERROR|Fatal error' "$log" | head -n 5 || true
        return 1
    fi
    # It is no fault of ours to keep.
    sed -nE "s/.*Test unit written to (.*)/\1/p" "$log" | xargs -r rm -f
    say "$name: planted fault found after $(executed "$log") runs, $((SECONDS - start)) s"
}

examine() {
    local name=$1 log=$artifacts/$1.log runs coverage
    mkdir -p ".build/fuzz/corpus/$name"
    if ! run "$log" "$seconds" "$name" ".build/fuzz/corpus/$name" "Tests/Fuzz/Corpus/$name"; then
        say "$name: failed after $(executed "$log") runs: $log"
        grep -E '^finding in|ERROR|Fatal error|Test unit written' "$log" | head -n 5 || true
        return 1
    fi
    runs=$(executed "$log")
    coverage=$(covered "$log") || true
    if [ -z "$coverage" ] || [ "${runs:-0}" -lt "$least_runs" ]; then
        say "$name: ${runs:-no} runs with coverage ${coverage:-none}, at least $least_runs must be: $log"
        return 1
    fi
    say "$name: $runs runs in $seconds s, coverage $coverage, nothing found"
}

passed=0
failed=0
for name in "${wanted[@]}"; do
    step "fuzz: $name"
    if find_plant "$name" && { [ -n "$plant_only" ] || examine "$name"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
