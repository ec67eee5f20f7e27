// Choices for a game: strengths of the engine (levels, times, numbers of iterations) and boards.

import { t } from "page/core/text.js";

/**
 * The engine's strengths. The selection list shows the levels first.
 * @type {Control[]}
 */
export const CONTROLS = [
  ...[0.2, 1, 5, 20].map((seconds) => ({ seconds })),
  ...[1000, 20000, 200000].map((iterations) => ({ iterations })),
  ...Array.from({ length: 10 }, (_, index) => ({ level: index + 1 })),
];

/** Edges of the boards for new games. */
export const NEW_EDGES = [8, 10];

/** The level of the full engine with one second per move. */
export const FULL_LEVEL = 10;

/** @param {Control} given */
export function controlText({ level, seconds, iterations }) {
  if (level) return t("levelOf", level);
  return seconds ? t("seconds", seconds) : t("iterations", iterations);
}

/**
 * Returns the engine's name for records.
 * @param {Control} given
 */
export function engineAt({ level }) {
  return level ? t("engineLevel", level) : t("engine");
}
