#!/usr/bin/env bash
# From a fresh Debian machine to a bucket as a directory: installs, builds, starts the local server, mounts a bucket of
# it, copies pictures in, and opens them from the mount.
#
# usage: scripts/quickstart.sh [--ci | --end]
#   --ci   ends everything at the end, and fails if anything is left over
#   --end  ends what a former run left standing, and nothing else
# Works as root, by sudo, and as a normal user where /dev/fuse is open to users.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

mode=stand
case ${1:-} in
    '') ;;
    --ci) mode=ci ;;
    --end) mode=end ;;
    *) die "no option $1; there are --ci and --end" ;;
esac

# One folder for each user, so that a second run finds what the first left.
base=${TMPDIR:-/tmp}/ossmount-quickstart-$(id -u)
mount=$base/mount
ossmount=$PWD/.build/release/ossmount
server=$PWD/.build/release/ossmount-server
bucket=quickstart

# The table of mounts writes blanks and the like in numbers; such a folder would not be found in it.
case $base in *[!A-Za-z0-9/._-]*) die "the path $base has unusual characters; set TMPDIR to another folder" ;; esac

is_mounted() { grep -qF " $mount " /proc/self/mountinfo; }

# The server's process id if it still is that server: numbers are given out again.
server_process() {
    local process
    process=$(cat "$base/server.pid" 2>/dev/null) || return 1
    [ "$(cat "/proc/$process/comm" 2>/dev/null)" = ossmount-server ] && printf '%s\n' "$process"
}

# Ends the mount and the server and removes their folder; says so only where something stood.
end_all() {
    local process
    if is_mounted; then
        say "unmounting $mount"
        "$ossmount" umount "$mount"
    fi
    if process=$(server_process); then
        say "ending the server, process $process"
        kill "$process"
        for _ in $(seq 100); do
            server_process >/dev/null || break
            sleep 0.1
        done
        if server_process >/dev/null; then die "the server, process $process, does not end"; fi
    fi
    if is_mounted; then die "$mount is still mounted; nothing below it is removed"; fi
    rm -rf --one-file-system "$base"
}

if [ -e "$base" ] && [ ! -O "$base" ]; then die "$base belongs to somebody else; set TMPDIR to a folder of your own"; fi
if [ "$mode" = end ]; then
    if [ -e "$base" ]; then end_all; else say "nothing is left of a former run"; fi
    exit 0
fi

step "packages"
scripts/install-deps.sh build run pictures
# Told before the build, which takes minutes.
if [ ! -e /dev/fuse ]; then
    die "there is no /dev/fuse: load the kernel's module (modprobe fuse), or give the device to the container"
fi
if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
    die "$(id -un) may not open /dev/fuse: run this as root or by sudo, or have root chmod 666 /dev/fuse"
fi

step "release build"
if [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ] && [ "$(stat -c %U .)" = "$SUDO_USER" ]; then
    # By sudo: the build folder stays the user's.
    sudo -u "$SUDO_USER" -H env PATH="$PATH" swift build -c release
else
    swift build -c release
fi

if [ -e "$base" ]; then
    step "a former run is ended"
    end_all
fi

# Whatever fails from here on leaves nothing behind but these words.
on_exit() {
    local status=$?
    trap - EXIT
    if [ "$status" != 0 ]; then
        say "failed; the last words of the server and of the mount:"
        tail -n 5 "$base/server.log" "$base/mount.log" 2>/dev/null || true
    fi
    if [ "$status" != 0 ] || [ "$mode" = ci ]; then end_all || status=1; fi
    exit "$status"
}
trap on_exit EXIT

step "the server"
mkdir -m 700 "$base"
mkdir "$mount" "$base/data" "$base/pictures"
# Keys of this run alone, in the environment of both sides.
OSS_ACCESS_KEY_ID=quickstart$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
OSS_ACCESS_KEY_SECRET=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
export OSS_ACCESS_KEY_ID OSS_ACCESS_KEY_SECRET
unset OSS_SESSION_TOKEN OSS_ENDPOINT OSS_REGION
# Port 0 takes a free one; the first line tells which.
setsid "$server" --listen 127.0.0.1:0 --data "$base/data" --bucket "$bucket" \
    >"$base/server.out" 2>"$base/server.log" </dev/null &
