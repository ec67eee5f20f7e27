// Puzzles: positions in which exactly one move keeps the win, proven by the laboratory's solver.

/** Seconds for the answer to a try. */
const ANSWER_SECONDS = 2;
/** Moves of the expected continuation that are shown. */
const CONTINUATION = 4;
/** Today's puzzle is this many places after yesterday's: a prime, so that every puzzle has its day. */
const DAY_STEP = 7919;
const GRADES = [1, 2, 3];

/** The puzzles of the page: lines of FEN, the winning move, the moves that the winner has left at the end, the grade. */
const PUZZLES = byId("puzzle-list").textContent.split("\n").filter((line) => line.includes(";") && !line.startsWith("#"))
  .map((line) => line.split(";").map((field) => field.trim()))
  .map(([fen, solution, margin, grade]) => ({ fen, solution, margin: Number(margin), grade: Number(grade) }));

/** The number of a local date, in days. */
function dayNumber(date = new Date()) {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

/** What is kept of earlier visits: the solved puzzles by FEN, the day of the last daily one, and the days in a row. */
const solvedPuzzles = {
  read() {
    let kept = null;
    try {
      kept = JSON.parse(settings.get("puzzles"));
    } catch {
      // A broken entry is ignored.
    }
    const known = new Set(PUZZLES.map(({ fen }) => fen));
    this.fens = new Set(Array.isArray(kept?.solved) ? kept.solved.filter((fen) => known.has(fen)) : []);
    const isCount = (number) => Number.isSafeInteger(number) && number > 0;
    const hasStreak = isCount(kept?.day) && isCount(kept?.streak) && kept.day <= dayNumber();
    [this.day, this.streak] = hasStreak ? [kept.day, kept.streak] : [0, 0];
  },

  add({ fen }, isDaily) {
    // Another tab may have added one; storage may keep none.
    const own = this.fens;
    this.read();
    own.forEach((known) => this.fens.add(known));
    this.fens.add(fen);
    const today = dayNumber();
    if (isDaily && this.day !== today) {
      this.streak = this.days() + 1;
      this.day = today;
    }
    settings.set("puzzles", JSON.stringify({ solved: [...this.fens], day: this.day, streak: this.streak }));
  },

  /** Days in a row up to today or yesterday whose daily puzzle was solved. */
  days() {
    return dayNumber() - this.day <= 1 ? this.streak : 0;
  },
};

const puzzles = {
  index: 0,
  /** The tree of the puzzle, or null before the first one. */
  tree: null,
  /** The tree of the puzzle that was analysed, or null. */
  analysed: null,
  /** The chosen grade; 0 for all. */
  grade: 0,
  /** True if the solution was shown. */
  isShown: false,
  /** The game to go back to. */
  before: null,

  /** True while a puzzle is on the board. */
  get active() {
    return this.tree !== null && state.tree === this.tree;
  },

  get puzzle() {
    return PUZZLES[this.index];
  },

  today() {
    return (dayNumber() * DAY_STEP) % PUZZLES.length;
  },

  open() {
    if (this.active) return;
    if (setUp.active) setUp.cancel();
    // From the analysis of a puzzle the way back is that of the puzzle.
    if (state.tree !== this.analysed) this.before = gameShown();
    this.show(this.today());
    goToPanel("puzzle-title");
  },

  show(index) {
    Object.assign(this, { index, isShown: false, tree: new GameTree(PUZZLES[index].fen) });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    setTree(this.tree, t("puzzleTask"));
  },

  /** The puzzles of the chosen grade that are not solved, or all of that grade, without the one shown. */
  others() {
    const isWanted = (index) => index !== this.index && [0, PUZZLES[index].grade].includes(this.grade);
    const all = [...PUZZLES.keys()].filter(isWanted);
    const unsolved = all.filter((index) => !solvedPuzzles.fens.has(PUZZLES[index].fen));
    return unsolved.length > 0 ? unsolved : all;
  },

  next() {
    const others = this.others();
    this.show(others.find((index) => index > this.index) ?? others[0] ?? this.index);
  },

  random() {
    const others = this.others();
    this.show(others[Math.floor(Math.random() * others.length)] ?? this.index);
  },

  choose(grade) {
    this.grade = grade;
    if (grade !== 0 && grade !== this.puzzle.grade) this.next();
    else draw();
  },

  /** True if the node is the position after a first move in the puzzle. */
  isTry(node) {
    return this.active && node.parent === this.tree.root;
  },

  /** Tells whether a try is right, and how the game goes on. */
  async judge(node, goesOn) {
    const { solution, margin } = this.puzzle;
    const isRight = node.move === solution;
    if (isRight && !this.isShown) solvedPuzzles.add(this.puzzle, this.index === this.today());
    const verdict = isRight ? t("puzzleRight", solution, t(this.tree.first), margin) : t("puzzleWrong", node.move);
    tell(verdict);
    if (node.described.winner) return;
    const found = await search(node, { seconds: ANSWER_SECONDS }, goesOn);
    if (!goesOn()) return;
    const { best, proven } = found;
    if (!isRight) state.hint = { move: best, step: 3 };
    const line = bestLine(found, CONTINUATION);
    const answer = t("puzzleAnswer", t(this.tree.moverOf(node.ply)), best, Boolean(proven), node.proof?.margin);
    tell(`${verdict} ${isRight ? t("puzzleGoesOn", line.join(" ")) : answer}`);
  },

  /** Shows the next part of the winning move: its amazon, then where the amazon goes. */
  hint() {
    const { from, to } = squaresOf(this.puzzle.solution);
    const isNext = state.tree.current === this.tree.root && state.half.from === from;
    goTo(this.tree.root);
    setHalf(isNext ? { from, to } : { from });
    tell(t(isNext ? "puzzleLanding" : "puzzleAmazon", from, to));
  },

  solution() {
    this.isShown = true;
    goTo(this.tree.root);
    play(this.puzzle.solution);
  },

  again() {
    goTo(this.tree.root);
  },

  /** Leaves the puzzle for the analysis of its position. */
  analyse() {
    this.analysed = new GameTree(this.puzzle.fen);
    setTreeToLookAt(this.analysed);
    toggleAnalysis();
  },

  close() {
    returnTo(this.before);
    byId("open-puzzles").focus();
  },

  draw() {
    const { active } = this;
    document.body.classList.toggle("puzzling", active);
    byId("puzzle").hidden = !active;
    if (!active) return;
    const { fen, grade } = this.puzzle;
    const { edge, side } = startOf(fen);
    const isSolved = solvedPuzzles.fens.has(fen);
    byId("puzzle-title").textContent = t("puzzleTitle", this.index + 1, this.index === this.today());
    const kind = [t("squaresOf", edge), t("grades")[grade], t("puzzleSide", t(side)), isSolved && t("puzzleSolved")];
    byId("puzzle-kind").textContent = kind.filter(Boolean).join(" · ");
    options("puzzle-grade", [0, ...GRADES].map((value) => [value, t("grades")[value]]), this.grade);
    byId("puzzle-again").disabled = state.tree.current === this.tree.root;
    byId("puzzle-kept").textContent = t("puzzlesKept", solvedPuzzles.fens.size, PUZZLES.length, solvedPuzzles.days());
  },

  listen() {
    solvedPuzzles.read();
    byId("open-puzzles").addEventListener("click", () => this.open());
    for (const action of ["again", "hint", "solution", "next", "random", "analyse", "close"]) {
      byId(`puzzle-${action}`).addEventListener("click", () => this[action]());
    }
    byId("puzzle-today").addEventListener("click", () => this.show(this.today()));
    byId("puzzle-grade").addEventListener("change", ({ target }) => this.choose(Number(target.value)));
  },
};
