// The game shown, and everything that changes it: moves, the engine's turns, analysis.

import { byId, opponentOf } from "shared/elements.js";
import { squaresOf } from "shared/replay.js";
import { messageOf, t } from "page/core/text.js";
import { Stopped } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { sound } from "page/core/sound.js";
import { FULL_LEVEL } from "page/core/strength.js";
import { endOf } from "page/core/tree.js";
import { board } from "page/core/board.js";
import { enter, room } from "page/core/current.js";
import { canMove, canResign, isEngineToMove, isReplying, undoTarget } from "page/core/turn.js";
import { chosen, draw, drawSearch } from "page/core/show.js";

/**
 * Applies the last change: shows the position, then lets the engine move or analyse.
 * @param {string | null} [message]
 */
export async function settle(message = null) {
  const goesOn = interrupt();
  const node = state.tree.current;
  Object.assign(state, { hint: null, pointed: null, preview: null, message, found: node.found });
  byId("link").hidden = true;
  draw();
  await unlessStopped(goesOn, () => room().turn(node, goesOn));
}

/** Ends the page's current tasks. Returns a function that is true until the next interruption. */
export function interrupt() {
  state.change += 1;
  const { change } = state;
  if (state.uninterruptible) engine.restart();
  state.uninterruptible = false;
  return () => change === state.change;
}

/**
 * Runs a task that uses the engine. Shows the task's error, unless the task was interrupted.
 * @param {GoesOn} goesOn
 * @param {() => unknown} work
 */
export async function unlessStopped(goesOn, work) {
  try {
    await work();
  } catch (error) {
    if (goesOn() && !(error instanceof Stopped)) tell(messageOf(error));
  }
}

/**
 * Asks the engine to describe a node, once: side to move, legal moves, owners of squares, proof.
 * @param {GameNode} node
 * @param {{ tree: GameTree }} [given]
 */
export async function describe(node, { tree } = state) {
  node.described ??= await engine.ask({ do: "position", fen: tree.start, moves: tree.movesTo(node) });
  const { proof } = node.described;
  if (proof) tree.prove(node, proof);
  return /** @type {DescribedNode} */ (node);
}

/**
 * @param {DescribedNode} node
 * @param {GoesOn} goesOn
 */
export async function moveByEngine(node, goesOn) {
  const { level } = state.control;
  const found = level && level < FULL_LEVEL ? await thinkAt(level, node, goesOn) : await search(node, { seconds: 1, ...state.control }, goesOn);
  if (goesOn() && found?.best) play(found.best, { win_rate: found.win_rate, effort: found.visits });
}

/**
 * Searches for a move of a playing level. The result is not stored as an analysis of the position.
 * @param {number} level
 * @param {DescribedNode} node
 * @param {GoesOn} goesOn
 */
async function thinkAt(level, node, goesOn) {
  state.uninterruptible = true;
  const found = await engine.ask({ do: "think", fen: node.described.fen, level, seed: Math.floor(Math.random() * 2 ** 32) });
  if (goesOn()) state.uninterruptible = false;
  return found;
}

/** Maximum number of best moves that can be shown. */
const MAX_LINES = 10;
/** Search time between two checks for interruptions, in seconds. A slice takes longer if the engine recycles memory. */
const SLICE = 0.1;
/** Maximum search time, in seconds, for a position that is proven lost: each run restarts its tree. */
const LOST_SECONDS = 1;

/**
 * Searches a position for a result that is shown or waited for; a review pauses meanwhile.
 * @param {DescribedNode} node
 * @param {Limit} limit
 * @param {GoesOn} goesOn
 */
export async function search(node, limit, goesOn) {
  state.searches += 1;
  try {
    return await searchInSlices(node, limit, goesOn);
  } finally {
    state.searches -= 1;
  }
}

/**
 * Searches a position in slices, until a limit or an interruption. The page shows the result after each slice.
 * @param {DescribedNode} node
 * @param {Limit & { lostSeconds?: number }} given
 * @param {GoesOn} goesOn
 */
