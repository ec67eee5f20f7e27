#!/usr/bin/env python3
"""Games on the SAU platform in which the engine is killed: does each go on and come to its end?

The platform is played as it is: when an engine has died, board and clock stay.  What the
dead engine had written whole still counts.  Loaded again, the engine hears `name?` and
nothing else; on its turn the platform waits, on the opponent's it sends the next move
when that is made.  A move out of turn is overlooked.  The operator names the newest
unfinished record in otrera.toml, with the time that is left, before loading the engine.

Each game is played against random moves and has one kill, at a random moment of a random
turn of ours or of the opponent.  A move that the engine was sent and had no time to write
down is told by nobody afterwards; then it moves on a board that it does not know, and
moves may be refused until one is accepted.  They are counted.  `--unheard` lets the
opponent always move while nobody listens.

    python3 scripts/reload.py --games 50 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, Optional

from amazons import Move, Position, Side, from_sau, sau_winner, to_sau
from processes import EngineProcess, as_text

DEFAULT_ENGINE = Path(__file__).resolve().parent.parent / "dist" / "otrera"
SIZE = 10
LATEST_KILL = 10  # of our turns; after these a game may be over
MOST_REFUSED = 100
HANG_SECONDS = 30.0
EXIT_CLEAN, EXIT_STALLED, EXIT_USAGE = 0, 1, 2


class Stalled(Exception):
    """The game does not go on, or not by the rules."""


class Loaded:
    """The engine's folder on the operator's machine, and its process."""

    def __init__(self, engine: str, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self.program = folder / Path(engine).name
        shutil.copy(engine, self.program)
        self.process: Optional[EngineProcess] = None

    def load(self, left: float, resume: bool) -> None:
        """Write otrera.toml, start the engine and ask for its name."""
        settings = {"total-time": max(1.0, left), "move-overhead": 0.05, "threads": 1,
                    "memory": 64, "record-dir": '"records"', "log": '"otrera.log"'}
        record = self.newest_record() if resume else None
        if record is not None:
            settings["resume"] = f"'records/{record.name}'"
        lines = [f"{name} = {value}\n" for name, value in settings.items()]
        (self.folder / "otrera.toml").write_text("".join(lines), encoding="utf-8")
        self.process = EngineProcess([str(self.program)], merge_stderr=True)
        self.process.send("name?\n")
        if not self.process.read_line(time.monotonic() + HANG_SECONDS).startswith("name "):
            raise Stalled("no name")

    def newest_record(self) -> Optional[Path]:
        records = [path for path in self.folder.glob("records/*.txt") if "未完" in path.name]
        return max(records, key=lambda path: path.stat().st_mtime_ns, default=None)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def close(self) -> None:
        self.kill()
        if self.process is not None:
            self.process.close()


class Platform:
    """One game: the board, whose turn it is, and the kill that awaits."""

    def __init__(self, number: int, options: argparse.Namespace, folder: Path) -> None:
        self.rng = random.Random(f"{options.seed}/{number}")
        self.options = options
        self.side = self.rng.choice(list(Side))
        self.position = Position.start(SIZE)
        self.moves: List[Move] = []
        self.left = options.total_time
        self.engine = Loaded(options.engine, folder, options.total_time)
        self.kill_turn = self.rng.randint(1, LATEST_KILL)
        self.kill_ours = self.rng.random() < 0.5
        self.killed = self.refused = 0
        self.unheard = options.unheard

    def play(self) -> None:
        try:
            self.engine.load(self.left, resume=False)
            self.send("new black\n" if self.side is Side.BLACK else "new white\n")
            turns = 0
            while sau_winner(self.position) is None:
                if self.position.to_move is self.side:
                    turns += 1
                    self.our_turn(turns)
                else:
                    self.their_turn(turns)
            self.send("end\n")
        finally:
            self.engine.close()

    def send(self, text: str) -> None:
        self.engine.process.send(text)

    # Turns

    def our_turn(self, turn: int) -> None:
        """Wait for our move, and load the engine again if it dies meanwhile."""
        began = time.monotonic()
        timer = None
        if self.kill_ours and turn == self.kill_turn and not self.killed:
            # As often as not about the time at which it answers.
            think = self.options.total_time / 40
            delay = self.rng.choice([self.rng.uniform(0, think), self.rng.uniform(0, 2 * think)])
            timer = threading.Timer(delay, self.engine.kill)
            timer.start()
        move = self.awaited_move()
        if timer is not None:
            timer.join()
            self.killed += 1
        self.left -= time.monotonic() - began
        self.make(move)
        if self.engine.process.has_ended():
            self.load_again()  # It was killed after it had answered.

    def awaited_move(self) -> Move:
        """The first legal move; whatever is not gets an `error`."""
        deadline = time.monotonic() + self.options.total_time / 15 + HANG_SECONDS
        while True:
            line = self.read_line(deadline)
            if line is None:
                self.load_again()
                deadline = time.monotonic() + self.options.total_time / 15 + HANG_SECONDS
                continue
            found = re.fullmatch(r"move ([A-J]{6})", line)
            if not found:
                raise Stalled(f"{line!r} is no move")
            move = from_sau(found[1], SIZE)
            objection = self.position.objection(move)
            if not objection:
                return move
            self.refused += 1
            if self.refused > MOST_REFUSED:
                raise Stalled(f"illegal move {line}: {objection}")
            self.send("error\n")

    def read_line(self, deadline: float) -> Optional[str]:
        """A line, which comes in one write; None when the engine has died before it."""
        line = self.engine.process.receive(deadline)
        if line is None:
            raise Stalled(f"nothing came after {len(self.moves)} plies")
        return as_text(line).rstrip("\n") or None

    def their_turn(self, turn: int) -> None:
        """A random move after a while; what we send meanwhile is overlooked."""
        think = self.rng.uniform(0, 0.05)
        kill = not self.kill_ours and turn == self.kill_turn and not self.killed
        if kill:
            time.sleep(self.rng.choice([0.0, self.rng.uniform(0, 0.02)]))
            self.engine.kill()
            self.killed += 1
        move = self.rng.choice(list(self.position.legal_moves()))
        if kill and self.unheard:
            self.make(move)
            return self.load_again()
        if kill:
            self.load_again()
            # Shorter and longer than the silences that the engine waits for.
            think = self.rng.uniform(0, 1.5 * max(2.0, self.options.total_time / 15))
        time.sleep(think)
        self.overlook()
        self.make(move)
        if sau_winner(self.position) is None:
            self.send(f"move {to_sau(move, SIZE)}\n")

    def overlook(self) -> None:
        while self.engine.process.receive(time.monotonic()):
            pass

    def make(self, move: Move) -> None:
        self.position = self.position.play(move)
        self.moves.append(move)

    def load_again(self) -> None:
        time.sleep(self.rng.uniform(0, 0.3))
        self.engine.close()
        self.engine.load(self.left, resume=True)


def run(number: int, options: argparse.Namespace) -> Counter:
    """Plays one game; what happened in it."""
    with tempfile.TemporaryDirectory(prefix="reload-") as folder:
        game = Platform(number, options, Path(folder))
        turn = (f"{game.side}, killed in turn {game.kill_turn}, "
                f"{'ours' if game.kill_ours else 'the opponent`s'}")
        counts = Counter(games=1)
        try:
            game.play()
            counts["finished"] += 1
            told = f"finished after {len(game.moves)} plies, {game.refused} refused"
        except Exception as problem:  # Whatever it is, the game was not finished.
            told = f"BROKEN OFF: {problem}"
            for log in sorted(Path(folder).glob("*.log")):
                told += "\n" + log.read_text("utf-8", "replace")[-3000:]
        counts["killed on our turn" if game.kill_ours else "killed on theirs"] += game.killed
        counts["refused moves"] += game.refused
        counts["games with them"] += game.refused > 0
        counts["out of time"] += game.left < 0
        if options.verbose or "BROKEN" in told:
            print(f"game {number}: {turn}: {told}", flush=True)
        return counts


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--engine", default=str(DEFAULT_ENGINE), metavar="PATH", help="default: dist/otrera")
    add("--games", type=int, default=50, metavar="N", help="default: %(default)s")
    add("--jobs", type=int, default=1, metavar="J", help="games at once (default: 1)")
    add("--total-time", type=float, default=20.0, metavar="S",
        help="seconds a side for a game (default: %(default)g)")
    add("--unheard", action="store_true", help="the opponent moves while nobody listens")
    add("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    add("--verbose", action="store_true", help="tell of every game")
    options = parser.parse_args(arguments)
    options.engine = os.path.abspath(options.engine)
    if not os.access(options.engine, os.X_OK):
        print(f"reload.py: no engine at {options.engine}: run make first", file=sys.stderr)
        return EXIT_USAGE
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    total: Counter = Counter()
    try:
        with ThreadPoolExecutor(options.jobs) as pool:
            for counts in pool.map(lambda number: run(number, options),
                                   range(1, options.games + 1)):
                total.update(counts)
    finally:
        EngineProcess.stop_all()
    names = ["games", "killed on our turn", "killed on theirs", "finished", "refused moves",
             "games with them", "out of time"]
    print(", ".join(f"{name} {total[name]}" for name in names))
    return EXIT_CLEAN if total["finished"] == total["games"] else EXIT_STALLED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
