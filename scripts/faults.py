"""Games of the engine while things go wrong around it: does it lose any by accident?

Each game is played against random moves, through one of the platforms' protocols, under
one kind of fault: the engine is killed, stopped, slowed, starved, spoken to and listened
to a byte at a time, left without disk, given other clocks, sent noise.  The referee in
amazons.py and the strict players in engines.py judge it as its platform would.  What the
fault itself makes impossible (an answer while stopped, an answer nobody reads) is
counted apart and named; any other loss but on the board is the engine's own.

Reading order: the faults, one function each, in disturbances.py; Bout (plays a game); the
report.
"""

from __future__ import annotations

import argparse
import fcntl
import math
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from amazons import Move, Position, Side
from disturbances import FAULTS, KEEP, SAU, Disturbance, Scene, undisturbed
from engines import PROTOCOLS, Player, TimeControl, Turn
from processes import BAD_EXIT, ILLEGAL, EngineProcess, Violation

DEFAULT_ENGINE = Path(__file__).resolve().parent.parent / "dist" / "otrera"
CHOICES = {"simple": ["simple"], "json": ["json-once"], "keep": [*KEEP], "sau": ["sau"],
           "mix": ["simple", "json-once", "simple-keep", "json", "sau"]}
BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES, SAU_SECONDS = 2.0, 1.0, 30.0
EXIT_CLEAN, EXIT_LOST, EXIT_USAGE = 0, 1, 2


# --- playing ----------------------------------------------------------------------------


class DisturbedProcess(EngineProcess):
    """An engine's process that is disturbed in its turns."""

    def __init__(self, bout: Bout, command: Sequence[str], merge_stderr: bool) -> None:
        super().__init__(command, merge_stderr)
        self._bout = bout
        self._padding = 0
        self._hung_up = False

    def send(self, text: str) -> None:
        disturbance = self._bout.disturbance
        disturbance.before(self)
        if disturbance.trickle:
            self._fill_pipe()
        disturbance.write(self, text)
        self._bout.meanwhile = threading.Thread(target=disturbance.meanwhile, args=(self,))
        self._bout.meanwhile.start()

    def send_now(self, text: str) -> None:
        super().send(text)

    def receive(self, deadline: float) -> Optional[bytes]:
        if self._hung_up:
            return self._wait_for_exit(deadline)
        if not self._padding:
            return super().receive(deadline)
        time.sleep(self._bout.scene.think * 1.5)  # Its answer waits in front of a full pipe.
        while self._padding:
            self._padding -= len(os.read(self._child.stdout.fileno(), 1))
        return self._trickle(deadline)

    def _trickle(self, deadline: float) -> Optional[bytes]:
        """A line, read one byte at a time."""
        line = b""
        while not line.endswith(b"\n"):
            if not self._poll.poll(max(0, math.ceil((deadline - time.monotonic()) * 1000))):
                return line or None
            byte = os.read(self._child.stdout.fileno(), 1)
            if not byte:
                break
            line += byte
        return line

    def _fill_pipe(self) -> None:
        """Leaves no room in the pipe of its output, which is made as small as can be."""
        reader = self._child.stdout.fileno()
        size = fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
        writer = os.open(f"/proc/self/fd/{reader}", os.O_WRONLY | os.O_NONBLOCK)
        try:
            self._padding = os.write(writer, b"." * size)
        finally:
            os.close(writer)

    def hang_up(self) -> None:
        self._poll.unregister(self._child.stdout)
        self._child.stdout.close()
        self._hung_up = True

    def _wait_for_exit(self, deadline: float) -> bytes:
        """Without a reader it has to end by itself once it has seen that."""
        if not self._wait(deadline):
            raise Violation(BAD_EXIT, "", "still running though nobody reads its answers")
        return b""


F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", 1031)  # in Python's own fcntl from 3.10 on


@dataclass
class Outcome:
    """How a game ended."""

    result: str = "broken off"
    reason: str = ""  # of a loss that the engine could have avoided
    disturbed: int = 0  # turns
    excused: int = 0  # answers that the fault made late or impossible


