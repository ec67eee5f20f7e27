"""Packs weights for builds whose size is limited: priors and evaluation networks, as binary numbers.

    pack_weights.py FITTED.json OUTPUT            all weights, for the page
    pack_weights.py FITTED.json OUTPUT botzone    those for 8x8, without the lead

`src/eval/weights/packed.rs` describes the output and reads it.
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
        sys.exit(f"pack_weights.py: a weight has more decimals than units of 1/{UNITS} can express")
    return [int(weight) for weight in scaled]


def numbers_of(kind, numbers):
    """Returns the bytes of numbers of one kind."""
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def packed(priors, network, with_lead):
    """Returns the weights for one kind of board, in the order in which packed.rs reads them."""
    parts = [part for name, part in network.items() if name not in ("trained", "squares", "lead")]
    lead = flat(network["lead"]) if with_lead else []
    rows = [priors["movement_rows"], priors["arrow_rows"], network["squares"]]
    return b"".join(
        [
            numbers_of("i", in_units(priors["movements"]) + in_units(priors["arrows"])),
            numbers_of("h", [int(number) for number in flat(parts)]),
            numbers_of("?", [with_lead]),
            numbers_of("f", [float(number) for number in lead]),
            *map(base64.b64decode, rows),
        ]
    )


def main():
    """Reads the fitted weights and writes the packed ones."""
    source, output, *build = sys.argv[1:]
    is_botzone = build == ["botzone"]
    weights = json.loads(pathlib.Path(source).read_text(), parse_float=Fraction, parse_int=Fraction)
    text = b""
    for board in ("standard", "small"):
        is_packed = board == "small" or not is_botzone
        text += numbers_of("?", [is_packed])
        if is_packed:
            text += packed(weights["priors"][board], weights["networks"][board], not is_botzone)
    path = pathlib.Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


if __name__ == "__main__":
    main()
