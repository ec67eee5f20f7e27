"""Engines as a platform sees them: processes that answer a protocol.

EngineProcess  one child process: single writes, reads with a deadline, what it cost.
Load           busy processes beside the engines.
Player         one engine at the board, whatever the protocol: OneShotPlayer and
               KeepRunningPlayer for Botzone (each in the simple or the JSON dialect),
               SauPlayer for the SAU platform.
Violation      raised for anything a platform would not forgive, with the very text.

Everything here is as strict as the platforms' own judges, or stricter: an answer that
only a lenient reader would understand is reported, not repaired.
"""

from __future__ import annotations

import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Callable, ClassVar, Dict, List, NamedTuple, Optional, Sequence, Set, Union

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

ILLEGAL = "illegal move"
MALFORMED = "malformed answer"
LATE = "late"
BAD_EXIT = "bad exit"
CHATTER = "chatter"
NO_ANSWER = "no answer"
VIOLATIONS = [ILLEGAL, MALFORMED, LATE, BAD_EXIT, CHATTER, NO_ANSWER]

HANG_SECONDS = 10.0  # how long past its limit a silent engine is waited for
EXIT_SECONDS = 1.0  # how long an engine may take to leave; the SAU platform kills after this
NAME_SECONDS = 10.0  # how long an engine may take to give its name
SETTLE_SECONDS = 0.05  # how long after a game a stale move is watched for
# Without any limit only a hang ends a wait: the time a side has for a whole SAU game.
UNLIMITED_SECONDS = 900.0

OUTPUT_LIMIT = 1 << 20  # bytes; Botzone cuts off anything longer
QUOTE_LIMIT = 1000  # characters of a violation's text that are shown
KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


class Violation(Exception):
    """What an engine did that its platform would not accept."""

    def __init__(self, kind: str, text: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}" + (f": {quoted(text)}" if text else ""))
        self.kind = kind


def quoted(text: str) -> str:
    """The exact text, as far as anyone will read."""
    if len(text) <= QUOTE_LIMIT:
        return repr(text)
    return f"{text[:QUOTE_LIMIT]!r} and {len(text) - QUOTE_LIMIT} characters more"


class Stopped(Exception):
    """The user has interrupted the run; no process may be started any more."""


# --- processes ------------------------------------------------------------------------