class Bout:
    """One game of the engine against random moves, under one fault."""

    def __init__(self, number: int, protocol: str, fault: str, options: argparse.Namespace) -> None:
        self.rng = random.Random(f"{options.seed}/{number}")
        self.protocol, self.fault, self.options = PROTOCOLS[protocol], FAULTS[fault], options
        self.side = self.rng.choice(list(Side))
        self.control = time_control(options, protocol)
        self.scene = Scene(self.rng, protocol, options.engine, "", options.time or 1.0)
        self.disturbance = Disturbance()
        self.meanwhile: Optional[threading.Thread] = None
        self.outcome = Outcome()

    def play(self) -> Outcome:
        player = self.protocol.player(self.protocol.size, self.control)
        player.start_process = lambda command, merge: DisturbedProcess(self, command, merge)
        with ExitStack() as stack:
            self.scene.folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-"))
            stack.enter_context(self.fault.around(self.scene))
            stack.callback(player.kill)
            try:
                self.play_with(player)
            except Violation as violation:
                self.outcome.result, self.outcome.reason = "avoidable", str(violation)
        return self.outcome

    def play_with(self, player: Player) -> None:
        player.start_game(self.side, self.command())
        position, last = Position.start(self.protocol.size), None
        while self.protocol.winner(position) is None:
            if position.to_move is self.side:
                turn = self.turn(player, last)
                if turn is None:
                    return
                objection = position.objection(turn.move)
                if objection:
                    raise Violation(ILLEGAL, turn.text, objection)
                last = turn.move
            else:
                last = self.rng.choice(list(position.legal_moves()))
            position = position.play(last)
        won = self.protocol.winner(position) is self.side
        self.outcome.result = "won" if won else "lost on board"
        player.end_game(None if position.to_move is self.side.other else last)
        player.leave()

    def command(self) -> List[str]:
        command = self.fault.start(self.scene)
        if self.options.time:
            command += ["--move-time", str(self.options.time)]
        elif self.scene.protocol in SAU:
            command += ["--total-time", str(SAU_SECONDS), "--move-overhead", "0.01"]
        return command

    def turn(self, player: Player, last: Optional[Move]) -> Optional[Turn]:
        """The answer, asked for again if the fault has swallowed it; None where that cannot be."""
        disturbed = self.fault.turn is undisturbed or self.rng.random() < self.options.rate
        self.outcome.disturbed += disturbed
        self.disturbance = self.fault.turn(self.scene) if disturbed else Disturbance()
        try:
            turn = self.answer(player, last)
        except Violation as violation:
            cause = self.disturbance.causes
            if cause is None or cause not in str(violation):
                raise
            self.outcome.excused += 1
            if self.scene.protocol in SAU:
                return None  # The platform has no way to go on.
            player.kill()
            player.requests.pop()
            self.disturbance = Disturbance()
            turn = self.answer(player, last)
        self.judge_time(player, turn)
        if self.disturbance.kills:
            player.kill()  # It may have answered before.
        self.disturbance = Disturbance()
        self.scene.first_turn = False
        return turn

    def answer(self, player: Player, last: Optional[Move]) -> Turn:
        try:
            return player.answer(last)
        finally:
            if self.meanwhile is not None:
                self.meanwhile.join()

    def judge_time(self, player: Player, turn: Turn) -> None:
        """Late is an answer that comes too late even without the time that the fault took."""
        allowance = player.clock.allowance()
        own_time = max(0.0, turn.wall - self.disturbance.excuse)
        if allowance is not None and turn.wall > allowance + self.options.grace > own_time:
            self.outcome.excused += 1
        player.clock.charge(turn._replace(wall=own_time))


def time_control(options: argparse.Namespace, protocol: str) -> TimeControl:
    if options.time:
        return TimeControl(options.time, options.time, None, options.grace)
    if protocol in SAU:
        return TimeControl(None, None, SAU_SECONDS, options.grace)
    return TimeControl(BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES, None, options.grace)