printf '%s\n' $! >"$base/server.pid"
endpoint=''
for _ in $(seq 100); do
    endpoint=$(sed -n 's/^listening on //p' "$base/server.out")
    if [ -n "$endpoint" ]; then break; fi
    sleep 0.1
done
[ -n "$endpoint" ] || die "the server did not start"
say "it serves the bucket $bucket at $endpoint"

mount_it() {
    "$ossmount" mount "oss://$bucket" "$mount" --endpoint "$endpoint" --region cn-hangzhou --log-file "$base/mount.log"
}
step "the mount"
mount_it
say "oss://$bucket is $mount"

step "pictures"
if command -v magick >/dev/null; then
    convert=(magick) identify=(magick identify)
else
    convert=(convert) identify=(identify)
fi
# make NAME SIZE SOURCE: one picture; fractal noise in colour is as hard to compress as a photo.
make() {
    mkdir -p "$base/pictures/$(dirname "$1")"
    "${convert[@]}" -size "$2" -seed "${#1}" "$3" "$base/pictures/$1"
    # Metadata with the present time would make two runs differ; the time of a picture is what cp -p would carry.
    touch -d '2024-06-01 12:00:00' "$base/pictures/$1"
}
make 'sea/beach.jpg' 4000x3000 plasma:tomato-steelblue
make 'sea/Sonnenuntergang am See.jpg' 1600x1200 plasma:gold-navy
make 'sea/海边.png' 800x600 plasma:cyan-white
make 'mountains/summit.jpg' 3000x2000 plasma:white-gray
make 'mountains/50% + fog & rain #1.jpg' 1024x768 plasma:fractal
make 'mountains/panorama.png' 2400x400 gradient:skyblue-white
make 'icons/dot.png' 16x16 radial-gradient:red-white
make 'icons/badge.gif' 128x128 gradient:orange-black
if "${convert[@]}" -list format | grep -qE '^ *WEBP\*? .* rw'; then
    make 'sea/harbour.webp' 1280x960 plasma:teal-orange
else
    say "this ImageMagick writes no WebP; it is left out"
fi
cp -r "$base/pictures/." "$mount"
"$ossmount" umount "$mount"
say "copied and unmounted; mounted anew, so that nothing is read from memory"
mount_it

step "a listing of the mount"
ls -lR "$mount"

step "each picture, opened from the mount by ImageMagick and by file"
opened=0
while IFS= read -r -d '' picture; do
    # -verbose would print more; a decoder that reads all pixels exits with an error for a broken file.
    "${identify[@]}" -format '%m %wx%h %#' "$picture" >"$base/identified"
    file --brief --mime-type "$picture" | grep -q '^image/' || die "file does not see a picture in $picture"
    printf '%-50s %s\n' "${picture#"$mount"/}" "$(cut -d' ' -f1,2 "$base/identified")"
    opened=$((opened + 1))
done < <(find "$mount" -type f -print0 | sort -z)
made=$(find "$base/pictures" -type f | wc -l)
[ "$opened" = "$made" ] || die "$made pictures were copied, and $opened are in the mount"

step "checksums"
checksums() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
if ! diff <(checksums "$base/pictures") <(checksums "$mount"); then die "the mount's pictures differ"; fi
say "$opened pictures are the same, byte for byte"

if [ "$mode" = ci ]; then
    step "the end"
    trap - EXIT
    end_all
    if is_mounted || [ -e "$base" ]; then die "something is left over of $base"; fi
    say "nothing is left over"
    exit 0
fi
trap - EXIT
cat <<TEXT

The bucket is at $mount: copy into it, open what is there, as with any folder.

End it with:
  scripts/quickstart.sh --end

With a bucket of your own:
  export OSS_ACCESS_KEY_ID=... OSS_ACCESS_KEY_SECRET=...
  mkdir -p ~/bucket
  $ossmount mount oss://BUCKET ~/bucket --endpoint https://oss-cn-hangzhou.aliyuncs.com
and to end that:
  $ossmount umount ~/bucket
TEXT
