#!/bin/sh
# scripts/referee.sh COMMAND [OPTION...]: runs dist/referee, which is built first if missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$root/dist/referee" ] || make --no-print-directory -C "$root" referee >&2
exec "$root/dist/referee" "$@"
