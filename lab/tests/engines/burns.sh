#!/bin/sh
# An engine that thinks for ever, on a processor.
while :; do :; done
