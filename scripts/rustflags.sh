#!/bin/sh
# scripts/rustflags.sh: prints $RUSTFLAGS and flags that keep the folders of this machine out of a program, so that every
# checkout builds the same bytes. The form is that of CARGO_ENCODED_RUSTFLAGS, in which a folder may contain spaces.
set -eu
cd "$(dirname "$0")/.."

flag() { printf "$separator%s" "$1"; separator='\037'; }
remap() { flag "--remap-path-prefix=$1=$2"; }

separator=
for given in ${RUSTFLAGS-}; do flag "$given"; done
# Of several that fit the last one counts.
remap "$(rustc --print sysroot)/lib/rustlib/src/rust" /rust
remap "${CARGO_HOME:-${HOME-}/.cargo}" /cargo
remap "$PWD" /otrera
remap "${CARGO_TARGET_DIR:-$PWD/target}" /target
