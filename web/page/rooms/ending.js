// Beginnings and ends of games: new games, resignation, filling of decided games, rematches.

import { byId, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import {
  canMove, controlText, describe, engineAt, interrupt, localTime, resign, search, settle, setTree, state, tell,
  turnBoardToPerson, unlessStopped,
} from "page/core/game.js";
import { draw } from "page/core/show.js";
import { isGame } from "page/rooms/coach.js";
import { setUp } from "page/rooms/setup.js";
import { puzzles } from "page/rooms/puzzles.js";
import { ask, asked, fillNewGame } from "page/main.js";

/** Search time for each move, in seconds, when the engine fills the rest of a decided game. */
const FILL_SECONDS = 0.1;

/** Opens the dialog for a new game, which starts from the position shown if `isFromHere`. */
export function askNewGame(isFromHere) {
  const { tree } = state;
  asked.from = isFromHere ? { tree, node: tree.current } : null;
  byId("new-board").hidden = isFromHere;
  byId("new-from").hidden = !isFromHere;
  byId("new-game-title").textContent = t(isFromHere ? "playHere" : "newGame");
  byId("new-from").textContent = t("fromHere", t(tree.moverOf(tree.current.ply)));
  ask("new-game-dialog");
}

/** Begins a game at the current node of a tree. */
export function beginGame(tree, players, control) {
  Object.assign(state, { players, control, analysing: false });
  turnBoardToPerson();
  // The link in the address no longer matches the game.
  if (location.hash) history.replaceState(null, "", "#");
  const names = Object.fromEntries(SIDES.map((side) => [side, players[side] === "engine" ? engineAt(control) : ""]));
  tree.record = { ...names, when: localTime(), control: control.level ? "" : controlText(control) };
  Object.assign(tree, { id: Date.now(), begun: tree.current.ply });
  setTree(tree);
}

export const ending = {
  /** The value of `state.change` when filling began. */
  change: null,

  /** True while the engine plays the remaining moves of both sides. */
  get isFilling() {
    return this.change === state.change;
  },

  /** True if the node is the last position of a game that is played on the page. */
  isAtEnd({ next, described }) {
    return Boolean(state.tree.begun !== null && described && !next && !puzzles.active && !setUp.active);
  },

  /** True if filling is offered at this node: once per game, at the first decided position with the person to move. */
  offersFilling(node) {
    const { tree } = state;
    if (!node.described.proof || node.winner || !canMove(node)) return false;
    tree.offered ??= node;
    return tree.offered === node;
  },

  draw() {
    const node = state.tree.current;
    const isAtEnd = this.isAtEnd(node);
    const offers = isAtEnd && this.offersFilling(node);
    byId("play-here").disabled = !node.described || Boolean(node.described.winner);
    byId("decided").textContent = isAtEnd ? this.text(node) : "";
    byId("fill").hidden = !offers && !this.isFilling;
    byId("fill").textContent = t(this.isFilling ? "stop" : "fill");
    byId("play-again").hidden = !(isAtEnd && isGame() && (node.described.winner ?? node.winner));
    byId("ending").hidden = !byId("decided").textContent && byId("fill").hidden && byId("play-again").hidden;
  },

  /** Returns a text that names the certain winner or, after the end, the number of moves that the winner has left. */
  text({ described: { winner, proof }, winner: resigned }) {
    if (!proof || resigned) return "";
    const side = t(proof.winner);
    if (winner) return proof.margin > 0 ? t("movesLeft", side, proof.margin) : "";
    return t("decided", side, proof.margin);
  },

  /** Plays the remaining moves of both sides, or stops doing so. */
  async fill() {
    if (this.isFilling) return settle();
    const goesOn = interrupt();
    this.change = state.change;
    Object.assign(state, { half: {}, unanswered: null, hint: null });
    tell(t("filling"));
    await unlessStopped(goesOn, async () => {
      while (goesOn() && !(await this.isOver())) await this.fillMove(goesOn);
      if (goesOn()) settle();
    });
  },

  async isOver() {
    const { current } = state.tree;
    await describe(current);
    return Boolean(current.described.winner);
  },

  async fillMove(goesOn) {
    const { best } = await search(state.tree.current, { seconds: FILL_SECONDS }, goesOn);
    if (!goesOn()) return;
    state.tree.play(best);
    state.found = null;
    draw();
  },

  /** Begins the game again from its first position, with colours swapped. */
  playAgain() {
    const { tree, players, control } = state;
    asked.players = { black: players.white, white: players.black };
    fillNewGame();
    beginGame(tree.copyTo(tree.line()[tree.begun]), { ...asked.players }, control);
  },

  listen() {
    byId("play-here").addEventListener("click", () => askNewGame(true));
    byId("fill").addEventListener("click", () => this.fill());
    byId("play-again").addEventListener("click", () => this.playAgain());
    byId("resign").addEventListener("click", () => ask("resign-dialog"));
    byId("resign-dialog").addEventListener("close", ({ target }) => target.returnValue === "resign" && resign());
  },
};
