#!/bin/sh
# An engine that answers with a legal move for Black, then exits with an error.
echo "5 0 5 6 2 3"
exit 3
