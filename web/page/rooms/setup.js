// Set-up of positions: pieces from a palette are put on the board square by square.

import { byId, html, SIDES } from "shared/elements.js";
import { placeOf, squareAt, startOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { GameTree } from "page/core/tree.js";
import {
  engine, gameShown, goToPanel, returnTo, setTree, setTreeToLookAt, state, unlessStopped,
} from "page/core/game.js";

const PALETTE = ["black", "white", "arrow", "empty"];
/** Edge lengths of all boards. */
const EDGES = [4, 5, 6, 7, 8, 9, 10];

export const setUp = {
  active: false,
  piece: "black",
  side: "black",
  edge: 10,
  /** Piece on each occupied square. */
  content: new Map(),

  open() {
    const { tree } = state;
    this.before = gameShown();
    this.load(tree.current.described?.fen ?? tree.start);
    this.active = true;
    this.show();
    goToPanel("set-up-title");
  },

  load(fen) {
    const { edge, side, amazons, arrows } = startOf(fen);
    const content = [...amazons.map((amazon) => [amazon.square, amazon.side]), ...arrows.map((square) => [square, "arrow"])];
    Object.assign(this, { edge, side, content: new Map(content) });
  },

  put(square) {
    if (this.piece === "empty" || this.content.get(square) === this.piece) this.content.delete(square);
    else this.content.set(square, this.piece);
    this.show();
  },

  /** Returns the position as FEN: Q and q are amazons of Black and White, `*` is an arrow, w means Black to move. */
  fen() {
    const letters = { black: "Q", white: "q", arrow: "*" };
    const rows = Array.from({ length: this.edge }, (_, fromTop) => {
      const row = this.edge - 1 - fromTop;
      const text = Array.from({ length: this.edge }, (__, column) => letters[this.content.get(squareAt(column, row))] ?? " ");
      return text.join("").replace(/ +/g, (gap) => gap.length);
    });
    const arrows = [...this.content.values()].filter((piece) => piece === "arrow").length;
    return `${rows.join("/")} ${this.side === "black" ? "w" : "b"} - - ${arrows} ${Math.floor(arrows / 2) + 1}`;
  },

  /** Shows the position so far, which can be invalid. */
  show() {
    document.body.classList.toggle("setting-up", this.active);
    byId("set-up").hidden = !this.active;
    if (!this.active) return;
    choices("set-up-size", "edge", EDGES.map((edge) => [edge, t("squaresOf", edge)]), this.edge, (edge) => this.resize(Number(edge)));
    choices("palette", "piece", PALETTE.map((piece) => [piece, t("square")[piece]]), this.piece, (piece) => {
      this.piece = piece;
    });
    choices("set-up-side", "side", SIDES.map((side) => [side, t(side)]), this.side, (side) => {
      this.side = side;
    });
    setTree(new GameTree(this.fen()));
  },

  resize(edge) {
    this.edge = edge;
    for (const square of this.content.keys()) {
      if (Math.max(...placeOf(square)) >= edge) this.content.delete(square);
    }
    this.show();
  },

  async usual() {
    await unlessStopped(() => this.active, async () => {
      const { fen } = await engine.ask({ do: "start", edge: this.edge });
      if (!this.active) return;
      this.load(fen);
      this.show();
    });
  },

  clear() {
    this.content.clear();
    this.show();
  },

  /** Ends set-up and shows the position for two persons, or shows why the position is invalid. */
  async done() {
    await unlessStopped(() => this.active, async () => {
      const { fen } = await engine.ask({ do: "position", fen: this.fen() });
      this.close();
      setTreeToLookAt(new GameTree(fen));
    });
  },

  cancel() {
    this.close();
    returnTo(this.before);
  },

  close() {
    this.active = false;
    this.show();
    byId("open-set-up").focus({ preventScroll: true });
  },
};

/** Fills an element with a row of radio buttons. */
export function choices(id, name, options, value, chosen) {
  const holder = byId(id);
  const hadFocus = holder.contains(document.activeElement);
  holder.replaceChildren(...options.map(([option, text]) => html("label", { class: "choice" },
    html("input", { type: "radio", name: `${id}-${name}`, value: option, checked: option === value, onchange: () => chosen(option) }),
    ` ${text}`)));
  if (hadFocus) holder.querySelector(":checked")?.focus();
}
