// The board on the page.

import { byId } from "shared/elements.js";
import { Board } from "shared/board.js";

export const board = new Board(byId("board"));
