// Play a friend: each move is a short text that the other player pastes into any Otrera page. Nothing is sent.

import { byId, html, opponentOf } from "shared/elements.js";
import { startOf } from "shared/replay.js";
import { settings, t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { endOf, GameTree } from "page/core/tree.js";
import { goToPanel } from "page/core/controls.js";
import { NEW_EDGES } from "page/core/strength.js";
import { board } from "page/core/board.js";
import { Room } from "page/core/room.js";
import { describe, gameShown, interrupt, returnTo, setTree, setTreeToLookAt, tell, unlessStopped } from "page/core/game.js";
import { turnText } from "page/core/show.js";
import { readers } from "page/core/records.js";

/** Maximum number of stored games; the oldest go. */
const MAX_GAMES = 20;
/** A move as text: board, number of the move, move, check. */
const MOVE_TEXT = /otrera (\d+)x\d+ move (\d+): (\S+) \[(\w+)\]/i;

/**
 * Returns a check of a game: two games differ in it, except by chance (FNV-1a, 32 bits, in base 36).
 * @param {Fen} start
 * @param {Move[]} moves
 */
export function checkOf(start, moves) {
  const text = [start, ...moves].join(" ");
  const hash = [...text].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16777619), 2166136261);
  return (hash >>> 0).toString(36);
}

/**
 * True if a stored value has the fields of a game.
 * @param {FriendGame | undefined} one
 */
function isGame(one) {
  return typeof one?.start === "string" && Array.isArray(one.moves) && one.moves.every((move) => typeof move === "string")
    && ["black", "white"].includes(one.side);
}

class Friend extends Room {
  /**
   * The game shown; null before the first one.
   * @type {FriendGame}
   */
  game = /** @type {never} */ (null);
  /**
   * The game's tree; null before the first game.
   * @type {GameTree}
   */
  tree = /** @type {never} */ (null);

  /** @returns {FriendGame[]} */
  read() {
    try {
      const games = JSON.parse(settings.get("friend") ?? "[]");
      return Array.isArray(games) ? games.filter(isGame) : [];
    } catch {
      return [];
    }
  }

  /** Stores the game shown in place of one that lacks its last move. Other games with these moves stay. */
  keep() {
    const { start, moves, side } = this.game;
    /** @param {FriendGame} one */
    const isBefore = (one) => one.start === start && one.side === side
      && one.moves.length === moves.length - 1 && one.moves.every((move, ply) => move === moves[ply]);
    const games = this.read();
    const index = games.findIndex(isBefore);
    if (index >= 0) games.splice(index, 1);
    settings.set("friend", JSON.stringify([...games, this.game].slice(-MAX_GAMES)));
  }

  visit() {
    if (this.active) return;
    this.before = gameShown();
    const last = this.read().at(-1);
    if (last) this.show(last);
    else this.begin(Math.max(...NEW_EDGES));
    goToPanel("friend-title");
  }

  /**
   * Begins a game in which this player has Black and moves first.
   * @param {number} edge
   */
  async begin(edge) {
    const goesOn = interrupt();
    await unlessStopped(goesOn, async () => {
      const { fen } = await engine.ask({ do: "start", edge });
      if (goesOn()) this.show({ start: fen, moves: [], side: "black" });
    });
  }

  /**
   * Shows a game at its end.
   * @param {FriendGame} game
   * @param {string | null} [message]
   */
  show(game, message = null) {
    const tree = new GameTree(game.start, { [game.side]: t("you"), [opponentOf(game.side)]: t("friend") });
    for (const move of game.moves) tree.play(move);
    Object.assign(this, { game, tree });
    Object.assign(state, { players: { black: "human", white: "human" }, analysing: false });
    board.flip(game.side === "white");
    setTree(this.mode, tree, message);
  }

  /**
   * The player can move only at the end of the game, at the own turn.
   * @param {GameNode} node
   */
  accepts(node) {
    return node.ply === this.game.moves.length && this.tree.moverOf(node.ply) === this.game.side;
  }

