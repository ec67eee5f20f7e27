"""Tests of amazons.py: `python3 scripts/test_amazons.py`.

Uses move counts and real games from tests/data, and all candidate moves on a 4x4 board.
"""

import itertools
import json
import unittest
from pathlib import Path

import amazons
from amazons import Move, Position, Side, Square

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"

# Python counts some 500,000 moves a second: more would make the tests slow.
PERFT_NODE_LIMIT = 250_000


def perft(position: Position, depth: int) -> int:
    if depth == 1:
        return sum(1 for _ in position.legal_moves())
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves())


def position_of(picture: str, to_move: Side) -> Position:
    return Position.from_rows(picture.split(), to_move)


class Rules(unittest.TestCase):
    def test_perft(self):
        entries = json.loads((DATA / "perft.json").read_text(encoding="utf-8"))
        chosen = [e for e in entries if e["depth"] <= 2 and e["nodes"] <= PERFT_NODE_LIMIT]
        self.assertTrue(chosen)
        for entry in chosen:
            with self.subTest(rows=entry["rows"], depth=entry["depth"]):
                position = Position.from_rows(entry["rows"], Side(entry["side"]))
                self.assertEqual(perft(position, entry["depth"]), entry["nodes"])

    def test_start_positions(self):
        self.assertEqual(
            {str(square) for square in Position.start(10).amazons(Side.BLACK)},
            {"a4", "d1", "g1", "j4"},
        )
        for size, moves in [(8, 1232), (10, 2176)]:
            self.assertEqual(perft(Position.start(size), 1), moves)
        for size in amazons.SIZES:
            for side in Side:
                self.assertEqual(len(Position.start(size).amazons(side)), 4)

    def test_objection_is_the_complement_of_legal_moves(self):
        position = position_of(".W.B XB.. ..WX B..W", Side.WHITE)
        squares = [Square(file, rank) for file in range(-1, 5) for rank in range(-1, 5)]
        legal = set(position.legal_moves())
        for squares_of_move in itertools.product(squares, repeat=3):
            move = Move(*squares_of_move)
            self.assertEqual(position.objection(move) is None, move in legal, move)

    def test_olympiad_games(self):
        lines = (DATA / "olympiad_games.txt").read_text(encoding="utf-8").splitlines()
        games = [line for line in lines if line and not line.startswith("#")]
        self.assertTrue(games)
        for line in games:
            position = Position.start(10)
            for text in line.split("|")[-1].split():
                move = Move.parse(text)
                self.assertIsNone(position.objection(move), f"{line[:10]}: {move}")
                position = position.play(move)


class EndOfGame(unittest.TestCase):
    def test_the_blocked_side_to_move_loses_everywhere(self):
        position = position_of("WX.. XX.. .... ...B", Side.WHITE)
        self.assertEqual(amazons.botzone_winner(position), Side.BLACK)
        self.assertEqual(amazons.sau_winner(position), Side.BLACK)

    def test_shutting_oneself_in_loses_on_sau_only(self):
        position = position_of("BX.. XX.. .... ...W", Side.WHITE)
        self.assertIsNone(amazons.botzone_winner(position))
        self.assertEqual(amazons.sau_winner(position), Side.WHITE)

    def test_both_shut_in_is_a_win_for_black_on_sau(self):
        for to_move in Side:
            position = position_of("BX.. XX.. ..XX ..XW", to_move)
            self.assertEqual(amazons.botzone_winner(position), to_move.other)
            self.assertEqual(amazons.sau_winner(position), Side.BLACK)


class Notation(unittest.TestCase):
    def test_one_move_in_every_notation(self):
        move = Move.parse("d1-d7/g7")
        self.assertEqual(str(move), "d1-d7/g7")
        self.assertEqual(amazons.to_sau(move, 10), "DJDDGD")
        self.assertEqual(amazons.to_botzone(move), [3, 0, 3, 6, 6, 6])
        self.assertEqual(Move.parse("d1d7(g7)"), move)
        self.assertEqual(Move.parse("j10j9A10"), Move((9, 9), (9, 8), (0, 9)))

    def test_platforms_read_back_what_they_write(self):
        for size in (8, 10):
            for move in Position.start(size).legal_moves():
                self.assertEqual(amazons.from_sau(amazons.to_sau(move, size), size), move)
                self.assertEqual(amazons.from_botzone(amazons.to_botzone(move)), move)

    def test_three_squares_make_a_move(self):
        for text in ("", "d1d7", "d1d7g7h7", "d1d7k7", "d0d7g7"):
            with self.assertRaises(ValueError):
                Move.parse(text)


if __name__ == "__main__":
    unittest.main()
