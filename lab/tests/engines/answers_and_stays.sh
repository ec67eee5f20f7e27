#!/bin/sh
# An engine that answers with a legal move for Black, then neither exits nor asks to keep running.
echo "5 0 5 6 2 3"
sleep 4243
