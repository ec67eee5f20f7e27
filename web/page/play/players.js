// The players beside the board: names, turn and clocks. A person's clock can have a limit.

import { byId, html, icon, opponentOf, SIDES } from "shared/elements.js";
import { settings, t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { clockText } from "page/core/controls.js";
import { endOf } from "page/core/tree.js";
import { engineAt } from "page/core/strength.js";
import { board } from "page/core/board.js";
import { isReplying } from "page/core/turn.js";
import { settle } from "page/core/game.js";
import { coach, isGame } from "page/play/coach.js";

/** Milliseconds between two updates of the clocks. */
const CLOCK_TICK = 250;

export const players = {
  /** Time of the last update, in milliseconds. */
  since: performance.now(),
  /** Trees whose clocks have been restored. */
  restored: new WeakSet(),

  /** The last node of the game shown. */
  get end() {
    return endOf(state.tree.line());
  },

  /** Returns the side whose clock runs, or null: the first move starts the clocks, the end and a warning stop them. */
  running() {
    const { mode, tree } = state;
    if (mode !== "play" || tree.begun === null || tree.winner() || coach.isWarning(tree.current)) return null;
    return this.end.ply > tree.begun ? tree.moverOf(this.end.ply) : null;
  },

  /**
   * Adds the time since the last move to the clocks of a game that this tab shows again after a reload.
   * @param {GameTree} tree
   */
  restore(tree) {
    if (!tree.clock || this.restored.has(tree)) return;
    this.restored.add(tree);
    let kept = null;
    try {
      kept = JSON.parse(settings.get("clock", "session") ?? "null");
    } catch {
      // A broken entry is ignored.
    }
    if (kept?.id === tree.id && SIDES.every((side) => Number.isFinite(kept.used?.[side]))) tree.clock.used = kept.used;
  },

  /**
   * Returns the seconds that a side has left, or has used without a limit.
   * @param {Side} side
   */
  shown(side) {
    const { limit, used } = state.tree.clock ?? { limit: null, used: { black: 0, white: 0 } };
    return limit && state.players[side] === "human" ? limit - used[side] : used[side];
  },

  /** Charges the time since the last update to the running clock. A person without time has lost. */
  tick() {
    const { tree } = state;
    const now = performance.now();
    const side = tree && this.running();
    if (side) {
      tree.clock ??= { limit: null, used: { black: 0, white: 0 } };
      tree.clock.used[side] += (now - this.since) / 1000;
      settings.set("clock", JSON.stringify({ id: tree.id, used: tree.clock.used }), "session");
      const isOver = tree.clock.limit && state.players[side] === "human" && this.shown(side) <= 0;
      if (isOver) this.lose(side);
      else this.drawClocks();
    }
    this.since = now;
  },

  /**
   * Ends the game by time. Without a limit, the game can go on after the loss is taken back.
   * @param {Side} side
   */
  lose(side) {
    const { tree, end } = { tree: state.tree, end: this.end };
    if (tree.clock) tree.clock.limit = null;
    end.winner = opponentOf(side);
    Object.assign(state, { half: {}, unanswered: null });
    tree.show(end);
    settle(t("timeOut", t(side)));
  },

  drawClocks() {
    const { clock } = state.tree;
    for (const side of SIDES) byId(`clock-${side}`).textContent = clock ? clockText(Math.max(0, this.shown(side))) : "";
  },

  draw() {
    this.restore(state.tree);
    const low = board.flipped ? "white" : "black";
    byId("player-low").replaceChildren(...this.row(low));
    byId("player-top").replaceChildren(...this.row(opponentOf(low)));
    const { tree } = state;
    const turn = tree.winner() ? null : tree.moverOf(this.end.ply);
    byId("player-low").classList.toggle("turn", low === turn);
    byId("player-top").classList.toggle("turn", opponentOf(low) === turn);
    this.drawClocks();
  },

  /**
   * Returns the elements of a player: piece, name, what the player does, clock.
   * @param {Side} side
   */
  row(side) {
    const { tree, control } = state;
    const isEngine = state.players[side] === "engine";
    const person = tree.record[side] || (isGame() ? t("you") : t(side));
    const does = isEngine && isReplying() ? t("thinks") : tree.winner() === side ? t("winner") : t(side);
    return [
      icon(side),
      html("span", { class: "who" }, html("b", { class: "name" }, isEngine ? engineAt(control) : person), html("small", { class: "name" }, does)),
      html("span", { class: "clock", id: `clock-${side}`, role: "timer", "aria-label": t("clockOf", t(side)) }),
    ];
  },

  listen() {
    setInterval(() => this.tick(), CLOCK_TICK);
  },
};
