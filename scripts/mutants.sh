#!/bin/sh
# scripts/mutants.sh [MINUTES]: mutation tests of the code that has changed since the last release (`make mutants`).
# Tries the changes in random order, for at most MINUTES (60), then lists those that no test detects, and the share
# detected.
set -eu
cd "$(dirname "$0")/.."
minutes=${1-60}

# The last release is the commit that gave its number a section in the changelog.
version=$(sed -n 's/^## \[\([0-9.]*\)\]$/\1/p' CHANGELOG.md | head -n 1)
release=$(git log -1 --format=%H -S"## [$version]" -- CHANGELOG.md)
[ -n "$release" ] || { echo "mutants: no commit of release $version: fetch the whole history" >&2; exit 1; }

folder=${CARGO_TARGET_DIR:-target}/mutants
mkdir -p "$folder"
git diff "$release" -- '*.rs' > "$folder/changes.diff"
status=0
timeout --signal=INT --kill-after=60 "${minutes}m" cargo mutants --in-diff "$folder/changes.diff" --shuffle --jobs 1 \
    --baseline skip --timeout 300 --output "$folder" || status=$?

count() { cat "$folder/mutants.out/$1.txt" 2>/dev/null | wc -l; }
missed=$(count missed)
detected=$(($(count caught) + $(count timeout)))
[ "$missed" -eq 0 ] || { echo "Not detected:"; sed 's/^/  /' "$folder/mutants.out/missed.txt"; }
echo "$detected of $((detected + missed)) changes since $version were detected"
# 2: some were not detected; 124 and 130: the time was over.
case $status in 0 | 2 | 3 | 124 | 130) ;; *) exit "$status" ;; esac
