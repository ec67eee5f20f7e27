// A player's own mistakes as puzzles: they come back after a day, a week and a month, and stay in the browser.

import { byId, opponentOf, SIDES } from "shared/elements.js";
import { messageOf, settings, t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { verdict } from "page/core/verdict.js";
import { reviewed } from "page/core/review.js";
import { describe, tell } from "page/core/game.js";
import { download, readers } from "page/core/records.js";

/** Days until a mistake comes back after each right answer in a row. */
const PAUSES = [1, 7, 30];
/** Maximum number of mistakes; the oldest go. */
const MAX_MISTAKES = 300;

/** Returns the number of days from 1970 to a local date. */
export function dayNumber(date = new Date()) {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

/**
 * True if a stored value has the fields of a mistake.
 * @param {Mistake | undefined} one
 */
function isMistake(one) {
  const texts = [one?.fen, one?.solution, one?.played, one?.from];
  return texts.every((text) => typeof text === "string") && [one?.due, one?.seen, one?.step].every(Number.isSafeInteger);
}

export const ownMistakes = {
  /**
   * Mistakes, oldest first.
   * @type {Mistake[]}
   */
  list: [],

  read() {
    try {
      const kept = JSON.parse(settings.get("mistakes") ?? "[]");
      this.list = Array.isArray(kept) ? kept.filter(isMistake) : [];
    } catch {
      this.list = [];
    }
  },

  write() {
    this.list = this.list.slice(-MAX_MISTAKES);
    settings.set("mistakes", JSON.stringify(this.list));
  },

  /**
   * Adds mistakes whose positions are new. Returns their number.
   * @param {Mistake[]} mistakes
   */
  add(mistakes) {
    this.read();
    const known = new Set(this.list.map(({ fen }) => fen));
    const fresh = mistakes.filter(({ fen }) => !known.has(fen));
    this.list.push(...fresh);
    this.write();
    return fresh.length;
  },

  /**
   * Adds the mistakes and blunders of a side in the reviewed game shown. Returns the number of new ones.
   * @param {Side} side
   */
  async collect(side) {
    const { tree } = state;
    const rival = tree.record[opponentOf(side)] || t(opponentOf(side));
    const found = verdict.gravesOf(side).map((node) => ({ node, loss: verdict.lossText(node) }));
    /** @type {Mistake[]} */
    const mistakes = [];
    for (const { node: { parent, move, ply }, loss } of found) {
      const solution = parent.found?.best;
      if (!solution) continue;
      const { fen } = (await describe(parent, { tree })).described;
      const from = `${rival}, ${tree.rowOf(ply)}`;
      mistakes.push({ fen, solution, played: move, loss, from, due: dayNumber() + PAUSES[0], seen: 0, step: 0 });
    }
    return this.add(mistakes);
  },

  /** Returns the mistakes that are due today. */
  due() {
    return this.list.filter(({ due }) => due <= dayNumber());
  },

  /**
   * Notes an answer: after a right one the mistake rests longer, after a wrong one it comes back tomorrow.
   * @param {Mistake} mistake
   * @param {boolean} isRight
   */
  answer(mistake, isRight) {
    this.read();
    const kept = this.list.find(({ fen }) => fen === mistake.fen);
    if (!kept) return;
    kept.seen += 1;
    kept.step = isRight ? kept.step + 1 : 0;
    kept.due = dayNumber() + PAUSES[Math.min(kept.step, PAUSES.length - 1)];
    // After the last pause a mistake is learnt.
    if (kept.step >= PAUSES.length) this.list = this.list.filter((one) => one !== kept);
    this.write();
  },

  export() {
    download(new Blob([JSON.stringify({ mistakes: this.list })], { type: "application/json" }), "otrera-mistakes.json");
  },

  /**
   * Reads exported mistakes. Returns true if the text holds them.
   * @param {string} text
   */
  import(text) {
    if (!text.trimStart().startsWith("{\"mistakes\"")) return false;
    try {
      const mistakes = JSON.parse(text).mistakes.filter(isMistake);
      tell(t("mistakesRead", this.add(mistakes)));
    } catch (error) {
      tell(t("unread", "JSON", messageOf(error)));
    }
    return true;
  },

  listen() {
    this.read();
    readers.push((text) => this.import(text));
    for (const side of SIDES) {
      byId(`keep-${side}`).addEventListener("click", async () => tell(t("mistakesKept", await this.collect(side))));
    }
    // In a game against Otrera on this page, the person's mistakes are kept without a question.
    reviewed.push(async ({ record, isOpened }) => {
      const own = SIDES.filter((side) => !record[side]);
      const rivals = SIDES.filter((side) => record[side]?.startsWith(t("engine")));
      if (!isOpened && own.length === 1 && rivals.length === 1) await this.collect(own[0]);
    });
  },
};
