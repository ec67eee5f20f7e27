"""Otrera, an engine for the Game of the Amazons.

`Board` and `Move` hold the rules, `Engine` searches, `evaluate` evaluates many positions at once, `read_games` reads
game records, and `env` makes a PettingZoo environment.
"""

from __future__ import annotations

import collections.abc
from typing import TYPE_CHECKING, Optional

import numpy  # else the native module imports it in the first call that needs it, which may be in a daemon thread

from ._otrera import (
    Analysis,
    Board,
    Engine,
    EngineBusyError,
    Evaluation,
    Game,
    IllegalMoveError,
    LegalMoves,
    Limit,
    Line,
    MalformedTextError,
    Move,
    RecordWarning,
    Report,
    Side,
    __version__,
    evaluate,
    parse_games,
    read_games,
)

if TYPE_CHECKING:
    from ._env import AmazonsEnv

__all__ = [
    "Analysis",
    "Board",
    "Engine",
    "EngineBusyError",
    "Evaluation",
    "Game",
    "IllegalMoveError",
    "LegalMoves",
    "Limit",
    "Line",
    "MalformedTextError",
    "Move",
    "RecordWarning",
    "Report",
    "Side",
    "__version__",
    "env",
    "evaluate",
    "parse_games",
    "read_games",
]

collections.abc.Sequence.register(LegalMoves)


def env(size: int = 10, render_mode: Optional[str] = None) -> AmazonsEnv:
    """Makes a PettingZoo AEC environment of a game on a board of `size` x `size` squares.

    Needs PettingZoo: `pip install "otrera[env]"`. The agents are "black" and "white". An action is a square,
    `row * size + column`; a move is three actions of one agent: amazon, landing, arrow.

    >>> import otrera
    >>> env = otrera.env(size=8)
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.action_space("black")
    ('black', Discrete(64))
    >>> env.observe("black")["action_mask"].nonzero()[0].tolist()
    [2, 5, 16, 23]
    """
    try:
        from ._env import AmazonsEnv
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'{error}: pip install "otrera[env]"', name=error.name, path=error.path) from error
    return AmazonsEnv(size=size, render_mode=render_mode)
