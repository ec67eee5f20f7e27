// Play: games against the engine or between two persons, with a coach, and the dialog for a new game.

import { byId, html, SIDES } from "shared/elements.js";
import { startOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { CONTROLS, controlText, NEW_EDGES } from "page/core/strength.js";
import { ask, choices } from "page/core/controls.js";
import { Room } from "page/core/room.js";
import { canMove, isEngineToMove } from "page/core/turn.js";
import { interrupt, moveByEngine, play, unlessStopped } from "page/core/game.js";
import { verdict } from "page/core/verdict.js";
import { recent } from "page/core/recent.js";
import { players } from "page/play/players.js";
import { coach, isGame } from "page/play/coach.js";
import { beginGame } from "page/play/begin.js";
import { ending } from "page/play/ending.js";

/** @type {["levels" | "full" | "fixed", keyof Control][]} */
const CONTROL_GROUPS = [["levels", "level"], ["full", "seconds"], ["fixed", "iterations"]];

/**
 * Who plays Black and White, by the choice in the dialog; `either` draws one of the first two.
 * @type {Record<Exclude<AskedSide, "either">, BySide<Player>>}
 */
const PLAYERS = {
  black: { black: "human", white: "engine" },
  white: { black: "engine", white: "human" },
  both: { black: "human", white: "human" },
  none: { black: "engine", white: "engine" },
};
/** Minutes on a person's clock that the dialog offers; 0 without a limit. */
const CLOCKS = [0, 5, 15];

/**
 * The choices in the dialog for a new game, preset to those of the last game. A game can begin from a node.
 * @type {{ edge: number, side: AskedSide, minutes: number, from: { tree: GameTree, node: GameNode } | null }}
 */
export const asked = { edge: 10, side: "black", minutes: 0, from: null };

export function fillControls() {
  const chosen = byId("control").value || String(CONTROLS.findIndex(({ level }) => level === state.control.level));
  byId("control").replaceChildren(...CONTROL_GROUPS.map(([group, unit]) => {
    const options = [...CONTROLS.entries()].filter(([, control]) => unit in control);
    return html("optgroup", { label: t("controlGroups")[group] }, ...options.map(([value, control]) => html("option", { value }, controlText(control))));
  }));
  byId("control").value = chosen;
}

/** Returns the strength that the dialog asks for. */
function controlAsked() {
  return CONTROLS[Number(byId("control").value)];
}

/** Fills the buttons of the levels. A strength that is no level leaves all of them free. */
function fillLevels() {
  const levels = CONTROLS.flatMap(({ level }) => level ?? []);
  /** @type {[number, Node[]][]} */
  const texts = levels.map((level) => [level, [html("b", {}, level), html("small", {}, t("levels")[level - 1])]]);
  choices("new-level", "level", texts, controlAsked().level, (level) => {
    byId("control").value = String(CONTROLS.findIndex((control) => control.level === level));
  });
}

export function fillNewGame() {
  fillLevels();
  choices("new-size", "edge", NEW_EDGES.map((edge) => [edge, t("squaresOf", edge)]), asked.edge, (edge) => {
    asked.edge = edge;
  });
  const sides = /** @type {[AskedSide, string][]} */ (Object.entries(t("sides")));
  choices("new-side", "side", sides, asked.side, (side) => {
    asked.side = side;
  });
  choices("new-clock", "minutes", CLOCKS.map((minutes) => [minutes, t("minutesEach", minutes)]), asked.minutes, (minutes) => {
    asked.minutes = minutes;
  });
}

/** Presets the dialog for a new game to the choices of the game shown. */
function presetNewGame() {
  const { edge } = startOf(state.tree.start);
  if (playRoom.active && NEW_EDGES.includes(edge)) asked.edge = edge;
  if (isGame() && asked.side !== "either") asked.side = state.players.black === "human" ? "black" : "white";
  const control = CONTROLS.findIndex((known) => JSON.stringify(known) === JSON.stringify(state.control));
  if (playRoom.active) byId("control").value = String(control);
  // A strength that is no level is shown.
  if (!controlAsked().level) byId("control").parentElement?.setAttribute("open", "");
  fillNewGame();
}

/** Returns the players that the dialog asks for. */
function askedPlayers() {
  return PLAYERS[asked.side === "either" ? SIDES[Math.floor(2 * Math.random())] : asked.side];
}

/**
 * Opens the dialog for a new game, which starts from the position shown if `isFromHere`.
 * @param {boolean} isFromHere
 */
export function askNewGame(isFromHere) {
  const { tree } = state;
  presetNewGame();
  asked.from = isFromHere ? { tree, node: tree.current } : null;
  byId("new-board").hidden = isFromHere;
  byId("new-from").hidden = !isFromHere;
  byId("new-game-title").textContent = t(isFromHere ? "playHere" : "newGame");
  byId("new-from").textContent = t("fromHere", t(tree.moverOf(tree.current.ply)));
  ask("new-game-dialog");
}

/** Begins a game with the choices in the dialog. */
export async function newGame({ edge, minutes } = asked) {
  const goesOn = interrupt();
  await unlessStopped(goesOn, async () => {
    const { fen } = await engine.ask({ do: "start", edge });
    if (goesOn()) beginGame(new GameTree(fen), askedPlayers(), state.control, minutes);
  });
}

class Play extends Room {
  /**
   * A finished game stays as it is: another move in it begins the analysis of a copy.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { move } = {}) {
    const { tree } = state;
    if (move === undefined || tree.begun === null || !tree.winner()) return true;
    recent.analyse(tree).then(() => play(move));
    return false;
  }

  /**
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   */
  async answer(node, goesOn) {
    if (node.described.winner) return;
    if (!this.panel().rates) state.analysing = false;
    const isReply = isEngineToMove(node);
    if (isReply) state.replying = state.change;
    if (isReply && !(await coach.holds(node, goesOn))) await moveByEngine(node, goesOn);
    else if (state.analysing && goesOn()) await super.answer(node, goesOn);
    else await coach.prepare(node, goesOn);
  }

  /** @param {GameNode} node */
  status(node) {
    return coach.isWarning(node) ? [verdict.remark(node)] : super.status(node);
  }

  /** @param {GameNode} node */
  arrows(node) {
    const isShown = coach.isWarning(node) && !state.preview && !state.hint;
    return isShown && node.parent ? coach.suggestions(node) : super.arrows(node);
  }

  /** Rates would spoil a game without the coach, and moves would spoil the person's turn without an analysis. */
  panel() {
    const isHidden = isGame() && !state.tree.winner();
    const rates = !isHidden || coach.active;
    const moves = rates && !(isHidden && !state.analysing && canMove(state.tree.current));
    return { ...super.panel(), rates, moves, review: rates, bars: false };
  }

  draw() {
    players.draw();
    coach.draw();
    ending.draw();
  }

  /** Shows the game that was last begun, or begins one. */
  async visit() {
    const games = recent.read().filter(({ begun }) => begun !== null);
    // From its analysis, the way leads back to the game.
    const last = games.find(({ id }) => id === state.tree.of) ?? games[0];
    if (this.active || (last && (await recent.show(last)) === null)) return;
    await newGame();
  }

  listen() {
    byId("new-game").addEventListener("click", () => askNewGame(false));
    byId("play-here").addEventListener("click", () => askNewGame(true));
    byId("new-game-dialog").addEventListener("close", () => {
      if (byId("new-game-dialog").returnValue !== "begin") return;
      state.control = controlAsked();
      if (asked.from) beginGame(asked.from.tree.copyTo(asked.from.node), askedPlayers(), state.control, asked.minutes);
      else newGame();
    });
    byId("control").addEventListener("change", fillLevels);
    players.listen();
    coach.listen();
    ending.listen();
  }
}

export const playRoom = new Play("play");
