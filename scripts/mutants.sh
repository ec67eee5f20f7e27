#!/bin/sh
# scripts/mutants.sh [MINUTES [FOLDER...]]: mutation tests of the code that has changed since the last release
# (`make mutants`), or of the crates in these folders alone, such as `bot web lab`. Tries the changes in random
# order, for at most MINUTES (60), divided evenly between the folders. Then lists the changes that no test detects, and
# the share detected. Fails if a test fails without a change. One copy of the source, with its build, is kept for the
# next run.
set -eu
cd "$(dirname "$0")/.."
minutes=${1-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- all

# The last release is the commit that gave its number a section in the changelog.
version=$(sed -n 's/^## \[\([0-9.]*\)\]$/\1/p' CHANGELOG.md | head -n 1)
release=$(git log -1 --format=%H -S"## [$version]" -- CHANGELOG.md)
[ -n "$release" ] || { echo "mutants: no commit of release $version: fetch the whole history" >&2; exit 1; }

results=${CARGO_TARGET_DIR:-target}/mutants
mkdir -p "$results/tree"
results=$(cd "$results" && pwd)
tree=$results/tree
# All files are copied as new ones, which Cargo builds again: a run that was stopped can leave a change in the tree.
find "$tree" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - |
    tar -xmf - -C "$tree"
unset CARGO_TARGET_DIR
# Unoptimised code needs more stack than a test's thread has.
export RUST_MIN_STACK=16777216

# The crates whose tests must detect a change in a folder.
tests_of() {
    case $1 in
        front | botzone | web) echo "--test-package=otrera-$1,otrera-bot" ;;
        arena) echo "--test-package=otrera-arena,otrera-lab" ;;
    esac
}

count() { cat "$results"/*/mutants.out/"$1".txt 2>/dev/null | wc -l; }
rm -rf "$results"/*/mutants.out
for folder in "$@"; do
    [ "$folder" = all ] && files='*.rs' || files="$folder/*.rs"
    mkdir -p "$results/$folder"
    git diff "$release" -- "$files" > "$results/$folder/changes.diff"
    status=0
    # shellcheck disable=SC2046 # no option or one
    timeout --signal=INT --kill-after=60 "$((minutes * 60 / $#))" cargo mutants --workspace --dir "$tree" --in-place \
        --in-diff "$results/$folder/changes.diff" --shuffle --timeout 400 $(tests_of "$folder") \
        --output "$results/$folder" || status=$?
    # 2: some were not detected; 124 and 130: the time was over.
    case $status in 0 | 2 | 3 | 124 | 130) ;; *) exit "$status" ;; esac
done

missed=$(count missed)
detected=$(($(count caught) + $(count timeout)))
[ "$missed" -eq 0 ] || { echo "Not detected:"; cat "$results"/*/mutants.out/missed.txt | sed 's/^/  /'; }
echo "$detected of $((detected + missed)) changes since $version were detected"
