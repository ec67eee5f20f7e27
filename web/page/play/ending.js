// Ends of games: resignation, filling of decided games, rematches.

import { byId, icon, opponentOf, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { ask } from "page/core/controls.js";
import { canMove } from "page/core/turn.js";
import { describe, interrupt, resign, search, settle, tell, unlessStopped } from "page/core/game.js";
import { roomAt } from "page/core/current.js";
import { draw } from "page/core/show.js";
import { territory } from "page/core/lead.js";
import { save } from "page/core/records.js";
import { review } from "page/core/review.js";
import { beginGame } from "page/play/begin.js";
import { isGame } from "page/play/coach.js";

/** Search time for each move, in seconds, when the engine fills the rest of a decided game. */
const FILL_SECONDS = 0.1;

export const ending = {
  /**
   * The value of `state.change` when filling began.
   * @type {number | null}
   */
  change: null,

  /** True while the engine plays the remaining moves of both sides. */
  get isFilling() {
    return this.change === state.change;
  },

  /**
   * True if the node is the last position of a game that is played on the page.
   * @param {GameNode} node
   * @returns {node is DescribedNode}
   */
  isAtEnd(node) {
    return Boolean(state.tree.begun !== null && node.described && !node.next);
  },

  /**
   * True if filling is offered at this node: once per game, at the first decided position with the person to move.
   * @param {DescribedNode} node
   */
  offersFilling(node) {
    const { tree } = state;
    if (!node.described.proof || node.winner || !canMove(node)) return false;
    tree.offered ??= node;
    return tree.offered === node;
  },

  draw() {
    const node = state.tree.current;
    const end = this.isAtEnd(node) ? node : null;
    const winner = end ? end.described.winner ?? end.winner : null;
    const offers = end !== null && this.offersFilling(end);
    byId("result").textContent = end && winner ? this.result(end, winner) : "";
    byId("decided").textContent = end ? this.text(end) : "";
    byId("fill").hidden = !offers && !this.isFilling;
    byId("fill").textContent = t(this.isFilling ? "stop" : "fill");
    byId("end-actions").hidden = !winner;
    for (const button of [byId("play-same"), byId("play-again")]) button.hidden = !winner || !isGame();
    byId("play-same").replaceChildren(icon(this.person), ` ${t("playSame")}`);
    byId("play-again").replaceChildren(icon(opponentOf(this.person)), ` ${t("playChanged")}`);
    byId("ending").hidden = !winner && !byId("decided").textContent && byId("fill").hidden;
    byId("ending").classList.toggle("over", Boolean(winner));
    byId("status").classList.toggle("heard", Boolean(winner && !state.message));
  },

  /** The person's side in a game against the engine. */
  get person() {
    return state.players.black === "human" ? "black" : "white";
  },

  /**
   * Returns the result with the margin, in moves that the winner has left; a resignation or lost time has none.
   * @param {DescribedNode} node
   * @param {Side} winner
   */
  result({ described }, winner) {
    const margin = described.winner ? described.proof?.margin : null;
    return t("wonBy", t(winner), margin);
  },

  /**
   * Returns a text that names the certain winner or, after the end, counts the squares that each side reaches first.
   * @param {DescribedNode} node
   */
  text({ described: { winner, proof, owners }, winner: resigned, found, ply }) {
    if (winner || resigned) {
      const [black, white] = territory({ owners });
      const [mover, lead] = [SIDES.indexOf(state.tree.moverOf(ply)), resigned && !winner ? found?.lead : null];
      const expected = lead == null ? "" : t("leadOf", t(SIDES[lead < 0 ? 1 - mover : mover]), Math.abs(lead));
      return [t("moveCount", Math.ceil(ply / 2)), t("reachedFirst", black, white), expected].filter(Boolean).join(" · ");
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
    return Boolean((await describe(state.tree.current)).described.winner);
  },

  /** @param {GoesOn} goesOn */
  async fillMove(goesOn) {
    const node = await describe(state.tree.current);
    const found = await search(node, { seconds: FILL_SECONDS }, goesOn);
    if (!goesOn() || !found?.best) return;
    state.tree.play(found.best);
    state.found = null;
    draw();
  },

  /**
   * Begins the game again from its first position, with other players if they change colours.
   * @param {BySide<Player>} players
   */
  playAgain(players) {
    const { tree, control } = state;
    beginGame(tree.copyTo(tree.line()[tree.begun ?? 0]), players, control, tree.clock?.asked);
  },

  /** Opens the analysis of the game and searches its moves. */
  async review() {
    await roomAt("#analyse")?.visit();
    if (!review.active) review.toggle();
  },

  listen() {
    byId("fill").addEventListener("click", () => this.fill());
    byId("play-same").addEventListener("click", () => this.playAgain({ ...state.players }));
    byId("play-again").addEventListener("click", () => this.playAgain({ black: state.players.white, white: state.players.black }));
    byId("end-review").addEventListener("click", () => this.review());
    byId("end-save").addEventListener("click", () => save("sgf"));
    byId("resign").addEventListener("click", () => ask("resign-dialog"));
    byId("resign-dialog").addEventListener("close", () => byId("resign-dialog").returnValue === "resign" && resign());
  },
};
