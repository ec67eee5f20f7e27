// The game shown, and everything that changes it: moves, the engine's turns, analysis.

import { byId } from "shared/elements.js";
import { t } from "page/core/text.js";
import { Engine, ServedEngine, server, Stopped } from "page/core/engine.js";
import { GameTree } from "page/core/tree.js";
import { sound } from "page/core/sound.js";
import { board, draw, drawSearch } from "page/core/show.js";
import { proveLine } from "page/core/records.js";
import { agreesWithHint, areRatesHidden, coach } from "page/rooms/coach.js";
import { beginGame } from "page/rooms/ending.js";
import { setUp } from "page/rooms/setup.js";
import { lesson } from "page/rooms/lesson.js";
import { puzzles } from "page/rooms/puzzles.js";
import { match } from "page/rooms/match.js";
import { recent } from "page/recent.js";

export const engine = server ? new ServedEngine() : new Engine();

export const state = {
  tree: null,
  players: { black: "human", white: "engine" },
  /** The engine's strength: `{ level }`, `{ seconds }` or `{ iterations }` for a move. */
  control: { level: 4 },
  /** The chosen part of a move: `{}`, `{ from }` or `{ from, to }`. */
  half: {},
  /** The node of the move just played, which the engine answers even if the tree already contains a reply. */
  unanswered: null,
  /** Number of interruptions so far; a task ends when the number changes. */
  change: 0,
  analysing: false,
  /** True while a search runs that only a restart of the engine can stop. */
  uninterruptible: false,
  /** Search result for the position shown, or null. */
  found: null,
  /** The hint: its move and the step up to which the move is shown, `{ move, step }`; step 3 shows the whole move. */
  hint: null,
  /** Index of the best move under the pointer or with focus, or null. */
  pointed: null,
  /** Node of a faulty move whose better line has pointer or focus, or null. The board shows the position before it. */
  preview: null,
  /** Number of searches in progress that a review waits for. */
  searches: 0,
  message: null,
};

/** Applies the last change: shows the position, then lets the engine move or analyse. */
export async function settle(message = null) {
  const goesOn = interrupt();
  const node = state.tree.current;
  Object.assign(state, { hint: null, pointed: null, preview: null, message, found: node.found });
  byId("link").hidden = true;
  draw();
  await unlessStopped(goesOn, async () => {
    // A position that is being set up can be invalid.
    if (setUp.active) return;
    await describe(node);
    if (!goesOn()) return;
    recent.keep();
    draw();
    if (match.active) return match.turn(node, goesOn);
    if (puzzles.isTry(node)) return puzzles.judge(node, goesOn);
    if (node.described.winner) return;
    if (areRatesHidden()) state.analysing = false;
    if (isEngineToMove(node) && !(await coach.holds(node, goesOn))) await moveByEngine(node, goesOn);
    else if (state.analysing && goesOn()) await search(node, { seconds: Infinity }, goesOn);
    else await coach.prepare(node, goesOn);
  });
}

/** Ends the page's current tasks. Returns a function that is true until the next interruption. */
export function interrupt() {
  state.change += 1;
  const { change } = state;
  if (state.uninterruptible) engine.restart();
  state.uninterruptible = false;
  return () => change === state.change;
}

/** Runs a task that uses the engine. Shows the task's error, unless the task was interrupted. */
export async function unlessStopped(goesOn, work) {
  try {
    await work();
  } catch (error) {
    if (goesOn() && !(error instanceof Stopped)) tell(error.message);
  }
}

/** Asks the engine to describe a node, once: side to move, legal moves, owners of squares, proof. */
export async function describe(node, { tree } = state) {
  node.described ??= await engine.ask({ do: "position", fen: tree.start, moves: tree.movesTo(node) });
  const { proof } = node.described;
  if (proof) tree.prove(node, proof);
}

/** True if the engine is to move: at the end of a line or after the move just played, not while stepping through. */
export function isEngineToMove(node) {
  const isWanted = node.children.length === 0 || node === state.unanswered;
  return state.players[state.tree.moverOf(node.ply)] === "engine" && isWanted && !node.winner;
}

