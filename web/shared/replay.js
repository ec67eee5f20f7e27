// Positions of a game by ply. Squares are texts like "d7".

import { SIDES } from "shared/elements.js";

/** Parses a FEN: `{ edge, side, amazons: [{ side, square }], arrows: [square] }`, where `side` is the side to move. */
export function startOf(fen) {
  const [placement, toMove] = fen.split(" ");
  const rows = placement.split("/");
  const start = { edge: rows.length, side: toMove === "b" ? "white" : "black", amazons: [], arrows: [] };
  rows.forEach((row, fromTop) => {
    let column = 0;
    for (const [text] of row.matchAll(/\d+|./g)) {
      const square = squareAt(column, rows.length - 1 - fromTop);
      if (text === "*") start.arrows.push(square);
      if (text === "Q") start.amazons.push({ side: "black", square });
      if (text === "q") start.amazons.push({ side: "white", square });
      column += Number.parseInt(text, 10) || 1;
    }
  });
  return start;
}

export function squareAt(column, row) {
  return String.fromCharCode(97 + column) + (row + 1);
}

/** Returns column and row of a square, both from 0. */
export function placeOf(square) {
  return [square.charCodeAt(0) - 97, Number.parseInt(square.slice(1), 10) - 1];
}

/** Splits the text of a move into its three squares. */
export function squaresOf(move) {
  const [from, to, arrow] = move.match(/[a-j]\d+/g);
  return { from, to, arrow };
}

/** Returns the board after this number of plies. Amazons and arrows keep their order, so that drawings can glide. */
export function boardAfter(game, plies) {
  const { edge, amazons, arrows } = startOf(game.start);
  let last = null;
  for (const { move } of game.moves.slice(0, plies)) {
    last = squaresOf(move);
    amazons.find((amazon) => amazon.square === last.from).square = last.to;
    arrows.push(last.arrow);
  }
  return { edge, amazons, arrows, last };
}

/** Returns the side that plays a ply, counted from 0. */
function moverOf(game, ply) {
  const first = SIDES.indexOf(startOf(game.start).side);
  return SIDES[(first + ply) % 2];
}

/** Returns Black's win rate as estimated by the player of this ply, counted from 0; null without an estimate. */
function blackRate(game, ply) {
  const rate = game.moves[ply].win_rate;
  if (rate == null) return null;
  return moverOf(game, ply) === "black" ? rate : 1 - rate;
}
