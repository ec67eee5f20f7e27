#!/bin/sh
# An engine with a good move for Black and a bad end.
echo "5 0 5 6 2 3"
exit 3
