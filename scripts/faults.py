"""Games of the engine while things go wrong around it: does it lose any by accident?

Each game is played against random moves, through one of the platforms' protocols, under
one kind of fault: the engine is killed, stopped, slowed, starved, spoken to and listened
to a byte at a time, left without disk, given other clocks, sent noise.  The referee in
amazons.py and the strict players in engines.py judge it as its platform would.  What the
fault itself makes impossible (an answer while stopped, an answer nobody reads) is
counted apart and named; any other loss but on the board is the engine's own.

Reading order: the faults, one function each; Bout (plays a game); the report.
"""

from __future__ import annotations

import argparse
import fcntl
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import (
    Callable,
    ContextManager,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from amazons import Move, Position, Side
from engines import (
    BAD_EXIT,
    ILLEGAL,
    PROTOCOLS,
    EngineProcess,
    Player,
    TimeControl,
    Turn,
    Violation,
)

DEFAULT_ENGINE = Path(__file__).resolve().parent.parent / "dist" / "otrera"
TRADITIONAL, KEEP, SAU = ("simple", "json-once"), ("simple-keep", "json"), ("sau",)
CHOICES = {"simple": ["simple"], "json": ["json-once"], "keep": [*KEEP], "sau": ["sau"],
           "mix": ["simple", "json-once", "simple-keep", "json", "sau"]}
LIBFAKETIME = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
               "/usr/lib/faketime/libfaketime.so.1"]
BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES, SAU_SECONDS = 2.0, 1.0, 30.0
EXIT_CLEAN, EXIT_LOST, EXIT_USAGE = 0, 1, 2


@dataclass
class Scene:
    """What a fault may know of its game."""

    rng: random.Random
    protocol: str
    engine: str
    folder: str  # of this game, for whatever it needs
    think: float  # how long a turn will take, about
    first_turn: bool = True


@dataclass
class Disturbance:
    """What goes wrong in one turn.  By default nothing does."""

    before: Callable[[EngineProcess], None] = lambda process: None
    write: Callable[[EngineProcess, str], None] = EngineProcess.send
    meanwhile: Callable[[EngineProcess], None] = lambda process: None  # while it thinks
    trickle: bool = False  # its output is read a byte at a time
    causes: Optional[str] = None  # the violation that is its own doing, by a part of its text
    kills: bool = False
    excuse: float = 0.0  # seconds that the disturbance itself has taken


# --- the faults -------------------------------------------------------------------------


def undisturbed(scene: Scene) -> Disturbance:
    return Disturbance()


def killed(scene: Scene) -> Disturbance:
    """The process dies in its turn; a new one gets the whole history."""
    delay = scene.rng.uniform(0, scene.think)

    def kill(process: EngineProcess) -> None:
        time.sleep(delay)
        process.signal(signal.SIGKILL)

    return Disturbance(meanwhile=kill, causes=f"exit status -{signal.SIGKILL:d}", kills=True)


def stopped(scene: Scene) -> Disturbance:
    """SIGSTOP for up to two seconds while it thinks, as often as not from before its input."""
    pause = scene.rng.choice([0.01, 0.1, 0.5, 2.0]) * scene.rng.random()
    delay = scene.rng.choice([0.0, scene.rng.uniform(0, scene.think)])

    def stop(process: EngineProcess) -> None:
        time.sleep(delay)
        began = time.monotonic()
        process.signal(signal.SIGSTOP)
        time.sleep(pause)
        process.signal(signal.SIGCONT)
        disturbance.excuse += time.monotonic() - began

    disturbance = Disturbance(meanwhile=stop)
    return disturbance


def stopped_between_turns(scene: Scene) -> Disturbance:
    """As Botzone does with a process that keeps running; the input comes while it is stopped."""
    pause = scene.rng.uniform(0, 0.3)

    def write(process: EngineProcess, text: str) -> None:
        process.signal(signal.SIGSTOP)
        process.send_now(text)
        began = time.monotonic()
        time.sleep(pause)
        process.signal(signal.SIGCONT)
        disturbance.excuse += time.monotonic() - began

    disturbance = Disturbance(write=write)
    return disturbance


def slowed(scene: Scene) -> Disturbance:
    """It gets a fraction of its processor time: stopped and continued again and again."""
    pause, share = scene.rng.uniform(0.002, 0.02), scene.rng.uniform(0.1, 0.9)

    def slow(process: EngineProcess) -> None:
        end = time.monotonic() + scene.think
        while time.monotonic() < end:
            process.signal(signal.SIGSTOP)
            time.sleep(pause)
            process.signal(signal.SIGCONT)
            time.sleep(pause * share / (1 - share))

    return Disturbance(meanwhile=slow)


def input_in_bytes(scene: Scene) -> Disturbance:
    """Its input comes a byte at a time."""
    pause = scene.rng.choice([0.0, 0.0003, 0.002])

    def write(process: EngineProcess, text: str) -> None:
        began = time.monotonic()
        for byte in text:
            process.send_now(byte)
            time.sleep(pause)
        disturbance.excuse += time.monotonic() - began

    disturbance = Disturbance(write=write)
    return disturbance


def output_in_bytes(scene: Scene) -> Disturbance:
    """Nobody reads its output for a while, and then a byte at a time."""
    return Disturbance(trickle=True, excuse=math.inf)


