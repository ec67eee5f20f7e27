#!/bin/sh
# Plays games of the engine with injected faults; `--help` lists the options. Builds dist/referee if it is missing.
exec "$(dirname "$0")/referee.sh" faults "$@"
