// Set-up of positions: pieces from a palette are put on the board square by square.

import { byId, SIDES } from "shared/elements.js";
import { placeOf, squareAt, startOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { choices, goToPanel } from "page/core/controls.js";
import { Room } from "page/core/room.js";
import { gameShown, returnTo, setTree, setTreeToLookAt, unlessStopped } from "page/core/game.js";

/**
 * What can be put on a square.
 * @type {(Side | "arrow" | "empty")[]}
 */
const PALETTE = ["black", "white", "arrow", "empty"];
/** Edge lengths of all boards. */
const EDGES = [4, 5, 6, 7, 8, 9, 10];

class SetUp extends Room {
  address = null;
  /** @type {Side | "arrow" | "empty"} */
  piece = "black";
  /** @type {Side} */
  side = "black";
  edge = 10;
  /**
   * Piece on each occupied square.
   * @type {Map<Square, Side | "arrow">}
   */
  content = new Map();

  open() {
    const { tree } = state;
    this.before = gameShown();
    this.load(tree.current.described?.fen ?? tree.start);
    for (const side of SIDES) byId(`set-up-${side}`).value = tree.record[side] ?? "";
    this.show();
    goToPanel("set-up-title");
  }

  /** @param {Fen} fen */
  load(fen) {
    const { edge, side, amazons, arrows } = startOf(fen);
    Object.assign(this, { edge, side });
    this.content.clear();
    for (const amazon of amazons) this.content.set(amazon.square, amazon.side);
    for (const square of arrows) this.content.set(square, "arrow");
  }

  /** @param {Square} square */
  put(square) {
    if (this.piece === "empty" || this.content.get(square) === this.piece) this.content.delete(square);
    else this.content.set(square, this.piece);
    this.show();
  }

  /**
   * A chosen square gets the chosen piece.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { square } = {}) {
    if (square !== undefined) this.put(square);
    return false;
  }

  /** The position can be invalid, so nothing asks the engine about it. */
  async turn() {}

  status() {
    return [];
  }

  panel() {
    return { ...super.panel(), review: false, keeps: false };
  }

  /** Returns the position as FEN: Q and q are amazons of Black and White, `*` is an arrow, w means Black to move. */
  fen() {
    const letters = new Map([["black", "Q"], ["white", "q"], ["arrow", "*"]]);
    const rows = Array.from({ length: this.edge }, (_, fromTop) => {
      const row = this.edge - 1 - fromTop;
      const text = Array.from({ length: this.edge }, (__, column) => letters.get(this.content.get(squareAt(column, row)) ?? "") ?? " ");
      return text.join("").replace(/ +/g, (gap) => String(gap.length));
    });
    const arrows = [...this.content.values()].filter((piece) => piece === "arrow").length;
    return `${rows.join("/")} ${this.side === "black" ? "w" : "b"} - - ${arrows} ${Math.floor(arrows / 2) + 1}`;
  }

  /** Shows the position so far, which can be invalid. */
  show() {
    choices("set-up-size", "edge", EDGES.map((edge) => [edge, t("squaresOf", edge)]), this.edge, (edge) => this.resize(Number(edge)));
    choices("palette", "piece", PALETTE.map((piece) => [piece, t("square")[piece]]), this.piece, (piece) => {
      this.piece = piece;
    });
    choices("set-up-side", "side", SIDES.map((side) => [side, t(side)]), this.side, (side) => {
      this.side = side;
    });
    for (const side of SIDES) byId(`set-up-${side}`).placeholder = t(side);
    setTree("setup", new GameTree(this.fen()));
  }

  renew() {
    this.show();
  }

  /** @param {number} edge */
  resize(edge) {
    this.edge = edge;
    for (const square of this.content.keys()) {
      if (Math.max(...placeOf(square)) >= edge) this.content.delete(square);
    }
    this.show();
  }

  async usual() {
    await unlessStopped(() => this.active, async () => {
      const { fen } = await engine.ask({ do: "start", edge: this.edge });
      if (!this.active) return;
      this.load(fen);
      this.show();
    });
  }

  clear() {
    this.content.clear();
    this.show();
  }

  /** Ends set-up and shows the position for two persons, or shows why the position is invalid. */
  async done() {
    await unlessStopped(() => this.active, async () => {
      const { fen } = await engine.ask({ do: "position", fen: this.fen() });
      const names = SIDES.map((side) => [side, byId(`set-up-${side}`).value.trim()]);
      setTreeToLookAt(new GameTree(fen, Object.fromEntries(names)));
      this.focusButton();
    });
  }

  cancel() {
    returnTo(this.before);
    this.focusButton();
  }

  focusButton() {
    byId("open-set-up").focus({ preventScroll: true });
  }
}

export const setUp = new SetUp("setup");

