#!/bin/sh
# An engine that lets a child of its think for ever.
sh -c 'while :; do :; done' &
wait