  /**
   * Stores a move that was just played.
   * @param {DescribedNode} node
   */
  async answer(node) {
    const { moves } = this.game;
    if (!node.parent || node.ply !== moves.length + 1) return;
    moves.push(node.move);
    this.keep();
    this.draw();
  }

  /** @param {GameNode} node */
  status(node) {
    const isTheirs = !node.described?.winner && this.tree.moverOf(node.ply) !== this.game.side;
    return [isTheirs ? t("friendWaits") : turnText(node)];
  }

  /** Nothing helps during the game. */
  panel() {
    return { ...super.panel(), rates: false, moves: false, review: false, keeps: false };
  }

  /** The text of the last own move; empty before it. */
  get text() {
    const { start, moves, side } = this.game;
    const own = this.tree.moverOf(moves.length - 1) === side ? moves.length : moves.length - 1;
    if (own < 1) return "";
    const { edge } = startOf(start);
    return `Otrera ${edge}x${edge} move ${own}: ${moves[own - 1]} [${checkOf(start, moves.slice(0, own))}]`;
  }

  /**
   * Reads a friend's text. Returns false if the text is none.
   * @param {string} text
   */
  receive(text) {
    const found = text.match(MOVE_TEXT);
    if (!found) return false;
    const [, edge, number, move, check] = found;
    unlessStopped(() => true, () => this.add({ edge: Number(edge), number: Number(number), move, check }));
    return true;
  }

  /**
   * Adds a friend's move to the game that it continues; a first move begins a game.
   * @param {{ edge: number, number: number, move: Move, check: string }} given
   */
  async add({ edge, number, move, check }) {
    const { fen } = await engine.ask({ do: "start", edge });
    /** @type {FriendGame[]} */
    const games = [...this.read(), { start: fen, moves: [], side: "white" }];
    /** @param {FriendGame} given */
    const isKnown = ({ start, moves }) => moves.length >= number && checkOf(start, moves.slice(0, number)) === check;
    /** @param {FriendGame} given */
    const continues = ({ start, moves }) => moves.length === number - 1 && checkOf(start, [...moves, move]) === check;
    // A first move begins another game, unless a game waits for the answer to it.
    const isWaiting = number === 1 && games.some((one) => one.moves.length === 1 && isKnown(one));
    const game = isWaiting ? undefined : games.find(continues);
    if (!game) return tell(t(games.some(isKnown) ? "friendKnown" : "friendUnknown", move));
    const mover = new GameTree(game.start).moverOf(game.moves.length);
    if (mover === game.side) return tell(t("friendOwn"));
    // The engine knows the rules.
    await engine.ask({ do: "position", fen: game.start, moves: [...game.moves, move] });
    if (!this.active) this.before = gameShown();
    this.show({ ...game, moves: [...game.moves, move] }, t("friendPlayed", move));
    return this.keep();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.text);
      tell(t("textCopied"));
    } catch {
      byId("friend-text").select();
    }
  }

  /** Leaves the game for the analysis of a copy. */
  async analyse() {
    await describe(endOf(this.tree.line()));
    setTreeToLookAt(this.tree.copy());
  }

  close() {
    returnTo(this.before);
    byId("open-friend").focus();
  }

  draw() {
    if (!this.game) return;
    const { text } = this;
    byId("friend-text").value = text;
    byId("friend-send").hidden = text === "";
    const edges = NEW_EDGES.map((edge) => html("button", { type: "button", onclick: () => this.begin(edge) }, t("squaresOf", edge)));
    byId("friend-new").replaceChildren(html("span", {}, t("friendNew")), ...edges);
    byId("friend-analyse").disabled = !endOf(this.tree.line()).described?.winner;
  }

  listen() {
    readers.push((text) => this.receive(text));
    byId("open-friend").addEventListener("click", () => this.visit());
    byId("friend-copy").addEventListener("click", () => this.copy());
    byId("friend-analyse").addEventListener("click", () => this.analyse());
    byId("friend-close").addEventListener("click", () => this.close());
    byId("friend-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = byId("friend-theirs");
      if (value.trim() && !this.receive(value)) tell(t("friendNoText"));
      byId("friend-theirs").value = "";
    });
  }
}

export const friend = new Friend("friend");
