// The turn in the position shown: who is to move, and what a person can do.

import { state } from "page/core/state.js";
import { room } from "page/core/current.js";

/**
 * True if the engine is to move: at the end of a line or after the move just played, not while stepping through.
 * @param {GameNode} node
 */
export function isEngineToMove(node) {
  const isWanted = node.children.length === 0 || node === state.unanswered;
  return state.players[state.tree.moverOf(node.ply)] === "engine" && isWanted && !node.winner;
}

/** True while the engine thinks about its move. */
export function isReplying() {
  return state.replying === state.change;
}

/** Returns the node to which `undo` goes, or null. */
export function undoTarget() {
  const { current, end } = state.tree;
  if (current.winner && current !== end && !current.described?.winner) return current;
  /** @param {GameNode} node */
  const isEngines = ({ ply }) => state.players[state.tree.moverOf(ply)] === "engine";
  /** @type {GameNode | null} */
  let node = current.parent;
  while (node && isEngines(node)) node = node.parent;
  // Not before the position in which the game began.
  return node && node.ply >= (state.tree.begun ?? 0) ? node : null;
}

/**
 * True if a person can resign in this position.
 * @param {GameNode} node
 * @returns {node is DescribedNode}
 */
export function canResign(node) {
  return canMove(node) && node.children.length === 0 && !node.winner;
}

/**
 * True if a person can move in this position.
 * @param {GameNode} node
 * @returns {node is DescribedNode}
 */
export function canMove(node) {
  return Boolean(node.described && !node.described.winner && !isEngineToMove(node) && room().accepts(node));
}
