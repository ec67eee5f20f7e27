//! Tests of the program itself: options, output, Ctrl-C.
