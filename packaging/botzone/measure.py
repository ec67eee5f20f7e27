"""Measures the launcher's additions to the executable's start-up time and memory.

    python3 packaging/botzone/measure.py [--runs N]

After `make botzone`.  Compiles dist/botzone.cpp as Botzone does.  The programs take turns, so that a busy
machine slows all of them alike; still, only figures of an idle machine mean something.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DIST = Path(__file__).resolve().parents[2] / "dist"
WAYS = ["load", "memfd", "file"]
FIRST_TURN = b"1\n-1 -1 -1 -1 -1 -1\n"


def start_up(program, environment, output):
    """Wall and CPU time of one start, in ms."""
    started = time.perf_counter()
    redirect = [(os.POSIX_SPAWN_DUP2, output, 1)]
    process = os.posix_spawn(program, [program, "--version"], environment, file_actions=redirect)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - started
    if status != 0:
        sys.exit(f"{program} --version failed")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def memory(program, environment):
    """Largest and present resident size after a turn of one iteration, in kB."""
    command = [program, "--iterations", "1"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(FIRST_TURN)
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith(b">>>"):
                break
        # Not ru_maxrss: that counts what Python holds at the fork.
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.stdin.close()
    return [int(re.search(rf"{field}:\s*(\d+) kB", status)[1]) for field in ["VmHWM", "VmRSS"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="starts of each program (200)")
    runs = max(1, parser.parse_args().runs)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as null:
        bot = str(Path(folder) / "bot")
        subprocess.run(["g++", "-O2", "-Wall", "-mavx", str(DIST / "botzone.cpp"), "-o", bot], check=True)
        programs = {"alone": (str(DIST / "otrera-botzone"), {})}
        programs.update({f"launcher, {way}": (bot, {"OTRERA_LAUNCH": way}) for way in WAYS})
        times = {name: [] for name in programs}
        for _ in range(runs):
            for name, program in programs.items():
                times[name].append(start_up(*program, null.fileno()))
        print(f"median of {runs} starts; resident memory after one turn of one iteration")
        print(f"{'':17}{'wall':>10}{'CPU':>10}{'peak':>11}{'then':>11}")
        for name, program in programs.items():
            wall, cpu = map(statistics.median, zip(*times[name]))
            peak, now = memory(*program)
            print(f"{name:17}{wall:7.2f} ms{cpu:7.2f} ms{peak:8} kB{now:8} kB")


if __name__ == "__main__":
    main()
