"""The rules of the Game of the Amazons, written for clarity instead of speed.

This is an independent referee for tests: it shares neither code nor representation
with the engine, so that a mistake in one is not repeated in the other.

A square is (file, rank), both counted from 0 at the lower left corner.  Black moves
first and starts at the bottom; the last section converts these coordinates to each
platform's and back.  Boards are written with B, W, X (arrow) and a dot (empty).
"""

from __future__ import annotations

import enum
import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

SIZES = range(4, 11)
EMPTY, ARROW = ".", "X"
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


class Side(enum.Enum):
    BLACK = "B"
    WHITE = "W"

    @property
    def other(self) -> Side:
        return Side.WHITE if self is Side.BLACK else Side.BLACK

    def __str__(self) -> str:
        return self.name.lower()


class Square(NamedTuple):
    file: int
    rank: int

    def __str__(self) -> str:
        return f"{chr(ord('a') + self.file)}{self.rank + 1}"

    @classmethod
    def parse(cls, text: str) -> Square:
        return cls(ord(text[0].lower()) - ord("a"), int(text[1:]) - 1)


class Move(NamedTuple):
    """An amazon goes from `origin` to `landing` and shoots an arrow to `arrow`."""

    origin: Square
    landing: Square
    arrow: Square

    def __str__(self) -> str:
        return f"{self.origin}-{self.landing}/{self.arrow}"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Parses any notation of three squares in order: d1-d7/g7, D1D7G7, d1d7(g7)."""
        squares = re.findall(r"[a-j](?:10|[1-9])", text.lower())
        if len(squares) != 3:
            raise ValueError(f"not a move: {text!r}")
        return cls(*map(Square.parse, squares))


# --- the rules ----------------------------------------------------------------------


class Position:
    """The content of every square, and the side to move.  Immutable."""

    def __init__(self, size: int, grid: Dict[Square, str], to_move: Side) -> None:
        self.size = size
        self.grid = grid
        self.to_move = to_move

    @classmethod
    def start(cls, size: int) -> Position:
        """Returns the start position: the standard one for 10x10, Botzone's for 8x8.

        Other sizes follow the pattern of these two: each amazon stands on the edge,
        (size - 1) // 3 squares away from a corner.
        """
        last, third = size - 1, (size - 1) // 3
        grid = {Square(file, rank): EMPTY for file in range(size) for rank in range(size)}
        for file, rank in [(third, 0), (last - third, 0), (0, third), (last, third)]:
            grid[Square(file, rank)] = Side.BLACK.value
            grid[Square(file, last - rank)] = Side.WHITE.value
        return cls(size, grid, Side.BLACK)

    @classmethod
    def from_rows(cls, rows: Sequence[str], to_move: Side) -> Position:
        """Builds a position from rows of B, W, X and dots, highest rank first."""
        grid = {
            Square(file, rank): content
            for rank, row in enumerate(reversed(rows))
            for file, content in enumerate(row)
        }
        return cls(len(rows), grid, to_move)

    def amazons(self, side: Side) -> List[Square]:
        return [square for square, content in self.grid.items() if content == side.value]

    def reachable(self, start: Square, vacated: Optional[Square] = None) -> Iterator[Square]:
        """Yields the squares a queen's move away from `start`; `vacated` counts as empty."""
        for file_step, rank_step in DIRECTIONS:
            square = Square(start.file + file_step, start.rank + rank_step)
            while self.grid.get(square) == EMPTY or square == vacated:
                yield square
                square = Square(square.file + file_step, square.rank + rank_step)

    def legal_moves(self) -> Iterator[Move]:
        for origin in self.amazons(self.to_move):
            for landing in self.reachable(origin):
                # The arrow can cross or hit the square that the amazon has just left.
                for arrow in self.reachable(landing, vacated=origin):
                    yield Move(origin, landing, arrow)

    def objection(self, move: Move) -> Optional[str]:
        """Returns why the move is illegal, or None if it is legal."""
        origin, landing, arrow = move
        if not all(square in self.grid for square in move):
            return f"a square is outside the {self.size}x{self.size} board"
        if self.grid[origin] != self.to_move.value:
            return f"{self.to_move} has no amazon on {origin}"
        if landing not in self.reachable(origin):
            return f"no free queen's move from {origin} to {landing}"
        if arrow not in self.reachable(landing, vacated=origin):
            return f"no free shot from {landing} to {arrow}"
        return None

    def play(self, move: Move) -> Position:
        """Returns the position after a legal move."""
        grid = dict(self.grid)
        grid[move.origin] = EMPTY
        grid[move.landing] = self.to_move.value
        grid[move.arrow] = ARROW
        return Position(self.size, grid, self.to_move.other)

    def is_blocked(self, side: Side) -> bool:
        """True if no amazon of `side` can move, whichever side is to move.

        One free neighbour is enough for a whole move: step there and shoot back.
        """
        return not any(True for amazon in self.amazons(side) for _ in self.reachable(amazon))


# --- end of the game and coordinates on each platform ---------------------------------


def botzone_winner(position: Position) -> Optional[Side]:
    """Returns the winner on Botzone, which checks only the side to move."""
    return position.to_move.other if position.is_blocked(position.to_move) else None


def sau_winner(position: Position) -> Optional[Side]:
    """Returns the winner on the SAU platform, which checks White, then Black, after a move.

    So a side that shuts itself in loses immediately, and Black wins if both are shut in.
    """
    if position.is_blocked(Side.WHITE):
        return Side.BLACK
    if position.is_blocked(Side.BLACK):
        return Side.WHITE
    return None


def to_botzone(move: Move) -> List[int]:
    """Returns x0 y0 x1 y1 x2 y2, with y = 0 at Black's edge."""
    return [number for square in move for number in square]


def from_botzone(numbers: Sequence[int]) -> Move:
    return Move(*(Square(*numbers[i : i + 2]) for i in (0, 2, 4)))


def to_sau(move: Move, size: int) -> str:
    """Returns six capitals: for each square the file, then the row from White's edge."""
    return "".join(
        chr(ord("A") + file) + chr(ord("A") + size - 1 - rank) for file, rank in move
    )


def from_sau(letters: str, size: int) -> Move:
    codes = [ord(letter) - ord("A") for letter in letters]
    return Move(*(Square(codes[i], size - 1 - codes[i + 1]) for i in (0, 2, 4)))
