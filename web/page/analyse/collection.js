// Collections: records with several games. Reviews all of them, counts mistakes by player and phase, shows a standing.

import { byId, html, percent, SIDES } from "shared/elements.js";
import { startOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { opened, showGame } from "page/core/records.js";
import { canReview } from "page/core/report.js";
import { review } from "page/core/review.js";
import { FAULTS, verdict } from "page/core/verdict.js";
import { signed } from "page/core/lead.js";


/**
 * Returns the phase of a node's move: 0 for the opening, 1 for the middle game, 2 for the endgame.
 * @param {GameNode} node
 */
export function phaseOf(node) {
  const { edge, amazons, arrows } = startOf(state.tree.start);
  const share = (arrows.length + node.ply - 1) / (edge ** 2 - amazons.length);
  return verdict.scale.phases.filter((end) => share >= end).length;
}

/** Returns an empty count of a player: games, and for each phase moves, their loss and the number of each fault. */
function emptyCount() {
  return { games: 0, phases: [0, 1, 2].map(() => ({ moves: 0, lost: 0, faults: FAULTS.map(() => 0) })) };
}

export const collection = {
  /**
   * The review of all games in progress, or null.
   * @type {{ games: GameRecord[], done: number } | null}
   */
  run: null,
  /**
   * The games that the counts are of.
   * @type {GameRecord[]}
   */
  counted: [],
  /**
   * Counts of the players by name.
   * @type {Map<string, ReturnType<typeof emptyCount>>}
   */
  players: new Map(),

  toggle() {
    if (this.run) {
      this.run = null;
      if (review.active) review.toggle();
      return this.draw();
    }
    return this.reviewAll();
  },

  /** Reviews one game after another. Ends when somebody stops the review or opens another game. */
  async reviewAll() {
    const run = { games: opened.games, done: 0 };
    Object.assign(this, { run, counted: opened.games, players: new Map() });
    for (; run.done < run.games.length && this.run === run; run.done += 1) {
      showGame(run.done);
      const { tree } = state;
      this.draw();
      if (canReview()) await review.begin();
      if (this.run !== run || state.tree !== tree || opened.games !== run.games) break;
      if (tree.reviewed.every(({ isReviewed }) => isReviewed)) this.count(tree);
    }
    if (this.run === run) this.run = null;
    this.draw();
  },

  /**
   * Adds the reviewed game shown to the counts.
   * @param {GameTree} given
   */
  count({ record }) {
    for (const side of SIDES) {
      const name = record[side] || t(side);
      const known = this.players.get(name) ?? emptyCount();
      this.players.set(name, known);
      known.games += 1;
      for (const node of verdict.movesOf(side)) {
        const phase = known.phases[phaseOf(node)];
        const mark = verdict.markOf(node);
        const fault = mark ? FAULTS.indexOf(mark) : -1;
        if (fault >= 0) phase.faults[fault] += 1;
        if (verdict.isDecided(node)) continue;
        phase.moves += 1;
        phase.lost += verdict.lossOf(node) ?? 0;
      }
    }
  },

  draw() {
    const { games, standing } = opened;
    const { run } = this;
    byId("collection").hidden = games.length < 2 || !state.tree.isOpened;
    byId("review-all").textContent = run ? t("reviewAllStop") : t("reviewAll", games.length);
    byId("review-all-done").textContent = run ? t("reviewingGame", run.done + 1, games.length) : "";
    byId("mistakes-part").hidden = this.players.size === 0 || this.counted !== games;
    if (this.players.size > 0) byId("mistakes").replaceChildren(...this.mistakes());
    const [opening, middle] = verdict.scale.phases.map((end) => percent(end, 0));
    byId("mistake-note").textContent = t("mistakeNote", opening, middle);
    byId("standing-part").hidden = !standing;
    if (!standing) return;
    byId("standing").replaceChildren(...this.standing(standing));
    byId("standing-note").textContent = [t("standingNote"), standing.anchored && t("standingAnchored")].filter(Boolean).join(" ");
  },

  /** Returns head and body of the table of mistakes. */
  mistakes() {
    const head = [t("player"), t("gamesPlayed"), ...t("phases")].map((text) => html("th", { scope: "col" }, text));
    const rows = [...this.players].map(([name, { games, phases }]) => html("tr", {}, html("th", { scope: "row", title: name }, name), html("td", {}, games),
      ...phases.map(({ moves, lost, faults }) => html("td", {}, moves === 0 ? "–" : `${faults.join(" / ")} · ${(100 * (1 - lost / moves)).toFixed(1)}`))));
    return [html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows)];
  },

  /**
   * Returns head and body of the cross-table with ratings. A score opens the first game of its two players.
   * @param {Standing} given
   */
  standing({ players, wins }) {
    /** @param {number[]} numbers */
    const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
    const head = ["#", t("player"), "Elo", t("score"), ...players.map((_, index) => index + 1)];
    const rows = players.map(({ name, elo, margin }, row) => {
      const [won, lost] = [sum(wins[row]), sum(wins.map((others) => others[row]))];
      return html("tr", {}, html("td", {}, row + 1), html("th", { scope: "row", title: name }, name),
        html("td", {}, `${signed(elo, 0)} ± ${Math.round(margin)}`), html("td", {}, won + lost ? `${((100 * won) / (won + lost)).toFixed(1)} %` : "–"),
        ...players.map((other, column) => html("td", {}, this.pair([name, other.name], wins[row][column], wins[column][row]))));
    });
    return [html("thead", {}, html("tr", {}, ...head.map((text) => html("th", { scope: "col" }, text)))), html("tbody", {}, ...rows)];
  },

  /**
   * Returns the score of one player against another: a button that opens their first game.
   * @param {string[]} names
   * @param {number} won
   * @param {number} lost
   */
  pair(names, won, lost) {
    if (won + lost === 0) return "–";
    const first = opened.games.findIndex((game) => SIDES.every((side) => names.includes(game[side] ?? "")) && game.black !== game.white);
    return html("button", { type: "button", title: names.join(" – "), onclick: () => showGame(first) }, `${won}–${lost}`);
  },

  listen() {
    byId("review-all").addEventListener("click", () => this.toggle());
  },
};
