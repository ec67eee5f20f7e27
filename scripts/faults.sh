#!/bin/sh
# Plays games of the engine while things go wrong around it: `--help` lists the options.
# It builds the program dist/referee if that is missing.
exec "$(dirname "$0")/referee.sh" faults "$@"
