"""Engines as a platform sees them: players that answer a protocol.

Player         one engine at the board, whatever the protocol: OneShotPlayer and
               KeepRunningPlayer for Botzone (each in the simple or the JSON dialect),
               SauPlayer for the SAU platform.
Clock          the time of one side.

Everything here is as strict as the platforms' own judges, or stricter: an answer that
only a lenient reader would understand is reported, not repaired.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Union

from amazons import (
    Move,
    Position,
    Side,
    botzone_winner,
    from_botzone,
    from_sau,
    sau_winner,
    to_botzone,
    to_sau,
)
from processes import (
    CHATTER,
    HANG_SECONDS,
    LATE,
    MALFORMED,
    EngineProcess,
    Violation,
    as_text,
)

NAME_SECONDS = 10.0  # how long an engine may take to give its name
SETTLE_SECONDS = 0.05  # how long after a game a stale move is watched for
# Without any limit only a hang ends a wait: the time a side has for a whole SAU game.
UNLIMITED_SECONDS = 900.0
KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


# --- time -----------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds; None where there is none."""

    first_move: Optional[float]
    later_moves: Optional[float]
    total: Optional[float]
    grace: float
    extra: float = 0.0  # what each turn is charged beside the wait for the answer


class Clock:
    """The clock of one side in one game."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._used = 0.0
        self._turns = 0

    @property
    def used(self) -> float:
        """Seconds of all turns so far."""
        return self._used

    def allowance(self) -> Optional[float]:
        """Seconds that the coming turn may take."""
        control = self._control
        limits = [control.first_move if self._turns == 0 else control.later_moves]
        if control.total is not None:
            limits.append(control.total - self._used)
        return min((limit for limit in limits if limit is not None), default=None)

    def patience(self) -> float:
        """Seconds after which the engine is taken to hang."""
        allowance = self.allowance()
        return (UNLIMITED_SECONDS if allowance is None else max(0.0, allowance)) + HANG_SECONDS

    def charge(self, turn: Turn) -> None:
        allowance = self.allowance()
        taken = turn.wall + self._control.extra
        self._used += taken
        self._turns += 1
        if allowance is not None and taken > allowance + self._control.grace:
            left = max(0.0, allowance)
            raise Violation(LATE, turn.text, f"{taken:.3f} s where {left:.3f} s were left")


class Turn(NamedTuple):
    """An answer and what it took."""

    move: Move
    text: str
    wall: float
    cpu: Optional[float]
    peak_memory: Optional[int]


# --- players --------------------------------------------------------------------------


class Player:
    """One engine.  Calls come in this order; each may raise a Violation:

    start_game, answer..., end_game (any number of games), leave.
    After a violation the caller kills the player; the next game starts it afresh.
    """

    # What starts a process, from a command and whether both its outputs are one.
    start_process: Callable[[Sequence[str], bool], EngineProcess] = EngineProcess

    def __init__(self, size: int, control: TimeControl) -> None:
        self.size = size
        self.control = control
        self.process: Optional[EngineProcess] = None
        self._cpu_before = 0.0

    def start_game(self, side: Side, command: Sequence[str]) -> None:
        self.clock = Clock(self.control)
        self.command = command

    def answer(self, last: Optional[Move]) -> Turn:
        """The engine's move after the opponent's `last` move, None at the very start."""
        raise NotImplementedError

    def end_game(self, unseen: Optional[Move]) -> None:
        """The game is over; `unseen` is a final move this engine does not know yet."""

    def leave(self) -> None:
        """There are no more games."""

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.close()
            self.process = None

    def launch(self, merge_stderr: bool = False) -> EngineProcess:
        self.process = self.start_process(self.command, merge_stderr)
        self._cpu_before = 0.0
        return self.process

    def turn(self, move: Move, text: str, wall: float) -> Turn:
        """What the turn cost, counting CPU time burnt since the turn before as well."""
        cpu = self.process.cpu_seconds()
        spent = None if cpu is None else cpu - self._cpu_before
        self._cpu_before = cpu or 0.0
        return Turn(move, text, wall, spent, self.process.peak_memory())


# Botzone


class SimpleDialect:
    """Botzone's simple interaction: six numbers in a line."""

    def request(self, move: Optional[Move]) -> str:
        return " ".join(map(str, botzone_numbers(move)))

    def history(self, requests: Sequence[Optional[Move]], responses: Sequence[Move]) -> str:
        lines = [str(len(requests))]
        for request, response in zip_longest(requests, responses):
            lines.append(self.request(request))
            if response is not None:
                lines.append(self.request(response))
        return "\n".join(lines)

    def parse(self, line: str) -> Move:
        if not re.fullmatch(r"-?\d{1,9}( -?\d{1,9}){5}", line, re.ASCII):
            raise Violation(MALFORMED, line, "not six integers with single spaces between")
        return from_botzone([int(number) for number in line.split()])

    def chatter(self, extra: Sequence[str]) -> Sequence[str]:
        """The first line after the answer is for debugging; nobody stores the others."""
        return extra[1:]


