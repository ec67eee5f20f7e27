"""The PettingZoo environment, and its rules against OpenSpiel's and Fairy-Stockfish's."""

import copy
import os
import random
import unittest
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import otrera
import pyffish
import pyspiel
from pettingzoo.test import api_test, seed_test

GAMES = int(os.environ.get("OTRERA_GAMES", "1000"))
CHECK = unittest.TestCase()  # a running test cannot be sent to another process


class Environment(unittest.TestCase):
    def test_api(self):
        for size in [4, 10]:
            api_test(otrera.env(size=size), num_cycles=300)

    def test_seed(self):
        seed_test(lambda: otrera.env(size=6))

    def test_observations_show_the_board(self):
        env = otrera.env(size=4, render_mode="ansi")
        env.reset(options={"fen": "q2q/4/1*2/Q2Q b"})
        self.assertEqual(env.agent_selection, "white")
        env.step(12)
        env.step(4)
        planes = env.observe("white")["observation"]
        own = [tuple(square) for square in np.argwhere(planes[:, :, 0]).tolist()]
        self.assertEqual(own, [(1, 0), (3, 3)])
        self.assertEqual(np.argwhere(planes[:, :, 2]).tolist(), [[1, 1]])
        self.assertEqual(np.argwhere(planes[:, :, 3]).tolist(), [[1, 0]])
        self.assertTrue(planes[:, :, 4].all())
        np.testing.assert_array_equal(env.observe("black")["observation"][:, :, 1], planes[:, :, 0])
        self.assertFalse(env.observe("black")["action_mask"].any())
        self.assertIn("White to move", env.render())

    def test_illegal_actions_are_refused(self):
        env = otrera.env(size=4)
        env.reset()
        for action in [0, 16, -1, None, 1.5, 1.0, "1", 1 << 70]:
            with self.assertRaisesRegex(ValueError, "cannot be chosen here"):
                env.step(action)
        env.step(np.int64(1))
        self.assertEqual(env.chosen, [1])
        env.reset()
        for options in [{"fen": otrera.Board().fen()}, {"fen": "Q*2/**2/4/3q w"}]:
            with self.assertRaises(ValueError):
                env.reset(options=options)
        with self.assertRaises(ValueError):
            otrera.env(render_mode="human")
        for agent in ["red", None]:
            with self.assertRaisesRegex(ValueError, "expected 'black' or 'white'"):
                env.observe(agent)

    def test_a_game_begins_and_ends(self):
        env = otrera.env(size=4)
        for use in [
            lambda: env.observe("black"),
            lambda: env.step(1),
            env.last,
            lambda: env.agents,
            lambda: next(iter(env.agent_iter())),
        ]:
            with self.assertRaisesRegex(AttributeError, "call reset\\(\\) first"):
                use()
        self.assertFalse(hasattr(env, "agents"))
        env.reset()
        while env.agents:
            actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            env.step(int(actions[0]) if len(actions) else None)
        with self.assertRaisesRegex(ValueError, "the game is over: call reset"):
            env.step(1)
        again = copy.deepcopy(env)
        again.reset()
        self.assertEqual((env.agents, again.agents), ([], ["black", "white"]))


def as_in_openspiel(seed):
    """Compares the legal actions at each choice and the result. OpenSpiel counts rows from the top."""
    generator = random.Random(seed)
    flip = [(9 - index // 10) * 10 + index % 10 for index in range(100)]
    state, env = pyspiel.load_game("amazons").new_initial_state(), otrera.env()
    env.reset()
    while not state.is_terminal():
        CHECK.assertEqual(env.agent_selection, env.possible_agents[state.current_player()])
        actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        CHECK.assertEqual(sorted(flip[action] for action in state.legal_actions()), actions)
        action = generator.choice(actions)
        state.apply_action(flip[action])
        env.step(action)
    CHECK.assertEqual([env.rewards["black"], env.rewards["white"]], state.returns())
    CHECK.assertTrue(all(env.terminations.values()))
    return 1


def as_in_fairy_stockfish(seed):
    """Compares the legal moves, the position and the result."""
    generator, board = random.Random(seed), otrera.Board()
    while board.winner is None:
        moves = [move.uci() for move in board.legal_moves]
        theirs = pyffish.legal_moves("amazons", board.fen(), [])
        CHECK.assertEqual((len(theirs), set(theirs)), (len(moves), set(moves)))
        move = generator.choice(moves)
        after = pyffish.get_fen("amazons", board.fen(), [move])
        board.push(move)
        CHECK.assertEqual(after.split()[:2], board.fen().split()[:2])
    CHECK.assertEqual(pyffish.legal_moves("amazons", board.fen(), []), [])
    CHECK.assertLess(pyffish.game_result("amazons", board.fen(), []), 0)
    return 1


class OtherPrograms(unittest.TestCase):
    def test_random_games_as_in_openspiel(self):
        self.on_all_cores(as_in_openspiel)

    @unittest.skipUnless("amazons" in pyffish.variants(), "pyffish: its wheel does not know amazons")
    def test_random_games_as_in_fairy_stockfish(self):
        self.on_all_cores(as_in_fairy_stockfish)

    def on_all_cores(self, play):
        """Plays random games, each with its own seed."""
        with ProcessPoolExecutor() as pool:
            self.assertEqual(sum(pool.map(play, range(GAMES), chunksize=10)), GAMES)


if __name__ == "__main__":
    unittest.main()
