#!/bin/sh
# scripts/tests.sh SUITE...: runs the tests, then lists those that were skipped because something is missing here.
#
#   rust       everything that `cargo test` runs
#   ray        the laboratory on a cluster of Ray
#   browser    the page and the reports of the laboratory in a browser
#   FOLDER     the Python tests of a folder
#
# It first lists what it will fetch. Temporary files lie in one folder, which is removed at the end.
# Tests add a line to the file $OTRERA_SKIPPED: `cargo test` shows nothing of a test that passes.
set -eu
cd "$(dirname "$0")/.."

# A short name: sockets of Ray lie below it, and their paths have at most 107 bytes.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/t.XXXXXX")
RAY_TMPDIR=$TMPDIR
OTRERA_SKIPPED=$TMPDIR/skipped
export TMPDIR RAY_TMPDIR OTRERA_SKIPPED
: > "$OTRERA_SKIPPED"

finish() {
    status=$?
    if [ -s "$OTRERA_SKIPPED" ]; then
        printf '\nSkipped, since something is missing here:\n'
        sort -u "$OTRERA_SKIPPED" | sed 's/^/  /'
    elif [ $status -eq 0 ]; then
        printf '\nNothing was skipped.\n'
    fi
    # A browser that has just been ended may still write for a moment.
    rm -rf "$TMPDIR" 2>/dev/null || { sleep 2; rm -rf "$TMPDIR"; }
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }
has_ray() { "$1" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("ray") is None)' 2>/dev/null; }

MUSL=x86_64-unknown-linux-musl
WASM=wasm32-unknown-unknown

# What a suite fetches, a line each.
fetched_by() {
    case $1 in
        rust) cargo fetch --locked --offline >/dev/null 2>&1 || echo "the crates of Cargo.lock, 12 MB" ;;
        ray)
            has_ray "${OTRERA_PYTHON:-python3}" || has_ray "${XDG_CACHE_HOME:-${HOME-}/.cache}/otrera/ray/bin/python" ||
                echo "Ray, by pip into ~/.cache/otrera, 285 MB"
            ;;
        browser)
            has_library $WASM || echo "Rust's library for $WASM, by rustup, some 20 MB"
            [ -e "${CARGO_TARGET_DIR:-target}/tmp/npm/node_modules/axe-core/axe.min.js" ] ||
                echo "axe-core, by npm into target/tmp, 0.6 MB"
            ;;
    esac
}

to_fetch=$(for suite; do fetched_by "$suite"; done)
if [ -n "$to_fetch" ]; then
    printf 'To be fetched first:\n%s\n\n' "$(echo "$to_fetch" | sed 's/^/  /')"
fi

for suite; do
    case $suite in
        rust) cargo test --locked --workspace ;;
        ray) cargo test --locked --workspace --test cluster ;;
        browser) cargo test --locked --workspace --test report --test page ;;
        botzone)
            if has_library $MUSL; then
                python3 -B scripts/unittests.py packaging/botzone
            else
                echo "botzone: no Rust library for $MUSL (rustup target add $MUSL)" >> "$OTRERA_SKIPPED"
            fi
            ;;
        *) python3 -B scripts/unittests.py "$suite" ;;
    esac
done
