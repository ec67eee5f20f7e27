// Puzzles: positions in which exactly one move keeps the win, proven by the laboratory's solver.

import { byId } from "shared/elements.js";
import { squaresOf, startOf } from "shared/replay.js";
import { settings, t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { goToPanel, options } from "page/core/controls.js";
import { Room } from "page/core/room.js";
import {
  bestLine, gameShown, goTo, play, returnTo, search, setHalf, setTree, setTreeToLookAt, tell, toggleAnalysis,
} from "page/core/game.js";
import { draw } from "page/core/show.js";

/** Search time for the reply to a try, in seconds. */
const ANSWER_SECONDS = 2;
/** Maximum number of moves shown of the expected continuation. */
const CONTINUATION = 4;
/** Distance in the list from yesterday's puzzle to today's: a prime, so that every puzzle gets its day. */
export const DAY_STEP = 7919;
const GRADES = [1, 2, 3];

/** Puzzles of the page. Each line holds a FEN, the winning move, the winner's moves left at the end, and the grade. */
export const PUZZLES = byId("puzzle-list").textContent.split("\n").filter((line) => line.includes(";") && !line.startsWith("#"))
  .map((line) => line.split(";").map((field) => field.trim()))
  .map(([fen, solution, margin, grade]) => ({ fen, solution, margin: Number(margin), grade: Number(grade) }));

/** Returns the number of days from 1970 to a local date. */
export function dayNumber(date = new Date()) {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

/** Progress stored between visits: FENs of solved puzzles, day of the last daily puzzle, and streak in days. */
export const solvedPuzzles = {
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
    settings.set("puzzles", JSON.stringify({ solved: [...this.fens], day: this.day, streak: this.streak }));
  },

  /** Returns the number of consecutive days, up to today or yesterday, with a solved daily puzzle. */
  days() {
    return dayNumber() - this.day <= 1 ? this.streak : 0;
  },
};

class Puzzles extends Room {
  index = 0;
  /** The tree of the puzzle; null before the first puzzle. */
  tree = null;
  /** The tree in which the last puzzle was analysed, or null. */
  analysed = null;
  /** The chosen grade; 0 for all. */
  grade = 0;
  /** True if the solution was shown, so that the puzzle does not count as solved. */
  isShown = false;

  get puzzle() {
    return PUZZLES[this.index];
  }

  today() {
    return (dayNumber() * DAY_STEP) % PUZZLES.length;
  }

  open() {
    if (this.active) return;
    // After the analysis of a puzzle, the way back still leads to the game before the puzzle.
    if (state.tree !== this.analysed) this.before = gameShown();
    this.show(this.today());
    goToPanel("puzzle-title");
  }

  show(index) {
    Object.assign(this, { index, isShown: false, tree: new GameTree(PUZZLES[index].fen) });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    setTree("puzzles", this.tree, t("puzzleTask"));
  }

  /** Returns the indices of the other unsolved puzzles of the chosen grade, or of all others if every one is solved. */
  others() {
    const isWanted = (index) => index !== this.index && [0, PUZZLES[index].grade].includes(this.grade);
    const all = [...PUZZLES.keys()].filter(isWanted);
    const unsolved = all.filter((index) => !solvedPuzzles.fens.has(PUZZLES[index].fen));
    return unsolved.length > 0 ? unsolved : all;
  }

  next() {
    const others = this.others();
    this.show(others.find((index) => index > this.index) ?? others[0] ?? this.index);
  }

  random() {
    const others = this.others();
    this.show(others[Math.floor(Math.random() * others.length)] ?? this.index);
  }

  choose(grade) {
    this.grade = grade;
    if (grade !== 0 && grade !== this.puzzle.grade) this.next();
    else draw();
  }

  /** True if the node is the position after a first move in the puzzle. */
  isTry(node) {
    return node.parent === this.tree.root;
  }

  async answer(node, goesOn) {
    await (this.isTry(node) ? this.judge(node, goesOn) : super.answer(node, goesOn));
  }

  status(node) {
    return this.isTry(node) ? [] : super.status(node);
  }

  panel() {
    return { ...super.panel(), review: false, keeps: false };
  }

  visit() {
    this.open();
  }

  /** Shows whether a try is right and how the game continues. */
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
  }

  /** Shows the next part of the winning move: its amazon, then the amazon's target. */
  hint() {
    const { from, to } = squaresOf(this.puzzle.solution);
    const isNext = state.tree.current === this.tree.root && state.half.from === from;
    goTo(this.tree.root);
    setHalf(isNext ? { from, to } : { from });
    tell(t(isNext ? "puzzleLanding" : "puzzleAmazon", from, to));
  }

  solution() {
    this.isShown = true;
    goTo(this.tree.root);
    play(this.puzzle.solution);
  }

  again() {
    goTo(this.tree.root);
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

  draw() {
    const { fen, grade } = this.puzzle;
    const { edge, side } = startOf(fen);
    const isSolved = solvedPuzzles.fens.has(fen);
    byId("puzzle-title").textContent = t("puzzleTitle", this.index + 1, this.index === this.today());
    const kind = [t("squaresOf", edge), t("grades")[grade], t("puzzleSide", t(side)), isSolved && t("puzzleSolved")];
    byId("puzzle-kind").textContent = kind.filter(Boolean).join(" · ");
    options("puzzle-grade", [0, ...GRADES].map((value) => [value, t("grades")[value]]), this.grade);
    byId("puzzle-again").disabled = state.tree.current === this.tree.root;
    byId("puzzle-kept").textContent = t("puzzlesKept", solvedPuzzles.fens.size, PUZZLES.length, solvedPuzzles.days());
  }

  listen() {
    solvedPuzzles.read();
    byId("open-puzzles").addEventListener("click", () => this.open());
    for (const action of ["again", "hint", "solution", "next", "random", "analyse", "close"]) {
      byId(`puzzle-${action}`).addEventListener("click", () => this[action]());
    }
    byId("puzzle-today").addEventListener("click", () => this.show(this.today()));
    byId("puzzle-grade").addEventListener("change", ({ target }) => this.choose(Number(target.value)));
  }
}

export const puzzles = new Puzzles("puzzles");
