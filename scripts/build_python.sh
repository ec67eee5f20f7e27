#!/bin/sh
# scripts/build_python.sh: builds the Python package as a wheel, dist/otrera-*.whl (`make python`).
#
# Needs Rust and Python with its module venv. Fetches maturin and, on Linux, Zig by pip into the virtual environment
# target/python/venv: Zig links against the old C library of manylinux2014, so that the wheel runs on every newer Linux.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${CARGO_TARGET_DIR:-target}/python" dist
folder=$(realpath "${CARGO_TARGET_DIR:-target}/python")
python=$folder/venv/bin/python

say() { echo "make: $*" >&2; }

if ! [ -x "$python" ]; then
    python3 -m venv "$folder/venv" || {
        # A half-made environment would be taken for a whole one.
        rm -rf "$folder/venv"
        say "Python's venv is missing; install it with:  sudo apt-get install python3-venv"
        exit 1
    }
fi
packages=maturin==1.16.0
options=
if [ "$(uname)" = Linux ]; then
    packages="$packages ziglang==0.17.1"
    options="--zig --compatibility manylinux2014"
fi
# Each word is a package, or an option.
# shellcheck disable=SC2086
"$python" -m pip install --quiet --disable-pip-version-check $packages

CARGO_ENCODED_RUSTFLAGS=$(scripts/rustflags.sh)
export CARGO_ENCODED_RUSTFLAGS
rm -f dist/otrera-*.whl
# shellcheck disable=SC2086
PATH="$folder/venv/bin:$PATH" "$python" -m maturin build --quiet --release --locked $options \
    --interpreter "$python" --manifest-path python/Cargo.toml --target-dir "$folder/cargo" --out dist
say "$(echo dist/otrera-*.whl) is built; install it with:  pip install $(echo dist/otrera-*.whl)"
