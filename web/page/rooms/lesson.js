// Lessons: a player looks for better moves in the positions before the player's mistakes and blunders.

import { byId, percent, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { goToPanel } from "page/core/controls.js";
import { Room } from "page/core/room.js";
import { bestLine, describe, gameShown, goTo, returnTo, search, settle, setTree, tell, unlessStopped } from "page/core/game.js";
import { turnText } from "page/core/show.js";
import { BETTER_MOVES, GRAVE, review } from "page/core/review.js";

/** Maximum win rate, 0 to 1, that a right answer can lose. */
const RIGHT_LOSS = 0.02;

class Lesson extends Room {
  index = 0;
  /** The mistakes and blunders of the lesson: `{ node, loss }`. */
  mistakes = [];
  /** Search time for a try, in seconds. */
  seconds = 1;
  /** The tree with the position of the lesson and the tries; null before the first lesson. */
  tree = null;
  address = null;

  get mistake() {
    return this.mistakes[this.index];
  }

  /** Begins a lesson on the mistakes and blunders of a side. */
  async begin(side) {
    const faults = review.movesOf(side).filter((node) => GRAVE.includes(review.markOf(node)));
    this.mistakes = faults.map((node) => ({ node, loss: review.lossOf(node), lost: review.lossText(node) }));
    // The engine has not described the positions of a saved review.
    for (const { parent } of faults) await describe(parent);
    this.before = gameShown();
    this.show(0);
    goToPanel("lesson-title");
  }

  show(index) {
    const { black, white } = this.before.tree.record;
    const { fen } = this.mistakes[index].node.parent.described;
    Object.assign(this, { index, tree: new GameTree(fen, { black, white }) });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    setTree("lesson", this.tree, this.task());
  }

  task() {
    const { node, lost } = this.mistake;
    return t("lessonTask", t(this.tree.first), node.move, lost);
  }

  /** True if the node is the position after a try. */
  isTry(node) {
    return node.parent === this.tree.root;
  }

  /** A move in the position of the lesson is a try. */
  accepts(node, { move } = {}) {
    const isTry = move !== undefined && node === this.tree.root;
    if (isTry) this.try(move);
    return !isTry;
  }

  status(node) {
    return this.isTry(node) ? [] : [turnText(node)];
  }

  panel() {
    return { ...super.panel(), review: false, keeps: false };
  }

  /** Plays a try and shows the verdict on it. */
  async try(move) {
    const node = this.tree.play(move);
    state.half = {};
    await settle(t("lessonJudging", move));
    const goesOn = () => state.tree.current === node;
    await unlessStopped(goesOn, async () => {
      const loss = await this.lossOf(node, goesOn);
      if (!goesOn()) return;
      const isBest = move === this.mistake.node.parent.found.best;
      if (loss > RIGHT_LOSS) tell(t("lessonWrong", move, percent(loss)));
      else tell(t(isBest ? "lessonBest" : "lessonRight", move));
    });
  }

  /** Returns the win rate that a try loses, 0 to 1. */
  async lossOf(node, goesOn) {
    const { node: { move, parent }, loss } = this.mistake;
    if (node.move === move) return loss;
    if (node.move === parent.found.best) return 0;
    if (node.described.winner) return node.described.winner === this.tree.first ? 0 : 1;
    await search(node, { seconds: this.seconds }, goesOn);
    return this.tree.lossOf(node, parent.rate);
  }

  again() {
    goTo(this.tree.root);
    tell(this.task());
  }

  /** Plays the engine's move and shows the expected continuation. */
  solve() {
    const line = bestLine(this.mistake.node.parent.found, BETTER_MOVES);
    this.tree.show(this.tree.root);
    this.tree.play(line[0]);
    state.half = {};
    settle(t("lessonShown", line.join(" ")));
  }

  end() {
    returnTo(this.before);
    byId("review").focus();
  }

  draw() {
    byId("lesson-title").textContent = t("lessonTitle", this.index + 1, this.mistakes.length);
    byId("lesson-task").textContent = this.task();
    byId("lesson-again").disabled = state.tree.current === this.tree.root;
    byId("lesson-next").disabled = this.index + 1 === this.mistakes.length;
  }

  listen() {
    for (const side of SIDES) byId(`learn-${side}`).addEventListener("click", () => this.begin(side));
    byId("lesson-again").addEventListener("click", () => this.again());
    byId("lesson-show").addEventListener("click", () => this.solve());
    byId("lesson-next").addEventListener("click", () => this.show(this.index + 1));
    byId("lesson-end").addEventListener("click", () => this.end());
  }
}

export const lesson = new Lesson("lesson");
