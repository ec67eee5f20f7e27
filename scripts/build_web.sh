#!/bin/sh
# scripts/build_web.sh PAGE.html: builds the page with the engine in it (`make web`). Installs Rust's WebAssembly target
# with rustup if it is missing. Every browser that supports the page supports 128-bit SIMD.
set -eu
cd "$(dirname "$0")/.."
page=$1
target=wasm32-unknown-unknown

if ! [ -d "$(rustc --print target-libdir --target $target 2>/dev/null)" ]; then
    echo "make: Rust's library for $target is missing; installing it:  rustup target add $target" >&2
    command -v rustup >/dev/null || {
        echo "make: rustup is missing as well; install it with:  curl https://sh.rustup.rs -sSf | sh" >&2
        exit 1
    }
    rustup target add $target
fi

mkdir -p "$(dirname "$page")"
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/web RUSTFLAGS="-C target-feature=+simd128,+bulk-memory -C strip=symbols" \
    cargo rustc --profile page --locked --package otrera-web --lib --crate-type cdylib --target $target \
    --message-format json-render-diagnostics | python3 -B web/pack.py "$page"
