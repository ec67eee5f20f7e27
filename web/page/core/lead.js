// Leads in moves: the number of moves that the winner still has when the loser cannot move.

import { SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";

/** Owners of squares as the engine names them: Black's, then White's. */
const OWNERS = ["b+", "w-"];

/**
 * Returns the number of squares of Black and White in a position: those that a side alone or sooner reaches.
 * @param {{ owners: string }} given
 */
export function territory({ owners }) {
  return OWNERS.map((letters) => [...owners].filter((letter) => letters.includes(letter)).length);
}

/**
 * Returns Black's lead at a node, `{ lead, isCounted }`; null if nothing is known. Without an expected or proven lead
 * it is the difference of the territories, which is counted.
 * @param {GameNode} node
 */
export function leadAt(node) {
  const lead = state.tree.leadOf(node);
  if (lead !== null) return { lead, isCounted: false };
  if (!node.described || !node.found) return null;
  const [black, white] = territory(node.described);
  return { lead: black - white, isCounted: true };
}

/**
 * Formats a number with its sign, + or a true minus sign.
 * @param {number} number
 * @param {number} [digits]
 */
export function signed(number, digits = 1) {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? text : `${number < 0 ? "−" : "+"}${text}`;
}

/**
 * Returns the text of Black's lead as the lead of one side: the leader, unless `side` is given.
 * @param {Lead} given
 * @param {Side} [side]
 */
export function leadText({ lead, isCounted }, side = SIDES[lead < 0 ? 1 : 0]) {
  const own = side === "black" ? lead : -lead;
  return `${t(side)} ${signed(own)}${isCounted ? t("counted") : ""}`;
}
