#!/bin/sh
# scripts/need_target.sh TARGET...: installs Rust's library for each target with rustup if it is missing.
set -eu
for target; do
    ! [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ] || continue
    echo "make: Rust's library for $target is missing; installing it:  rustup target add $target" >&2
    command -v rustup >/dev/null || {
        echo "make: rustup is missing as well; install it with:  curl https://sh.rustup.rs -sSf | sh" >&2
        exit 1
    }
    rustup target add "$target"
done
