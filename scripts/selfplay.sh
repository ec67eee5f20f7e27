#!/bin/sh
# Plays games of the engine against itself through the platforms' protocols; `--help` lists the options. Builds
# dist/arena if it is missing.
exec "$(dirname "$0")/arena.sh" selfplay "$@"
