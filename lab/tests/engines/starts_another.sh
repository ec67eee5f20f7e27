#!/bin/sh
# An engine that lets another program answer.
read -r line
/bin/echo "5 0 5 6 2 3"
