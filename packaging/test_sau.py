"""Tests of dist/otrera-sau.zip, which `make sau` builds: `make test-sau` runs them.

What the executables import is read from their headers. Everything else runs them under Wine, with the
libraries switched off that Windows 7 does not have. What is missing here is skipped and said.
"""

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ARCHIVE = PROJECT / "dist" / "otrera-sau.zip"
sys.path.insert(0, str(PROJECT / "scripts"))

import amazons  # noqa: E402  (the rules, independent of the engine)

EXECUTABLES = {"otrera.exe": "x86_64", "otrera32.exe": "i686"}

# Libraries that every Windows since 7 and every Wine has.
LIBRARIES = {"kernel32.dll", "advapi32.dll", "msvcrt.dll", "ntdll.dll", "userenv.dll", "ws2_32.dll"}
# Functions of these libraries that came with Windows 8 or later and that Rust's library knows.
NEWER = {
    "CreateFile2", "GetCurrentThreadStackLimits", "GetHostNameW", "GetSystemTimePreciseAsFileTime",
    "GetTempPath2W", "PrefetchVirtualMemory", "ProcessPrng", "SetThreadDescription", "WaitOnAddress",
    "WakeByAddressAll", "WakeByAddressSingle",
}
ABSENT_IN_WINDOWS_7 = ["api-ms-win-core-synch-l1-2-0", "bcryptprimitives"]

STEPS = 60.0  # seconds that anything under Wine may take on a busy machine


def setUpModule():
    global folder
    if not ARCHIVE.exists():
        raise unittest.SkipTest(f"{ARCHIVE} is missing: make sau builds it")
    folder = Path(tempfile.mkdtemp(prefix="otrera-sau-"))
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder)


def tearDownModule():
    if Wine.attendant is not None:
        Wine.attendant.leave()
        Wine.attendant.close()
    shutil.rmtree(folder, ignore_errors=True)


def installed(name):
    return folder / "otrera" / name


class Archive(unittest.TestCase):
    def test_what_is_in_it(self):
        with zipfile.ZipFile(ARCHIVE) as archive:
            names = {entry.filename.removeprefix("otrera/") for entry in archive.infolist()}
            dates = {entry.date_time for entry in archive.infolist()}
        self.assertEqual(names, {*EXECUTABLES, "otrera.toml", "README.txt", "LICENSE.txt"})
        self.assertEqual(len(dates), 1, "the time of the build does not matter")

    def test_notepad_shows_the_texts(self):
        for name in ("otrera.toml", "README.txt", "LICENSE.txt"):
            data = installed(name).read_bytes()
            self.assertTrue(data.startswith(b"\xef\xbb\xbf"), name)
            self.assertEqual(data.count(b"\n"), data.count(b"\r\n"), name)
            data.decode("utf-8")


