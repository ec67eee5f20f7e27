"""Prints the speed of the installed package beside that of the engine. Run `make python` and `make` first.

    scripts/bench_python.py evaluate [POSITIONS]    evaluation of 100,000 positions, beside benches/evaluate.rs
    scripts/bench_python.py analyse [SECONDS]       iterations of an analysis of 10 s, beside `dist/otrera analyze`

Both sides are measured in turn, five times; times of `evaluate` are those of the processor. The ratio is that of the best
measurements, with the lowest and the highest ratio of a turn. The rows of `evaluate`:

    values    the values and win rates alone
    all       all arrays that a call returns by default; the engine writes them into memory that it uses again
    parts     the same call beside the engine's own data for these arrays, which it throws away
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import otrera

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 5


def random_positions(count: int) -> "list[str]":
    """Returns the positions of random games on 10x10, as FENs."""
    rng, fens = random.Random(1), []
    while len(fens) < count:
        board = otrera.Board()
        while board.winner is None:
            fens.append(board.fen())
            board.push(board.legal_moves[rng.randrange(len(board.legal_moves))])
    return fens[:count]


def engine_speeds(file: pathlib.Path) -> "dict[str, float]":
    command = ["cargo", "bench", "--quiet", "--locked", "--package", "otrera", "--bench", "evaluate", "--", str(file)]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name: float(speed) for name, speed in re.findall(r"^(values|all|parts) (\d+)$", printed, re.M)}


def package_speeds(boards: "list[otrera.Board]") -> "dict[str, float]":
    def seconds(arrays: bool) -> float:
        start = time.thread_time()
        otrera.evaluate(boards, leads=arrays, policy=arrays, distances=arrays)
        return time.thread_time() - start

    # Three times, as in benches/evaluate.rs.
    speeds = {
        name: len(boards) / min(seconds(arrays) for _ in range(3)) for name, arrays in [("values", False), ("all", True)]
    }
    return {**speeds, "parts": speeds["all"]}


def program_speed(seconds: float) -> float:
    options = ["--threads", "1", "--memory", "160", "--time", str(seconds)]
    run = subprocess.run(
        [ROOT / "dist" / "otrera", "analyze", *options], check=True, capture_output=True, text=True
    )
    return float(re.search(r" iterations in .* s: (\d+)/s", run.stdout)[1])


def analysis_speed(seconds: float) -> float:
    report = otrera.Engine(threads=1, memory=160).analyse(otrera.Board(), otrera.Limit(time=seconds))
    return report.iterations / report.seconds


def compare(name: str, unit: str, engine: "list[float]", package: "list[float]") -> None:
    ratios = [own / other for own, other in zip(package, engine)]
    print(
        f"{name}: engine {max(engine):,.0f} {unit}/s, package {max(package):,.0f} {unit}/s, "
        f"ratio {max(package) / max(engine):.3f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )


def evaluate(count: int) -> None:
    fens = random_positions(count)
    boards = [otrera.Board(fen) for fen in fens]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "positions"
        file.write_text("\n".join(fens))
        rounds = [(engine_speeds(file), package_speeds(boards)) for _ in range(ROUNDS)]
    for name in ["values", "all", "parts"]:
        compare(name, "positions", *([speeds[name] for speeds in side] for side in zip(*rounds)))


def analyse(seconds: float) -> None:
    rounds = [(program_speed(seconds), analysis_speed(seconds)) for _ in range(ROUNDS)]
    compare("analyse", "iterations", *zip(*rounds))


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["evaluate"]:
        evaluate(int(words[1]) if words[1:] else 100_000)
    elif words[:1] == ["analyse"]:
        analyse(float(words[1]) if words[1:] else 10)
    else:
        sys.exit(__doc__)
