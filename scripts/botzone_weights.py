"""The weights that the Botzone build is given: those of 8x8 alone, since the source for its editor must be small.

    botzone_weights.py FITTED.json OUTPUT.json

What belongs to larger boards is left out where the reader allows that: their network is, and of the terms one knot stays.
"""

import json
import pathlib
import sys


def small_alone(weights):
    """The same weights without those that only boards larger than 8x8 need."""
    weights["networks"].pop("standard", None)
    weights["value"]["standard"]["knots"] = weights["value"]["standard"]["knots"][:1]
    return weights


def main():
    """Reads the one file and writes the other."""
    source, output = map(pathlib.Path, sys.argv[1:])
    text = json.dumps(small_alone(json.loads(source.read_text())), separators=(",", ":"))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)


if __name__ == "__main__":
    main()
