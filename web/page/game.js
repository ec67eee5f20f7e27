// The game that is shown, and everything that changes it: moves, the engine's turns, analysis.

const engine = new Engine();

const state = {
  tree: null,
  players: { black: "human", white: "engine" },
  /** What the engine has for a move: `{ seconds }` or `{ iterations }`. */
  control: { seconds: 1 },
  /** The half of a move that has been made: `{ from, to }`. */
  half: {},
  /** Incremented with every change, so that what was begun before it ends. */
  change: 0,
  analysing: false,
  /** Whether a search runs that takes no other request before its end. */
  uninterruptible: false,
  /** What the last search of the position shown has found, and at what speed. */
  found: null,
  hint: null,
  message: null,
};

/** Lets the last change take effect: shows the position, then lets the engine move or analyse. */
async function settle(message = null) {
  state.change += 1;
  const { change } = state;
  const goesOn = () => change === state.change;
  if (state.uninterruptible) engine.restart();
  const node = state.tree.current;
  Object.assign(state, { half: {}, hint: null, message, found: node.found ?? null, uninterruptible: false });
  draw();
  await unlessStopped(async () => {
    await describe(node);
    if (!goesOn()) return;
    draw();
    if (node.described.winner || setUp.active) return;
    if (isEngineToMove(node)) await moveByEngine(node, goesOn);
    else if (state.analysing) await search(node, { seconds: Infinity }, goesOn);
  });
}

/** Does what asks the engine; says what went wrong, unless it was stopped. */
async function unlessStopped(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Stopped)) tell(error.message);
  }
}

/** Asks the engine what there is to know of a position: whose turn, legal moves, owners. */
async function describe(node) {
  node.described ??= await engine.ask({ do: "position", fen: state.tree.start, moves: state.tree.movesTo(node) });
  const { winner } = node.described;
  if (winner) state.tree.learn(node, winner === "black" ? 1 : 0, Infinity);
}

/** The engine moves at the end of a line alone, not where somebody steps through a game. */
function isEngineToMove(node) {
  const isOver = node === state.tree.ending.node && state.tree.ending.winner;
  return state.players[state.tree.moverOf(node.ply)] === "engine" && node.children.length === 0 && !isOver;
}

async function moveByEngine(node, goesOn) {
  const found = await search(node, state.control, goesOn);
  if (!goesOn()) return;
  play(found.best);
}

/** Seconds between two looks at what else is wanted. */
const SLICE = 0.1;

/** Searches a position as long as it is wanted, in slices after each of which the page shows what was found. */
async function search(node, { seconds, iterations }, goesOn) {
  const request = { do: "think", fen: node.described.fen, lines: Number(byId("lines").value) };
  if (iterations) {
    state.uninterruptible = true;
    return noted(node, await engine.ask({ ...request, iterations, anew: true }), goesOn);
  }
  let found = null;
  for (let spent = 0; spent < seconds && goesOn(); spent += SLICE) {
    found = noted(node, await engine.ask({ ...request, seconds: Math.min(SLICE, seconds - spent) }), goesOn);
    // A lost position is searched on: the move that is hardest to answer is wanted.
    if (found.proven === state.tree.moverOf(node.ply) || found.iterations === 0) break;
  }
  return found;
}

/** Keeps what a search has found, and shows it if that is still wanted. */
function noted(node, found, goesOn) {
  const black = state.tree.moverOf(node.ply) === "black" ? found.win_rate : 1 - found.win_rate;
  state.tree.learn(node, black, found.proven ? Infinity : found.visits);
  node.found = found;
  if (goesOn()) state.uninterruptible = false;
  if (goesOn() && node === state.tree.current) {
    state.found = found;
    drawSearch();
  }
  return found;
}

/** Plays a move at the position shown, which may begin a variation. */
function play(move) {
  const side = state.tree.moverOf(state.tree.current.ply);
  state.tree.play(move);
  settle(t("played", t(side), move));
}

function goTo(node) {
  state.tree.show(node);
  settle();
}

/** Steps along the line shown; `by` may be infinite. */
function step(by) {
  const line = state.tree.line();
  const index = line.indexOf(state.tree.current) + by;
  goTo(line[Math.min(Math.max(0, index), line.length - 1)]);
}

/** Takes moves back until a person is to move. */
function undo() {
  let node = state.tree.current.parent;
  const isEngines = ({ ply }) => state.players[state.tree.moverOf(ply)] === "engine";
  while (node?.parent && isEngines(node)) node = node.parent;
  if (node) goTo(node);
}

/** Seconds that a hint takes. */
const HINT_SECONDS = 1;

async function hint() {
  const node = state.tree.current;
  if (!canMove(node)) return;
  settle(t("thinking"));
  const { change } = state;
  const goesOn = () => change === state.change;
  await unlessStopped(async () => {
    const found = await search(node, { seconds: HINT_SECONDS }, goesOn);
    if (!goesOn()) return;
    state.hint = found.best;
    tell(t("suggested", found.best, percent(found.win_rate)));
  });
}

/** The person to move gives up; the game can be gone on with by taking back. */
function resign() {
  const node = state.tree.current;
  if (!canMove(node)) return;
  const side = state.tree.moverOf(node.ply);
  node.next = null;
  state.tree.ending = { node, winner: side === "black" ? "white" : "black" };
  settle(t("resigned", t(side)));
}

/** Whether a person may move in a position. */
function canMove(node) {
  return Boolean(node.described && !node.described.winner && !isEngineToMove(node));
}

/** Says something below the board. */
function tell(message) {
  state.message = message;
  draw();
}

/** Another game is shown. */
function setTree(tree, message = null) {
  state.tree = tree;
  settle(message);
}

async function newGame(edge, players, control) {
  const { fen } = await engine.ask({ do: "start", edge });
  Object.assign(state, { players, control, analysing: false });
  board.flip(players.black === "engine" && players.white === "human");
  const names = Object.fromEntries(SIDES.map((side) => [side, players[side] === "engine" ? t("engine") : ""]));
  setTree(new GameTree(fen, { ...names, when: new Date().toISOString().slice(0, 10), control: controlText(control) }));
}

function controlText({ seconds, iterations }) {
  return seconds ? t("seconds", seconds) : t("iterations", iterations);
}

/** What a person does with a square: amazon, landing, arrow in turn. A drag chooses its amazon anew. */
function choose(square, dragged = false) {
  if (setUp.active) return setUp.put(square);
  const node = state.tree.current;
  if (!node.described || node.described.winner) return undefined;
  if (isEngineToMove(node)) return tell(t("notYourTurn"));
  const { from, to } = state.half;
  const { moves, side } = node.described;
  // A drag from the landing square is the arrow's way: its end will be chosen.
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

function setHalf(half) {
  state.half = half;
  state.message = null;
  state.hint = null;
  draw();
}

/** A move that was typed. */
async function playTyped(text) {
  const node = state.tree.current;
  if (!canMove(node)) return;
  try {
    const { played } = await engine.ask({ do: "position", fen: node.described.fen, moves: [text] });
    play(played[0]);
    byId("typed-move").value = "";
  } catch (error) {
    tell(t("illegal", text, error.message));
  }
}
