#!/bin/sh
# scripts/tests.sh SUITE...: runs the tests, then lists those that were skipped because something is missing here.
# A suite is `rust` (everything that `cargo test` knows) or a folder of Python tests.
#
# Tests add a line to the file $OTRERA_SKIPPED: `cargo test` shows nothing of a test that passes.
set -eu
cd "$(dirname "$0")/.."

OTRERA_SKIPPED=$(mktemp)
export OTRERA_SKIPPED

list_skipped() {
    status=$?
    if [ -s "$OTRERA_SKIPPED" ]; then
        printf '\nSkipped, since something is missing here:\n'
        sort -u "$OTRERA_SKIPPED" | sed 's/^/  /'
    elif [ $status -eq 0 ]; then
        printf '\nNothing was skipped.\n'
    fi
    rm -f "$OTRERA_SKIPPED"
}
trap list_skipped EXIT

for suite; do
    case $suite in
        rust) cargo test --locked --workspace ;;
        *) python3 -B scripts/unittests.py "$suite" ;;
    esac
done
