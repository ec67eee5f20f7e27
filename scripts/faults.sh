#!/bin/sh
# Plays games of the engine with injected faults; `--help` lists the options. Builds dist/arena if it is missing.
exec "$(dirname "$0")/arena.sh" faults "$@"
