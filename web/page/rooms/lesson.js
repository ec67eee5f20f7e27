// Lessons: a player looks for better moves in the positions before the player's mistakes and blunders.

import { byId, percent, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { bestLine, GameTree } from "page/core/tree.js";
import { goToPanel } from "page/core/controls.js";
import { Room } from "page/core/room.js";
import { describe, gameShown, goTo, returnTo, search, settle, setTree, tell, unlessStopped } from "page/core/game.js";
import { turnText } from "page/core/show.js";
import { BETTER_MOVES, RIGHT_LOSS, verdict } from "page/core/verdict.js";

class Lesson extends Room {
  index = 0;
  /**
   * The mistakes and blunders of the lesson, with the loss as a win rate and as text.
   * @type {{ node: PlayedNode, loss: number | null, lost: string }[]}
   */
  mistakes = [];
  /** Search time for a try, in seconds. */
  seconds = 1;
  /**
   * The tree with the position of the lesson and the tries; null before the first lesson.
   * @type {GameTree}
   */
  tree = /** @type {never} */ (null);
  address = null;

  get mistake() {
    return this.mistakes[this.index];
  }

  /**
   * Begins a lesson on the mistakes and blunders of a side.
   * @param {Side} side
   */
  async begin(side) {
    const faults = verdict.gravesOf(side);
    this.mistakes = faults.map((node) => ({ node, loss: verdict.lossOf(node), lost: verdict.lossText(node) }));
    // The engine has not described the positions of a saved review.
    for (const { parent } of faults) await describe(parent);
    this.before = gameShown();
    this.show(0);
    goToPanel("lesson-title");
  }

  /** @param {number} index */
  show(index) {
    const { black, white } = gameShown().tree.record;
    const { described } = this.mistakes[index].node.parent;
    if (!described) return;
    Object.assign(this, { index, tree: new GameTree(described.fen, { black, white }) });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    setTree("lesson", this.tree, this.task());
  }

  task() {
    const { node, lost } = this.mistake;
    return t("lessonTask", t(this.tree.first), node.move, lost);
  }

  /**
   * True if the node is the position after a try.
   * @param {GameNode} node
   */
  isTry(node) {
    return node.parent === this.tree.root;
  }

  /**
   * A move in the position of the lesson is a try.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { move } = {}) {
    const isTry = move !== undefined && node === this.tree.root;
    if (isTry) this.try(move);
    return !isTry;
  }

  /** @param {GameNode} node */
  status(node) {
    return this.isTry(node) ? [] : [turnText(node)];
  }

  panel() {
    return { ...super.panel(), review: false, keeps: false };
  }

  /**
   * Plays a try and shows the verdict on it.
   * @param {Move} move
   */
  async try(move) {
    const node = this.tree.play(move);
    state.half = {};
    await settle(t("lessonJudging", move));
    const goesOn = () => state.tree.current === node;
    await unlessStopped(goesOn, async () => {
      const loss = await this.lossOf(node, goesOn);
      if (!goesOn()) return;
      const isBest = move === this.mistake.node.parent.found?.best;
      if (loss !== null && loss > RIGHT_LOSS) tell(t("lessonWrong", move, percent(loss)));
      else tell(t(isBest ? "lessonBest" : "lessonRight", move));
    });
  }

  /**
   * Returns the win rate that a try loses, 0 to 1.
   * @param {PlayedNode} node
   * @param {GoesOn} goesOn
   */
  async lossOf(node, goesOn) {
    const { node: { move, parent }, loss } = this.mistake;
    if (node.move === move) return loss;
    if (node.move === parent.found?.best) return 0;
    const described = await describe(node);
    const { winner } = described.described;
    if (winner) return winner === this.tree.first ? 0 : 1;
    await search(described, { seconds: this.seconds }, goesOn);
    return this.tree.lossOf(node, parent.rate);
  }

  again() {
    goTo(this.tree.root);
    tell(this.task());
  }

  /** Plays the engine's move and shows the expected continuation. */
  solve() {
    const { found } = this.mistake.node.parent;
    const line = found ? bestLine(found, BETTER_MOVES) : [];
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
