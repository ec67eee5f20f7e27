"""Whole games of the engine against itself, through the protocols of the platforms.

Started by selfplay.sh.  The independent referee in amazons.py checks every move, the
strict players in engines.py check every line.  Each game is shown and recorded; whoever
commits a violation loses the game, and the exit status says that there was one.

Reading order: Table (plays the games), Match (what they share), the command line; in
games.py a game, what is counted (Tally), and what is shown and kept (GameLog, the record).
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Iterator, List, Optional, Sequence

from amazons import SIZES, Position, Side
from engines import PROTOCOLS, Player, TimeControl
from games import Contender, Game, GameLog, Tally, write_record
from processes import ILLEGAL, EngineProcess, Load, Stopped, Violation

DEFAULT_ENGINE = Path(__file__).resolve().parent.parent / "dist" / "otrera"
BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES = 2.0, 1.0  # the ladder's limits, in seconds
EXIT_CLEAN, EXIT_VIOLATION, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


# --- playing --------------------------------------------------------------------------


class Table:
    """Two players and a referee, for one game after another."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.players = {contender: match.new_player() for contender in match.contenders}

    def run(self, numbers: SimpleQueue) -> None:
        """Play games until there are no more numbers."""
        try:
            while True:
                self.play(numbers.get_nowait())
        except Empty:
            self.close()

    def play(self, number: int) -> None:
        game = self.match.new_game(number)
        log = GameLog(game, self.match.options)
        for side in Side:
            with self.watching(game, side, log):
                self.player(game, side).start_game(side, self.match.command(game, side))
        while game.winner is None:
            with self.watching(game, game.position.to_move, log):
                self.play_turn(game, log)
        for side in Side:
            with self.watching(game, side, log):
                self.end_game(game, side)
            game.seconds[side] = self.player(game, side).clock.used
        self.match.finish(game, log)

    def play_turn(self, game: Game, log: GameLog) -> None:
        player = self.player(game, game.position.to_move)
        turn = player.answer(game.moves[-1] if game.moves else None)
        game.turns.append(turn)
        objection = game.position.objection(turn.move)
        if objection:
            raise Violation(ILLEGAL, turn.text, objection)
        player.clock.charge(turn)
        game.position = game.position.play(turn.move)
        game.moves.append(turn.move)
        game.winner = self.match.protocol.winner(game.position)
        log.show_turn(turn)

    def end_game(self, game: Game, side: Side) -> None:
        if any(side is offender for offender, _ in game.offences):
            return  # It has been killed already.
        waiting = side is game.position.to_move
        self.player(game, side).end_game(game.moves[-1] if game.moves and waiting else None)

    def close(self) -> None:
        """Let the engines that are still running leave."""
        for contender, player in self.players.items():
            try:
                player.leave()
            except Violation as violation:
                player.kill()
                self.match.note_late_offence(contender, violation)

    def player(self, game: Game, side: Side) -> Player:
        return self.players[game.seats[side]]

    @contextmanager
    def watching(self, game: Game, side: Side, log: GameLog) -> Iterator[None]:
        """Whatever goes wrong inside is the fault of `side`."""
        try:
            yield
        except Violation as violation:
            if EngineProcess.stopping:
                raise Stopped from None  # It died because we killed it.
            self.player(game, side).kill()
            game.forfeit(side, violation)
            log.show_offence(side, violation)


