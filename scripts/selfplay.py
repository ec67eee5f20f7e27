"""Whole games of the engine against itself, through the protocols of the platforms.

Started by selfplay.sh.  The independent referee in amazons.py checks every move, the
strict players in engines.py check every line.  Each game is shown and recorded; whoever
commits a violation loses the game, and the exit status says that there was one.

Reading order: Table (plays the games), Match (what they share), Tally (what is counted),
GameLog and the record (what is shown and kept), the command line.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from amazons import SIZES, Move, Position, Side, to_ccgc
from engines import (
    ILLEGAL,
    LATE,
    PROTOCOLS,
    VIOLATIONS,
    EngineProcess,
    Load,
    Player,
    Stopped,
    TimeControl,
    Turn,
    Violation,
)

DEFAULT_ENGINE = Path(__file__).resolve().parent.parent / "dist" / "otrera"
BOTZONE_FIRST_MOVE, BOTZONE_LATER_MOVES = 2.0, 1.0  # the ladder's limits, in seconds
LONG_GAME = 60  # plies; a side that has played half of them should have used its time
COLOURS = {"B": "\033[1;36m", "W": "\033[1;33m", "X": "\033[2m", ".": "\033[2m"}
COLOUR_OFF = "\033[0m"
LINES_UP, CLEAR_BELOW = "\033[{}F", "\033[J"
EXIT_CLEAN, EXIT_VIOLATION, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


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
