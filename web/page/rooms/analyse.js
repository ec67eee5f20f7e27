// Analyse: positions and records to look at. Every move is a variation, and the engine never plays.

import { byId } from "shared/elements.js";
import { t } from "page/core/text.js";
import { engine } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { explain, reasonText } from "page/core/ground.js";
import { Room } from "page/core/room.js";
import { describe, gameShown, interrupt, settle, setTreeToLookAt } from "page/core/game.js";
import { draw } from "page/core/show.js";
import { review } from "page/core/review.js";

class Analyse extends Room {
  /** Shows a copy of the game that is on the board, so that the game itself stays as it is. */
  visit() {
    if (!this.active) setTreeToLookAt(gameShown().tree.copy());
  }

  /** Finds the reason of a fault before the position is searched. */
  async answer(node, goesOn) {
    if (review.isFault(node)) {
      await describe(node.parent);
      await explain(node);
      if (!goesOn()) return;
      draw();
    }
    await super.answer(node, goesOn);
  }

  status(node) {
    const [remark, ...rest] = super.status(node);
    return [remark, remark && reasonText(node), ...rest];
  }

  panel() {
    return { ...super.panel(), squares: "territory" };
  }

  listen() {
    byId("fen-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      interrupt();
      try {
        const { fen } = await engine.ask({ do: "position", fen: byId("fen").value });
        setTreeToLookAt(new GameTree(fen));
      } catch (error) {
        settle(t("unread", "FEN", error.message));
      }
    });
  }
}

export const analyseRoom = new Analyse("analyse");
