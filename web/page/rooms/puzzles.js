// Puzzles: positions in which exactly one move keeps the win, proven by the laboratory's solver.

import { byId, html, percent } from "shared/elements.js";
import { squaresOf, startOf } from "shared/replay.js";
import { settings, t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { bestLine, GameTree } from "page/core/tree.js";
import { goToPanel, options } from "page/core/controls.js";
import { board } from "page/core/board.js";
import { Room } from "page/core/room.js";
import {
  gameShown, goTo, look, play, returnTo, search, setHalf, setTree, setTreeToLookAt, settle, tell, toggleAnalysis,
} from "page/core/game.js";
import { draw } from "page/core/show.js";
import { RIGHT_LOSS } from "page/core/verdict.js";
import { dayNumber, ownMistakes } from "page/puzzles/own.js";

/** Search time for the reply to a try, in seconds. */
const ANSWER_SECONDS = 2;
/** Maximum number of moves shown of the expected continuation. */
const CONTINUATION = 4;
/** Distance in the list from yesterday's puzzle to today's: a prime, so that every puzzle gets its day. */
export const DAY_STEP = 7919;
const GRADES = [1, 2, 3];
/** Number of answers shown. */
const LAST = 10;
/** Maximum number of own mistakes shown. */
const MAX_ROWS = 20;
/** Milliseconds between a right move and the reply to it. */
const REPLY_PAUSE = 700;

/**
 * Puzzles of the page. Each line holds a FEN, the moves, the winner's moves left at the end, and the grade. Puzzles of
 * several moves alternate the solver's moves with the best replies. A margin of `5?` is a lead by searches, not a proof.
 */
export const PUZZLES = byId("puzzle-list").textContent.split("\n").filter((line) => line.includes(";"))
  .map((line) => line.split(";").map((field) => field.trim()))
  .map(([fen, moves, margin, grade]) => {
    const line = moves.split(" ");
    return { fen, line, solution: line[0], margin: Number.parseFloat(margin), isProven: !margin.endsWith("?"), grade: Number(grade) };
  });

/**
 * Progress stored between visits: FENs of solved puzzles, day of the last daily puzzle and streak in days, puzzles
 * solved in a row at the first try and their largest number, the last answers.
 */
export const solvedPuzzles = {
  /** @type {Set<Fen>} */
  fens: new Set(),
  day: 0,
  streak: 0,
  run: 0,
  best: 0,
  /** @type {boolean[]} */
  last: [],

  read() {
    let kept = null;
    try {
      kept = JSON.parse(settings.get("puzzles") ?? "null");
    } catch {
      // A broken entry is ignored.
    }
    const known = new Set(PUZZLES.map(({ fen }) => fen));
    this.fens = new Set(Array.isArray(kept?.solved) ? kept.solved.filter((/** @type {Fen} */ fen) => known.has(fen)) : []);
    /** @param {number} number */
    const isCount = (number) => Number.isSafeInteger(number) && number > 0;
    const hasStreak = isCount(kept?.day) && (kept.streak === 0 || isCount(kept.streak)) && kept.day <= dayNumber();
    [this.day, this.streak] = hasStreak ? [kept.day, kept.streak] : [0, 0];
    [this.run, this.best] = [kept?.run, kept?.best].map((number) => (isCount(number) ? number : 0));
    this.last = Array.isArray(kept?.last) ? kept.last.slice(-LAST).map(Boolean) : [];
  },

  write() {
    const { fens, day, streak, run, best, last } = this;
    settings.set("puzzles", JSON.stringify({ solved: [...fens], day, streak, run, best, last: last.slice(-LAST) }));
  },

  /**
   * Notes the first answer to a puzzle.
   * @param {boolean} isRight
   */
  answer(isRight) {
    this.read();
    this.run = isRight ? this.run + 1 : 0;
    this.best = Math.max(this.best, this.run);
    this.last.push(isRight);
    this.write();
  },

  /**
   * @param {Puzzle} given
   * @param {boolean} isDaily
   */
  add({ fen }, isDaily) {
    // Another tab may have stored more puzzles, or the browser may refuse to store any.
    const own = this.fens;
    this.read();
    own.forEach((known) => this.fens.add(known));
    this.fens.add(fen);
    const today = dayNumber();
    if (isDaily && this.day !== today) {
      this.streak = this.days() + 1;
      this.day = today;
    }
    this.write();
  },

  /** Ends the streak: today's puzzle is not solved at the first try. */
  spoilToday() {
    this.read();
    if (this.day === dayNumber()) return;
    [this.day, this.streak] = [dayNumber(), 0];
    this.write();
  },

  /** Returns the number of consecutive days, up to today or yesterday, with a solved daily puzzle. */
  days() {
    return dayNumber() - this.day <= 1 ? this.streak : 0;
  },
};

class Puzzles extends Room {
  index = 0;
  /**
   * The own mistake shown, or null for a puzzle of the page.
   * @type {(Mistake & Puzzle) | null}
   */
  own = null;
  /**
   * The tree of the puzzle; null before the first puzzle.
   * @type {GameTree}
   */
  tree = /** @type {never} */ (null);
  /**
   * The tree in which the last puzzle was analysed, or null.
   * @type {GameTree | null}
   */
  analysed = null;
  /** The chosen grade; 0 for all. */
  grade = 0;
  /** True if the solution was shown, so that the puzzle does not count as solved. */
  isShown = false;
  /** True until a wrong try, a hint or the solution. */
  isClean = true;
  /**
   * The verdict on the try shown, or null.
   * @type {{ node: PlayedNode, isRight: boolean } | null}
   */
  verdict = null;

  get puzzle() {
    return this.own ?? PUZZLES[this.index];
  }

  today() {
    return (dayNumber() * DAY_STEP) % PUZZLES.length;
  }

  open() {
    if (this.active) return;
    // From the analysis of a puzzle, the way leads back to this puzzle and to the game before it.
    const isBack = state.tree === this.analysed;
    if (!isBack) this.before = gameShown();
    if (isBack && this.own) this.showOwn(this.own);
    else this.show(isBack ? this.index : this.today());
    goToPanel("puzzle-title");
  }

  /** @param {number} index */
  show(index) {
    this.own = null;
    this.index = index;
    this.begin(t(this.puzzle.isProven ? "puzzleTask" : "puzzleKeeps"));
  }

  /**
   * Shows one of the player's own mistakes.
   * @param {Mistake} mistake
   */
  showOwn(mistake) {
    this.own = { ...mistake, line: [mistake.solution], margin: 0, isProven: false, grade: 0 };
    this.begin(t("ownTask", t(startOf(mistake.fen).side), mistake.played, mistake.loss));
  }

  /**
   * Shows the puzzle with its solver at the bottom.
   * @param {string} task
   */
  begin(task) {
    Object.assign(this, { isShown: false, isClean: true, verdict: null, tree: new GameTree(this.puzzle.fen) });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    board.flip(this.tree.first === "white");
    setTree("puzzles", this.tree, task);
  }

  /** Returns the indices of the other unsolved puzzles of the chosen grade, or of all others if every one is solved. */
  others() {
    /** @param {number} index */
    const isWanted = (index) => index !== this.index && [0, PUZZLES[index].grade].includes(this.grade);
    const all = [...PUZZLES.keys()].filter(isWanted);
    const unsolved = all.filter((index) => !solvedPuzzles.fens.has(PUZZLES[index].fen));
    return unsolved.length > 0 ? unsolved : all;
  }

  next() {
    const { own } = this;
    const due = own ? ownMistakes.due().find(({ fen }) => fen !== own.fen) : null;
    if (due) return this.showOwn(due);
    const others = this.others();
    return this.show(others.find((index) => index > this.index) ?? others[0] ?? this.index);
  }

  random() {
    const others = this.others();
    this.show(others[Math.floor(Math.random() * others.length)] ?? this.index);
  }

  /** @param {number} grade */
  choose(grade) {
    this.grade = grade;
    if (grade === 0 || grade === this.puzzle.grade) return draw();
    this.own = null;
    return this.next();
  }

  /**
   * True if the node is the position after a solver's move, and all moves before it are right.
   * @template {GameNode} Kind
   * @param {Kind} node
   * @returns {node is Kind & PlayedNode}
   */
  isTry(node) {
    const { line } = this.puzzle;
    const before = node.parent ? this.tree.movesTo(node.parent) : null;
    return before !== null && node.ply % 2 === 1 && node.ply <= line.length && before.every((move, ply) => move === line[ply]);
  }

  /** Notes that the puzzle is not solved at the first try. */
  spoil() {
    if (!this.isClean) return;
    this.isClean = false;
    if (this.own) ownMistakes.answer(this.own, false);
    else if (this.index === this.today()) solvedPuzzles.spoilToday();
    solvedPuzzles.answer(false);
  }

  /**
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   */
  async answer(node, goesOn) {
    await (this.isTry(node) ? this.judge(node, goesOn) : super.answer(node, goesOn));
  }

  /** @param {GameNode} node */
  status(node) {
    return this.isTry(node) ? [] : super.status(node);
  }

  panel() {
    const { verdict } = this;
    const signs = verdict?.node === state.tree.current ? [{ square: squaresOf(verdict.node.move).to, isRight: verdict.isRight }] : [];
    return { ...super.panel(), review: false, keeps: false, signs };
  }

  visit() {
    this.open();
  }

  /**
   * Shows whether a try is right and how the game continues.
   * @param {DescribedNode & PlayedNode} node
   * @param {GoesOn} goesOn
   */
  async judge(node, goesOn) {
    const { line } = this.puzzle;
    const isRight = node.move === line[node.ply - 1] || (this.own !== null && (await this.isGood(node, goesOn)));
    if (!goesOn()) return;
    this.verdict = { node, isRight };
    if (!isRight) this.spoil();
    const isSolved = isRight && node.ply >= line.length;
    if (isSolved && !this.isShown) this.solve();
    const verdict = this.verdictText(node, isRight);
    tell(verdict);
    // Stepping back to a right move leaves it at that.
    if (isRight && !isSolved) return state.unanswered === node || !node.next ? this.reply(node, goesOn) : undefined;
    if (node.described.winner) return;
    const found = await search(node, { seconds: ANSWER_SECONDS }, goesOn);
    if (!goesOn() || !found?.best) return;
    const { best, proven } = found;
    if (!isRight) state.hint = { move: best, step: 3 };
    const expected = bestLine(found, CONTINUATION);
    const answer = t("puzzleAnswer", t(this.tree.moverOf(node.ply)), best, Boolean(proven), node.proof?.margin);
    tell(`${verdict} ${isRight ? t("puzzleGoesOn", expected.join(" ")) : answer}`);
  }

  /**
   * True if a try in an own mistake loses little beside the best move.
   * @param {PlayedNode} node
   * @param {GoesOn} goesOn
   */
  async isGood(node, goesOn) {
    await look(this.tree.root, goesOn, ANSWER_SECONDS / 2);
    await look(node, goesOn, ANSWER_SECONDS / 2);
    return goesOn() && (this.tree.lossOf(node) ?? 1) <= RIGHT_LOSS;
  }

  /**
   * @param {PlayedNode} node
   * @param {boolean} isRight
   */
  verdictText(node, isRight) {
    const { solution, margin, isProven, line } = this.puzzle;
    if (this.own) return isRight ? t("ownRight", node.move) : t("ownWrong", node.move, percent(Math.max(0, this.tree.lossOf(node) ?? 0)));
    if (!isRight) return isProven ? t("puzzleWrong", node.move) : t("puzzleWrongLead", node.move);
    if (node.ply < line.length) return t("puzzleSoFar", node.move);
    return isProven ? t("puzzleRight", solution, t(this.tree.first), margin) : t("puzzleRightLead", solution, margin);
  }

  /**
   * Plays the best reply to a right move.
   * @param {GameNode} node
   * @param {GoesOn} goesOn
   */
  async reply({ ply }, goesOn) {
    await new Promise((resolve) => {
      setTimeout(resolve, REPLY_PAUSE);
    });
    if (!goesOn()) return;
    const move = this.puzzle.line[ply];
    state.tree.play(move);
    await settle(t("puzzleNextMove", move));
  }

  /** Notes the solution. */
  solve() {
    if (this.isClean) {
      if (this.own) ownMistakes.answer(this.own, true);
      solvedPuzzles.answer(true);
    }
    if (!this.own) solvedPuzzles.add(this.puzzle, this.isClean && this.index === this.today());
    // Another solution of this puzzle counts no more.
    this.isShown = true;
  }

  /** Returns the node at which the solver is to move: the last one of the line that was found. */
  position() {
    const { line } = this.puzzle;
    let node = this.tree.root;
    for (let ply = 0; ply + 2 < line.length; ply += 2) {
      const next = node.children.find(({ move }) => move === line[ply])?.children.find(({ move }) => move === line[ply + 1]);
      if (!next) break;
      node = next;
    }
    return node;
  }

  /** Shows the next part of the right move: its amazon, then the amazon's target. */
  hint() {
    const node = this.position();
    const { from, to } = squaresOf(this.puzzle.line[node.ply]);
    const isNext = state.tree.current === node && state.half.from === from;
    this.spoil();
    goTo(node);
    setHalf(isNext ? { from, to } : { from });
    tell(isNext ? t("puzzleLanding", from, to) : t("puzzleAmazon", from));
  }

  solution() {
    const node = this.position();
    this.spoil();
    this.isShown = true;
    goTo(node);
    play(this.puzzle.line[node.ply]);
  }

  again() {
    goTo(this.position());
  }

  /** Leaves the puzzle and analyses its position. */
  analyse() {
    this.analysed = new GameTree(this.puzzle.fen);
    setTreeToLookAt(this.analysed);
    toggleAnalysis();
  }

  close() {
    returnTo(this.before);
    byId("open-puzzles").focus();
  }

  /**
   * Opens the puzzle with a number, from 1.
   * @param {number} number
   */
  goToNumber(number) {
    if (Number.isInteger(number) && number >= 1 && number <= PUZZLES.length) this.show(number - 1);
  }

  draw() {
    const { fen, grade } = this.puzzle;
    const { edge, side } = startOf(fen);
    const isSolved = solvedPuzzles.fens.has(fen);
    byId("puzzle-title").textContent = this.own ? t("ownPuzzle", this.own.from) : t("puzzleTitle", this.index + 1, this.index === this.today());
    const kind = [t("squaresOf", edge), !this.own && t("grades")[grade], t("puzzleSide", t(side)), isSolved && t("puzzleSolved")];
    byId("puzzle-kind").textContent = kind.filter(Boolean).join(" · ");
    options("puzzle-grade", [0, ...GRADES].map((value) => [value, t("grades")[value]]), this.grade);
    byId("puzzle-again").disabled = state.tree.current === this.tree.root;
    const { run, best, last } = solvedPuzzles;
    byId("puzzle-kept").textContent = `${t("puzzlesKept", solvedPuzzles.fens.size, PUZZLES.length, solvedPuzzles.days())} · ${t("puzzleRun", run, best)}`;
    byId("puzzle-last").replaceChildren(...last.slice(-LAST).map((isRight) => {
      const label = t(isRight ? "right" : "wrong");
      return html("span", { class: `answer ${isRight ? "right" : "wrong"}`, role: "img", "aria-label": label, title: label }, isRight ? "✓" : "✗");
    }));
    byId("puzzle-number").max = String(PUZZLES.length);
    if (document.activeElement !== byId("puzzle-number")) byId("puzzle-number").value = this.own ? "" : String(this.index + 1);
    this.drawOwn();
  }

  /** Lists the player's own mistakes, those that are due first. */
  drawOwn() {
    const { list } = ownMistakes;
    const due = ownMistakes.due().length;
    byId("own-due").textContent = t("ownDue", due);
    byId("own-due").className = due > 0 ? "badge" : "note";
    byId("own-none").hidden = list.length > 0;
    byId("own-part").hidden = list.length === 0;
    byId("own-export").disabled = list.length === 0;
    const rows = list.toSorted((a, b) => a.due - b.due).slice(0, MAX_ROWS).map((one) => html("tr", {},
      html("td", {}, html("button", { type: "button", onclick: () => this.showOwn(one) }, one.from)),
      ...[one.loss, t("ownSeen", one.seen), t("ownDays", one.due - dayNumber())].map((text) => html("td", {}, text))));
    const head = html("tr", {}, ...t("ownColumns").map((text) => html("th", { scope: "col" }, text)));
    byId("own-list").replaceChildren(html("thead", {}, head), html("tbody", {}, ...rows));
  }

  listen() {
    solvedPuzzles.read();
    ownMistakes.listen();
    byId("open-puzzles").addEventListener("click", () => this.open());
    /** @type {("again" | "hint" | "solution" | "next" | "random" | "analyse" | "close")[]} */
    const actions = ["again", "hint", "solution", "next", "random", "analyse", "close"];
    for (const action of actions) byId(`puzzle-${action}`).addEventListener("click", () => this[action]());
    byId("puzzle-today").addEventListener("click", () => this.show(this.today()));
    byId("puzzle-grade").addEventListener("change", () => this.choose(Number(byId("puzzle-grade").value)));
    byId("own-export").addEventListener("click", () => ownMistakes.export());
    byId("puzzle-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.goToNumber(Number(byId("puzzle-number").value));
    });
  }
}

export const puzzles = new Puzzles("puzzles");
