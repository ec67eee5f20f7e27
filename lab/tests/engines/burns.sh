#!/bin/sh
# An engine that never answers and keeps a processor busy.
while :; do :; done
