#!/usr/bin/env bash
# The gate: what every change passes before it is kept. Needs no mount and no network.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=scripts/tiers.sh
source scripts/tiers.sh

step format
swift format lint --strict --recursive --parallel Sources Tests Package.swift

step "layers, sizes, bans, scripts"
scripts/check-layers.sh
scripts/check-sizes.sh
scripts/check-bans.sh
# -x follows the sourced files, which are checked by themselves as well.
shellcheck -x scripts/*.sh .ci/run

# Warnings are errors by Package.swift, in Swift and in C.
step build
swift build --build-tests

run_tier unit "$unit_minimum" swift_test --skip "$mounting_targets"
finish_tiers
