// Recent games in the browser's storage: the game shown survives a reload, and a list opens the others.

import { byId, html, SIDES } from "shared/elements.js";
import { messageOf, settings, t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { endOf, GameTree } from "page/core/tree.js";
import { CONTROLS } from "page/core/strength.js";
import { ask } from "page/core/controls.js";
import { room } from "page/core/current.js";
import { describe, interrupt, localTime, settle, setTree, setTreeToLookAt, turnBoardToPerson } from "page/core/game.js";

const MAX_KEPT = 20;
/** Maximum length of a stored game, in characters of JSON. */
export const MAX_KEPT_LENGTH = 200_000;

export const recent = {
  /**
   * Returns the stored games, newest first, without broken entries.
   * @returns {KeptGame[]}
   */
  read() {
    try {
      /** @type {KeptGame[]} */
      const games = JSON.parse(settings.get("games") ?? "[]");
      return games.filter((game) => Number.isSafeInteger(game?.id) && Array.isArray(game.record?.moves)).slice(0, MAX_KEPT);
    } catch {
      return [];
    }
  },

  /** @param {KeptGame[]} games */
  write(games) {
    settings.set("games", JSON.stringify(games.slice(0, MAX_KEPT)));
  },

  /** Stores the game shown with its variations and ply, once it has been begun or changed on the page. */
  keep() {
    const { tree, players, control } = state;
    if (tree.id === null || !room().panel().keeps) return;
    const games = this.read();
    const stored = games.find(({ id }) => id === tree.id);
    // Another tab has changed this game: this tab stores its own copy.
    if (stored && JSON.stringify(stored) !== tree.kept) tree.id = Date.now();
    const { id, of, begun, clock, current } = tree;
    const game = { id, of, begun, clock, players, control, ply: current.ply, record: { ...tree.toRecord(), when: tree.record.when || localTime() } };
    const text = JSON.stringify(game);
    if (text.length > MAX_KEPT_LENGTH) return;
    tree.kept = text;
    settings.set("game", id, "session");
    // A game without a move is stored only while it is shown.
    this.write([game, ...games.filter((other) => other.id !== id && other.record.moves.length > 0)]);
  },

  /** Shows the last game of this tab or, without one, the newest stored game. Returns false if none can be shown. */
  async restore() {
    const games = this.read();
    const own = Number(settings.get("game", "session"));
    const last = games.find(({ id }) => id === own) ?? games[0];
    return Boolean(last) && (await this.show(last)) === null;
  },

  /**
   * Shows a stored game, at its stored ply or another one. Returns an error message, or null.
   * @param {KeptGame} game
   * @param {number} [ply]
   */
  async show(game, ply = game.ply) {
    const { id, of = null, begun, clock, players, control, record } = game;
    interrupt();
    let tree;
    try {
      const { games } = await engine.ask({ do: "read", text: JSON.stringify(record) });
      tree = GameTree.ofRecord(games[0]);
      // A record can contain an invalid position.
      await describe(tree.root, { tree });
    } catch (error) {
      return messageOf(error);
    }
    const line = tree.line();
    const hasClock = [clock?.limit ?? 0, ...SIDES.map((side) => clock?.used?.[side])].every(Number.isFinite);
    Object.assign(tree, { id, of, begun: line[begun ?? -1] ? begun : null, clock: hasClock ? clock : null, kept: JSON.stringify(game) });
    // A game of the page, or its analysis, is no opened record: a resignation can be taken back, as before the reload.
    if (tree.begun !== null || of !== null) tree.end = null;
    /** @param {Player | undefined} player */
    const isPlayer = (player) => player === "human" || player === "engine";
    const isPlayed = tree.begun !== null || SIDES.some((side) => players?.[side] === "engine");
    if (!isPlayed) tree.keepMain();
    tree.show(line[ply] ?? endOf(line));
    const isKnown = SIDES.every((side) => isPlayer(players?.[side]));
    state.players = isKnown ? { black: players.black, white: players.white } : { black: "human", white: "human" };
    state.control = CONTROLS.find((known) => JSON.stringify(known) === JSON.stringify(control)) ?? state.control;
    state.analysing = false;
    turnBoardToPerson();
    setTree(isPlayed ? "play" : "analyse", tree);
    return null;
  },

  /**
   * Shows the stored analysis of a played game at the position that the game shows; without one, a copy of the game.
   * @param {GameTree} tree
   */
  async analyse(tree) {
    const played = tree.movesTo(endOf(tree.line()));
    const kept = this.read().find(({ of, record: { moves } }) =>
      of != null && of === tree.id && moves.length === played.length && moves.every(({ move }, index) => move === played[index]));
    if (!kept || (await this.show(kept, tree.current.ply)) !== null) setTreeToLookAt(tree.copy());
  },

  /** @param {KeptGame} game */
  async open(game) {
    byId("recent-dialog").close();
    const problem = await this.show(game);
    if (problem) settle(problem);
  },

  /** @param {KeptGame[]} games */
  remove(games) {
    const ids = new Set(games.map(({ id }) => id));
    this.write(this.read().filter(({ id }) => !ids.has(id)));
    // The game shown is stored again after its next move.
    if (state.tree.id !== null && ids.has(state.tree.id)) state.tree.id = null;
    this.fill();
    byId("recent-close").focus();
  },

  /** Returns the stored games that have a move, for the list. */
  listed() {
    return this.read().filter(({ record }) => record.moves.length > 0);
  },

  fill() {
    const games = this.listed();
    byId("recent-none").hidden = games.length > 0;
    byId("recent-clear").disabled = games.length === 0;
    byId("recent-list").replaceChildren(...games.map((game) => this.item(game)));
  },

  /** @param {KeptGame} game */
  item(game) {
    const { when, black, white, winner, moves } = game.record;
    const result = winner ? t("won", t(winner)) : t("unfinished");
    const text = [when, `${black || t("black")} – ${white || t("white")}`, result, t("moveCount", moves.length)].join(" · ");
    return html("li", { class: "bar" },
      html("button", { type: "button", class: "kept", onclick: () => this.open(game) }, text),
      html("button", { type: "button", "aria-label": `${t("remove")}: ${text}`, title: t("remove"), onclick: () => this.remove([game]) }, "×"));
  },

  listen() {
    byId("open-recent").addEventListener("click", () => {
      this.fill();
      ask("recent-dialog");
    });
    byId("recent-clear").addEventListener("click", () => this.remove(this.listed()));
  },
};
