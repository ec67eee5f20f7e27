#!/bin/sh
# scripts/build_botzone.sh SOURCE PRESET: builds the bot for Botzone (`otrera-botzone` beside SOURCE) and packs it into SOURCE.
#
# The preset `tournament`, with or without parameters, is built without the papers' searches, which the others need.
set -eu
cd "$(dirname "$0")/.."
source=$1
executable=$(dirname "$source")/otrera-botzone
OTRERA_PRESET=$2
case $OTRERA_PRESET in
    tournament | tournament,*) features=packed ;;
    *) features=packed,papers ;;
esac

weights=${CARGO_TARGET_DIR:-target}/botzone-weights
python3 -B scripts/pack_weights.py src/eval/weights/fitted.json "$weights" botzone
OTRERA_WEIGHTS=$(realpath "$weights")
RUSTFLAGS="${RUSTFLAGS-} --cfg few_kernels"
export OTRERA_PRESET OTRERA_WEIGHTS RUSTFLAGS
scripts/build_bot.sh "$executable" botzone otrera-botzone "" "$features"
# Fails with a message if the preset is unknown.
"$executable" --version >/dev/null
python3 -B packaging/botzone/make_botzone.py "$executable" "$source"
