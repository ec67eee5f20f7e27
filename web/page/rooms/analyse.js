// Analyse: positions and records to look at. Every move is a variation, and the engine never plays.

import { byId } from "shared/elements.js";
import { messageOf, t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { explain, reasonText } from "page/core/ground.js";
import { Room } from "page/core/room.js";
import { describe, gameShown, interrupt, settle, setTreeToLookAt, tell } from "page/core/game.js";
import { draw } from "page/core/show.js";
import { openFiles } from "page/core/records.js";
import { verdict } from "page/core/verdict.js";
import { recent } from "page/core/recent.js";
import { collection } from "page/analyse/collection.js";

class Analyse extends Room {
  /** Shows the analysis of the game that is on the board, or a copy of that game, so that it stays as it is. */
  async visit() {
    if (!this.active) await recent.analyse(gameShown().tree);
  }

  /**
   * Finds the reason of a fault before the position is searched.
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   */
  async answer(node, goesOn) {
    if (verdict.isFault(node) && node.parent) {
      await describe(node.parent);
      await explain(node);
      if (!goesOn()) return;
      draw();
    }
    await super.answer(node, goesOn);
  }

  /** @param {GameNode} node */
  status(node) {
    const [remark, ...rest] = super.status(node);
    return [remark, remark && reasonText(node), ...rest];
  }

  draw() {
    byId("line-actions").hidden = this.variation === null;
    collection.draw();
  }

  /** The first node of the variation shown, or null. */
  get variation() {
    return state.tree.variationOf(state.tree.current);
  }

  /** Makes the variation shown the main line. */
  promote() {
    state.tree.promote(state.tree.current);
    this.keep(null);
  }

  /** Deletes the variation shown. */
  remove() {
    const { variation } = this;
    if (!variation) return;
    state.tree.remove(variation);
    this.keep(t("deletedLine", variation.move));
  }

  /**
   * Stores and shows a changed tree.
   * @param {string | null} message
   */
  keep(message) {
    state.tree.id ??= Date.now();
    state.half = {};
    settle(message);
  }

  /** @returns {Panel} */
  panel() {
    return { ...super.panel(), squares: state.squares ?? "territory" };
  }

  listen() {
    collection.listen();
    byId("make-main").addEventListener("click", () => this.promote());
    byId("delete-line").addEventListener("click", () => this.remove());
    byId("open-folder").addEventListener("click", () => byId("folder").click());
    byId("folder").addEventListener("change", () => {
      const folder = byId("folder");
      // A folder also holds files of other kinds and hidden ones.
      const records = [...folder.files ?? []].filter(({ name }) => /^[^.].*\.(jsonl?|sgf|txt)$/i.test(name));
      if (records.length > 0) openFiles(records);
      else tell(t("noRecords"));
      folder.value = "";
    });
    byId("fen-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const goesOn = interrupt();
      try {
        const { fen } = await engine.ask({ do: "position", fen: byId("fen").value });
        if (goesOn()) setTreeToLookAt(new GameTree(fen));
      } catch (error) {
        if (goesOn()) settle(t("unread", "FEN", messageOf(error)));
      }
    });
  }
}

export const analyseRoom = new Analyse("analyse");
