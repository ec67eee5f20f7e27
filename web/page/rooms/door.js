// Door: the first visit, with three ways. Basics: a lesson on 6x6 in which the reader plays every step.

import { byId, html } from "shared/elements.js";
import { t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { engineAt } from "page/core/strength.js";
import { write } from "page/core/controls.js";
import { board } from "page/core/board.js";
import { enter } from "page/core/current.js";
import { Room } from "page/core/room.js";
import { gameShown, play, setHalf, setTree } from "page/core/game.js";
import { draw } from "page/core/show.js";

/** Positions of the steps: move, shoot (which continues the first), cut off, count. */
const STARTS = ["4q1/2*3/6/6/6/1Q4 w - - 0 1", "", "4*q/4*1/6/6/2Q3/6 w - - 0 1", "****1q/*****1/******/1*****/2****/Q1**** w - - 0 1"];
const FIRST_AMAZON = "b1";

/** The board of the lesson's first step, on which the amazon is already chosen. */
class FirstStep extends Room {
  /**
   * @param {GameNode} node
   * @param {Attempt} [given]
   * @returns {boolean}
   */
  accepts(node, given) {
    return !node.parent;
  }

  /** @param {DescribedNode} node */
  async answer(node) {
    if (!node.parent && !state.half.from) setHalf({ from: FIRST_AMAZON });
  }

  status() {
    return [];
  }

  panel() {
    return { ...super.panel(), review: false, keeps: false };
  }


  /** @param {Fen} start */
  show(start) {
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    board.flip(false);
    setTree(this.mode, new GameTree(start));
  }
}

class Door extends FirstStep {
  async visit() {
    if (this.active) return;
    this.before = state.tree ? gameShown() : await this.emptyGame();
    this.show(STARTS[0]);
  }

  /**
   * Returns the state of a game against Otrera without moves, as `gameShown` does, for the rooms that the door leads to.
   * @returns {Promise<GameShown>}
   */
  async emptyGame() {
    const { fen } = await engine.ask({ do: "start", edge: 10 });
    const tree = Object.assign(new GameTree(fen, { white: engineAt(state.control) }), { begun: 0 });
    return { mode: "play", tree, unanswered: null, half: {}, isFlipped: false, hasGames: false, players: { black: "human", white: "engine" } };
  }

  /** The first step of the lesson on the door's board opens the lesson. */
  draw() {
    if (state.half.to) basics.takeOver(this.before);
  }

  listen() {
    byId("door-learn").addEventListener("click", () => basics.visit());
  }
}

class Basics extends FirstStep {
  address = "#lesson";
  index = 0;

  visit() {
    this.before = gameShown();
    this.go(0);
  }

  /** @param {GameShown | null} before */
  takeOver(before) {
    Object.assign(this, { before, index: 0 });
    enter(this.mode);
    draw();
  }

  /**
   * Shows a step; the second one needs the move of the first.
   * @param {number} index
   */
  go(index) {
    this.index = STARTS[index] === "" ? index - 1 : index;
    this.show(STARTS[this.index]);
  }

  /** The step shown: after its landing, the first step becomes the second. */
  get step() {
    return this.index === 0 && (state.half.to || state.tree.current.parent) ? 1 : this.index;
  }

  get isCount() {
    return this.index === STARTS.length - 1;
  }

  /**
   * In the last step Black's moves are the reader's, White's are made by the page.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { move } = {}) {
    return move !== undefined || (this.isCount ? node.ply % 2 === 0 : super.accepts(node));
  }

  /** @param {DescribedNode} node */
  async answer(node) {
    if (this.index === 0) await super.answer(node);
    const { moves, winner } = node.described;
    if (!this.isCount || winner || node.ply % 2 === 0) return;
    const [[from, targets]] = Object.entries(moves);
    const [[to, [arrow]]] = Object.entries(targets);
    play(`${from}-${to}/${arrow}`);
  }

  /**
   * Returns the outcome of the step shown: `true`, `false`, or null while it goes on.
   * @param {GameNode} node
   */
  outcome({ parent, described }) {
    if (this.index === 0) return parent ? true : null;
    if (!parent || !described || (this.isCount && !described.winner)) return null;
    return described.winner === "black";
  }

  draw() {
    const { step } = this;
    const outcome = this.outcome(state.tree.current);
    const { title, task, right, wrong } = t("basics")[step];
    byId("basics-steps").replaceChildren(...t("basics").map((one, index) =>
      html("li", { "aria-current": index === step && "step", class: index < step && "done" }, one.title)));
    byId("basics-title").textContent = title;
    write("basics-text", (outcome === null ? task : outcome ? right : wrong) ?? "");
    byId("basics-next").hidden = !outcome || step === STARTS.length - 1;
    byId("basics-play").hidden = !outcome || step < STARTS.length - 1;
  }

  listen() {
    byId("basics-next").addEventListener("click", () => this.go(this.step + 1));
    byId("basics-again").addEventListener("click", () => this.go(this.index));
    byId("basics-door").addEventListener("click", () => door.visit());
  }
}

export const door = new Door("door");
export const basics = new Basics("basics");