async function moveByEngine(node, goesOn) {
  const { level } = state.control;
  const found = level && level < FULL_LEVEL ? await thinkAt(level, node, goesOn) : await search(node, { seconds: 1, ...state.control }, goesOn);
  if (goesOn()) play(found.best, { win_rate: found.win_rate, effort: found.visits });
}

/** The level of the full engine with one second per move. */
const FULL_LEVEL = 10;

/** Searches for a move of a playing level. The result is not stored as an analysis of the position. */
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

/** Searches a position for a result that is shown or waited for; a review pauses meanwhile. */
export async function search(node, limit, goesOn) {
  state.searches += 1;
  try {
    return await searchInSlices(node, limit, goesOn);
  } finally {
    state.searches -= 1;
  }
}

/** Searches a position in slices, until a limit or an interruption. The page shows the result after each slice. */
export async function searchInSlices(node, { seconds, iterations, lostSeconds = LOST_SECONDS }, goesOn) {
  const { tree } = state;
  const think = async (limit) => noted(tree, node, await engine.ask({ ...request, ...limit }), goesOn);
  const request = { do: "think", fen: node.described.fen, lines: MAX_LINES };
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

/** Stores a search result in its node, unless a longer search is known, and shows the result unless interrupted. */
function noted(tree, node, found, goesOn) {
  if (found.proven) tree.prove(node, { winner: found.proven, margin: found.margin });
  else tree.learn(node, tree.blackRate(node.ply, found.win_rate), found.visits);
  if (!node.found || found.proven || found.visits >= node.found.visits) node.found = found;
  if (goesOn()) state.uninterruptible = false;
  if (goesOn() && node === state.tree.current) {
    state.found = node.found;
    drawSearch();
  }
  return found;
}

/** Plays a move in the position shown, which can begin a variation. `played` holds the player's estimate and effort. */
export function play(move, played = {}) {
  if (match.active) return match.enter(move);
  if (lesson.takes(move)) return;
  const side = state.tree.moverOf(state.tree.current.ply);
  state.unanswered = state.tree.play(move);
  state.tree.id ??= Date.now();
  Object.assign(state.unanswered.played, played);
  state.half = {};
  sound.knock();
  return settle(t("played", t(side), move));
}

export function goTo(node) {
  Object.assign(state, { unanswered: null, half: {} });
  state.tree.show(node);
  settle();
}

/** Steps by a number of plies along the line shown; `by` can be infinite. */
export function step(by) {
  const line = state.tree.line();
  const index = line.indexOf(state.tree.current) + by;
  goTo(line[Math.min(Math.max(0, index), line.length - 1)]);
}

/** Takes back a resignation, or the moves up to the person's last turn. */
export function undo() {
  const node = undoTarget();
  if (!node) return;
  if (node === state.tree.current) node.winner = null;
  goTo(node);
}

/** Returns the node to which `undo` goes, or null. */
export function undoTarget() {
  const { current, end } = state.tree;
  if (current.winner && current !== end && !current.described?.winner) return current;
  const isEngines = ({ ply }) => state.players[state.tree.moverOf(ply)] === "engine";
  let node = current.parent;
  while (node && isEngines(node)) node = node.parent;
  // Not before the position in which the game began.
  return node && node.ply >= (state.tree.begun ?? 0) ? node : null;
}

/** Resigns for the person to move, at the end of a line. The game can still be continued. */
export function resign() {
  const node = state.tree.current;
  if (!canResign(node)) return;
  const side = state.tree.moverOf(node.ply);
  node.winner = side === "black" ? "white" : "black";
  state.half = {};
  settle(t("resigned", t(side)));
}

export function canResign(node) {
  return canMove(node) && node.children.length === 0 && !node.winner;
}

/** True if a person can move in this position. */
export function canMove(node) {
  return Boolean(node.described && !node.described.winner && !isEngineToMove(node) && !setUp.active && !match.refusesMoves);
}

/** Shows a message below the board. */
export function tell(message) {
  state.message = message;
  draw();
}

/** Starts or stops the analysis of the position shown. Does not restart the engine's search for its move. */
export function toggleAnalysis() {
  state.analysing = !state.analysing;
  const { current } = state.tree;
  if (isEngineToMove(current) && !coach.isWarning(current)) drawSearch();
  else settle();
}

/** Shows another game. */
export function setTree(tree, message = null) {
  Object.assign(state, { tree, unanswered: null, half: {} });
  byId("games-label").hidden = true;
  settle(message);
}

/** Returns the state of the game shown, for `returnTo`. */
export function gameShown() {
  const { tree, unanswered, half, players } = state;
  return { tree, unanswered, half, players, hasGames: !byId("games-label").hidden };
}

/** Restores a game from its state, as returned by `gameShown`. */
export function returnTo({ hasGames, ...game }) {
  Object.assign(state, game);
  byId("games-label").hidden = !hasGames;
  settle();
}

/** Scrolls to the board and moves the keyboard focus to the title of a panel beside it. */
export function goToPanel(title) {
  document.querySelector(".table").scrollIntoView();
  byId(title).focus({ preventScroll: true });
}

/** Turns the board so that a person's side is at the bottom in a game against the engine. */
export function turnBoardToPerson() {
  board.flip(state.players.black === "engine" && state.players.white === "human");
}

/** Returns the best move of a search and its expected continuation, at most `count` moves. */
export function bestLine({ best, lines }, count) {
  return [best, ...(lines.find(({ move }) => move === best)?.continuation ?? [])].slice(0, count);
}

/** Shows another game for two persons, so that the engine does not answer moves. */
export function setTreeToLookAt(tree, message = null) {
  state.players = { black: "human", white: "human" };
  setTree(tree, message);
  proveLine(tree);
}

export async function newGame(edge, players, control) {
  const goesOn = interrupt();
  await unlessStopped(goesOn, async () => {
    const { fen } = await engine.ask({ do: "start", edge });
    beginGame(new GameTree(fen), players, control);
  });
}

/** Returns the local date and time in the format of records: 2020.08.16 11:44. */
export function localTime() {
  return new Date().toLocaleString("sv").slice(0, 16).replaceAll("-", ".");
}

export function controlText({ level, seconds, iterations }) {
  if (level) return t("levelOf", level);
  return seconds ? t("seconds", seconds) : t("iterations", iterations);
}

/** Returns the engine's name for records. */
export function engineAt({ level }) {
  return level ? t("engineLevel", level) : t("engine");
}

/** Handles a chosen square: amazon, landing or arrow in turn. `dragged` is true where a drag begins. */
export function choose(square, dragged = false) {
  if (setUp.active) return setUp.put(square);
  const node = state.tree.current;
  if (!node.described || node.described.winner || match.refusesMoves) return undefined;
  if (isEngineToMove(node)) return tell(t("notYourTurn"));
  const { from, to } = state.half;
  const { moves, side } = node.described;
  // A drag from the landing square shoots the arrow: the end of the drag is chosen later.
  if (to) return dragged && square === to ? undefined : shoot(moves, square);
  if (from && moves[from][square]) return setHalf({ from, to: square });
  if (moves[square]) return setHalf(square === from && !dragged ? {} : { from: square });
  return tell(from ? t("noLanding", from, square) : t("noAmazon", t(side)));
}

function shoot(moves, square) {
  const { from, to } = state.half;
  if (moves[from][to].includes(square)) return play(`${from}-${to}/${square}`);
  if (square === to) return setHalf({ from });
  return tell(t("noArrow", to, square));
}

export function setHalf(half) {
  state.half = half;
  state.message = null;
  if (!agreesWithHint(half)) state.hint = null;
  draw();
}

/** Plays a typed move. */
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
    if (!(error instanceof Stopped)) tell(t("illegal", text, error.message));
  }
}
