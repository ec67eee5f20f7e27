// Analyse: positions and records to look at. Every move is a variation, and the engine never plays.

import { byId } from "shared/elements.js";
import { t } from "page/core/text.js";
import { engine } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { Room } from "page/core/room.js";
import { gameShown, interrupt, settle, setTreeToLookAt } from "page/core/game.js";

class Analyse extends Room {
  /** Shows a copy of the game that is on the board, so that the game itself stays as it is. */
  visit() {
    if (!this.active) setTreeToLookAt(gameShown().tree.copy());
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
