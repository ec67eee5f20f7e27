"""Checks of what self-play shows and says: `python3 scripts/test_selfplay.py`."""

import argparse
import contextlib
import io
import os
import time
import unittest
from unittest import mock

from amazons import Move, Position, Side
from engines import Clock, TimeControl, Turn
from games import Contender, Game, GameLog, Tally
from processes import LATE, Load, Violation


def game(plies: int, black: float, white: float) -> Game:
    seats = {side: Contender("--black", None, ()) for side in Side}
    played = Game(1, seats, Position.start(10), moves=[None] * plies, winner=Side.BLACK)
    played.seconds = {Side.BLACK: black, Side.WHITE: white}
    return played


class TimeUsed(unittest.TestCase):
    def test_long_games_are_told_apart(self):
        tally = Tally()
        tally.add_game(game(plies=20, black=4.0, white=6.0))
        late = game(plies=80, black=18.0, white=19.0)
        late.offences.append((Side.WHITE, Violation(LATE, "", "")))
        tally.add_game(late)
        long, every = tally.time_used(20.0).splitlines()
        self.assertIn("4 sides of 20 s used at least 20.0 %, median 60.0 %, at most 95.0 %", every)
        self.assertIn("together 58.8 %; lost on time: 1", every)
        self.assertIn("2 sides of 20 s used at least 90.0 %, median 92.5 %, at most 95.0 %", long)

    def test_no_long_game(self):
        tally = Tally()
        tally.add_game(game(plies=20, black=4.0, white=6.0))
        self.assertIn("games of 60 plies or more: none", tally.time_used(20.0))


class Boards(unittest.TestCase):
    def shown(self, terminal, lines=40, jobs=1, variables=()):
        """What a game of two moves prints, the board shown."""
        screen = io.StringIO()
        screen.isatty = lambda: terminal
        environment = {"TERM": "xterm", "LINES": str(lines), "COLUMNS": "80", **dict(variables)}
        options = argparse.Namespace(show="board", jobs=jobs)
        with mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(screen):
            playing = game(0, 0.0, 0.0)
            log = GameLog(playing, options)
            for text in ("d1-d7/g7", "a7-d4/a7"):
                playing.position = playing.position.play(Move.parse(text))
                playing.moves.append(Move.parse(text))
                log.show_turn(mock.Mock(move=Move.parse(text), wall=0.2))
            log.release()
        return screen.getvalue()

    def test_on_a_terminal_each_board_is_drawn_over_the_one_before(self):
        shown = self.shown(terminal=True)
        first, second, third = shown.split("\033[13F\033[J")
        self.assertEqual(second.count("\n"), 13)
        self.assertEqual(third.count("\n"), 13)
        self.assertIn("2. white a7-d4/a7", third)

    def test_elsewhere_all_boards_stay(self):
        plain = self.shown(terminal=False)
        self.assertNotIn("\033", plain)
        self.assertEqual(plain.count(" a b c d e f g h i j"), 3)
        self.assertNotIn("\033", self.shown(terminal=True, variables={"TERM": "dumb"}))
        for shown in (self.shown(terminal=True, lines=14), self.shown(terminal=True, jobs=2)):
            self.assertNotRegex(shown, r"\033\[\d+F")

    def test_no_colours_where_they_are_not_wanted(self):
        self.assertIn("\033[1;36mB", self.shown(terminal=True))
        self.assertNotRegex(self.shown(terminal=True, variables={"NO_COLOR": "1"}), r"\033\[\d.*m")


class Charge(unittest.TestCase):
    def test_what_is_charged_beside_the_wait_counts(self):
        clock = Clock(TimeControl(None, None, total=1.0, grace=0.0, extra=0.2))
        turn = Turn(None, "move DJDDGD", wall=0.3, cpu=None, peak_memory=None)
        clock.charge(turn)
        self.assertAlmostEqual(clock.used, 0.5)
        self.assertAlmostEqual(clock.allowance(), 0.5)
        clock.charge(turn)
        with self.assertRaisesRegex(Violation, "0.500 s where 0.000 s were left"):
            clock.charge(turn)


class BusyProcesses(unittest.TestCase):
    def test_they_end_with_the_block(self):
        load = Load(2)
        with load:
            pids = [process.pid for process in load._processes]
            self.assertEqual(len(pids), 2)
            for pid in pids:
                os.kill(pid, 0)
        for pid in pids:
            self.assertRaises(ProcessLookupError, os.kill, pid, 0)

    def test_they_do_not_outlive_their_parent(self):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            load = Load(1)
            load.__enter__()
            os.write(writer, str(load._processes[0].pid).encode())
            os._exit(0)
        os.waitpid(child, 0)
        pid = int(os.read(reader, 20))
        deadline = time.monotonic() + 10
        while running(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(running(pid))


def running(pid: int) -> bool:
    """Whether the process still does anything: nobody may have collected it yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    unittest.main()
