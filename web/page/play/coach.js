// The coach: warns of a mistake before the engine replies.

import { byId, percent } from "shared/elements.js";
import { settings, t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { write } from "page/core/controls.js";
import { bestLine } from "page/core/tree.js";
import { canMove, isReplying } from "page/core/turn.js";
import { look, settle, undo } from "page/core/game.js";
import { draw, squares } from "page/core/show.js";

/** Selectable warning limits: the win rate, 0 to 1, that a move must lose before the coach warns. */
const WARNINGS = [0.05, 0.1, 0.2];

/** True if a person plays against the engine. */
export function isGame() {
  return state.mode === "play" && state.players.black !== state.players.white;
}

export const coach = {
  active: settings.get("coach") === "on",
  /** The win rate, 0 to 1, that a move must lose before the coach warns. */
  limit: WARNINGS.find((share) => String(share) === settings.get("coach-limit")) ?? 0.1,
  /** Search time per position, in seconds: before and after a played move; `preparation`: while the person thinks. */
  seconds: 1,
  preparation: 3,
  /** Nodes after moves that the person keeps despite a warning. */
  accepted: new WeakSet(),
  /**
   * The move that waits for the person's decision, the better move and what is expected after each; or null.
   * @type {{ node: PlayedNode, loss: number, reply?: Move | null, better: Move, next?: Move } | null}
   */
  warning: null,

  /** @param {GameNode} node */
  isWarning(node) {
    return this.active && isGame() && this.warning?.node === node;
  },

  /**
   * Searches a position until its total search time is `seconds`.
   * @param {GameNode} node
   * @param {GoesOn} goesOn
   * @param {number} seconds
   */
  look(node, goesOn, seconds) {
    return look(node, goesOn, seconds);
  },

  /**
   * Searches the position in the background while the person thinks.
   * @param {GameNode} node
   * @param {GoesOn} goesOn
   */
  async prepare(node, goesOn) {
    if (this.active && isGame() && canMove(node) && !state.tree.winner()) await this.look(node, goesOn, this.preparation);
  },

  /**
   * Checks a person's move. Returns true if the engine must not reply: the coach warns, or the task has ended.
   * @param {GameNode} node
   * @param {GoesOn} goesOn
   */
  async holds(node, goesOn) {
    const { parent } = node;
    if (!this.active || !isGame() || !parent || this.accepted.has(node)) return false;
    await this.look(parent, goesOn, this.seconds);
    await this.look(node, goesOn, this.seconds);
    if (!goesOn()) return true;
    const loss = state.tree.lossOf(node);
    const best = parent.found?.best;
    if (!this.active || !parent.found || !best || best === node.move || loss === null || loss <= this.limit) return false;
    const [, next] = bestLine(parent.found, 2);
    this.warning = { node, loss, reply: node.found?.best, better: best, next };
    state.replying = null;
    draw();
    return true;
  },

  /**
   * Returns the better move and the reply that refutes the played move, to be drawn as arrows.
   * @param {PlayedNode} node
   */
  suggestions({ parent, ply }) {
    if (!this.warning) return [];
    const { better, reply } = this.warning;
    const [mover, other] = [parent.ply, ply].map((at) => state.tree.moverOf(at));
    return [{ move: better, side: mover }, ...(reply ? [{ move: reply, side: other }] : [])];
  },

  toggle() {
    this.active = !this.active;
    this.drawButton();
    settings.set("coach", this.active ? "on" : "off");
    // Does not restart the engine's search for its move.
    if (isReplying()) draw();
    else settle();
  },

  /** @param {string} share */
  choose(share) {
    this.limit = Number(share);
    settings.set("coach-limit", share);
    if (this.isWarning(state.tree.current)) this.decide(settle);
  },

  /**
   * Clears the warning, runs `action`, and returns the keyboard focus to the board.
   * @param {() => unknown} action
   */
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
    byId("coach-panel").hidden = !this.active || !isGame() || Boolean(state.tree.winner());
    byId("coach-panel").classList.toggle("warning", isWarning);
    const warning = isWarning ? this.warning : null;
    write("coach-text", warning ? t("coachWarning", { ...warning, move: warning.node.move }) : t("coachWatches", percent(this.limit, 0)));
  },

  drawButton() {
    byId("coach").setAttribute("aria-pressed", String(this.active));
  },

  listen() {
    this.drawButton();
    byId("coach-limit").value = String(this.limit);
    byId("coach").addEventListener("click", () => this.toggle());
    byId("coach-limit").addEventListener("change", () => this.choose(byId("coach-limit").value));
    byId("coach-back").addEventListener("click", () => this.decide(undo));
    byId("coach-on").addEventListener("click", () => this.playOn());
  },
};
