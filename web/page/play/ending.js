// Ends of games: resignation, filling of decided games, rematches.

import { byId } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { ask } from "page/core/controls.js";
import { canMove, describe, interrupt, resign, search, settle, tell, unlessStopped } from "page/core/game.js";
import { draw } from "page/core/show.js";
import { isGame } from "page/play/coach.js";
import { beginGame } from "page/rooms/play.js";

/** Search time for each move, in seconds, when the engine fills the rest of a decided game. */
const FILL_SECONDS = 0.1;

export const ending = {
  /** The value of `state.change` when filling began. */
  change: null,

  /** True while the engine plays the remaining moves of both sides. */
  get isFilling() {
    return this.change === state.change;
  },

  /** True if the node is the last position of a game that is played on the page. */
  isAtEnd({ next, described }) {
    return Boolean(state.tree.begun !== null && described && !next);
  },

  /** True if filling is offered at this node: once per game, at the first decided position with the person to move. */
  offersFilling(node) {
    const { tree } = state;
    if (!node.described.proof || node.winner || !canMove(node)) return false;
    tree.offered ??= node;
    return tree.offered === node;
  },

  draw() {
    const node = state.tree.current;
    const isAtEnd = this.isAtEnd(node);
    const offers = isAtEnd && this.offersFilling(node);
    byId("decided").textContent = isAtEnd ? this.text(node) : "";
    byId("fill").hidden = !offers && !this.isFilling;
    byId("fill").textContent = t(this.isFilling ? "stop" : "fill");
    byId("play-again").hidden = !(isAtEnd && isGame() && (node.described.winner ?? node.winner));
    byId("ending").hidden = !byId("decided").textContent && byId("fill").hidden && byId("play-again").hidden;
  },

  /** Returns a text that names the certain winner or, after the end, the number of moves that the winner has left. */
  text({ described: { winner, proof }, winner: resigned }) {
    if (!proof || resigned) return "";
    const side = t(proof.winner);
    if (winner) return proof.margin > 0 ? t("movesLeft", side, proof.margin) : "";
    return t("decided", side, proof.margin);
  },

  /** Plays the remaining moves of both sides, or stops doing so. */
  async fill() {
    if (this.isFilling) return settle();
    const goesOn = interrupt();
    this.change = state.change;
    Object.assign(state, { half: {}, unanswered: null, hint: null });
    tell(t("filling"));
    await unlessStopped(goesOn, async () => {
      while (goesOn() && !(await this.isOver())) await this.fillMove(goesOn);
      if (goesOn()) settle();
    });
  },

  async isOver() {
    const { current } = state.tree;
    await describe(current);
    return Boolean(current.described.winner);
  },

  async fillMove(goesOn) {
    const { best } = await search(state.tree.current, { seconds: FILL_SECONDS }, goesOn);
    if (!goesOn()) return;
    state.tree.play(best);
    state.found = null;
    draw();
  },

  /** Begins the game again from its first position, with colours swapped. */
  playAgain() {
    const { tree, players, control } = state;
    beginGame(tree.copyTo(tree.line()[tree.begun]), { black: players.white, white: players.black }, control);
  },

  listen() {
    byId("fill").addEventListener("click", () => this.fill());
    byId("play-again").addEventListener("click", () => this.playAgain());
    byId("resign").addEventListener("click", () => ask("resign-dialog"));
    byId("resign-dialog").addEventListener("close", ({ target }) => target.returnValue === "resign" && resign());
  },
};
