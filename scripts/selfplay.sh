#!/bin/sh
# Plays the engine against itself through its tournament protocols: see selfplay.py.
# This only looks for a Python that can run it.

if ! command -v python3 >/dev/null 2>&1; then
    echo "selfplay.sh: python3 was not found; please install Python 3.8 or newer" >&2
    exit 2
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))'; then
    echo "selfplay.sh: $(python3 --version 2>&1) is too old; Python 3.8 or newer is needed" >&2
    exit 2
fi
# -B: leave no compiled files in the source tree.
exec python3 -B "$(dirname "$0")/selfplay.py" "$@"
