#!/bin/sh
# scripts/build_arm.sh EXECUTABLE: builds the bot for Linux on AArch64 (`make arm`), static with musl. rust-lld links
# without a cross compiler.
set -eu
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-musl
scripts/need_target.sh $target
CARGO_ENCODED_RUSTFLAGS=$(scripts/rustflags.sh)
export CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
cargo build --release --locked --package otrera-bot --target $target
mkdir -p "$(dirname "$1")"
cp -f "${CARGO_TARGET_DIR:-target}/$target/release/otrera" "$1"
echo "make: $1 is built for $target, static" >&2
