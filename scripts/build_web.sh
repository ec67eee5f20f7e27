#!/bin/sh
# scripts/build_web.sh PAGE.html: builds the page with the engine in it (`make web`). Installs Rust's WebAssembly target
# with rustup if it is missing.
#
# Builds the engine twice, with and without 128-bit SIMD: a browser without SIMD refuses a module that uses it.
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

folder=${CARGO_TARGET_DIR:-target}/web
build() {
    CARGO_TARGET_DIR=$folder/$1 RUSTFLAGS=$2 cargo rustc --profile page --locked --package otrera-web --lib --crate-type cdylib --target $target
}
build simd "-C target-feature=+simd128,+bulk-memory -C strip=symbols"
build plain "-C strip=symbols"
mkdir -p "$(dirname "$page")"
module=$target/page/otrera_web.wasm
python3 -B web/pack.py "$page" "$folder/simd/$module" "$folder/plain/$module"
