#!/bin/sh
# Plays games of the engine against itself through the platforms' protocols: `--help` lists the options.
# It builds the program dist/referee if that is missing.
exec "$(dirname "$0")/referee.sh" selfplay "$@"