# --- the report -------------------------------------------------------------------------


class Report:
    """The games by fault."""

    COLUMNS = ["games", "turns hit", "won", "lost on board", "broken off", "excused", "avoidable"]

    def __init__(self) -> None:
        self.rows: Dict[str, Counter] = defaultdict(Counter)

    def add(self, fault: str, outcome: Outcome) -> None:
        row = self.rows[fault]
        row["games"] += 1
        row["turns hit"] += outcome.disturbed
        row["excused"] += outcome.excused
        row[outcome.result] += 1

    def avoidable(self) -> int:
        return sum(row["avoidable"] for row in self.rows.values())

    def table(self) -> str:
        total: Counter = sum(self.rows.values(), Counter())
        lines = [f"{'fault':16}" + "".join(f"{column:>15}" for column in self.COLUMNS)]
        for name, row in [*sorted(self.rows.items()), ("all", total)]:
            lines.append(f"{name:16}" + "".join(f"{row[column]:15}" for column in self.COLUMNS))
        return "\n".join(lines)


EXPLANATION = """\
broken off: the fault left no way to go on (the SAU platform does not start a program again)
excused:    answers that the fault alone made late or impossible: killed, stopped, no reader
avoidable:  games lost by a crash, an illegal or malformed answer, silence, or a late answer"""


def schedule(options: argparse.Namespace) -> Iterator[Tuple[int, str, str]]:
    """The games: every fault in turn, each with one protocol after the other."""
    rng = random.Random(options.seed)
    wheels = {}
    for name in [options.fault] if options.fault else FAULTS:
        protocols = [p for p in CHOICES[options.protocol] if p in FAULTS[name].protocols]
        rng.shuffle(protocols)
        if protocols:
            wheels[name] = cycle(protocols)
    for number, name in zip(range(1, options.games + 1), cycle(wheels)):
        yield number, next(wheels[name]), name


def option_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="faults.sh",
        description="Plays games of the engine against random moves while things go wrong around "
        "it, and counts those that it loses by accident.",
        epilog="Exit status: 0 none lost but on the board, 1 some, 2 wrong usage or no engine.",
    )
    add = parser.add_argument
    add("--engine", metavar="PATH", help="its binary (default: dist/otrera)")
    add("--games", type=int, default=24, metavar="N", help="how many (default: %(default)s)")
    add("--protocol", choices=CHOICES, default="mix", help="default: %(default)s")
    add("--fault", choices=FAULTS, help="only this one (default: all in turn)")
    add("--time", type=float, metavar="S",
        help=f"seconds a move (default: Botzone's limits; {SAU_SECONDS:g} s for a SAU game)")
    add("--grace", type=float, default=0.0, metavar="S",
        help="seconds over the limit before an answer is late (default: %(default)s)")
    add("--rate", type=float, default=0.3, metavar="P",
        help="how likely a turn is disturbed (default: %(default)s)")
    add("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    add("--verbose", action="store_true", help="tell of every game, not only of losses")
    return parser


def main(arguments: Sequence[str]) -> int:
    options = option_parser().parse_args(arguments)
    options.engine = os.path.abspath(options.engine or DEFAULT_ENGINE)
    if not os.access(options.engine, os.X_OK):
        print(f"faults.sh: no engine at {options.engine}: run make first", file=sys.stderr)
        return EXIT_USAGE
    report = Report()
    try:
        for number, protocol, fault in schedule(options):
            outcome = Bout(number, protocol, fault, options).play()
            report.add(fault, outcome)
            if options.verbose or outcome.reason:
                told = f"game {number}, {protocol}, {fault}: {outcome.result} {outcome.reason}"
                print(told.rstrip(), flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        EngineProcess.stop_all()
    print(f"{report.table()}\n{EXPLANATION}")
    return EXIT_LOST if report.avoidable() else EXIT_CLEAN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