export async function searchInSlices(node, { seconds = 0, iterations, lostSeconds = LOST_SECONDS }, goesOn) {
  const { tree } = state;
  /** @param {Limit} limit */
  const think = async (limit) => {
    const { fen } = node.described;
    return noted(tree, node, await engine.ask({ do: "think", fen, lines: MAX_LINES, ...limit }), goesOn);
  };
  if (iterations) {
    state.uninterruptible = true;
    return think({ iterations, anew: true });
  }
  let found = null;
  for (let left = seconds; left > SLICE / 2 && goesOn(); left -= found.seconds) {
    found = await think({ seconds: Math.min(left, SLICE) });
    if (!found.proven && found.iterations > 0) continue;
    const isLost = found.proven && found.proven !== tree.moverOf(node.ply);
    return isLost && lostSeconds && goesOn() ? think({ seconds: Math.min(seconds, lostSeconds) }) : found;
  }
  return found;
}

/**
 * Stores a search result in its node, unless a longer search is known, and shows the result unless interrupted.
 * @param {GameTree} tree
 * @param {GameNode} node
 * @param {Found} found
 * @param {GoesOn} goesOn
 */
function noted(tree, node, found, goesOn) {
  if (found.proven) tree.prove(node, { winner: found.proven, margin: found.margin });
  const lead = found.lead === null || tree.moverOf(node.ply) === "black" ? found.lead : -found.lead;
  if (found.proven) node.lead = lead;
  else tree.learn(node, tree.blackRate(node.ply, found.win_rate), found.visits, lead);
  if (!node.found || found.proven || found.visits >= node.found.visits) node.found = found;
  if (goesOn()) state.uninterruptible = false;
  if (goesOn() && node === state.tree.current) {
    state.found = node.found;
    drawSearch();
  }
  return found;
}

/**
 * Search time so far of each node, in seconds.
 * @type {WeakMap<GameNode, number>}
 */
export const searched = new WeakMap();

/**
 * Searches a position until its total search time is `seconds`.
 * @param {GameNode} node
 * @param {GoesOn} goesOn
 * @param {number} seconds
 */
export async function look(node, goesOn, seconds) {
  const described = await describe(node);
  const done = searched.get(node) ?? 0;
  if (!goesOn() || described.described.winner || node.found?.proven || done >= seconds) return;
  const begun = performance.now();
  await search(described, { seconds: seconds - done }, goesOn);
  searched.set(node, done + (performance.now() - begun) / 1000);
}

/**
 * Plays a move in the position shown, which can begin a variation. `played` holds the player's estimate and effort.
 * @param {Move} move
 * @param {Partial<PlayedMove>} [played]
 */
export function play(move, played = {}) {
  if (!room().accepts(state.tree.current, { move })) return undefined;
  const side = state.tree.moverOf(state.tree.current.ply);
  const node = state.tree.play(move);
  state.unanswered = node;
  state.tree.id ??= Date.now();
  Object.assign(node.played, played);
  state.half = {};
  sound.knock();
  return settle(t("played", t(side), move));
}

/** @param {GameNode} node */
export function goTo(node) {
  Object.assign(state, { unanswered: null, half: {} });
  state.tree.show(node);
  settle();
}

/**
 * Steps by a number of plies along the line shown; `by` can be infinite.
 * @param {number} by
 */
export function step(by) {
  const line = state.tree.line();
  const index = line.indexOf(state.tree.current) + by;
  goTo(line[Math.min(Math.max(0, index), line.length - 1)]);
}

/** Takes back a resignation, or the moves up to the person's last turn. */
export function undo() {
  const node = undoTarget();
  if (!node) return;
  const { tree } = state;
  if (node === tree.current) node.winner = null;
  // At its end, a finished game goes on from the position before.
  else if (tree.begun !== null && !tree.current.next && tree.winner()) node.next = null;
  goTo(node);
}

/** Resigns for the person to move, at the end of a line. The game can still be continued. */
export function resign() {
  const node = state.tree.current;
  if (!canResign(node)) return;
  const side = state.tree.moverOf(node.ply);
  node.winner = opponentOf(side);
  state.half = {};
  settle(t("resigned", t(side)));
}

/**
 * Shows a message below the board.
 * @param {string | null} message
 */
export function tell(message) {
  state.message = message;
  draw();
}

/** Starts or stops the analysis of the position shown. Does not restart the engine's search for its move. */
export function toggleAnalysis() {
  state.analysing = !state.analysing;
  if (isReplying()) drawSearch();
  else settle();
}

/**
 * Shows another game in a room.
 * @param {string} mode
 * @param {GameTree} tree
 * @param {string | null} [message]
 */
export function setTree(mode, tree, message = null) {
  Object.assign(state, { tree, unanswered: null, half: {} });
  enter(mode);
  byId("games-label").hidden = true;
  settle(message);
}

