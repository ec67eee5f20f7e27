"""Packs the 8x8 weights for the Botzone build: priors and evaluation network, as binary numbers.

    botzone_weights.py FITTED.json OUTPUT

Botzone limits the size of the source.  `src/eval/weights/packed.rs` describes the output and reads it.
"""

import base64
import json
import pathlib
import struct
import sys
from fractions import Fraction

UNITS = 10_000  # the linear weights of the priors are whole multiples of 1/UNITS


def flat(numbers):
    """Flattens nested lists."""
    if not isinstance(numbers, list):
        return [numbers]
    return [number for part in numbers for number in flat(part)]


def in_units(weights):
    """Converts decimal fractions to whole numbers of units."""
    scaled = [weight * UNITS for weight in flat(weights)]
    if any(weight.denominator != 1 for weight in scaled):
        sys.exit(f"botzone_weights.py: a weight has more decimals than units of 1/{UNITS} can express")
    return [int(weight) for weight in scaled]


def packed(weights):
    """Returns the packed weights, in the order in which packed.rs reads them."""
    priors, network = weights["priors"]["small"], weights["networks"]["small"]
    numbers = in_units(priors["movements"]) + in_units(priors["arrows"])
    parts = [part for name, part in network.items() if name not in ("trained", "squares", "lead")]
    numbers += [int(number) for number in flat(parts)]
    rows = [priors["movement_rows"], priors["arrow_rows"], network["squares"]]
    return struct.pack(f"<{len(numbers)}i", *numbers) + b"".join(map(base64.b64decode, rows))


def main():
    """Reads the fitted weights and writes the packed ones."""
    source, output = map(pathlib.Path, sys.argv[1:])
    weights = json.loads(source.read_text(), parse_float=Fraction, parse_int=Fraction)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(packed(weights))


if __name__ == "__main__":
    main()
