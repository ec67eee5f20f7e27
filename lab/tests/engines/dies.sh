#!/bin/sh
# An engine that ends with an error.
read -r line
exit 3
