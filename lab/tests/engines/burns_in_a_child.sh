#!/bin/sh
# An engine that never answers and keeps a processor busy in a child process.
sh -c 'while :; do :; done' &
wait
