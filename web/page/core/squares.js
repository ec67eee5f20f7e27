// Input of moves: a grid of squares over the board for clicks, drags, keys and screen readers.

import { html, targetOf } from "shared/elements.js";
import { squareAt } from "shared/replay.js";

const DRAG_PIXELS = 6;

export class Squares {
  /**
   * Calls `chosen(square)` for a clicked square and the end of a drag, and `chosen(square, true)` where a drag begins.
   * `canDrag()` is true if drags are allowed, `leavesEnter()` if Enter is for the room.
   * @param {HTMLElement} holder
   * @param {import("../../shared/board.js").Board} board
   * @param {{ chosen: (square: Square, dragged?: boolean) => unknown, canDrag: () => boolean, leavesEnter: () => boolean }} given
   */
  constructor(holder, board, { chosen, canDrag, leavesEnter }) {
    this.holder = holder;
    this.board = board;
    this.chosen = chosen;
    this.canDrag = canDrag;
    this.leavesEnter = leavesEnter;
    /** @type {Map<Square, HTMLElement>} */
    this.cells = new Map();
    /**
     * The squares row by row, from the top.
     * @type {Square[][]}
     */
    this.grid = [];
    this.focused = "";
    /** @type {Drag | null} */
    this.drag = null;
    /** True between the end of a drag and the click event that follows it. */
    this.swallow = false;
    /** True after a press on the board, until the keyboard moves the focus or the focus leaves. */
    this.isPointed = false;
    holder.addEventListener("keydown", (event) => this.key(event));
    holder.addEventListener("pointerdown", (event) => this.press(event));
    holder.addEventListener("pointermove", (event) => this.move(event));
    holder.addEventListener("pointerup", (event) => this.release(event));
    holder.addEventListener("pointercancel", () => this.drop());
    holder.addEventListener("click", (event) => this.click(event));
    holder.addEventListener("focusout", ({ relatedTarget }) => {
      // Focus that goes to another window does not leave the grid.
      const stays = [relatedTarget, document.activeElement].some((element) => holder.contains(/** @type {Node | null} */ (element)));
      if (!stays) this.isPointed = false;
    });
  }

  /**
   * Builds the grid of a board, from the top left corner.
   * @param {number} edge
   * @param {boolean} flipped
   */
  build(edge, flipped) {
    this.cells.clear();
    const numbers = [...Array(edge).keys()];
    const columns = flipped ? numbers.toReversed() : numbers;
    this.grid = columns.toReversed().map((row) => columns.map((column) => squareAt(column, row)));
    const rows = this.grid.map((squares) => html("div", { role: "row" }, ...squares.map((square) => this.cell(square))));
    this.holder.style.setProperty("--edge", String(edge));
    this.holder.replaceChildren(...rows);
    this.focus(this.cells.has(this.focused) ? this.focused : this.grid[edge - 1][0]);
  }

  /** @param {Square} square */
  cell(square) {
    const cell = html("div", { role: "gridcell", tabindex: -1, "data-square": square });
    this.cells.set(square, cell);
    return cell;
  }

  /**
   * Labels all squares: `describe(square)` returns `{ label, mark }`, where the mark is a CSS class or null.
   * @param {(square: Square) => { label: string, mark: string | null }} describe
   */
  describe(describe) {
    for (const [square, cell] of this.cells) {
      const { label, mark } = describe(square);
      cell.setAttribute("aria-label", label);
      cell.className = mark ?? "";
      cell.setAttribute("aria-selected", String(mark === "chosen"));
    }
  }

  /**
   * Makes one square the only one that Tab reaches (roving tabindex); arrow keys lead from there to the others.
   * @param {Square} square
   */
  focus(square) {
    this.cells.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = square;
    this.cells.get(square)?.setAttribute("tabindex", "0");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // After a click these keys step through the game.
    if (this.isPointed && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const steps = new Map([["ArrowUp", [-1, 0]], ["ArrowDown", [1, 0]], ["ArrowLeft", [0, -1]], ["ArrowRight", [0, 1]]]);
    const step = steps.get(event.key);
    if (event.key === "Enter" && this.leavesEnter()) return;
    const row = this.grid.findIndex((cells) => cells.includes(this.focused));
    const column = this.grid[row].indexOf(this.focused);
    if (event.key === "Enter" || event.key === " ") this.chosen(this.focused);
    else if (event.key === "Home") this.go(this.grid[row][0]);
    else if (event.key === "End") this.go(this.grid[row].at(-1));
    else if (step) this.go(this.grid[row + step[0]]?.[column + step[1]]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Moves the keyboard focus to a square; ignores undefined.
   * @param {Square | undefined} square
   */
  go(square) {
    if (!square) return;
    this.isPointed = false;
    this.focus(square);
    this.cells.get(square)?.focus();
  }

  /**
   * Returns the square at a point of the window, or null.
   * @param {MouseEvent} event
   */
  squareAt({ clientX, clientY }) {
    /** @type {HTMLElement | null | undefined} */
    const element = document.elementFromPoint(clientX, clientY)?.closest("[data-square]");
    return element?.dataset.square ?? null;
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { square } = targetOf(event).dataset;
    this.isPointed = true;
    if (!square || event.button !== 0 || !event.isPrimary || !this.canDrag()) return;
    const piece = this.board.pieces.find((element) => element.dataset.square === square);
    this.drag = { square, piece, x: event.clientX, y: event.clientY, moved: false };
    if (piece) this.holder.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    // A rebuilt board has new pieces.
    if (!event.isPrimary || !this.drag?.piece?.isConnected) return;
    const { x, y, piece, square } = this.drag;
    if (!this.drag.moved && Math.hypot(event.clientX - x, event.clientY - y) < DRAG_PIXELS) return;
    if (!this.drag.moved) {
      this.drag.moved = true;
      this.chosen(square, true);
    }
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(piece.ownerSVGElement?.getScreenCTM()?.inverse());
    piece.classList.add("dragged");
    piece.style.transform = `translate(${point.x}px, ${point.y}px)`;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!event.isPrimary) return;
    const drag = this.drop();
    if (!drag?.moved) return;
    // Ignores the click event that follows a drag.
    this.swallow = true;
    setTimeout(() => {
      this.swallow = false;
    });
    const square = this.squareAt(event);
    if (square && square !== drag.square) this.chosen(square);
  }

  /** Ends a drag, if there is one, and puts its piece back. Returns the drag. */
  drop() {
    const drag = this.drag;
    this.drag = null;
    if (drag?.moved && drag.piece) {
      drag.piece.classList.remove("dragged");
      const [x, y] = this.board.centre(drag.piece.dataset.square ?? drag.square);
      drag.piece.style.transform = `translate(${x}px, ${y}px)`;
    }
    return drag;
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (this.swallow) return;
    // With a captured pointer, the event's target is the capturing element.
    const square = targetOf(event).dataset.square ?? this.squareAt(event);
    if (!square) return;
    this.focus(square);
    this.cells.get(square)?.focus({ preventScroll: true });
    this.chosen(square);
  }
}
