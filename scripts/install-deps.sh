#!/usr/bin/env bash
# Installs the Debian packages that are missing, or says which they are.
#
# usage: scripts/install-deps.sh GROUP...
#   build     what the package links, and its headers
#   run       what a mount needs at run time
#   pictures  ImageMagick and file, for the quickstart
#   test      shellcheck, Python and jq, for the gate and the tests, and the programs that are tried on a mount
# As root it calls apt-get, otherwise sudo without a password; where neither works it names the packages and fails.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

packages_of() { # GROUP
    case $1 in
        build) echo libfuse3-dev libcurl4-openssl-dev libssl-dev libxml2-dev libsqlite3-dev libmicrohttpd-dev pkg-config ;;
        run) echo fuse3 ca-certificates media-types ;;
        pictures) echo imagemagick file ;;
        test) echo shellcheck jq python3 python3-venv openssl curl sqlite3 git zip unzip rsync tar ;;
        *) return 1 ;;
    esac
}

# Swift comes from swift.org, as Debian 12 has no package of it.
if ! command -v swift >/dev/null; then
    die "swift is not in PATH: install Swift 6.2 or later (https://www.swift.org/install/linux/) and run this again"
fi

missing=()
for group in "$@"; do
    packages=$(packages_of "$group") || die "no group named $group; the groups are build, run, pictures, test"
    for package in $packages; do
        # dpkg knows removed packages too: only "installed" counts.
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        if [ "$status" != installed ]; then missing+=("$package"); fi
    done
done
if [ ${#missing[@]} = 0 ]; then exit 0; fi

if [ "$(id -u)" = 0 ]; then
    as_root=()
elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
else
    die "these Debian packages are missing, and installing them needs root: apt-get install ${missing[*]}"
fi
command -v apt-get >/dev/null || die "there is no apt-get here; install what these Debian packages hold: ${missing[*]}"
say "installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
