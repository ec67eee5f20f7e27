"""Tests of `make` and tests.sh on machines that lack tools: `python3 scripts/test_build.py`.

The tools of a simulated machine are small shell scripts in a folder, the only one in PATH.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOST, MUSL = "x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"

# Tools that every system has.
SYSTEM = ["sh", "sed", "sort", "cp", "mkdir", "rm", "dirname", "cat", "mktemp", "make", "tee"]

RUSTC = f"""
case "$*" in
    *target-libdir*) for last; do :; done; echo "$MACHINE/lib/$last" ;;
    *) echo "host: {HOST}" ;;
esac
"""
CARGO = """
for last; do :; done
echo "cargo $* with RUSTFLAGS=${RUSTFLAGS-}"
mkdir -p "$CARGO_TARGET_DIR/$last/bot" && echo bot > "$CARGO_TARGET_DIR/$last/bot/otrera"
"""
RUSTUP = 'echo "rustup $*"; mkdir -p "$MACHINE/lib/$3"'
CC = 'echo "$MACHINE/c/libc.a"'


class Machine:
    """A simulated machine: a folder with these tools (name and script) and these libraries."""

    def __init__(self, test, tools, libraries=()):
        self.folder = Path(tempfile.mkdtemp(prefix="otrera-build-"))
        test.addCleanup(shutil.rmtree, self.folder)
        for name in ["bin", "lib", "c"]:
            (self.folder / name).mkdir()
        for name in SYSTEM:
            (self.folder / "bin" / name).symlink_to(shutil.which(name))
        (self.folder / "bin" / "python3").symlink_to(sys.executable)
        for name, script in tools.items():
            path = self.folder / "bin" / name
            path.unlink(missing_ok=True)
            path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            path.chmod(0o755)
        for library in libraries:
            (self.folder / library).mkdir()

    def run(self, *command):
        environment = {
            "PATH": str(self.folder / "bin"),
            "MACHINE": str(self.folder),
            "CARGO_TARGET_DIR": str(self.folder / "target"),
            "TMPDIR": str(self.folder),
        }
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60, encoding="utf-8")
        return done.returncode, done.stdout

    def build(self):
        return self.run("make", "bot", f"EXE={self.folder}/dist/otrera")

    def built(self):
        return (self.folder / "dist" / "otrera").exists()


class Bot(unittest.TestCase):
    TOOLS = {"rustc": RUSTC, "cargo": CARGO, "cc": CC}

    def test_an_installed_library_is_used(self):
        machine = Machine(self, {**self.TOOLS, "rustup": RUSTUP}, [f"lib/{MUSL}"])
        status, said = machine.build()
        self.assertEqual(status, 0, said)
        self.assertTrue(machine.built())
        self.assertNotIn("rustup", said)
        self.assertIn(f"is built for {MUSL}, static; it is optimized", said)

    def test_rustup_installs_a_missing_library(self):
        machine = Machine(self, {**self.TOOLS, "rustup": RUSTUP})
        status, said = machine.build()
        self.assertEqual(status, 0, said)
        self.assertIn(f"installing it:  rustup target add {MUSL}\nrustup target add {MUSL}\n", said)
        self.assertIn(f"is built for {MUSL}, static; it is optimized", said)

    def test_without_rustup_the_build_uses_the_c_library_of_the_system(self):
        for rustup in ({"rustup": "echo no network; exit 1"}, {}):
            machine = Machine(self, {**self.TOOLS, **rustup})
            (machine.folder / "c" / "libc.a").touch()
            status, said = machine.build()
            self.assertEqual(status, 0, said)
            self.assertTrue(machine.built())
            self.assertEqual("no network" in said, bool(rustup), said)
            self.assertIn(f"--target {HOST} with RUSTFLAGS= -C target-feature=+crt-static", said)
            self.assertIn(f"is built for {HOST}, static, with this system's C library; it is optimized", said)

    def test_a_dynamic_program_is_reported(self):
        status, said = Machine(self, self.TOOLS).build()
        self.assertEqual(status, 0, said)
        self.assertIn(f"--target {HOST} with RUSTFLAGS=\n", said)
        self.assertIn("NOT static", said)

    def test_make_fails_if_the_build_fails(self):
        machine = Machine(self, {**self.TOOLS, "cargo": "exit 101"}, [f"lib/{MUSL}"])
        status, said = machine.build()
        self.assertNotEqual(status, 0, said)
        self.assertFalse(machine.built())

    def test_missing_tools_are_listed_before_the_build(self):
        machine = Machine(self, {})
        for name in ("python3", "cc"):
            (machine.folder / "bin" / name).unlink(missing_ok=True)
        for target in ("play", "test"):
            status, said = machine.run("make", target)
            self.assertNotEqual(status, 0)
            self.assertIn("cargo is missing; install it with:  curl https://sh.rustup.rs", said)
            self.assertIn("cc is missing; install it with:  sudo apt-get install gcc", said)
            python = "python3 is missing; install it with:  sudo apt-get install python3"
            self.assertEqual(python in said, target == "test", said)

    def test_targets_that_cannot_be_built_here_are_explained(self):
        for target, tools, expected in [
            ("macos", {"uname": "echo Linux"}, "make: the bot for macOS is built on macOS only, with Apple's linker\n"),
            ("macos", {"uname": "echo Darwin"}, "rustup is missing as well; install it with:  curl https://sh.rustup.rs"),
            ("arm", {}, "rustup is missing as well; install it with:  curl https://sh.rustup.rs"),
        ]:
            status, said = Machine(self, {**self.TOOLS, **tools}).run("make", target)
            self.assertNotEqual(status, 0, said)
            self.assertIn(expected, said)
            self.assertNotIn("cargo build", said)

    def test_results_are_read_from_cargos_target_folder(self):
        for target in ("quick", "macos", "windows", "sau", "lab", "lint"):
            machine = Machine(self, {})
            status, said = machine.run("make", "--dry-run", target)
            self.assertEqual(status, 0, said)
            self.assertIn(f' "{machine.folder}/target/', said)
            self.assertNotRegex(said, r'[ "]target/')

    def test_make_sau_needs_both_compilers(self):
        compilers = {"x86_64-w64-mingw32-gcc": "x86-64", "i686-w64-mingw32-gcc": "i686"}
        for present in ([], ["x86_64-w64-mingw32-gcc"]):
            tools = dict.fromkeys(present, "exit 0")
            status, said = Machine(self, {**self.TOOLS, **tools}).run("make", "sau")
            self.assertNotEqual(status, 0)
            for compiler, package in compilers.items():
                missing = f"{compiler} is missing; install it with:  sudo apt-get install gcc-mingw-w64-{package}\n"
                self.assertEqual(missing in said, compiler not in present, said)
            self.assertNotIn("cargo build", said)


class Skipped(unittest.TestCase):
    def run_suite(self, cargo, suite="rust", has_all=True):
        fetch = f'[ "$1" != fetch ] || exit {0 if has_all else 101}; case "$*" in *--doc) exit;; esac; '
        machine = Machine(self, {"cargo": fetch + cargo, "rustc": RUSTC})
        done = machine.run("scripts/tests.sh", suite)
        self.assertEqual(list(machine.folder.glob("t.*")), [], "temporary files are left")
        return done

    def test_skipped_tests_are_listed_last(self):
        for status in (0, 1):
            cargo = f'echo "b: no strace" >> "$OTRERA_SKIPPED"; echo "a: no wine" >> "$OTRERA_SKIPPED"; exit {status}'
            code, said = self.run_suite(cargo)
            self.assertEqual(code, status)
            self.assertEqual(said, "\nSkipped because a tool is missing:\n  a: no wine\n  b: no strace\n")

    def test_a_run_without_skipped_tests_says_so(self):
        self.assertEqual(self.run_suite("exit 0"), (0, "\nNo tests were skipped.\n"))
        self.assertEqual(self.run_suite("exit 1"), (1, ""), "a failed run says nothing about skipped tests")

    def test_downloads_are_listed_first(self):
        nothing = "\nNo tests were skipped.\n"
        self.assertEqual(
            self.run_suite("echo tests", has_all=False),
            (0, "Downloads before the tests:\n  the crates of Cargo.lock, 12 MB\n\ntests\n" + nothing))
        for suite, fetched in (("ray", ["Ray, by pip into ~/.cache/otrera, 285 MB"]),
                               ("browser", ["Rust's library for wasm32-unknown-unknown, by rustup, about 20 MB",
                                            "axe-core and TypeScript, by npm into target/tmp, 5 MB"])):
            _, said = self.run_suite("echo tests", suite)
            listed = "".join(f"  {thing}\n" for thing in fetched)
            self.assertEqual(said, f"Downloads before the tests:\n{listed}\ntests\n{nothing}")

    def test_launcher_tests_are_skipped_without_musl(self):
        code, said = self.run_suite("exit 1", "botzone")
        self.assertEqual(
            (code, said), (0, "\nSkipped because a tool is missing:\n"
                              f"  botzone: no Rust library for {MUSL} (rustup target add {MUSL})\n"))

    def test_temporary_files_are_removed(self):
        for status in (0, 1):
            self.run_suite(f'mkdir -p "$TMPDIR/a/b"; echo left > "$RAY_TMPDIR/a/b/c"; exit {status}')
        code, _ = self.run_suite('echo left > "$TMPDIR/a"; kill -TERM $PPID', "ray")
        self.assertEqual(code, 143)

    def test_skipped_python_tests_are_listed(self):
        machine = Machine(self, {})
        (machine.folder / "test_it.py").write_text(
            "import unittest\n"
            "class It(unittest.TestCase):\n"
            "    def test_one(self): self.skipTest('no such tool')\n"
            "    def test_two(self): pass\n", encoding="ascii")
        code, said = machine.run("scripts/tests.sh", str(machine.folder))
        self.assertEqual(code, 0, said)
        self.assertTrue(said.endswith("\n  test_it.It.test_one: no such tool\n"), said)


@unittest.skipUnless(shutil.which("cargo"), "cargo is missing")
class Features(unittest.TestCase):
    def test_make_after_make_play_compiles_nothing_again(self):
        def features(*packages):
            tree = ["cargo", "tree", "--locked", "--edges", "normal,build", "--target", MUSL, "--prefix", "none",
                    "--format", "{p}: {f}", *(f"--package={package}" for package in packages)]
            printed = subprocess.run(tree, cwd=ROOT, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
            return {line.removesuffix(" (*)") for line in printed.splitlines()}

        again = features("otrera-bot") - features("otrera-bot", "otrera-arena")
        self.assertEqual(again, set(), "crates whose features the arena changes")


class Release(unittest.TestCase):
    def test_files_of_a_release_are_attached(self):
        folder = Path(tempfile.mkdtemp(prefix="otrera-release-"))
        self.addCleanup(shutil.rmtree, folder)
        for name in [".ci", "bin", "dist"]:
            (folder / name).mkdir()
        shutil.copy(ROOT / ".ci/checksums", folder / ".ci")
        names = re.findall(r"\S*otrera\S*|botzone\.cpp", (ROOT / ".ci/checksums").read_text().split("sha256sum")[1])
        files = sorted(name.replace("*", "1") for name in names)
        for name in files:
            (folder / "dist" / name).write_text(name)
        gh = folder / "bin/gh"
        gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        gh.chmod(0o755)
        workflow = (ROOT / ".github/workflows/release.yml").read_text()
        # A folded text of YAML: its lines are one.
        command = re.search(r"run: >\n((?: {10}.*\n)+)", workflow)[1].replace("\n", " ")
        environment = {"PATH": f"{folder}/bin:/usr/bin:/bin", "RUNNER_TEMP": "r", "GITHUB_REF_NAME": "v1"}
        run = subprocess.run(
            ["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        attached = run.stdout.split("r/notes.md\n")[1].split("\n")[:-1]
        self.assertEqual(sorted(attached), sorted(f"dist/{name}" for name in [*files, "SHA256SUMS"]))
        self.assertGreater(len(files), 8)


if __name__ == "__main__":
    unittest.main()
