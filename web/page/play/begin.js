// Beginning of a game: its players, their names and clocks.

import { SIDES } from "shared/elements.js";
import { state } from "page/core/state.js";
import { controlText, engineAt } from "page/core/strength.js";
import { localTime, setTree, turnBoardToPerson } from "page/core/game.js";

/**
 * Begins a game at the current node of a tree, with this many minutes for a person; 0 without a limit.
 * @param {GameTree} tree
 * @param {BySide<Player>} who
 * @param {Control} control
 * @param {number} [minutes]
 */
export function beginGame(tree, who, control, minutes = 0) {
  Object.assign(state, { players: who, control, analysing: false });
  turnBoardToPerson();
  const names = Object.fromEntries(SIDES.map((side) => [side, who[side] === "engine" ? engineAt(control) : ""]));
  tree.record = { ...names, when: localTime(), control: control.level ? "" : controlText(control) };
  const clock = { asked: minutes, limit: minutes ? 60 * minutes : null, used: { black: 0, white: 0 } };
  Object.assign(tree, { id: Date.now(), begun: tree.current.ply, clock });
  setTree("play", tree);
}
