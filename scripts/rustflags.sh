#!/bin/sh
# scripts/rustflags.sh [LIBRARY]: prints $RUSTFLAGS and flags that keep symbols and this machine's folders out of the
# program, so that every checkout builds the same bytes. The output is for CARGO_ENCODED_RUSTFLAGS, which allows spaces in
# paths.
#
# LIBRARY names the folder of Rust's library in messages: by default its name in the compiled library, which rustc
# replaces with a local path if the component rust-src is installed.
set -eu
cd "$(dirname "$0")/.."

flag() { printf "$separator%s" "$1"; separator='\037'; }
remap() { flag "--remap-path-prefix=$1=$2"; }

separator=
for given in ${RUSTFLAGS-}; do flag "$given"; done
# Cargo forgets `strip` for packages with an `opt-level` (1.95).
flag -Cstrip=symbols
library=${1:-/rustc/$(rustc --version --verbose | sed -n 's/^commit-hash: //p')}
# The last matching prefix wins.
remap "$(rustc --print sysroot)/lib/rustlib/src/rust" "$library"
remap "${CARGO_HOME:-${HOME-}/.cargo}" /cargo
remap "$PWD" /otrera
remap "${CARGO_TARGET_DIR:-$PWD/target}" /target
