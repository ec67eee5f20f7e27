"""A program with types, checked by mypy --strict: each value has the type that a reader expects."""

from typing import Optional

import numpy as np
import numpy.typing as npt
import otrera


def first_move(board: otrera.Board) -> otrera.Move:
    moves = board.legal_moves
    part: list[otrera.Move] = moves[1:3]
    return part[0] if part else moves[0]


def play(engine: otrera.Engine, board: otrera.Board) -> Optional[otrera.Side]:
    while board.winner is None:
        board.push(engine.play(board, otrera.Limit(time=0.1, iterations=100)).move)
    return board.winner


def leads(engine: otrera.Engine, board: otrera.Board) -> list[Optional[float]]:
    with engine.analysis(board) as analysis:
        return [report.lead for report in analysis]


def values(games: list[otrera.Game]) -> npt.NDArray[np.float32]:
    return otrera.evaluate(game.board() for game in games).values


def agents() -> list[str]:
    return list(otrera.env(size=8).possible_agents)
