#!/bin/sh
# scripts/tests.sh SUITE...: runs the tests, then lists those that were skipped because a tool is missing.
#
#   rust       all tests that `cargo test` runs by default
#   slow       the tests marked `#[ignore = "slow"]`
#   botzone    builds and runs the C++ source for Botzone
#   ray        the laboratory on a Ray cluster
#   browser    the page in a browser, and the types of its scripts
#   python     builds the Python package, installs it in a virtual environment and tests it there
#   FOLDER     the Python tests of a folder
#
# First lists the downloads; ends with the ten slowest tests of rust and slow. Temporary files are in one folder, which
# is removed at the end. A skipped test adds a line to the file $OTRERA_SKIPPED, because `cargo test` hides the output
# of tests that pass.
set -eu
cd "$(dirname "$0")/.."

# A short name, because the folder contains Ray's sockets, whose paths are limited to 107 bytes.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/t.XXXXXX")
RAY_TMPDIR=$TMPDIR
OTRERA_SKIPPED=$TMPDIR/skipped
export TMPDIR RAY_TMPDIR OTRERA_SKIPPED
: > "$OTRERA_SKIPPED"

finish() {
    status=$?
    if [ -s "$TMPDIR/times" ]; then
        printf '\nSlowest tests:\n'
        sort -rn "$TMPDIR/times" | sed 's/^/  /; 10q'
    fi
    if [ -s "$OTRERA_SKIPPED" ]; then
        printf '\nSkipped because a tool is missing:\n'
        sort -u "$OTRERA_SKIPPED" | sed 's/^/  /'
    elif [ $status -eq 0 ]; then
        printf '\nNo tests were skipped.\n'
    fi
    # A browser that was just stopped can still write files for a moment.
    rm -rf "$TMPDIR" 2>/dev/null || { sleep 2; rm -rf "$TMPDIR"; }
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }
has_ray() { "$1" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("ray") is None)' 2>/dev/null; }

PYTHON_FOLDER=${CARGO_TARGET_DIR:-target}/python
MUSL=x86_64-unknown-linux-musl
WASM=wasm32-unknown-unknown

# Prints the downloads of a suite, one per line.
fetched_by() {
    case $1 in
        rust) cargo fetch --locked --offline >/dev/null 2>&1 || echo "the crates of Cargo.lock, 12 MB" ;;
        ray)
            has_ray "${OTRERA_PYTHON:-python3}" || has_ray "${XDG_CACHE_HOME:-${HOME-}/.cache}/otrera/ray/bin/python" ||
                echo "Ray, by pip into ~/.cache/otrera, 285 MB"
            ;;
        browser)
            has_library $WASM || echo "Rust's library for $WASM, by rustup, about 20 MB"
            npm=${CARGO_TARGET_DIR:-target}/tmp/npm/node_modules
            [ -e "$npm/axe-core/axe.min.js" ] && [ -e "$npm/typescript/lib/tsc.js" ] ||
                echo "axe-core and TypeScript, by npm into target/tmp, 5 MB"
            ;;
        python)
            [ -e "$PYTHON_FOLDER/tested" ] ||
                echo "maturin, Zig, OpenSpiel, Jupyter and others, by pip into target/python, 400 MB"
            ;;
    esac
}

to_fetch=$(for suite; do fetched_by "$suite"; done)
if [ -n "$to_fetch" ]; then
    printf 'Downloads before the tests:\n%s\n\n' "$(echo "$to_fetch" | sed 's/^/  /')"
fi

# Runs the tests and collects their times. The flag that prints times needs RUSTC_BOOTSTRAP. Only the test programs get
# this variable, because it would make cargo build everything again.
timed() {
    runner="target.'cfg(all())'.runner=['env', 'RUSTC_BOOTSTRAP=1']"
    {
        # The tests of the laboratory need the bot, which this command builds first.
        status=0
        OTRERA_IS_BUILT=1 cargo test --config "$runner" --locked --workspace --tests -- \
            -Zunstable-options --report-time "$@" || status=$?
        echo $status > "$TMPDIR/status"
    } | tee "$TMPDIR/output"
    sed -n 's/^test \(.*\) \.\.\. .*<\([0-9.]*\)s>$/\2 s  \1/p' "$TMPDIR/output" >> "$TMPDIR/times"
    return "$(cat "$TMPDIR/status")"
}

for suite; do
    case $suite in
        rust)
            timed
            cargo test --locked --workspace --doc
            ;;
        slow) timed --ignored ;;
        ray) cargo test --locked --workspace --test cluster ;;
        browser) cargo test --locked --workspace --test page ;;
        botzone)
            if has_library $MUSL; then
                python3 -B scripts/unittests.py packaging/botzone
            else
                echo "botzone: no Rust library for $MUSL (rustup target add $MUSL)" >> "$OTRERA_SKIPPED"
            fi
            ;;
        python)
            scripts/build_python.sh
            python=$PYTHON_FOLDER/venv/bin/python
            "$python" -m pip install --quiet --disable-pip-version-check --requirement python/tests/requirements.txt
            "$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/otrera-*.whl
            touch "$PYTHON_FOLDER/tested"
            "$python" -B scripts/unittests.py python/tests
            ;;
        *) python3 -B scripts/unittests.py "$suite" ;;
    esac
done
