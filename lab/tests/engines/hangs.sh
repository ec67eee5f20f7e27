#!/bin/sh
# An engine that never answers, and leaves a child behind if only its shell is killed.
sleep 4242 &
sleep 4242
