// The game that is shown, and everything that changes it: moves, the engine's turns, analysis.

const engine = server ? new ServedEngine() : new Engine();

const state = {
  tree: null,
  players: { black: "human", white: "engine" },
  /** The engine's strength: `{ level }`, `{ seconds }` or `{ iterations }` for a move. */
  control: { level: 4 },
  /** The half of a move that has been made: `{ from, to }`. */
  half: {},
  /** A position that the engine is to answer though it has been answered before. */
  unanswered: null,
  /** Incremented with every change, so that what was begun before it ends. */
  change: 0,
  analysing: false,
  /** Whether a search runs that takes no other request before its end. */
  uninterruptible: false,
  /** What the last search of the position shown has found, and at what speed. */
  found: null,
  /** The move that a hint shows up to a step: `{ move, step }`, where the third step shows it whole. */
  hint: null,
  /** The index of the best move that somebody points at. */
  pointed: null,
  /** The marked move whose better line somebody points at: the board shows the position before it. */
  preview: null,
  /** Number of searches that run for the position shown; a review waits for them. */
  searches: 0,
  message: null,
};

/** Lets the last change take effect: shows the position, then lets the engine move or analyse. */
async function settle(message = null) {
  const goesOn = interrupt();
  const node = state.tree.current;
  Object.assign(state, { hint: null, pointed: null, preview: null, message, found: node.found });
  byId("link").hidden = true;
  draw();
  await unlessStopped(goesOn, async () => {
    // What is being set up need not be a position that can be played.
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

/** Ends what is being computed for the page; returns a function that tells whether nothing has done so again. */
function interrupt() {
  state.change += 1;
  const { change } = state;
  if (state.uninterruptible) engine.restart();
  state.uninterruptible = false;
  return () => change === state.change;
}

/** Does what asks the engine; says what went wrong, unless that is not wanted any more. */
async function unlessStopped(goesOn, work) {
  try {
    await work();
  } catch (error) {
    if (goesOn() && !(error instanceof Stopped)) tell(error.message);
  }
}

/** Asks the engine what there is to know of a position: whose turn, legal moves, owners. */
async function describe(node, { tree } = state) {
  node.described ??= await engine.ask({ do: "position", fen: tree.start, moves: tree.movesTo(node) });
  const { proof } = node.described;
  if (proof) tree.prove(node, proof);
}

/** The engine answers a move and goes on at the end of a line; it is silent where somebody steps through a game. */
function isEngineToMove(node) {
  const isWanted = node.children.length === 0 || node === state.unanswered;
  return state.players[state.tree.moverOf(node.ply)] === "engine" && isWanted && !node.winner;
}

async function moveByEngine(node, goesOn) {
  const { level } = state.control;
  const found = level && level < FULL_LEVEL ? await thinkAt(level, node, goesOn) : await search(node, { seconds: 1, ...state.control }, goesOn);
  if (goesOn()) play(found.best, { win_rate: found.win_rate, effort: found.visits });
}

/** The level of the full engine, which has one second for a move. */
const FULL_LEVEL = 10;

/** Searches for a move of a playing level; what it finds is no analysis of the position. */
async function thinkAt(level, node, goesOn) {
  state.uninterruptible = true;
  const found = await engine.ask({ do: "think", fen: node.described.fen, level, seed: Math.floor(Math.random() * 2 ** 32) });
  if (goesOn()) state.uninterruptible = false;
  return found;
}

/** The most best moves that can be shown. */
const MAX_LINES = 10;
/** Seconds between two looks at what else is wanted. The engine takes longer when it has to make room in its memory. */
const SLICE = 0.1;
/** Seconds at most for a position that is proven to be lost: its tree is begun anew with each run. */
const LOST_SECONDS = 1;

/** Searches the position shown, or another one that somebody waits for. */
async function search(node, limit, goesOn) {
  state.searches += 1;
  try {
    return await searchInSlices(node, limit, goesOn);
  } finally {
    state.searches -= 1;
  }
}

/** Searches a position as long as it is wanted, in slices after each of which the page shows what was found. */
async function searchInSlices(node, { seconds, iterations, lostSeconds = LOST_SECONDS }, goesOn) {
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

/** Keeps the longest search of a position, and shows it if that is still wanted. */
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

/** Plays a move at the position shown, which may begin a variation; `played` is what its player tells of it. */
function play(move, played = {}) {
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

function goTo(node) {
  Object.assign(state, { unanswered: null, half: {} });
  state.tree.show(node);
  settle();
}

/** Steps along the line shown; `by` may be infinite. */
function step(by) {
  const line = state.tree.line();
  const index = line.indexOf(state.tree.current) + by;
  goTo(line[Math.min(Math.max(0, index), line.length - 1)]);
}

/** Takes a resignation back, or moves until a person is to move. */
function undo() {
  const node = undoTarget();
  if (!node) return;
  if (node === state.tree.current) node.winner = null;
  goTo(node);
}

/** The position that would be taken back to, if there is one. */
function undoTarget() {
  const { current, end } = state.tree;
  if (current.winner && current !== end && !current.described?.winner) return current;
  const isEngines = ({ ply }) => state.players[state.tree.moverOf(ply)] === "engine";
  let node = current.parent;
  while (node && isEngines(node)) node = node.parent;
  // Not behind the position from which the game was begun.
  return node && node.ply >= (state.tree.begun ?? 0) ? node : null;
}

/** The person to move gives up at the end of a line; the game can be gone on with all the same. */
function resign() {
  const node = state.tree.current;
  if (!canResign(node)) return;
  const side = state.tree.moverOf(node.ply);
  node.winner = side === "black" ? "white" : "black";
  state.half = {};
  settle(t("resigned", t(side)));
}

function canResign(node) {
  return canMove(node) && node.children.length === 0 && !node.winner;
}

/** Whether a person may move in a position. */
function canMove(node) {
  return Boolean(node.described && !node.described.winner && !isEngineToMove(node) && !setUp.active && !match.refusesMoves);
}

/** Says something below the board. */
function tell(message) {
  state.message = message;
  draw();
}

/** Begins or ends the analysis of whatever is shown; a move that the engine thinks about is not begun anew. */
function toggleAnalysis() {
  state.analysing = !state.analysing;
  const { current } = state.tree;
  if (isEngineToMove(current) && !coach.isWarning(current)) drawSearch();
  else settle();
}

/** Another game is shown. */
function setTree(tree, message = null) {
  Object.assign(state, { tree, unanswered: null, half: {} });
  byId("games-label").hidden = true;
  settle(message);
}

/** What must be kept to return to the game shown. */
function gameShown() {
  const { tree, unanswered, half, players } = state;
  return { tree, unanswered, half, players, hasGames: !byId("games-label").hidden };
}

/** Returns to a game that was left. */
function returnTo({ hasGames, ...game }) {
  Object.assign(state, game);
  byId("games-label").hidden = !hasGames;
  settle();
}

/** Scrolls to the board; the keyboard's focus goes to the title of a panel beside it. */
function goToPanel(title) {
  document.querySelector(".table").scrollIntoView();
  byId(title).focus({ preventScroll: true });
}

/** Turns the board to the person in a game against the engine. */
function turnBoardToPerson() {
  board.flip(state.players.black === "engine" && state.players.white === "human");
}

/** The moves that a search expects, at most `count` of them. */
function bestLine({ best, lines }, count) {
  return [best, ...(lines.find(({ move }) => move === best)?.continuation ?? [])].slice(0, count);
}

/** Another game is shown that two persons play: whoever opened it wants to look at it. */
function setTreeToLookAt(tree, message = null) {
  state.players = { black: "human", white: "human" };
  setTree(tree, message);
  proveLine(tree);
}

async function newGame(edge, players, control) {
  const goesOn = interrupt();
  await unlessStopped(goesOn, async () => {
    const { fen } = await engine.ask({ do: "start", edge });
    beginGame(new GameTree(fen), players, control);
  });
}

/** Date and time as records of ours have them: 2020.08.16 11:44. */
function localTime() {
  return new Date().toLocaleString("sv").slice(0, 16).replaceAll("-", ".");
}

function controlText({ level, seconds, iterations }) {
  if (level) return t("levelOf", level);
  return seconds ? t("seconds", seconds) : t("iterations", iterations);
}

/** The engine's name in records. */
function engineAt({ level }) {
  return level ? t("engineLevel", level) : t("engine");
}

/** What a person does with a square: amazon, landing, arrow in turn. A drag chooses its amazon anew. */
function choose(square, dragged = false) {
  if (setUp.active) return setUp.put(square);
  const node = state.tree.current;
  if (!node.described || node.described.winner || match.refusesMoves) return undefined;
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
  if (!agreesWithHint(half)) state.hint = null;
  draw();
}

/** A move that was typed. */
async function playTyped(text) {
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
