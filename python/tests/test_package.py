"""The package as a program uses it: examples of docstrings and pages, types, rules, records, searches, evaluation."""

import ast
import copy
import doctest
import inspect
import json
import math
import os
import pathlib
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import otrera
from otrera import Board, Engine, Game, Limit, Move, Side

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Examples(unittest.TestCase):
    def test_docstrings(self):
        runner = doctest.DocTestRunner()
        for name in otrera.__all__:
            item = getattr(otrera, name)
            parts = [(name, item)]
            if inspect.isclass(item):
                parts += [(f"{name}.{part}", value) for part, value in vars(item).items() if part[0] != "_"]
            for full_name, part in parts:
                text = inspect.getdoc(part) or ""
                if inspect.isclass(item) and not issubclass(item, Exception):
                    self.assertTrue(text, f"{full_name} has no docstring")
                if ">>>" in text:
                    runner.run(doctest.DocTestParser().get_doctest(text, {}, full_name, None, None))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 40)

    def test_blocks_of_the_pages_run(self):
        for page in ["README.md", "README.zh-CN.md", "docs/python.md", "python/README.md"]:
            text = (ROOT / page).read_text(encoding="utf-8")
            blocks = re.findall(r"```python\n(.*?)```", text, re.S)
            self.assertTrue(blocks, page)
            for block in blocks:
                with self.subTest(page=page, block=block), tempfile.TemporaryDirectory() as folder:
                    game = Game(Board(moves=["d1-d7/g7", "a7-d4/a7"]), "Ada", "Bob")
                    (pathlib.Path(folder) / "game.sgf").write_text(game.to_sgf(), encoding="utf-8")
                    run = subprocess.run(
                        [sys.executable, "-c", block], cwd=folder, capture_output=True, text=True, timeout=120
                    )
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertTrue(run.stdout, "prints nothing")

    def test_version_is_that_of_the_engine(self):
        manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
        self.assertIn(f'\nversion = "{otrera.__version__}"\n', manifest)


class Types(unittest.TestCase):
    def mypy(self, *arguments):
        command = [sys.executable, "-m", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "python/tests")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_mypy_is_strict(self):
        with tempfile.TemporaryDirectory() as cache:
            self.mypy("mypy", "--strict", "--cache-dir", cache, "-p", "otrera")
            self.mypy("mypy", "--strict", "--cache-dir", cache, "typed.py")

    def test_stubs_agree_with_the_module(self):
        # No class can be a base class, so their layout does not matter.
        self.mypy("mypy.stubtest", "otrera", "--allowlist", "stubtest.txt", "--ignore-disjoint-bases")


