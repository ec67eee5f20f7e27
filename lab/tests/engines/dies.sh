#!/bin/sh
# An engine that exits with an error.
read -r line
exit 3
