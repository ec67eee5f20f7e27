// Ends of games: resignation, filling of decided games, rematches.

import { byId, icon, opponentOf, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { ask } from "page/core/controls.js";
import { canMove, describe, interrupt, resign, search, settle, tell, unlessStopped } from "page/core/game.js";
import { roomAt } from "page/core/room.js";
import { draw } from "page/core/show.js";
import { territory } from "page/core/lead.js";
import { save } from "page/core/records.js";
import { review } from "page/core/review.js";
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
    const winner = isAtEnd ? node.described.winner ?? node.winner : null;
    const offers = isAtEnd && this.offersFilling(node);
    byId("result").textContent = winner ? this.result(node, winner) : "";
    byId("decided").textContent = isAtEnd ? this.text(node) : "";
    byId("fill").hidden = !offers && !this.isFilling;
    byId("fill").textContent = t(this.isFilling ? "stop" : "fill");
    byId("end-actions").hidden = !winner;
    for (const id of ["play-same", "play-again"]) byId(id).hidden = !winner || !isGame();
    byId("play-same").replaceChildren(icon(this.person), ` ${t("playSame")}`);
    byId("play-again").replaceChildren(icon(opponentOf(this.person)), ` ${t("playChanged")}`);
    byId("ending").hidden = !winner && !byId("decided").textContent && byId("fill").hidden;
    byId("ending").classList.toggle("over", Boolean(winner));
  },

  /** The person's side in a game against the engine. */
  get person() {
    return state.players.black === "human" ? "black" : "white";
  },

  /** Returns the result with the margin, in moves that the winner has left; a resignation or lost time has none. */
  result({ described, winner: early }, winner) {
    const margin = early ? null : described.proof?.margin;
    return t("wonBy", t(winner), margin);
  },

  /** Returns a text that names the certain winner or, after the end, counts the squares that each side reaches first. */
  text({ described: { winner, proof, owners }, winner: resigned, found, ply }) {
    if (winner || resigned) {
      const [black, white] = territory({ owners });
      const [mover, lead] = [SIDES.indexOf(state.tree.moverOf(ply)), resigned ? found?.lead : null];
      const expected = lead == null ? "" : t("leadOf", t(SIDES[lead < 0 ? 1 - mover : mover]), Math.abs(lead));
      return [t("reachedFirst", black, white), expected, t("moveCount", Math.ceil(ply / 2))].filter(Boolean).join(" · ");
    }
    return proof ? t("decided", t(proof.winner), proof.margin) : "";
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

  /** Begins the game again from its first position, with other players if they change colours. */
  playAgain(players) {
    const { tree, control } = state;
    beginGame(tree.copyTo(tree.line()[tree.begun]), players, control, tree.clock?.asked);
  },

  /** Opens the analysis of the game and searches its moves. */
  review() {
    roomAt("#analyse").visit();
    if (!review.active) review.toggle();
  },

  listen() {
    byId("fill").addEventListener("click", () => this.fill());
    byId("play-same").addEventListener("click", () => this.playAgain({ ...state.players }));
    byId("play-again").addEventListener("click", () => this.playAgain({ black: state.players.white, white: state.players.black }));
    byId("end-review").addEventListener("click", () => this.review());
    byId("end-save").addEventListener("click", () => save("sgf"));
    byId("resign").addEventListener("click", () => ask("resign-dialog"));
    byId("resign-dialog").addEventListener("close", ({ target }) => target.returnValue === "resign" && resign());
  },
};
