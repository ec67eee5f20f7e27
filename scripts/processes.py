"""Engines as processes: single writes, reads with a deadline, and what was used.

EngineProcess  one child process.
Load           busy processes beside the engines.
Violation      raised for anything a platform would not forgive, with the very text.
"""

from __future__ import annotations

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
from pathlib import Path
from typing import ClassVar, List, Optional, Sequence, Set

ILLEGAL = "illegal move"
MALFORMED = "malformed answer"
LATE = "late"
BAD_EXIT = "bad exit"
CHATTER = "chatter"
NO_ANSWER = "no answer"
VIOLATIONS = [ILLEGAL, MALFORMED, LATE, BAD_EXIT, CHATTER, NO_ANSWER]

HANG_SECONDS = 10.0  # how long past its limit a silent engine is waited for
EXIT_SECONDS = 1.0  # how long an engine may take to leave; the SAU platform kills after this

OUTPUT_LIMIT = 1 << 20  # bytes; Botzone cuts off anything longer
QUOTE_LIMIT = 1000  # characters of a violation's text that are shown


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