class JsonDialect:
    """Botzone's JSON interaction: one object in a line."""

    KEYS = ("x0", "y0", "x1", "y1", "x2", "y2")

    def request(self, move: Optional[Move]) -> str:
        return compact_json(self._message(move))

    def history(self, requests: Sequence[Optional[Move]], responses: Sequence[Move]) -> str:
        return compact_json(
            {
                "requests": [self._message(request) for request in requests],
                "responses": [self._message(response) for response in responses],
            }
        )

    def parse(self, line: str) -> Move:
        answer = self._decode(line, line)
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, str):  # The judge unwraps such a string too.
            response = self._decode(response, line)
        if not isinstance(response, dict):
            raise Violation(MALFORMED, line, "no object under the key response")
        numbers = [response.get(key) for key in self.KEYS]
        if not all(type(number) is int for number in numbers):
            raise Violation(MALFORMED, line, f"{' '.join(self.KEYS)} are not all integers")
        return from_botzone(numbers)

    def chatter(self, extra: Sequence[str]) -> Sequence[str]:
        return extra

    def _message(self, move: Optional[Move]) -> Dict[str, int]:
        return dict(zip(self.KEYS, botzone_numbers(move)))

    @staticmethod
    def _decode(text: str, line: str) -> object:
        def refuse(constant: str) -> None:
            raise ValueError(f"{constant} is not JSON")  # though Python reads NaN and Infinity

        try:
            return json.loads(text, parse_constant=refuse)
        except (ValueError, RecursionError) as error:
            raise Violation(MALFORMED, line, f"not JSON ({error})") from None


Dialect = Union[SimpleDialect, JsonDialect]


def botzone_numbers(move: Optional[Move]) -> List[int]:
    return [-1] * 6 if move is None else to_botzone(move)


def compact_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


class BotzonePlayer(Player):
    """What Botzone's two ways of running a bot have in common."""

    def __init__(self, dialect: Dialect, size: int, control: TimeControl) -> None:
        super().__init__(size, control)
        self.dialect = dialect

    def start_game(self, side: Side, command: Sequence[str]) -> None:
        super().start_game(side, command)
        self.requests: List[Optional[Move]] = []
        self.responses: List[Move] = []

    def refuse_chatter(self, extra: Sequence[str]) -> None:
        lines = [line for line in self.dialect.chatter(extra) if line.strip()]
        if lines:
            raise Violation(CHATTER, "\n".join(lines), "more than the answer")


class OneShotPlayer(BotzonePlayer):
    """Botzone's traditional way: a fresh process for every turn, told the whole history."""

    def answer(self, last: Optional[Move]) -> Turn:
        self.requests.append(last)
        message = self.dialect.history(self.requests, self.responses) + "\n"
        started = time.monotonic()
        process = self.launch()
        process.send(message)
        process.close_input()
        line = process.read_line(started + self.clock.patience())
        wall = time.monotonic() - started
        move = self.dialect.parse(line)
        extra = process.leave().splitlines()
        # A bot may ask for keep-running; a platform that does not grant it says nothing.
        self.refuse_chatter([line for line in extra if line != KEEP_RUNNING])
        self.responses.append(move)
        return self.turn(move, line, wall)


