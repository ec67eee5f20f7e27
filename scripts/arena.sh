#!/bin/sh
# scripts/arena.sh COMMAND [OPTION...]: runs dist/arena, which is built first if missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$root/dist/arena" ] || make --no-print-directory -C "$root" arena >&2
exec "$root/dist/arena" "$@"
