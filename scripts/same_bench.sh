#!/bin/sh
# Builds Otrera four ways (debug, release, static Linux, Windows) and checks that each prints the recorded behaviour
# checksum. Runs the Windows build under Wine; --without-windows skips it.
set -eu
cd "$(dirname "$0")/.."

checksum() {
    "$@" bench | sed -n 's/^Bench: //p' | tr -d '\r'
}

recorded=$(sed -n 's/^tournament //p' tests/data/bench.txt)
cargo build --locked --quiet --package otrera-bot
cargo build --locked --quiet --package otrera-bot --release
make --silent bot
debug=$(checksum target/debug/otrera)
release=$(checksum target/release/otrera)
static=$(checksum dist/otrera)
echo "recorded $recorded, debug $debug, release $release, static $static"
[ -n "$recorded" ] && [ "$debug" = "$recorded" ] && [ "$release" = "$recorded" ] && [ "$static" = "$recorded" ] || {
    echo "the builds differ, or from tests/data/bench.txt" >&2
    exit 1
}

[ "${1-}" = --without-windows ] && exit 0
command -v wine >/dev/null || {
    echo "Wine is missing; this installs it:  sudo apt-get install wine" >&2
    exit 1
}
make --silent windows
windows=$(WINEDEBUG=-all checksum wine dist/otrera.exe)
echo "windows $windows"
[ "$windows" = "$recorded" ] || {
    echo "the Windows build differs" >&2
    exit 1
}
