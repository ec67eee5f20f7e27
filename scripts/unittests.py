"""Runs the Python tests of a folder. Adds skipped tests to the list that tests.sh prints at its end."""

import os
import sys
import unittest

[folder] = sys.argv[1:]
result = unittest.TextTestRunner().run(unittest.defaultTestLoader.discover(folder))
with open(os.environ["OTRERA_SKIPPED"], "a", encoding="utf-8") as skipped:
    for test, reason in result.skipped:
        print(f"{test.id()}: {reason}", file=skipped)
if result.testsRun == 0 and not result.skipped:
    sys.exit(f"{folder}: no tests")
sys.exit(not result.wasSuccessful())
