"""Games of self-play: the game itself, what is counted over all of them, what is shown and what is kept."""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

from amazons import Move, Position, Side, to_ccgc
from engines import Turn
from processes import LATE, VIOLATIONS, Violation

if TYPE_CHECKING:
    from selfplay import Match

LONG_GAME = 60  # plies; a side that has played half of them should have used its time
COLOURS = {"B": "\033[1;36m", "W": "\033[1;33m", "X": "\033[2m", ".": "\033[2m"}
COLOUR_OFF = "\033[0m"
LINES_UP, CLEAR_BELOW = "\033[{}F", "\033[J"


@dataclass(frozen=True)
class Contender:
    """The engine with the arguments that --black or --white gives it."""

    option: str
    preset: Optional[str]
    extra: Tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join([self.preset or "default", *self.extra])


@dataclass
class Game:
    """A game as far as it has come."""

    number: int
    seats: Dict[Side, Contender]
    position: Position
    moves: List[Move] = field(default_factory=list)
    turns: List[Turn] = field(default_factory=list)
    offences: List[Tuple[Side, Violation]] = field(default_factory=list)
    winner: Optional[Side] = None
    seconds: Dict[Side, float] = field(default_factory=dict)  # all turns of a side together

    def player_label(self, side: Side) -> str:
        return f"{side} ({self.seats[side].name})"

    def result(self) -> str:
        text = f"{self.player_label(self.winner)} wins in {len(self.moves)} plies"
        if self.offences:
            side, violation = self.offences[0]
            text += f", {side} forfeits ({violation.kind})"
        return text

    def forfeit(self, side: Side, violation: Violation) -> None:
        """The first violation decides the game; later ones are noted as well."""
        if not self.offences:
            self.winner = side.other
        self.offences.append((side, violation))


# --- counting -------------------------------------------------------------------------


class Tally:
    """The sums over all games."""

    def __init__(self) -> None:
        self.wins: Counter = Counter()
        self.scores: Counter = Counter()
        self.offences: Counter = Counter()
        self.plies: List[int] = []
        self.turns: List[Turn] = []
        self.sides: List[Tuple[int, float]] = []  # plies of the game and seconds of one side

    def add_game(self, game: Game) -> None:
        self.wins[game.winner] += 1
        self.scores[game.seats[game.winner]] += 1
        self.offences.update(violation.kind for _, violation in game.offences)
        self.plies.append(len(game.moves))
        self.turns += game.turns
        self.sides += [(len(game.moves), seconds) for seconds in game.seconds.values()]

    def summary(self) -> str:
        mean = statistics.mean(self.plies) if self.plies else 0.0
        wins = ", ".join(f"{side} wins {self.wins[side]}" for side in Side)
        counts = ", ".join(f"{kind} {self.offences[kind]}" for kind in VIOLATIONS)
        return f"games {len(self.plies)}: {wins}, mean {mean:.1f} plies\nviolations: {counts}"

    def score(self, contenders: Sequence[Contender]) -> str:
        scores = (f"{who.name} ({who.option}) {self.scores[who]}" for who in contenders)
        return "score: " + ", ".join(scores)

    def time_used(self, total: float) -> str:
        """How much of its time for a whole game each side has used."""

        def line(what: str, sides: List[Tuple[int, float]]) -> str:
            used = [100 * seconds / total for _, seconds in sides]
            if not used:
                return f"{what}: none"
            return (f"{what}: {len(used)} sides of {total:g} s used at least {min(used):.1f} %, "
                    f"median {statistics.median(used):.1f} %, at most {max(used):.1f} %, "
                    f"together {statistics.mean(used):.1f} %")

        long = [side for side in self.sides if side[0] >= LONG_GAME]
        return "\n".join(
            [
                line(f"games of {LONG_GAME} plies or more", long),
                f"{line('all games', self.sides)}; lost on time: {self.offences[LATE]}",
            ]
        )

    def stats(self) -> str:
        peaks = [turn.peak_memory for turn in self.turns if turn.peak_memory is not None]
        return "\n".join(
            [
                f"{len(self.turns):6} turns     median      p99      max",
                "wall seconds  " + distribution([turn.wall for turn in self.turns]),
                "CPU seconds   "
                + distribution([turn.cpu for turn in self.turns if turn.cpu is not None]),
                "peak memory   " + (f"{max(peaks) / 1e6:8.1f} MB" if peaks else "not known"),
            ]
        )


