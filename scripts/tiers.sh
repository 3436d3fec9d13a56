# shellcheck shell=bash
# shellcheck disable=SC2034  # the tiers' numbers are read by the scripts that source this
# What each tier of tests runs, and how many tests it must run at least; sourced after common.sh.
#
# The counts are here because a filter that matches nothing, and a suite that skips itself, both end green.

# Test targets that mount, or that need a program beside the test runner: not part of the unit tier.
mounting_targets='^(MountTests|ModelTests|ApplicationTests|FuseBridgeTests\.KernelTests)[./]'
# Each runs by itself: side by side they would take each other's time on two cores.
mount_targets='^(MountTests|FuseBridgeTests\.KernelTests)[./]'
model_targets='^ModelTests[./]'
application_targets='^ApplicationTests[./]'

unit_minimum=640
mount_minimum=67
model_minimum=4
application_minimum=29
# Not as root: the runs here and the look for what is left over.
quickstart_minimum=3
interop_minimum=910

passed_total=0
failed_total=0
failed_tiers=''

# run_tier NAME MINIMUM COMMAND...: runs it, shows what it says, and counts by what it says.
#
# Read are Swift Testing's line for each test (`✔ Test … passed after`), or, of other runners, a line `N passed, N failed`.
run_tier() {
    local name=$1 minimum=$2 log passed failed skipped status=0
    shift 2
    step "tests: $name"
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=$?
    passed=$(grep -cE '^✔ +Test .* passed after' "$log" || true)
    # The closing line "Test run with N tests … passed" is no test.
    passed=$((passed - $(grep -cE '^✔ +Test run with .* passed after' "$log" || true)))
    failed=$(grep -E '^✘ +Test .* failed after' "$log" | grep -cvE 'Test run with' || true)
    skipped=$(grep -cE '^➜ +Test .* skipped' "$log" || true)
    if grep -qE '^[0-9]+ passed, [0-9]+ failed' "$log"; then
        read -r passed failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$log" | tail -n 1)
    fi
    rm -f "$log"
    passed_total=$((passed_total + passed))
    failed_total=$((failed_total + failed))
    if [ "$status" != 0 ] || [ "$failed" != 0 ]; then
        say "$name: failed ($passed passed, $failed failed, exit $status)"
        failed_tiers+=" $name"
        return 0
    fi
    if [ "$skipped" != 0 ]; then
        say "$name: $skipped skipped"
        # On a machine that is there to test, what can't be tested is a failure.
        if [ "${CI:-}" = true ]; then failed_tiers+=" $name(skipped)"; fi
    fi
    if [ $((passed + skipped)) -lt "$minimum" ]; then
        say "$name: only $passed tests passed, at least $minimum must"
        failed_tiers+=" $name(too-few)"
    fi
    return 0
}

# The closing line, and success only if every tier passed.
finish_tiers() {
    if [ -n "$failed_tiers" ]; then say "failed:$failed_tiers"; fi
    say "$passed_total passed, $failed_total failed"
    [ -z "$failed_tiers" ] && [ "$passed_total" -gt 0 ]
}