class Rules(unittest.TestCase):
    def test_legal_moves_are_a_sequence(self):
        generator = random.Random(1)
        board = Board(size=6)
        while board.winner is None:
            moves = board.legal_moves
            listed = list(moves)
            self.assertEqual(len(moves), len(listed))
            self.assertEqual(len(set(listed)), len(listed))
            place = generator.randrange(len(listed))
            self.assertEqual(moves[place], listed[place])
            self.assertEqual(moves[place - len(listed)], listed[place])
            self.assertEqual(moves.index(listed[place]), place)
            self.assertEqual(moves[place : place + 3], listed[place : place + 3])
            self.assertEqual(moves[::-7], listed[::-7])
            self.assertIn(listed[place], moves)
            board.push(listed[place])
        self.assertFalse(board.legal_moves)
        self.assertEqual(board.winner, board.turn.opponent)
        with self.assertRaises(IndexError):
            board.legal_moves[0]
        with self.assertRaises(IndexError):
            Board().legal_moves[2176]
        with self.assertRaises(IndexError):
            Board().legal_moves[-2177]
        self.assertNotIn(Move("a1-a2/a3"), Board().legal_moves)
        moves = Board(size=4).legal_moves
        for other in ["d1-d7/g7", "x", 5, None, Side.BLACK]:
            self.assertNotIn(other, moves)
            self.assertEqual(moves.count(other), 0)
            with self.assertRaises(ValueError):
                moves.index(other)
        self.assertIn("B1B2 B1", moves)
        listed = list(moves)
        for bounds in [(), (3,), (-88,), (-1000, 1 << 99), (0, -1), (5, 6), (6,), (0, 5), (0, -83), (1 << 99,)]:
            expected = listed[5] in listed[slice(*([*bounds, None][:2] if bounds else [None]))]
            if expected:
                self.assertEqual(moves.index(listed[5], *bounds), 5)
            else:
                with self.assertRaises(ValueError):
                    moves.index(listed[5], *bounds)
        for index in [88, -89, 1 << 70, -1 << 200]:
            with self.assertRaises(IndexError):
                moves[index]
        self.assertEqual(list(pickle.loads(pickle.dumps(moves))), listed)
        self.assertEqual(list(reversed(moves)), listed[::-1])

    def test_moves_lead_back_and_forth(self):
        board = Board()
        seen = {board.copy(): 0}
        for text in ["d1-d7/g7", "a7d4,d4a7", "G1E3E10"]:
            before = board.copy()
            move = board.push(text)
            self.assertNotIn(board, seen)
            seen[board.copy()] = len(board.move_stack)
            self.assertEqual(before, Board(before.fen()))
            self.assertEqual(copy.deepcopy(board), board)
            again = pickle.loads(pickle.dumps(board))
            self.assertEqual((again, again.move_stack), (board, board.move_stack))
            self.assertEqual(pickle.loads(pickle.dumps(move)), move)
        self.assertEqual(seen[board], 3)
        for _ in range(3):
            board.pop()
        self.assertEqual(board, Board())
        with self.assertRaises(IndexError):
            board.pop()
        self.assertIs(pickle.loads(pickle.dumps(Side.WHITE)) == Side.WHITE, True)

    def test_an_error_leaves_the_board_as_it_was(self):
        board = Board()
        for text, error in [
            ("nonsense", otrera.MalformedTextError),
            ("d1-d7/d10", otrera.IllegalMoveError),
            ("a1-a2/a3", otrera.IllegalMoveError),
        ]:
            with self.assertRaises(error):
                board.push(text)
        with self.assertRaises(otrera.IllegalMoveError):
            board.push(Move("a1-a2/a3"))
        self.assertEqual((board, board.move_stack), (Board(), []))
        for wrong in ["", "x", "Q3/4/4/3q z", "Q3/4/4/3q w - - 0 0"]:
            with self.assertRaises(otrera.MalformedTextError):
                Board(wrong)
        for size in [0, 3, 11, -1, 1 << 70]:
            with self.assertRaisesRegex(ValueError, f"a board has 4 to 10 rows, not {size}"):
                Board(size=size)
        with self.assertRaisesRegex(ValueError, "size=8: the FEN has a board of 4x4"):
            Board("q2q/4/4/Q2Q w", size=8)
        for wrong in [lambda: board.push(5), lambda: Board(moves=[None]), lambda: Board(moves="d1-d7/g7")]:
            with self.assertRaisesRegex(TypeError, "a move is a Move or text, not|moves is a list of moves"):
                wrong()
        self.assertEqual(Board(moves=(text for text in ["d1-d7/g7"])).ply, 1)

    def test_notations_are_read_back(self):
        for size in [4, 8, 10]:
            for move in Board(size=size).legal_moves[:: 7 if size > 4 else 1]:
                self.assertEqual(Move(str(move)), move)
                self.assertEqual(Move(move.uci()), move)
                self.assertEqual(Move(move.ccgc()), move)
                self.assertEqual(Move(move.letters(size), size=size), move)
                self.assertEqual(Move(move.letters(size).lower(), size), move)
                self.assertEqual(Move(move.botzone(), size), move)
                self.assertEqual(Move.from_indices(move.indices(size), size), move)
        for wrong in [
            lambda: Move("j10a1a1").letters(8),
            lambda: Move.from_indices((0, 64, 1), 8),
            lambda: Move("j10a1a1").indices(4),
            lambda: Move("a1a2a3").indices(-1),
            lambda: Move("a1a2a3", size=1 << 99),
            lambda: Move.from_indices((0, -1, 1), 8),
        ]:
            with self.assertRaises(ValueError):
                wrong()

    def test_choices_are_the_legal_moves(self):
        board = Board(size=5)
        for _ in range(6):
            moves = set()
            for amazon in board.choices():
                for landing in board.choices([amazon]):
                    for arrow in board.choices([amazon, landing]):
                        moves.add(Move.from_indices((amazon, landing, arrow), 5))
            self.assertEqual(moves, set(board.legal_moves))
            board.push(board.legal_moves[len(moves) // 2])
        for wrong in [[99], [-1], [1 << 70], [0, 0], [board.choices()[0], 99], [*board.legal_moves[0].indices(5)]]:
            with self.assertRaises(ValueError):
                board.choices(wrong)

    def test_notebooks_show_the_board(self):
        board = Board(moves=["d1-d7/g7"])
        svg = board._repr_svg_()
        self.assertTrue(svg.startswith("<svg") and 'class="newest"' in svg)
        self.assertNotIn('class="newest"', Board()._repr_svg_())


class Records(unittest.TestCase):
    def game(self):
        game = Game(Board(moves=["d1-d7/g7", "a7-d4/a7"]), "甲", "Bob", event="Cup")
        game.winner = Side.BLACK
        return game

    def test_every_form_is_read_back(self):
        game = self.game()
        game.set_comment(1, "a comment")
        with tempfile.TemporaryDirectory() as folder:
            for text, encoding in [(game.to_sgf(), "utf-8"), (game.to_json(), "utf-8"), (game.to_ccgc(), "gb18030")]:
                path = pathlib.Path(folder) / "game"
                path.write_bytes(text.encode(encoding))
                [read] = otrera.read_games(path, strict=True)
                self.assertEqual((read.moves, read.winner, read.black), (game.moves, Side.BLACK, "甲"))
                self.assertEqual(otrera.read_games(str(path)), [read])
                self.assertEqual(read.comments, {} if encoding == "gb18030" else {1: "a comment"})
        self.assertEqual(read.board(1), Board(moves=["d1-d7/g7"]))
        for ply in [3, -1, 1 << 70]:
            with self.assertRaises(IndexError):
                game.board(ply)
            with self.assertRaises(IndexError):
                game.set_comment(ply, "")
        for again in [copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]:
            self.assertEqual(again, game)
            again.black = "other"
            self.assertNotEqual(again, game)
        game.set_comment(1, "")
        self.assertEqual(game, self.game())

    def test_errors_are_those_of_the_program(self):
        with self.assertRaises(FileNotFoundError) as caught:
            otrera.read_games("missing.sgf")
        self.assertEqual(caught.exception.filename, "missing.sgf")
        with self.assertRaisesRegex(otrera.MalformedTextError, "contains no game"):
            otrera.parse_games("")
        damaged = self.game().to_json() + "{\n"
        with self.assertWarnsRegex(otrera.RecordWarning, "line 2: "):
            self.assertEqual(len(otrera.parse_games(damaged)), 1)
        with self.assertRaisesRegex(otrera.MalformedTextError, "line 2: "):
            otrera.parse_games(damaged.encode(), strict=True)
        with self.assertRaisesRegex(ValueError, "set-up position"):
            Game(Board("q2q/4/4/Q2Q w")).to_ccgc()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(otrera.RecordWarning):
                otrera.parse_games(damaged)


class Searches(unittest.TestCase):
    def test_equal_seeds_give_equal_searches(self):
        reports = [Engine(seed=5).analyse(Board(), Limit(iterations=1500), lines=4) for _ in range(2)]
        lines = [[(line.move, line.visits, line.win_rate, line.lead) for line in report.lines] for report in reports]
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(len(lines[0]), 4)
        report = reports[0]
        self.assertEqual((report.iterations, report.pv[0], report.lines[0].pv[0]), (1500, report.move, report.move))
        self.assertTrue(0 < report.win_rate < 1 and report.lead is not None and report.depth > 1 and report.seconds > 0)

    def test_the_tree_is_kept_in_a_game(self):
        engine, board = Engine(), Board(size=8)
        report = engine.play(board, Limit(iterations=2000))
        self.assertEqual(len(report.lines), 1)
        for move in report.pv[:2]:
            board.push(move)
        self.assertGreater(engine.play(board, Limit(iterations=100)).visits, 110)
        engine.clear()
        self.assertLessEqual(engine.play(board, Limit(iterations=100)).visits, 101)
        # A board of another game begins a new tree.
        self.assertLessEqual(engine.play(Board(), Limit(iterations=100)).visits, 101)

    def test_an_outcome_is_proven(self):
        report = Engine().analyse(Board("Q1**/****/4/3q w"), Limit(iterations=10_000))
        self.assertEqual(report.proven, Side.WHITE)
        self.assertEqual(report.win_rate, 0)
        forced = Board("Q1**/****/4/3q w")
        self.assertEqual(len(forced.legal_moves), 1)
        self.assertEqual(Engine().play(forced, Limit(time=60)).move, forced.legal_moves[0])
        with self.assertRaisesRegex(ValueError, "the game is over: White has won"):
            Engine().play(Board("Q*2/**2/4/3q w"), Limit(time=1))

    def test_an_analysis_is_iterated_and_stopped(self):
        engine = Engine()
        with engine.analysis(Board(), lines=2) as analysis:
            with self.assertRaises(otrera.EngineBusyError):
                engine.play(Board(), Limit(iterations=1))
            with self.assertRaises(otrera.EngineBusyError):
                engine.clear()
            first = next(analysis)
            self.assertTrue(analysis.running)
            self.assertEqual(len(first.lines), 2)
            analysis.stop()
            rest = list(analysis)
        self.assertGreaterEqual(rest[-1].visits, first.visits)
        self.assertEqual(rest[-1].visits, analysis.wait().visits)
        self.assertFalse(analysis.running)
        engine.play(Board(), Limit(iterations=1))

    def test_two_engines_run_in_two_threads(self):
        # Each waits for the other one to search: without releasing the GIL, neither would end.
        engines = [Engine(), Engine()]
        analyses = []

        def search(engine):
            analysis = engine.analysis(Board())
            analyses.append(analysis)
            analysis.wait()

        threads = [threading.Thread(target=search, args=[engine]) for engine in engines]
        for thread in threads:
            thread.start()
        while len(analyses) < 2:
            time.sleep(0.01)
        self.assertTrue(all(analysis.running for analysis in analyses))
        for analysis in analyses:
            analysis.stop()
        for thread in threads:
            thread.join(timeout=60)
            self.assertFalse(thread.is_alive())

    def test_a_stopped_search_does_not_keep_the_engine(self):
        engine, limit = Engine(), Limit(iterations=1)
        for _ in range(5):
            engine.analysis(Board()).stop()
            engine.play(Board(), limit)
            next(engine.analysis(Board(size=4), Limit(iterations=50)))
            engine.play(Board(), limit)
            engine.analysis(Board())  # dropped
            engine.clear()
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        analysis = engine.analysis(Board())
        with self.assertRaises(KeyboardInterrupt):
            list(analysis)
        engine.play(Board(), limit)

    def test_the_interpreter_ends_during_a_search(self):
        """Before Python 3.14, native code that takes the GIL while the interpreter ends is killed."""
        for work in [
            "Engine().play(Board(), Limit(time=5))",
            "list(Engine().analysis(Board()))",
            "Engine().answer('{\"do\": \"think\", \"seconds\": 5}')",
            "[evaluate([Board()] * 400) for _ in range(1000)]",
        ]:
            start = f"threading.Thread(target=lambda: {work}, daemon=True).start()"
            code = f"import threading, time; from otrera import *; {start}; time.sleep(0.2)"
            for _ in range(3):
                run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
                self.assertEqual((run.returncode, run.stderr), (0, ""), work)

    def test_ctrl_c_ends_a_search(self):
        engine = Engine()
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            engine.analyse(Board(), Limit())
        engine.play(Board(), Limit(iterations=1))

    def test_requests_and_reports_have_one_form(self):
        engine = Engine()
        report = json.loads(engine.analyse(Board(size=6), Limit(iterations=300), lines=2).to_json())
        engine.clear()
        answer = json.loads(engine.answer('{"do": "think", "edge": 6, "iterations": 300, "lines": 2}'))
        for one in [report, answer]:
            del one["seconds"]
        self.assertEqual(answer, report)
        self.assertIn("problem", json.loads(engine.answer("nonsense")))
        with engine.analysis(Board()), self.assertRaises(otrera.EngineBusyError):
            engine.answer('{"do": "version"}')
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            engine.answer('{"do": "think", "seconds": 600}')
        self.assertEqual(json.loads(engine.answer('{"do": "version"}')), {"version": otrera.__version__})

    def test_python_39_can_read_the_package(self):
        for path in pathlib.Path(otrera.__file__).parent.glob("*.py*"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))

    def test_options_out_of_range_are_refused(self):
        for wrong in [
            lambda: Engine(threads=0),
            lambda: Engine(memory=0),
            lambda: Engine(memory=1 << 20),
            lambda: Engine(preset="tournament,model=missing.json"),
            lambda: Limit(time=-1),
            lambda: Limit(time=math.nan),
            lambda: Limit(iterations=0),
            lambda: Limit(time=1e300),
            lambda: Limit(iterations=-1),
            lambda: Limit(iterations=1 << 64),
            lambda: Engine(threads=-1),
            lambda: Engine(memory=-1),
            lambda: Engine(seed=-1),
            lambda: Engine(seed=1 << 64),
            lambda: Engine().analyse(Board(), Limit(iterations=1), lines=-1),
        ]:
            with self.assertRaises(ValueError) as caught:
                wrong()
            self.assertLess(len(str(caught.exception)), 120)
        self.assertEqual(pickle.loads(pickle.dumps(Limit(0.5, 3))), Limit(0.5, 3))
        engine = Engine(threads=2, memory=7, seed=(1 << 64) - 1)
        self.assertEqual((engine.threads, engine.memory), (2, 7))


class Evaluations(unittest.TestCase):
    def boards(self):
        board, boards = Board(size=8), []
        for step in range(12):
            boards.append(board.copy())
            board.push(board.legal_moves[step * 37 % len(board.legal_moves)])
        return boards

    def test_arrays_are_those_of_single_positions(self):
        boards = self.boards()
        together = otrera.evaluate(boards)
        self.assertEqual(together.values.dtype, np.float32)
        for place, board in enumerate(boards):
            alone = otrera.evaluate([board])
            part = slice(together.offsets[place], together.offsets[place + 1])
            for one, other in [
                (alone.values[0], together.values[place]),
                (alone.win_rates[0], 1 / (1 + np.exp(-together.values[place]))),
                (alone.leads[0], together.leads[place]),
                (alone.distances[0], together.distances[place]),
                (alone.policy, together.policy[part]),
                (alone.movements, together.movements[part]),
            ]:
                np.testing.assert_allclose(one, other, rtol=1e-5)
            pairs = {move.indices(8)[:2] for move in board.legal_moves}
            self.assertEqual({tuple(pair) for pair in together.movements[part].tolist()}, pairs)
            self.assertAlmostEqual(float(together.policy[part].sum()), 1, places=4)

    def test_distances_are_those_of_a_slow_search(self):
        for board in self.boards():
            distances = otrera.evaluate([board], policy=False).distances[0]
            for side in range(2):
                for kind, reach in enumerate([8, 1]):
                    expected = slow_distances(board.grid(), side + 1, reach)
                    np.testing.assert_array_equal(distances[side, kind], expected)

    def test_parts_can_be_left_out(self):
        lean = otrera.evaluate(iter(self.boards()), policy=False, distances=False, leads=False)
        self.assertEqual((lean.policy, lean.movements, lean.offsets, lean.distances, lean.leads), (None,) * 5)
        self.assertEqual((lean.arrow_policy, lean.arrows, lean.arrow_offsets), (None,) * 3)
        with self.assertRaisesRegex(ValueError, "needs policy=True"):
            otrera.evaluate([Board()], policy=False, arrows=True)
        self.assertEqual(lean.values.shape, (12,))
        empty = otrera.evaluate([])
        self.assertEqual((empty.values.shape, empty.offsets.tolist(), empty.movements.shape), ((0,), [0], (0, 2)))
        self.assertTrue(np.isnan(otrera.evaluate([Board()], preset="paper").leads).all())
        with self.assertRaisesRegex(ValueError, "one size at a time"):
            otrera.evaluate([Board(), Board(size=8)])
        with self.assertRaisesRegex(ValueError, "expected one of tournament"):
            otrera.evaluate([Board()], preset="x")
        with self.assertRaises(TypeError):
            otrera.evaluate(["x"])

    def test_ctrl_c_ends_an_evaluation(self):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        boards = [Board()] * 100_000
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            otrera.evaluate(boards, arrows=True)
        self.assertLess(time.monotonic() - started, 20)

    def test_arrays_of_many_positions_join(self):
        boards = self.boards()
        some = otrera.evaluate(boards, arrows=True)
        many = otrera.evaluate(boards * 30, arrows=True)  # more than are evaluated at a time
        for name in ["values", "win_rates", "leads", "policy", "movements", "arrow_policy", "arrows", "distances"]:
            one = getattr(some, name)
            np.testing.assert_array_equal(getattr(many, name), np.concatenate([one] * 30), name)
        for name in ["offsets", "arrow_offsets"]:
            lengths = np.tile(np.diff(getattr(some, name)), 30)
            np.testing.assert_array_equal(getattr(many, name), np.concatenate([[0], np.cumsum(lengths)]), name)

    def test_arrows_follow_each_movement(self):
        board = self.boards()[5]
        evaluation = otrera.evaluate([board], arrows=True)
        moves = set()
        for place, squares in enumerate(evaluation.movements):
            part = slice(*evaluation.arrow_offsets[place : place + 2])
            moves |= {Move.from_indices((*squares.tolist(), arrow), board.size) for arrow in evaluation.arrows[part].tolist()}
            self.assertAlmostEqual(float(evaluation.arrow_policy[part].sum()), 1, places=4)
        self.assertEqual(moves, set(board.legal_moves))


def slow_distances(grid, amazon, reach):
    """Breadth-first search over moves of up to `reach` squares."""
    size = len(grid)
    distances = np.full((size, size), 255)
    front, step = [tuple(square) for square in np.argwhere(grid == amazon)], 0
    while front:
        step += 1
        found = []
        for row, column in front:
            for down, right in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]:
                for length in range(1, reach + 1):
                    square = (row + down * length, column + right * length)
                    if not (0 <= min(square) and max(square) < size) or grid[square]:
                        break
                    if distances[square] == 255:
                        distances[square] = step
                        found.append(square)
        front = found
    return distances


if __name__ == "__main__":
    unittest.main()
