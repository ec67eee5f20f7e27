#!/bin/sh
# Builds Otrera for Linux (debug, release, static), AArch64 (NEON, portable) and Windows, and checks that all builds
# print the recorded behaviour checksum. AArch64 runs under QEMU and is skipped without qemu-aarch64. Windows runs
# under Wine; --without-windows leaves it out.
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

# Prints the checksum of an AArch64 build; $1 holds the compiler's flags. rust-lld links without a cross compiler.
arm_target=aarch64-unknown-linux-musl
arm() {
    RUSTFLAGS=$1 CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
        cargo build --locked --quiet --profile quick --package otrera-bot --target $arm_target
    checksum qemu-aarch64 "${CARGO_TARGET_DIR:-target}/$arm_target/quick/otrera"
}
if ! command -v qemu-aarch64 >/dev/null; then
    echo "AArch64 is skipped: qemu-aarch64 is missing; to install it:  sudo apt-get install qemu-user"
elif ! [ -d "$(rustc --print target-libdir --target $arm_target)" ]; then
    echo "AArch64 is skipped: its Rust target is missing; to install it:  rustup target add $arm_target"
else
    neon=$(arm "")
    portable=$(arm "--cfg few_kernels")
    echo "AArch64: NEON $neon, portable $portable"
    [ "$neon" = "$recorded" ] && [ "$portable" = "$recorded" ] || {
        echo "the AArch64 builds differ" >&2
        exit 1
    }
fi

[ "${1-}" = --without-windows ] && exit 0
command -v wine >/dev/null || {
    echo "Wine is missing; this brings it:  sudo apt-get install wine" >&2
    exit 1
}
make --silent windows
windows=$(WINEDEBUG=-all checksum wine dist/otrera.exe)
echo "windows $windows"
[ "$windows" = "$recorded" ] || {
    echo "the Windows build differs" >&2
    exit 1
}
