"""The PettingZoo environment, see `otrera.env`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv  # type: ignore[import-untyped]  # PettingZoo has no types

from . import Board, Move, Side

BLACK, WHITE = "black", "white"
PLANES = 5

# Attributes that `AmazonsEnv.reset` sets.
BEGUN = {"chosen", "agents", "rewards", "terminations", "truncations", "infos", "agent_selection"}


class AmazonsEnv(AECEnv):  # type: ignore[misc]
    """A game of the Amazons with actions that are squares.

    An observation is a dict. `observation` is int8, shape (size, size, 5), values 0 and 1: own amazons, the other
    side's amazons, arrows, the chosen amazon, and a plane of ones if an arrow is to be shot. The board is the same for both
    agents, row 0 is rank 1; after the landing is chosen, the amazon is shown there. `action_mask` is int8, shape
    (size * size,): 1 for each legal action; all zeros for an agent that is not to act.

    The rewards are 1 for the winner and -1 for the loser, after the last action. A player who cannot move loses. An
    illegal action raises ValueError. Before `reset` there is no game: AttributeError.
    """

    metadata = {"name": "amazons_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, size: int = 10, render_mode: Optional[str] = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode={render_mode!r}: expected None or 'ansi'")
        self.render_mode = render_mode
        self.board = Board(size=size)
        self.size = size
        self.possible_agents = [BLACK, WHITE]
        area = size * size
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size, size, PLANES), np.int8),
                    "action_mask": spaces.Box(0, 1, (area,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(area) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> None:
        """Begins a new game. The game has no chance, so the seed changes nothing. `options={"fen": ...}` sets the start.

        Raises ValueError for a FEN of another size, or one of a finished game.
        """
        fen = (options or {}).get("fen")
        board = Board(fen) if fen is not None else Board(size=self.size)
        if board.size != self.size:
            raise ValueError(f"a FEN of {board.size}x{board.size}: this environment has {self.size}x{self.size}")
        if board.winner is not None:
            raise ValueError(f"the game is over: {board.winner} has won")
        self.board = board
        self.chosen: list[int] = []
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._mover()

    if not TYPE_CHECKING:  # a type checker would find every attribute

        def __getattr__(self, name: str) -> Any:
            """Explains that a game must begin before its attributes exist."""
            begin = ": call reset() first" if name in BEGUN else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{begin}")

    def _mover(self) -> str:
        return BLACK if self.board.turn == Side.BLACK else WHITE

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """Returns the observation of an agent, see the class. Raises ValueError for another agent."""
        if agent not in self.possible_agents:
            raise ValueError(f"agent {agent!r}: expected 'black' or 'white'")
        grid = self.board.grid()
        planes = np.zeros((self.size, self.size, PLANES), np.int8)
        if self.chosen:
            origin = divmod(self.chosen[0], self.size)
            now = divmod(self.chosen[-1], self.size)
            grid[now], grid[origin] = grid[origin], grid[now]
            planes[now][3] = 1
        own = 1 + self.possible_agents.index(agent)
        for plane, value in enumerate((own, 3 - own, 3)):
            planes[:, :, plane] = grid == value
        planes[:, :, 4] = len(self.chosen) == 2
        mask = np.zeros(self.size * self.size, np.int8)
        if agent == self.agent_selection and not any(self.terminations.values()):
            mask[self.board.choices(self.chosen)] = 1
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Optional[int]) -> None:
        """Chooses a square: the amazon, then its landing, then the square of the arrow."""
        agent = self.agent_selection
        if not self.agents:
            raise ValueError("the game is over: call reset()")
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            square = operator.index(action)  # type: ignore[arg-type]  # None is refused too
        except TypeError:
            square = -1
        if square not in self.board.choices(self.chosen):
            raise ValueError(f"square {action!r} cannot be chosen here: see action_mask")
        self._cumulative_rewards[agent] = 0
        self.chosen.append(square)
        if len(self.chosen) == 3:
            self.board.push(Move.from_indices((self.chosen[0], self.chosen[1], self.chosen[2]), self.size))
            self.chosen = []
            self._finish()
            self.agent_selection = self._mover()
        self._accumulate_rewards()

    def _finish(self) -> None:
        """Ends the game if it has a winner."""
        winner = self.board.winner
        if winner is not None:
            won = BLACK if winner == Side.BLACK else WHITE
            self.rewards = {agent: 1 if agent == won else -1 for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> Optional[str]:
        """Returns the board as text in the render mode "ansi"."""
        return str(self.board) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""
