#!/bin/sh
# scripts/build_web.sh PAGE.html: builds the page with the engine in it (`make web`). Installs Rust's WebAssembly target
# with rustup if it is missing. Every browser that supports the page supports 128-bit SIMD.
set -eu
cd "$(dirname "$0")/.."
page=$1
target=wasm32-unknown-unknown

scripts/need_target.sh $target
mkdir -p "$(dirname "$page")"
weights=${CARGO_TARGET_DIR:-target}/web-weights
python3 -B scripts/pack_weights.py src/eval/weights/fitted.json "$weights"
OTRERA_WEIGHTS=$(realpath "$weights")
export OTRERA_WEIGHTS
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/web RUSTFLAGS="-C target-feature=+simd128,+bulk-memory -C strip=symbols" \
    cargo rustc --profile page --locked --package otrera-web --lib --crate-type cdylib --features otrera/packed --target $target \
    --message-format json-render-diagnostics | python3 -B web/pack.py "$page"
