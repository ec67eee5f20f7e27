#!/bin/sh
# scripts/rustflags.sh: prints $RUSTFLAGS and flags that keep symbols and this machine's folders out of the program, so
# that every checkout builds the same bytes. The output is for CARGO_ENCODED_RUSTFLAGS, which allows spaces in paths.
set -eu
cd "$(dirname "$0")/.."

flag() { printf "$separator%s" "$1"; separator='\037'; }
remap() { flag "--remap-path-prefix=$1=$2"; }

separator=
for given in ${RUSTFLAGS-}; do flag "$given"; done
# Cargo forgets `strip` for packages with an `opt-level` (1.95).
flag -Cstrip=symbols
# The last matching prefix wins.
remap "$(rustc --print sysroot)/lib/rustlib/src/rust" /rust
remap "${CARGO_HOME:-${HOME-}/.cargo}" /cargo
remap "$PWD" /otrera
remap "${CARGO_TARGET_DIR:-$PWD/target}" /target