/**
 * Returns the state of the game shown, for `returnTo`; in a room to return from, that of the game before.
 * @returns {GameShown}
 */
export function gameShown() {
  const { before } = room();
  if (before) return before;
  const { mode, tree, unanswered, half, players } = state;
  return { mode, tree, unanswered, half, players, isFlipped: board.flipped, hasGames: !byId("games-label").hidden };
}

/**
 * Restores a game and its room from their state, as returned by `gameShown`.
 * @param {GameShown | null} before
 */
export function returnTo(before) {
  if (!before) return;
  const { mode, isFlipped, hasGames, ...game } = before;
  Object.assign(state, game);
  board.flip(isFlipped);
  enter(mode);
  byId("games-label").hidden = !hasGames;
  settle();
}

/** Turns the board so that a person's side is at the bottom in a game against the engine. */
export function turnBoardToPerson() {
  board.flip(state.players.black === "engine" && state.players.white === "human");
}

/**
 * Shows another game for two persons, so that the engine does not answer moves.
 * @param {GameTree} tree
 * @param {string | null} [message]
 */
export function setTreeToLookAt(tree, message = null) {
  state.players = { black: "human", white: "human" };
  if (!tree.main) tree.keepMain();
  setTree("analyse", tree, message);
  proveLine(tree);
}

/**
 * Asks the engine which positions of the line the filling bounds prove, and shows these proofs.
 * @param {GameTree} tree
 */
async function proveLine(tree) {
  const line = tree.line();
  await unlessStopped(() => tree === state.tree, async () => {
    const { proofs } = await engine.ask({ do: "proofs", fen: tree.start, moves: tree.movesTo(endOf(line)) });
    for (const [ply, proof] of proofs.entries()) if (proof) tree.prove(line[ply], proof);
    if (tree === state.tree) draw();
  });
}

/** Returns the local date and time in the format of records: 2020.08.16 11:44. */
export function localTime() {
  return new Date().toLocaleString("sv").slice(0, 16).replaceAll("-", ".");
}

/**
 * Handles a chosen square: amazon, landing or arrow in turn. `dragged` is true where a drag begins.
 * @param {Square} square
 * @param {boolean} [dragged]
 */
export function choose(square, dragged = false) {
  const node = state.tree.current;
  if (!room().accepts(node, { square }) || !node.described || node.described.winner) return undefined;
  if (isEngineToMove(node)) return tell(t("notYourTurn"));
  const { from, to } = state.half;
  const { moves, side } = node.described;
  // A drag from the landing square shoots the arrow: the end of the drag is chosen later.
  if (to) return dragged && square === to ? undefined : shoot(moves, square);
  if (from && moves[from][square]) return setHalf({ from, to: square });
  if (moves[square]) return setHalf(square === from && !dragged ? {} : { from: square });
  return tell(from ? t("noLanding", from, square) : t("noAmazon", t(side)));
}

/**
 * @param {Description["moves"]} moves
 * @param {Square} square
 */
function shoot(moves, square) {
  const { from = "", to = "" } = state.half;
  if (moves[from][to].includes(square)) return play(`${from}-${to}/${square}`);
  if (square === to) return setHalf({ from });
  return tell(t("noArrow", to, square));
}

/**
 * True if the squares chosen so far are those of the hint's move.
 * @param {Half} half
 */
function agreesWithHint(half) {
  if (!state.hint) return false;
  const { from, to } = squaresOf(state.hint.move);
  return [undefined, from].includes(half.from) && [undefined, to].includes(half.to);
}

/** @param {Half} half */
export function setHalf(half) {
  state.half = half;
  state.message = null;
  if (!agreesWithHint(half)) state.hint = null;
  draw();
}

/**
 * Plays a typed move.
 * @param {string} text
 */
export async function playTyped(text) {
  const node = state.tree.current;
  if (isEngineToMove(node)) tell(t("notYourTurn"));
  if (!canMove(node) || text.trim() === "") return;
  try {
    const { played } = await engine.ask({ do: "position", fen: node.described.fen, moves: [text] });
    if (node !== state.tree.current) return;
    play(played[0]);
    byId("typed-move").value = "";
  } catch (error) {
    if (!(error instanceof Stopped)) tell(t("illegal", text, messageOf(error)));
  }
}

Object.assign(chosen, { square: choose, node: goTo });
