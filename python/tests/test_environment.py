"""The PettingZoo environment, and its rules against OpenSpiel's and Fairy-Stockfish's."""

import copy
import os
import random
import unittest

import numpy as np
import otrera
import pyffish
import pyspiel
from pettingzoo.test import api_test, seed_test

GAMES = int(os.environ.get("OTRERA_GAMES", "1000"))


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


class OtherPrograms(unittest.TestCase):
    def test_random_games_as_in_openspiel(self):
        """Compares the legal actions at each choice and the result. OpenSpiel counts rows from the top."""
        generator, game = random.Random(7), pyspiel.load_game("amazons")
        flip = [(9 - index // 10) * 10 + index % 10 for index in range(100)]
        env = otrera.env()
        for _ in range(GAMES):
            state = game.new_initial_state()
            env.reset()
            while not state.is_terminal():
                self.assertEqual(env.agent_selection, env.possible_agents[state.current_player()])
                actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
                self.assertEqual(sorted(flip[action] for action in state.legal_actions()), actions)
                action = generator.choice(actions)
                state.apply_action(flip[action])
                env.step(action)
            self.assertEqual([env.rewards["black"], env.rewards["white"]], state.returns())
            self.assertTrue(all(env.terminations.values()))

    @unittest.skipUnless("amazons" in pyffish.variants(), "pyffish: its wheel does not know amazons")
    def test_random_games_as_in_fairy_stockfish(self):
        """Compares the legal moves, the position and the result."""
        generator = random.Random(8)
        for _ in range(GAMES):
            board = otrera.Board()
            while board.winner is None:
                moves = [move.uci() for move in board.legal_moves]
                theirs = pyffish.legal_moves("amazons", board.fen(), [])
                self.assertEqual((len(theirs), set(theirs)), (len(moves), set(moves)))
                move = generator.choice(moves)
                after = pyffish.get_fen("amazons", board.fen(), [move])
                board.push(move)
                self.assertEqual(after.split()[:2], board.fen().split()[:2])
            self.assertEqual(pyffish.legal_moves("amazons", board.fen(), []), [])
            self.assertLess(pyffish.game_result("amazons", board.fen(), []), 0)


if __name__ == "__main__":
    unittest.main()