class Imports(unittest.TestCase):
    def test_windows_7_has_everything_that_is_imported(self):
        for name, machine in EXECUTABLES.items():
            with self.subTest(name):
                headers = self.headers(installed(name), machine)
                libraries = {library.lower() for library in re.findall(r"DLL Name: (\S+)", headers)}
                self.assertIn("kernel32.dll", libraries)
                self.assertLessEqual(libraries, LIBRARIES)
                self.assertEqual(NEWER & set(re.findall(r"\w+", headers)), set())

    def test_windows_7_takes_them(self):
        for name, machine in EXECUTABLES.items():
            headers = self.headers(installed(name), machine)
            version = re.search(r"MajorSubsystemVersion\s+(\d+)\s+MinorSubsystemVersion\s+(\d+)", headers)
            self.assertLessEqual(tuple(map(int, version.groups())), (6, 1), name)

    def headers(self, executable, machine):
        objdump = shutil.which(f"{machine}-w64-mingw32-objdump")
        if objdump is None:
            self.skipTest(f"{machine}-w64-mingw32-objdump is missing: install mingw-w64's binutils")
        command = [objdump, "--private-headers", executable]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Wine:
    """A program under Wine, its standard error merged into its output as the platform does it."""

    prefix = None
    # Wine starts its Windows with the first program and shuts it down with the last, which takes seconds;
    # one that is there all the time keeps that out of what is measured.
    attendant = None

    def __init__(self, *command, cwd=None):
        environment = {
            **os.environ, "WINEPREFIX": Wine.prefix, "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": ";".join(f"{name}=" for name in ["mscoree", "mshtml", *ABSENT_IN_WINDOWS_7]),
        }
        self.process = subprocess.Popen(
            ["wine", *map(str, command)], env=environment, cwd=cwd, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )

    def send(self, text):
        self.process.stdin.write(text.encode("ascii"))

    def line(self, patience=STEPS):
        """Returns the output of one read: one whole line, or the platform would lose it."""
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        text = os.read(self.process.stdout.fileno(), 256).decode() if ready else ""
        if not re.fullmatch(r"[^\n]+\n", text):
            raise AssertionError(f"not one line: {text!r}")
        return text.rstrip("\r\n")

    def leave(self):
        """Sends quit; the seconds until its output closed, and what it still said."""
        began = time.monotonic()
        self.send("quit\n")
        rest = self.process.stdout.read()
        took = time.monotonic() - began
        self.process.wait(STEPS)
        return took, rest

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class UnderWine:
    """The tests of one executable; mixed into a test case for each."""

    executable = ""

    @classmethod
    def setUpClass(cls):
        if shutil.which("wine") is None:
            raise unittest.SkipTest("Wine is missing: sudo apt-get install wine")
        if Wine.prefix is None:
            Wine.prefix = str(folder / "wine")
            # The first start sets Wine up, and talks about it.
            Wine(installed("otrera.exe"), "--version").process.communicate(timeout=4 * STEPS)
            Wine.attendant = Wine(installed("otrera.exe"), "--memory", "1")
            Wine.attendant.send("name?\n")
            Wine.attendant.line()
        # Wine fills this folder with its 32-bit half, if it has one.
        half = Path(Wine.prefix, "drive_c", "windows", "syswow64")
        if EXECUTABLES[cls.executable] == "i686" and not any(half.glob("*.dll")):
            raise unittest.SkipTest(f"{cls.executable} is not run: Wine's 32-bit half, wine32, is missing")
        version = Wine(installed(cls.executable), "--version")
        said, _ = version.process.communicate(timeout=4 * STEPS)
        if not re.match(rb"otrera \d", said):
            raise AssertionError(f"{cls.executable} does not start: {said.decode(errors='replace')[:200]}")

    def start(self, *arguments, cwd=None, launcher=()):
        program = Wine(*launcher, installed(self.executable), *arguments, cwd=cwd)
        self.addCleanup(program.close)
        return program

    def play(self, program, end_of_line, moves):
        """Some moves as Black, each answered by a legal one."""
        position = amazons.Position.start(10)
        message = "new black"
        for _ in range(moves):
            program.send(message + end_of_line)
            line = program.line()
            self.assertRegex(line, r"\Amove [A-J]{6}\Z")
            move = amazons.from_sau(line[5:], 10)
            self.assertIsNone(position.objection(move))
            position = position.play(move)
            reply = next(position.legal_moves())
            position = position.play(reply)
            message = f"move {amazons.to_sau(reply, 10)}"

    def test_all_commands_with_both_line_ends(self):
        for end_of_line in ("\n", "\r\n"):
            program = self.start("--iterations", "200")
            program.send("name?" + end_of_line)
            self.assertEqual(program.line(), "name Otrera")
            self.play(program, end_of_line, 3)
            program.send("error" + end_of_line)  # There is nothing to refuse: it is our turn no more.
            program.line()
            program.send("end" + end_of_line + "new white" + end_of_line + "move DJDDGD" + end_of_line)
            self.assertRegex(program.line(), r"\Amove [A-J]{6}\Z")
            _, rest = program.leave()
            self.assertEqual((program.process.returncode, rest), (0, b""))

    def test_empty_command_line_and_another_working_directory(self):
        compiler = shutil.which("x86_64-w64-mingw32-gcc")
        if compiler is None:
            self.skipTest("x86_64-w64-mingw32-gcc is missing")
        launcher = folder / "empty_command_line.exe"
        source = PROJECT / "packaging" / "empty_command_line.c"
        subprocess.run([compiler, "-Wall", "-Werror", "-o", launcher, source], check=True)
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        settings = installed("otrera.toml")
        packaged = settings.read_bytes()
        self.addCleanup(settings.write_bytes, packaged)
        settings.write_bytes(packaged.replace(b'"Otrera"', b'"Elsewhere"') + b"iterations = 200\r\n")
        program = self.start(cwd=elsewhere, launcher=[launcher])
        program.send("name?\n")
        self.assertEqual(program.line(), "name Elsewhere")
        self.play(program, "\n", 2)
        program.leave()
        self.assertEqual(program.process.returncode, 0)
        self.assertEqual(list(elsewhere.iterdir()), [], "files go beside the program")
        records = list(installed("records").iterdir())
        self.assertTrue(any(re.match("AM-.*未完.*-CCGC( .*)?[.]txt", path.name) for path in records), records)
        self.assertIn(b"-> name?", installed("otrera.log").read_bytes())

    def test_quit_within_a_second_while_it_thinks(self):
        thinking = ["--move-time", "60"]
        pondering = ["--move-time", "0.1", "--pondering", "on"]
        for arguments, silent in ((thinking, True), (pondering, False)):
            program = self.start(*arguments)
            program.send("name?\n")
            program.line()
            program.send("new black\n")
            if silent:
                time.sleep(0.5)
            else:
                program.line()
            took, rest = program.leave()
            self.assertEqual((program.process.returncode, rest), (0, b""))
            self.assertLess(took, 1.0)

    def test_a_killed_engine_goes_on_with_its_game_when_it_is_loaded_again(self):
        program = self.start("--move-time", "60")
        program.send("name?\nnew black\n")
        program.line()
        time.sleep(1.0)
        journals = list(installed("records").glob("*.game"))
        self.assertEqual(len(journals), 1)
        program.close()
        program = self.start("--iterations", "200")
        program.send("name?\n")
        self.assertEqual(program.line(), "name Otrera")
        self.assertRegex(program.line(), r"\Amove [A-J]{6}\Z")
        program.leave()
        self.assertEqual(list(installed("records").glob("*.game")), [])

    def test_pondering_stops_at_once(self):
        log = folder / f"{self.executable}.log"
        program = self.start("--pondering", "on", "--move-time", "0.05", "--log", log)
        for _ in range(10):
            program.send("new black\n")
            program.line()
            time.sleep(0.1)
        program.leave()
        arrived, delays = None, []
        for line in log.read_text("utf-8").splitlines():
            stamp, what = line.split(None, 1)
            if what.startswith("->"):
                arrived = float(stamp)
            elif what.startswith("-- stopped"):
                delays.append(float(stamp) - arrived)
        # The search that `quit` ends is not logged.
        self.assertEqual(len(delays), 9)
        self.assertLessEqual(sorted(delays)[5], 0.010)

    def test_bench(self):
        linux = PROJECT / "dist" / "otrera"
        if not linux.exists():
            self.skipTest("dist/otrera is missing: make builds it")
        expected = subprocess.run([linux, "bench"], check=True, capture_output=True).stdout.splitlines()[-1]
        said, _ = self.start("bench").process.communicate(timeout=10 * STEPS)
        self.assertEqual(said.splitlines()[-1].strip(), expected)


class Windows64(UnderWine, unittest.TestCase):
    executable = "otrera.exe"


class Windows32(UnderWine, unittest.TestCase):
    executable = "otrera32.exe"


if __name__ == "__main__":
    unittest.main()