def distribution(values: List[float]) -> str:
    if not values:
        return "not known"
    ninety_ninth = sorted(values)[math.ceil(0.99 * len(values)) - 1]
    return " ".join(f"{v:8.3f}" for v in (statistics.median(values), ninety_ninth, max(values)))


# --- showing and keeping --------------------------------------------------------------


class GameLog:
    """What is printed about one game: at once, or in one piece if games run side by side."""

    def __init__(self, game: Game, options: argparse.Namespace) -> None:
        self.game = game
        self.show = options.show
        self.at_once = options.jobs == 1
        on_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = on_terminal and not os.environ.get("NO_COLOR")
        # Title, move, board and an empty line have to be in sight to be drawn over.
        height = shutil.get_terminal_size().lines
        self.in_place = on_terminal and self.at_once and height > game.position.size + 4
        self.last_board = 0  # lines of the board that is to be drawn over
        self.held: List[str] = []
        if self.show != "none":
            self.say(f"game {game.number}: {' against '.join(map(game.player_label, Side))}")
        if self.show == "board":
            self.draw("\n" + game.position.picture(paint=self.paint) + "\n")

    def draw(self, text: str) -> None:
        """Show a board, on a terminal in the place of the one before."""
        before = LINES_UP.format(self.last_board) + CLEAR_BELOW if self.last_board else ""
        if self.in_place:
            self.last_board = text.count("\n") + 1
        self.say(before + text)

    def say(self, text: str) -> None:
        if self.at_once:
            print(text, flush=True)
        else:
            self.held.append(text)

    def release(self) -> None:
        if self.held:
            print("\n".join(self.held), flush=True)

    def show_turn(self, turn: Turn) -> None:
        if self.show == "none":
            return
        mover = self.game.position.to_move.other
        text = f"{len(self.game.moves):3}. {mover} {str(turn.move):12} {turn.wall:7.3f} s"
        if self.show == "board":
            self.draw(f"{text}\n{self.game.position.picture(marked=turn.move, paint=self.paint)}\n")
        else:
            self.say(text)

    def show_offence(self, side: Side, violation: Violation) -> None:
        game = self.game
        where = f"game {game.number}, after ply {len(game.moves)}"
        self.say(f"{where}, {game.player_label(side)}: {violation}")

    def paint(self, content: str) -> str:
        return COLOURS[content] + content + COLOUR_OFF if self.colour else content


def write_record(game: Game, match: Match) -> Path:
    """Keep the game as a CCGC text file, under a name that every system accepts."""
    names = [re.sub(r"[^A-Za-z0-9.-]+", "_", game.seats[side].name)[:40] for side in Side]
    # The process number keeps two runs of the same second apart.
    run = time.strftime("%Y%m%d-%H%M%S", match.started) + f"-{os.getpid()}"
    name = f"AM-{run}-game{game.number:04}-{'-vs-'.join(names)}-{game.winner}.txt"
    path = match.options.record_dir / name
    with open(path, "w", encoding="utf-8", newline="\r\n") as file:
        file.write(ccgc_record(game, match))
    return path


def ccgc_record(game: Game, match: Match) -> str:
    """The header in brackets, then one numbered line for each pair of moves."""
    size = game.position.size
    fields = [
        "AM",
        *(game.seats[side].name for side in Side),
        "先手胜" if game.winner is Side.BLACK else "后手胜",  # first (second) player wins
        time.strftime("%Y.%m.%d %H:%M self-play", match.started),
        f"{match.protocol.title} {size}x{size}, {game.result()}",
    ]
    lines = ["#" + "".join(f"[{re.sub('[][]', '', text)}]" for text in fields) + ";"]
    texts = [to_ccgc(move) for move in game.moves]
    for number, pair in enumerate(zip_longest(texts[::2], texts[1::2]), start=1):
        lines.append(" ".join([str(number), *filter(None, pair)]))
    return "\n".join(lines) + "\n"
