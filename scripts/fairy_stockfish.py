#!/usr/bin/env python3
"""Writes protocol/tests/data/fairy_stockfish.txt: what Fairy-Stockfish says about random games of amazons.

    pip install pyffish && scripts/fairy_stockfish.py > protocol/tests/data/fairy_stockfish.txt

pyffish is Fairy-Stockfish as a Python library. A line is a variant, the moves of a game from its start, and
what the board then is: FEN and number of legal moves. protocol/tests/uci.rs asks Otrera the same.
"""

import random

import pyffish

AMAZONS8 = """
[amazons8:amazons]
maxRank = 8
maxFile = h
startFen = 2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1
"""
GAMES = 3
"""Games of each variant."""


def states(variant, rng):
    """The states of a game at the start, at some plies, and at the end."""
    start, moves = pyffish.start_fen(variant), []
    while legal := pyffish.legal_moves(variant, start, moves):
        if len(moves) % 9 in (0, 4):
            yield moves, len(legal)
        moves = [*moves, rng.choice(sorted(legal))]
    yield moves, 0


def main():
    pyffish.load_variant_config(AMAZONS8)
    rng = random.Random(1)
    print("# Written by scripts/fairy_stockfish.py with Fairy-Stockfish", ".".join(map(str, pyffish.version())))
    print("# variant; moves; FEN; number of legal moves")
    for variant in ["amazons", "amazons8"]:
        for _ in range(GAMES):
            for moves, count in states(variant, rng):
                fen = pyffish.get_fen(variant, pyffish.start_fen(variant), moves)
                print(variant, " ".join(moves), fen, count, sep="; ")


if __name__ == "__main__":
    main()
