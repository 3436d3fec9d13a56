#!/usr/bin/env bash
# The arrows between the modules hold: each file imports only what Package.swift lets its module depend on.
#
# The package manager itself lets an undeclared import through once the other module happens to be built.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

failed=0
complain() {
    say "$*"
    failed=1
}

# name -> its direct dependencies, separated and surrounded by blanks.
declare -A depends=() kind=()
while IFS=$'\t' read -r name type dependencies; do
    depends[$name]=" $dependencies "
    kind[$name]=$type
done < <(swift package dump-package |
    jq -r '.targets[] | [.name, .type, ([.dependencies[] | (.byName // .target)[0]] | join(" "))] | @tsv')
[ ${#depends[@]} -gt 10 ] || die "Package.swift lists only ${#depends[@]} targets: the table was not read"

# Which modules of the system a module may import beside Glibc. Foundation costs 5 to 15 ms at start, so the mount
# carries none of it but the JSON decoder in Encoding.
system_modules() {
    case $1 in
        Encoding) echo " Glibc FoundationEssentials " ;;
        # One atomic flag per request, where a lock would cost three allocations.
        FuseBridge) echo " Glibc Synchronization " ;;
        ObjectServer | ossmount-server) echo " Glibc Foundation FoundationEssentials " ;;
        *) if [ "${kind[$1]}" = test ] || [ "$1" = TestSupport ]; then
            echo " Glibc Testing Foundation FoundationEssentials Synchronization "
        else
            echo " Glibc "
        fi ;;
    esac
}

# 1. Imports of Swift files.
for name in "${!depends[@]}"; do
    if [ -d "Sources/$name" ]; then folder=Sources/$name; else folder=Tests/$name; fi
    if [ ! -d "$folder" ]; then
        complain "Package.swift lists $name, which has no folder in Sources or Tests"
        continue
    fi
    allowed="${depends[$name]}$(system_modules "$name")"
    while IFS=: read -r file line import; do
        # `package import struct Module.Name` and `@testable import Module` alike leave Module.
        module=$(sed -E 's/^.*import +((struct|class|enum|protocol|func|var|let|typealias) +)?//; s/[. ;/].*$//' \
            <<<"$import")
        case $allowed in
            *" $module "*) ;;
            *) complain "$file:$line: $name may not import $module; Package.swift allows it:${depends[$name]}" ;;
        esac
    done < <(grep -rnE '^(@[a-zA-Z_()]+ +)*((package|internal|private|fileprivate|public) +)?import ' \
        --include='*.swift' "$folder" || true)
done

# 2. Every folder is in the table, so that nothing stands outside the rules.
for folder in Sources/* Tests/*; do
    name=$(basename "$folder")
    case $folder in
        Tests/Interop) continue ;; # Python clients
    esac
    if [ -z "${depends[$name]+listed}" ]; then complain "$folder is no target of Package.swift"; fi
done

# 3. What a module must never reach, by whatever way. The core is tested without a mount and without a network; the
#    server signs and parses by its own code, or an error in ours would prove itself right.
reaches() { # FROM TO: true where FROM depends on TO, directly or not
    local next
    case ${depends[$1]:- } in *" $2 "*) return 0 ;; esac
    for next in ${depends[$1]:-}; do
        if reaches "$next" "$2"; then return 0; fi
    done
    return 1
}
never() { # MODULE FORBIDDEN...
    local module=$1 other
    shift
    for other in "$@"; do
        if reaches "$module" "$other"; then complain "$module must never depend on $other, and does"; fi
    done
}
never ObjectStore HTTPTransport OSSClient Transfer FileSystemCore
never Transfer HTTPTransport OSSClient CFuse CCurl
never FileSystemCore HTTPTransport OSSClient CFuse CCurl
never FuseBridge HTTPTransport OSSClient CCurl
never OSSClient Transfer FileSystemCore FuseBridge
never ObjectServer Checksums Encoding Credentials OSSClient HTTPTransport ObjectStore
never ossmount CMicroHTTPD ObjectServer

# 4. A C library's headers are included by its own shim alone.
includes() { # HEADER-PATTERN MODULE...
    local pattern=$1 hit module
    shift
    while IFS= read -r hit; do
        module=${hit#Sources/}
        module=${module%%/*}
        case " $* " in
            *" $module "*) ;;
            *) complain "$hit: only $* may include this header" ;;
        esac
    done < <(grep -rnE "^ *# *(include|import) *[<\"]($pattern)" --include='*.[ch]' Sources || true)
}
includes 'fuse' CFuse
includes 'curl/' CCurl
includes 'openssl/' COpenSSL
includes 'libxml/' CLibXML2 CXML2
includes 'sqlite3' CSQLite
includes 'microhttpd' CMicroHTTPD

# 5. A closure in main.swift belongs to the main actor, and dies when C calls it from another thread: one call stands
#    there and nothing else.
for file in Sources/*/main.swift; do
    rest=$(grep -vE '^ *(//|$|import )' "$file" || true)
    if [ "$(wc -l <<<"$rest")" != 1 ] || ! grep -qE '^[A-Za-z.]+\([^{]*\)$' <<<"$rest"; then
        complain "$file: imports and one call, nothing else"
    fi
done
exit $failed
