#!/bin/sh
# Builds Otrera four ways (debug, release, static Linux, Windows) and checks that all of them print the
# same behaviour checksum. The Windows build is run under Wine; --without-windows leaves it out.
set -eu
cd "$(dirname "$0")/.."

checksum() {
    "$@" bench | sed -n 's/^Bench: //p' | tr -d '\r'
}

cargo build --locked --quiet --package otrera-bot
cargo build --locked --quiet --package otrera-bot --release
make --silent bot
debug=$(checksum target/debug/otrera)
release=$(checksum target/release/otrera)
static=$(checksum dist/otrera)
echo "debug $debug, release $release, static $static"
[ -n "$debug" ] && [ "$debug" = "$release" ] && [ "$debug" = "$static" ] || {
    echo "the builds differ" >&2
    exit 1
}

[ "${1-}" = --without-windows ] && exit 0
command -v wine >/dev/null || {
    echo "Wine is missing; this brings it:  sudo apt-get install wine" >&2
    exit 1
}
make --silent windows
windows=$(WINEDEBUG=-all checksum wine dist/otrera.exe)
echo "windows $windows"
[ "$debug" = "$windows" ] || {
    echo "the Windows build differs" >&2
    exit 1
}