class EngineProcess:
    """A child process on pipes.  Each is in a session of its own, out of Ctrl-C's reach."""

    _registry: ClassVar[Set[EngineProcess]] = set()
    _registry_lock: ClassVar[threading.Lock] = threading.Lock()
    stopping: ClassVar[bool] = False

    def __init__(self, command: Sequence[str], merge_stderr: bool = False) -> None:
        # A file, not a pipe: nobody has to drain it, and it is read only after a crash.
        self._errors = None if merge_stderr else tempfile.TemporaryFile()
        self._buffer = b""
        self._status: Optional[int] = None
        self._usage = None
        self._reap_lock = threading.Lock()
        with EngineProcess._registry_lock:
            if EngineProcess.stopping:
                raise Stopped
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors or subprocess.STDOUT,
                bufsize=0,
                start_new_session=True,
            )
            EngineProcess._registry.add(self)
        self._poll = select.poll()
        self._poll.register(self._child.stdout, select.POLLIN)

    @classmethod
    def stop_all(cls) -> None:
        """End every engine now and let none start again."""
        with cls._registry_lock:
            cls.stopping = True
            running = list(cls._registry)
        for process in running:
            process.kill()

    # Talking

    def send(self, text: str) -> None:
        """One message in one write."""
        try:
            os.write(self._child.stdin.fileno(), text.encode("ascii"))
        except BrokenPipeError:
            pass  # The process has gone; the read that follows says how.

    def close_input(self) -> None:
        self._child.stdin.close()

    def receive(self, deadline: float) -> Optional[bytes]:
        """What arrives next: b"" at the end of the output, None when time runs out."""
        milliseconds = math.ceil(max(0.0, deadline - time.monotonic()) * 1000)
        if not self._poll.poll(milliseconds):
            return None
        return os.read(self._child.stdout.fileno(), select.PIPE_BUF)

    def read_line(self, deadline: float, awaited: str = "an answer") -> str:
        """The next line, or what stands before the end of the output."""
        while b"\n" not in self._buffer:
            chunk = self.receive(deadline)
            if chunk is None:
                raise self.hang(awaited, self._buffer)
            if not chunk:
                break
            self._buffer += chunk
            if len(self._buffer) > OUTPUT_LIMIT:
                raise Violation(MALFORMED, as_text(self._buffer), "a line without end")
        if not self._buffer:
            raise self.gone(awaited)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return as_text(line[:-1] if line.endswith(b"\r") else line)

    def read_rest(self, deadline: float) -> str:
        """Everything up to the end of the output."""
        while len(self._buffer) <= OUTPUT_LIMIT:
            chunk = self.receive(deadline)
            if not chunk:
                break
            self._buffer += chunk
        rest, self._buffer = as_text(self._buffer), b""
        return rest

    def expect_silence(self, seconds: float = 0.0) -> None:
        """Between two questions an engine has nothing to say."""
        chunk = self._buffer or self.receive(time.monotonic() + seconds)
        if chunk:
            raise Violation(CHATTER, as_text(chunk), "output out of turn")
        if chunk == b"":
            raise self.gone("being asked")

    # Ending

    def leave(self) -> str:
        """Wait until the process ends by itself, as it should; what it still said."""
        deadline = time.monotonic() + EXIT_SECONDS
        rest = self.read_rest(deadline)
        if not self._wait(deadline):
            raise Violation(BAD_EXIT, rest, f"still running after {EXIT_SECONDS:g} s")
        if self._status != 0:
            raise Violation(BAD_EXIT, rest + self._stderr(), f"exit status {self._status}")
        self.close()
        return rest

    def kill(self) -> None:
        """End the process now.  Any thread may do this: the files stay open for its reader."""
        self.signal(signal.SIGKILL)
        self._wait(math.inf)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and its children, if it still runs."""
        with self._reap_lock:
            if self._status is None:
                try:
                    os.killpg(self._child.pid, number)
                except OSError:
                    pass  # It ended a moment ago.

    def has_ended(self) -> bool:
        return self._reap()

    def close(self) -> None:
        for file in (self._child.stdin, self._child.stdout, self._errors):
            if file is not None:
                file.close()

    def hang(self, awaited: str, heard: bytes = b"") -> Violation:
        return Violation(NO_ANSWER, as_text(heard), f"waited for {awaited} in vain")

    def gone(self, awaited: str) -> Violation:
        """The violation of having reached the end of the output too early."""
        if not self._wait(time.monotonic() + EXIT_SECONDS):
            return Violation(NO_ANSWER, "", f"closed its output before {awaited}")
        if self._status != 0:
            return Violation(BAD_EXIT, self._stderr(), f"exit status {self._status}")
        return Violation(NO_ANSWER, "", f"ended before {awaited}, with exit status 0")

    def _stderr(self) -> str:
        if self._errors is None:
            return ""  # It came with the output.
        self._errors.seek(0)
        return as_text(self._errors.read(OUTPUT_LIMIT))

    def _wait(self, deadline: float) -> bool:
        while not self._reap():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True

    def _reap(self) -> bool:
        with self._reap_lock:
            if self._status is None:
                pid, status, usage = os.wait4(self._child.pid, os.WNOHANG)
                if pid == 0:
                    return False
                self._usage = usage
                self._status = exit_status(status)
                self._child.returncode = self._status
                with EngineProcess._registry_lock:
                    EngineProcess._registry.discard(self)
        return True

    # What it cost

    def cpu_seconds(self) -> Optional[float]:
        """CPU time so far, of all threads; None where the system does not tell."""
        if self._usage is not None:
            return self._usage.ru_utime + self._usage.ru_stime
        stat = self._proc_file("stat")
        if stat is None:
            return None
        # The process name, in brackets, may hold anything: count fields after it.
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def peak_memory(self) -> Optional[int]:
        """The largest resident size so far, in bytes; None where the system does not tell.

        For an ended process this is never less than Python itself holds: the kernel
        counts the moment between fork and exec.
        """
        if self._usage is not None:
            return self._usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        found = re.search(r"VmHWM:\s*(\d+) kB", self._proc_file("status") or "")
        return int(found[1]) * 1024 if found else None

    def _proc_file(self, name: str) -> Optional[str]:
        try:
            return Path(f"/proc/{self._child.pid}/{name}").read_text("ascii", "replace")
        except OSError:
            return None


class Load:
    """Processes that do nothing but keep the machine busy, as long as the `with` block lasts."""

    # It also ends by itself when its parent is gone, however that came about.
    BUSY = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): sum(range(100000))"

    def __init__(self, count: int) -> None:
        self._count = count
        self._processes: List[subprocess.Popen] = []

    def __enter__(self) -> None:
        for _ in range(self._count):
            command = [sys.executable, "-c", self.BUSY, str(os.getpid())]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
            self._processes.append(process)

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def as_text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def exit_status(wait_status: int) -> int:
    """The exit code, or minus the number of the signal that killed the process."""
    if os.WIFSIGNALED(wait_status):
        return -os.WTERMSIG(wait_status)
    return os.WEXITSTATUS(wait_status)


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
