// The current room, and its choice by the page's address.

import { state } from "page/core/state.js";

/** @type {Map<string, Room>} */
const rooms = new Map();

/**
 * Adds a room to those of the page.
 * @param {Room} added
 */
export function join(added) {
  rooms.set(added.mode, added);
}

/** Returns the current room. */
export function room() {
  return /** @type {Room} */ (rooms.get(state.mode));
}

/**
 * Returns the room that a fragment of the page's address names, or undefined.
 * @param {string} address
 */
export function roomAt(address) {
  return [...rooms.values()].find((one) => one.address === address);
}

/**
 * Makes a room the current one and names it in the page's address.
 * @param {string} mode
 */
export function enter(mode) {
  state.mode = mode;
  const { address } = room();
  if (address && address !== location.hash) history.replaceState(null, "", address);
}

/** True if the win rates are hidden because they would spoil the game shown. */
export function areRatesHidden() {
  return !room().panel().rates;
}
