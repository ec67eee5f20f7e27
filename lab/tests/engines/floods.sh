#!/bin/sh
# An engine that writes 100 MB without a line break.
read -r line
head -c 100000000 /dev/zero | tr '\0' x
