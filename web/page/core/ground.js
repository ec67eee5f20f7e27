// Ground: squares of each side below the pieces, and the squares that a mistake loses.

import { opponentOf, SIDES, svg } from "shared/elements.js";
import { placeOf, squareAt, squaresOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { territory } from "page/core/lead.js";
import { board } from "page/core/board.js";

const SIDE_INDEX = { black: 0, white: 1 };
/** @type {Record<string, string>} */
const OWNER_CLASS = { b: "black alone", w: "white alone", "+": "black", "-": "white", "=": "both" };
/** Minimum number of squares that a reason names. */
const NAMED_SQUARES = 3;

/**
 * Returns the drawing of a square's owner: Black's stripes, White's ring on a pale square, or a frame of red stripes.
 * @param {Square} square
 * @param {string} name
 */
function mark(square, name) {
  const [x, y] = board.centre(square);
  const group = svg("g", { class: `owner ${name}` }, board.cell(square, "ground"));
  if (/black|lost/.test(name)) {
    const lean = name.includes("lost") ? -1 : 1;
    /**
     * @param {number[]} from
     * @param {number[]} to
     */
    const stripe = (from, to) => `M${x + lean * from[0]} ${y + from[1]}L${x + lean * to[0]} ${y + to[1]}`;
    const d = stripe([-5, 0], [0, -5]) + stripe([-5, 5], [5, -5]) + stripe([0, 5], [5, 0]);
    group.append(svg("path", { class: "stripes", d }));
  }
  if (name.includes("white")) group.append(svg("circle", { class: "ring", cx: x, cy: y, r: 1.3 }));
  if (name === "both") group.append(svg("circle", { class: "spot", cx: x, cy: y, r: 0.9 }));
  if (name === "dead") group.append(svg("path", { class: "cross", d: `M${x - 1.6} ${y - 1.6}l3.2 3.2m0-3.2l-3.2 3.2` }));
  return group;
}

/**
 * Returns the number of moves left in a region on a shield in its owner's colours, on the square next to its middle.
 * @param {Region} given
 */
function movesLeft({ side, squares, moves }) {
  const places = squares.map(placeOf);
  const middle = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
  const distances = places.map(([column, row]) => Math.hypot(column - middle[0], row - middle[1]));
  const [x, y] = board.centre(squares[distances.indexOf(Math.min(...distances))]);
  const box = svg("rect", { x: x - 3.4, y: y - 2.6, width: 6.8, height: 5.2, rx: 1.2 });
  return svg("g", { class: `moves-left ${side}` }, box, svg("text", { x, y: y + 1.5 }, moves));
}

/**
 * Returns the SVG elements of the squares' owners in a position: `what` is territory, owners, moves or off. Squares that
 * a mistake loses, `lost`, are red.
 * @param {GameNode} node
 * @param {SquaresShown} what
 * @param {Square[]} lost
 */
export function groundMarks({ described }, what, lost) {
  const marks = [...ownerMarks(described, what, lost), ...lost.map((square) => mark(square, "lost"))];
  return what === "territory" && described ? [...marks, ...described.enclosed.map(movesLeft)] : marks;
}

/**
 * @param {Description | null} described
 * @param {SquaresShown} what
 * @param {Square[]} lost
 */
function ownerMarks(described, what, lost) {
  if (what === "off" || !described) return [];
  const { owners, edge, distances } = described;
  return [...owners].flatMap((letter, index) => {
    const square = squareAt(index % edge, Math.floor(index / edge));
    if (lost.includes(square)) return [];
    if (letter === ".") return [mark(square, "dead")];
    const isShown = what === "territory" ? "bw".includes(letter) : letter in OWNER_CLASS;
    if (letter === " " || !isShown) return [];
    return [mark(square, OWNER_CLASS[letter]), ...(what === "moves" ? [distanceText(square, distances[square])] : [])];
  });
}

/**
 * Returns the text that explains the marks; empty if there are none.
 * @param {GameNode} node
 * @param {SquaresShown} what
 */
export function groundLegend({ described }, what) {
  if (what === "off" || !described) return "";
  if (what !== "territory") return t("squaresLegend");
  const { enclosed, owners } = described;
  if (enclosed.length === 0 && !owners.includes(".")) return "";
  const [black, white] = SIDES.map((side) => enclosed.reduce((sum, region) => sum + (region.side === side ? region.moves : 0), 0));
  return t("territoryLegend", black, white);
}

/**
 * Returns an SVG text on a square: the numbers of moves that Black and White need to reach the square.
 * @param {Square} square
 * @param {(number | null)[]} moves
 */
function distanceText(square, moves) {
  const [x, y] = board.centre(square);
  return svg("text", { class: "distance", x, y: y + 1 }, moves.map((count) => count ?? "–").join(" "));
}

/**
 * Returns the squares that a side reaches before a move and not after it, without those that the move takes.
 * @param {Description} before
 * @param {Description} after
 * @param {Side} side
 * @param {Move} move
 */
function shutOut(before, after, side, move) {
  const taken = Object.values(squaresOf(move));
  /**
   * @param {Description} given
   * @param {Square} square
   */
  const reaches = ({ distances }, square) => (distances[square]?.[SIDE_INDEX[side]] ?? null) !== null;
  return Object.keys(before.distances).filter((square) => reaches(before, square) && !reaches(after, square) && !taken.includes(square));
}

/**
 * Finds out why a described node's move is bad, once: stores a reason or null as its `reason`.
 * @param {GameNode} node
 */
export async function explain(node) {
  const { parent, move, found } = node;
  if (node.reason !== undefined || !parent?.described || !node.described) return;
  const side = state.tree.moverOf(parent.ply);
  const own = shutOut(parent.described, node.described, side, move);
  if (own.length >= NAMED_SQUARES) {
    node.reason = { text: () => t("reasonOwn", squaresOf(move).arrow, own.length), lost: own };
    return;
  }
  const reply = found?.best;
  if (!reply) return;
  const answered = await engine.ask({ do: "position", fen: node.described.fen, moves: [reply] });
  node.reason = reasonOfReply([parent.described, node.described, answered], side, reply);
}

/**
 * Returns the reason in a reply to a side's move, or null.
 * @param {[Description, Description, Description]} positions before the move, after it, after the reply
 * @param {Side} side
 * @param {Move} reply
 * @returns {Reason | null}
 */
function reasonOfReply([first, described, answered], side, reply) {
  const rival = opponentOf(side);
  const lost = shutOut(described, answered, side, reply);
  if (lost.length >= NAMED_SQUARES) return { text: () => t("reasonReply", t(rival), reply, lost.length), lost };
  const [before, after] = [first, answered].map(territory);
  const [own, theirs] = [SIDE_INDEX[side], SIDE_INDEX[rival]];
  const [won, left] = [after[theirs] - before[theirs], before[own] - after[own]];
  if (won >= NAMED_SQUARES) return { text: () => t("reasonGround", t(rival), reply, before[theirs], after[theirs]), lost: [] };
  if (left >= NAMED_SQUARES) return { text: () => t("reasonYours", reply, before[own], after[own]), lost: [] };
  return null;
}

/**
 * Returns the sentence that says why a node's move is bad; empty if none is known.
 * @param {GameNode} node
 */
export function reasonText({ reason }) {
  return reason ? reason.text() : "";
}
