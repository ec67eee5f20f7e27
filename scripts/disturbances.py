"""What can go wrong around an engine: one function for each fault, and the table of them.

A fault makes a Disturbance for each turn: what is done to the process before it, while its
input is written, and while it thinks.
"""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, ContextManager, Dict, Iterator, List, NamedTuple, Optional, Sequence

from processes import EngineProcess

TRADITIONAL, KEEP, SAU = ("simple", "json-once"), ("simple-keep", "json"), ("sau",)
LIBFAKETIME = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
               "/usr/lib/faketime/libfaketime.so.1"]


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


@contextmanager
def suspended(process: EngineProcess, disturbance: Disturbance) -> Iterator[None]:
    """The process does not run; the time that this takes is excused."""
    began = time.monotonic()
    process.signal(signal.SIGSTOP)
    yield
    process.signal(signal.SIGCONT)
    disturbance.excuse += time.monotonic() - began


def stopped(scene: Scene) -> Disturbance:
    """SIGSTOP for up to two seconds while it thinks, as often as not from before its input."""
    pause = scene.rng.choice([0.01, 0.1, 0.5, 2.0]) * scene.rng.random()
    delay = scene.rng.choice([0.0, scene.rng.uniform(0, scene.think)])

    def stop(process: EngineProcess) -> None:
        time.sleep(delay)
        with suspended(process, disturbance):
            time.sleep(pause)

    disturbance = Disturbance(meanwhile=stop)
    return disturbance


def stopped_between_turns(scene: Scene) -> Disturbance:
    """As Botzone does with a process that keeps running; the input comes while it is stopped."""
    pause = scene.rng.uniform(0, 0.3)

    def write(process: EngineProcess, text: str) -> None:
        with suspended(process, disturbance):
            process.send_now(text)
            time.sleep(pause)

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
    return Disturbance(before=lambda process: process.hang_up(), causes="with exit status 0", kills=True)


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
