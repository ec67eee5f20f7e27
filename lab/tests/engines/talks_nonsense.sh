#!/bin/sh
# An engine that answers every line, but not with a move.
while read -r line; do echo "lorem ipsum dolor"; done
