"""Checks of dist/botzone.cpp: `python3 -m unittest discover --start-directory packaging/botzone`.

The source is made and compiled as Botzone would, and the program plays with each of the launcher's ways
and under what a judge may forbid.  Each restriction is a command put before the bot's own.
"""

import contextlib
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent
ROOT = LAUNCHER.parents[1]
DIST = ROOT / "dist"
sys.path.insert(0, str(ROOT / "scripts"))

from amazons import Move, Position, botzone_winner, from_botzone, sau_winner, to_botzone  # noqa: E402
from make_botzone import SIZE_LIMIT, Unsuitable, check, distances, filter_branches, package  # noqa: E402

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
KEYS = ["x0", "y0", "x1", "y1", "x2", "y2"]
MODES = ["simple", "simple-keep", "json", "json-once"]
WAYS = ["load", "memfd", "file"]
MEMFD = "/memfd:otrera (deleted)"
QUICK = ["--move-time", "0.05"]
BOTZONE_FLAGS = ["-O2", "-Wall", "-mavx"]
STRICT = ["-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
DIALECTS = [f"{kind}++{year}" for year in ["98", "11", "14", "17", "20", "23"] for kind in ["gnu", "c"]]
FIRST_TURN = "1\n-1 -1 -1 -1 -1 -1\n"

# Restrictions that a judge may impose.  NAMESPACES starts a process whose network and mounts are its own.
NAMESPACES = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
MEMORY = ["prlimit", f"--as={256 << 20}"]
READ_ONLY = "mount -o remount,bind,ro /; mount -o remount,bind,ro /mnt; mount -t tmpfs -o ro none /tmp"

# Prints its arguments, its environment and its input, and ends with status 7.
MIRROR = r"""
#include <cstdio>
extern char **environ;
int main(int argc, char **argv) {
    std::printf("%d\n", argc);
    std::fflush(stdout);
    while (*argv) std::printf("%s\n", *argv++);
    for (char **line = environ; *line; ++line) std::printf("%s\n", *line);
    for (int c; (c = std::getchar()) != EOF;) std::putchar(c);
    return 7;
}
"""

# A plain player: it reads a turn and plays a first move.
PLAIN = r"""
#include <iostream>
int main() {
    int turn = 0, number;
    std::cin >> turn;
    for (int i = 0; i < 6 * (2 * turn - 1); ++i) std::cin >> number;
    std::cout << "2 0 2 3 5 3" << std::endl;
}
"""

# The numbers of all system calls on x86-64, and some to come.
SYSTEM_CALLS = range(480)
# System calls that this program needs and a plain one does not. Refused: exit_group, without which no process of
# several threads ends. Trapped: rt_sigaction, which installs the handler of all other traps. Killed: also clone, and
# rt_sigprocmask around it.
EXCUSED = {"refuse": {231}, "trap": {13}, "kill": {13, 14, 56}}

folder: Path  # of what is compiled here
bot: str
restricted: str


def setUpModule():
    global folder, bot, restricted
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        skip("launcher tests", "the program inside is for Linux on x86-64")
    if shutil.which("g++") is None:
        skip("launcher tests", "g++ is missing; install it with:  sudo apt-get install g++")
    subprocess.run(["make", "--silent", "-j2", "bot", "botzone"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    temporary = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(temporary.cleanup)
    folder = Path(temporary.name)
    bot = compile_cpp(DIST / "botzone.cpp", "bot", *BOTZONE_FLAGS)
    restricted = compile_cpp(LAUNCHER / "restricted.cpp", "restricted", *BOTZONE_FLAGS, *STRICT)


def skip(what, reason):
    message = f"{what} SKIPPED: {reason}"
    print(message, file=sys.stderr)
    raise unittest.SkipTest(message)


def compile_cpp(source, name, *flags):
    target = str(folder / name)
    subprocess.run(["g++", *flags, str(source), "-o", target], check=True)
    return target


def by(way):
    return ["env", f"OTRERA_LAUNCH={way}"]


def one_core():
    return ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]


def deleted_file_in(path):
    return rf"{path}/otrera-\d+ \(deleted\)$"


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **{"timeout": 60, **options})


def checksum(command):
    lines = run([*command, "bench"]).stdout.splitlines()
    return next(line for line in lines if line.startswith("Bench: "))


def message(move, mode):
    numbers = [-1] * 6 if move is None else to_botzone(move)
    return json.dumps(dict(zip(KEYS, numbers))) if "json" in mode else " ".join(map(str, numbers))


def history(moves, mode):
    """The whole game for Black's next turn, as Botzone tells it to a new process."""
    messages = [message(move, mode) for move in [None, *moves]]
    requests, responses = messages[::2], messages[1::2]
    if "json" in mode:
        return f'{{"requests":[{",".join(requests)}],"responses":[{",".join(responses)}]}}\n'
    return "\n".join([str(len(requests)), *messages]) + "\n"


def read_move(line, mode):
    if "json" in mode:
        response = json.loads(line)["response"]
        return from_botzone([response[key] for key in KEYS])
    return from_botzone([int(number) for number in line.split(" ")])


@contextlib.contextmanager
def running(command):
    """A process that has answered its first turn and awaits the next."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("1\n-1 -1 -1 -1 -1 -1\n")
        process.stdin.flush()
        while process.stdout.readline() not in [f"{KEEP_RUNNING}\n", ""]:
            pass
        try:
            yield process
        finally:
            process.kill()


def restored_branches(filtered: bytes) -> bytes:
    """Restores the branch targets, as restore_branches of the launcher does."""
    code, size = bytearray(filtered), len(filtered)
    for place in distances(filtered):
        number = int.from_bytes(filtered[place : place + 4], "little", signed=True)
        if -place <= number < size:
            number += size if number < 0 else -place
            code[place : place + 4] = number.to_bytes(4, "little", signed=True)
    return bytes(code)


class BranchFilterTest(unittest.TestCase):
    def test_every_code_comes_back(self):
        dice = random.Random(1)
        bytes_like_code = [0xE8, 0xE9, 0x0F, 0x80, 0x8F, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0x01, 0x05]
        changed = 0
        for _ in range(2000):
            code = bytes(dice.choice(bytes_like_code) for _ in range(dice.randrange(200)))
            filtered = filter_branches(code, len(code))
            changed += filtered != code
            self.assertEqual(restored_branches(filtered), code)
        self.assertGreater(changed, 100)


class BotzoneTest(unittest.TestCase):
    def play(self, command, mode, turns=3, later=None):
        """The first turns of a game, each answer checked and returned; `later` is the command of all but the first."""
        keeps = mode in ["simple-keep", "json"]
        position, moves, process = Position.start(8), [], None
        while len(moves) < 2 * turns:
            if process is None:
                text = history(moves, mode)
                pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
                process = subprocess.Popen(later if later and moves else command, text=True, **pipes)
            else:
                text = message(moves[-1], mode) + "\n"
            if keeps:
                process.stdin.write(text)
                process.stdin.flush()
                line = process.stdout.readline()
                while process.stdout.readline() not in [f"{KEEP_RUNNING}\n", ""]:
                    pass
            else:
                output, _ = process.communicate(text, timeout=60)
                line = output.partition("\n")[0]
                self.assertEqual(process.returncode, 0)
                process = None
            move = read_move(line.strip(), mode)
            self.assertIsNone(position.objection(move))
            position = position.play(move)
            reply = next(position.legal_moves(), None)
            if reply is None:
                moves.append(move)
                break  # The game is won.
            position = position.play(reply)
            moves += [move, reply]
        if process is not None:
            rest, _ = process.communicate(timeout=60)
            self.assertEqual((rest, process.returncode), ("", 0))
        return moves[::2]

    def play_all_modes(self, *command):
        for mode in MODES:
            with self.subTest(command=command, mode=mode):
                self.play([*command, *QUICK], mode)

    def program_of(self, *command):
        """The file that the kernel says the process runs."""
        with running([*command, *QUICK]) as process:
            return os.readlink(f"/proc/{process.pid}/exe")

    def namespaces(self, script):
        """A prefix: a shell script where mounts and network are the command's own, the bot's folder at /mnt."""
        if run([*NAMESPACES, "true"]).returncode != 0:
            skip(self.id(), "this system gives no namespaces")
        return [*NAMESPACES, "sh", "-e", "-c", f"mount --bind '{folder}' /mnt; {script}\nexec \"$@\"", "sh"]


class Source(BotzoneTest):
    def test_compiles_without_warnings(self):
        for standard in DIALECTS:
            with self.subTest(standard=standard):
                flags = [f"-std={standard}", "-pedantic", *BOTZONE_FLAGS, *STRICT]
                program = compile_cpp(DIST / "botzone.cpp", "strict", *flags)
                self.play([program, *QUICK], "json-once", turns=1)

    def test_compiles_with_line_breaks_of_windows(self):
        (folder / "crlf.cpp").write_bytes((DIST / "botzone.cpp").read_bytes().replace(b"\n", b"\r\n"))
        program = compile_cpp(folder / "crlf.cpp", "crlf", "-std=gnu++98", *BOTZONE_FLAGS, *STRICT)
        self.play([program, *QUICK], "json-once", turns=1)

    def test_no_folder_of_this_machine_is_in_a_program(self):
        toolchain = run(["rustc", "--print", "sysroot"], cwd=ROOT).stdout.strip()
        cargo = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
        for program in ["otrera", "otrera-botzone"]:
            contents = (DIST / program).read_bytes()
            for path in [ROOT, toolchain, cargo]:
                self.assertNotIn(str(path).encode(), contents, program)

    def test_loads_however_it_is_compiled(self):
        for flags in [["-O0"], ["-O3", "-static"], ["-O2", "-no-pie"], ["-O2", "-pie", "-fPIE"]]:
            with self.subTest(flags=flags):
                program = compile_cpp(DIST / "botzone.cpp", "other", *flags)
                self.play([*by("load"), program, *QUICK], "simple", turns=1)

    def test_fits_into_the_editor_of_the_page(self):
        source = (DIST / "botzone.cpp").read_bytes()
        self.assertTrue(source.isascii())
        self.assertLess(len(source), SIZE_LIMIT)
        self.assertEqual(SIZE_LIMIT, 1_000_000)
        self.assertLess(len(source), 900_000, "room for a larger network")

    def test_only_what_the_launcher_can_load_is_packed(self):
        check((DIST / "otrera").read_bytes())
        check((DIST / "otrera-botzone").read_bytes())
        for unsuitable in [b"", b"#!/bin/sh\n" * 100, Path(bot).read_bytes()]:
            with self.assertRaises(Unsuitable):
                check(unsuitable)


class Preset(BotzoneTest):
    def test_the_papers_search_plays_too(self):
        with tempfile.TemporaryDirectory() as other:
            source = Path(other) / "botzone.cpp"
            subprocess.run([ROOT / "scripts" / "build_botzone.sh", source, "paper"], check=True, stdout=subprocess.DEVNULL)
            program = compile_cpp(source, "paper", *BOTZONE_FLAGS)
            self.assertIn("(paper, one thread)", run([program, "bench"]).stdout)
            self.play([program, *QUICK], "json", turns=3)


class Storage(BotzoneTest):
    def test_starts_the_executable_in_the_user_storage(self):
        launcher = compile_cpp(LAUNCHER / "storage.cpp", "storage", "-std=c++11", *BOTZONE_FLAGS, *STRICT)
        missing = run([launcher, "--version"], cwd=folder)
        self.assertEqual((missing.returncode, missing.stdout), (1, ""))
        with tempfile.TemporaryDirectory() as home:
            stored = Path(home) / "data" / "otrera"
            stored.parent.mkdir()
            shutil.copyfile(DIST / "otrera", stored)  # without the right to execute it
            self.play(["env", f"--chdir={home}", launcher, *QUICK], "json-once")


class Ways(BotzoneTest):
    def test_each_plays(self):
        for way in WAYS:
            self.play_all_modes(*by(way), bot)

    def test_each_has_the_checksum_of_the_executable(self):
        # Not that of dist/otrera: positions of larger boards than Botzone's are judged by other weights.
        expected = checksum([str(DIST / "otrera-botzone")])
        for way in WAYS:
            with self.subTest(way=way):
                self.assertEqual(checksum([*by(way), bot]), expected)

    def test_each_plays_what_the_executable_plays(self):
        options = ["--iterations", "500", "--seed=1"]
        for mode in MODES:
            expected = self.play([str(DIST / "otrera"), *options], mode, turns=8)
            for way in WAYS:
                with self.subTest(way=way, mode=mode):
                    self.assertEqual(self.play([*by(way), bot, *options], mode, turns=8), expected)

    def test_each_is_what_it_says(self):
        self.assertEqual(self.program_of(*by("load"), bot), bot)
        self.assertEqual(self.program_of(*by("memfd"), bot), MEMFD)
        self.assertRegex(self.program_of(*by("file"), bot), deleted_file_in("/tmp"))

    def pack_mirror(self, more=b""):
        """The mirror, and the launcher with it inside."""
        (folder / "mirror.cpp").write_text(MIRROR)
        mirror = compile_cpp(folder / "mirror.cpp", "mirror", "-O2", "-static-pie", "-s")
        with open(mirror, "ab") as file:
            file.write(more)
        (folder / "packed.cpp").write_text(package(Path(mirror).read_bytes()))
        return mirror, compile_cpp(folder / "packed.cpp", "packed", *BOTZONE_FLAGS)

    def test_it_is_unpacked_byte_for_byte(self):
        noise = random.Random(1).randbytes(100_000)  # stored as it is
        far = noise[:40_000] + b"\0" * 70_000 + noise[:5]  # long matches, a rest
        for more in [b"", noise, far]:
            mirror, packed = self.pack_mirror(more)
            with subprocess.Popen([*by("memfd"), packed], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                inside = Path(f"/proc/{process.pid}/exe").read_bytes()
                process.stdin.close()
                process.stdout.read()
            self.assertEqual(inside, Path(mirror).read_bytes())

    def test_everything_passes_through(self):
        mirror, packed = self.pack_mirror()
        for way in WAYS:
            with self.subTest(way=way):
                options = {"input": "in\nput", "env": {"OTRERA_LAUNCH": way, "EMPTY": "", "LANG": "C"}}
                command = ["name", "", "two words", "\u5e74", "--"]
                direct = run(command, executable=mirror, **options)
                wrapped = run(command, executable=packed, **options)
                self.assertEqual(wrapped.returncode, 7)
                self.assertEqual(wrapped.stdout, direct.stdout)
                self.assertEqual(wrapped.stderr, "")

    def test_if_there_is_no_way_it_says_so(self):
        result = run([*by("none"), bot], input="")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("cannot start the program", result.stderr)


class LastResort(BotzoneTest):
    """The small player of the launcher."""

    def test_it_plays_where_nothing_can_be_started(self):
        slow = compile_cpp(DIST / "botzone.cpp", "slow", "-O0")
        for command in [[*by("none"), bot], [*by("none"), slow], [restricted, "code,refuse=59,refuse=322", bot]]:
            for mode in ["simple", "json-once"]:
                with self.subTest(command=command, mode=mode):
                    self.play(command, mode, turns=25)

    def test_it_reads_what_may_come(self):
        begin = '{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}'
        reversed_keys = '{ "y2": "4", "x2": "3", "y1": 5, "x1": 4, "y0": 5, "x0": 0 }'
        first = '{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}'
        expected = run([*by("none"), bot], input="2\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\ndata").stdout
        self.assertEqual(len(expected.split()), 6)
        for text in [
            f'{{"requests":[{begin},{reversed_keys}],"responses":[{first}]}}',
            f'{{"data":"[{{","responses":[{first}],\r\n "requests":[{begin},{reversed_keys}]}}\n',
        ]:
            answer = json.loads(run([*by("none"), bot], input=text).stdout)["response"]
            self.assertEqual(" ".join(str(answer[key]) for key in ["x0", "y0", "x1", "y1", "x2", "y2"]), expected.strip())
        for text in ["", "\n", "{", "1", "1\n-1", "[]", "x" * 1000, "3\n9 9 9 9 9 9\n"]:
            self.assertEqual(run([*by("none"), bot], input=text).returncode, 0, text)

    def test_it_plays_if_the_program_dies_before_it_has_read(self):
        deaths = ["abort()", "*static_cast<volatile int *>(0) = 1", "__builtin_trap()", "raise(SIGSYS)"]
        for death in deaths:
            with self.subTest(death=death):
                (folder / "dying.cpp").write_text(f"#include <csignal>\n#include <cstdlib>\nint main() {{ {death}; }}")
                inside = compile_cpp(folder / "dying.cpp", "dying", "-static-pie", "-s")
                (folder / "carrier.cpp").write_text(package(Path(inside).read_bytes()))
                self.play([compile_cpp(folder / "carrier.cpp", "carrier", *BOTZONE_FLAGS)], "simple", turns=2)

    def answer_under(self, rule, *command):
        """True for a legal first move and no error, while a system call is refused or kills."""
        try:
            result = run([restricted, rule, *command], input=FIRST_TURN, timeout=5)
        except subprocess.TimeoutExpired:
            return False
        numbers = result.stdout.partition("\n")[0].split()
        if result.returncode != 0 or len(numbers) != 6:
            return False
        return Position.start(8).objection(from_botzone([int(number) for number in numbers])) is None

    def test_it_answers_wherever_a_plain_program_does(self):
        (folder / "plain.cpp").write_text(PLAIN)
        plain = compile_cpp(folder / "plain.cpp", "plain", *BOTZONE_FLAGS)
        for action, excused in EXCUSED.items():
            rules = {call: f"{action}={call}" for call in SYSTEM_CALLS}
            plain_lives = {call for call, rule in rules.items() if self.answer_under(rule, plain)}
            self.assertGreater(len(plain_lives), 400)
            fails = {call for call in plain_lives if not self.answer_under(rules[call], bot, "--iterations", "1")}
            self.assertLessEqual(fails, excused, action)


class Restrictions(BotzoneTest):
    def test_exec_forbidden(self):
        self.play_all_modes(restricted, "exec", bot)
        # The rule is in force: whoever tries is killed.
        self.assertLess(run([*by("memfd"), restricted, "exec", bot]).returncode, 0)

    def test_memory_may_not_become_code(self):
        self.play_all_modes(restricted, "code", bot)
        self.assertEqual(self.program_of(restricted, "code", bot), MEMFD)

    def test_neither_code_nor_memfd(self):
        for rules in ["code,memfd", "code,memfd,execveat"]:
            self.play_all_modes(restricted, rules, bot)
            self.assertRegex(self.program_of(restricted, rules, bot), deleted_file_in("/tmp"))

    def test_other_folders_than_tmp(self):
        (folder / "data").mkdir()
        for tmp in ["ro", "noexec"]:
            for start, expected in [("/mnt", "data"), ("/mnt/data", ".")]:
                prefix = self.namespaces(f"mount -t tmpfs -o {tmp} none /tmp; cd {start}")
                with self.subTest(tmp=tmp, start=start):
                    program = self.program_of(*prefix, *by("file"), "/mnt/bot")
                    self.assertRegex(program, deleted_file_in("/data"))
        self.assertEqual(os.listdir(folder / "data"), [])

    def test_neither_execveat_nor_proc(self):
        prefix = self.namespaces("mount -t tmpfs none /tmp; mount -t tmpfs none /proc")
        self.play_all_modes(*prefix, "/mnt/restricted", "code,memfd,execveat", "/mnt/bot")

    def test_no_network(self):
        self.play_all_modes(*self.namespaces(":"), bot)

    def test_read_only_files(self):
        prefix = self.namespaces(READ_ONLY)
        self.play_all_modes(*prefix, "/mnt/bot")
        # The rule is in force: there is no place for a file.
        self.assertIn("cannot start the program", run([*prefix, *by("file"), "/mnt/bot"], input="").stderr)

    def test_one_core(self):
        self.play_all_modes(*one_core(), bot)

    def test_256_megabytes(self):
        for way in WAYS:
            self.play_all_modes(*MEMORY, *by(way), bot)

    def test_empty_environment(self):
        self.play_all_modes("env", "-i", bot)

    def test_all_at_once(self):
        judge = [*one_core(), *MEMORY, "env", "-i", "/mnt/restricted", "exec", "/mnt/bot"]
        self.play_all_modes(*self.namespaces(READ_ONLY), *judge)

    def test_cpu_time_of_the_platform(self):
        """With its own clock: it is killed at 2 s in its first turn, and at 1 s in the others."""
        self.play(["prlimit", "--cpu=2", bot], "json-once", later=["prlimit", "--cpu=1", bot])


class SelfPlay(unittest.TestCase):
    """The records of self-play by the rules of amazons.py, which shares no code with the engine and its referee."""

    def test_every_move_and_result_is_right(self):
        for protocol, size, winner in [("json-keep", 8, botzone_winner), ("sau", 10, sau_winner)]:
            with tempfile.TemporaryDirectory() as records:
                options = ["--games", "4", "--iterations", "20", "--show", "none", "--grace", "60"]
                command = [ROOT / "scripts" / "selfplay.sh", "--engine", DIST / "otrera", "--protocol", protocol]
                subprocess.run([*command, *options, "--record-dir", records], check=True, stdout=subprocess.DEVNULL)
                games = sorted(Path(records).iterdir())
                self.assertEqual(len(games), 4)
                for game in games:
                    header, *lines = game.read_text(encoding="utf-8").splitlines()
                    position = Position.start(size)
                    for text in " ".join(lines).split():
                        if "(" in text:
                            self.assertIsNone(winner(position), game)
                            move = Move.parse(text)
                            self.assertIsNone(position.objection(move), f"{game}: {move}")
                            position = position.play(move)
                    self.assertEqual("先手胜" in header, str(winner(position)) == "black", game)


if __name__ == "__main__":
    unittest.main()
