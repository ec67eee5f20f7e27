#!/bin/sh
# An engine with a good move for Black that neither ends nor asks to be kept.
echo "5 0 5 6 2 3"
sleep 4243
