#!/bin/sh
# Plays games of the engine while things go wrong around it: see faults.py.
# This only looks for a Python that can run it.

if ! command -v python3 >/dev/null 2>&1; then
    echo "faults.sh: python3 was not found; please install Python 3.8 or newer" >&2
    exit 2
fi
# -B: leave no compiled files in the source tree.
exec python3 -B "$(dirname "$0")/faults.py" "$@"
