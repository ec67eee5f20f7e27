// Positions of a game by ply. Squares are texts like "d7".

/**
 * Parses a FEN: `{ edge, side, amazons: [{ side, square }], arrows: [square] }`, where `side` is the side to move.
 * @param {Fen} fen
 */
export function startOf(fen) {
  const [placement, toMove] = fen.split(" ");
  const rows = placement.split("/");
  /** @type {{ edge: number, side: Side, amazons: BoardPosition["amazons"], arrows: Square[] }} */
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

/**
 * @param {number} column
 * @param {number} row
 */
export function squareAt(column, row) {
  return String.fromCharCode(97 + column) + (row + 1);
}

/**
 * Returns column and row of a square, both from 0.
 * @param {Square} square
 * @returns {[number, number]}
 */
export function placeOf(square) {
  return [square.charCodeAt(0) - 97, Number.parseInt(square.slice(1), 10) - 1];
}

/**
 * Splits the text of a move into its three squares.
 * @param {Move} move
 */
export function squaresOf(move) {
  const [from, to, arrow] = /** @type {string[]} */ (move.match(/[a-j]\d+/g));
  return { from, to, arrow };
}

/**
 * Returns the board after this number of plies. Amazons and arrows keep their order, so that drawings can glide.
 * @param {{ start: Fen, moves: { move: Move }[] }} game
 * @param {number} plies
 * @returns {BoardPosition}
 */
export function boardAfter(game, plies) {
  const { edge, amazons, arrows } = startOf(game.start);
  /** @type {Course | null} */
  let last = null;
  for (const { move } of game.moves.slice(0, plies)) {
    const { from, to, arrow } = squaresOf(move);
    last = { from, to, arrow };
    for (const amazon of amazons) if (amazon.square === from) amazon.square = to;
    arrows.push(arrow);
  }
  return { edge, amazons, arrows, last };
}
