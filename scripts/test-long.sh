#!/usr/bin/env bash
# The [long] tests: the bodies of the [test] tier with larger numbers, run by hand.
#
# usage: scripts/test-long.sh [NAME] [--rounds N] [--seconds S]
# Without a NAME all of them run, one after the other; --list names them. The numbers reach the tests by
# OSSMOUNT_TEST_ROUNDS and OSSMOUNT_TEST_SECONDS; without them each test takes its own.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=scripts/tiers.sh
source scripts/tiers.sh

# name -> the tests, as a filter of `swift test`. A suite with a long form adds its line here.
declare -A suites=(
    [tokens]='^MountTests\.MountTests/CredentialsTests'
    [model]='^ModelTests\.ModelTests/sameAsLocal'
    [databases]='^ApplicationTests\.ApplicationTests/DatabaseTests/killed'
    [budget]='^ApplicationTests\.ApplicationTests/BudgetTests'
    [hanging-server]='^MountTests\.MountTests/HangingServerTests'
)
# name -> the script that is the suite; it ends with `N passed, N failed` and takes --seconds.
declare -A scripted=(
    [fuzz]=scripts/fuzz.sh
)

wanted=''
while [ $# -gt 0 ]; do
    case $1 in
        --rounds | --seconds)
            [ $# -gt 1 ] || die "$1 needs a number"
            case $2 in '' | *[!0-9]*) die "$1 takes a whole number, not '$2'" ;; esac
            if [ "$1" = --rounds ]; then export OSSMOUNT_TEST_ROUNDS=$2; else export OSSMOUNT_TEST_SECONDS=$2; fi
            shift 2
            ;;
        --list)
            printf '%s\n' "${!suites[@]}" "${!scripted[@]}" | sort
            exit 0
            ;;
        -*) die "no option $1; there are --rounds N, --seconds S, --list" ;;
        *)
            [ -z "$wanted" ] || die "one NAME at most"
            [ -n "${suites[$1]+known}${scripted[$1]+known}" ] || die "no suite named $1; scripts/test-long.sh --list names them"
            wanted=$1
            shift
            ;;
    esac
done

# Tells the tests that they may take their time.
export OSSMOUNT_TEST_LONG=1
for name in "${!scripted[@]}"; do
    if [ -z "$wanted" ] || [ "$wanted" = "$name" ]; then
        # 600 s for each of its parts.
        run_tier "$name" 1 "${scripted[$name]}" --seconds "${OSSMOUNT_TEST_SECONDS:-600}"
    fi
done
if [ -n "$wanted" ] && [ -n "${scripted[$wanted]+known}" ]; then
    finish_tiers
    exit
fi
swift build -c release
OSSMOUNT_BIN_DIR=$(swift build -c release --show-bin-path)
export OSSMOUNT_BIN_DIR
swift build --build-tests
for name in "${!suites[@]}"; do
    if [ -z "$wanted" ] || [ "$wanted" = "$name" ]; then
        run_tier "$name" 1 swift_test --skip-build --filter "${suites[$name]}"
    fi
done
finish_tiers