class Match:
    """What all tables share: the options, the results and the right to print."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.protocol = PROTOCOLS[options.protocol]
        self.contenders = [
            Contender("--black", options.black, tuple(options.black_args)),
            Contender("--white", options.white, tuple(options.white_args)),
        ]
        self.control = time_control(options)
        self.started = time.localtime()
        self.tally = Tally()
        self.lock = threading.Lock()

    def run(self) -> None:
        numbers: SimpleQueue = SimpleQueue()
        for number in range(1, self.options.games + 1):
            numbers.put(number)
        tables = [Table(self) for _ in range(min(self.options.jobs, self.options.games))]
        with ThreadPoolExecutor(len(tables)) as pool:
            running = {pool.submit(table.run, numbers) for table in tables}
            try:
                while running:
                    # Not one long wait: a signal that comes while it begins would be overlooked.
                    done, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    for run in done:
                        run.result()
            except BaseException:  # Ctrl-C above all; no engine may outlive us.
                EngineProcess.stop_all()
                raise

    def new_player(self) -> Player:
        return self.protocol.player(self.options.size, self.control)

    def new_game(self, number: int) -> Game:
        black, white = self.contenders
        if self.options.swap and number % 2 == 0:
            black, white = white, black
        seats = {Side.BLACK: black, Side.WHITE: white}
        return Game(number, seats, Position.start(self.options.size))

    def command(self, game: Game, side: Side) -> List[str]:
        """The engine's command line; extra arguments come last, so that they prevail."""
        options, contender = self.options, game.seats[side]
        settings = {
            "--preset": contender.preset,
            "--move-time": options.time,
            "--total-time": options.total_time,
            "--move-overhead": options.move_overhead,
            "--iterations": options.iterations,
            "--seed": self.seed(game.number, side),
            "--size": options.size if options.size != self.protocol.size else None,
        }
        command = [options.engine]
        for option, value in settings.items():
            if value is not None:
                command += [option, str(value)]
        return command + list(contender.extra)

    def seed(self, number: int, side: Side) -> Optional[int]:
        """A seed for each game and side.  The factor keeps runs of nearby seeds apart."""
        if self.options.seed is None:
            return None
        return (self.options.seed * 1_000_003 + 2 * number + (side is Side.WHITE)) % 2**63

    def finish(self, game: Game, log: GameLog) -> None:
        result = f"game {game.number}: {game.result()}"
        if self.options.record_dir is not None:
            result += f", record {write_record(game, self)}"
        log.say(result)
        with self.lock:
            log.release()
            self.tally.add_game(game)

    def note_late_offence(self, contender: Contender, violation: Violation) -> None:
        if EngineProcess.stopping:
            raise Stopped
        offender = f"{contender.option} ({contender.name})"
        with self.lock:
            print(f"after the last game, {offender}: {violation}", flush=True)
            self.tally.offences[violation.kind] += 1


def time_control(options: argparse.Namespace) -> TimeControl:
    first = later = options.time
    if options.time is None and options.protocol != "sau":
        first, later = BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES
    return TimeControl(first, later, options.total_time, options.grace, options.charge)


# --- the command line -----------------------------------------------------------------


def number_of(kind: type, least: float):
    """An argparse type: a number of this kind, not below `least`."""

    def parse(text: str):
        value = kind(text)
        if not least <= value < math.inf:
            raise argparse.ArgumentTypeError(f"{text} is not at least {least:g}")
        return value

    parse.__name__ = kind.__name__
    return parse


