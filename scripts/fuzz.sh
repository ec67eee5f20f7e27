#!/usr/bin/env bash
# scripts/fuzz.sh SECONDS [TARGET...]: runs each fuzz target for SECONDS. A target starts from the
# transcripts' input, fuzz/seeds, earlier findings (bot/tests/fuzzed) and the corpus of earlier runs (fuzz/corpus).
# The path of a new finding is printed; copy that file to bot/tests/fuzzed/TARGET/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
shift
# cargo-fuzz needs unstable compiler options; this allows them in the stable compiler.
export RUSTC_BOOTSTRAP=1
targets=${*:-$(cargo fuzz list)}

# One file for each transcript and one for each of its lines, with fixed moves instead of placeholders.
begin='{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}'
move='{"x0":0,"y0":5,"x1":4,"y1":5,"x2":3,"y2":4}'
sent=fuzz/corpus/transcripts
rm -rf "$sent" && mkdir -p "$sent"
for transcript in bot/transcripts/*.session; do
    name=$(basename "$transcript" .session)
    sed -n 's/^>>\? //p' "$transcript" |
        sed "s/<begin>/$begin/g; s/<json move>/$move/g; s/<simple move>/0 5 4 5 3 4/g; s/<sau move>/ADDGAD/g" \
            > "$sent/$name"
    split --lines=1 --suffix-length=3 "$sent/$name" "$sent/$name-line-"
done

found=()
for target in $targets; do
    mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target" "bot/tests/fuzzed/$target"
    folders=("fuzz/corpus/$target" "$sent" "fuzz/seeds/$target" "bot/tests/fuzzed/$target")
    cargo fuzz run "$target" "${folders[@]}" -- -max_total_time="$seconds" -timeout=10 -max_len=4096 \
        -rss_limit_mb=2048 -use_value_profile=1 -print_final_stats=1 -verbosity=1 || found+=("$target")
done
rmdir --ignore-fail-on-non-empty fuzz/seeds/* bot/tests/fuzzed/*
[ ${#found[@]} -eq 0 ] || { echo "fuzz.sh: targets with findings: ${found[*]}" >&2; exit 1; }