class KeepRunningPlayer(BotzonePlayer):
    """Botzone's keep-running way: one process a game, told each new move only.

    Should it have been killed, a new one is told the whole history.
    """

    def answer(self, last: Optional[Move]) -> Turn:
        self.requests.append(last)
        if self.process is not None:
            self.process.expect_silence()
            message = self.dialect.request(last)
        else:
            message = self.dialect.history(self.requests, self.responses)
            self.launch()
        started = time.monotonic()
        self.process.send(message + "\n")
        deadline = started + self.clock.patience()
        line = self.process.read_line(deadline)
        wall = time.monotonic() - started
        move = self.dialect.parse(line)
        self.refuse_chatter(self._lines_before_marker(deadline))
        self.responses.append(move)
        return self.turn(move, line, wall)

    def end_game(self, unseen: Optional[Move]) -> None:
        if self.process is None:
            return
        self.process.close_input()
        rest = self.process.leave()
        self.process = None
        if rest:
            raise Violation(CHATTER, rest, "output after the game")

    def _lines_before_marker(self, deadline: float) -> List[str]:
        lines = []
        while True:
            line = self.process.read_line(deadline, awaited="the keep-running line")
            if line == KEEP_RUNNING:
                return lines
            lines.append(line)


# SAU platform


class SauPlayer(Player):
    """An engine of the SAU platform: one process for all games, both its outputs one pipe."""

    def start_game(self, side: Side, command: Sequence[str]) -> None:
        super().start_game(side, command)
        self.playing = False
        if self.process is None:
            self.launch(merge_stderr=True)
            self.process.send("name?\n")
            self._read_command("name", r"name [ -~]+", time.monotonic() + NAME_SECONDS)
        self.process.expect_silence()
        if side is Side.WHITE:  # "new black" asks for the first move: it waits for `answer`.
            self.process.send("new white\n")
            self.playing = True

    def answer(self, last: Optional[Move]) -> Turn:
        self.process.expect_silence()
        message = "new black" if last is None else f"move {to_sau(last, self.size)}"
        started = time.monotonic()
        self.process.send(message + "\n")
        self.playing = True
        line = self._read_command("move", r"move [A-J]{6}", started + self.clock.patience())
        wall = time.monotonic() - started
        return self.turn(from_sau(line[5:], self.size), line, wall)

    def end_game(self, unseen: Optional[Move]) -> None:
        if not self.playing:
            return  # The opponent has failed before the first move.
        # The platform sends the final move and the end in one write.
        final = f"move {to_sau(unseen, self.size)}\n" if unseen else ""
        self.process.send(final + "end\n")
        self.process.expect_silence(SETTLE_SECONDS)

    def leave(self) -> None:
        if self.process is None:
            return
        self.process.expect_silence()
        self.process.send("quit\n")
        rest = self.process.leave()
        if rest:
            raise Violation(CHATTER, rest, "output after quit")

    def _read_command(self, word: str, pattern: str, deadline: float) -> str:
        """One command, which must be one whole line from one write.

        The platform throws away a line that comes in pieces, and overlooks the second
        of two lines that come together.
        """
        chunk = self.process.receive(deadline)
        if chunk is None:
            raise self.process.hang(f"a {word} line")
        if not chunk:
            raise self.process.gone(f"a {word} line")
        text = as_text(chunk)
        if not re.fullmatch(pattern + r"\r?\n", text):
            kind = MALFORMED if text.startswith(word) and text.count("\n") <= 1 else CHATTER
            raise Violation(kind, text, f"not exactly one {word} line in one write")
        return text.rstrip("\r\n")


class Protocol(NamedTuple):
    title: str
    size: int  # the platform's own board, which engines expect without being told
    player: Callable[[int, TimeControl], Player]
    winner: Callable[[Position], Optional[Side]]


def botzone(title: str, player: type, dialect: Dialect) -> Protocol:
    return Protocol(f"Botzone {title}", 8, partial(player, dialect), botzone_winner)


PROTOCOLS = {
    "simple": botzone("simple", OneShotPlayer, SimpleDialect()),
    "simple-keep": botzone("simple keep-running", KeepRunningPlayer, SimpleDialect()),
    "json": botzone("JSON keep-running", KeepRunningPlayer, JsonDialect()),
    "json-once": botzone("JSON", OneShotPlayer, JsonDialect()),
    "sau": Protocol("SAU platform", 10, SauPlayer, sau_winner),
}
