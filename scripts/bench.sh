#!/usr/bin/env bash
# Speed, CPU, memory and requests of the mount, beside parallel curl on the same server: figures, never a verdict.
#
#   scripts/bench.sh [--rounds N] [--megabytes N] [--latency MS]... [--only start|read|write|many-write|many-read]
#
# One large file (1 GiB) and 1,000 small ones (10 KiB, sixteen at a time), written and read at a server that answers at
# once and one that takes 20 ms. Each figure's pair (mount, curl) runs alternately N times (default 5); medians count. The
# server runs on this machine too and takes its share of the cores, from both sides alike.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for tool in curl python3; do
    command -v "$tool" >/dev/null || die "$tool is missing: run scripts/install-deps.sh"
done
[ -c /dev/fuse ] || die "there is no /dev/fuse here, so nothing can be mounted"

step 'release build'
swift build -c release
exec python3 scripts/bench/bench.py --programs "$(swift build -c release --show-bin-path)" "$@"
