// Games against the engine: hidden win rates, the coach's warnings before the reply, hints in steps.

/** Selectable warning limits: the win rate, 0 to 1, that a move must lose before the coach warns. */
const WARNINGS = [0.05, 0.1, 0.2];
/** Search time for a hint, in seconds. */
const HINT_SECONDS = 1;
/** Text keys of a hint's steps: amazon, landing, arrow. */
const HINT_STEPS = ["hintAmazon", "hintLanding", "hintArrow"];

/** True if a person plays against the engine. */
function isGame() {
  return !puzzles.active && !match.active && state.players.black !== state.players.white;
}

/** True if the win rates are hidden because they would spoil the game shown. */
function areRatesHidden() {
  return isGame() && !coach.active && !state.tree.winner();
}

/** True if the best moves are hidden: together with the rates, and at the person's turn unless an analysis runs. */
function areMovesHidden() {
  const isTurn = isGame() && !state.analysing && !state.tree.winner() && canMove(state.tree.current);
  return areRatesHidden() || isTurn;
}

const coach = {
  active: settings.get("coach") === "on",
  /** The win rate, 0 to 1, that a move must lose before the coach warns. */
  limit: WARNINGS.find((share) => String(share) === settings.get("coach-limit")) ?? 0.1,
  /** Search time per position, in seconds: before and after a played move; `preparation`: while the person thinks. */
  seconds: 1,
  preparation: 3,
  /** Search time so far of each node, in seconds. */
  searched: new WeakMap(),
  /** Nodes after moves that the person keeps despite a warning. */
  accepted: new WeakSet(),
  /** The move that waits for the person's decision, `{ node, loss, reply, better, next }`, or null. */
  warning: null,

  isWarning(node) {
    return this.active && isGame() && this.warning?.node === node;
  },

  /** Searches a position until its total search time is `seconds`. */
  async look(node, goesOn, seconds = this.seconds) {
    await describe(node);
    const done = this.searched.get(node) ?? 0;
    if (!goesOn() || node.described.winner || node.found?.proven || done >= seconds) return;
    const begun = performance.now();
    await search(node, { seconds: seconds - done }, goesOn);
    this.searched.set(node, done + (performance.now() - begun) / 1000);
  },

  /** Searches the position in the background while the person thinks. */
  async prepare(node, goesOn) {
    if (this.active && isGame() && canMove(node) && !state.tree.winner()) await this.look(node, goesOn, this.preparation);
  },

  /** Checks a person's move. Returns true if the engine must not reply: the coach warns, or the task has ended. */
  async holds(node, goesOn) {
    const { parent } = node;
    if (!this.active || !isGame() || !parent || this.accepted.has(node)) return false;
    await this.look(parent, goesOn);
    await this.look(node, goesOn);
    if (!goesOn()) return true;
    const loss = state.tree.lossOf(node);
    const best = parent.found?.best;
    if (!this.active || !best || best === node.move || loss === null || loss <= this.limit) return false;
    const [, next] = bestLine(parent.found, 2);
    this.warning = { node, loss, reply: node.found?.best, better: best, next };
    draw();
    return true;
  },

  /** Returns the better move and the reply that refutes the played move, to be drawn as arrows. */
  suggestions({ parent, ply }) {
    const { better, reply } = this.warning;
    const [mover, other] = [parent.ply, ply].map((at) => state.tree.moverOf(at));
    return [{ move: better, side: mover }, ...(reply ? [{ move: reply, side: other }] : [])];
  },

  toggle() {
    const isThinking = isEngineToMove(state.tree.current) && !this.isWarning(state.tree.current);
    this.active = !this.active;
    settings.set("coach", this.active ? "on" : "off");
    // Does not restart the engine's search for its move.
    if (isThinking) draw();
    else settle();
  },

  choose(share) {
    this.limit = Number(share);
    settings.set("coach-limit", share);
    if (this.isWarning(state.tree.current)) this.decide(settle);
  },

  /** Clears the warning, runs `action`, and returns the keyboard focus to the board. */
  decide(action) {
    this.warning = null;
    action();
    squares.cells.get(squares.focused)?.focus({ preventScroll: true });
  },

  playOn() {
    this.accepted.add(state.tree.current);
    this.decide(settle);
  },

  draw() {
    const isWarning = this.isWarning(state.tree.current);
    document.body.classList.toggle("rates-hidden", areRatesHidden());
    byId("coach").setAttribute("aria-pressed", this.active);
    byId("coach-panel").hidden = !this.active || !isGame() || setUp.active;
    byId("coach-panel").classList.toggle("warning", isWarning);
    const text = isWarning ? t("coachWarning", { ...this.warning, move: this.warning.node.move }) : t("coachWatches", percent(this.limit, 0));
    write("coach-text", text);
  },

  listen() {
    byId("coach-limit").value = this.limit;
    byId("coach").addEventListener("click", () => this.toggle());
    byId("coach-limit").addEventListener("change", ({ target }) => this.choose(target.value));
    byId("coach-back").addEventListener("click", () => this.decide(undo));
    byId("coach-on").addEventListener("click", () => this.playOn());
  },
};

/** Shows the next step of the hint for the best move: the amazon, then its target, then the arrow's target. */
async function hint() {
  const node = state.tree.current;
  if (!canMove(node)) return;
  if (state.hint) {
    tellHint(state.hint.move, Math.min(state.hint.step + 1, HINT_STEPS.length));
    return;
  }
  const goesOn = interrupt();
  tell(t("thinking"));
  await unlessStopped(goesOn, async () => {
    await coach.look(node, goesOn, HINT_SECONDS);
    if (!goesOn()) return;
    tellHint(node.found.best, 1);
    if (state.analysing) await search(node, { seconds: Infinity }, goesOn);
  });
}

function tellHint(move, step) {
  const { from, to, arrow } = squaresOf(move);
  state.hint = { move, step };
  tell(t(HINT_STEPS[step - 1], from, to, arrow));
}

/** True if the squares chosen so far are those of the hint's move. */
function agreesWithHint(half) {
  const wanted = state.hint && squaresOf(state.hint.move);
  return Boolean(wanted) && ["from", "to"].every((part) => [undefined, wanted[part]].includes(half[part]));
}

/** Returns the SVG elements of a move up to a step of the hint (1 to 3); without a step, of the whole move. */
function partsOf(move, step, look) {
  const { from, to, arrow } = squaresOf(move);
  if (step === 1) return [board.cell(from, `${look} here`, 0.6)];
  return board.course({ from, to, arrow: step === 2 ? null : arrow }, look, `${look} shot`);
}
