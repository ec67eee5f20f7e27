"""The weights that the Botzone build is given: those of 8x8 alone, and only their numbers.

    botzone_weights.py FITTED.json OUTPUT

The source for Botzone's editor must be small.  What belongs to larger boards is left out where the reader allows that:
their network is, and of the terms one knot stays.  `src/eval/weights/packed.rs` describes the output and reads it.
"""

import json
import pathlib
import struct
import sys
from fractions import Fraction

UNITS = 10_000
NETWORK = ["counts", "freedom", "sole", "contested", "plies", "output"]


def flat(numbers):
    """All numbers in lists of any depth."""
    if not isinstance(numbers, list):
        return [numbers]
    return [number for part in numbers for number in flat(part)]


def in_units(weights):
    """Decimal fractions as whole numbers of units."""
    scaled = [weight * UNITS for weight in flat(weights)]
    if any(weight.denominator != 1 for weight in scaled):
        sys.exit(f"botzone_weights.py: a weight has more decimals than units of 1/{UNITS} can express")
    return [int(weight) for weight in scaled]


def numbers(weights):
    """What is packed, in the order of the reader."""
    value, priors, network = weights["value"], weights["priors"], weights["networks"]["small"]
    packed = []
    for knots in [value["standard"]["knots"][:1], value["small"]["knots"]]:
        packed.append(len(knots))
        for knot in knots:
            packed += [int(knot["ply"]), *in_units(knot["weights"])]
    packed += in_units(priors["movements"]) + in_units(priors["arrows"])
    return packed + [int(number) for part in NETWORK for number in flat(network[part])]


def main():
    """Reads the one file and writes the other."""
    source, output = map(pathlib.Path, sys.argv[1:])
    weights = json.loads(source.read_text(), parse_float=Fraction, parse_int=Fraction)
    packed = numbers(weights)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(struct.pack(f"<{len(packed)}i", *packed))


if __name__ == "__main__":
    main()
