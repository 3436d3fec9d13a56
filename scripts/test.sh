#!/usr/bin/env bash
# Everything that is tested on each change: the gate, a release build, and every [test] tier with its minimum count.
# Ends with one line, `N passed, N failed`, and status 0 only if nothing failed and every tier ran what it must.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=scripts/tiers.sh
source scripts/tiers.sh

step packages
scripts/install-deps.sh build run pictures test

step gate
gate=$(mktemp)
trap 'rm -f "$gate"' EXIT
scripts/check.sh 2>&1 | tee "$gate"
# The gate's tests count too; it has failed already if they did.
read -r passed_total failed_total < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$gate" | tail -n 1)

step "release build"
swift build -c release
# The mount tests run what users run: a debug build is slow enough to hide what they measure.
OSSMOUNT_BIN_DIR=$(swift build -c release --show-bin-path)
export OSSMOUNT_BIN_DIR

run_tier mount "$mount_minimum" swift_test --filter "$mount_targets"
run_tier model "$model_minimum" swift_test --filter "$model_targets"
run_tier applications "$application_minimum" swift_test --filter "$application_targets"
run_tier quickstart "$quickstart_minimum" scripts/test-quickstart.sh
run_tier interop "$interop_minimum" scripts/interop.sh
finish_tiers
