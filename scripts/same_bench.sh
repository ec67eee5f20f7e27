#!/bin/sh
# Builds Otrera for Linux (debug, release, static), AArch64 (NEON, portable) and Windows, and checks that all builds
# print the recorded behaviour checksums of all presets. AArch64 runs under QEMU and is skipped without qemu-aarch64.
# Windows runs under Wine.
set -eu
cd "$(dirname "$0")/.."

recorded=$(grep -v '^#' tests/data/bench.txt)
[ -n "$recorded" ]

# check NAME PROGRAM...: compares the checksums of a build with the recorded ones.
check() {
    name=$1
    shift
    printed=$(echo "$recorded" | while read -r preset _; do
        echo "$preset $("$@" bench --preset "$preset" </dev/null | sed -n 's/^Bench: //p' | tr -d '\r')"
    done)
    if [ "$printed" != "$recorded" ]; then
        printf '%s differs from tests/data/bench.txt:\n%s\n' "$name" "$printed" >&2
        exit 1
    fi
    echo "$name: all checksums as recorded"
}

command -v wine >/dev/null || {
    echo "Wine is missing; install it with:  sudo apt-get install wine" >&2
    exit 1
}
target=${CARGO_TARGET_DIR:-target}

# Checks an AArch64 build; $2 holds the compiler's flags. rust-lld links without a cross compiler.
arm_target=aarch64-unknown-linux-musl
check_arm() {
    RUSTFLAGS=$2 CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
        cargo build --locked --quiet --profile quick --package otrera-bot --target $arm_target
    check "AArch64, $1" qemu-aarch64 "$target/$arm_target/quick/otrera"
}

# Two chains at once, because each build ends with a minute on one core.
(
    if ! command -v qemu-aarch64 >/dev/null; then
        echo "AArch64 is skipped: qemu-aarch64 is missing; install it with:  sudo apt-get install qemu-user"
    elif ! [ -d "$(rustc --print target-libdir --target $arm_target)" ]; then
        echo "AArch64 is skipped: its Rust target is missing; install it with:  rustup target add $arm_target"
    else
        check_arm NEON ""
        check_arm portable "--cfg few_kernels"
    fi
) &
cargo build --locked --quiet --package otrera-bot
check debug "$target/debug/otrera"
cargo build --locked --quiet --package otrera-bot --release
check release "$target/release/otrera"
make --silent bot
check static dist/otrera
make --silent windows
WINEDEBUG=-all check windows wine dist/otrera.exe
wait $!
