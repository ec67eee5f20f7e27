// The rooms of the page: ways to use the board. The core calls five hooks of the current room and knows no room itself.

import { state } from "page/core/state.js";
import { join, room } from "page/core/current.js";
import { verdict } from "page/core/verdict.js";
import { describe, search } from "page/core/game.js";
import { draw, turnText, usualArrows } from "page/core/show.js";
import { recent } from "page/core/recent.js";

/** A room with the usual hooks: every move can be tried, and an analysis searches the position shown. */
export class Room {
  /**
   * `mode` is the value of `state.mode` while the room is the current one.
   * @param {string} mode
   */
  constructor(mode) {
    this.mode = mode;
    /**
     * The fragment of the page's address that opens the room; null if there is none.
     * @type {string | null}
     */
    this.address = `#${mode}`;
    /**
     * The game to return to, from `gameShown`, or null.
     * @type {GameShown | null}
     */
    this.before = null;
    join(this);
  }

  /** True while this is the current room. */
  get active() {
    return room() === this;
  }

  /**
   * First hook: true if a person may move in this position now, choose `square`, or make `move`. A room that handles the
   * square or the move in its own way returns false.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { square, move } = {}) {
    return true;
  }

  /**
   * Second hook: takes the turn in a position, until `goesOn()` is false.
   * @param {GameNode} node
   * @param {GoesOn} goesOn
   */
  async turn(node, goesOn) {
    const described = await describe(node);
    if (!goesOn()) return;
    recent.keep();
    draw();
    await this.answer(described, goesOn);
  }

  /**
   * Continues `turn` when the position is described: searches, or lets the engine move.
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   * @returns {Promise<void>}
   */
  async answer(node, goesOn) {
    if (state.analysing && !node.described.winner) await search(node, { seconds: Infinity }, goesOn);
  }

  /**
   * Third hook: returns texts about the position for the status below the board; empty ones are left out.
   * @param {GameNode} node
   * @returns {(string | null)[]}
   */
  status(node) {
    return [verdict.remark(node), turnText(node)];
  }

  /**
   * Fourth hook: returns the moves to draw as arrows: `{ move, side }` with `step`, `number`, `rate` or `look`.
   * @param {GameNode} node
   * @returns {Suggestion[]}
   */
  arrows(node) {
    return usualArrows(node);
  }

  /**
   * Fifth hook: returns the parts of the page that the room shows and allows: winning `rates`, best `moves`, `review`,
   * `bars` of losses below the curve; `squares`: owners of squares shown; `signs`: ticks and crosses on squares,
   * `{ square, isRight }`; `keeps`: stores the game; `leaves`: another game can be opened; `steps`: keys step through the
   * game. `draw()` draws the room's own sections.
   * @returns {Panel}
   */
  panel() {
    const does = { keeps: true, leaves: true, steps: true, draw: () => this.draw() };
    return { rates: true, moves: true, review: true, bars: true, squares: "off", ...does };
  }

  /** Draws the room's own sections, which are visible only in this room. */
  draw() {}

  /** Renews the room's own texts after a change of the language. */
  renew() {}

  /** Opens the room when its address is opened. */
  visit() {}
}