def option_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="selfplay.sh",
        description="Plays whole games of the engine against itself through its tournament "
        "protocols, checks every move and every line, shows and records the games.",
        epilog="Exit status: 0 no violation, 1 a violation, 2 wrong usage or no engine.",
    )
    add = parser.add_argument_group("the games").add_argument
    add("--protocol", choices=PROTOCOLS, default="simple",
        help="Botzone simple, simple-keep, json (keep-running), json-once; or sau "
        "(default: %(default)s)")
    add("--games", type=number_of(int, 1), default=1, metavar="N", help="how many (default: 1)")
    add("--jobs", type=number_of(int, 1), default=1, metavar="J",
        help="games at once (default: 1); more than there are cores makes engines late")
    add("--size", type=int, choices=SIZES, metavar="N",
        help="board size, 4 to 10 (default: 8; sau: 10)")
    add("--time", type=number_of(float, 0.001), metavar="S",
        help="seconds a move (default: Botzone's limits of 1 s, 2 s for the first move; "
        "sau: none)")
    add("--total-time", type=number_of(float, 0.001), metavar="S",
        help="seconds a side for a whole game (sau only); the summary tells how much was used")
    add("--charge", type=number_of(float, 0), default=0.0, metavar="S",
        help="seconds that each move is charged beside the wait for it, as the SAU platform's clock "
        "does (sau only)")
    add("--move-overhead", type=number_of(float, 0), metavar="S",
        help="what the engine reckons that to be (default: the engine's own)")
    add("--load", type=number_of(int, 0), default=0, metavar="N",
        help="so many processes beside the games that keep the machine busy")
    add("--grace", type=number_of(float, 0), default=0.06, metavar="S",
        help="seconds over the limit before a move is late (default: %(default)s)")

    add = parser.add_argument_group("the engine").add_argument
    add("--engine", metavar="PATH", help="its binary (default: dist/otrera)")
    for side in Side:
        add(f"--{side}", metavar="PRESET", help=f"preset of {side}")
        add(f"--{side}-args", type=shlex.split, default=[], metavar="ARGS",
            help=f"more engine arguments for {side}, as one word: --{side}-args='--threads 2'")
    add("--swap", action="store_true",
        help="exchange the colours after every game and tell the score of each preset")
    add("--iterations", type=number_of(int, 1), metavar="N", help="iterations a move")
    add("--seed", type=number_of(int, 0), metavar="N",
        help="from it every game and side gets a seed of its own (sau: every process)")

    add = parser.add_argument_group("what to see and keep").add_argument
    add("--show", choices=["board", "moves", "none"],
        help="default: board on a terminal or for a single game, else none")
    add("--stats", action="store_true", help="time and memory of the turns, at the end (for a process a turn, the memory "
        "is never less than Python's own)")
    add("--record-dir", type=Path, default=Path("records"), metavar="DIR",
        help="where the records go, one CCGC file a game (default: %(default)s)")
    add("--no-record", dest="record_dir", action="store_const", const=None,
        help="keep no records")
    return parser


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, with the defaults that depend on each other filled in."""
    parser = option_parser()
    options = parser.parse_args(arguments)
    if options.total_time is not None and options.protocol != "sau":
        parser.error("--total-time is for --protocol sau only")
    if options.charge and options.protocol != "sau":
        parser.error("--charge is for --protocol sau only")
    if options.size is None:
        options.size = PROTOCOLS[options.protocol].size
    if options.show is None:
        options.show = "board" if sys.stdout.isatty() or options.games == 1 else "none"
    options.engine = os.path.abspath(options.engine or DEFAULT_ENGINE)
    if not (os.path.isfile(options.engine) and os.access(options.engine, os.X_OK)):
        parser.exit(EXIT_USAGE, f"selfplay.sh: no engine at {options.engine}: run make first, "
                                "or name one with --engine PATH\n")
    return options


def objection_of_engine(options: argparse.Namespace) -> Optional[str]:
    """What the engine itself says against its options.  While it plays it says nothing."""
    for preset, extra in ((options.black, options.black_args), (options.white, options.white_args)):
        settings = ["--preset", preset] if preset else []
        command = [options.engine, *settings, *extra, "perft", "0"]
        try:
            answer = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, timeout=10)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if answer.returncode != 0 or answer.stdout.strip() != b"1":
            said = answer.stderr.decode(errors="replace").strip()
            return said or f"{shlex.join(command)} does not answer 1: is it Otrera?"
    return None


def main(arguments: Sequence[str]) -> int:
    options = parse_options(arguments)
    objection = objection_of_engine(options)
    if objection is not None:
        print(f"selfplay.sh: {objection}", file=sys.stderr)
        return EXIT_USAGE
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # End as after Ctrl-C.
    match = Match(options)
    interrupted = False
    try:
        if options.record_dir is not None:
            options.record_dir.mkdir(parents=True, exist_ok=True)
        with Load(options.load):
            match.run()
    except KeyboardInterrupt:
        interrupted = True
        print("\ninterrupted")
    except BrokenPipeError:
        raise  # It is about our own output, and printing more is no use.
    except OSError as error:
        print(f"selfplay.sh: {error}", file=sys.stderr)
        return EXIT_USAGE
    print(match.tally.summary())
    if options.swap:
        print(match.tally.score(match.contenders))
    if options.total_time is not None:
        print(match.tally.time_used(options.total_time))
    if options.stats:
        print(match.tally.stats())
    if interrupted:
        return EXIT_INTERRUPTED
    return EXIT_VIOLATION if match.tally.offences else EXIT_CLEAN


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        # The reader of our output, `head` perhaps, has gone: say no more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_INTERRUPTED)
