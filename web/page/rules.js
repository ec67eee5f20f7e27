// The rules of the game and the keys of the page, with one move as an example.

import { byId, html } from "shared/elements.js";
import { boardAfter } from "shared/replay.js";
import { Board } from "shared/board.js";
import { t } from "page/core/text.js";
import { engine } from "page/core/state.js";
import { ask } from "page/core/controls.js";
import { unlessStopped } from "page/core/game.js";

/** Milliseconds between the steps of the example: start, amazon's move, arrow's flight. */
const EXAMPLE_STEP = 1300;
export const EXAMPLE = { start: "1q2q/5/1*3/4*/Q2Q1 w - - 0 1", move: "d1-d4/b2" };

export const rules = {
  /** @type {Board | null} */
  board: null,
  /** @type {number | undefined} */
  timer: undefined,
  /** The step of the example that is shown. */
  step: 0,

  open() {
    byId("rules-list").replaceChildren(...t("rulesText").map((text) => html("li", {}, text)));
    byId("rules-keys").tBodies[0].replaceChildren(...t("keys").map(([keys, text]) =>
      html("tr", {}, html("th", { scope: "row" }, html("kbd", {}, keys)), html("td", {}, text))));
    this.board ??= new Board(byId("rules-board"));
    ask("rules-dialog");
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(2);
    else this.play();
    this.showVersion();
  },

  /**
   * Shows a step of the example: 0 is the start, 1 the amazon's move, 2 the whole move.
   * @param {number} step
   */
  show(step) {
    this.step = step;
    const moves = step > 0 ? [{ move: EXAMPLE.move }] : [];
    const position = boardAfter({ start: EXAMPLE.start, moves }, 1);
    if (step === 1) {
      position.arrows.pop();
      delete position.last?.arrow;
    }
    this.board?.draw(EXAMPLE, position);
  },

  /** Plays the example once. */
  play() {
    clearInterval(this.timer);
    this.show(0);
    this.timer = setInterval(() => {
      this.show(this.step + 1);
      if (this.step === 2) clearInterval(this.timer);
    }, EXAMPLE_STEP);
  },

  async showVersion() {
    await unlessStopped(() => true, async () => {
      const { version } = await engine.ask({ do: "version" });
      byId("rules-version").textContent = `Otrera ${version}`;
    });
  },

  listen() {
    byId("open-rules").addEventListener("click", () => this.open());
    byId("rules-play").addEventListener("click", () => this.play());
    // The event can arrive after the dialog is open again.
    byId("rules-dialog").addEventListener("close", () => byId("rules-dialog").open || clearInterval(this.timer));
  },
};