def reader_gone(scene: Scene) -> Disturbance:
    """Nobody reads its output ever again: it has to leave quietly, with status 0."""
    return Disturbance(before=DisturbedProcess.hang_up, causes="with exit status 0", kills=True)


def noise(scene: Scene) -> Disturbance:
    """Lines that mean nothing between those that do, where protocol/README.md says so."""
    blank = ["", "   ", "\r", "\t"]
    words = ["garbage", "#!?", "hello 12", "new", "3.5 2", "settings 9", "x" * 5000]
    if scene.protocol in KEEP and not scene.first_turn:
        words = []  # There any other line is the opponent's move.
    before = scene.rng.choices(blank + words, k=scene.rng.randint(1, 4))
    # Behind the request Botzone puts stored data.
    behind = scene.rng.choices(blank, k=2) if scene.protocol in KEEP else ["stored data", ""]
    if scene.protocol in SAU:
        before, behind = [line for line in before if line != "new"], ["undo", ""]

    def write(process: EngineProcess, text: str) -> None:
        process.send_now("\n".join([*before, text.rstrip("\n"), *behind]) + "\n")

    return Disturbance(write=write)


def doubled(scene: Scene) -> Disturbance:
    """Everything is said twice, in one piece."""
    return Disturbance(write=lambda process, text: process.send_now(text + text))


# Faults of a whole game: they change how the engine is started, or the machine around it.


def no_disk(scene: Scene) -> List[str]:
    """Log and records on a disk that is full, or in a place where nothing can be."""
    if can_unshare("--mount") and scene.rng.random() < 0.5:
        script = ('mount -t tmpfs -o size=4k tmpfs "$0" && head -c 9999 /dev/zero >"$0/full" '
                  '2>/dev/null; exec "$@"')
        start = ["unshare", "--mount", "sh", "-c", script, scene.folder, scene.engine]
        return start + ["--log", f"{scene.folder}/log", "--record-dir", f"{scene.folder}/records"]
    nowhere = ["env", "TMPDIR=/dev/full", scene.engine]
    return nowhere + ["--log", "/dev/full", "--record-dir", "/dev/full/records"]


def other_clocks(scene: Scene) -> List[str]:
    """Other clocks: days away at the start and, where the program is not static, jumping while
    it runs (the wall clock: the system's own monotonic clock never jumps)."""
    start = []
    if can_unshare("--time"):
        # The same for all processes of a game; the wall clock cannot be changed like this.
        days = str(scene.rng.randint(0, 300) * 86_400)
        start = ["unshare", "--time", "--monotonic", days, "--boottime", days]
    library = next(filter(os.path.exists, LIBFAKETIME), None)
    if library and is_dynamic(scene.engine):
        jump_clock(scene)
        start += ["env", f"LD_PRELOAD={library}", "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1",
                  "FAKETIME_DONT_FAKE_MONOTONIC=1", f"FAKETIME_TIMESTAMP_FILE={clock_file(scene)}"]
    return [*start, scene.engine]


def clock_file(scene: Scene) -> Path:
    return Path(scene.folder) / "clock"


def jump_clock(scene: Scene) -> None:
    """Sets the wall clock of a dynamic engine anywhere within a year."""
    temporary = clock_file(scene).with_suffix(".new")
    temporary.write_text(f"{scene.rng.randint(-31_000_000, 31_000_000):+}\n")
    temporary.replace(clock_file(scene))


def clock_jumps(scene: Scene) -> Disturbance:
    """The wall clock jumps while it thinks."""
    delay = scene.rng.uniform(0, scene.think)

    def jump(process: EngineProcess) -> None:
        time.sleep(delay)
        if clock_file(scene).exists():
            jump_clock(scene)

    return Disturbance(meanwhile=jump)


@contextmanager
def full_load(scene: Scene) -> Iterator[None]:
    """Two busy processes for each core."""
    busy = [sys.executable, "-c", "while True: pass"]
    hogs = [subprocess.Popen(busy) for _ in range(2 * len(os.sched_getaffinity(0)))]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def can_unshare(what: str) -> bool:
    try:
        return subprocess.run(["unshare", what, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def is_dynamic(program: str) -> bool:
    return b"/ld-linux" in Path(program).read_bytes()[:4096]


class Fault(NamedTuple):
    protocols: Sequence[str]
    turn: Callable[[Scene], Disturbance] = undisturbed
    start: Callable[[Scene], List[str]] = lambda scene: [scene.engine]
    around: Callable[[Scene], ContextManager] = lambda scene: nullcontext()


ALL = (*TRADITIONAL, *KEEP, *SAU)
FAULTS: Dict[str, Fault] = {
    # The SAU platform gives a program that has died no second chance.
    "killed": Fault((*TRADITIONAL, *KEEP), killed),
    "stopped": Fault(ALL, stopped),
    "stopped-between": Fault((*KEEP, *SAU), stopped_between_turns),
    "slowed": Fault(ALL, slowed),
    "full-load": Fault(ALL, around=full_load),
    "input-in-bytes": Fault(ALL, input_in_bytes),
    "output-in-bytes": Fault(ALL, output_in_bytes),
    "reader-gone": Fault(ALL, reader_gone),
    "no-disk": Fault(ALL, start=no_disk),
    "clock": Fault(ALL, clock_jumps, start=other_clocks),
    "noise": Fault(ALL, noise),
    # On Botzone a request that comes twice is two turns, and each has its answer.
    "doubled": Fault(SAU, doubled),
}


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
