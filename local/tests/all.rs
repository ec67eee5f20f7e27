//! Tests of the program against a model of the site.
